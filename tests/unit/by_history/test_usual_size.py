"""Shares of batches of a few rows set no bound on those of the others."""

from __future__ import annotations

import numpy as np
import pytest

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.candidates import Candidates, candidates_of, fit_metrics
from avh_ui.inference.by_history.usual_size import of_usual_size
from avh_ui.metrics.counts import COMPLETE_RATIO
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.moments import RANGE
from avh_ui.metrics.most_frequent import TOP_RATIO

RNG = np.random.default_rng(8)
MONTHS = 80


def history(rows: np.ndarray, **values: np.ndarray) -> ColumnHistory:
    found = {"row_count": rows, "complete_ratio": np.ones(len(rows)), **values}
    return ColumnHistory("votes", "numeric", "", tuple(f"{k:03}" for k in range(len(rows))), found, np.ones(len(rows), dtype=bool))


def grid(metric: Metric, of: ColumnHistory) -> Candidates:
    (model,), _ = fit_metrics(of, metrics=[metric])
    return candidates_of(model, rows=int(of.values["row_count"][-1]))


def tiny(usual: float, few: float, size: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Rows of months, the first four of which have seven, and a share that varies a little, but for these."""
    rows, shares = np.full(MONTHS, float(size)), RNG.uniform(0.7, 1.0, MONTHS) * usual
    rows[:4], shares[:4] = 7.0, few
    shares[10] = usual
    return rows, shares


def test_a_value_of_many_rows_of_a_few_says_nothing_of_the_others() -> None:
    rows, tops = tiny(0.06, 0.2)
    assert not len(grid(TOP_RATIO, history(rows, top_ratio=tops)).upper)
    tops[:4] = 0.05
    upper = grid(TOP_RATIO, history(rows, top_ratio=tops)).upper
    assert len(upper)
    assert upper.max() <= 2.5 * 0.06


def test_of_small_tables_some_more_rows_may_be_the_same() -> None:
    rows = np.full(MONTHS, 24.0)
    found = of_usual_size(history(rows, top_ratio=np.full(MONTHS, 1 / 24)))[TOP_RATIO.name]
    assert (found.least, found.most, found.rows) == (1 / 24, 1 / 24, 24)
    assert found.most_frequent == pytest.approx(7.5 / 24)


def test_what_is_null_of_a_few_rows_says_nothing_of_the_others() -> None:
    rows, nulls = tiny(0.1, 0.3)
    lower = grid(COMPLETE_RATIO, history(rows, complete_ratio=1 - nulls)).lower
    assert not len(lower)
    nulls[:4] = 0.1
    lower = grid(COMPLETE_RATIO, history(rows, complete_ratio=1 - nulls)).lower
    assert len(lower)
    assert lower.min() >= 1 - 2.25 * 0.1


@pytest.mark.parametrize(("top", "said"), [(0.3, False), (0.7, True)])
def test_that_not_all_are_one_value_is_said_where_many_are(top: float, *, said: bool) -> None:
    spans = np.round(np.exp(RNG.normal(5.5, 0.6, MONTHS)))
    found = grid(RANGE, history(np.full(MONTHS, 90.0), range=spans, top_ratio=np.full(MONTHS, top)))
    assert bool(len(found.lower)) is said


@pytest.mark.parametrize(("usual", "both"), [(0.2, False), (0.5, True)])
def test_how_frequent_the_most_frequent_value_has_to_be_is_said_of_many_rows(usual: float, *, both: bool) -> None:
    tops = usual + RNG.normal(0, 0.004, MONTHS)
    lower = grid(TOP_RATIO, history(np.full(MONTHS, 900.0), top_ratio=tops)).lower
    assert len(lower)
    assert bool(np.isfinite(lower).any()) is both


def test_a_history_that_does_not_tell_its_rows_has_no_usual_size() -> None:
    of = history(np.ones(MONTHS))
    bare = ColumnHistory(of.column, of.kind, "", of.batches, {"top_ratio": np.full(MONTHS, 0.5)}, of.present)
    assert not of_usual_size(bare)
    assert not of_usual_size(history(np.zeros(MONTHS), top_ratio=np.full(MONTHS, 0.5))).keys() & {TOP_RATIO.name}


@pytest.mark.parametrize(
    ("least", "most", "farthest"),
    # What hardly varied, what varies beyond a quarter, and what hardly any of many rows are.
    [(0.23, 0.27, 0.37), (0.05, 0.26, 0.39), (0.012, 0.02, 0.038)],
)
def test_no_more_is_null_than_by_what_ever_was(least: float, most: float, farthest: float) -> None:
    missing = RNG.uniform(least, most, MONTHS)
    missing[[3, 9]] = least, most
    usual = of_usual_size(history(np.full(MONTHS, 1_000.0), complete_ratio=1 - missing))[COMPLETE_RATIO.name]
    assert 1 - usual.least_there == pytest.approx(farthest)
    found = grid(COMPLETE_RATIO, history(np.full(MONTHS, 1_000.0), complete_ratio=1 - missing))
    assert len(found.lower)
    assert np.all((found.lower == -np.inf) | (found.lower >= 1 - farthest - 0.005))
