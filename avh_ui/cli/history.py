"""`avh history`: metric series, merged metrics of a span of batches, and both by segment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from avh_ui.cli.options import json_option, open_services, pipeline_argument, workspace_option
from avh_ui.cli.output import count, print_json, print_table, say, say_notes

if TYPE_CHECKING:
    from avh_ui.history.series import ColumnHistory, History
    from avh_ui.history.views import View
    from avh_ui.metrics.segment import Segment
    from avh_ui.workflows.services import Services

ALL = "all"
# More than this is not read; JSON has them all.
_GAPS = 10


@click.command("history")
@pipeline_argument
@workspace_option()
@click.option("--column", "-c", help="One column; without it, an overview.")
@click.option("--metric", help="One metric of the column; row_count without one, since it is the table's.")
@click.option("--upto", metavar="BATCH", help="The last batch to show.")
@click.option("--span", metavar="A..B", help="Merge these batches (ends included, either may be left open) and print the whole's metrics.")
@click.option("--segments", metavar="LABELS", help="Segments such as origin=EWR, with commas between, or `all`: a series each, or merged.")
@json_option
def command(pipeline: str, root: Path, column: str | None, metric: str | None, as_json: bool, **chosen: str | None) -> None:
    """Print the metrics of past batches.

    An overview of PIPELINE, or the series of one column. With --span the metrics of all rows of these batches together, from their
    states; no data is read. In JSON an undefined value is null.
    """
    from avh_ui.errors import UsageError

    upto, span, labels = chosen["upto"], chosen["span"], chosen["segments"]
    of_rows = None if column else metric
    if of_rows:
        _require_of_rows(of_rows)
    if span is not None and upto is not None:
        raise UsageError("--span and --upto exclude each other.", hint=f"End the span there: --span ..{upto}")
    services = open_services(root)
    segments = None if labels is None else _segments(services, pipeline, labels)
    if span is not None:
        columns = [column] if column else [] if of_rows else None
        view = services.batches.view(pipeline, span=span, segments=segments, columns=columns)
        told = {} if columns is not None or as_json else services.batches.history(pipeline).columns
        print_view(view, column, metric if column else None, as_json, asked={name for name, one in told.items() if one.asked})
    elif segments is not None:
        columns = [column] if column else []
        series = {s: services.batches.history(pipeline, columns=columns, upto=upto, segment=s) for s in segments}
        print_segments(pipeline, series, column, metric, as_json)
    else:
        history = services.batches.history(pipeline, columns=[] if of_rows else None, upto=upto)
        if of_rows:
            print_rows(history, of_rows, as_json)
            return
        notes = services.batches.notes(pipeline, history.batches[-1]) if history.batches else ()
        print_history(history, notes, column, metric, as_json)


def _require_of_rows(metric: str) -> None:
    """`UsageError` for a metric that is not the table's own, `NotFoundError` for one that nobody knows."""
    from avh_ui.errors import UsageError
    from avh_ui.metrics.catalogue import counts_rows, named
    from avh_ui.metrics.counts import ROW_COUNT
    from avh_ui.metrics.measure import Measure

    named(metric)
    if not counts_rows(Measure(metric)):
        raise UsageError(f"{metric} belongs to a column.", hint=f"Give --column too. Without one there is {ROW_COUNT.name} of the table.")


def print_rows(history: History, metric: str, as_json: bool) -> None:
    """Print how many rows each batch has, under the name by which it was asked for."""
    print_unread(history)
    if as_json:
        print_json({"pipeline": history.pipeline, "batches": list(history.batches), "metrics": {metric: history.rows.tolist()}})
    else:
        say(f"{metric} of {history.pipeline}")
        print_table(["batch", metric], [[b, _number(float(rows))] for b, rows in zip(history.batches, history.rows, strict=True)])


def _segments(services: Services, pipeline: str, labels: str) -> list[Segment]:
    from avh_ui.errors import UsageError

    found = services.batches.segments(pipeline, None if labels == ALL else labels)
    if not found:
        hint = "Name the columns that split its batches under `segments:` in avh.yml, then profile them with --again."
        raise UsageError(f"The profiled batches of {pipeline!r} have no segments.", hint=hint)
    return found


