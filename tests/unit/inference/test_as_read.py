"""Of which columns a sentence is true as it reads, and which numbers are as far on in each row."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.inference.by_key.as_read import clocks, keep_order, true_of
from avh_ui.inference.by_key.laws import Pair
from avh_ui.metrics.matching import MatchedChange
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows

ROWS = 12


def pairs(days: int, broken: tuple[int, ...] = ()) -> list[Pair]:
    """Hours of a month: a number of rows that goes on, days that are 29 to 31 further, a turn of one or two, what dials say, what is sold,
    and a level that changes its sign.
    """
    rng, samples = np.random.default_rng(1), []
    places, sold = np.arange(ROWS, dtype=float), rng.integers(10, 99, ROWS).astype(float)
    read, tens = np.zeros(ROWS), np.zeros(ROWS)
    for day in range(days + 1):
        sold, read, tens = sold + rng.integers(0, 9, ROWS), read + rng.uniform(5, 9, ROWS), tens + rng.integers(1, 3, ROWS)
        level = (places + 5) * (-1 if day in broken else 1)
        table = {"id": pa.array(range(ROWS)), "row": pa.array(places + ROWS * day), "level": pa.array(level)}
        table |= {
            "days": pa.array(places + 30 * day + day % 2),
            "dial": pa.array(read),
            "sold": pa.array(sold),
            "turn": pa.array(tens),
            "name": pa.array(["a"] * ROWS),
        }
        samples.append(RowSample.of_rows(Rows(ROWS, table), Need(RowSample, tuple(table), None, Drawing(1))))
    return [Pair(f"d{k:03}", now, then) for k, (then, now) in enumerate(pairwise(samples), 1)]


def test_what_is_as_far_on_in_each_row_is_a_clock() -> None:
    assert clocks(pairs(20), ["row", "days", "dial", "sold", "turn", "level", "name"]) == {"row", "days", "turn"}
    assert not clocks([], ["row"])


def test_numbers_keep_their_order_that_go_on_from_those_before() -> None:
    """Winds of a month matched by the day of the one before have none."""
    rng, samples = np.random.default_rng(2), []
    for _ in range(15):
        table = {"day": pa.array(range(ROWS)), "wind": pa.array(rng.gamma(2, 3, ROWS)), "one": pa.array([1.0] * ROWS)}
        samples.append(RowSample.of_rows(Rows(ROWS, table), Need(RowSample, tuple(table), None, Drawing(1))))
    winds = [Pair(f"d{k:03}", now, then) for k, (then, now) in enumerate(pairwise(samples), 1)]
    assert keep_order(winds, ["wind", "one"]) == ["one"]
    assert keep_order(pairs(20), ["sold", "dial", "name"]) == ["sold", "dial"]
    assert not keep_order([], ["sold"])


@pytest.mark.parametrize(("days", "broken", "true"), [(60, (), True), (60, (30,), True), (20, (10,), False), (60, (10, 20, 30), False)])
def test_one_fault_and_its_mending_leave_a_sentence_true(days: int, broken: tuple[int, ...], true: bool) -> None:
    found = true_of(pairs(days, broken), ["sold", "level"], lambda change: bool((change.after * change.before < 0).any()))
    assert found == (["sold", "level"] if true else ["sold"])


def test_a_question_is_asked_once_of_each_column() -> None:
    (pair, *_), asked = pairs(3), list[int]()

    def moved(change: MatchedChange) -> int:
        asked.append(change.rows)
        return change.changed_rows

    pair.ask({moved: ["row", "name", "lost"]})
    assert [pair.says(moved, name) for name in ("row", "name", "lost")] == [ROWS, 0, None]
    assert asked == [ROWS, ROWS]
    assert pair.changed["row"].share == 1
    assert pair.changed["name"].changed == pair.changed["id"].changed == 0
