"""Matching several samples of the same rows at once finds of each what matching it alone does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.matched_measures import measured_of, one_of
from avh_ui.metrics.matching import Matched, changes, match_together
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import AsNumber, Need, Rows, RowTest

NUMBERS = st.lists(st.one_of(st.integers(-3, 40).map(float), st.just(float("nan"))), min_size=10, max_size=10)


def sample(numbers: list[float], first: int = 0) -> RowSample:
    arrays: dict[str | RowTest | AsNumber, Any] = {
        "id": pa.array([f"r{first + k}" for k in range(len(numbers))]),
        "n": pa.array(numbers, mask=np.isnan(numbers)),
        "other": pa.array(["x"] * len(numbers)),
    }
    return RowSample.of_rows(Rows(len(numbers), arrays), Need(RowSample, ("id", "n", "other"), None, Drawing(1)))


def spoiled(of: RowSample, numbers: list[float]) -> Matched:
    return Matched(replace(of, columns={"id": of.columns["id"], "n": replace(of.columns["n"], numbers=np.array(numbers))}), "n")


@given(NUMBERS, NUMBERS, st.lists(NUMBERS, min_size=1, max_size=4), st.integers(0, 11))
def test_each_is_as_far_as_matched_alone(then: list[float], now: list[float], faults: list[list[float]], first: int) -> None:
    before, after = Matched(sample(then), "n"), sample(now, first)
    together, alone = ([spoiled(after, numbers) for numbers in faults] for _ in range(2))
    match_together([*together, *together], before)
    # As texts: NaN is no NaN.
    assert [str(measured_of(one, before)) for one in together] == [str(measured_of(one, before)) for one in alone]
    assert [one_of(one, before, "spoiled_share") for one in together] == [one_of(one, before, "spoiled_share") for one in alone]


def test_beside_another_batch_it_is_matched_anew() -> None:
    one, before, other = (Matched(sample([1.0, numbers, 3.0]), "n") for numbers in (2.0, 2.0, 5.0))
    match_together([one], before)
    assert [found.changed_rows for found in (changes(one, before), changes(one, other)) if found is not None] == [0, 1]
