"""Bounds over several steps: what keeps to the bounds of each step never alarms over several of them, and a fault still does."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.transforms import Transform
from avh_ui.history.standings import outcome
from avh_ui.validator.over_steps import over_steps
from avh_ui.validator.validate import validate
from avh_ui.workflows.keeping import keep
from tests.fakes.history import FakeHistory
from tests.unit.validator.test_learning import RECIPE, RULE, day, verdict
from tests.unit.validator.test_validate import program

RISE = Constraint("id", "max", "numeric", 90.0, 130.0, Transform(lag=1))
NUMBERS = st.floats(-1e6, 1e6)
# Sums are rounded in another order.
_ROUNDING = 1e-6


def inside(constraint: Constraint, change: float) -> bool:
    low, high = (-math.inf if constraint.lower is None else constraint.lower, math.inf if constraint.upper is None else constraint.upper)
    return low - _ROUNDING * max(1, abs(low)) <= change <= high + _ROUNDING * max(1, abs(high))


@st.composite
def bounds(draw: st.DrawFn) -> tuple[float | None, float | None]:
    low, high = sorted((draw(NUMBERS), draw(NUMBERS)))
    return draw(st.sampled_from([(low, high), (low, None), (None, high)]))


@given(of=bounds(), steps=st.integers(1, 12), data=st.data())
def test_changes_within_the_bounds_of_a_step_are_within_those_of_several(
    of: tuple[float | None, float | None], steps: int, data: st.DataObject
) -> None:
    low, high = of
    each = st.floats(-2e6 if low is None else low, 2e6 if high is None else high)
    changes = data.draw(st.lists(each, min_size=1, max_size=steps))
    # Those left over brought nothing.
    assert inside(over_steps(replace(RISE, lower=low, upper=high), steps), math.fsum(changes))


@given(
    changes=st.lists(st.integers(-1000, 1000), min_size=4, max_size=40),
    width=st.floats(1, 3),
    steps=st.integers(2, 9),
    side=st.sampled_from(["both", "lower", "upper"]),
)
def test_no_stretch_of_what_bounds_were_learned_from_alarms(changes: list[int], width: float, steps: int, side: str) -> None:
    values = np.array(changes, dtype=np.float64)
    half = width * float(np.abs(values - values.mean()).max())
    low = None if side == "upper" else float(values.mean()) - half
    high = None if side == "lower" else float(values.mean()) + half
    found = over_steps(replace(RISE, lower=low, upper=high), steps, values)
    for count, first in itertools.product(range(1, steps + 1), range(len(values))):
        if first + count <= len(values):
            assert inside(found, math.fsum(changes[first : first + count]))


@given(of=bounds(), steps=st.integers(1, 12), changes=st.none() | st.lists(NUMBERS, min_size=1, max_size=40).map(np.array))
def test_more_steps_never_have_less_room(of: tuple[float | None, float | None], steps: int, changes: np.ndarray | None) -> None:
    one, more = (over_steps(replace(RISE, lower=of[0], upper=of[1]), count, changes) for count in (steps, steps + 1))
    assert [bound is None for bound in of] == [more.lower is None, more.upper is None]
    assert more.lower is None or (one.lower is not None and more.lower <= one.lower)
    assert more.upper is None or (one.upper is not None and more.upper >= one.upper)


def test_where_changes_are_known_the_room_is_that_of_a_random_walk_around_their_drift() -> None:
    # One on each side in turn: what goes up comes down, and no stretch is further off than one.
    known = np.array([100.0, 120.0] * 20)
    found = over_steps(RISE, 4, known)
    assert (found.lower, found.upper) == (90.0, pytest.approx(4 * 110 + 2 * 20))
    # The side that is open stays so, and the other knows the drift.
    assert over_steps(replace(RISE, lower=None), 4, known) == replace(found, lower=None)
    # Twice the rise of all that time is no honest one.
    assert not found.holds(2 * 4 * 110)


def test_what_rises_more_in_one_season_may_go_on_so() -> None:
    known = np.array([100.0] * 20 + [120.0] * 20)
    assert over_steps(replace(RISE, lower=None, upper=121.0), 4, known).upper == pytest.approx(4 * 110 + 4 * 11)


@pytest.mark.parametrize("days", [91, 30])
@pytest.mark.parametrize("each", [1, 2])
@pytest.mark.parametrize("steps", [2, 3, 4])
def test_as_many_rows_of_a_window_may_change_as_in_each_step_and_none_more(days: int, each: int, steps: int) -> None:
    """A day leaves and one comes, and the last `each` of those that stay change."""
    changed = Constraint("n", "changed_share", "rows", None, each / (days - 1))
    # What changed first has not left yet.
    share = each * steps / (days - steps)
    found = over_steps(changed, steps).upper
    assert found is not None
    if share <= 0.25:
        assert share <= found + _ROUNDING < (each * steps + 1) / (days - steps)
    else:
        assert found <= max(0.25, 1 - (1 - each / (days - 1)) ** steps)


def test_a_lag_of_a_week_adds_up_by_weeks() -> None:
    """Weeks of 700 and 770 in turn, seen each day: 7 changes of the one follow upon 7 of the other, and of two steps one is of each."""
    known = np.array(([700.0] * 7 + [770.0] * 7) * 4)
    rise = replace(RISE, lower=None, upper=770.0, transform=Transform(lag=7))
    assert over_steps(rise, 2, known).upper == pytest.approx(2 * 735 + math.sqrt(2) * 35)
    assert over_steps(replace(rise, transform=Transform(lag=1)), 2, known).upper == pytest.approx(2 * 770)


def test_what_never_varied_varies_as_a_random_walk_at_most() -> None:
    assert over_steps(replace(RISE, lower=99.0, upper=101.0), 4, np.full(20, 100.0)).upper == pytest.approx(402)


def test_one_step_is_as_it_was() -> None:
    assert over_steps(RISE, 1, np.array([1.0, 2.0])) is RISE


@pytest.mark.parametrize("brings", [True, False])
def test_after_failed_days_a_counter_is_right_each_day(brings: bool) -> None:
    """Each honest day was an alarm after two failed ones, each further from the last that was sound, until a week was over."""
    rises = [100.0, 110.0, 120.0, 110.0]
    rule = replace(
        RULE,
        lower=None,
        upper=125.0,
        transform=Transform(lag=1),
        recipe=replace(RECIPE, width=1.2, deviation=10.0, lowest=None, highest=130.0),
    )
    kept, level = FakeHistory(), 1000.0
    for number in range(28):
        level += rises[number % 4]
        kept.save(day(number, level))
    for number in (28, 29):
        level += rises[number % 4] if brings else 0.0
        kept.save(day(number, 50.0 * level, **outcome("fail", stale=False)))
    assert verdict(level + 2 * 300.0, kept, rule).status == "fail"
    for number in range(30, 37):
        level += rises[number % 4]
        profile = day(number, level)
        run = validate(program(rule), profile, kept, stale="off")
        assert (number, run.status) == (number, "pass")
        keep(profile, run, kept)
    assert verdict(level + 200.0, kept, rule).status == "fail"
