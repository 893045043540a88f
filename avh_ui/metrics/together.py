"""Measures of a table beside another one, and of a whole table by SQL: what Deequ calls ReferentialIntegrity, DatasetMatch, RowCountMatch,
SchemaMatch and CustomSql.

The other table has a name, which the engine knows (`check(..., tables=)`, `references:` of avh.yml). Rows are counted, not distinct keys:
Deequ's referential integrity takes distinct keys from rows, and overstates. Values are compared as they are, not by a hash.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from avh_ui.metrics.column import OF_ROWS, SINGLE_KINDS
from avh_ui.metrics.groups import is_grouping
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.parameters import Parameter
from avh_ui.metrics.rows import Need
from avh_ui.metrics.state import Header, InFields, State

# So many values that are missing in another table are named: enough to see what is new there, few enough for a sentence.
COMMONEST = 3


@dataclass(frozen=True)
class BesideState(InFields):
    """Numbers that take another table, or all rows at once by SQL; each is found by a pass of its own. The `detail` of a need says which
    other table: its name, then what else is known of it.
    """

    @classmethod
    def identity(cls) -> Self:
        """No rows."""
        return cls()

    def merge(self, other: Self) -> Self:
        """Of disjoint parts beside the same table, where the numbers are counts of this table's rows alone."""
        return type(self)(**{name: value + vars(other)[name] for name, value in vars(self).items()})


@dataclass(frozen=True)
class ReferenceState(BesideState):
    """Rows, those of them that are `missing` in the other table, and those with a null in a column (`nulls`, which are not `missing`).
    `commonest` are the values that are missing most often, as texts with their rows; of parts put together those of the parts.
    """

    key: ClassVar[str] = "reference"
    rows: int = 0
    missing: int = 0
    nulls: int = 0
    commonest: tuple[tuple[str, int], ...] = field(default=(), compare=False)

    def merge(self, other: Self) -> Self:
        """Of disjoint parts beside the same table."""
        rows = Counter(dict(self.commonest))
        rows.update(dict(other.commonest))
        counts = (self.rows + other.rows, self.missing + other.missing, self.nulls + other.nulls)
        return type(self)(*counts, tuple(sorted(rows.items(), key=lambda one: (-one[1], one[0]))[:COMMONEST]))

    def parts(self) -> tuple[Header, tuple[bytes, ...]]:
        """Its fields; readers of before know nothing of values where none is missing."""
        return {name: value for name, value in vars(self).items() if name != "commonest" or value}, ()

    @classmethod
    def of_parts(cls, header: Header, buffers: Sequence[bytes]) -> Self:  # noqa: ARG003 (as every state)
        """From `parts`."""
        return cls(**{**header, "commonest": tuple((text, rows) for text, rows in header.get("commonest", ()))})

    def told(self) -> str:
        """`Rows: 3 not there. Not there are 'XX' (2 rows) and 'YY' (1 row).`"""
        said = _told(not_there=self.missing, with_a_null=self.nulls)
        if not self.commonest:
            return said
        named = [f"{text!r} ({rows:,} row{'s' * (rows != 1)})" for text, rows in self.commonest]
        verb = f"{'are' if len(named) > 1 else 'is'} {'most often ' * (sum(rows for _, rows in self.commonest) < self.missing)}"
        listed = " and ".join(part for part in (", ".join(named[:-1]), named[-1]) if part)
        return f"{said} Not there {verb}{listed}."


@dataclass(frozen=True)
class MatchState(BesideState):
    """Rows of this table, counted apart: `matched`, their key occurs more than once in either (`repeated`), only here (`only_here`), other
    values (`unequal`); and the rows of the other table (`others`), those of them whose key is `only_there`.
    """

    key: ClassVar[str] = "match"
    mergeable: ClassVar[bool] = False
    rows: int = 0
    others: int = 0
    matched: int = 0
    repeated: int = 0
    only_here: int = 0
    unequal: int = 0
    only_there: int = 0


@dataclass(frozen=True)
class RowsBesideState(BesideState):
    """The rows of both tables."""

    key: ClassVar[str] = "rows_beside"
    mergeable: ClassVar[bool] = False
    rows: int = 0
    others: int = 0


@dataclass(frozen=True)
class SchemaBesideState(BesideState):
    """How many columns the wider of the two tables has (`names`), and how many both have with one name and type."""

    key: ClassVar[str] = "schema_beside"
    mergeable: ClassVar[bool] = False
    names: int = 0
    same: int = 0


@dataclass(frozen=True)
class NumberState(BesideState):
    """The one number that a query gave; NaN for null."""

    key: ClassVar[str] = "number"
    mergeable: ClassVar[bool] = False
    value: float = math.nan


