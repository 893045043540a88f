"""`avh ingest`: a batch is kept only if the whole table still holds with it (ICDE 2019, Figure 1)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from avh_ui.cli.options import by_option, json_option, open_services, pipeline_argument, stated_rules, workspace_option
from avh_ui.cli.output import print_json, progress, say
from avh_ui.errors import DeliveryError

if TYPE_CHECKING:
    from avh_ui.validator.run import Run


@click.command("ingest", short_help="Keep a batch only if the whole table still holds.")
@pipeline_argument
@click.argument("rules", nargs=-1, metavar="[RULE]...")
@click.option("--batch", required=True, help="Its id. A batch that is kept already is replaced.")
@click.option("--input", "given", metavar="PATH", help="A file or folder with its rows, in place of those at the source.")
@click.option("--record/--no-record", default=True, help="Keep the run for `avh review`; what is snoozed there warns (the default).")
@click.option("--notify/--no-notify", default=True, help="Tell whom `notify:` of avh.yml names (the default).")
@workspace_option()
@by_option()
@json_option
@click.pass_context
def command(
    ctx: click.Context, /, pipeline: str, rules: tuple[str, ...], root: Path, *, as_json: bool, record: bool, notify: bool, **chosen: str
) -> None:
    """Keep a batch of PIPELINE only if it keeps the live program and the whole table still holds with it; else nothing changes.

    Only the batch is read: of all others their stored states are merged. The program is judged on the batch and, where its rules can
    be told of a union, on the whole table; each RULE on the whole table. Without a RULE those of avh.yml that are not in the program.
    Exits with 0 where the batch is kept, 2 with warnings, 1 where something is broken, 3 where it cannot be told, 4 where it is judged and
    something could not be written, as the message says.
    """
    from avh_ui.validator.run import exit_code

    where = {"batch": chosen["batch"], "input": chosen["given"], "by": chosen["by"]}
    with progress(f"Measuring {where['batch']}") as watch:
        try:
            run = open_services(root).runs.ingest(pipeline, stated_rules(rules) or None, record=record, notify=notify, watch=watch, **where)
        except DeliveryError as error:
            if error.run is not None:
                _tell(error.run, as_json=as_json)
            raise
    _tell(run, as_json=as_json)
    ctx.exit(exit_code(run))


def _tell(run: Run, *, as_json: bool) -> None:
    from avh_ui.validator.report import printable, text_report
    from avh_ui.validator.run_records import run_to_record

    if as_json:
        print_json(run_to_record(run))
        return
    say(text_report(run).rstrip("\n"))
    kept = f"it is kept ({run.partition})" if run.accepted else "it is not kept, and nothing has changed"
    say(f"{printable(run.pipeline)} {printable(run.batch)}: {kept}; with it the table has {run.row_count or 0:,} rows.")
