"""The columns of a table itself: how many there are, their names, types and order. What is measured is the schema; no row is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.column import OF_ROWS
from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.measure import Measure, bare
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.parameters import Parameter
from avh_ui.metrics.rows import Need
from avh_ui.metrics.sql.searching import search
from avh_ui.metrics.state import InFields
from avh_ui.metrics.type_names import agree

# So many columns are named where their names are not as they must be.
_NAMED = 5


@dataclass(frozen=True)
class ColumnsState(InFields):
    """How many columns (`fewest` to `most`) so many `tables` have, and in how many of them each name is there.

    Names are those of columns and of fields of structs (`geo.lat`), in small letters unless the table's case matters (`exact`); `types` are
    theirs, '' where that is not known or the tables differ. `own` are the names of the columns as they are written, in their order where
    they are `ordered`. Release 0.1 kept neither.
    """

    key: ClassVar[str] = "columns"
    tables: int = 0
    fewest: int = 0
    most: int = 0
    names: tuple[tuple[str, int], ...] = ()
    exact: bool = False
    types: tuple[tuple[str, str], ...] = ()
    own: tuple[str, ...] = ()
    ordered: bool = True

    @classmethod
    def identity(cls) -> ColumnsState:
        """No part."""
        return cls()

    @classmethod
    def of(cls, own: Iterable[str], types: Mapping[str, str], *, exact: bool = False, ordered: bool = True) -> ColumnsState:
        """Of one table: its `own` columns, and the `types` of these and of all fields of structs."""
        own = tuple(own)
        known = {name if exact else name.lower(): "" for name in own} | {n if exact else n.lower(): kind for n, kind in types.items()}
        names = tuple((name, 1) for name in sorted(known))
        return cls(1, len(own), len(own), names, exact, tuple(sorted(known.items())), own, ordered)

    def merge(self, other: ColumnsState) -> ColumnsState:
        """Of the parts of both."""
        if not self.tables or not other.tables:
            return self if self.tables else other
        names = dict(self.names)
        for name, parts in other.names:
            names[name] = names.get(name, 0) + parts
        theirs = dict(other.types)
        types = {name: kind if agree(kind, theirs.get(name, kind)) else "" for name, kind in self.types}
        return ColumnsState(
            self.tables + other.tables,
            min(self.fewest, other.fewest),
            max(self.most, other.most),
            tuple(sorted(names.items())),
            self.exact or other.exact,
            tuple(sorted((theirs | types).items())),
            tuple(dict.fromkeys((*self.own, *other.own))),
            self.ordered and other.ordered and self.own == other.own,
        )

    @classmethod
    def from_record(cls, record: bytes) -> ColumnsState:
        """From `to_record`."""
        read = super().from_record(record)
        names = tuple((name, parts) for name, parts in read.names)
        types = tuple((name, kind) for name, kind in read.types)
        return cls(read.tables, read.fewest, read.most, names, read.exact, types, tuple(read.own), read.ordered)

    def has(self, name: str) -> bool:
        """Whether each part has the column."""
        return dict(self.names).get(self.as_kept(name), 0) == self.tables

    def at(self, place: int) -> str:
        """The column at a place, counted from 1; '' where there are fewer. `ValueError` where the order is not known."""
        if not self.own or not self.ordered:
            raise ValueError("The order of the columns is not known: some are left out, or the parts differ, or were measured before.")
        return self.as_kept(self.own[place - 1]) if place <= len(self.own) else ""

    def type_of(self, name: str) -> str:
        """The type of a column that is there. `ValueError` where it is not known."""
        if not (found := dict(self.types).get(self.as_kept(name), "")):
            raise ValueError(f"The type of {name!r} is not known: it is left out, or another in some parts, or was measured before.")
        return found

    def named_so(self, pattern: str) -> list[bool]:
        """Of each of the table's own columns whether its name has a match. `ValueError` where the names are not known."""
        if not self.own:
            raise ValueError("The names of the columns are not known: an older release did not keep them.")
        found = search(pattern)(pa.array(self.own, pa.string()))
        return [bool(one) for one in pc.fill_null(found, False).to_pylist()]

    def as_kept(self, name: str) -> str:
        """A column's name as it is kept, with the backticks of SQL or without; of one that is not there, as it would be."""
        kept = name if self.exact else name.lower()
        return kept if kept in dict(self.names) else bare(kept)


