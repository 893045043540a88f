"""The law of the union across number types: a value is one value whatever type each part had it in, by a naive oracle."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from avh_ui.metrics import analyzers as of
from avh_ui.metrics.analysis import AnalysisStates
from avh_ui.metrics.column import Column
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.profile import ColumnProfile, merge_columns
from avh_ui.metrics.results import Histogram
from avh_ui.metrics.tables import analyze_table
from avh_ui.metrics.written_numbers import as_numbers

# A source without types: numbers written as texts.
WRITTEN = pa.string()
TYPES: list[pa.DataType] = [
    pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(),
    pa.float16(), pa.float32(), pa.float64(),
    pa.decimal128(5, 2), pa.decimal128(15, 3), pa.decimal128(18, 0), pa.decimal128(20, 2), pa.decimal128(38, 0), pa.decimal128(38, 18),
    pa.decimal128(38, 37), pa.decimal128(5, -2), pa.decimal256(60, 20), WRITTEN,
]  # fmt: skip
# Values that some types share and others lack: fractions, what doubles cannot hold, ends of types, tiny and large ones.
TELLING = [
    "0", "-0.0", "1", "-1", "1.5", "0.1", "0.57", "-2.25", "100", "300", "70000", "0.001", "1e-7", "16777217", str(2**53), str(2**53 + 1),
    str(-(2**53) - 1), str(2**60), str(2**63 - 1), str(-(2**63)), str(2**64 - 1), "1e22", "123456789012345678.25", "0.30000000000000004",
]  # fmt: skip
numbers = st.sampled_from(TELLING).map(Decimal) | st.decimals(-1000, 1000, places=2) | st.integers(-(2**63), 2**64 - 1).map(Decimal)
special = st.sampled_from([math.nan, math.inf, -math.inf])


def held(kind: pa.DataType, value: Any) -> Any:
    """The value as a column of the type holds it; None where it cannot."""
    if isinstance(value, float):
        return value if pa.types.is_floating(kind) else None
    if pa.types.is_floating(kind):
        with np.errstate(over="ignore"):
            return float(kind.to_pandas_dtype()(float(value)))
    if kind == WRITTEN:
        return str(value)
    try:
        return pa.scalar(int(value) if pa.types.is_integer(kind) and value == int(value) else value, kind).as_py()
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError):
        return None


def value_of(value: Any) -> Any:
    """What two values must share to be one: a double stands for the shortest number that reads back as it, a whole one for itself."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return str(value)
        return Decimal(int(value)) if value.is_integer() else Decimal(repr(value))
    return Decimal(value)


@st.composite
def columns(draw: st.DrawFn) -> tuple[pa.DataType, list[Any]]:
    kind = draw(st.sampled_from(TYPES))
    return kind, [None if v is None else held(kind, v) for v in draw(st.lists(st.none() | numbers | special, max_size=12))]


def array(column: tuple[pa.DataType, Sequence[Any]]) -> pa.Array:
    kind, values = column
    # NumPy makes the halves; Arrow's Python values would need their own type.
    return pa.array(values, pa.float32()).cast(kind) if pa.types.is_float16(kind) else pa.array(values, kind)


ASKED = [of.count_distinct("x"), of.uniqueness("x"), of.duplicate_row_count("x"), of.approx_count_distinct("x")]


@given(columns(), columns())
@example((pa.int64(), [1, 2, 3]), (pa.float64(), [1.0, 4.0, None]))
@example((pa.float32(), [0.5, float(np.float32(0.1))]), (pa.float64(), [0.5, 0.1]))
@example((pa.decimal128(38, 18), [Decimal("0.1")]), (pa.float64(), [0.1]))
def test_groups_of_parts_are_those_of_their_union(one: tuple[pa.DataType, list[Any]], other: tuple[pa.DataType, list[Any]]) -> None:
    parts = [p for p in (one, other) if p[0] != WRITTEN]
    states = [analyze_table(pa.table({"x": array(p)}), ASKED).states for p in parts]
    if not states:
        return
    counted = Counter(value_of(v) for _, values in parts for v in values if v is not None)
    singles, n = sum(c == 1 for c in counted.values()), sum(counted.values())
    expected = [len(counted), singles / n if n else None, n - singles, len(counted) if any(values for _, values in parts) else None]
    merged = states[0].merge(*states[1:])
    assert [r.value for r in merged.results(ASKED).values()] == expected
    assert [r.value for r in AnalysisStates.from_records(merged.to_records()).results(ASKED).values()] == expected


