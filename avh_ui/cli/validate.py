"""`avh validate`: the headless validator."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import click

from avh_ui.cli.options import open_workspace, pipeline_argument, workspace_option
from avh_ui.cli.output import say, write_text
from avh_ui.cli.progress import progress
from avh_ui.errors import AvhError

# 1 and 2 mean a verdict here, so whatever keeps one from being reached is this.
COULD_NOT_EVALUATE = 3


class WrongUsageError(click.UsageError):
    """Wrong options of `avh validate`."""

    exit_code = COULD_NOT_EVALUATE


class Validate(click.Command):
    """A command whose usage errors exit with 3: 2 says "warnings only" to the pipelines that call it."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """As click does."""
        try:
            return super().make_context(*args, **extra)
        except click.UsageError as error:
            raise WrongUsageError(error.format_message(), error.ctx) from error

    def invoke(self, ctx: click.Context) -> Any:
        """As click does."""
        try:
            return super().invoke(ctx)
        except AvhError as error:
            if error.exit_code in (1, 2):
                error.exit_code = COULD_NOT_EVALUATE
            raise


@click.command("validate", cls=Validate)
@pipeline_argument
@workspace_option()
@click.option("--batch", metavar="ID", help="A batch at the source; with --input, the batch that the input stands for.")
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
@click.option("--record/--no-record", default=True, help="Keep the run for `avh review`; what is snoozed there warns (the default).")
@click.pass_context
def command(ctx: click.Context, /, pipeline: str, root: Path, output: Path | None, form: str, fail_at: str, **where: Any) -> None:
    """Judge a batch by the live program.

    The batch is measured anew and its profile kept, so that the next batch has its predecessor. An --input is judged as the batch
    --batch, or as the next one when its file is named like no batch; it is kept only with --batch and --store.

    \b
    Exit codes:
      0  pass
      1  fail
      2  warnings only (1 with --fail-at warning, 0 with --fail-at never)
      3  could not evaluate: no program, no such batch, unreadable, some result not evaluated, wrong usage
      4  the report, the profile or the run could not be written
    """  # noqa: D301 (the \\b is click's mark of a paragraph to leave as it is)
    from avh_ui.validator.exit_codes import FailAt, exit_code
    from avh_ui.validator.report import Format, render

    workspace = open_workspace(root, programs=where["programs"], history=where["history"])
    with progress(f"Validating {pipeline}") as watch:
        # Who keeps no run has no review database at hand.
        how = {"store": where["store"], "record": False, "snoozes": where["record"]}
        run = workspace.validate(pipeline, batch=where["batch"], input=where["path"], watch=watch, **how)
    report = render(run, cast(Format, form))
    if output is None:
        click.echo(report, nl=False)
    else:
        write_text(output, report)
        say(f"{pipeline} {run.batch}: {run.status}; the report is in {output}")
    if where["record"]:
        # After the report: a database that cannot be reached must not keep the verdict from who waits for it.
        workspace.record(run)
    ctx.exit(exit_code(run, cast(FailAt, fail_at)))
