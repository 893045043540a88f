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


def of_sizes(sizes: np.ndarray, filled: float = 1.0) -> ColumnHistory:
    count = len(sizes)
    values = {
        GONE.name: np.append(np.nan, np.zeros(count - 1)), "top_ratio": np.full(count, 0.5), "row_count": sizes,
        "complete_ratio": np.full(count, filled),
    }  # fmt: skip
    return ColumnHistory("segment", "string", "", tuple(f"{k:02}" for k in range(count)), values, np.ones(count, dtype=bool))


@pytest.mark.parametrize(("small", "usual", "told"), [(68, 38.0, False), (68, 105.0, True), (12, 42.0, False), (4, 42.0, True)])
def test_where_batches_are_smaller_no_share_of_the_rows_is_told(small: int, usual: float, *, told: bool) -> None:
    """ "More than 19 % of the rows" was 20 of the last month of orders, and 4 of one of 24; that small months are few is no matter."""
    sizes = np.append(np.full(small, usual), np.full(80 - small, 107.0))
    (model,), _ = fit_metrics(of_sizes(sizes), metrics=[GONE])
    upper = candidates_of(model, rows=107).upper
    assert (upper == 0).any()
    assert bool(((upper > 0) & (upper < 0.2)).any()) is told


def test_of_a_column_that_is_mostly_null_its_values_tell_the_share() -> None:
    (model,), _ = fit_metrics(of_sizes(np.full(80, 3_000.0), filled=0.05), metrics=[GONE])
    upper = candidates_of(model, rows=3_000).upper
    assert upper[upper > 0].min() >= least_told(150) - 1e-9
