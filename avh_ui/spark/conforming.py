"""Counting on a whole batch how many values conform to patterns that were inferred from a sample: one scan of their columns alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from avh_ui.metrics.column import Column
from avh_ui.metrics.conformance import Conformance, ConformanceState
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.state import merge_many
from avh_ui.spark.jobs import collect
from avh_ui.spark.kernel import KernelColumn

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SCHEMA = pa.schema([("column", pa.string()), ("state", pa.binary())])
_DDL = "column string, state binary"

ByColumn = dict[str, Mapping[str, Conformance]]


def count(data: DataFrame, columns: Sequence[KernelColumn], regexes: Mapping[str, Sequence[str]], watch: Watch) -> ByColumn:
    """By column and regex the conformance of all rows; `columns` are those of `data` before its last, the marker.

    Columns that are not there are passed over, and regexes that cannot be used.
    """
    wanted = {data.columns[k]: column.name for k, column in enumerate(columns) if column.name in regexes}
    if not wanted:
        return {}
    task = _Task(tuple((name, tuple(regexes[name])) for name in wanted.values()))
    found: dict[str, list[ConformanceState]] = {}
    rows = collect(data.select(*wanted).mapInArrow(task, _DDL), watch)
    for name, state in zip(*(c.to_pylist() for c in rows.columns), strict=True):
        found.setdefault(name, []).append(ConformanceState.from_record(state))
    return {name: merge_many(states).by_regex for name, states in found.items()}


@dataclass(frozen=True)
class _Task:
    """What a worker runs: the columns' names, in their order, with their regexes."""

    asked: tuple[tuple[str, tuple[str, ...]], ...]

    def __call__(self, arrow_batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found = [ConformanceState.identity() for _ in self.asked]
        for arrow_batch in arrow_batches:
            for k, (name, regexes) in enumerate(self.asked):
                column = Column.from_arrow(name, arrow_batch.column(k))
                found[k] = found[k].merge(ConformanceState.of_regexes(column, regexes))
        names = pa.array([name for name, _ in self.asked], pa.string())
        yield pa.RecordBatch.from_arrays([names, pa.array([s.to_record() for s in found], pa.binary())], schema=_SCHEMA)
