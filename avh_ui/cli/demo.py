"""`avh demo`: a workspace from the sample data, profiled, suggested, and opened."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from avh_ui.cli.options import open_services, port_option, require_free, workspace_option
from avh_ui.cli.output import count, progress, say
from avh_ui.cli.profile import show
from avh_ui.cli.review import browser_option, serve
from avh_ui.extras import require

if TYPE_CHECKING:
    from avh_ui.workflows.services import Services


@click.command("demo")
@workspace_option("demo-workspace")
@port_option()
@click.option("--headless", is_flag=True, help="Stop before serving.")
@browser_option
def command(root: Path, port: int, headless: bool, browser: bool | None) -> None:
    """Open a workspace of sample data.

    Its batches are profiled with Spark, rules suggested, and the app opened.
    What is there already is kept: a second start goes straight to the app.
    """
    from avh_ui.demo import seed

    if not headless:
        require("app", "`avh demo` without --headless")
        require_free(port)
    say(f"The demo workspace is {root}")
    seed(root)
    services = open_services(root)
    for pipeline in services.pipelines():
        prepare(services, pipeline)
    _next_steps(root, services.pipelines()[0])
    if not headless:
        serve(services, port, browser)


def prepare(services: Services, pipeline: str) -> None:
    """Profile what has no profile yet, and suggest unless there is a draft."""
    with progress(f"Profiling {pipeline}") as watch:
        report = services.batches.profile(pipeline, watch=watch)
    if report.profiled or report.failed:
        show(report)
    draft = services.suggestions.draft(pipeline)
    if draft is None:
        with progress(f"Suggesting for {pipeline}") as watch:
            draft = services.suggestions.suggest(pipeline, watch=watch)
    profiled = count(len(services.batches.names(pipeline)), "batch")
    say(f"{pipeline}: {profiled} profiled, {count(len(draft.items), 'suggestion')} in the draft, {draft.count('pending')} pending.")


def _next_steps(root: Path, pipeline: str) -> None:
    say("What to do next:")
    say(f"  avh review -w {root}                                         review the suggestions in the app")
    say(f"  avh decide {pipeline} -w {root} --accept --all --by me          or accept them all")
    say(f"  avh publish {pipeline} -w {root} --by me -m 'first version'     publish the program")
    say(f"  avh validate {pipeline} -w {root} --batch ID                    validate a batch by it")
    say(f"  avh inject {pipeline} -w {root} --help                          spoil a copy of a batch, to see it fail")
