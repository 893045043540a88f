"""Shares in verdicts have as many digits as tell them apart, and no more than people read."""

from __future__ import annotations

import pytest

from avh_ui.constraints.constraint import number
from avh_ui.constraints.verdict_words import brief


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
