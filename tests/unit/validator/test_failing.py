"""How many rows fail is said beside how many a condition says nothing of."""

from __future__ import annotations

import pandas as pd
import pytest

import avh_ui as avh
from avh_ui.constraints.checks import Check
from avh_ui.validator.failing import failing_words

c = avh.checks
FRAME = pd.DataFrame({"v": [1.0] * 990 + [None] * 8 + [-5.0] * 2, "code": ["AB"] * 757 + ["x"] * 3 + [None] * 240})


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (c.satisfies("v >= 0"), "2 of 1,000 rows fail. 8 more have no answer, for a value is null."),
        (c.is_non_negative("v"), "2 of 1,000 rows fail."),
        (c.is_complete("v"), "8 of 1,000 rows fail."),
        (c.is_contained_in("code", ["AB"]), "3 of 1,000 rows fail."),
    ],
)
def test_rows_without_an_answer_are_told_apart_from_those_that_fail(rule: Check, words: str) -> None:
    (verdict,) = avh.check(FRAME, [rule]).verdicts
    assert failing_words(verdict, len(FRAME), ()) == words
    # The share in the rule's own sentence is of all rows: what fails and what has no answer make up the rest.
    unknown = 8 if "no answer" in words else 0
    assert verdict.observed == pytest.approx(1 - ((verdict.failing or 0) + unknown) / len(FRAME))


def test_a_rule_of_some_rows_tells_nothing_of_the_others() -> None:
    (verdict,) = avh.check(FRAME, [c.satisfies("v >= 0", where="code = 'AB'")]).verdicts
    assert "no answer" not in failing_words(verdict, len(FRAME), ())


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (c.satisfies("v >= 0"), "v >= 0: broken by 2 of 1,000 rows."),
        (c.satisfies("v >= 0", at_least=0.999), "in at least 99.9% of the rows: it is so in 99% of the rows."),
        (c.satisfies("v >= 0", where="code = 'AB'"), "it is so in "),
    ],
)
def test_of_a_rule_of_every_row_it_says_how_many_break_it(rule: Check, said: str) -> None:
    (verdict,) = avh.check(FRAME, [rule]).verdicts
    assert said in verdict.message
    assert verdict.fact == ("" if "it is so" in said else said)
