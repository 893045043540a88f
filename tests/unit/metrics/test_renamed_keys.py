"""Keys that look written otherwise are told as such; as many others that came and went are not."""

from __future__ import annotations

import pyarrow as pa
import pytest

from avh_ui.metrics.renamed_keys import renamed_words
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows

TOWNS = ["Houston", "Dallas", "Austin", "Waco", "El Paso", "Tyler", "Laredo", "Lubbock"]


def sample(keys: list[str]) -> RowSample:
    arrays = {"city": pa.array(keys), "sales": pa.array(range(len(keys)))}
    return RowSample.of_rows(Rows(len(keys), arrays), Need(RowSample, ("city", "sales"), None, Drawing(1)))


def told(before: list[str], **renamed: str) -> str:
    return renamed_words(sample([renamed.get(key.replace(" ", "_"), key) for key in before]), sample(before))


def test_one_key_and_several_are_told_with_what_they_look_like() -> None:
    assert told(TOWNS, Houston="Houston TX") == "1 key is gone and 1 is new: Houston → Houston TX?"
    both = told(TOWNS, Houston="HOUSTON", El_Paso="el paso, TX")
    assert both.startswith("2 keys are gone and 2 are new: ")
    assert "Houston → HOUSTON" in both
    assert "El Paso → el paso, TX" in both


@pytest.mark.parametrize("renamed", [{}, {"Houston": "Brixen"}, {"Houston": "Houston TX", "Waco": "Brixen"}])
def test_what_stays_and_what_is_unlike_says_nothing(renamed: dict[str, str]) -> None:
    assert told(TOWNS, **renamed) == ""


def test_counts_that_do_not_match_numbers_and_too_many_say_nothing() -> None:
    assert renamed_words(sample(["Houston TX", *TOWNS[1:], "Paris"]), sample(TOWNS)) == ""
    assert renamed_words(sample(TOWNS[1:]), sample(TOWNS)) == ""
    numbers = [f"{1400 + k}" for k in range(9)]
    assert renamed_words(sample([*numbers[1:], "1409"]), sample(numbers)) == ""
    assert renamed_words(sample([f"{town} TX" for town in TOWNS]), sample(TOWNS)) == ""
