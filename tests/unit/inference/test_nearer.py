"""Bounds on matched rows that are nearer to what ever was, at the price that rules by key have anyhow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from avh_ui.constraints.evidence import Proposal
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.candidates import fit_metrics
from avh_ui.inference.by_history.measured import PreparedColumn
from avh_ui.inference.by_history.proposing import proposal_at
from avh_ui.inference.by_key.nearer import nearer, varies
from avh_ui.inference.by_key.unbroken import LEAST
from avh_ui.metrics.by_key import CHANGED, EMPTIED, FILLED
from avh_ui.metrics.keys_matched import KEYS_GONE
from avh_ui.metrics.metric import Metric

ROWS, BATCHES = 300, 30
SELDOM = [0.0] * 13 + [0.003] + [0.0] * 15 + [0.002]
OFTEN = [0.01 + 0.001 * (k * 7 % 11) for k in range(BATCHES)]


def prepared(metric: Metric, values: Sequence[float]) -> PreparedColumn:
    batches = tuple(f"d{k:02}" for k in range(BATCHES))
    history = ColumnHistory("zone by id", "rows", "matched", batches, {metric.name: np.array(values)}, np.ones(BATCHES, dtype=bool))
    models, left_out = fit_metrics(history, metrics=[metric])
    tried = np.array([[0.5, 0.02]])
    return PreparedColumn("zone by id", "rows", batches, ROWS, "calibrated", tuple(models), tuple(left_out), ("half", "some"), tried)


def widest(column: PreparedColumn) -> Proposal:
    ((grid, _),) = column.grids
    return proposal_at(column, grid, len(grid.fpr) - 1, 0.001)


@pytest.mark.parametrize("values", [SELDOM, OFTEN])
def test_it_is_as_near_as_what_it_is_sold_for_allows(values: Sequence[float]) -> None:
    column = prepared(CHANGED, values)
    found = widest(column)
    made = nearer(column, found, 0.01)
    assert made.constraint.upper is not None
    assert found.constraint.upper is not None
    assert max(values) < made.constraint.upper < found.constraint.upper
    assert made.constraint.fpr <= LEAST / (BATCHES + 1)
    assert set(made.evidence.caught) >= set(found.evidence.caught)


def test_all_of_a_table_stay_within_what_it_may_cost() -> None:
    column = prepared(CHANGED, SELDOM)
    found = widest(column)
    assert nearer(column, found, found.constraint.fpr / 2) is found
    near, less = (nearer(column, found, most).constraint.upper or 0.0 for most in (0.01, 0.001))
    assert near < less


def test_of_a_list_it_is_near_whatever_the_law_says() -> None:
    """By the law's price alone the bound of a list of 1,700 rows lay 8.6 times beyond the most that were ever lost."""
    column = replace(prepared(EMPTIED, SELDOM), rows=1_700)
    found = widest(column)
    made = nearer(column, found, 0.0)
    assert made.constraint.upper is not None
    assert max(SELDOM) + 12 / 1_700 <= made.constraint.upper <= 1.5 * (max(SELDOM) + 12 / 1_700)
    assert made.constraint.fpr <= LEAST / (BATCHES + 1)


@pytest.mark.parametrize(("metric", "few", "price"), [(EMPTIED, 5, 0.0013), (CHANGED, 3, 0.0076), (KEYS_GONE, 3, 0.0059)])
def test_what_none_ever_lost_or_changed_a_few_rows_may(metric: Metric, few: int, price: float) -> None:
    """That 8 % of 400 descriptions may be lost where none ever was let 32 of them vanish."""
    column = prepared(metric, [0.0] * BATCHES)
    found = widest(column)
    made = nearer(column, found, 0.01)
    assert made is not found
    assert few / ROWS <= (made.constraint.upper or 0.0) <= 2 * few / ROWS
    assert made.constraint.fpr == pytest.approx(max(found.constraint.fpr, price))


@pytest.mark.parametrize("metric", [CHANGED, KEYS_GONE])
def test_of_few_rows_two_may_change_and_two_keys_go(metric: Metric) -> None:
    """That 2 % of the codes of 247 countries may change let four of them, and 5 % of the keys let 12 countries vanish."""
    column = replace(prepared(metric, [0.0] * BATCHES), rows=247)
    upper = nearer(column, widest(column), 0.01).constraint.upper
    assert upper is not None
    assert 2 / 247 <= upper < 3 / 247


def test_what_never_varied_and_what_comes_in_outbreaks_stay_as_they_are() -> None:
    still, lost, seldom = prepared(FILLED, [0.0] * BATCHES), prepared(EMPTIED, OFTEN), prepared(EMPTIED, SELDOM)
    assert not varies(widest(still))
    assert all(nearer(column, found := widest(column), 0.01) is found for column in (still, lost))
    assert nearer(seldom, found := widest(seldom), 0.01) is not found
