"""The columns of a table itself: how many there are, and whether one is there. What is measured is the schema; no row is read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from avh_ui.metrics.column import OF_ROWS
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric, Parameter
from avh_ui.metrics.rows import Need
from avh_ui.metrics.state import InFields


@dataclass(frozen=True)
class ColumnsState(InFields):
    """How many columns (`fewest` to `most`) so many `tables` have, and in how many of them each name is there.

    Names are those of columns and of fields of structs (`geo.lat`), in small letters unless the table's case matters (`exact`).
    """

    key: ClassVar[str] = "columns"
    tables: int = 0
    fewest: int = 0
    most: int = 0
    names: tuple[tuple[str, int], ...] = ()
    exact: bool = False

    @classmethod
    def identity(cls) -> ColumnsState:
        """No part."""
        return cls()

    @classmethod
    def of(cls, columns: int, names: Iterable[str], *, exact: bool = False) -> ColumnsState:
        """Of one table."""
        known = sorted({name if exact else name.lower() for name in names})
        return cls(1, columns, columns, tuple((name, 1) for name in known), exact)

    def merge(self, other: ColumnsState) -> ColumnsState:
        """Of the parts of both."""
        if not self.tables or not other.tables:
            return self if self.tables else other
        names = dict(self.names)
        for name, parts in other.names:
            names[name] = names.get(name, 0) + parts
        fewest, most = min(self.fewest, other.fewest), max(self.most, other.most)
        return ColumnsState(self.tables + other.tables, fewest, most, tuple(sorted(names.items())), self.exact or other.exact)

    @classmethod
    def from_record(cls, record: bytes) -> ColumnsState:
        """From `to_record`."""
        read = super().from_record(record)
        return cls(read.tables, read.fewest, read.most, tuple((name, parts) for name, parts in read.names), read.exact)

    def has(self, name: str) -> bool:
        """Whether each part has the column."""
        return dict(self.names).get(name if self.exact else name.lower(), 0) == self.tables


def _count(state: ColumnsState) -> int | None:
    if state.fewest != state.most:
        raise ValueError(f"The parts have from {state.fewest} to {state.most} columns.")
    return state.most if state.tables else None


def _wanted(_: Measure) -> tuple[Need, ...]:
    return (Need(ColumnsState),)


COLUMN_COUNT = Metric(
    "column_count", OF_ROWS, (ColumnsState,), 1, "values", "number of columns", single=_count, wants=_wanted, least=0, most=0, asked=True,
    lowest=0, whole=True, always_defined=True, plain="always",
    forms={
        "deequ": "hasColumnCount({bound})", "dqdl": "ColumnCount", "great-expectations": "expect_table_column_count_to_be_between",
    },
)  # fmt: skip
COLUMN_EXISTS = Metric(
    "column_exists", OF_ROWS, (ColumnsState,), 1, "values", "1 where the table has the column, else 0",
    single=lambda state, column: float(state.has(column)) if state.tables else None, wants=_wanted, least=0, most=0, asked=True,
    lowest=0, highest=1, whole=True, always_defined=True, plain="always",
    parameters=(Parameter("column", "a text", lambda value: isinstance(value, str) and bool(value), of_value=True),),
    forms={
        "deequ": "hasColumn({column}){whole}", "dqdl": "ColumnExists {column}{whole}",
        "great-expectations": "expect_column_to_exist{whole}",
    },
)  # fmt: skip