def print_history(history: History, notes: Sequence[str], column: str | None, metric: str | None, as_json: bool) -> None:
    """Print the series of a column, or an overview of all with the notes on what the newest batch was not measured of.

    First, aside, which batches cannot be read.
    """
    print_unread(history)
    if column:
        found = history.column(column)
        names = [metric] if metric else list(found.values)
        series = {name: found.series(name) for name in names}
        if as_json:
            values = {name: s.tolist() for name, s in series.items()}
            print_json({**_about(found), "pipeline": history.pipeline, "batches": list(found.batches), "metrics": values, **_untold(found)})
        else:
            _print_series(found, names)
    elif as_json:
        columns = [{**_about(c), "metrics": list(c.values)} for c in history.columns.values()]
        deliveries = [None if facts is None else facts.to_record() for facts in history.deliveries]
        record = {"pipeline": history.pipeline, "batches": list(history.batches), "rows": history.rows.tolist()}
        print_json({**record, "deliveries": deliveries, "notes": list(notes), "columns": columns})
    else:
        _print_overview(history)
        say_notes(notes)


def print_unread(history: History) -> None:
    """Say which batches are left out since they cannot be read, and how to mend them; on the standard error, so that data stays data."""
    for batch, why in list(history.unread.items())[:_GAPS]:
        say(f"Left out: batch {batch}: {why}", err=True)
    if len(history.unread) > _GAPS:
        say(f"... and {count(len(history.unread) - _GAPS, 'batch')} more.", err=True)


def _about(column: ColumnHistory) -> dict[str, Any]:
    return {"column": column.column, "kind": column.kind, "type": column.type}


def _untold(column: ColumnHistory) -> dict[str, dict[str, list[str]]]:
    """The batches of which an older release did not measure a metric, by metric; nothing where there are none."""
    found = {name: [b for b, missing in zip(column.batches, there, strict=True) if missing] for name, there in column.untold.items()}
    return {"not_measured": found} if found else {}


def _print_series(column: ColumnHistory, names: list[str], of: str = "") -> None:
    say(f"{column.column}{of}: {column.kind}, {column.type}")
    from avh_ui.metrics.metric import NOT_MEASURED

    rows = [[batch, *(_number(float(column.series(n)[k])) for n in names)] for k, batch in enumerate(column.batches)]
    for name, batches in _untold(column).get("not_measured", {}).items():
        if name in names:
            say(f"{name} of {count(len(batches), 'batch')} ({batches[0]} to {batches[-1]}) was {NOT_MEASURED}.", err=True)
    print_table(["batch", *names], rows)


def _print_overview(history: History) -> None:
    if not history.batches:
        say(f"{history.pipeline} has no profiled batches yet; make them with `avh profile {history.pipeline}`.")
        return
    span = f"{history.batches[0]} to {history.batches[-1]}"
    low, high = int(history.rows.min()), int(history.rows.max())
    say(f"{history.pipeline}: {count(len(history.batches), 'batch')}, {span}, {low:,} to {high:,} rows each")
    shown = [c for c in history.columns.values() if not c.asked]
    print_table(
        ["column", "kind", "type", "in batches", "metrics"],
        [[c.column, c.kind, c.type, str(int(c.present.sum())), ", ".join(c.values)] for c in shown],
    )
    _say_asked(len(history.columns) - len(shown))
    faulty = [(b, told) for b, facts in zip(history.batches, history.deliveries, strict=False) if facts and (told := facts.sentences())]
    for batch, sentences in faulty[-_GAPS:]:
        say(f"Note: {batch}: {' '.join(sentences)}", err=True)
    if len(faulty) > _GAPS:
        say(f"Note: {count(len(faulty) - _GAPS, 'earlier batch')} had a faulty delivery too; --json has them all.", err=True)


def _say_asked(n: int) -> None:
    """Say that what rules measure is no column, and is named by an SQL condition that nobody reads in a table."""
    if n:
        say(f"Left out: {count(n, 'measure')} that rules ask for; --json has {'it' if n == 1 else 'them'}.", err=True)


