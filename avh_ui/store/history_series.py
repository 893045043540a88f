"""From the metrics of many batches to the series of a `History`, in a few vectorised steps whatever the number of batches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from avh_ui.history.series import ColumnHistory, History
from avh_ui.metrics.catalogue import EVERY, STATES, asked_for, measured_for, of_any_kind
from avh_ui.metrics.column import Kind
from avh_ui.metrics.counts import COMPLETE_RATIO
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.type_names import MATCHED
from avh_ui.store.history_format import BatchMetrics
from avh_ui.store.names import from_utf8

Codes = NDArray[np.int64]
_OF_ANY_KIND = frozenset(m.name for m in EVERY if of_any_kind(m) and not m.asked)


def assemble(pipeline: str, batches: Sequence[BatchMetrics], baselines: Sequence[int], columns: Sequence[str] | None = None) -> History:
    """The history of batches in order; of some columns when given (names that no batch has are passed over).

    `baselines` are the places of the batches that each is compared with, -1 for none.

    A column has the kind and type of the newest batch that has it. Where it is absent or of another kind, `present` is False and
    every value NaN; but of another kind, what is measured of columns of any kind (`catalogue.of_any_kind`) is there. Without any value it
    is of no kind, and present where it was before: files tell no type of a column of nulls, and a class that hurricanes alone have was new
    after each month without one.
    """
    ids = tuple(b.header.batch for b in batches)
    rows = np.array([b.header.rows for b in batches], dtype=np.float64)
    if not batches:
        return History(pipeline, ids, rows, {})
    table = pa.concat_tables([b.table for b in batches]).combine_chunks()
    batch = np.repeat(np.arange(len(batches)), [b.table.num_rows for b in batches])
    names, name = _encode(table.column("name"))
    if columns is not None:
        # Validations ask for the few columns whose bounds follow: what is made of the others would be most of the work.
        wanted = set(columns)
        asked = np.array([from_utf8(one) in wanted for one in names], dtype=bool)[name]
        if not asked.all():
            table, batch = table.filter(pa.array(asked)), batch[asked]
            names, name = _encode(table.column("name"))
    kinds, kind = _encode(table.column("kind"))
    types = table.column("type")
    newest = np.full(len(names), -1, dtype=np.int64)
    newest[name] = np.arange(len(name))  # the last assignment wins: rows are in batch order
    present = kind == kind[newest][name]
    cube, told, metrics = _cube(table, (len(names), len(batches)), name, batch, present)
    there = np.zeros((len(names), len(batches)), dtype=bool)
    there[name[present], batch[present]] = True
    empty = cube[metrics[COMPLETE_RATIO.name]] == 0 if COMPLETE_RATIO.name in metrics else np.zeros_like(there)
    places = np.array(baselines)
    compared = there & (places >= 0) & there[:, places]
    beside = frozenset[str]().union(*(b.header.asked for b in batches))
    found: dict[str, ColumnHistory] = {}
    for code in sorted(range(len(names)), key=lambda c: (-batch[newest[c]], newest[c])):
        column, column_kind = from_utf8(names[code]), kinds[kind[newest[code]]]
        declared = _declared(told[:, code], metrics, column_kind)
        values = _values(cube[:, code], metrics, declared)
        untold = _untold(told[:, code], metrics, declared, there[code], compared[code])
        type_name = from_utf8(types[int(newest[code])].as_py())
        asked_for_it = column in beside or type_name == MATCHED
        present_in = there[code] | (empty[code] & np.logical_or.accumulate(there[code]))
        found[column] = ColumnHistory(column, column_kind, type_name, ids, values, present_in, untold, asked_for_it)
    return History(pipeline, ids, rows, found, deliveries=tuple(b.header.delivery for b in batches))


def _declared(told: NDArray[np.bool_], metrics: dict[str, int], kind: Kind) -> list[Metric]:
    """The metrics of a column: those of its kind, and what was asked for and measured."""
    if kind not in STATES:
        return []
    return [*measured_for(kind), *(m for m in asked_for(kind) if m.name in metrics and told[metrics[m.name]].any())]


def _values(cube: NDArray[np.float64], metrics: dict[str, int], declared: Iterable[Metric]) -> dict[str, NDArray[np.float64]]:
    """A copy per column, so that nobody who changes a series changes another's."""
    nothing = np.full(cube.shape[1], np.nan)
    return {m.name: (cube[metrics[m.name]] if m.name in metrics else nothing).copy() for m in declared}


def _untold(
    told: NDArray[np.bool_],
    metrics: dict[str, int],
    declared: Iterable[Metric],
    there: NDArray[np.bool_],
    compared: NDArray[np.bool_],
) -> dict[str, NDArray[np.bool_]]:
    """The batches of which a metric's value was not kept, by metric, where there are any; a distance has none without a baseline."""
    nothing = np.zeros(told.shape[1], dtype=bool)
    due = {m.name: compared if m.two_distribution else there for m in declared}
    found = {name: wanted & ~(told[metrics[name]] if name in metrics else nothing) for name, wanted in due.items()}
    return {name: missing for name, missing in found.items() if missing.any()}


def _cube(
    table: pa.Table, shape: tuple[int, int], name: Codes, batch: Codes, present: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.bool_], dict[str, int]]:
    """All values, shape (metrics, columns, batches), NaN where there is none, and where there are some; with the place of each metric."""
    parts = []
    for column in ("metrics", "distances"):
        numbers = _chunk(table.column(column))
        offsets = np.asarray(numbers.offsets.to_numpy())
        row = np.repeat(np.arange(len(numbers)), np.diff(offsets))
        # A slice's keys and items are those of the whole array it is cut from.
        keys, items = (child.slice(offsets[0], len(row)) for child in (numbers.keys, numbers.items))
        parts.append((keys, np.asarray(items.to_numpy(zero_copy_only=False)), row))
    metric_names, code = _encode(pa.chunked_array([keys for keys, _, _ in parts]))
    row = np.concatenate([r for _, _, r in parts])
    value = np.concatenate([v for _, v, _ in parts])
    cube = np.full((len(metric_names), *shape), np.nan)
    told = np.zeros(cube.shape, dtype=bool)
    place = code * (shape[0] * shape[1]) + (name * shape[1] + batch)[row]
    if not present.all():
        kept = present[row] | np.isin(code, [k for k, metric in enumerate(metric_names) if metric in _OF_ANY_KIND])
        place, value = place[kept], value[kept]
    cube.ravel()[place] = value
    told.ravel()[place] = True
    return cube, told, {metric: k for k, metric in enumerate(metric_names)}


def _encode(array: pa.ChunkedArray) -> tuple[list[str], Codes]:
    """The distinct texts and, per row, which of them it has."""
    encoded = pc.dictionary_encode(_chunk(array))
    return encoded.dictionary.to_pylist(), np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)


def _chunk(array: pa.ChunkedArray) -> pa.Array:
    combined = array.combine_chunks()
    if isinstance(combined, pa.ChunkedArray):
        combined = combined.chunk(0)
    return combined
