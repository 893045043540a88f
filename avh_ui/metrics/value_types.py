"""Which type each value looks like: the state of Deequ's DataType."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.column import SINGLE_KINDS, Texts
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.parameters import Parameter
from avh_ui.metrics.results import Histogram
from avh_ui.metrics.rows import Need, Rows
from avh_ui.metrics.state import InFields

# Deequ's grammar, on the whole text: a sign, at most one blank, ASCII digits; no bare point (".5" and "1." are texts).
_FRACTIONAL = r"^[+-]? ?[0-9]+(\.[0-9]+|(\.[0-9]+)?[eE][+-]?[0-9]+)$"
_INTEGRAL = r"^[+-]? ?[0-9]+$"
_BOOLEAN = r"^(true|false)$"


@dataclass(frozen=True)
class TypeState(InFields):
    """How many values are null (`unknown`) or have a text of each type. Named in Deequ's order."""

    key: ClassVar[str] = "types"
    unknown: int = 0
    fractional: int = 0
    integral: int = 0
    boolean: int = 0
    string: int = 0

    @classmethod
    def identity(cls) -> TypeState:
        """No values."""
        return cls()

    @classmethod
    def of_rows(cls, rows: Rows, need: Need) -> TypeState:
        """Of a column's values: those of texts by what they look like."""
        (name,) = need.columns
        column = rows.column(name)
        return cls.of_texts(column.texts, column.nulls) if column.kind == "string" else cls.of(rows.columns[name])

    @classmethod
    def of(cls, array: pa.Array) -> TypeState:
        """Types of an Arrow array, by what Spark's cast to text gives: NaN and infinities, dates and times are texts."""
        nulls, values, types = array.null_count, len(array) - array.null_count, pa.types
        if types.is_integer(array.type) or (types.is_decimal(array.type) and array.type.scale <= 0):
            return cls(unknown=nulls, integral=values)
        if types.is_decimal(array.type):
            return cls(unknown=nulls, fractional=values)
        if types.is_floating(array.type):
            finite = pc.sum(pc.is_finite(array), min_count=0).as_py()
            return cls(unknown=nulls, fractional=finite, string=values - finite)
        if types.is_boolean(array.type):
            return cls(unknown=nulls, boolean=values)
        return cls(unknown=nulls, string=values)

    @classmethod
    def of_texts(cls, texts: Texts, nulls: int) -> TypeState:
        """Types of texts by the grammar."""
        counts = texts.counts

        def matching(grammar: str) -> int:
            found = pc.match_substring_regex(texts.values, grammar).to_numpy(zero_copy_only=False).astype(np.int64)
            return int(np.dot(found, counts))

        fractional, integral, boolean = matching(_FRACTIONAL), matching(_INTEGRAL), matching(_BOOLEAN)
        return cls(nulls, fractional, integral, boolean, texts.total - fractional - integral - boolean)

    @property
    def rows(self) -> int:
        """All values, nulls included."""
        return self.unknown + self.fractional + self.integral + self.boolean + self.string

    def merge(self, other: TypeState) -> TypeState:
        """Element-wise sum."""
        return TypeState(**{name: count + getattr(other, name) for name, count in vars(self).items()})


def _histogram(state: TypeState) -> Histogram | None:
    if not state.rows:
        return None
    absolute = {name.capitalize(): float(count) for name, count in vars(state).items()}
    return Histogram(absolute, {name: count / state.rows for name, count in absolute.items()}, len(absolute))


DATA_TYPE = Metric(
    "data_type", SINGLE_KINDS, (TypeState,), 3, "rows", "rows by the type that their values look like", single=_histogram, asked=True,
    number=False,
)  # fmt: skip


# Deequ's ConstrainableDataTypes: `Numeric` is both kinds of numbers, `Null` a share of all rows.
TYPES = ("Null", "Fractional", "Integral", "Boolean", "String", "Numeric")


def _ratio(state: TypeState, type: str) -> float | None:  # noqa: A002 (the parameter's name)
    if not state.rows:
        return None
    if type == "Null":
        return state.unknown / state.rows
    found = state.fractional + state.integral if type == "Numeric" else int(getattr(state, type.lower()))
    return found / (state.rows - state.unknown) if found else 0.0


TYPE_RATIO = Metric(
    "type_ratio", SINGLE_KINDS, (TypeState,), 3, "ratio", "share of the non-null values that look like a type", single=_ratio, asked=True,
    parameters=(Parameter("type", f"one of {', '.join(TYPES)}", lambda value: value in TYPES, of_value=True),),
    lowest=0, highest=1, outbreaks=True, plain="always",
    forms={"deequ": "hasDataType({column}, com.amazon.deequ.constraints.ConstrainableDataTypes.{type}, {bound})"},
)  # fmt: skip
