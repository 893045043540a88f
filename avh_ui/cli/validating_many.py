"""Several batches judged by one process of `avh validate`, in their order: each with its own report, all with one exit code."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from avh_ui.cli.failures import tell
from avh_ui.cli.output import count, progress, say, say_notes, write_text
from avh_ui.errors import DeliveryError, UsageError

if TYPE_CHECKING:
    from avh_ui.validator.report import Format
    from avh_ui.validator.run import FailAt, Run
    from avh_ui.workflows.services import Services

# By what a pipeline has to do; among batches as within one, a broken rule comes before what was not evaluated.
WORST_FIRST = (4, 1, 3, 2, 0)
_WORDS = {0: "went through", 1: "failed", 2: "warned", 3: "not evaluated", 4: "not delivered"}


def asked_for(services: Services, pipeline: str, *, new: bool, batch: str | None, path: str | None) -> Sequence[str] | None:
    """The batches that are asked for by `--new` or a range `A..B`; None where one batch is. `UsageError` for what excludes another."""
    if new and (batch or path):
        raise UsageError("--new names the batches itself.", hint="Leave out --batch and --input.")
    if new:
        waiting = services.to_judge(pipeline)
        say_notes(() if waiting else services.batches.emptied(pipeline), err=True)
        return waiting
    if path is None and batch is not None and ".." in batch:
        return services.batches.waiting(pipeline, batch)
    return None


def validate_many(
    services: Services, pipeline: str, batches: Sequence[str], *, form: str, output: Path | None, fail_at: str, new: bool,
    brief: bool = False, **where: Any,
) -> int:  # fmt: skip
    """Judge and deliver each batch and give the worst exit code. Text is printed batch by batch, all else at the end; what all came to is
    said last, unless it is to be `brief`. What is `new` and was found empty before, as it may be, is only counted.

    A batch that could not be delivered hides no other. Without what every batch needs (a program) the call ends with that error.
    """
    from avh_ui.validator.report import noted_once, render, render_all
    from avh_ui.validator.run import exit_code
    from avh_ui.workflows.validating import ValidateOptions

    if not batches:
        services.programs.load(pipeline)  # without one nothing could be judged that comes
    # Who looks at the log of a pipeline reads there what is wrong, whatever form the report in a file has.
    at_once = (form == "text") == (output is None)
    runs: list[Run] = []
    codes, still, said = list[int](), 0, set[str]()

    def report(run: Run) -> None:
        runs.append(run)
        if at_once:
            click.echo(render(noted_once(run, said)), nl=False)

    with progress(f"Validating {pipeline}") as watch:
        for batch in batches:
            options = ValidateOptions(batch, None, where["store"], where["quarantine"])
            judgement = services.runs.judge(pipeline, options, snoozes=where["record"], watch=watch)
            if new and services.runs.is_empty_still(judgement.run):
                still += 1
                continue
            try:
                say_notes(services.runs.deliver(judgement, record=where["record"], report=report, notify=where["notify"]), err=True)
                codes.append(exit_code(judgement.run, cast("FailAt", fail_at)))
            except DeliveryError as error:
                codes.append(tell(error).code)
    if form != "text" or output is not None:
        text = render_all(runs, cast("Format", form))
        click.echo(text, nl=False) if output is None else write_text(output, text)
    if brief:
        return worst(codes)
    say(f"{pipeline}: {count(len(batches), 'batch')}{_told(codes, still)}.", err=form != "text" and output is None)
    return worst(codes)


def _told(codes: Sequence[int], still: int) -> str:
    parts = [f"{codes.count(code)} {_WORDS[code]}" for code in WORST_FIRST if code in codes]
    parts += [f"{still} empty as before"] * bool(still)
    return f": {', '.join(parts)}" if parts else " to validate"


def worst(codes: Collection[int]) -> int:
    """The exit code of several batches; 0 where there is none."""
    return next((code for code in WORST_FIRST if code in codes), 0)
