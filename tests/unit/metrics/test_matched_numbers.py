"""Numbers of several columns at once are those of each column alone, as others compute them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from avh_ui.metrics.matched_numbers import MatchedNumbers
from avh_ui.metrics.matched_together import seen_together
from avh_ui.metrics.row_mistakes import may_be_wiped, may_have_leapt
from avh_ui.metrics.seldom_exchanged import may_be_exchanged, may_be_shifted

CELL = st.one_of(st.integers(-3, 3).map(float), st.sampled_from([np.nan, np.inf, -np.inf, 1e300, 0.5]))
SIDES = st.tuples(st.integers(1, 4), st.integers(1, 9)).flatmap(
    lambda shape: st.lists(st.lists(CELL, min_size=shape[1], max_size=shape[1]), min_size=2 * shape[0], max_size=2 * shape[0])
)


@given(SIDES)
def test_each_column_stands_alone(cells: list[list[float]]) -> None:
    half = len(cells) // 2
    after, before = np.array(cells[:half]), np.array(cells[half:])
    many = MatchedNumbers(after, before)
    for at in range(half):
        alone, both = MatchedNumbers.of(after[at], before[at]), np.isfinite(after[at]) & np.isfinite(before[at])
        for name in ("farthest", "root_farthest"):
            ours, own = (np.array([side[place] for side in getattr(of, name)]) for of, place in ((many, at), (alone, 0)))
            np.testing.assert_array_equal(ours, own)
        steps = many.step[at][both]
        expected = (steps.min(), steps.max()) if len(steps) else (np.nan, np.nan)
        np.testing.assert_array_equal([side[at] for side in many.farthest], expected)
        assert many.rank_correlation[at] == pytest.approx(_spearman(after[at][both], before[at][both]), nan_ok=True)
        finite = before[at][np.isfinite(before[at])]
        assert np.sort(finite).tolist() == before[at][many.order[at, : many.known[at]]].tolist()
        assert many.alike[at][np.isfinite(before[at])].tolist() == [int((finite == value).sum()) for value in finite]


@given(st.lists(SIDES, min_size=2, max_size=5), st.integers(0, 3))
def test_pairs_that_are_seen_together_give_what_each_gives_alone(pairs: list[list[list[float]]], new: int) -> None:
    def made() -> list[MatchedNumbers]:
        sides = [(np.array(cells[: len(cells) // 2]), np.array(cells[len(cells) // 2 :])) for cells in pairs]
        return [MatchedNumbers(after, before, after[:, :new], before) for after, before in sides]

    together, alone = made(), made()
    seen_together(together)
    for many, one in zip(together, alone, strict=True):
        for name in ("fallen_sum", "rank_correlation", "pairs", "changed_rows", "fallen_rows", "emptied_rows", "known", "beyond", "varies"):
            assert repr(getattr(many, name)) == repr(getattr(one, name)), name
        for name in ("farthest", "root_farthest", "both", "changed", "step", "logs"):
            np.testing.assert_array_equal(getattr(many, name), getattr(one, name))
        known = np.isfinite(one.before)
        assert many.alike[known].tolist() == one.alike[known].tolist()
        for at, count in enumerate(one.known):
            assert one.before[at][many.order[at, :count]].tolist() == np.sort(one.before[at][known[at]]).tolist()
        for seen in (may_be_exchanged, may_be_shifted, may_be_wiped, may_have_leapt):
            assert seen(many) == seen(one)


def _spearman(after: np.ndarray, before: np.ndarray) -> float:
    if len(after) < 3:
        return np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(spearmanr(after, before).statistic)


def test_the_last_binary_digits_are_no_change() -> None:
    before = np.array([13.362356699999998, 0.1 + 0.2, 1e15 - 1, 12.5044, 0.0, 5.0, np.inf, np.nan, -np.inf])
    after = np.array([13.3623567, 0.3, 1e15, 12.504400253295898, -0.0, np.nan, np.inf, np.nan, 1.0])
    numbers = MatchedNumbers.of(after, before)
    assert numbers.changed[0].tolist() == [False, False, True, True, False, True, False, False, True]
    assert numbers.risen[0].tolist() == [False, False, True, True, False, False, False, False, True]
    assert not numbers.fallen.any()
    back = MatchedNumbers.of(before, after)
    assert back.fallen[0].tolist() == numbers.risen[0].tolist()
