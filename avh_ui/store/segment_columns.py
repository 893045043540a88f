"""What rules on segments are of, as columns of the history: `dep_time where origin = 'EWR'` is `dep_time` of the segment `origin=EWR`.

Such a rule is measured of a batch from the day on that it is published; its segment was profiled before, with the same states.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from avh_ui.constraints.segment_conditions import ROWS, in_segment
from avh_ui.errors import NotFoundError
from avh_ui.history.series import ColumnHistory, History, Series
from avh_ui.metrics.counts import ROW_COUNT, CountState
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.metrics.segment import Segment

# A condition that is measured alone is a column of truth values.
_OF_ROWS = ("boolean", "boolean")
_Load = Callable[[Sequence[str] | None, Segment], BatchProfile]


def with_segment_series(
    found: History, wanted: Sequence[str], segments: Sequence[Segment], history: Callable[[Sequence[str] | None, Segment], History]
) -> History:
    """The history with the wanted columns that are of segments; `history` gives that of a segment."""
    added: dict[str, ColumnHistory] = {}
    for name in wanted:
        if (of := in_segment(name, segments)) is None:
            continue
        column, segment = of
        part = history(None if column == ROWS else [column], segment)
        known = _of_rows(part) if column == ROWS else part.columns.get(column)
        if known is not None:
            added[name] = _over(found, replace(known, column=name, asked=True), found.columns.get(name))
    return replace(found, columns={**found.columns, **added}) if added else found


def with_segment_profiles(found: BatchProfile, wanted: Sequence[str], segments: Sequence[Segment], load: _Load) -> BatchProfile:
    """A batch's profile with the wanted columns that are of its segments, where it has no such columns of its own."""
    added: dict[str, ColumnProfile] = {}
    for name in wanted:
        if name in found.columns or (of := in_segment(name, segments)) is None:
            continue
        column, segment = of
        try:
            part = load(None if column == ROWS else [column], segment)
        except NotFoundError:
            continue  # the batch has no row of it, or was not split
        known = _rows_in(part) if column == ROWS else part.columns.get(column)
        if known is not None:
            added[name] = replace(known, name=name)
    if not added:
        return found
    return replace(found, columns={**found.columns, **added}, asked=(*found.asked, *added))


def _of_rows(part: History) -> ColumnHistory:
    kind, written = _OF_ROWS
    there = np.ones(len(part.batches), dtype=bool)
    return ColumnHistory(ROWS, kind, written, part.batches, {ROW_COUNT.name: part.rows.astype(np.float64)}, there)  # type: ignore[arg-type]


def _rows_in(part: BatchProfile) -> ColumnProfile:
    kind, written = _OF_ROWS
    return ColumnProfile(ROWS, kind, written, {CountState.key: CountState(part.rows)})  # type: ignore[arg-type]


def _over(found: History, part: ColumnHistory, own: ColumnHistory | None) -> ColumnHistory:
    """A segment's column over all batches of a history, NaN where a batch has no such segment; what was measured there by itself stands."""
    place = {batch: k for k, batch in enumerate(found.batches)}
    at = np.array([place[batch] for batch in part.batches if batch in place], dtype=np.int64)
    kept = np.array([batch in place for batch in part.batches], dtype=bool)

    def spread(name: str, series: Series) -> Series:
        values = np.full(len(found.batches), np.nan)
        values[at] = series[kept]
        measured = own.values.get(name) if own is not None and own.kind == part.kind else None
        return values if measured is None else np.where(np.isfinite(measured), measured, values)

    present = np.zeros(len(found.batches), dtype=bool)
    present[at] = part.present[kept]
    if own is not None and own.kind == part.kind:
        present |= own.present
    values = {name: spread(name, series) for name, series in part.values.items()}
    for series in values.values():
        series.flags.writeable = False
    return replace(part, batches=found.batches, values=values, present=present, untold={})
