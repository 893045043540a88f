"""Whether values have stopped to come is told by the batches."""

from __future__ import annotations

import numpy as np
import pytest

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.emptiness import HARDLY_ANY, STOPPED, has_hardly_any, has_stopped, why_untold


def history(values: list[int]) -> ColumnHistory:
    rows = np.full(len(values), 100.0)
    found = {"row_count": rows, "complete_ratio": np.array(values) / rows}
    return ColumnHistory("x", "string", "", tuple(f"{k:03}" for k in range(len(values))), found, np.ones(len(values), dtype=bool))


@pytest.mark.parametrize(
    ("values", "stopped"),
    [
        ([90] * 20, False),
        ([90] * 20 + [0] * 5, True),
        # One value now and then says no more of how they are written.
        ([90] * 20 + [0, 0, 1, 0, 8], True),
        ([90] * 20 + [0, 0], False),
        ([90] * 30 + [0] * 38, True),
        # A note every third batch is what the column is.
        ([1, 0, 0] * 10, False),
        ([0] * 30, False),
        ([90] * 5, False),
    ],
)
def test_values_that_came_on_end_and_hardly_come_any_more_have_stopped(values: list[int], *, stopped: bool) -> None:
    assert has_stopped(history(values)) is stopped


def test_what_is_not_counted_has_not_stopped() -> None:
    assert not has_stopped(ColumnHistory("x", "string", "", ("a", "b"), {}, np.ones(2, dtype=bool)))


@pytest.mark.parametrize(
    ("values", "hardly", "why"),
    [
        ([1] * 20, True, HARDLY_ANY),
        ([1, 2, 2] * 10, True, HARDLY_ANY),
        ([1, 0, 0] * 10, True, HARDLY_ANY),
        ([3] * 20, False, ""),
        ([0] * 20, False, ""),
        ([90] * 20 + [0] * 5, False, STOPPED),
    ],
)
def test_of_one_or_two_values_a_batch_nothing_is_said(values: list[int], *, hardly: bool, why: str) -> None:
    assert has_hardly_any(history(values)) is hardly
    assert why_untold(history(values)) == why


def test_a_batch_of_one_row_has_all_of_its_values() -> None:
    found = history([100] * 20)
    one = {"row_count": np.ones(20), "complete_ratio": np.ones(20)}
    assert not has_hardly_any(ColumnHistory("x", "string", "", found.batches, one, found.present))
