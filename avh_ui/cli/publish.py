"""`avh publish`: approve the draft."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from avh_ui.cli.options import by_option, json_option, message_option, open_services, pipeline_argument, workspace_option
from avh_ui.cli.output import count, print_json, say, say_notes


@click.command("publish")
@pipeline_argument
@workspace_option()
@by_option(required=True)
@message_option("What changed and why.", required=True)
@click.option("--draft", metavar="DIGEST", help="Only the draft with this digest, as `avh decide` prints it: refused when it has changed.")
@click.option("--again", is_flag=True, help="Make a new version also where nothing changed.")
@json_option
def command(pipeline: str, root: Path, as_json: bool, **said: Any) -> None:
    """Publish what was accepted.

    The accepted suggestions of PIPELINE become its next program version; prints version, the draft's digest and the version's hash.
    Where the draft enforces what the live version does and was learned from the same batches, nothing is published.
    """
    from avh_ui.errors import NothingChangedError

    services, same = open_services(root), None
    try:
        program = services.programs.publish(pipeline, **said)
    except NothingChangedError as unchanged:
        # What is in force is what was asked for: a job that publishes every night goes on.
        program, same = services.programs.load(pipeline, unchanged.version), unchanged
    shown = program.approval.draft
    # Of the batch whose columns the program expects.
    notes = services.batches.notes(pipeline, program.approval.last_batch)
    if as_json:
        about = {"version": program.version, "sha256": program.sha256, "constraints": len(program.constraints), "draft": shown}
        print_json({"pipeline": pipeline, **about, "changed": same is None, "notes": list(notes)})
        return
    signed = "signed" if program.signature else "not signed (make a key with `avh keys new`)"
    say_notes(notes)
    if same is not None:
        say(f"{pipeline}: {same}")
        return
    say(f"{pipeline} version {program.version}, {count(len(program.constraints), 'rule')} of draft {shown[:12]}, {signed}")
    say(program.sha256)
