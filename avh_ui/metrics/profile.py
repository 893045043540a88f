"""A profile: all states of one batch, by column."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from itertools import groupby

import pyarrow as pa

from avh_ui.metrics.catalogue import STATES, asked_for, measured_for, metric, metrics_for
from avh_ui.metrics.column import NO_TEXTS, NONE_HELD, Column, Kind
from avh_ui.metrics.conformance import ConformanceState
from avh_ui.metrics.delivery import Delivery
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.segment import Segment
from avh_ui.metrics.state import State, merge_many, mergeable
from avh_ui.metrics.uniqueness import grouped, sketched


@dataclass(frozen=True, eq=False)
class Beside:
    """What was computed of a column's states (`ours`) beside those of a batch before (`theirs`) where both were measured: its distances,
    and its single metrics (`values`; empty where they were not computed there). Of a sample of rows also the distances of its columns
    (`rows`), but for those that are the same (`same`).
    """

    ours: dict[str, State]
    theirs: dict[str, State]
    distances: Mapping[str, float]
    values: Mapping[str, float] = field(default_factory=dict)
    rows: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    same: Sequence[str] = ()


@dataclass(frozen=True)
class ColumnProfile:
    """The states of one column; `type` is Spark's name of its type. `measures` are those that were asked for beside the metrics of every
    column of its kind. `known` is what is known of it beside the column of another batch.
    """

    name: str
    kind: Kind
    type: str
    states: dict[str, State]
    measures: tuple[Measure, ...] = ()
    known: Beside | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, column: Column, type_name: str = "", regexes: Sequence[str] = ()) -> ColumnProfile:
        """Measure a column: every state kept of its kind, and of a text column its conformance to regexes where any are given."""
        states: dict[str, State] = {s.key: s.of(column) for s in STATES[column.kind]}
        if regexes and column.kind == "string":
            states[ConformanceState.key] = ConformanceState.of_regexes(column, regexes)
        return cls(column.name, column.kind, type_name, states)

    @classmethod
    def from_arrow(cls, name: str, array: pa.Array | pa.ChunkedArray, type_name: str = "", regexes: Sequence[str] = ()) -> ColumnProfile:
        """Measure an Arrow array."""
        return cls.of(Column.from_arrow(name, array), type_name or str(array.type), regexes)

    @classmethod
    def counted(cls, name: str, rows: int, nulls: int, type_name: str) -> ColumnProfile:
        """A column of which only the nulls are counted."""
        return cls.of(Column(name, "skipped", rows, nulls, NONE_HELD, NO_TEXTS), type_name)

    @property
    def sketched(self) -> bool:
        """Whether the number of distinct values is an estimate."""
        return sketched(self.states)

    @cached_property
    def stored_whole(self) -> bool:
        """Whether all of it is stored: the number of distinct values that grouping gave is not."""
        return all(getattr(state, "grouped", None) is None for state in self.states.values())

    def grouped(self, distinct: int) -> ColumnProfile:
        """With the number of distinct values that grouping all of them gave; what is stored of it does not have it."""
        return replace(self, states=grouped(self.states, distinct))

    def merge(self, other: ColumnProfile) -> ColumnProfile:
        """The profile of both sets of rows; `ValueError` when the kinds differ, since their states cannot be added."""
        return merge_columns([self, other])

    def single_metrics(self) -> dict[str, float]:
        """Every single-distribution metric of the column, but those that the release that profiled it did not measure."""
        return dict(self._values)

    @cached_property
    def _values(self) -> dict[str, float]:
        # What was told of the states alone lacks what is asked for beside.
        if self.known is not None and self.known.ours is self.states and self.known.values and not self.measures:
            return dict(self.known.values)
        return {m.name: m.value(self.states) for m in _single(self.kind, self.measures) if not m.lacks(self.states)}

    @cached_property
    def records(self) -> tuple[tuple[str, bytes], ...]:
        """Its states as they are stored, by their keys."""
        return tuple((key, state.to_record()) for key, state in self.states.items())

    def errors(self) -> dict[str, float]:
        """How far the metrics that come from sketches may be off, in their own units; those that are exact are not in it.

        Distinct counts: one standard error (HyperLogLog, 1.6 %); the median: what the sketch keeps to in 99 of 100 cases (KLL).
        """
        found = {m.name: m.error_of(self.states, m.value(self.states)) for m in _single(self.kind, self.measures)}
        return {name: error for name, error in found.items() if error > 0}

    def metric(self, name: str) -> Metric:
        """The metric of that name, with the parameters that were asked for; `NotFoundError` names the nearest."""
        return _metric(name, self.kind, self.measures)

    def distances(self, baseline: ColumnProfile) -> dict[str, float]:
        """Every two-distribution metric against a baseline but those that either lacks a state for; empty when the kinds differ."""
        if (known := self.beside(baseline)) is not None:
            return dict(known.distances)
        return dict(self._unmoved) if baseline is self else self._between(baseline)

    def beside(self, baseline: ColumnProfile) -> Beside | None:
        """What is known of it beside this baseline; None where nothing is."""
        known = self.known
        return known if known is not None and known.ours is self.states and known.theirs is baseline.states else None

    @cached_property
    def made(self) -> dict[str, ColumnProfile]:
        """Of a sample of rows its columns that measures are of, by name, kept as long as this profile is."""
        return {}

    @cached_property
    def _unmoved(self) -> dict[str, float]:
        return self._between(self)

    def _between(self, baseline: ColumnProfile) -> dict[str, float]:
        if self.kind != baseline.kind:
            return {}
        found: dict[str, float] = {}
        for keys, metrics in _pairs(self.kind, tuple(self.states), tuple(baseline.states)):
            states = [side[key] for side in (self.states, baseline.states) for key in keys]
            together = metrics[0].together
            if together is None:
                found.update((m.name, m.between(*states)) for m in metrics)
            else:
                values = together(*states)
                found.update((m.name, m.within(values.get(m.name))) for m in metrics)
        return found


def _metric(name: str, kind: Kind, measures: tuple[Measure, ...]) -> Metric:
    declared = metric(name, kind)
    return next((declared.of_measure(m) for m in measures if m.name == declared.name), declared)


@lru_cache(maxsize=1024)
def _single(kind: Kind, measures: tuple[Measure, ...]) -> tuple[Metric, ...]:
    """The single-distribution metrics that were measured of columns of a kind: the same for nearly all columns and batches."""
    return (*(m for m in measured_for(kind) if not m.two_distribution), *(_metric(m.name, kind, measures) for m in measures))


@cache
def _pairs(kind: Kind, ours: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[tuple[tuple[str, ...], tuple[Metric, ...]], ...]:
    """The two-distribution metrics of columns of a kind with these states, which are the same for nearly all columns: runs of those that
    need the same states, and are told together.
    """
    # Of several columns of the rows only rules know which.
    every = (*metrics_for(kind), *(m for m in asked_for(kind) if m.by_key and not m.of_several))
    some = (m for m in every if m.two_distribution and all(key in ours and key in theirs for key in m.keys))
    return tuple((keys, tuple(metrics)) for (keys, _), metrics in groupby(some, lambda m: (m.keys, m.together)))


# Under this name `BatchProfile.extra` has the column that says which batch a row is of.
BATCH_COLUMN = "batch_column"
# And under this who read its rows: `Arrow`, or `Spark` with the reason.
READER = "reader"


@dataclass(frozen=True)
class BatchProfile:
    """All columns of one batch, in source order, with `notes` on what was not measured. `rows` counts the batch's rows.

    With `covers_all` every column of the batch is there, or named in `left_out`, which avh.yml leaves out on purpose; release 0.1 saw no
    nested columns. The columns named in `asked` are none of the table's: they are what measures are of (`Measure.subject`).
    `segments` are the profiles of the batch's parts, where the pipeline has segment columns: the batch's own is their
    merge. `delivery` is None where it was not measured: by an older release, and of segments.
    """

    pipeline: str
    batch: str
    rows: int
    columns: dict[str, ColumnProfile]
    notes: tuple[str, ...] = ()
    profiled_at: str = ""
    extra: dict[str, str] = field(default_factory=dict)
    segments: dict[Segment, BatchProfile] = field(default_factory=dict)
    delivery: Delivery | None = None
    covers_all: bool = False
    left_out: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()

    def kept(self) -> BatchProfile:
        """What the history keeps: without what was measured on demand, so that the profiles of all batches merge."""
        columns = {
            name: replace(c, states={key: state for key, state in c.states.items() if key != ConformanceState.key})
            for name, c in self.columns.items()
        }
        return replace(self, columns=columns, segments={segment: part.kept() for segment, part in self.segments.items()})

    @cached_property
    def digest(self) -> str:
        """A hash of all states: changes when the batch's content does."""
        sha = hashlib.sha256()
        for name, column in self.columns.items():
            sha.update(repr((name, column.kind, column.type)).encode("utf-8", "surrogatepass"))
            for key in sorted(column.states):
                sha.update(column.states[key].to_record())
        return sha.hexdigest()[:16]


def merge_columns(parts: Sequence[ColumnProfile]) -> ColumnProfile:
    """Merge the profiles of one column's parts (at least one), many at a time; `ValueError` when their kinds differ.

    A state that a part lacks, since an older release measured it, is left out: the others alone would say too little. So is one whose parts
    do not give that of the whole.
    """
    first = parts[0]
    for part in parts:
        if part.kind != first.kind:
            raise ValueError(f"column {first.name!r} is {first.kind} in one part and {part.kind} in another")
    if len(parts) == 1:
        return first
    shared = [key for key, state in first.states.items() if mergeable(state) and all(key in part.states for part in parts)]
    return replace(first, states={key: merge_many([p.states[key] for p in parts]) for key in shared})
