"""Texts that two rows took from each other, told from what edits of a column of few values give by themselves."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from avh_ui.metrics.exchanged_texts import exchanged_texts
from avh_ui.metrics.joining import Places
from avh_ui.metrics.seldom_exchanged import CHANCE

ROWS = 600


def told(now: Places, then: Places) -> int:
    return int(np.count_nonzero(exchanged_texts(now, then, now != then)))


def texts(sorts: int) -> Places:
    return np.arange(ROWS) % sorts


def edited(then: Places, rows: int, draw: np.random.Generator) -> Places:
    """So many rows with another text, as often drawn as it is there."""
    now = then.copy()
    for row in draw.choice(len(then), rows, replace=False):
        while now[row] == then[row]:
            now[row] = then[draw.integers(len(then))]
    return now


def pairs(now: Places, then: Places) -> int:
    """By looking at each row in turn."""
    left, found = Counter[tuple[int, int]](), 0
    for one in zip(now.tolist(), then.tolist(), strict=True):
        if one[0] == one[1]:
            continue
        if left[one[::-1]]:
            left[one[::-1]] -= 1
            found += 1
        else:
            left[one] += 1
    return found


@pytest.mark.parametrize(("sorts", "edits"), [(2, 5), (10, 6), (30, 8), (30, 22)])
def test_pairs_among_edits_of_a_column_of_few_values_are_seldom_told(sorts: int, edits: int) -> None:
    draw, then = np.random.default_rng(46), texts(sorts)
    days = [edited(then, edits, draw) for _ in range(300)]
    assert sum(pairs(now, then) > 0 for now in days) > 300 * CHANCE
    assert sum(told(now, then) > 0 for now in days) <= 300 * CHANCE * 2


@pytest.mark.parametrize("sorts", [2, 3, 30, ROWS])
@pytest.mark.parametrize("exchanged", [1, 5, ROWS // 4])
def test_pairs_are_told_where_no_other_row_is_edited(sorts: int, exchanged: int) -> None:
    then = texts(sorts)
    now = then.copy()
    for row in range(0, 2 * exchanged, 2):
        now[row], now[row + 1] = then[row + 1], then[row]
    assert told(now, then) == 2 * exchanged


def test_of_texts_that_one_row_has_alone_a_pair_is_told_beside_many_edits() -> None:
    then = texts(ROWS)
    now = edited(then, 40, np.random.default_rng(7))
    still = np.flatnonzero(now == then)[:2]
    now[still] = then[still[::-1]]
    assert told(now, then) == 2


def test_more_pairs_than_chance_gives_are_told_with_the_edits_beside_them() -> None:
    then = texts(30)
    now = edited(then, 8, np.random.default_rng(1))
    still = np.flatnonzero(now == then)[:20]
    now[still] = then[still.reshape(-1, 2)[:, ::-1].ravel()]
    assert told(now, then) >= 20


def test_of_none_and_of_a_text_that_is_new_nothing_is_told() -> None:
    then = np.array([0, 1, -1, 2])
    assert told(np.array([-1, 1, 0, 2]), then) == 0
    assert told(np.array([3, 0, -1, 2]), then) == 0
    assert told(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)) == 0
