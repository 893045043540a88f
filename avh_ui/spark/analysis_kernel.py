"""What runs in Spark's Python workers for analyzers: rows or groups in, states out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from avh_ui.metrics.analyzer import Mergeable, Need
from avh_ui.metrics.groups import GroupState, GroupSummary, SumState
from avh_ui.metrics.measuring import NEED_STATES, Rows, RowTest, measure

# Rows measured at once: as in the profiler's kernel, a worker's memory is bounded and NumPy's cost per call vanishes.
CHUNK_ROWS = 200_000
PARTIAL_SCHEMA = pa.schema([("place", pa.int32()), ("record", pa.binary())])
# The same in Spark's words: which need or part, and its state.
PARTIAL_DDL = "place int, record binary"


@dataclass(frozen=True)
class ScanKernel:
    """Measures rows of `columns` (by position, whatever they are called), then the outcomes of `tests`: one state per need and task."""

    needs: tuple[Need, ...]
    columns: tuple[str, ...]
    tests: tuple[RowTest, ...]

    def __call__(self, arrow_batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The function for `mapInArrow`."""
        states: dict[Need, Mergeable] = {}
        for chunk in _chunks(arrow_batches):
            states = _merge(states, measure(self.needs, self._rows(chunk)))
        if states:
            yield _partials((place, states[need].to_record()) for place, need in enumerate(self.needs))

    def _rows(self, chunk: pa.Table) -> Rows:
        arrays = [c.combine_chunks() if c.num_chunks != 1 else c.chunk(0) for c in chunk.columns]
        columns = dict(zip(self.columns, arrays, strict=False))
        return Rows(chunk.num_rows, columns, dict(zip(self.tests, arrays[len(self.columns) :], strict=False)))

    def merged(self, partials: pa.Table) -> dict[Need, Mergeable]:
        """The states of all tasks, pairwise in a tree, so that rounding grows with the logarithm of their number."""
        found: dict[int, list[Mergeable]] = {}
        for row in partials.to_pylist():
            need = self.needs[row["place"]]
            found.setdefault(row["place"], []).append(NEED_STATES[need.state].from_record(row["record"]))
        if not found:
            tests = dict.fromkeys(self.tests, pa.array([], pa.bool_()))
            return measure(self.needs, Rows(0, dict.fromkeys(self.columns, pa.nulls(0)), tests))
        return {self.needs[place]: _tree(states) for place, states in found.items()}


@dataclass(frozen=True)
class GroupKernel:
    """Takes groups, each once in the whole frame: `width` keys, the count, then `sums`. Summaries out, or (`keep`) the groups."""

    width: int
    sums: int
    keep: bool

    def __call__(self, arrow_batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The function for `mapInArrow`."""
        summaries: list[GroupSummary] = []
        for batch in arrow_batches:
            if not batch.num_rows:
                continue
            keys, amounts = batch.columns[: self.width], batch.columns[self.width :]
            parts = [self.state(place).of(keys, amount) for place, amount in enumerate(amounts)]
            if self.keep:
                yield _partials((place, part.to_record()) for place, part in enumerate(parts))
                continue
            found = [part.summary() for part in parts]
            summaries = [a.merge(b) for a, b in zip(summaries, found, strict=True)] if summaries else found
        if summaries:
            yield _partials((place, summary.to_record()) for place, summary in enumerate(summaries))

    @staticmethod
    def state(place: int) -> type[GroupState]:
        """The state at a place: the counts, then the sums."""
        return SumState if place else GroupState

    def merged(self, partials: pa.Table) -> list[GroupState | GroupSummary]:
        """The counts, then the sums, of all tasks."""
        records: list[list[bytes]] = [[] for _ in range(1 + self.sums)]
        for row in partials.to_pylist():
            records[row["place"]].append(row["record"])
        if self.keep:
            return [self.state(i).merged([self.state(i).from_record(r) for r in found]) for i, found in enumerate(records)]
        return [_tree([GroupSummary.from_record(r) for r in found]) if found else GroupSummary() for found in records]


def _chunks(arrow_batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    held: list[pa.RecordBatch] = []
    rows = 0
    for batch in arrow_batches:
        held.append(batch)
        rows += batch.num_rows
        if rows >= CHUNK_ROWS:
            yield pa.Table.from_batches(held)
            held, rows = [], 0
    if rows:
        yield pa.Table.from_batches(held)


def _merge(before: dict[Need, Mergeable], measured: dict[Need, Mergeable]) -> dict[Need, Mergeable]:
    return {need: before[need].merge(state) for need, state in measured.items()} if before else measured


def _tree(states: Sequence[Any]) -> Any:
    level = list(states)
    while len(level) > 1:
        pairs = [a.merge(b) for a, b in zip(level[::2], level[1::2], strict=False)]
        level = pairs + ([level[-1]] if len(level) % 2 else [])
    return level[0]


def _partials(rows: Iterable[tuple[int, bytes]]) -> pa.RecordBatch:
    places, records = zip(*rows, strict=True)
    return pa.RecordBatch.from_arrays([pa.array(places, pa.int32()), pa.array(records, pa.binary())], schema=PARTIAL_SCHEMA)