def print_view(view: View, column: str | None, metric: str | None, as_json: bool, *, asked: Set[str] = frozenset()) -> None:
    """Print the merged metrics of a view: of one column, or of all that it has but what rules `asked` for."""
    names = [column] if column else list(view.columns)
    found = {name: {metric: view.metric(name, metric)} if metric else view.metrics(name) for name in names}
    if as_json:
        print_json(_record(view, found))
        return
    span = f", {view.batches[0]} to {view.batches[-1]}" if view.batches else ""
    where = f", {', '.join(s.label for s in view.segments)}" if view.segments else ""
    say(f"{view.pipeline}: {count(len(view.batches), 'batch')}{span}{where}, {count(view.rows, 'row')} together")
    if column:
        say(f"{column}: {view.columns[column].kind}, {view.columns[column].type}")
        print_table(["metric", "value"], [[name, _number(value)] for name, value in found[column].items()])
    elif view.columns:
        from avh_ui.metrics.catalogue import SUMMARY

        names = [metric.name for metric in SUMMARY]  # `--column` prints all
        rows = [[n, view.columns[n].kind, *(_number(v[m]) if m in v else "" for m in names)] for n, v in found.items() if n not in asked]
        print_table(["column", "kind", *names], rows)
        _say_asked(len(asked & found.keys()))
    gaps = [gap for gap in view.gaps if gap.column not in asked]
    for gap in gaps[:_GAPS]:
        say(f"Note: {gap}", err=True)
    if len(gaps) > _GAPS:
        say(f"Note: {count(len(gaps) - _GAPS, 'more gap')}; --json has them all.", err=True)


def print_segments(pipeline: str, series: Mapping[Segment, History], column: str | None, metric: str | None, as_json: bool) -> None:
    """Print the series of each segment: one metric side by side, one column each after the other, or an overview."""
    if as_json:
        print_json({"pipeline": pipeline, "segments": [_segment_record(s, h, column, metric) for s, h in series.items()]})
    elif column and metric:
        found = {s: h.column(column) for s, h in series.items()}
        say(f"{metric} of {column}")
        _print_side_by_side({s: dict(zip(c.batches, c.series(metric).tolist(), strict=True)) for s, c in found.items()})
    elif metric:
        found_rows = {s: dict(zip(h.batches, h.rows.tolist(), strict=True)) for s, h in series.items()}
        say(f"{metric} of {pipeline}")
        _print_side_by_side(found_rows)
    elif column:
        for segment, history in series.items():
            _print_series(history.column(column), list(history.column(column).values), f" in {segment}")
    else:
        print_table(["segment", "batches", "first", "last", "rows"], [_overview(s, h) for s, h in series.items()])


def _print_side_by_side(values: Mapping[Segment, Mapping[str, float]]) -> None:
    """A column of numbers for each segment, a row for each batch."""
    from avh_ui.history.series import sort_batches

    rows = [[b, *(_number(found[b]) if b in found else "" for found in values.values())] for b in sort_batches({*chain(*values.values())})]
    print_table(["batch", *(s.label for s in values)], rows)


def _overview(segment: Segment, history: History) -> list[str]:
    if not history.batches:
        return [segment.label, "0", "", "", ""]
    low, high = int(history.rows.min()), int(history.rows.max())
    return [segment.label, f"{len(history.batches):,}", history.batches[0], history.batches[-1], f"{low:,} to {high:,}"]


def _segment_record(segment: Segment, history: History, column: str | None, metric: str | None) -> dict[str, Any]:
    record: dict[str, Any] = {"segment": segment.label, "batches": list(history.batches), "rows": history.rows.tolist()}
    if column:
        found = history.column(column)
        record |= {**_about(found), "metrics": {n: found.series(n).tolist() for n in ([metric] if metric else found.values)}}
    return record


def _record(view: View, found: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    columns = [{"column": n, "kind": view.columns[n].kind, "type": view.columns[n].type, "metrics": dict(v)} for n, v in found.items()]
    gaps = [{"batches": list(g.batches), "column": g.column, "reason": g.reason} for g in view.gaps]
    where = {"pipeline": view.pipeline, "batches": list(view.batches), "segments": [s.label for s in view.segments], "rows": view.rows}
    return {**where, "columns": columns, "gaps": gaps}


def _number(value: float) -> str:
    from avh_ui.constraints.constraint import number

    return number(value)
