"""Amounts that end somewhere, by what their history shows."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.kinds.declarations import DECLARATIONS
from avh_ui.inference.kinds.limits import limited

COUNT = DECLARATIONS["count"]


def history(least: np.ndarray, most: np.ndarray) -> ColumnHistory:
    return ColumnHistory(
        "nights", "numeric", "", tuple(map(str, range(len(least)))), {"min": least, "max": most}, np.ones(len(least), bool)
    )


@pytest.mark.parametrize(
    ("batches", "values", "expected"),
    [
        (30, [1, 1, 2, 4, 3], (1, math.inf)),
        (30, [2, 5, 5, 4, 3], (0, 5)),
        # Of numbers with both ends a list says more.
        (30, [1, 1, 2, 5, 3], (0, math.inf)),
        (29, [1, 1, 2, 4, 3], (0, math.inf)),
        # Of twenty one stands on the largest: a tail that thins out.
        (30, [1] * 10 + [2] * 9 + [5], (1, math.inf)),
        (30, [2] * 19 + [5], (0, math.inf)),
        (30, [], (0, math.inf)),
    ],
)
def test_an_end_that_stands_still_with_many_values_on_it_is_a_limit(batches: int, values: list[int], expected: tuple[float, float]) -> None:
    found = limited(COUNT, history(np.ones(batches), np.full(batches, 5.0)), pa.array(values, pa.int64()))
    assert (found.lowest, found.highest) == expected


def test_an_end_that_moved_once_is_none() -> None:
    least = np.array([1.0] * 40 + [2.0])
    assert limited(COUNT, history(least, np.arange(41.0)), pa.array([1, 2])) == COUNT


def test_one_value_is_no_limit() -> None:
    assert limited(COUNT, history(np.ones(40), np.ones(40)), pa.array([1, 1])) == COUNT


@pytest.mark.parametrize(("most", "highest"), [(100.0, 100), (101.0, math.inf), (99.0, math.inf)])
def test_what_reaches_100_on_several_days_and_never_more_ends_there(most: float, highest: float) -> None:
    found = limited(COUNT, history(np.arange(40.0) + 8, np.where(np.arange(40) % 9, 80.0 + np.arange(40) % 7, most)), pa.array([9, 40, 77]))
    assert found.highest == highest
    once = limited(COUNT, history(np.arange(40.0) + 8, np.where(np.arange(40) == 5, 100.0, 90.0)), pa.array([9, 40, 77]))
    assert once.highest == math.inf
