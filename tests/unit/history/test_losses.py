"""Slow losses are told from whatever else a share of values may do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from avh_ui.history.losses import slow_loss

DAYS = np.arange(120)
Noise = Callable[[np.random.Generator], np.ndarray]
QUIET: dict[str, Noise] = {
    "even": lambda rng: 0.95 + rng.normal(0, 0.015, 120),
    "full": lambda rng: np.ones(120),
    "outbreaks": lambda rng: 1 - np.where(rng.random(120) < 0.05, 0.6 * rng.random(120), 0.01 * rng.random(120)),
    "a step": lambda rng: 0.95 - 0.2 * (DAYS >= 60) + rng.normal(0, 0.015, 120),
    "a rise": lambda rng: 0.5 + 0.003 * DAYS + rng.normal(0, 0.015, 120),
}
LOST: dict[str, Noise] = {
    "from the 30th": lambda rng: 0.95 - 0.004 * np.maximum(0, DAYS - 30) + rng.normal(0, 0.015, 120),
    "from the first": lambda rng: 0.95 - 0.002 * DAYS + rng.normal(0, 0.01, 120),
    "of late": lambda rng: 0.95 - 0.01 * np.maximum(0, DAYS - 80) + rng.normal(0, 0.015, 120),
}


@pytest.mark.parametrize("name", QUIET)
def test_nothing_is_lost_where_nothing_falls_slowly(name: str) -> None:
    assert all(slow_loss(QUIET[name](np.random.default_rng(seed))) is None for seed in range(20))


@pytest.mark.parametrize("name", LOST)
def test_a_slow_loss_is_told_with_its_levels(name: str) -> None:
    for seed in range(20):
        found = slow_loss(LOST[name](np.random.default_rng(seed)))
        assert found is not None
        assert found.before > 0.88
        assert found.since < found.before - 0.1
        assert 7 <= found.place <= 95


def test_short_histories_say_nothing() -> None:
    assert slow_loss(np.linspace(1, 0, 40)) is None
    assert slow_loss(np.full(200, np.nan)) is None
