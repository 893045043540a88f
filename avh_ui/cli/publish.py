"""`avh publish`: approve the draft."""

from __future__ import annotations

from pathlib import Path

import click

from avh_ui.cli.options import by_option, json_option, message_option, open_services, pipeline_argument, workspace_option
from avh_ui.cli.output import count, print_json, say, say_notes


@click.command("publish")
@pipeline_argument
@workspace_option()
@by_option(required=True)
@message_option("What changed and why.", required=True)
@click.option("--draft", metavar="DIGEST", help="Only the draft with this digest, as `avh decide` prints it: refused when it has changed.")
@json_option
def command(pipeline: str, root: Path, by: str, message: str, draft: str | None, as_json: bool) -> None:
    """Publish what was accepted.

    The accepted suggestions of PIPELINE become its next program version; prints version, the draft's digest and the version's hash.
    """
    services = open_services(root)
    program = services.programs.publish(pipeline, by=by, message=message, draft=draft)
    shown = program.approval.draft
    # Of the batch whose columns the program expects.
    notes = services.batches.notes(pipeline, program.approval.last_batch)
    if as_json:
        said = {"version": program.version, "sha256": program.sha256, "constraints": len(program.constraints), "draft": shown}
        print_json({"pipeline": pipeline, **said, "notes": list(notes)})
        return
    signed = "signed" if program.signature else "not signed (make a key with `avh keys new`)"
    say_notes(notes)
    say(f"{pipeline} version {program.version}, {count(len(program.constraints), 'rule')} of draft {shown[:12]}, {signed}")
    say(program.sha256)
