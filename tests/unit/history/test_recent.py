"""Bounds from the last batches: as counted by hand, in words, and refused where they are none."""

from __future__ import annotations

from statistics import stdev
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.constraints import checks as c
from avh_ui.errors import UsageError
from avh_ui.history.recent import OF, Recent

VALUES = st.lists(st.integers(-50, 50).map(float), min_size=1, max_size=12).map(np.array)
FACTOR = st.sampled_from([None, -1.0, 0.5, 1.0, 2.0])


@given(
    VALUES, FACTOR, FACTOR, st.sampled_from(sorted(OF)), st.integers(1, 4), st.sampled_from([0.0, -1.0, 2.5]),
    st.sampled_from(["", "both"]), st.sampled_from([0.0, 1.5, -1.0]), st.booleans(),
)  # fmt: skip
def test_it_fires_where_a_loop_says_so(
    values: Any, lower: float | None, upper: float | None, of: str, batches: int, plus: float,
    strict: str, deviations: float, absolute: bool,
) -> None:  # fmt: skip
    if lower is None and upper is None:
        lower = 1.0
    spread = bool(deviations) or of == "standard_deviation"
    batches += spread and batches == 1
    least = batches if of == "first" else 2 if spread else 1
    expected = []
    for k in range(least, len(values)):
        before = values[max(0, k - batches) : k].tolist()
        number = stdev(before) if of == "standard_deviation" else OF[of](np.array(before))
        number = abs(number) if absolute else number
        wide = deviations * stdev(before) if deviations else 0.0
        low = lower is not None and _beyond(lower * number - wide + plus, values[k], strict)
        high = upper is not None and _beyond(-(upper * number + wide + plus), -values[k], strict)
        expected += [k] if low or high else []
    strategy = Recent(lower, upper, of, batches, plus, strict, deviations, absolute)
    assert strategy.least == least
    assert strategy.detect(values, 1) == expected
    with np.errstate(invalid="ignore"):
        along = strategy.along(values)
        assert np.flatnonzero((values < along[0]) | (values > along[1])).tolist() == expected


def _beyond(bound: float, value: float, strict: str) -> bool:
    return value <= bound if strict else value < bound


def test_of_no_batch_nothing_follows() -> None:
    with pytest.raises(UsageError, match="needs 1 batch before this one, and there are 0"):
        c.recent(0.8).following(np.array([]))
    assert c.recent(0.5, 2, of="max", batches=2).following(np.array([9.0, 3.0, 4.0])) == (2.0, 8.0)


@pytest.mark.parametrize(
    ("strategy", "words"),
    [
        (
            c.recent(1, of="mean", batches=5, deviations=3),
            "recent, at least the mean of the last 5 batches minus 3 times their standard deviation",
        ),
        (c.recent(None, 2, of="standard_deviation", batches=5), "recent, at most 2 times the standard deviation of the last 5 batches"),
        (c.recent(0.5, absolute=True), "recent, at least 0.5 times the batch before without its sign"),
        (
            c.recent(None, 1, of="first", batches=7, deviations=2),
            "recent, at most the batch 7 before plus 2 times the standard deviation of the last 7 batches",
        ),
        (c.recent(0.8, of="mean", batches=5), "recent, at least 0.8 times the mean of the last 5 batches"),
        (c.recent(None, 1, plus=50, strict="upper"), "recent, below the batch before plus 50"),
        (c.recent(1.5, of="first", batches=7), "recent, at least 1.5 times the batch 7 before"),
        (
            c.recent(1, 1.5, of="min", batches=3, plus=-1),
            "recent, at least the min of the last 3 batches minus 1 and at most 1.5 times the min",
        ),
    ],
)
def test_it_is_told_in_words(strategy: Recent, words: str) -> None:
    assert strategy.words.startswith(words)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "recent has no bound"),
        ({"lower": 1, "of": "maen"}, "no 'maen' of batches. Did you mean 'mean'"),
        ({"lower": 1, "batches": 0}, "batches=0 is no number of batches"),
        ({"lower": float("nan")}, "lower=nan of recent is not a number"),
        ({"lower": 1, "deviations": 2}, "One batch has no standard deviation"),
        ({"lower": 1, "of": "standard_deviation"}, "One batch has no standard deviation"),
        ({"lower": 1, "strict": "low"}, "strict='low' is no end"),
    ],
)
def test_what_is_no_such_strategy(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        Recent(**given)
    assert said in f"{caught.value}"
