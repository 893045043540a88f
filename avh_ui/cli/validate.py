"""`avh validate`: the headless validator."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from avh_ui.cli.failures import Failure, tell
from avh_ui.cli.options import open_services, pipeline_argument, workspace_option
from avh_ui.cli.output import progress, say, say_notes, write_text
from avh_ui.cli.validating_many import asked_for, validate_many
from avh_ui.errors import AvhError, DeliveryError

if TYPE_CHECKING:
    from avh_ui.validator.report import Format
    from avh_ui.validator.run import Run

# 1 and 2 mean a verdict here, so whatever keeps one from being reached is this.
COULD_NOT_EVALUATE = 3


class WrongUsageError(click.UsageError):
    """Wrong options of `avh validate`."""

    exit_code = COULD_NOT_EVALUATE


class Validate(click.Command):
    """A command that answers in the format that was asked for also when there is no verdict, and then exits with 3 or 4."""

    def make_context(self, info_name: str | None, args: list[str], **extra: Any) -> click.Context:  # type: ignore[override]
        """As click does; usage errors exit with 3, since 2 says "warnings only" to the pipelines that call it."""
        given = list(args)
        try:
            return super().make_context(info_name, args, **extra)
        except click.UsageError as error:
            wrong = WrongUsageError(error.format_message(), error.ctx)
            asked = {name: _value_of(name, given) for name in ("--format", "--output")}
            form, output = asked["--format"], asked["--output"]
            no_verdict(Failure(COULD_NOT_EVALUATE, "UsageError", wrong.message), form or "text", Path(output) if output else None)
            raise wrong from error

    def invoke(self, ctx: click.Context) -> Any:
        """As click does; whatever keeps a verdict from being reached is reported as such."""
        try:
            return super().invoke(ctx)
        except (click.exceptions.Exit, click.exceptions.Abort):
            raise
        except Exception as error:  # noqa: BLE001 (the report says what it was, a log file where)
            failure = tell(error)
            if isinstance(error, DeliveryError) and error.run is not None:
                ctx.exit(failure.code)  # its report was the first thing to be written
            failure = replace(failure, code=COULD_NOT_EVALUATE if failure.code in (1, 2) else failure.code)
            asked = ctx.params
            written = no_verdict(failure, asked["form"], asked["output"], asked["pipeline"], asked["batch"])
            ctx.exit(failure.code if written else DeliveryError.exit_code)


def no_verdict(failure: Failure, form: str, output: Path | None, pipeline: str | None = None, batch: str | None = None) -> bool:
    """Report that there is no verdict, and why; whether the report could be written.

    In the file, so that yesterday's verdict does not stand there. People read the sentence on stderr, so without a file text needs no more.
    """
    from avh_ui.validator.report import NoVerdict, render_no_verdict

    if output is None and form not in ("json", "junit"):
        return True
    found = NoVerdict(pipeline, batch, failure.kind, failure.message, failure.hint, failure.log)
    text = render_no_verdict(found, cast("Format", form if form in ("json", "junit") else "text"))
    try:
        put(text, output)
    except (DeliveryError, OSError) as error:
        tell(error)
        return False
    return True


def put(text: str, output: Path | None) -> None:
    """Print a report or write it to a file; what no file takes is printed, so that it is not lost."""
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        write_text(output, text)
    except DeliveryError:
        click.echo(text, nl=False)
        raise


def _value_of(option: str, args: list[str]) -> str | None:
    """An option's value on a command line that could not be parsed."""
    for at, word in enumerate(args):
        if word == option and at + 1 < len(args):
            return args[at + 1]
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return None


@click.command("validate", cls=Validate)
@pipeline_argument
@workspace_option()
@click.option("--batch", metavar="ID", help="A batch at the source, or several: A..B. With --input, the batch that the input stands for.")
@click.option("--new", is_flag=True, help="All batches at the source that have no profile yet, the oldest first.")
@click.option("--input", "path", metavar="PATH", help="A file or folder instead, read as the pipeline's source is.")
@click.option("--programs", metavar="URL", help="The program store, instead of that of avh.yml.")
@click.option("--history", metavar="URL", help="The history, instead of that of avh.yml.")
@click.option("--format", "form", type=click.Choice(["text", "json", "junit"]), default="text", show_default=True, help="Of the report.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="Write the report to a file.")
@click.option(
    "--fail-at",
    type=click.Choice(["error", "warning", "never"]),
    default="error",
    show_default=True,
    help="The severity that exits with 1.",
)
@click.option("--store/--no-store", default=None, help="Keep the profile; by default of --batch and not of --input.")
@click.option(
    "--quarantine",
    metavar="PATH",
    help="Keep the rows that break rules in a folder of this one, each run's in its own; of delta:PATH, in a Delta table.",
)
@click.option("--record/--no-record", default=True, help="Keep the run for `avh review`; what is snoozed there warns (the default).")
@click.option("--notify/--no-notify", default=True, help="Tell whom `notify:` of avh.yml names (the default).")
@click.pass_context
def command(ctx: click.Context, /, pipeline: str, root: Path, output: Path | None, form: str, fail_at: str, **where: Any) -> None:
    """Judge a batch by the live program.

    Several batches (--new, --batch A..B) are judged in their order by one process; the exit code is the worst, 4, 1, 3, 2, 0.

    The batch is measured anew and its profile kept, so that the next batch has its predecessor. An --input is judged as the batch
    --batch, or as the next one when its file is named like no batch; it is kept only with --batch and --store.

    \b
    Exit codes:
      0  pass
      1  fail
      2  warnings only (1 with --fail-at warning, 0 with --fail-at never)
      3  could not evaluate: no program, no such batch, unreadable, some result not evaluated, wrong usage, any other error
      4  the report, profile, run or bad rows could not be written, whatever the verdict, which is printed all the same
    130  interrupted
    """  # noqa: D301 (the \\b is click's mark of a paragraph to leave as it is)
    from avh_ui.validator.report import render
    from avh_ui.validator.run import FailAt, exit_code
    from avh_ui.workflows.validating import ValidateOptions

    services = open_services(root, programs=where["programs"], history=where["history"])
    batches = asked_for(services, pipeline, new=where["new"], batch=where["batch"], path=where["path"])
    if batches is not None:
        ctx.exit(validate_many(services, pipeline, batches, form=form, output=output, fail_at=fail_at, **where))
    with progress(f"Validating {pipeline}") as watch:
        # Who keeps no run has no review database at hand.
        options = ValidateOptions(where["batch"], where["path"], where["store"], where["quarantine"])
        judgement = services.runs.judge(pipeline, options, snoozes=where["record"], watch=watch)

    with suppress(AvhError):  # the verdict is there: nothing that can only be noted may keep it back
        for note in services.programs.notes(pipeline):
            say(note, err=True)

    def report(run: Run) -> None:
        put(render(run, cast("Format", form)), output)
        if output is not None and form != "text":
            # Who looks at the log of a pipeline reads there what is wrong.
            click.echo(render(run), nl=False)
        if output is not None:
            say(f"{pipeline} {run.batch}: {run.status}; the report is in {output}")

    # The verdict first: a history or database that cannot be written must not keep it from who waits for it.
    say_notes(services.runs.deliver(judgement, record=where["record"], report=report, notify=where["notify"]), err=True)
    ctx.exit(exit_code(judgement.run, cast(FailAt, fail_at)))
