"""What a rule notices and how often it is wrong: a rate that its own batches deny is not told."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from avh_ui.constraints.evidence import Record
from avh_ui.constraints.pattern_constraint import Pattern, PatternConstraint
from avh_ui.review.draft import DraftItem
from avh_ui.ui.views.evidence_facts import _broken, _untold
from avh_ui.ui.views.evidence_text import head
from tests.fakes.builders import suggestion


@pytest.mark.parametrize(
    ("fpr", "fired", "said"),
    [
        (0.0001, ("b1", "b2", "b3", "b4"), "would have alarmed on 4 of the 120 batches that it was held against"),
        (0.0001, ("b1",), ""),  # the batch may be at fault
        (0.05, ("b1", "b2"), ""),  # as often as the rate says
        (0.0001, (), ""),
    ],
)
def test_a_rate_that_the_batches_deny_is_not_told(fpr: float, fired: tuple[str, ...], said: str) -> None:
    made = suggestion("a")
    evidence = replace(made.evidence, backtest=Record(120, fired))
    item = DraftItem(replace(made, constraint=replace(made.constraint, fpr=fpr), evidence=evidence))
    assert _broken(item) == said
    assert _broken(DraftItem(replace(item.suggestion, evidence=replace(evidence, backtest=None)))) == ""


@pytest.mark.parametrize(("fired", "said"), [((), ""), (("b1",), "b1"), (("b1", "b2"), "b1"), (("b2",), "")])
def test_alarms_of_a_rule_of_a_person_may_be_right_where_nobody_judged(fired: tuple[str, ...], said: str) -> None:
    evidence: Any = SimpleNamespace(session=SimpleNamespace(excluded={"b2"}))
    made = suggestion("a")
    asked = replace(made, evidence=replace(made.evidence, backtest=Record(120, fired)))
    assert _untold(evidence, DraftItem(asked)) == ""
    assert _untold(evidence, DraftItem(replace(asked, constraint=replace(made.constraint, origin="manual")))) == said


def test_a_list_of_values_is_read_once() -> None:
    """The line of the metric stands right below the sentence."""
    pattern = Pattern("JFK | EWR | LGA", "^(?:JFK|EWR|LGA)(?![\\s\\S])", 100, 1)
    made = PatternConstraint("c", "nonconforming_ratio", "string", None, None, pattern=pattern, significance=0.001, usual=50)
    shown = head(DraftItem(replace(suggestion("a"), constraint=made.with_test_bound())))
    assert shown.count("JFK | EWR | LGA") == 1
    assert "Share of values that are not so (nonconforming_ratio)" in shown