def is_beside(need: Need) -> bool:
    """Whether it takes another table, or SQL over the whole table."""
    return issubclass(need.state, BesideState)


def takes_pass(need: Need) -> bool:
    """Whether it takes a pass of its own over a batch: groups of rows, another table, SQL."""
    return is_grouping(need) or is_beside(need)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _told(**counts: int) -> str:
    """`Rows: 2 only here, 1 different.`: what is not 0."""
    said = [f"{number:,} {name.replace('_', ' ')}" for name, number in counts.items() if number]
    return f"Rows: {', '.join(said)}." if said else ""


def _refers(measure: Measure) -> tuple[Need, ...]:
    to = measure.parameter("to") or measure.columns
    return (Need(ReferenceState, measure.columns, measure.where, (measure.parameter("other"), *to)),)


def _matches(measure: Measure) -> tuple[Need, ...]:
    mine = measure.parameter("compared") or ()
    pairs = zip(mine, measure.parameter("compared_to") or mine, strict=True)
    detail = (measure.parameter("other"), measure.parameter("to") or measure.columns, *pairs)
    return (Need(MatchState, measure.columns, measure.where, detail),)


def _named(text: str, of: type[State]) -> Any:
    return lambda measure: (Need(of, (), measure.where, (measure.parameter(text),)),)


def _text(name: str, *, optional: bool = False) -> Parameter:
    return Parameter(name, "a text", lambda value: isinstance(value, str) and bool(value), optional=optional)


def _texts(name: str) -> Parameter:
    return Parameter(
        name, "names of columns", lambda value: isinstance(value, tuple) and all(isinstance(v, str) for v in value), optional=True
    )


_NULLS = Parameter("nulls", "true or false", lambda value: isinstance(value, bool), optional=True, of_value=True)


def _reference(state: ReferenceState, *, nulls: bool = False) -> float | None:
    return _share(state.rows - state.missing - (0 if nulls else state.nulls), state.rows)


REFERS_TO = Metric(
    "refers_to", OF_ROWS, (ReferenceState,), 1, "ratio", "share of the rows whose values are in another table", single=_reference,
    wants=_refers, most=sys.maxsize, of=(SINGLE_KINDS,), asked=True, lowest=0, highest=1, plain="always",
    parameters=(_text("other"), _texts("to"), _NULLS),
    tells=lambda s, **_: s.told(),
    forms={"dqdl": 'ReferentialIntegrity "{list}" "{other}.{{{to}}}"'},
)  # fmt: skip
MATCH_RATIO = Metric(
    "match_ratio", OF_ROWS, (MatchState,), 1, "ratio", "share of the rows of the longer table that the other has as they are",
    single=lambda s: _share(s.matched, max(s.rows, s.others)), wants=_matches, most=sys.maxsize, of=(SINGLE_KINDS,), asked=True, lowest=0,
    highest=1, plain="always", parameters=(_text("other"), _texts("to"), _texts("compared"), _texts("compared_to")),
    tells=lambda s: _told(only_here=s.only_here, only_there=s.only_there, with_a_repeated_key=s.repeated, different=s.unequal),
    forms={"dqdl": 'DatasetMatch "{other}" "{list}"{compared}'},
)  # fmt: skip
ROW_COUNT_RATIO = Metric(
    "row_count_ratio", OF_ROWS, (RowsBesideState,), 1, "value", "rows by the rows of another table",
    single=lambda s: _share(s.rows, s.others), wants=_named("other", RowsBesideState), least=0, most=0, asked=True, lowest=0,
    parameters=(_text("other"),), tells=lambda s: f"{s.rows:,} rows here, {s.others:,} there.",
    forms={"dqdl": 'RowCountMatch "{other}"'},
)  # fmt: skip
SCHEMA_MATCH = Metric(
    "schema_match", OF_ROWS, (SchemaBesideState,), 1, "ratio", "share of the columns of the wider table that both have with one type",
    single=lambda s: _share(s.same, s.names), wants=_named("other", SchemaBesideState), least=0, most=0, asked=True, lowest=0, highest=1,
    plain="always", parameters=(_text("other"),), tells=lambda s: f"{s.same:,} of {s.names:,} columns are the same.",
    forms={"dqdl": 'SchemaMatch "{other}"'},
)  # fmt: skip
CUSTOM_SQL = Metric(
    "custom_sql", OF_ROWS, (NumberState,), 1, "value", "the number that a query gives",
    single=lambda s: None if math.isnan(s.value) else s.value, wants=_named("statement", NumberState), least=0, most=0, asked=True,
    parameters=(_text("statement"), _text("label", optional=True)), forms={"dqdl": 'CustomSql "{statement}"'},
)  # fmt: skip
