"""Numbers of rows beside their weekday: half of a working day is noticed where weekends are small and vary more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.candidates import candidates_of, fit_metrics
from avh_ui.inference.by_history.on_weekdays import by_weekday
from avh_ui.inference.by_history.recipes import recipe_of
from avh_ui.inference.by_history.seasons import MIDDLE, form_of
from avh_ui.inference.by_history.usual import usual_noticed
from avh_ui.metrics.counts import ROW_COUNT
from tests.unit.by_history.making import one_metric

DAYS = pd.date_range("2026-01-05", periods=84)
IDS = tuple(DAYS.strftime("%Y-%m-%d"))


def parcels(count: int = 84, seed: int = 3) -> np.ndarray:
    """Days of about 1,000 rows that vary by 12 %, and small weekends that vary by twice as much."""
    rng, weekday = np.random.default_rng(seed), np.arange(count) % 7
    return np.round(
        np.choose(weekday, [1_000, 1_150, 1_050, 1_000, 1_100, 260, 60]) * np.exp(rng.normal(0, np.where(weekday < 5, 0.12, 0.25)))
    )


def history(rows: np.ndarray, ids: Sequence[str]) -> ColumnHistory:
    return replace(one_metric("row_count", rows.tolist()), batches=tuple(ids))


def test_levels_are_the_medians_of_weekdays_and_each_day_stands_beside_the_others() -> None:
    rows = parcels()
    found = by_weekday(rows, IDS)
    assert found is not None
    transform, apart = found
    assert transform.weekdays is not None
    logs = pd.Series(np.log1p(rows))
    usual = np.expm1(logs.groupby(DAYS.weekday).median())
    assert transform.weekdays.usual == pytest.approx(usual.tolist(), abs=0.06)
    others = [logs[(DAYS.weekday == DAYS.weekday[k]) & (np.arange(84) != k)].median() for k in range(84)]
    spread = np.array(transform.weekdays.spread)[DAYS.weekday]
    assert apart == pytest.approx((logs - others) / spread)
    # Weekends vary more, and are known to.
    assert min(transform.weekdays.spread[5:]) > max(transform.weekdays.spread[:5])


def test_half_of_a_working_day_is_noticed_and_no_clean_day_alarms() -> None:
    noticed = alarms = 0
    for seed in range(5):
        rows = parcels(126, seed)
        days = tuple(pd.date_range("2026-01-05", periods=126).strftime("%Y-%m-%d"))
        (model,), _ = fit_metrics(history(rows[:84], days[:84]), metrics=[ROW_COUNT], season_lags=(7,))
        assert model.transform.weekdays is not None
        grid = candidates_of(model)
        at = int(np.flatnonzero(grid.fpr <= 0.001)[0])
        assert usual_noticed(grid, ["volume_change 50%"], (7,), MIDDLE)[at].all()
        later = model.transform.apply(rows, days)[84:]
        halves = model.transform.apply(rows // 2, days)[84:]
        alarms += int(((later < grid.lower[at]) | (later > grid.upper[at])).sum())
        noticed += int((halves < grid.lower[at])[np.arange(42) % 7 < 5].sum())
    assert alarms == 0
    assert noticed > 0.7 * 5 * 30


def test_its_bounds_follow_the_history_and_leave_out_a_single_odd_day() -> None:
    rows = parcels()
    rows[40] = 2_300
    (model,), _ = fit_metrics(history(rows, IDS), metrics=[ROW_COUNT], season_lags=(7,))
    assert len(model.values) == 83
    recipe = recipe_of(model, "calibrated", 2.0, -5.0, 5.0)
    assert recipe is not None
    assert (recipe.alone, recipe.factor, recipe.whole, recipe.least) == (True, False, False, None)
    assert recipe.deviation == pytest.approx(np.abs(model.values - model.values.mean()).max())


@pytest.mark.parametrize(
    ("rows", "ids"),
    [
        (parcels(), tuple(f"b{k:03}" for k in range(84))),
        (parcels(), IDS[::-1]),
        (parcels()[:20], IDS[:20]),
        (np.full(84, 500.0), IDS),
        (1_000 * np.exp(np.random.default_rng(1).normal(0, 0.3, 84)), IDS),
    ],
    ids=["no days", "no order", "few turns", "constant", "no week"],
)
def test_without_a_week_that_is_known_there_is_none(rows: np.ndarray, ids: tuple[str, ...]) -> None:
    assert by_weekday(rows, ids) is None


def test_where_the_rows_as_they_are_tell_it_they_stay() -> None:
    rows = np.round(1_000 * np.exp(np.random.default_rng(1).normal(0, 0.03, 84)) * np.where(np.arange(84) % 7 == 5, 0.85, 1))
    form = form_of(ROW_COUNT, rows, IDS, "calibrated", (7,))
    assert form is not None
    assert form[0].is_identity
    # Quiet weekends that hardly vary are compared with those of a week before, as they were.
    quiet = np.round(np.where(np.arange(84) % 7 < 5, 1_000, 200) * np.exp(np.random.default_rng(1).normal(0, 0.03, 84)))
    form = form_of(ROW_COUNT, quiet, IDS, "calibrated", (7,))
    assert form is not None
    assert (form[0].lag, form[0].weekdays) == (7, None)


def growing(count: int, seed: int, noise: float = 0.06, until: int | None = None) -> tuple[np.ndarray, tuple[str, ...]]:
    """Orders of a shop with a week that grow by 0.6 % a day, up to a day."""
    rng, places = np.random.default_rng(seed), np.arange(count)
    grown = 1.006 ** np.minimum(places, count if until is None else until)
    week = np.array([1, 1.02, 0.98, 1.05, 1.25, 0.6, 0.45])[places % 7]
    rows = np.round(420 * grown * week * np.exp(rng.normal(0, noise, count)))
    return rows, tuple(pd.date_range("2025-09-01", periods=count).strftime("%Y-%m-%d"))


@pytest.mark.parametrize(("learned", "noise"), [(60, 0.06), (110, 0.12)])
def test_what_grows_beside_its_week_is_held_to_what_is_usual_by_then(learned: int, noise: float) -> None:
    noticed = alarms = 0
    for seed in range(4):
        rows, days = growing(learned + 56, seed, noise)
        (model,), _ = fit_metrics(history(rows[:learned], days[:learned]), metrics=[ROW_COUNT], season_lags=(7,))
        week = model.transform.weekdays
        assert week is not None
        assert week.growth == pytest.approx(0.006, abs=0.002)
        # What is usual is that of the last day, by its weekday.
        assert week.usual[0] == pytest.approx(420 * 1.006**learned, rel=0.15)
        grid = candidates_of(model)
        at = int(np.flatnonzero(grid.fpr <= 0.001)[0])
        ended, _ = growing(learned + 56, seed, noise, until=learned)
        later, halves, still = (model.transform.apply(some, days)[learned:] for some in (rows, rows // 2, ended))
        alarms += sum(int(((some < grid.lower[at]) | (some > grid.upper[at])).sum()) for some in (later, still))
        noticed += int((halves[:28] < grid.lower[at]).sum())
    assert alarms == 0
    assert noticed > 0.6 * 4 * 28


def test_a_week_that_does_not_grow_is_told_as_of_no_day() -> None:
    found = by_weekday(parcels(), IDS)
    assert found is not None
    assert found[0].weekdays is not None
    assert "growth" not in found[0].record["weekdays"]  # type: ignore[operator]
