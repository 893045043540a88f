"""What is said of a column of numbers that became one of texts."""

from __future__ import annotations

import pytest

from avh_ui.metrics.plainly import plain_change
from avh_ui.metrics.turned_text import no_numbers
from avh_ui.metrics.withholding import without_texts
from tests.fakes.builders import profile


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (["n/a"] * 4, "all 4 values are no numbers, such as 'n/a'"),
        (["EUR 1.5", "EUR 2", "EUR 2", "3", None], "3 of 4 values are no numbers, such as 'EUR 2' and 'EUR 1.5'"),
        (["1", "2", "?"], "1 of 3 values is no number, such as '?'"),
        (["12", "13"], "its numbers are texts, such as '12' and '13'"),
        ([f"EUR {n}" for n in range(2_000)], ""),
        ([*(f"EUR {n}" for n in range(2_000)), *["n/a"] * 9], "texts are among its values that are no numbers, such as 'n/a'"),
    ],
)
def test_what_is_no_number(values: list[str | None], told: str) -> None:
    assert no_numbers(profile("d2", x=values).columns["x"]) == told


def told(values: list[str | None], before: list[float | str]) -> str:
    return plain_change("x", profile("d2", x=values).columns["x"], profile("d1", x=before).columns["x"], "d1").words


def test_an_alarm_begins_with_it() -> None:
    assert (
        told(["n/a", "n/a", "5"], [1.0, 2.0])
        == "x is text now: 2 of 3 values are no numbers, such as 'n/a'; in batch d1 it was of numbers."
    )
    assert told([f"EUR {n}" for n in range(2_000)], [1.0]) == "x is text now; in batch d1 it was of numbers."
    assert told([None, None], [1.0, 2.0]) == ""


def test_no_text_is_told_where_none_may_be() -> None:
    hidden = without_texts(profile("d2", x=["secret", "5"]))
    assert no_numbers(hidden.columns["x"]) == ""
