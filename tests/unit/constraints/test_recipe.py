"""Bounds that follow: the same to the last bit, within their envelope, from what may be learned, and what a step makes of them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.constraints.recipe import LEAST, Interval, Past, Recipe, follow
from avh_ui.constraints.written import rounded
from avh_ui.history.standings import REACH

RECIPE = Recipe(window=120, width=2.0, batches=30, deviation=1.0, index=2.5, lowest=6.0, highest=14.0)
APPROVED: Interval = (8.0, 12.0)
rng = np.random.default_rng(17)


def past(values: list[float], *, unsound: int = 0, accepted: tuple[int, ...] = (), begins: int = 0) -> Past:
    """The last `unsound` of the values may not be learned from."""
    known = np.array(values, dtype=np.float64)
    right = np.isin(np.arange(len(known)), accepted)
    return Past(known, (np.arange(len(known)) < len(known) - unsound) | right, right, begins)


def steady(count: int, level: float = 10.0) -> list[float]:
    return [level + (-1) ** k * (0.5 + 0.5 * (k % 5 == 0)) for k in range(count)]


def test_the_bounds_are_so_many_largest_deviations_from_the_mean() -> None:
    found = follow(RECIPE, APPROVED, past([9.0, 11.0] * 20))
    assert found.bounds == (8.0, 12.0)
    assert len(found.learned) == 40
    # Of fewer batches than the width was chosen from, they are wider by the tail's law.
    few = follow(RECIPE, APPROVED, past([9.0, 11.0] * 7))
    assert few.bounds[1] == pytest.approx(10 + 2 * (31 / 15) ** 0.4, abs=0.1)
    # Of too few they are those that were approved.
    assert follow(RECIPE, APPROVED, past([9.0, 11.0] * 3)).bounds == APPROVED
    assert follow(RECIPE, APPROVED, past([9.0, 11.0] * 3)).learned == ()


def test_they_follow_a_drift_to_the_envelope_and_no_further() -> None:
    drifted = [10 + 0.05 * k + (-1) ** k for k in range(120)]
    found = follow(RECIPE, APPROVED, past(drifted))
    assert found.bounds[1] == 14.0 < found.unlimited[1]
    # What is beyond the envelope is not learned, whoever let it pass, until a person says that it is right.
    beyond = [10.0 + (-1) ** k for k in range(40)] + [15.0] * 5
    assert len(follow(RECIPE, APPROVED, past(beyond)).learned) == 40
    right = follow(RECIPE, APPROVED, past(beyond, accepted=(44,)))
    assert len(right.learned) == 41
    assert right.bounds[1] >= 15.0


def test_what_failed_is_not_learned_and_a_side_that_was_open_stays_open() -> None:
    found = follow(RECIPE, (-math.inf, 12.0), past([9.0, 11.0] * 20 + [13.5] * 3, unsound=3))
    assert found.bounds == (-math.inf, 12.0)
    assert follow(replace(RECIPE, least=8.5), APPROVED, past([9.0, 11.0] * 20)).bounds == (8.5, 12.0)


def test_a_step_that_nobody_answers_is_found_after_a_week() -> None:
    before = steady(60)
    for days in range(REACH + 5):
        found = follow(RECIPE, APPROVED, past(before + steady(days, 30.0), unsound=days))
        assert (found.step is not None) == (days >= REACH)
        assert found.bounds == follow(RECIPE, APPROVED, past(before)).bounds
    assert found.step == 60
    assert found.beyond is not None
    assert found.beyond[0] < 29.0
    assert found.beyond[1] > 31.0
    # One that went back is none.
    assert follow(RECIPE, APPROVED, past([*before, *steady(6, 30.0), 10.0], unsound=7)).step is None
    # Failures to both sides are no step.
    assert follow(RECIPE, APPROVED, past([*before, *([30.0, -30.0] * 5)], unsound=10)).step is None


def test_a_new_regime_begins_wide_and_is_tight_within_a_week() -> None:
    for scale in (0.2, 1.0, 5.0):
        before, new = steady(100), [30 + scale * (x - 10) for x in steady(30)]
        wide = follow(RECIPE, APPROVED, past(before + new[:1], begins=100)).bounds
        assert wide[1] - wide[0] >= 4.0
        for days in range(LEAST, 30):
            known = new[:days]
            found = follow(RECIPE, APPROVED, past(before + known, begins=100)).bounds
            alone = 2 * RECIPE.width_of(days) * max(max(known) - np.mean(known), np.mean(known) - min(known))
            assert found[1] - found[0] <= 1.2 * alone
            assert all(found[0] <= x <= found[1] for x in new)


@given(st.permutations(range(40)), st.floats(1e-9, 1e9), st.booleans())
def test_the_order_of_summation_does_not_count(order: list[int], scale: float, factor: bool) -> None:
    values = [scale * (3 + math.sin(k)) for k in range(40)]
    recipe = replace(RECIPE, factor=factor, lowest=None, highest=None)
    assert follow(recipe, APPROVED, past(values)).bounds == follow(recipe, APPROVED, past([values[k] for k in order])).bounds


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_rounded_bounds_hold_what_the_exact_ones_hold(middle: float, width: float) -> None:
    lower, upper = rounded(middle - width, middle + width, abs(middle))
    assert lower <= middle - width + 1e-5 * width
    assert upper >= middle + width - 1e-5 * width
    assert upper - lower <= 2.5 * width


def test_a_new_regime_of_counts_far_apart_has_no_envelope_beyond_the_largest_double() -> None:
    recipe = Recipe(window=120, width=40.0, batches=119, deviation=0.2, index=1.0, factor=True, lowest=1e-3, highest=1e10)
    found = follow(recipe, (500.0, 2_000.0), past([1_000.0, 1_100.0] * 20 + [1.0, 1_000_000.0], begins=40))
    assert found.bounds[0] >= 0
    assert math.isfinite(found.bounds[1])
