"""`avh profile`: measure the batches that have no profile yet."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from avh_ui.cli.options import by_option, json_option, open_services, pipeline_argument, workspace_option
from avh_ui.cli.output import count, print_json, progress, say, say_misnamed, say_notes

if TYPE_CHECKING:
    from avh_ui.workflows.batches import ProfileReport
    from avh_ui.workflows.services import Services

# A table whose columns flicker would bury the summary; the newest changes matter most.
DRIFT_LINES = 12


@click.command("profile")
@pipeline_argument
@workspace_option()
@click.option("--batches", metavar="A..B", help="Only these: A..B with both included, A.. or ..B, or one batch.")
@click.option("--input", "path", metavar="PATH", help="A file or folder, as the one batch of --batches, read as the source is.")
@click.option("--again", is_flag=True, help="Also those that have a profile already.")
@click.option("-v", "--verbose", is_flag=True, help="Also who read the batches: Arrow, or Spark and why.")
@by_option()
@json_option
def command(pipeline: str, root: Path, *, path: str | None, verbose: bool, as_json: bool, **which: Any) -> None:
    """Measure the batches that are new.

    Those are the batches at the source of PIPELINE that have no profile yet.

    Each profile is kept as it is finished, so an interrupted run loses little. Exits with 3 when a batch could not be profiled, and when
    avh.yml names columns that are not there; the others are kept. A person of avh.yml has to be reviewer; a scheduler's account, which
    avh.yml does not name, may profile.
    """
    services = open_services(root)
    with progress(f"Profiling {pipeline}") as watch:
        report = services.batches.profile(pipeline, input=path, watch=watch, **which)
    wrong = services.programs.misnamed(pipeline)
    report = replace(report, notes=wrong.unsaid(report.notes))
    if as_json:
        print_json(record(report))
    else:
        show(report)
        for reader, read in report.readers if verbose else ():
            say(f"{count(read, 'batch')} read by {reader}.")
        if which["again"] and report.profiled and _drafted(services, pipeline):
            say(f"The draft's rules and what they would have failed are of the profiles before: `avh suggest {pipeline}` learns anew.")
    misnamed = say_misnamed(wrong)
    if report.failed or misnamed:
        click.get_current_context().exit(3)


def _drafted(services: Services, pipeline: str) -> bool:
    """Whether there is a draft; a review database that cannot be read is no fault of what was profiled."""
    from avh_ui.errors import AvhError

    with contextlib.suppress(AvhError):
        return services.suggestions.draft(pipeline) is not None
    return False


def show(report: ProfileReport) -> None:
    """Print what a profiling did: drift, repetitions and failures, then the summary."""
    _newest("The columns changed in {} batches before these", [(batch, " ".join(said)) for batch, said in report.drift])
    _newest("{} batches before these have the content of one before them too", [(b, f"same content as {of}") for b, of in report.repeated])
    _newest("The deliveries of {} batches before these had faults too", [(batch, " ".join(said)) for batch, said in report.deliveries])
    for reason, same in groupby(report.failed, key=lambda failed: failed.reason):
        # What Spark says of a job that failed does not name the batch, and may be the same of all.
        first, *others = (failed.batch for failed in same)
        of = f"{first} to {others[-1]}, {count(len(others) + 1, 'batch')}: " if others else f"{first}: "
        say(f"Failed: {'' if first in reason and not others else of}{reason}", err=True)
    if any(failed.fault == "empty" for failed in report.failed):
        say("Where batches may be empty, write `severities: {empty: warning}` (or `off`) in avh.yml.", err=True)
    say_notes(report.notes)
    if not report.profiled and not report.failed:
        say(f"{report.pipeline}: nothing to do, every batch has a profile (--again profiles anew).")
        return
    span = f", {report.profiled[0]} to {report.profiled[-1]}" if report.profiled else ""
    failures = f"; {count(len(report.failed), 'batch')} failed" if report.failed else ""
    say(f"{report.pipeline}: profiled {count(len(report.profiled), 'batch')}{span}, in {report.seconds:.1f} s{failures}.")


def _newest(earlier: str, told: list[tuple[str, str]]) -> None:
    lines = [list(same) for _, same in groupby(told, key=itemgetter(1))]
    if before := sum(map(len, lines[:-DRIFT_LINES])):
        say(f"{earlier.format(before)} (--json tells all):")
    for (batch, sentence), *others in lines[-DRIFT_LINES:]:
        say(f"{batch} to {others[-1][0]}, {count(len(others) + 1, 'batch')}: {sentence}" if others else f"{batch}: {sentence}")


def record(report: ProfileReport) -> dict[str, Any]:
    """The report as plain data."""
    return {
        "pipeline": report.pipeline,
        "profiled": list(report.profiled),
        "failed": [{"batch": f.batch, "reason": f.reason} for f in report.failed],
        "drift": [{"batch": batch, "changes": list(sentences)} for batch, sentences in report.drift],
        "repeated": [{"batch": batch, "of": other} for batch, other in report.repeated],
        "deliveries": [{"batch": batch, "faults": list(sentences)} for batch, sentences in report.deliveries],
        "notes": list(report.notes),
        "readers": dict(report.readers),
        "seconds": round(report.seconds, 3),
    }
