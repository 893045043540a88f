"""`avh history`: metric series."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from avh_ui.cli.options import json_option, open_workspace, pipeline_argument, workspace_option
from avh_ui.cli.output import count, print_json, print_table, say

if TYPE_CHECKING:
    from avh_ui.history.series import ColumnHistory, History


@click.command("history")
@pipeline_argument
@workspace_option()
@click.option("--column", "-c", help="One column; without it, an overview.")
@click.option("--metric", help="One metric of the column.")
@click.option("--upto", metavar="BATCH", help="The last batch to show.")
@json_option
def command(pipeline: str, root: Path, column: str | None, metric: str | None, upto: str | None, as_json: bool) -> None:
    """Print the metrics of past batches.

    An overview of PIPELINE, or the series of one column. In JSON an undefined value is null.
    """
    from avh_ui.errors import UsageError

    if metric and not column:
        raise UsageError("A metric belongs to a column.", hint="Give --column too.")
    history = open_workspace(root).history(pipeline, upto=upto)
    if column:
        found = history.column(column)
        names = [metric] if metric else list(found.values)
        series = {name: found.series(name) for name in names}
        if as_json:
            values = {name: s.tolist() for name, s in series.items()}
            print_json({**_about(found), "pipeline": pipeline, "batches": list(found.batches), "metrics": values})
        else:
            _print_series(found, names)
    elif as_json:
        columns = [{**_about(c), "metrics": list(c.values)} for c in history.columns.values()]
        print_json({"pipeline": pipeline, "batches": list(history.batches), "rows": history.rows.tolist(), "columns": columns})
    else:
        _print_overview(history)


def _about(column: ColumnHistory) -> dict[str, Any]:
    return {"column": column.column, "kind": column.kind, "type": column.type}


def _print_series(column: ColumnHistory, names: list[str]) -> None:
    from avh_ui.constraints.constraint import number

    say(f"{column.column}: {column.kind}, {column.type}")
    rows = [[batch, *(number(float(column.series(n)[k])) for n in names)] for k, batch in enumerate(column.batches)]
    print_table(["batch", *names], rows)


def _print_overview(history: History) -> None:
    if not history.batches:
        say(f"{history.pipeline} has no profiled batches yet; make them with `avh profile {history.pipeline}`.")
        return
    span = f"{history.batches[0]} to {history.batches[-1]}"
    low, high = int(history.rows.min()), int(history.rows.max())
    say(f"{history.pipeline}: {count(len(history.batches), 'batch')}, {span}, {low:,} to {high:,} rows each")
    print_table(
        ["column", "kind", "type", "in batches", "metrics"],
        [[c.column, c.kind, c.type, str(int(c.present.sum())), ", ".join(c.values)] for c in history.columns.values()],
    )
