"""Whether values have stopped to come is told by the batches."""

from __future__ import annotations

import numpy as np
import pytest

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.emptiness import has_stopped


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
