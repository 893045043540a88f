"""The kernel of the analyzers: rows in Arrow in, one state per need out. Spark's workers and notebooks run the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.analyzer import Mergeable, Need
from avh_ui.metrics.bins import BinState
from avh_ui.metrics.cardinality import DistinctState
from avh_ui.metrics.column import Column
from avh_ui.metrics.comoments import CoMomentsState
from avh_ui.metrics.counts import CountState
from avh_ui.metrics.groups import GroupState, SumState
from avh_ui.metrics.matches import MatchState
from avh_ui.metrics.moments import MomentsState
from avh_ui.metrics.quantiles import QuantileState
from avh_ui.metrics.text import TextState
from avh_ui.metrics.value_types import TypeState


@dataclass(frozen=True)
class RowTest:
    """What decides of each row: an SQL condition, or (with a column) a regular expression that its text must have."""

    text: str
    column: str | None = None


def tests_of(need: Need) -> tuple[RowTest, ...]:
    """The tests whose outcome the need wants: its `where`, its predicate, its pattern."""
    where = () if need.where is None else (RowTest(need.where),)
    if need.state == "compliance":
        return (*where, RowTest(need.detail))
    return (*where, RowTest(need.detail, need.columns[0])) if need.state == "pattern" else where


@dataclass(frozen=True)
class Rows:
    """Some rows of a table: how many, the columns by name, and for each test whether it is true, false or null."""

    count: int
    columns: Mapping[str, pa.Array]
    tests: Mapping[RowTest, pa.Array]

    def where(self, condition: str | None) -> Rows:
        """The rows for which the condition is true."""
        if condition is None:
            return self
        mask = pc.fill_null(self.tests[RowTest(condition)], False)
        columns = {name: array.filter(mask) for name, array in self.columns.items()}
        tests = {test: outcome.filter(mask) for test, outcome in self.tests.items()}
        return Rows(pc.sum(mask, min_count=0).as_py(), columns, tests)

    @cached_property
    def _measured(self) -> dict[str, Column]:
        return {}

    def column(self, name: str) -> Column:
        """A column in the form that the states measure, made once."""
        if name not in self._measured:
            self._measured[name] = Column.from_arrow(name, self.columns[name])
        return self._measured[name]


def measure(needs: Iterable[Need], rows: Rows) -> dict[Need, Mergeable]:
    """The state of each need over the rows."""
    chosen: dict[str | None, Rows] = {}
    states: dict[Need, Mergeable] = {}
    for need in needs:
        if need.where not in chosen:
            chosen[need.where] = rows.where(need.where)
        states[need] = rows_state(need, rows) if need.state == "rows" else _MEASURES[need.state](need, chosen[need.where])
    return states


def rows_state(need: Need, rows: Rows) -> MatchState:
    """All rows, and those for which `where` is true."""
    return MatchState.of_all(rows.count) if need.where is None else MatchState.of(rows.tests[RowTest(need.where)])


def _counts(need: Need, rows: Rows) -> CountState:
    return CountState(rows.count, rows.columns[need.columns[0]].null_count)


def _zeros(need: Need, rows: Rows) -> MatchState:
    zeros = int(np.count_nonzero(rows.column(need.columns[0]).numbers == 0))
    return MatchState(zeros, rows.count, rows.count)


def _comoments(need: Need, rows: Rows) -> CoMomentsState:
    a, b = (rows.columns[c] for c in (need.columns[0], need.columns[-1]))
    both = pc.and_(a.is_valid(), b.is_valid())
    return CoMomentsState.of(*(Column.from_arrow("", c.filter(both)).numbers for c in (a, b)))


def _types(need: Need, rows: Rows) -> TypeState:
    column = rows.column(need.columns[0])
    if column.kind == "string":
        return TypeState.of_texts(column.texts, column.nulls)
    return TypeState.of(rows.columns[need.columns[0]])


def _bins(need: Need, rows: Rows) -> BinState:
    column = rows.column(need.columns[0])
    return BinState.of(column.numbers, column.nulls, need.detail)


def _groups(need: Need, rows: Rows) -> GroupState:
    columns = [rows.columns[c] for c in need.columns] or list(rows.columns.values())
    return GroupState.of(columns, pa.array(np.ones(rows.count, dtype=np.int64)))


def _sums(need: Need, rows: Rows) -> SumState:
    by, summed = need.columns
    return SumState.of([rows.columns[by]], rows.columns[summed])


_MEASURES: dict[str, Callable[[Need, Rows], Mergeable]] = {
    "counts": _counts,
    "moments": lambda need, rows: MomentsState.of(rows.column(need.columns[0])),
    "zeros": _zeros,
    "compliance": lambda need, rows: MatchState.of(rows.tests[RowTest(need.detail)]),
    "pattern": lambda need, rows: MatchState.of(rows.tests[RowTest(need.detail, need.columns[0])]),
    "text": lambda need, rows: TextState.of(rows.column(need.columns[0])),
    "types": _types,
    "distinct": lambda need, rows: DistinctState.of(rows.columns[need.columns[0]]),
    "quantiles": lambda need, rows: QuantileState.of(rows.column(need.columns[0]).numbers, need.detail),
    "comoments": _comoments,
    "bins": _bins,
    "groups": _groups,
    "pairs": _groups,
    "sums": _sums,
}
# The states by what needs call them; a state of a need that is not here cannot be merged.
NEED_STATES: dict[str, type[Mergeable]] = {
    **dict.fromkeys(("rows", "zeros", "compliance", "pattern"), MatchState),
    **dict.fromkeys(("groups", "pairs"), GroupState),
    "sums": SumState,
    "counts": CountState,
    "moments": MomentsState,
    "text": TextState,
    "types": TypeState,
    "distinct": DistinctState,
    "quantiles": QuantileState,
    "comoments": CoMomentsState,
    "bins": BinState,
}
