"""Rows of a table to be measured, and the states that are wanted of them: what the kernel takes in and what it is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.column import Column, decoded
from avh_ui.metrics.state import ColumnState, State


@dataclass(frozen=True)
class RowTest:
    """A column of truth values that the engine makes: whether an SQL condition holds, or (of a `column`) whether its text has a match of
    a regular expression that is not empty.
    """

    text: str
    column: str | None = None


@dataclass(frozen=True)
class RowsTold:
    """About `count` rows, of which the `test` is true."""

    test: RowTest
    count: int


@dataclass(frozen=True)
class AsNumber:
    """A column of texts of a source without types (CSV), as numbers: null where a text is none."""

    column: str


# A column of the table, or one that the engine makes.
Name = str | RowTest | AsNumber


@dataclass(frozen=True)
class Need:
    """A state to be measured of some columns (none: of the rows themselves), over the rows for which the SQL condition `where` is true.

    `detail` is what else it depends on: a sketch's size, edges. Measures that need equal states share them.
    """

    state: type[State]
    columns: tuple[Name, ...] = ()
    where: str | None = None
    detail: Any = None

    @property
    def tests(self) -> tuple[RowTest, ...]:
        """The columns of truth values that it needs, its condition's first."""
        where = () if self.where is None else (RowTest(self.where),)
        return (*where, *(name for name in self.columns if isinstance(name, RowTest)))

    @property
    def named(self) -> tuple[str, ...]:
        """The table's columns that it needs."""
        found = (name if isinstance(name, str) else name.column for name in self.columns)
        return tuple(name for name in found if name is not None)


class Decoded(Mapping[Name, pa.Array]):
    """Columns as single arrays of plain values, each made when somebody looks at it: `raw` are the columns as they came."""

    def __init__(self, raw: Mapping[Name, pa.ChunkedArray]) -> None:
        self.raw = raw
        self._made: dict[Name, pa.Array] = {}

    def __getitem__(self, name: Name) -> pa.Array:
        if name not in self._made:
            combined = self.raw[name].combine_chunks()
            self._made[name] = decoded(pa.concat_arrays(combined.chunks) if isinstance(combined, pa.ChunkedArray) else combined)
        return self._made[name]

    def __iter__(self) -> Iterator[Name]:
        return iter(self.raw)

    def __len__(self) -> int:
        return len(self.raw)


class _Filtered(Mapping[Name, pa.Array]):
    """Columns of some rows, each filtered when somebody looks at it: a thousand rules have many conditions, each of a few columns."""

    def __init__(self, columns: Mapping[Name, pa.Array], mask: pa.Array) -> None:
        self._columns, self._mask = columns, mask
        self._made: dict[Name, pa.Array] = {}

    def __getitem__(self, name: Name) -> pa.Array:
        if name not in self._made:
            self._made[name] = self._columns[name].filter(self._mask)
        return self._made[name]

    def __iter__(self) -> Iterator[Name]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


@dataclass(frozen=True)
class Rows:
    """`count` rows, by name the columns that are looked at."""

    count: int
    columns: Mapping[Name, pa.Array]

    def where(self, condition: str | None) -> Rows:
        """The rows for which the condition is true."""
        if condition is None:
            return self
        mask = pc.fill_null(self.columns[RowTest(condition)], False)
        return Rows(pc.sum(mask, min_count=0).as_py(), _Filtered(self.columns, mask))

    @cached_property
    def _measured(self) -> dict[Name, Column]:
        return {}

    def column(self, name: Name) -> Column:
        """A column in the form that states measure, made once."""
        if name not in self._measured:
            self._measured[name] = Column.from_arrow(str(name), self.columns[name])
        return self._measured[name]

    def measure(self, needs: Iterable[Need]) -> dict[Need, State]:
        """The state of each need: by the state's own class method `of_rows` where it has one, else that of its one column."""
        chosen: dict[str | None, Rows] = {}
        states: dict[Need, State] = {}
        for need in needs:
            if need.where not in chosen:
                chosen[need.where] = self.where(need.where)
            own, rows = getattr(need.state, "of_rows", None), chosen[need.where]
            states[need] = own(rows, need) if own else cast(type[ColumnState], need.state).of(rows.column(need.columns[0]))
        return states
