"""An in-memory `Profiler`: tables instead of a source, measured by the kernel without Spark."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from avh_ui.errors import BatchNotFoundError, EmptyBatchError, SourceError, nearest
from avh_ui.history.series import sort_batches
from avh_ui.metrics.column import Column, Kind
from avh_ui.metrics.conformance import Conformance, ConformanceState
from avh_ui.metrics.delivery import Delivery
from avh_ui.metrics.numerals import distinct_values
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import UNKNOWN, FailedBatch, KnownTypes, Watch
from avh_ui.metrics.segment import Segment
from avh_ui.validator.arrow_rows import ArrowRows
from avh_ui.validator.row_table import parquet_alone
from avh_ui.workflows.frames import profile_table

# Tables whose profile is kept, with it: the twenty batches of `orders` are measured by hundreds of tests, which took a minute.
KEPT = 200
_kept: OrderedDict[tuple[int, str, str], tuple[pa.Table, BatchProfile]] = OrderedDict()


def measured(table: pa.Table, pipeline: str, batch: str, asked: KnownTypes) -> BatchProfile:
    """The profile of a table, which never changes; where something is asked for beside, it is measured anew."""
    if asked != UNKNOWN:
        return profile_table(table, pipeline, batch, asked)
    key = (id(table), pipeline, batch)
    if key not in _kept:
        _kept[key] = (table, profile_table(table, pipeline, batch))
    _kept.move_to_end(key)
    if len(_kept) > KEPT:
        _kept.popitem(last=False)
    return _kept[key][1]


class FakeProfiler:
    """`Profiler` over `tables[pipeline][batch]` and `paths[path]`; None stands for a file that cannot be read.

    `profiled` lists what was asked for, `counted` the batches of which the conformance was, `grouped` with their columns those whose
    distinct values were, `read` those whose rows were looked at. `ghosts` are batches that are listed and vanish before they are read,
    `unfinished` are still being written, `deliveries` says how batches came. Batches are split by the columns `segments`. A sample is the
    first rows.
    """

    def __init__(
        self,
        tables: Mapping[str, Mapping[str, pa.Table | None]],
        paths: Mapping[str, pa.Table | None] | None = None,
        segments: Sequence[str] = (),
    ) -> None:
        self.segments = segments
        self.tables = {name: dict(batches) for name, batches in tables.items()}
        self.paths = dict(paths or {})
        self.ghosts: set[str] = set()
        self.unfinished: set[str] = set()
        self.deliveries: dict[str, Delivery] = {}
        self.profiled: list[str] = []
        self.counted: list[str] = []
        self.grouped: list[tuple[str, ...]] = []
        self.read: list[str] = []
        self.listable = True

    def batches(self, pipeline: str) -> list[str]:
        return sort_batches([*self.tables.get(pipeline, {}), *self.ghosts]) if self.listable else []

    def profile(
        self, pipeline: str, batches: Sequence[str], watch: Watch, known: KnownTypes = UNKNOWN
    ) -> Iterator[BatchProfile | FailedBatch]:
        for done, batch in enumerate(batches):
            watch.report(done, len(batches), f"profiling {batch}")
            self.profiled.append(batch)
            if batch in self.unfinished:
                yield FailedBatch(batch, f"Batch {batch!r} is still being written.", "unfinished")
                continue
            try:
                table = self._table(pipeline, batch)
            except BatchNotFoundError as error:
                yield FailedBatch(batch, str(error), "missing")
            except SourceError as error:
                yield FailedBatch(batch, str(error), "unreadable")
            else:
                empty = FailedBatch(batch, f"Batch {batch!r} is empty.", "empty")
                yield self._measure(table, pipeline, batch, known) if table.num_rows else empty
        watch.report(len(batches), len(batches), "done")

    def profile_path(self, pipeline: str, path: str, batch: str, watch: Watch, known: KnownTypes = UNKNOWN) -> BatchProfile:
        if path not in self.paths:
            raise BatchNotFoundError(f"There is no {path}.", hint=nearest(path, self.paths))
        table = self.paths[path]
        if table is None:
            raise SourceError(f"{path} cannot be read: it is cut short.")
        if not table.num_rows:
            raise EmptyBatchError(f"{path} has no rows.")
        return self._measure(table, pipeline, batch, known)

    def _measure(self, table: pa.Table, pipeline: str, batch: str, known: KnownTypes = UNKNOWN) -> BatchProfile:
        profile = measured(table, pipeline, batch, KnownTypes(regexes=known.regexes, unique=known.unique, measures=known.measures))
        rows: dict[Segment, list[int]] = {}
        for k, values in enumerate(zip(*(table.column(name).to_pylist() for name in self.segments), strict=True)):
            texts = (None if v is None else str(v) for v in values)
            rows.setdefault(Segment(tuple(zip(self.segments, texts, strict=True))), []).append(k)
        parts = {segment: profile_table(table.take(at), pipeline, batch) for segment, at in rows.items()}
        return replace(profile, segments=parts, delivery=self.deliveries.get(batch))

    def sample(self, pipeline: str, batch: str, rows: int, seed: int, watch: Watch | None = None, texts: Collection[str] = ()) -> pa.Table:
        (watch or Watch()).check()
        return self._table(pipeline, batch).slice(0, rows)

    def distinct(self, pipeline: str, batch: str, kinds: Mapping[str, Kind], watch: Watch | None = None) -> dict[str, int]:
        (watch or Watch()).check()
        self.grouped.append((batch, *kinds))
        table = self._table(pipeline, batch).combine_chunks()
        return {name: distinct_values(table.column(name), written=False) for name in kinds if name in table.column_names}

    def conformance(
        self, pipeline: str, batch: str, regexes: Mapping[str, Sequence[str]], watch: Watch | None = None
    ) -> dict[str, Mapping[str, Conformance]]:
        (watch or Watch()).check()
        self.counted.append(batch)
        table = self._table(pipeline, batch)
        there = {name: asked for name, asked in regexes.items() if name in table.column_names}
        return {n: ConformanceState.of_regexes(Column.from_arrow(n, table.column(n)), r).by_regex for n, r in there.items()}

    def can_keep(self, pipeline: str, target: str) -> None:
        parquet_alone(target)

    def rows(self, pipeline: str, batch: str, path: str | None = None) -> ArrowRows:
        self.read.append(batch)
        table = self._table(pipeline, batch) if path is None else self.paths[path]
        assert table is not None
        return ArrowRows(table)

    def _table(self, pipeline: str, batch: str) -> pa.Table:
        known = self.tables.get(pipeline, {})
        if batch not in known:
            raise BatchNotFoundError(f"Batch {batch!r} is not at its source.", hint=nearest(batch, known))
        table = known[batch]
        if table is None:
            raise SourceError(f"Batch {batch!r} cannot be read: the file is cut short.")
        return table
