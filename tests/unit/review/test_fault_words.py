"""Faults are said in words, and the smallest that a rule notices is that of the fewest rows."""

from __future__ import annotations

import pytest

from avh_ui.issues.variants import WITH_NULLS
from avh_ui.review.fault_words import fault_words, smallest
from avh_ui.ui.state.issues import declared


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("increased_nulls 1% null", "1% of the values null"),
        ("increased_nulls 50% zero", "50% of the values 0"),
        ("unit_change x10 of 10%", "10% of the values times 10"),
        ("unit_change x1000", "all values times 1000"),
        ("volume_change 50%", "50% of the rows missing"),
        ("schema_change 1%", "1% of the rows with a value of another column"),
        ("stale", "values as in the batch before"),
        ("stale:0.5", "values as in the batch before in 50% of the rows"),
        ("total shifted", "total shifted by a row"),
        ("exchanged:two", "values exchanged between two rows"),
        ("total emptied:0.02", "total empty in 2% of the rows"),
        ("tenfold:every", "values times 10 in every row"),
        ("miles:every", "values times 1.609 in every row"),
        ("zero:the largest row", "values turned to 0 in the row with the largest value"),
        ("dates one of 1900", "one date of the year 1900"),
        ("dates a day later", "all dates a day later"),
        ("dates a day earlier in half", "half of the dates a day earlier"),
        ("amounts rounded", "all values rounded to whole numbers"),
        ("default_value 20%", "one and the same value in 20% of the rows"),
        ("value_halved most", "50% of the rows of the most frequent value missing"),
        ("value_lost 5%", "a value of up to 5% of the rows replaced by the most frequent one"),
        ("total exchanged with net", "total and net exchanged"),
        ("keys_lost:block of 0.1", "the loss of a block of 10% of the rows"),
        ("keys_twice:segment of region", "a second row with the key of segment of region"),
        ("keys_lost:one", "the loss of one row"),
        ("no such fault", "no such fault"),
    ],
)
def test_a_fault_is_said_in_words(name: str, words: str) -> None:
    assert fault_words(name) == words


@pytest.mark.parametrize("kind", ["numeric", "string", "temporal", "boolean"])
def test_each_fault_of_a_column_has_words(kind: str) -> None:
    assert WITH_NULLS.true_nulls
    for name in declared(kind):
        assert fault_words(name) != name.replace("_", " "), name


def test_the_smallest_failure_is_that_of_the_fewest_rows() -> None:
    assert smallest(("unit_change x10 of 50%", "unit_change x10 of 10%", "increased_nulls 100% null")) == "10% of the values times 10"
    assert smallest(("character_insertion 10%", "shifted", "emptied:one")) == "values empty in one row"
    assert smallest(("character_insertion 10%", "shifted")) == "one character too many in 10% of the values"
    assert smallest(("volume_change 10%", "volume_change 50%")) == "50% of the rows missing"
    first = "distribution_change first"
    assert smallest((f"{first} 10%", f"{first} 50%")) == "only the first 50% of the values in their order"
    assert smallest(()) == ""
