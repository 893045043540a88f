"""What people are told of SQL that compares texts which are numbers."""

from __future__ import annotations

import pyarrow as pa
import pytest

from avh_ui.constraints import checks as c
from avh_ui.metrics.column import Column
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.workflows.text_comparisons import text_remark

BESIDE = "CAST(a AS DOUBLE) <= CAST(b AS DOUBLE)"


def table(type_name: str) -> BatchProfile:
    """As a profile has columns of numbers: `number` where they were texts."""
    columns = {"a": [7, 8], "b": [52, 3_000_000_000], "c d": [0.5, 7.9]}
    return BatchProfile(
        "p", "1", 2, {name: ColumnProfile.of(Column.from_arrow(name, pa.array(values)), type_name) for name, values in columns.items()}
    )


@pytest.mark.parametrize(
    ("condition", "says"),
    [
        ("a <= b", (BESIDE, "`is_at_most: [a, b]`")),
        ("not (A <= (`b`)) or a is null", (BESIDE,)),
        ("a <> b", ("CAST(a AS DOUBLE) <> CAST(b AS DOUBLE)`.",)),
        ("`c d` <= 7", ("cuts to INT beside the whole number 7", "`CAST(`c d` AS DOUBLE) <= 7`")),
        ("0 < b", ("`CAST(b AS DOUBLE) > 0`",)),
    ],
)
def test_texts_that_are_numbers_are_told_with_the_cast_to_write(condition: str, says: tuple[str, ...]) -> None:
    told = text_remark(c.satisfies(condition).measure, table("number"))
    assert all(piece in told for piece in says), told
    assert text_remark(c.is_complete("a", where=condition).measure, table("number")) == told
    # Of columns with types it means what it says.
    assert text_remark(c.satisfies(condition).measure, table("double")) == ""


@pytest.mark.parametrize("condition", [BESIDE, "a <= 100", "`c d` <= 7.0", "a < c", "a + b > 3", "a <= transform(b, x -> x)"])
def test_nothing_is_told_of_what_means_what_it_says(condition: str) -> None:
    assert text_remark(c.satisfies(condition).measure, table("number")) == ""


def test_a_query_is_told_of_too_and_the_rule_to_state_only_where_it_says_the_same() -> None:
    query = c.custom_sql("SELECT count(*) FROM batch WHERE a > b", exactly=0)
    told = [text_remark(check.measure, table("number")) for check in (query, c.satisfies("not (a > b)"), c.satisfies("a > b"))]
    assert all("`CAST(a AS DOUBLE) > CAST(b AS DOUBLE)`" in one for one in told)
    assert ["is_greater_than" in one for one in told] == [False, False, True]


def test_nothing_is_told_of_rules_of_two_columns() -> None:
    assert text_remark(c.is_at_most("a", "b").measure, table("number")) == ""
