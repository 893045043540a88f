"""A number beside what is usual on its weekday: how far, said, judged, and kept in a document."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.exporting.clauses import InexpressibleError, clause_of
from avh_ui.constraints.judging import judge
from avh_ui.constraints.reading import Reader
from avh_ui.constraints.transforms import Transform
from avh_ui.constraints.weekdays import Weekdays
from avh_ui.review.plain import form, plain

WEEK = Weekdays((999.0, 1_199.0, 999.0, 999.0, 999.0, 299.0, 59.0), (0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 0.2))
BESIDE = Transform(log=True, weekdays=WEEK)
RULE = Constraint("x", "row_count", "numeric", -5.0, 5.0, BESIDE)
MONDAY, SUNDAY = "2026-03-02", "2026-03-01"


def test_a_value_is_so_many_spreads_from_what_is_usual_on_its_weekday() -> None:
    found = BESIDE.apply(np.array([499.0, 59.0, 59.0, 10.0]), (MONDAY, SUNDAY, MONDAY, "b7"))
    assert found == pytest.approx([-math.log(2) / 0.1, 0, -math.log(1_000 / 60) / 0.1, math.nan], nan_ok=True)
    assert BESIDE.forward(499.0, BESIDE.told_by(MONDAY)) == found[0]
    assert math.isnan(BESIDE.forward(-1.0, 1.0))
    assert math.isnan(BESIDE.forward(5.0, None))


@given(st.integers(0, 10**9), st.integers(1, 7))
def test_a_whole_number_is_its_own_bound(number: int, weekday: int) -> None:
    apart = BESIDE.forward(float(number), float(weekday))
    assert BESIDE.inverse(apart, float(weekday)) == pytest.approx(number, abs=number * 1e-6)


@given(st.integers(0, 10**5), st.integers(1, 7))
def test_the_bounds_in_rows_are_those_that_are_judged(number: int, weekday: int) -> None:
    low, high = BESIDE.inverse(RULE.lower, weekday), BESIDE.inverse(RULE.upper, weekday)
    assert low is not None
    assert high is not None
    assert RULE.holds(BESIDE.forward(float(number), float(weekday))) is (low <= number <= high)


def test_a_verdict_names_the_weekday() -> None:
    low = judge(RULE, 499.0, BESIDE.told_by(MONDAY), MONDAY)
    assert (low.status, low.message) == ("fail", "The number of rows is 499, below the lower bound 606 on a Monday.")
    kept = judge(RULE, 59.0, BESIDE.told_by(SUNDAY), SUNDAY)
    assert (kept.status, kept.message) == ("pass", "The number of rows is 59, within 22 to 162 on a Sunday.")
    unknown = judge(RULE, 59.0, BESIDE.told_by("b7"), "b7")
    assert unknown.status == "not_evaluated"
    assert "the weekday of the batch, which the id 'b7' does not name" in unknown.message


def test_people_read_the_busiest_weekday_and_the_quietest() -> None:
    assert plain(RULE) == "Between 727 and 1,977 rows a batch on Tuesdays, between 22 and 162 rows a batch on Sundays."
    assert form(RULE, "COLUMN") == "Between … and … rows a batch on its weekday"
    assert Reader.of(RULE).bounds(-5.0, 5.0) == "727 – 1,977 rows on Tuesdays, 22 – 162 rows on Sundays"
    assert "usual on the weekday" in BESIDE.describe()


def test_no_other_tool_knows_weekdays() -> None:
    with pytest.raises(InexpressibleError, match="the weekday that the batch's id names"):
        clause_of(RULE)


EVEN = (1.0,) * 7


@pytest.mark.parametrize(
    ("usual", "spread", "said"), [(EVEN[1:], EVEN, "7 days"), (EVEN, (0.0,) * 7, "above it"), ((-1.0,) * 7, EVEN, "above it")]
)
def test_a_week_has_seven_days_that_vary(usual: tuple[float, ...], spread: tuple[float, ...], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Weekdays(usual, spread)


def test_what_is_beside_a_weekday_is_beside_nothing_else() -> None:
    for other in ({"lag": 7}, {"log": False}):
        with pytest.raises(ValueError, match="with nothing else"):
            Transform(**{"log": True, "weekdays": WEEK, **other})


# What is usual as of Sunday, 1 March 2026, and a tenth more a day.
GROWS = Transform(log=True, weekdays=Weekdays(WEEK.usual, WEEK.spread, math.log(1.1), 20_513))
GROWING = Constraint("x", "row_count", "numeric", -5.0, 5.0, GROWS)


def test_what_grows_is_compared_with_what_is_usual_by_then() -> None:
    assert GROWS.from_id == "date"
    assert GROWS.told_by(SUNDAY) == 20_513
    found = GROWS.apply(np.array([59.0, 1_099.0, 1_319.0 * 1.1 + 0.1]), (SUNDAY, MONDAY, "2026-03-03"))
    assert found == pytest.approx([0, 0, math.log((1_319 * 1.1 + 1.1) / (1_200 * 1.21)) / 0.1], abs=1e-9)
    assert GROWS.inverse(0.0, GROWS.told_by(MONDAY)) == 1_099
    # Growth may have ended on any day since: what was usual is, and so is all between.
    assert GROWS.apply(np.array([1_200.0, 1_451.0, 1_000.0]), ("2026-03-03",) * 3) == pytest.approx(
        [0, 0, math.log(1_001 / 1_201) / 0.1], rel=0.01
    )


def test_how_what_is_usual_grows_is_said_and_kept() -> None:
    assert plain(GROWING) == (
        "Between 727 and 2,392 rows a batch on Tuesdays, between 22 and 316 rows a batch on Sundays, up to 95% more a week."
    )
    assert form(GROWING, "COLUMN") == "Between … and … rows a batch on its weekday, … a week"
    assert Reader.of(GROWING).bounds(-5.0, 5.0).endswith(", up to 95% more a week")
    low = judge(GROWING, 499.0, GROWS.told_by(MONDAY), MONDAY)
    assert low.status == "fail"
    assert low.message.endswith("on a Monday.")
    assert GROWS.record["weekdays"] == {"usual": list(WEEK.usual), "spread": list(WEEK.spread), "growth": math.log(1.1), "since": 20_513}
    assert "growth" not in BESIDE.record["weekdays"]  # type: ignore[operator]
    shrinks = replace(GROWING, transform=replace(GROWS, weekdays=replace(GROWS.weekdays, growth=-0.01)))  # type: ignore[type-var]
    assert plain(shrinks).endswith(", up to 6.8% less a week.")


def test_no_table_doubles_daily_for_long() -> None:
    with pytest.raises(ValueError, match="less than a logarithm of 1 a day"):
        Weekdays(EVEN, EVEN, 1.0, 1)
