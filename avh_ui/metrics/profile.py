"""A profile: all states of one batch, by column."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

import pyarrow as pa

from avh_ui.metrics.catalogue import STATES, metrics_for
from avh_ui.metrics.column import Column, Kind
from avh_ui.metrics.state import State


@dataclass(frozen=True)
class ColumnProfile:
    """The states of one column; `type` is Spark's name of its type."""

    name: str
    kind: Kind
    type: str
    states: dict[str, State]

    @classmethod
    def of(cls, column: Column, type_name: str = "") -> ColumnProfile:
        """Measure a column: every state kept of its kind."""
        return cls(column.name, column.kind, type_name, {s.key: s.of(column) for s in STATES[column.kind]})

    @classmethod
    def from_arrow(cls, name: str, array: pa.Array | pa.ChunkedArray, type_name: str = "") -> ColumnProfile:
        """Measure an Arrow array."""
        return cls.of(Column.from_arrow(name, array), type_name or str(array.type))

    def merge(self, other: ColumnProfile) -> ColumnProfile:
        """The profile of both sets of rows; `ValueError` when the kinds differ, since their states cannot be added."""
        if self.kind != other.kind:
            raise ValueError(f"column {self.name!r} is {self.kind} in one part and {other.kind} in the other")
        return replace(self, states={key: state.merge(other.states[key]) for key, state in self.states.items()})

    def single_metrics(self) -> dict[str, float]:
        """Every single-distribution metric of the column."""
        return {m.name: m.value(self.states) for m in metrics_for(self.kind) if not m.two_distribution}

    def distances(self, baseline: ColumnProfile) -> dict[str, float]:
        """Every two-distribution metric against a baseline; empty when the kinds differ."""
        if self.kind != baseline.kind:
            return {}
        return {m.name: m.value(self.states, baseline.states) for m in metrics_for(self.kind) if m.two_distribution}


@dataclass(frozen=True)
class BatchProfile:
    """All columns of one batch, in source order, with `notes` on what was not measured. `rows` counts the batch's rows."""

    pipeline: str
    batch: str
    rows: int
    columns: dict[str, ColumnProfile]
    notes: tuple[str, ...] = ()
    profiled_at: str = ""
    extra: dict[str, str] = field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """A hash of all states: changes when the batch's content does."""
        sha = hashlib.sha256()
        for name, column in self.columns.items():
            sha.update(repr((name, column.kind, column.type)).encode("utf-8", "surrogatepass"))
            for key in sorted(column.states):
                sha.update(column.states[key].to_record())
        return sha.hexdigest()[:16]


def merge_columns(parts: Iterable[ColumnProfile]) -> ColumnProfile:
    """Merge the profiles of one column's parts, pairwise in a tree, so that rounding grows with the logarithm of their number."""
    level = list(parts)
    while len(level) > 1:
        pairs = [a.merge(b) for a, b in zip(level[::2], level[1::2], strict=False)]
        level = pairs + ([level[-1]] if len(level) % 2 else [])
    return level[0]
