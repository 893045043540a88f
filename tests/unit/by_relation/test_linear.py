"""Columns that are lines of one another, or multiply to a constant: against loops over constants in fractions, and what is no evidence."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avh_ui.inference.by_relation.constants import constant_between
from avh_ui.inference.by_relation.faults import tried
from avh_ui.inference.by_relation.mining import mine
from avh_ui.inference.by_relation.relation import Relation
from avh_ui.inference.by_relation.straight_lines import Points
from avh_ui.metrics.profiler import Watch
from tests.unit.by_relation.test_mappings import by_condition, kept
from tests.unit.by_relation.test_mining import Columns, drawn, mined, with_units

MOST = 1.7976931348623157e308


def lines(make: Any, **how: Any) -> dict[str, Relation]:
    return {relation.says: relation for relation in mined(make, **how) if relation.family in ("linear", "inverse")}


@settings(max_examples=60)
@given(seed=st.integers(0, 10_000), off=st.sampled_from([0.0, 0.05, 0.5]), rough=st.booleans())
def test_slopes_are_those_of_all_lines_that_pass_the_points(seed: int, off: float, rough: bool) -> None:
    """Against each line through an end of two points' boxes: one of these is the steepest, and one the flattest."""
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(-20, 20, 7))
    y = np.round(rng.uniform(0.2, 4) * x + rng.uniform(-9, 9) + (rng.normal(0, 0.6, 7) if rough else 0), 1)
    points = Points(x, y, np.full(7, off / 3), np.full(7, off + 0.05))
    corners = [(x[k] + p * points.dx[k], y[k] + q * points.dy[k]) for k in range(7) for p in (-1, 1) for q in (-1, 1)]
    passing = []
    for (a, b), (c, d) in itertools.combinations(corners, 2):
        if abs(a - c) > 1e-12:
            slope = (b - d) / (a - c)
            begin = b - slope * a
            far = np.abs(y - slope * x - begin) - points.dy - abs(slope) * points.dx
            passing += [slope] * bool(np.all(far <= 1e-9))
    found = points.slopes()
    if found is None:
        assert not passing or min(passing) <= 0.15
        return
    low, high = found
    assert (low, high) == pytest.approx((min(passing), max(passing)), abs=1e-6)
    least, most = points.begins((low + high) / 2)
    assert least <= most + 1e-9


@given(st.lists(st.tuples(st.integers(-60, 60), st.integers(-60, 60)), min_size=1, max_size=6), st.sampled_from([0, 1, 2]))
def test_slopes_through_zero_are_those_that_every_row_leaves(rows: list[tuple[int, int]], half: int) -> None:
    """In fractions: of one row a slope passes where the box around it has a point on the line."""
    x, y = (np.array(side, dtype=float) for side in zip(*rows, strict=True))
    found = Points(x, y, np.full(len(x), half / 2), np.full(len(x), 0.5)).through_zero()
    for slope in (Fraction(k, 12) for k in range(1, 240)):
        fits = all(abs(Fraction(b) - slope * a) <= Fraction(1, 2) + slope * Fraction(half, 2) for a, b in rows)
        inside = found is not None and found[0] * (1 - 1e-12) <= slope <= found[1] * (1 + 1e-12)
        # Where no row says how steep it may be at most, or at least, nothing is told.
        assert inside == fits or found is None


@given(value=st.floats(1e-5, 1e5), width=st.floats(1e-9, 0.3))
def test_the_constant_lies_where_rows_leave_it(value: float, width: float) -> None:
    low, high = value * (1 - width), value * (1 + width)
    found = constant_between(low, high)
    assert found is None or low * (1 - 1e-8) <= found.constant.times <= high * (1 + 1e-8)
    if found is not None and found.chance > 0.1:
        assert constant_between(low * (1 - 1e-9), high * (1 + 1e-9)) is not None


@pytest.mark.parametrize(
    ("low", "high", "value", "divides"),
    [
        (1.1899, 1.1901, 1.19, False),
        (1.60925, 1.60942, 1.609344, False),
        (0.00097655, 0.00097658, 1024, True),
        (2.20455, 2.20467, 0.45359237, True),
        (0.0099998, 0.0100003, 100, True),
        (1.95581, 1.95586, 1.95583, False),
    ],
)
def test_the_constant_has_as_few_digits_as_it_may_or_is_a_unit(low: float, high: float, value: float, divides: bool) -> None:
    found = constant_between(low, high)
    assert found is not None
    assert (found.constant.value, found.constant.divides, found.sure) == (value, divides, True)


def test_nan_infinity_and_overflow_break_them_and_null_does_not() -> None:
    odd = [np.nan, np.inf, -np.inf, MOST, -MOST, 0.0, None]
    for relation in lines(with_units, rows=120).values():
        # Numbers so large are no sampled values.
        for values in (odd, [np.nan, 0.0, 7.0, None]):
            pairs = list(itertools.product(values, values))
            rows = {name: pa.array([pair[k] for pair in pairs], pa.float64()) for k, name in enumerate(relation.columns)}
            if values is not odd:
                assert kept(relation, rows) == by_condition(relation, rows)
                continue
            # No byte is no kilobyte, no mile no kilometer; whatever else is there has a number that is none, or too large.
            nothing = [(0.0, 0.0)] if {"kilobytes", "km"} & {*relation.columns} else []
            # 100 is nothing beside the largest number, and what that is the inverse of is 0 in any number of digits.
            nothing += [(MOST, -MOST), (-MOST, MOST)] if "free" in relation.columns else []
            most = [MOST, -MOST] if "rate" in relation.columns else []
            nothing += [pair for one in most for pair in ((one, 0.0), (0.0, one))]
            assert by_condition(relation, rows) == [None in pair or pair in nothing for pair in pairs], relation.condition


