"""Shares that move between values."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest

from avh_ui.issues.variants import MIXED, PAPER, WITH_NULLS, synthetic_issues

NAMES = pa.array(["card"] * 60 + ["cash"] * 30 + ["app"] * 10 + [None] * 5)


def made(array: pa.Array) -> dict[str, pa.Array]:
    return {v.name: v.array for v in synthetic_issues(array, magnitudes=WITH_NULLS) if v.type == MIXED}


@pytest.mark.parametrize("array", [NAMES, pa.array([200] * 60 + [301] * 30 + [404] * 10)])
def test_half_of_the_most_frequent_value_goes_to_the_others_and_none_is_new_or_lost(array: pa.Array) -> None:
    (found,) = made(array).values()
    before, after = Counter(array.to_pylist()), Counter(found.to_pylist())
    assert before.keys() == after.keys()
    (most, count), *others = before.most_common()
    assert after[most] == count / 2
    assert after[None] == before[None]
    for value, was in others:
        assert value is None or after[value] > was
    # As often as they occur: of the 30 rows that moved some three quarters are the more frequent one's.
    gained = [after[value] - was for value, was in others if value is not None]
    assert gained[0] > gained[1]


@pytest.mark.parametrize("array", [pa.array(["a"] * 50), pa.array([f"v{k}" for k in range(50)]), pa.array([None] * 9, pa.string())])
def test_of_one_value_or_of_all_different_ones_no_mix_moves(array: pa.Array) -> None:
    assert made(array) == {}


def test_the_paper_has_no_such_issue() -> None:
    assert not any(v.type == MIXED for v in synthetic_issues(NAMES, magnitudes=PAPER))
