"""Conditions that no rule can be made of: what is told anew at each look, and what is the same for every row."""

from __future__ import annotations

import pyarrow as pa
import pytest

from avh_ui import check, checks
from avh_ui.metrics.unfit_conditions import unfit


@pytest.mark.parametrize(
    ("condition", "why"),
    [
        ("rand() < 0.5", "calls rand,"),
        ("n > 0 and UUID () is not null", "calls uuid,"),
        ("monotonically_increasing_id() < 5", "calls monotonically_increasing_id,"),
    ],
)
def test_a_condition_that_cannot_be_told_again_is_refused(condition: str, why: str) -> None:
    table = pa.table({"n": [1, 2]})
    for rule in (checks.satisfies(condition), checks.is_complete("n", where=condition)):
        (verdict,) = check(table, [rule]).verdicts
        assert verdict.status == "not_evaluated"
        assert why in verdict.message


@pytest.mark.parametrize("condition", ["true", "1=1", "1 = 1 or false", "'a' like 'a'", "not null is null", "(TRUE)", "5 between 1 and 9"])
def test_a_condition_that_is_the_same_for_every_row_is_refused(condition: str) -> None:
    table = pa.table({"n": [1, 2]})
    (verdict,) = check(table, [checks.satisfies(condition)]).verdicts
    assert verdict.status == "not_evaluated"
    assert "names no column, and is the same for every row" in verdict.message
    # Among which rows: all of them, as other tools write it.
    assert check(table, [checks.is_complete("n", where="1 = 1")]).status == "pass"


@pytest.mark.parametrize(
    "condition",
    ["n > 0", "`rand` > 0", "t.rand > 1", "note = 'rand()'", "n > 0 -- rand()", "day <= current_date()", "at < now()", "`true`",
     "n in (1, 2)", "n in (select n from other)", "exists (select 1 from other)", "operand (1) > 0", "true and n > 0"],
)  # fmt: skip
def test_other_conditions_are_not(condition: str) -> None:
    assert unfit([condition], condition) is None
