"""The order of batches, and histories cut and asked."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.errors import NotFoundError
from avh_ui.history.series import ColumnHistory, History, batch_order, sort_batches

ANY = st.text(st.characters(exclude_categories=()), max_size=10)


@pytest.mark.parametrize(
    "ordered",
    [
        ["2026-09-01", "20260902", "2026-09-03", "2026_09_04", "20260905"],
        ["orders 2026-09-01", "orders 20260902", "orders 2026/09/03,EU", "orders 20260904,DE"],
        ["2026-09-01", "20260901", "20260902"],
        ["b1", "b2", "b9", "b10", "b100"],
        ["2025-12-31", "2026-01-01", "2026-01-02", "2026-01-10", "2026-10-01"],
        ["2026-1-9", "2026-1-10", "2026-2-1"],
        ["2026-01-01T00:00", "2026-01-01T01:00", "2026-01-01T10:00", "2026-01-02T00:00"],
        ["20260101", "20260102", "20261231"],
        ["", "a", "b"],
        ["1", "01", "2"][1::-1],
    ],
)
def test_natural_order(ordered: list[str]) -> None:
    mixed = ordered[:]
    random.Random(0).shuffle(mixed)
    assert sort_batches(mixed) == ordered


@given(st.lists(ANY, max_size=8))
def test_sorting_is_total_and_keeps_each_once(batches: list[str]) -> None:
    found = sort_batches(batches)
    assert set(found) == set(batches)
    assert len(found) == len(set(batches))
    assert sort_batches(reversed(found)) == found


@given(ANY, ANY)
def test_different_batches_have_different_places(a: str, b: str) -> None:
    assert (batch_order(a) == batch_order(b)) == (a == b)


@given(st.lists(st.dates(), min_size=1, max_size=8))
def test_dates_sort_as_dates(dates: list[object]) -> None:
    assert sort_batches(str(d) for d in dates) == [str(d) for d in sorted(set(dates))]  # type: ignore[type-var]


def test_very_long_numbers_have_a_place() -> None:
    assert sort_batches(["9" * 5_000, "1"]) == ["1", "9" * 5_000]


def history() -> History:
    batches = ("b1", "b2", "b3")
    column = ColumnHistory("delay", "numeric", "double", batches, {"mean": np.array([1.0, 2.0, 3.0])}, np.array([True, False, True]))
    return History("p", batches, np.array([10.0, 20.0, 30.0]), {"delay": column})


@pytest.mark.parametrize("cut", [(0, 2), (1, 3), (-2, 3), (-1, 9), (2, 2)])
def test_a_window_is_a_slice(cut: tuple[int, int]) -> None:
    whole, found = history().column("delay"), history().column("delay").window(*cut)
    assert found.batches == whole.batches[slice(*cut)]
    assert list(found.series("mean")) == list(whole.series("mean"))[slice(*cut)]
    assert list(found.present) == list(whole.present)[slice(*cut)]


def test_what_is_not_there_names_the_nearest() -> None:
    assert history().index("b2") == 1
    with pytest.raises(NotFoundError, match="'delay'"):
        history().column("dealy")
    with pytest.raises(NotFoundError, match="'mean'"):
        history().column("delay").series("maen")
    with pytest.raises(NotFoundError, match="'b1'"):
        history().index("b")
