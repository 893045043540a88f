"""Orders that names or whole days tell: what rows alone would leave open."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.inference.by_relation.cells import SampledRows
from avh_ui.inference.by_relation.mining import mine
from avh_ui.inference.by_relation.orders import named
from avh_ui.metrics.profiler import Watch


def orders_of(make: Any, rows: int = 120) -> set[str]:
    parts = []
    for k in range(5):
        table = pa.table(make(np.random.default_rng((3, k)), rows))
        parts.append(SampledRows.of_table(str(k), table, table.column_names, table.num_rows))
    return {one.says for one in mine(parts, list(parts[0].cells), untyped=True, watch=Watch()) if one.family == "order"}


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        ("temp_min", "temp", True), ("temp", "temp_max", True), ("gust", "Max Gust", True), ("minSpeed", "speed", True),
        ("temp_max", "temp", False), ("temp", "temp_min", False), ("wind", "gust_max", False), ("max", "max", False),
        ("x", "max", False), ("temp", "maxima_temp", False),
    ],
)  # fmt: skip
def test_a_name_with_a_word_for_an_end_says_an_order_to_the_name_without(low: str, high: str, told: bool) -> None:
    assert named(low, high) is told


def hours(rng: np.random.Generator, rows: int) -> dict[str, Any]:
    wind = rng.uniform(2, 20, rows)
    # As far apart as no row shows by itself that they are one quantity, and a third that happens to be below both.
    return {"wind": np.round(wind, 1), "wind_max": np.round(wind + rng.uniform(3, 9, rows), 1), "calm": np.round(wind / 3, 1)}


def test_what_is_called_the_most_of_a_column_is_never_below_it() -> None:
    assert orders_of(hours) == {"wind is never above wind_max"}


def test_one_row_above_its_most_is_no_order() -> None:
    def broken(rng: np.random.Generator, rows: int) -> dict[str, Any]:
        made = hours(rng, rows)
        return {**made, "wind": np.append(made["wind"][1:], made["wind_max"][-1] + 1)}

    assert orders_of(broken) == set()


def stays(step: str) -> Any:
    def make(rng: np.random.Generator, rows: int) -> dict[str, Any]:
        begun = np.datetime64("2024-03-01", step) + rng.integers(0, 200 if step == "D" else 200 * 86_400, rows)
        nights = 1 + np.minimum(rng.geometric(0.3, rows) - 1, 40)
        left = begun + nights * np.timedelta64(1, "D") + rng.integers(0, 1 if step == "D" else 40_000, rows)
        return {"ci": begun.astype(str).tolist(), "co": left.astype(str).tolist()}

    return make


def test_days_of_which_many_are_next_to_each_other_and_none_before_are_in_order() -> None:
    """Half of the stays are between two and four nights: none is near zero but those of one night."""
    assert orders_of(stays("D"), 90) == {"ci is never after co"}


def test_a_day_is_not_near_where_moments_are_known_to_the_second() -> None:
    assert orders_of(stays("s"), 90) == set()


def test_numbers_of_nothing_known_are_no_order() -> None:
    """An instrument writes -9999 for what it did not measure: water and carbon dioxide have that together, and nothing else."""

    def gases(rng: np.random.Generator, rows: int) -> dict[str, Any]:
        there, listed = rng.random(rows) > 0.4, np.round(rng.gamma(4, 9, rows))
        paid = np.where(rng.random(rows) > 0.5, listed, np.round(listed * rng.random(rows)))
        water, carbon = np.round(rng.uniform(3, 33, rows), 1), np.round(rng.uniform(5, 60, rows), 1)
        low, high = np.minimum(water, carbon), np.maximum(water, carbon)
        gases = {"H2O": np.where(there, low, -9999), "CO2": np.where(there, high, -9999)}
        return {**gases, "V_SIGMA": gases["H2O"] + 0.5, "W_SIGMA": gases["CO2"] + 0.5, "paid": paid, "listed": listed}

    found = orders_of(gases)
    assert "paid is never above listed" in found
    assert "H2O is never above CO2" not in found
    assert "V_SIGMA is never above W_SIGMA" in found, "of names alike"
