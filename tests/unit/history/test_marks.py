"""Numbers that stand for no number are told from numbers, and bounds lie where the others end."""

from __future__ import annotations

import numpy as np
import pytest

from avh_ui.history.marks import mark_of, without_marks
from avh_ui.history.series import ColumnHistory

NEVER = np.ones(6, dtype=bool)


def history(least: list[float], most: list[float] | None = None) -> ColumnHistory:
    values = {"min": np.array(least), "max": np.array(most or [100.0] * len(least))}
    return ColumnHistory("pressure", "numeric", "number", tuple(f"d{k}" for k in range(len(least))), values, NEVER[: len(least)])


@pytest.mark.parametrize(
    ("least", "mark"),
    [
        ([-9999, 97, -9999, 98, -9999, 99], -9999),
        ([-999, -40, -999, -30, -999, -20], -999),
        ([-99, 0.5, -99, 0.25, -99, np.nan], -99),
        # A correction of -1, and one row that is far below all others.
        ([-1, 0, -1, 0, -1, 0], None),
        ([-9999, 97, 96, 98, 95, 99], None),
        # Changes of up to -40 %, and amounts down to -800.
        ([-99, -40, -99, -30, -99, -20], None),
        ([-999.5, 97, -999.5, 98, -999.5, 99], None),
        # Of nothing but marks nobody knows; nor whether what is not written as one is the end of a scale.
        ([-9999] * 6, None),
        ([-1000] * 6, None),
        ([np.nan] * 6, None),
        ([1, 2, 3, 4, 5, 6], None),
    ],
)
def test_what_is_far_below_all_others_again_and_again_stands_for_no_number(least: list[float], mark: float | None) -> None:
    assert mark_of(history(least)) == mark


def test_in_their_place_is_what_the_others_are() -> None:
    found = without_marks(history([-9999, 97, -9999, 98, -9999, 99], [-9999, 101, 103, 102, 104, 103])).values
    assert found["min"].tolist() == [97, 97, 97, 98, 97, 99]
    assert found["max"].tolist() == [103, 101, 103, 102, 104, 103]


def test_what_is_in_every_batch_is_told_by_how_it_is_written_and_by_the_middle_of_the_batch() -> None:
    one = history([-9999] * 6)
    one.values["median"] = np.array([-9999, 101, 102, 103, 104, 105.0])
    assert mark_of(one) == -9999
    assert without_marks(one).values["min"].tolist() == [101] * 6
    assert without_marks(one).values["median"].tolist() == [103, 101, 102, 103, 104, 105]
    other = history([-1000] * 6)
    other.values["median"] = one.values["median"]
    assert mark_of(other) is None


def test_a_history_without_marks_is_as_it_was() -> None:
    one = history([1, 2, 3, 4, 5, 6])
    assert without_marks(one) is one
