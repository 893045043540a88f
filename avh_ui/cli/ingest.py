"""`avh ingest`: a batch is kept only if the whole table keeps its rules with it (ICDE 2019, Figure 1)."""

from __future__ import annotations

from pathlib import Path

import click

from avh_ui.cli.options import by_option, json_option, open_services, pipeline_argument, stated_rules, workspace_option
from avh_ui.cli.output import print_json, progress, say


@click.command("ingest")
@pipeline_argument
@click.argument("rules", nargs=-1, metavar="[RULE]...")
@click.option("--batch", required=True, help="Its id. A batch that is kept already is replaced.")
@click.option("--input", "given", metavar="PATH", help="A file or folder with its rows, in place of those at the source.")
@workspace_option()
@by_option()
@json_option
@click.pass_context
def command(
    ctx: click.Context, pipeline: str, rules: tuple[str, ...], root: Path, *, batch: str, given: str | None, by: str | None, as_json: bool
) -> None:
    """Keep a batch of PIPELINE only if the whole table keeps RULEs with it; else nothing changes.

    Only the batch is read: of all others their stored states are merged. Without a RULE those of avh.yml are asked. Exits with 0 where
    it is kept, 2 with warnings, 1 where a rule is broken, 3 where one cannot be told of the whole table.
    """
    from avh_ui.validator.report import printable, run_to_record
    from avh_ui.validator.run import exit_code

    with progress(f"Measuring {batch}") as watch:
        run = open_services(root).runs.ingest(pipeline, stated_rules(rules) or None, batch=batch, input=given, by=by, watch=watch)
    if as_json:
        print_json(run_to_record(run))
    else:
        for verdict in run.verdicts:
            say(f"{verdict.status.replace('_', ' ')}  {printable(verdict.message)}")
        kept = "is kept" if run.status in ("pass", "warn") else "is not kept, and nothing has changed"
        say(f"{pipeline} {printable(batch)}: it {kept}; with it the table has {run.row_count or 0:,} rows.")
    ctx.exit(exit_code(run))
