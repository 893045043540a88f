"""That no frequent value is gone is said only where the rows of a batch tell it."""

from __future__ import annotations

import numpy as np
import pytest

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.candidates import Candidates, candidates_of, fit_metrics
from avh_ui.metrics.catalogue import metric
from avh_ui.metrics.values_gone import by_chance, least_told
from tests.unit.by_history.making import one_metric

GONE = metric("gone_ratio", "string")


def grid(rows: int, series: np.ndarray | None = None) -> Candidates:
    shares = np.append(np.nan, np.zeros(79)) if series is None else series
    (model,), _ = fit_metrics(one_metric(GONE.name, shares), metrics=[GONE])
    return candidates_of(model, rows=rows)


@pytest.mark.parametrize("rows", [100, 1_000, 50_000])
def test_the_least_share_is_that_of_the_rows_that_chance_leaves_out(rows: int) -> None:
    assert least_told(rows) * rows == pytest.approx(by_chance(rows, rows))


def test_of_a_month_of_days_nothing_is_said() -> None:
    assert not len(grid(30).upper)


@pytest.mark.parametrize("rows", [100, 200, 1_000])
def test_no_bound_is_nearer_than_rows_tell(rows: int) -> None:
    upper = grid(rows).upper
    assert len(upper)
    assert upper[0] == 0
    assert upper[upper > 0].min() >= least_told(rows) - 1e-9


@pytest.mark.parametrize(("top", "said"), [(0.13, False), (0.6, True)])
def test_where_no_value_is_as_frequent_nothing_is_said(top: float, *, said: bool) -> None:
    """ "Every team that some 20 rows or more had comes again" was said where the largest had 12 for years."""
    shares = np.append(np.full(60, 0.9), np.full(20, top))
    counts = {"row_count": np.full(80, 100.0), "complete_ratio": np.ones(80)}
    values = {GONE.name: np.append(np.nan, np.zeros(79)), "top_ratio": shares, **counts}
    history = ColumnHistory("team", "string", "", tuple(f"{k:02}" for k in range(80)), values, np.ones(80, dtype=bool))
    (model,), _ = fit_metrics(history, metrics=[GONE])
    upper = candidates_of(model, rows=100).upper
    assert bool(len(upper)) is said
    assert (upper < top).all()
