"""What several rules of one meaning are called together."""

from __future__ import annotations

import pytest

from avh_ui.review.meaning import COLUMN, of_several


@pytest.mark.parametrize(
    ("meant", "said"),
    [
        ("is between … and …", "2 columns stay within limits of their own"),
        ("has … to … letters on average", "2 columns have their usual number of letters on average"),
        ("is … to … characters long on average", "2 columns have their usual length on average"),
        ("agrees with the batch's date", "2 columns agree with the batch's date"),
        ("stays the same in at most … of the rows matched by the key", "2 columns stay the same in at most the usual share of the rows"),
    ],
)
def test_several_columns_have_bounds_of_their_own(meant: str, said: str) -> None:
    assert of_several(f"{COLUMN} {meant}", ["delay", "distance"]).startswith(said)
    alone = (
        said.replace("2 columns stay ", "delay stays ")
        .replace("2 columns have ", "delay has ")
        .replace("2 columns agree ", "delay agrees ")
        .replace("their", "its")
    )
    assert of_several(f"{COLUMN} {meant}", ["delay"]).startswith(alone), "one column may have two rules of one meaning"
    assert (
        of_several(f"The distribution of {COLUMN} barely changes (at most …)", "ab")
        == "The distribution of each of 2 columns barely changes"
    )
    large = of_several(f"No large {COLUMN} of the rows matched by the key becomes 0", "ab")
    assert large == "No large value of 2 columns of the rows matched by the key becomes 0"
    assert of_several(f"{COLUMN} are never null", ["a + b + c", "d + e"]) == "Columns are never null", "each rule is of several already"
