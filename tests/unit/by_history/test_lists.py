"""Half of the rows of a list that slowly grows or shrinks, as employees: most batches have as many as the one before."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.transforms import Transform
from avh_ui.inference.by_history.candidates import MetricModel
from avh_ui.inference.by_history.lists import held_to_losses
from avh_ui.inference.by_history.reprogramming import VOLUME_COLUMNS, reprogram_volume
from avh_ui.metrics.counts import ROW_COUNT
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


@pytest.mark.parametrize("log", [True, False])
def test_a_list_may_lose_twice_as_many_rows_as_ever_and_a_tenth(*, log: bool) -> None:
    """ "0.58 to 1.82 times that of the batch before" was said of a list that never lost more than 4 % of its rows."""
    steps = np.where(np.arange(60) % 7, 1.0, 1.01)
    steps[[20, 41]] = 1.25, 0.96
    rows = 1000 * steps.cumprod()
    slack = 1e-6 if log else 1
    values = np.diff(np.log(rows) if log else rows)
    model = MetricModel(ROW_COUNT, rows, Transform(lag=1, log=log), values, float(values.mean()), float(values.std()))
    whole, far = (1.0, -0.5) if log else (rows[-1], -600.0)
    ends = held_to_losses(model, np.array([far, -0.05 * whole, -np.inf]))
    assert log or ends[0] == round(ends[0])
    assert ends.tolist() == [pytest.approx(-0.1 * whole, abs=slack), -0.05 * whole, -np.inf]
    lost = replace(model, values=np.append(values, -0.1 * whole))
    assert held_to_losses(lost, np.array([far]))[0] == pytest.approx(-0.2 * whole, abs=slack)
    # A quarter of the rows is no slip.
    many = replace(model, values=np.append(values, -0.2 * whole))
    assert held_to_losses(many, np.array([far]))[0] == pytest.approx(np.log(0.75) if log else -0.25 * whole, abs=slack)
    moving = replace(model, values=np.tile([0.1 * whole, -0.1 * whole], 20))
    assert held_to_losses(moving, np.array([far])).tolist() == [far]


def half_noticed(sizes: list[int]) -> Transform:
    """The transform by which half of such rows is noticed for what they may cost."""
    arrays = [pa.array(np.random.default_rng([8, k]).normal(size=rows)) for k, rows in enumerate(sizes)]
    history, profiles = history_of(arrays)
    (rows,) = reprogram_volume(prepare_column(history, latest_of(arrays, profiles)), 0.001).suggestions
    assert rows.constraint.transform.lag == 1
    assert {"volume_change 50%", "volume_change x2"} <= set(rows.evidence.caught)
    assert rows.constraint.fpr <= VOLUME_COLUMNS * 0.001
    return rows.constraint.transform
