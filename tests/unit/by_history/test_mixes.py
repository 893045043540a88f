"""Shares of values that do not come again, and of shapes that are no form, are no mix."""

from __future__ import annotations

import hashlib

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.inference.by_history.mixes import is_standing, no_mix, shapes_at_once
from avh_ui.metrics.distances import NUMBER_DISTANCES, SHAPE_DISTANCES, TEXT_DISTANCES
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.uniqueness import DIST_VAL_COUNT
from tests.unit.by_history.making import batches_of, history_of


def hashes(rng: np.random.Generator) -> pa.Array:
    return pa.array([hashlib.md5(rng.bytes(8), usedforsecurity=False).hexdigest()[:8] for _ in range(300)])


def pooled(rng: np.random.Generator) -> pa.Array:
    """Hashes of 40 cards, each of which pays again and again."""
    return pa.array([hashlib.md5(bytes([k]), usedforsecurity=False).hexdigest()[:8] for k in rng.integers(0, 40, 300)])


def sessions(rng: np.random.Generator) -> pa.Array:
    """Four requests a session, and none on two days."""
    return pa.array([f"s{n:09}" for n in np.repeat(rng.integers(0, 10**9, 75), 4)])


def tails(rng: np.random.Generator) -> pa.Array:
    return pa.array([f"N{k:05}" if k % 3 else f"N{k % 1000:03}AA" for k in rng.integers(0, 60, 300)])


@pytest.mark.parametrize(
    ("make", "values", "shapes"),
    [(hashes, "once", "no form"), (pooled, "", "no form"), (sessions, "others", ""), (tails, "", "")],
)
def test_what_says_nothing_is_told_with_its_reason(make: object, values: str, shapes: str) -> None:
    history, profiles = history_of(batches_of(make, count=10))  # type: ignore[arg-type]
    for metrics, why in ((TEXT_DISTANCES, values), (SHAPE_DISTANCES, shapes)):
        said = {no_mix(history, profiles[-2], m) for m in metrics}
        assert len(said) == 1
        assert why in said.pop() if why else said == {""}


def wards(rng: np.random.Generator) -> pa.Array:
    return pa.array(rng.choice(["A1", "A2", "ICU", "ER"], 300))


def test_of_few_values_no_shapes_are_mixed_and_of_many_none_are_counted() -> None:
    history, profiles = history_of(batches_of(wards, count=10))
    assert {bool(no_mix(history, profiles[-2], m)) for m in SHAPE_DISTANCES} == {True}
    assert not any(no_mix(history, profiles[-2], m) for m in (*TEXT_DISTANCES, DIST_VAL_COUNT))
    nearly, profiles = history_of(batches_of(lambda rng: pa.array([f"{n:05}" for n in rng.integers(0, 2_000, 300)]), count=10))
    assert "counts rows" in no_mix(nearly, profiles[-2], DIST_VAL_COUNT)


def test_of_rows_that_stay_none_lose_values_by_chance() -> None:
    """Of a list of regions "no value loses more than 46 %" was said, where none ever lost more than 4."""
    drawn = [wards(np.random.default_rng(k)).to_pylist() for k in range(10)]
    stays = [pa.array([*drawn[0][:-k], *drawn[k][:k]] if k else drawn[0]) for k in range(10)]
    for batches, standing in ((stays, True), ([pa.array(one) for one in drawn], False)):
        history, profiles = history_of(batches)
        assert is_standing(history, profiles[-2]) is standing
        assert not is_standing(history, None)


def test_distances_of_numbers_are_kept_though_they_are_called_alike() -> None:
    history, profiles = history_of(batches_of(lambda rng: pa.array(rng.normal(size=100)), count=10))
    assert {m.name for m in NUMBER_DISTANCES} & {m.name for m in TEXT_DISTANCES}
    assert not any(no_mix(history, profiles[-2], m) for m in NUMBER_DISTANCES)


@pytest.mark.parametrize(("most", "said"), [(15, False), (900, True)])
def test_of_many_numbers_that_are_names_their_order_says_nothing(most: int, said: bool) -> None:
    history, profiles = history_of([pa.array(np.random.default_rng(k).integers(1, most, 500)) for k in range(8)])
    apart = {m.name: no_mix(history, profiles[-2], m, names=True) for m in NUMBER_DISTANCES}
    assert {bool(why) for name, why in apart.items() if name not in ("emd", "cohen_d")} == {said}
    assert not apart["emd"]
    assert not any(no_mix(history, profiles[-2], m) for m in NUMBER_DISTANCES)


def test_as_many_shapes_as_are_equally_frequent() -> None:
    assert shapes_at_once(ColumnProfile.from_arrow("x", pa.array(["a", "1", "a1", "1a"] * 5))) == pytest.approx(4)
    assert shapes_at_once(ColumnProfile.from_arrow("x", pa.array(["ab", "c"]))) == pytest.approx(1)
    assert shapes_at_once(ColumnProfile.from_arrow("x", pa.array([None], pa.string()))) == 0
    assert shapes_at_once(None) == 0
