"""Steps within a history: found where one is, and seldom where none is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from avh_ui.history.steps import BEFORE, REACHES, WEEK, Step, last_step

YEAR = 365
Rng = np.random.Generator
Make = Callable[[Rng], NDArray[np.float64]]
WEEKDAYS = np.resize([1, 1.1, 1.05, 1, 1.2, 0.5, 0.4], YEAR)


def following(rng: Rng, share: float) -> NDArray[np.float64]:
    noise, found = rng.normal(size=YEAR), np.zeros(YEAR)
    for k in range(1, YEAR):
        found[k] = share * found[k - 1] + noise[k]
    return found


STILL: dict[str, Make] = {
    "normal": lambda r: 100 + 10 * r.normal(size=YEAR),
    "lognormal": lambda r: np.exp(r.normal(size=YEAR)),
    "heavy tails": lambda r: r.standard_t(2, size=YEAR),
    "counts": lambda r: r.poisson(3, size=YEAR).astype(float),
    "rare nulls": lambda r: 1 - r.binomial(500, 0.0005, size=YEAR) / 500,
    "follows itself": lambda r: 10 + following(r, 0.5),
    "weekdays": lambda r: 100 * WEEKDAYS * (1 + 0.05 * r.normal(size=YEAR)),
    "empty weekends": lambda r: 100 * np.resize([1, 1, 1, 1, 1, 0.01, 0.01], YEAR) * (1 + 0.05 * r.normal(size=YEAR)),
    "days of a month": lambda r: 10 + ((np.arange(YEAR) % 30) < 3) + 0.3 * r.normal(size=YEAR),
}


@pytest.mark.parametrize("sort", STILL)
def test_nothing_is_offered_where_nothing_changes(sort: str) -> None:
    rng = np.random.default_rng(len(sort))
    assert [last_step(STILL[sort](rng), (7,)) for _ in range(40)] == [None] * 40


def test_a_wave_of_a_year_is_seldom_taken_for_a_step() -> None:
    rng, days = np.random.default_rng(0), 2 * np.pi * np.arange(YEAR) / YEAR
    waves = [10 + 3 * np.sin(days + 2 * np.pi * rng.random()) + 0.5 * rng.normal(size=YEAR) for _ in range(100)]
    assert sum(last_step(wave, (7,)) is not None for wave in waves) <= 6


@pytest.mark.parametrize("sort", ["normal", "weekdays", "rare nulls", "counts"])
def test_a_step_is_found_where_it_is(sort: str) -> None:
    rng, places = np.random.default_rng(1), range(250, YEAR - 2 * WEEK, 9)
    for place in places:
        series = STILL[sort](rng)
        level = float(np.median(series))
        series[place:] += 8 * max(float(series.std()), 0.01)
        found = last_step(series, (7,))
        assert found is not None, place
        assert abs(found.place - place) <= 1
        assert abs(found.before - level) <= series[:place].std() + 1e-9
        assert found.since > found.before


def test_a_constant_that_became_another_is_a_step_after_two_weeks() -> None:
    for since, expected in ((2 * WEEK - 1, None), (2 * WEEK, Step(100, 1.0, 0.7)), (REACHES, Step(100, 1.0, 0.7))):
        assert last_step(np.concatenate([np.ones(100), np.full(since, 0.7)])) == expected
    assert last_step(np.concatenate([np.ones(BEFORE - 1), np.full(30, 0.7)])) is None
    assert last_step(np.full(200, 3.0)) is None


def test_what_only_grows_has_a_step_only_where_it_jumps() -> None:
    """A total that stood nearly still, and grows by a tenth a day for some weeks, is no other level; one that is half as large again is."""
    slow = 1_000 + np.arange(60.0)
    wave = slow[-1] + 8.0 * np.arange(1, 41)
    assert last_step(np.concatenate([slow, wave])) is None
    found = last_step(np.concatenate([slow, 1.5 * slow[-1] + np.arange(40.0)]))
    assert found is not None
    assert found.place == 60


def test_what_went_back_or_is_not_known_is_no_step() -> None:
    rng = np.random.default_rng(2)
    series = 100 + rng.normal(size=200)
    series[150:180] += 20
    assert last_step(series[:180]) is not None
    assert last_step(series) is None
    series[150:180] = np.nan
    assert last_step(series) is None
    assert last_step(np.full(200, np.nan)) is None
    series[190:] = np.nan
    assert last_step(series) is None


def test_batches_that_are_not_known_keep_their_places() -> None:
    series = np.concatenate([np.ones(60), np.full(40, 2.0)])
    series[[3, 30, 59, 60, 71]] = np.nan
    assert last_step(series) == Step(61, 1.0, 2.0)
