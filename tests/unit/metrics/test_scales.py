"""The scales on which rows move: where a bound is for a row, and how far is in words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.scales import RowScale, logged, plain_sizes, rooted


@given(st.booleans(), st.booleans(), st.floats(-1e9, 1e9), st.floats(0, 20))
def test_a_limit_is_as_far_as_the_bound_on_its_scale(up: bool, roots: bool, before: float, far: float) -> None:
    scaled = rooted if roots else logged
    limit = RowScale(up, roots).limit(before, far)
    moved = float(np.diff(scaled(np.array([before, limit])))[0])
    assert moved == pytest.approx(far if up else -far, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(
    ("scale", "far", "said"),
    [
        (RowScale(up=True), 0.0, "0"),
        (RowScale(up=True), 0.001, "0.1%"),
        (RowScale(up=False), np.log(1.0005), "0.05%"),
        (RowScale(up=True), np.log(1.25), "25%"),
        (RowScale(up=False), np.log(1.25), "20%"),
        (RowScale(up=True), np.log(1.5), "×1.5"),
        (RowScale(up=False), np.log(2.5), "60%"),
        (RowScale(up=False), np.log(22), "÷22"),
        (RowScale(up=True), np.log(1_000_000), "×1,000,000"),
        (RowScale(up=True), 1e9, "×1.01e+304"),
        (RowScale(up=False), float("inf"), "∞"),
        (RowScale(up=True, roots=True), 0.0, "0"),
        (RowScale(up=False, roots=True), 3.1, "186 from 1,000"),
        # Nobody pictures a fall of 0.8 counts.
        (RowScale(up=False, roots=True), 0.04, "2.53 from 1,000"),
        (RowScale(up=False, roots=True), 1e-6, "0.002 from 1,000,000"),
        (RowScale(up=True, roots=True), 120.0, "254,000 from 1,000,000"),
        # Of the column's own size, unless all of it goes or less than one.
        (RowScale(up=False, roots=True, size=6e12), 33_000.0, "161,000,000,000 from 6,000,000,000,000"),
        (RowScale(up=True, roots=True, size=80_000), 20.0, "11,700 from 80,000"),
        (RowScale(up=False, roots=True, size=300.0), 20.0, "3,600 from 10,000"),
        (RowScale(up=False, roots=True, size=100.0), 0.04, "2.53 from 1,000"),
    ],
)
def test_how_far_reads_as_a_factor_or_as_a_part_of_a_count(scale: RowScale, far: float, said: str) -> None:
    assert scale.read(far) == said


@pytest.mark.parametrize(
    ("scale", "far", "said"),
    [
        (RowScale(up=True), 0.11, "12%"),
        (RowScale(up=False), np.log(1.822), "46%"),
        (RowScale(up=False), np.log(9.9), "÷10"),
        (RowScale(up=True), np.log(3.16), "×3.2"),
        (RowScale(up=True), np.log(1.5), "×1.5"),
        (RowScale(up=True, roots=True), 7.6, "550 from 1,000"),
        (RowScale(up=False, roots=True), 0.1, "2 from 100"),
        (RowScale(up=False, roots=True), 16.0, "3,000 from 10,000"),
    ],
)
def test_a_bound_reads_as_a_person_would_write_it(scale: RowScale, far: float, said: str) -> None:
    assert scale.read(scale.rounded(far)) == said


@given(st.booleans(), st.booleans(), st.floats(0, 1000))
def test_a_bound_is_rounded_outwards_and_once(up: bool, roots: bool, far: float) -> None:
    scale = RowScale(up, roots)
    once = scale.rounded(far)
    assert far <= once
    assert scale.rounded(once) == pytest.approx(once, rel=1e-6)
    # At most by a fifth of what it says; the last part of a whole is far on any scale.
    if up and far < 100:
        before = 10_000.0
        assert scale.limit(before, once) - before <= 1.25 * (scale.limit(before, far) - before) + 1


def test_a_value_reads_on_the_count_of_the_bound_beside_it() -> None:
    fall = RowScale(up=False, roots=True)
    assert (fall.read(3.1, beside=3.1), fall.read(9.0, beside=3.1), fall.read(40.0, beside=3.1)) == (
        "186 from 1,000", "488 from 1,000", "all of 1,000",
    )  # fmt: skip


def test_sizes_are_of_what_is_there_to_one_digit() -> None:
    assert plain_sizes(np.array([0.0, np.nan, -41_234.0, 7.2e9, 38_000.0])) == (40_000, 7e9)
    assert plain_sizes(np.array([0.0, np.nan])) == ()
