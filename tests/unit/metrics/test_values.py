"""Metrics on columns small enough to check by hand; names and definitions from AVH's Tables 3 and 4."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest

from avh_ui.errors import NotFoundError
from avh_ui.metrics.catalogue import metric, metrics_for
from avh_ui.metrics.column import Column
from avh_ui.metrics.moments import MomentsState
from avh_ui.metrics.profile import ColumnProfile

NAN = math.nan


def profile(values: list[object], arrow_type: pa.DataType | None = None) -> ColumnProfile:
    return ColumnProfile.from_arrow("c", pa.array(values, arrow_type))


def value(name: str, values: list[object], arrow_type: pa.DataType | None = None) -> float:
    p = profile(values, arrow_type)
    return metric(name, p.kind).value(p.states)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("row_count", 6), ("complete_ratio", 5 / 6), ("min", -1), ("max", 10), ("mean", 4), ("median", 4), ("sum", 20), ("range", 11),
        ("unique_ratio", 4 / 5),
    ],
)  # fmt: skip
def test_numeric_metrics(name: str, expected: float) -> None:
    assert value(name, [4, None, -1, 10, 4, 3]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("row_count", 5), ("complete_ratio", 0.8), ("unique_ratio", 3 / 4), ("dist_val_count", 3),
        # "ab-1", "ab-1", "", "Ü9 ." : letters 2, 2, 0, 1; digits 1, 1, 0, 1; punctuation 1, 1, 0, 1; lengths 4, 4, 0, 4
        ("str_len", 3), ("char_len", 5 / 4), ("digit_len", 3 / 4), ("punc_len", 3 / 4),
    ],
)  # fmt: skip
def test_categorical_metrics(name: str, expected: float) -> None:
    assert value(name, ["ab-1", "ab-1", "", None, "Ü9 ."]) == pytest.approx(expected)


def test_the_median_of_an_even_number_is_the_mean_of_the_middle_two() -> None:
    assert value("median", [1, 2, 3, 10]) == 2.5


def test_an_example_of_the_paper_is_unique() -> None:
    """AVH, Example 1: `is_unique` is 1 <= unique_ratio <= 1."""
    assert value("unique_ratio", ["r1", "r2", "r3", None]) == 1


@pytest.mark.parametrize("name", ["min", "max", "mean", "median", "sum", "range", "unique_ratio"])
def test_a_column_without_values_leaves_value_metrics_undefined(name: str) -> None:
    assert math.isnan(value(name, [None, None], pa.float64()))
    assert value("row_count", [None, None], pa.float64()) == 2
    assert value("complete_ratio", [None, None], pa.float64()) == 0


def test_nan_is_a_value_that_makes_all_but_the_minimum_undefined() -> None:
    """As in Deequ: NaN counts as present and sorts above all numbers."""
    values = [1.0, NAN, 3.0]
    assert value("complete_ratio", values) == 1
    assert value("min", values) == 1
    for name in ("max", "mean", "sum", "range"):
        assert math.isnan(value(name, values))


def test_infinities_do_not_crash() -> None:
    assert value("max", [1.0, math.inf]) == math.inf
    assert value("min", [1.0, -math.inf]) == -math.inf
    assert math.isnan(value("range", [math.inf, math.inf]))


def test_negative_zero_is_zero() -> None:
    assert value("unique_ratio", [0.0, -0.0]) == 0.5


def test_temporal_values_are_seconds() -> None:
    p = profile([0, 1_500_000], pa.timestamp("us"))
    assert p.kind == "temporal"
    assert metric("range", "temporal").value(p.states) == 1.5
    days = profile([0, 2], pa.date32())
    assert metric("max", "temporal").value(days.states) == 2 * 86_400


def test_booleans_are_categories() -> None:
    assert value("dist_val_count", [True, False, None, True]) == 2


def test_nested_columns_are_only_counted() -> None:
    p = profile([[1], None], pa.list_(pa.int64()))
    assert p.kind == "skipped"
    assert metrics_for(p.kind) == ()


def test_an_unknown_metric_names_the_nearest() -> None:
    with pytest.raises(NotFoundError, match="row_count"):
        metric("rowcount", "numeric")


def test_a_megabyte_of_text_makes_a_small_state() -> None:
    p = profile(["x1" * 500_000, "y"])
    assert sum(len(s.to_record()) for s in p.states.values()) < 4_000
    assert metric("str_len", "string").value(p.states) == (1_000_000 + 1) / 2


@pytest.mark.parametrize(
    ("values", "expected"),
    [([1.0, 3.0, 5.0], 8 / 3), ([0.1] * 10, 0.0), ([1.0, NAN], NAN), ([NAN], NAN), ([None], NAN), ([1.0, math.inf], NAN)],
)
def test_the_variance_of_moments(values: list[object], expected: float) -> None:
    state = MomentsState.of(Column.from_arrow("c", pa.array(values, pa.float64())))
    assert state.variance == pytest.approx(expected, nan_ok=True)
