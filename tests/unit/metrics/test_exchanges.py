"""Numbers that rows exchanged, and those that come near each other's by chance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.exchanges import APART, CHANCE, FAR, NEAR, exchanged_numbers

OLD = np.array([120.0, 381.0, 652.0, 1_990.0, 2_500.0, 12_193.0, 0.0, 7_000.0])


def placed(at: dict[int, float]) -> np.ndarray:
    new = OLD.copy()
    for place, value in at.items():
        new[place] = value
    return new


def told(at: dict[int, float]) -> list[int]:
    return np.flatnonzero(exchanged_numbers(placed(at), OLD)).tolist()


def test_counters_that_went_on_were_exchanged_all_the_same() -> None:
    assert told({1: 655.0, 2: 380.0}) == [1, 2]
    assert told({5: 0.0, 6: 12_212.0}) == [5, 6]
    assert told({1: 652.0, 2: 500.0}) == []
    # A value that is gone was taken by nobody.
    assert told({1: 652.0, 2: np.nan}) == []


def test_counts_that_are_alike_take_each_others_values_by_chance() -> None:
    old = np.array([2.0, 3.0, 3_000.0, 100.0, 900.0, 40.0, 70.0, 20.0])
    new = np.array([3.0, 2.0, 3_000.0, 100.0, 900.0, 40.0, 70.0, 20.0])
    assert not exchanged_numbers(new, old).any()
    # Of numbers that are no counts nobody knows what is alike.
    assert exchanged_numbers(new * 0.37, old * 0.37).tolist() == [True, True, *[False] * 6]


def test_where_most_rows_move_far_pairs_are_chance() -> None:
    old = np.exp(np.linspace(3, 9, 20))
    new = old[::-1].copy()
    assert not exchanged_numbers(new, old).any()
    few = old.copy()
    few[[2, 17]] = old[[17, 2]]
    assert np.flatnonzero(exchanged_numbers(few, old)).tolist() == [2, 17]


@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 400)), max_size=12), st.sampled_from([1.0, 0.37]))
@pytest.mark.filterwarnings("error")
def test_they_are_what_pairs_of_rows_show(rows: list[tuple[int, int]], unit: float) -> None:
    """By loops over pairs."""
    after, before = (np.array([unit * row[side] for row in rows], dtype=float) for side in (0, 1))
    now, then = np.log1p(after), np.log1p(before)
    far = [i for i in range(len(rows)) if abs(now[i] - then[i]) > FAR]
    likely = [(sum(abs(then[i] - then[j]) <= NEAR for j in range(len(rows)) if j != i) + 0.5) / len(rows) for i in far]
    chance = sum(a * b for k, a in enumerate(likely) for b in likely[:k])
    found = [False] * len(rows)
    whole = all(float(x).is_integer() for i in far for x in (after[i], before[i]))
    for i in far:
        for j in far:
            near = abs(now[i] - then[j]) <= NEAR and abs(now[j] - then[i]) <= NEAR
            apart = not whole or abs(np.sqrt(before[i]) - np.sqrt(before[j])) >= APART
            if near and apart and chance <= CHANCE:
                found[i] = found[j] = True
    assert exchanged_numbers(after, before).tolist() == found
