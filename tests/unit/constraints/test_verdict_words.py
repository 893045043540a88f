"""Shares in verdicts have as many digits as tell them apart, and no more than people read."""

from __future__ import annotations

import pytest

from avh_ui.constraints.constraint import number
from avh_ui.constraints.verdict_words import beyond_bounds, brief, rounded


def plainly(value: float | None) -> str:
    return f"{number(None if value is None else 100 * value)}%"


@pytest.mark.parametrize(
    ("observed", "bound", "words"),
    [
        (0.7629629629, 0.76, "76.3%"),
        (0.9996377, 1.0, "99.9638%"),
        (0.00012345, 0.0001, "0.0123%"),
        (1 / 3, 0.5, "33.3%"),
        (0.0, 0.5, "0%"),
        (1.0, 0.5, "100%"),
        # Three digits do not tell these apart.
        (0.760001, 0.76, "76.0001%"),
        # No share, as some measures are.
        (1.25, 1.0, "125%"),
    ],
)
def test_a_share_is_told_in_three_digits_of_what_is_there_or_missing(observed: float, bound: float, words: str) -> None:
    read = brief(plainly, (observed, bound, None, float("nan")))
    assert read(observed) == words
    assert read(bound) != words


def test_nearly_all_and_nearly_none_are_left_to_who_reads_them() -> None:
    for share in (1 - 1e-9, 1e-9):
        assert brief(plainly, (share, 0.5)) is plainly


@pytest.mark.parametrize(
    ("observed", "bound", "words"),
    [
        (81.5926, 86.0, "81.59"),
        (14_560.23, 32.9, "14,560"),
        (0.169611, 0.047, "0.1696"),
        (16_400.0, 16_000.0, "16,400"),
        (1_234_567.8, 5.0, "1,234,568"),  # a large number stays whole
        (86.004, 86.0, "86.004"),  # four digits would be those of the bound
    ],
)
def test_what_was_observed_is_told_in_four_digits_and_a_bound_as_it_was_approved(observed: float, bound: float, words: str) -> None:
    read = rounded(number, observed, bound, None)
    assert read(bound) == number(bound)
    assert read(observed) == words


@pytest.mark.parametrize(
    ("observed", "lower", "upper", "words"),
    [
        (0.0, 0.0, None, "not above 0%"),
        (0.5, None, 0.5, "not below 50%"),
        (0.4, 0.5, 0.5, "not 50% as it should be"),
        (0.4, 0.5, None, "below the lower bound 50%"),
        (0.6, 0.1, 0.5, "above the upper bound 50%"),
    ],
)
def test_a_value_on_a_bound_that_it_may_not_reach_is_not_beyond_it(
    observed: float, lower: float | None, upper: float | None, words: str
) -> None:
    assert beyond_bounds(observed, lower, upper, plainly) == words
