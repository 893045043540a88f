"""How many numbers are beyond all those of another batch: as a naive count says, and nothing where a few are by chance."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.beyond import Beyond, beyond
from avh_ui.metrics.profile import ColumnProfile

RNG = np.random.default_rng(3)


def told(now: object, then: object) -> Beyond | None:
    return beyond(*(ColumnProfile.from_arrow("km", pa.array(values)).states for values in (now, then)))


def test_half_of_the_rows_in_another_unit_are_told_with_the_factor() -> None:
    then = RNG.lognormal(3.2, 0.5, 760)
    now = RNG.lognormal(3.2, 0.5, 768)
    now[::2] *= 1000
    found = told(now, then)
    assert found is not None
    assert (found.count, found.n, found.above) == (384, 768, True)
    said = found.words("km", "2026-07-25")
    assert said.startswith(f"384 of 768 values of km are above {then.max():.4g}, the largest in 2026-07-25: in the middle ")
    assert found.factor == pytest.approx(1000, rel=0.2)


def test_what_fell_below_all_is_told_without_a_factor() -> None:
    found = told([0] * 20 + [50] * 80, [30, 50, 70] * 30)
    assert found is not None
    assert found.words("n", "b1") == "20 of 100 values of n are below 30, the smallest in b1."


def test_numbers_drawn_again_are_not_beyond() -> None:
    assert all(told(RNG.normal(0, 1, 900), RNG.normal(0, 1, 900)) is None for _ in range(20))


def test_of_a_sketch_it_is_about_so_many() -> None:
    then, now = RNG.normal(100, 5, 20_000), RNG.normal(100, 5, 20_000)
    now[:8_000] *= 10
    found = told(now, then)
    assert found is not None
    assert found.words("n", "b1").startswith("About ")
    assert found.count == pytest.approx(8_000, rel=0.05)


def test_without_numbers_there_is_nothing_to_say() -> None:
    assert told(["a"], [1]) is None
    assert told(pa.array([], pa.float64()), [1.0]) is None


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=60), st.lists(st.integers(-50, 50), min_size=1, max_size=60))
def test_it_is_what_a_loop_counts(now: list[int], then: list[int]) -> None:
    found = told(now, then)
    above, below = sum(v > max(then) for v in now), sum(v < min(then) for v in now)
    if found is None:
        assert max(above, below) < 5
    else:
        assert (found.count, found.n) == (max(above, below), len(now))
