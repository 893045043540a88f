"""What people are told of conditions on columns that are null in some rows."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.metrics.column import Column
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.workflows.null_answers import null_remark

COLUMNS = {"refund": [None, None, 3.0], "amount": [7.0, 8.0, 9.0], "paid at": [None, "x", "y"]}
TABLE = BatchProfile(
    "orders", "2026-01-31", 3, {name: ColumnProfile.of(Column.from_arrow(name, pa.array(own)), "?") for name, own in COLUMNS.items()}
)


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        (c.is_at_most("refund", "amount"), 'refund is null in 2 of 3 rows of 2026-01-31: .* left out by where: "refund is not null".'),
        (c.satisfies("REFUND < 2 * amount"), "refund is null in 2 of 3 rows"),
        (c.satisfies("`paid at` > '2026'"), r'paid at is null in 1 of 3 rows .* where: "`paid at` is not null".'),
        (c.satisfies("`paid at` > refund"), "refund is null in 2 of 3 rows and paid at is null in 1 of 3"),
    ],
)
def test_null_breaks_a_condition_and_that_is_told(rule: Check, says: str) -> None:
    assert re.search(says, null_remark(rule.measure, TABLE))


@pytest.mark.parametrize(
    "rule",
    [
        c.satisfies("amount > 0"),
        c.satisfies("refund is null or refund <= amount"),
        c.is_at_most("refund", "amount", where="refund is not null"),
        c.satisfies("amount <> 'refund'"),
        c.is_complete("refund"),
    ],
)
def test_nothing_is_told_where_no_null_is_or_somebody_thought_of_it(rule: Check) -> None:
    assert null_remark(rule.measure, TABLE) == ""
