"""What makes no numbers of texts, in words."""

from __future__ import annotations

import pytest

from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.number_slips import number_slips
from avh_ui.metrics.withholding import hashed_text


def said(*texts: str) -> str:
    return number_slips(FrequencyState(dict.fromkeys(texts, 1), len(texts)))


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["$71.36", "\u20ac 5", "12"], "2 of 3 have a currency sign"),
        (["12,50 \u20ac", "7"], "1 of 2 have a currency sign"),
        (["31%", "4.5 %"], "2 of 2 have a percent sign"),
        (["1,234", "1,234,567", "12"], "2 of 3 have a comma between thousands"),
        (["1,234.50"], "1 of 1 have a comma between thousands"),
        (["1,5", "5,236"], "2 of 2 have a comma for the decimal point"),
        (["0,512"], "1 of 1 have a comma for the decimal point"),
        (["5,236", "4,112"], "2 of 2 have a comma"),
        (["1.234,50", "1 234", "1'234"], "3 of 3 have a mark between thousands"),
        (["01234", "12"], "1 of 2 begin with 0, as codes do"),
        (["12 ", " 7"], "2 of 2 have blanks around them"),
        (["'12'", "'7"], "2 of 2 have quotation marks"),
        (["\ufeff12", "7"], "1 of 2 begin with a byte order mark"),
        (["(12.50)", "7"], "1 of 2 are in brackets, as negative amounts are"),
        (["12-", "7"], "1 of 2 have the minus behind"),
        (["12 kg", "7"], "1 of 2 have a unit behind"),
        (["unknown", "n.v.", "$5"], ""),
        (["5", "7"], ""), ([], ""),
    ],
)  # fmt: skip
def test_what_most_of_them_have_is_said(texts: list[str], words: str) -> None:
    assert said(*texts) == words


def test_of_more_values_than_are_kept_no_count_is_said_and_of_hashes_nothing() -> None:
    assert number_slips(FrequencyState({"$5": 3, "7": 1}, 5_000, 4, b"sketch")) == "some have a currency sign"
    assert said(hashed_text("$5"), hashed_text("$7")) == ""
