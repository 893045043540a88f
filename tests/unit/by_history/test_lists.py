"""Half of the rows of a list that slowly grows or shrinks, as employees: most batches have as many as the one before."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.transforms import Transform
from avh_ui.inference.by_history.reprogramming import VOLUME_COLUMNS, reprogram_volume
from tests.unit.by_history.making import history_of, latest_of, prepare_column


@pytest.mark.parametrize(("first", "step"), [(25, -1), (14, 1), (400, 2)])
def test_half_of_a_list_that_slowly_moves_is_noticed(first: int, step: int) -> None:
    """In a third of the months an employee leaves, or comes; two do once."""
    moved = np.random.default_rng(3).random(44) < 1 / 3
    assert half_noticed((first + step * (moved.cumsum() + (np.arange(44) > 20))).tolist())


def test_half_of_a_list_that_has_shrunk_is_noticed() -> None:
    """Of 14 that are left half is seven, and three of 24 went in a month."""
    gone = {5: 1, 8: 1, 11: 1, 13: 2, 17: 1, 20: 3, 25: 1, 31: 1, 38: 1}
    assert half_noticed([26 - sum(left for month, left in gone.items() if month <= k) for k in range(44)])


def half_noticed(sizes: list[int]) -> Transform:
    """The transform by which half of such rows is noticed for what they may cost."""
    arrays = [pa.array(np.random.default_rng([8, k]).normal(size=rows)) for k, rows in enumerate(sizes)]
    history, profiles = history_of(arrays)
    (rows,) = reprogram_volume(prepare_column(history, latest_of(arrays, profiles)), 0.001).suggestions
    assert rows.constraint.transform.lag == 1
    assert {"volume_change 50%", "volume_change x2"} <= set(rows.evidence.caught)
    assert rows.constraint.fpr <= VOLUME_COLUMNS * 0.001
    return rows.constraint.transform
