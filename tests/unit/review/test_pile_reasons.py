"""Why a suggestion is in its pile: the sentences count as people do."""

from __future__ import annotations

import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromHistory, Record
from avh_ui.review.draft import fold
from avh_ui.review.suggestion import Suggestion, side_by_side
from avh_ui.review.triage import triage
from tests.fakes.builders import run


def _why(caught: tuple[str, ...], tried: int, *beside: str) -> str:
    """Of a rule that catches these of its column's faults beside one that catches others."""
    rule = Constraint("price", "mean", "numeric", 1.0, 2.0)
    made = [Suggestion("s", "p", rule, FromHistory(backtest=Record(120, ()), caught=caught, untold=tried, batches=120))]
    if beside:
        other = Constraint("price", "median", "numeric", 1.0, 2.0)
        made.append(Suggestion("o", "p", other, FromHistory(backtest=Record(120, ()), caught=beside, untold=tried, batches=120)))
    return triage(fold(run(*side_by_side(made)), ()), 365.0).placed["s"].why


@pytest.mark.parametrize(
    ("caught", "tried", "said"),
    [
        (("a",), 1, "only it notices the one fault that was tried."),
        (("a", "b"), 2, "only it notices all 2 faults."),
        (("a", "b"), 3, "only it notices 2 of 3 faults."),
        ((), 1, "It does not notice the one fault that was tried."),
        ((), 3, "It notices none of the 3 faults that were tried."),
    ],
)
def test_faults_are_counted_in_words(caught: tuple[str, ...], tried: int, said: str) -> None:
    assert _why(caught, tried).endswith(said)


def test_what_others_notice_is_counted_in_words() -> None:
    assert _why(("a",), 3, "a", "b").startswith("The one fault that it notices is noticed by: ")
    assert _why(("a", "b"), 3, "a", "b", "c").startswith("All 2 faults that it notices are noticed by: ")
