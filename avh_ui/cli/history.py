"""`avh history`: metric series, merged metrics of a span of batches, and both by segment."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from avh_ui.cli.options import json_option, open_services, pipeline_argument, workspace_option

if TYPE_CHECKING:
    from avh_ui.metrics.segment import Segment
    from avh_ui.workflows.services import Services

ALL = "all"


@click.command("history")
@pipeline_argument
@workspace_option()
@click.option("--column", "-c", help="One column; without it, an overview.")
@click.option("--metric", help="One metric of the column.")
@click.option("--upto", metavar="BATCH", help="The last batch to show.")
@click.option("--span", metavar="A..B", help="Merge these batches (ends included, either may be left open) and print the whole's metrics.")
@click.option("--segments", metavar="LABELS", help="Segments such as origin=EWR, with commas between, or `all`: a series each, or merged.")
@json_option
def command(
    *,
    pipeline: str,
    root: Path,
    column: str | None,
    metric: str | None,
    upto: str | None,
    span: str | None,
    segments: str | None,
    as_json: bool,
) -> None:
    """Print the metrics of past batches.

    An overview of PIPELINE, or the series of one column. With --span the metrics of all rows of these batches together, from their
    states; no data is read. In JSON an undefined value is null.
    """
    from avh_ui.cli import history_views
    from avh_ui.errors import UsageError

    if metric and not column:
        raise UsageError("A metric belongs to a column.", hint="Give --column too.")
    if span is not None and upto is not None:
        raise UsageError("--span and --upto exclude each other.", hint=f"End the span there: --span ..{upto}")
    services = open_services(root)
    chosen = None if segments is None else _chosen(services, pipeline, segments)
    if span is not None:
        view = services.batches.view(pipeline, span=span, segments=chosen, columns=[column] if column else None)
        history_views.print_view(view, column, metric, as_json)
    elif chosen is not None:
        columns = [column] if column else []
        series = {s: services.batches.history(pipeline, columns=columns, upto=upto, segment=s) for s in chosen}
        history_views.print_segments(pipeline, series, column, metric, as_json)
    else:
        history = services.batches.history(pipeline, upto=upto)
        notes = services.batches.notes(pipeline, history.batches[-1]) if history.batches else ()
        history_views.print_history(history, notes, column, metric, as_json)


def _chosen(services: Services, pipeline: str, labels: str) -> list[Segment]:
    from avh_ui.errors import UsageError

    found = services.batches.segments(pipeline, None if labels == ALL else labels)
    if not found:
        hint = "Name the columns that split its batches under `segments:` in avh.yml, then profile them with --again."
        raise UsageError(f"The profiled batches of {pipeline!r} have no segments.", hint=hint)
    return found