def _count(state: ColumnsState) -> int | None:
    if state.fewest != state.most:
        raise ValueError(f"The parts have from {state.fewest} to {state.most} columns.")
    return state.most if state.tables else None


def _exists(state: ColumnsState, column: str, place: int | None = None) -> float | None:
    if not state.tables:
        return None
    there = state.has(column)
    return float(there if place is None or not there else state.at(place) == state.as_kept(column))


def _type(state: ColumnsState, column: str, types: tuple[str, ...]) -> float | None:
    if not state.tables:
        return None
    return float(state.has(column) and any(_alike(wanted, state.type_of(column)) for wanted in types))


def _alike(wanted: str, found: str) -> bool:
    """Structs, of which a program compares the fields, are of one type here where these are."""
    return wanted == found.lower() or (not wanted.startswith("struct<") and agree(wanted, found))


def _type_told(state: ColumnsState, column: str, types: tuple[str, ...]) -> str:
    if not state.has(column):
        return f"There is no column {column!r}."
    return "" if _type(state, column, types) else f"It is {state.type_of(column)}."


def _named(state: ColumnsState, pattern: str) -> float | None:
    if not state.tables:
        return None
    found = state.named_so(pattern)
    return sum(found) / len(found)


def _named_told(state: ColumnsState, pattern: str) -> str:
    if not 0 < sum(found := state.named_so(pattern)) < len(found):
        return ""
    others = [name for name, so in zip(state.own, found, strict=True) if not so]
    more = f" and {len(others) - _NAMED} others" if len(others) > _NAMED else ""
    return f"No match in {', '.join(others[:_NAMED])}{more}."


def _searched(pattern: object) -> bool:
    try:
        return isinstance(pattern, str) and bool(pattern) and search(pattern) is not None
    except DeclinedError:
        return False


def _wanted(_: Measure) -> tuple[Need, ...]:
    return (Need(ColumnsState),)


_COLUMN = Parameter("column", "a text", lambda value: isinstance(value, str) and bool(value), of_value=True)
_PLACE = Parameter(
    "place", "a whole number from 1", lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 1,
    optional=True, of_value=True,
)  # fmt: skip
_TYPES = Parameter(
    "types", "names of types", lambda value: isinstance(value, tuple) and bool(value) and all(isinstance(v, str) and v for v in value),
    of_value=True,
)  # fmt: skip
_PATTERN = Parameter("pattern", "a regular expression without look-around and back references", _searched, of_value=True)
COLUMN_COUNT = Metric(
    "column_count", OF_ROWS, (ColumnsState,), 1, "values", "number of columns", single=_count, wants=_wanted, least=0, most=0, asked=True,
    lowest=0, whole=True, always_defined=True, of_schema=True, plain="always",
    forms={
        "deequ": "hasColumnCount({bound})", "dqdl": "ColumnCount", "great-expectations": "expect_table_column_count_to_be_between",
    },
)  # fmt: skip
COLUMN_EXISTS = Metric(
    "column_exists", OF_ROWS, (ColumnsState,), 1, "values", "1 where the table has the column, else 0", single=_exists, wants=_wanted,
    least=0, most=0, asked=True, lowest=0, highest=1, whole=True, always_defined=True, of_schema=True, plain="always",
    parameters=(_COLUMN, _PLACE),
    forms={
        "deequ": "hasColumn({column}){whole}", "dqdl": "ColumnExists {column}{whole}",
        "great-expectations": "expect_column_to_exist{whole}",
    },
)  # fmt: skip
COLUMN_TYPE = Metric(
    "column_type", OF_ROWS, (ColumnsState,), 1, "values", "1 where the column has one of these types, else 0", single=_type,
    wants=_wanted, least=0, most=0, asked=True, lowest=0, highest=1, whole=True, always_defined=True, of_schema=True, plain="always",
    parameters=(_COLUMN, _TYPES), tells=_type_told,
)  # fmt: skip
COLUMN_NAMES = Metric(
    "column_names", OF_ROWS, (ColumnsState,), 1, "values", "share of the columns whose names have a match", single=_named, wants=_wanted,
    least=0, most=0, asked=True, lowest=0, highest=1, always_defined=True, of_schema=True, plain="always", parameters=(_PATTERN,),
    tells=_named_told, forms={"dqdl": 'ColumnNamesMatchPattern "{pattern}"{whole}'},
)  # fmt: skip
OF_SCHEMA = (COLUMN_COUNT, COLUMN_EXISTS, COLUMN_TYPE, COLUMN_NAMES)