def test_a_product_or_a_line_that_is_broken_is_seen_by_its_faults() -> None:
    found = list(lines(with_units, rows=120).values())
    names, caught = tried(found, drawn("latest", with_units(np.random.default_rng(9), 200)), 0)
    for relation, its in zip(found, caught, strict=True):
        seen = {name for name, hit in zip(names, its, strict=True) if hit}
        for column in relation.columns:
            assert {f"{column} tenfold:0.02", f"{column} shifted", f"{column} exchanged:0.1", f"{column} tenth:0.5"} <= seen


def test_of_columns_that_are_lines_of_one_another_each_is_told_once() -> None:
    def prices(rng: np.random.Generator, rows: int) -> Columns:
        net = np.round(rng.gamma(2, 50, rows), 2)
        tax = np.round(0.19 * net, 2)
        made = {
            "net": net,
            "tax": tax,
            "gross": np.round(net + tax, 2),
            "cents": np.round(100 * net).astype(int),
            "least": np.round(net / 2, 2),
        }
        return made | {"pieces": (pieces := rng.integers(1, 9, rows)), "cost": np.round(net * pieces, 2)}

    assert [r.says for r in mined(prices)] == [
        "gross is net + tax",
        "gross is 1.19 times net, rounded",
        "cents is 100 times net",
        "least is net / 2, rounded",
        "cost is net x pieces, rounded",
    ]


def test_digits_that_a_sum_tells_are_not_told_again() -> None:
    def times(rng: np.random.Generator, rows: int) -> Columns:
        hour, minute = rng.integers(0, 24, rows), rng.integers(0, 60, rows)
        return {"clock": 100 * hour + minute, "hour": hour} | ({"minute": minute} if whole else {})

    for whole in (False, True):
        said = {relation.says for relation in mined(times) if relation.family in ("linear", "total")}
        assert said == ({"clock is 100 x hour + minute"} if whole else {"hour is clock / 100, rounded down"})


def near_lines(rng: np.random.Generator, rows: int) -> Columns:
    age, warm, level = rng.integers(67, 91, rows), rng.normal(12, 9, rows), rng.normal(0, 1, rows)
    return {
        # A bow that is nearly straight, as wide as a year.
        "age": age, "square": age * age,
        # Two thermometers, two tallies that miss a row now and then, and games of which one was not played.
        "one": np.round(warm), "other": np.round(warm + rng.normal(0, 0.4, rows)),
        "won": (won := rng.integers(60, 100, rows)), "lost": 162 - won - (rng.random(rows) < 0.2),
        # What goes together, and is no line.
        "height": np.round(170 + 9 * level, 1), "weight": np.round(70 + 11 * level + rng.normal(0, 1, rows), 1),
        "low": rng.integers(1, 4, rows), "double": rng.integers(1, 4, rows) * 2,
    }  # fmt: skip


@settings(max_examples=6)
@given(seed=st.integers(0, 10_000))
def test_what_nearly_is_a_line_is_none(seed: int) -> None:
    assert not lines(near_lines, seed=seed, rows=150)


def test_rows_in_their_order_are_no_evidence_of_a_rate() -> None:
    """Of sites that are numbered in the order of rows a few are left out."""
    site = np.flatnonzero(np.random.default_rng(2).random(400) > 0.01)
    rows = drawn("one", {"row": np.arange(1, len(site) + 1), "site": site + 1})
    assert not [r.says for r in mine([rows], list(rows.cells), untyped=False, watch=Watch()) if r.family in ("linear", "inverse")]


def test_prices_of_few_values_make_no_constant() -> None:
    def few(rng: np.random.Generator, rows: int) -> Columns:
        price = rng.choice([2.0, 4.0, 5.0], rows)
        return {"price": price, "pieces": 20 / price, "flat": np.full(rows, 3.0), "third": np.full(rows, 1 / 3)}

    assert not lines(few)


def test_single_precision_is_a_rounding_too() -> None:
    def floats(rng: np.random.Generator, rows: int) -> Columns:
        far = rng.gamma(2, 500, rows)
        return {"feet": (far / 0.3048).astype("float32"), "meters": far.astype("float32")}

    (says,) = lines(floats)
    assert says in ("meters is 0.3048 times feet, rounded", "feet is meters / 0.3048, rounded")


@pytest.mark.parametrize("rows", [1, 40])
def test_one_row_a_batch_and_missing_values_tell_it_too(rows: int) -> None:
    def weather(rng: np.random.Generator, count: int) -> Columns:
        warm = np.round(rng.normal(12, 9, count), 1)
        gone = rng.random(count) < 0.2
        return {"c": pa.array(warm, mask=gone), "f": np.round(1.8 * warm + 32, 2), "k": np.round(warm + 273.15, 2)}

    assert set(lines(weather, batches=120, rows=rows)) == {"f is 1.8 times k minus 459.67", "f is 1.8 times c plus 32"}