@given(columns(), columns())
@example((pa.decimal128(5, 2), [Decimal("0.57")]), (pa.float64(), [0.57]))
@example((pa.int64(), [2**53 + 1]), (WRITTEN, [str(2**53 + 1)]))
@example((pa.decimal128(20, 2), [Decimal(2**53 + 1)]), (pa.uint64(), [2**53 + 1]))
@example((pa.decimal128(38, 18), [Decimal("0.1")]), (WRITTEN, [".10"]))
def test_a_profile_counts_a_value_once(one: tuple[pa.DataType, list[Any]], other: tuple[pa.DataType, list[Any]]) -> None:
    parts = [profile(p) for p in (one, other)]
    values = [value_of(v) for _, of_part in (one, other) for v in of_part if v is not None]
    merged = merge_columns(parts).states[DistributionState.key]
    assert isinstance(merged, DistributionState)
    assert merged.distinct() == len({v for v in values if v != "nan"})


def profile(column: tuple[pa.DataType, list[Any]]) -> ColumnProfile:
    measured = Column.from_arrow("x", array(column))
    return ColumnProfile.of(as_numbers(measured) if column[0] == WRITTEN else measured)


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_numbers_are_the_nearest_doubles(kind: pa.DataType) -> None:
    """Arrow's own cast makes 0.57 of a decimal another double than the text 0.57 is."""
    values = [v for v in (held(kind, Decimal(text)) for text in TELLING) if v is not None]
    measured = Column.from_arrow("x", array((kind, values)))
    found = as_numbers(measured) if kind == WRITTEN else measured
    assert sorted(found.numbers.tolist()) == sorted(float(v) for v in values)


@pytest.mark.parametrize(
    ("kind", "values", "labels"),
    [
        (pa.int32(), [1, 10], ["1", "10"]),
        (pa.float64(), [1.0, 0.5, 1e7, 1e-7, -0.0, math.nan], ["0.0", "0.5", "1.0", "1.0E-7", "1.0E7", "NaN"]),
        (pa.float32(), [0.1, 1.0], ["0.1", "1.0"]),
        (pa.decimal128(9, 2), [Decimal(1), Decimal("1.5")], ["1.00", "1.50"]),
        (pa.decimal128(9, 0), [Decimal(100)], ["100"]),
    ],
    ids=str,
)
def test_a_table_of_one_type_keeps_the_labels_of_deequ(kind: pa.DataType, values: list[Any], labels: list[str]) -> None:
    asked = of.histogram("x")
    halves = [analyze_table(pa.table({"x": pa.array(v, kind)}), [asked]).states for v in (values[:1], values[1:], [None])]
    found = halves[0].merge(*halves[1:]).results([asked])[asked].value
    assert isinstance(found, Histogram)
    assert sorted(found.absolute) == sorted([*labels, "NullValue"])


def test_labels_of_several_types_are_plain() -> None:
    asked = of.histogram("x")
    parts = [analyze_table(pa.table({"x": pa.array(v, t)}), [asked]).states for v, t in (([1, 2], pa.int8()), ([1.0, 0.5], pa.float64()))]
    found = parts[0].merge(parts[1]).results([asked])[asked].value
    assert isinstance(found, Histogram)
    assert dict(found.absolute) == {"1": 2, "0.5": 1, "2": 1}
    assert json.dumps(dict(found.absolute)) == '{"1": 2.0, "0.5": 1.0, "2": 1.0}'
