"""Constraints whose bounds follow from the history: the bounds of this batch, from which batches, and where they cannot be told."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

import avh_ui as avh
from avh_ui.constraints.constraint import Constraint
from avh_ui.errors import HistoryError, UsageError
from avh_ui.validator.run import Run
from avh_ui.validator.validate import validate
from tests.fakes.history import FakeHistory
from tests.unit.validator.test_validate import batch, one, program

c, of = avh.checks, avh.analyzers
RULE = c.has_no_anomalies(of.mean("x"), c.online_normal(3), hint="Ask ann.").constraint("numeric")
RULE_CHECK = c.has_no_anomalies(of.mean("x"), "online_normal")


def past(days: int = 12, **extra: str) -> FakeHistory:
    kept = FakeHistory()
    for day in range(days):
        kept.save(replace(batch(f"b{day}", x=[10.0 + day % 3] * 3), extra=extra if day == 5 else {}))
    return kept


def judged(x: float, kept: FakeHistory, rule: Constraint = RULE) -> Run:
    return validate(program(rule), batch("b99", x=[x] * 3), kept, stale="off")


def test_the_bounds_are_those_of_this_batch() -> None:
    verdict = one(judged(11.0, past()))
    # The mean of 12 is 11 with S = 8; of 13 values 3 deviations are sqrt(9 * 8 * 13 / (12 * 3)) away.
    assert (verdict.status, verdict.observed) == ("pass", 11.0)
    assert (verdict.lower, verdict.upper) == pytest.approx((11 - 26**0.5, 11 + 26**0.5))
    assert verdict.message == (
        "mean of x has no anomaly by online normal, 3 standard deviations: it is 11, and 5.9 – 16.1 follows from 12 batches before."
    )
    assert verdict.constraint == RULE
    broken = one(judged(17.0, past()))
    assert (broken.status, broken.message[-40:]) == ("fail", "follows from 12 batches before. Ask ann.")
    assert one(judged(17.0, past(), replace(RULE, level="warning"))).status == "warn"


def test_what_failed_is_not_learned_from_unless_somebody_calls_it_right() -> None:
    kept = past(validation="fail")
    assert "from 11 batches" in one(judged(11.0, kept)).message
    kept.tell("p", {"b5": "right"})
    assert "from 12 batches" in one(judged(11.0, kept)).message


def test_too_short_a_history_and_none_are_not_evaluated() -> None:
    for kept, why in (
        (past(9), "needs 10 batches before this one, and there are 9."),
        (past(10, validation="fail"), "and there are 9. 1 failed or are labelled as wrong."),
        (FakeHistory(), "the history has no batch before this one."),
    ):
        verdict = one(judged(11.0, kept))
        assert (verdict.status, verdict.observed, verdict.message.endswith(why)) == ("not_evaluated", 11.0, True)


def test_a_measure_that_the_history_lacks() -> None:
    rule = c.has_no_anomalies(of.size(where="x > 1"), c.threshold(upper=1))
    frame = pd.DataFrame({"x": [1.0]})
    (untold,) = avh.check(frame, c.has_no_anomalies(of.kurtosis("x"), c.threshold(upper=9)), history=past(), pipeline="p").verdicts
    assert (untold.status, "no values of it" in untold.message) == ("not_evaluated", True)
    assert avh.check(frame, rule, history=past(), pipeline="p").verdicts[0].status == "not_evaluated"


def test_check_learns_from_a_history() -> None:
    rules = [c.has_no_anomalies(of.size(), c.absolute_change(-1, 1)), RULE_CHECK]
    frame = pd.DataFrame({"x": [12.0] * 5, "s": ["a"] * 5})
    run = avh.check(frame, rules, history=past(), pipeline="p")
    assert [v.status for v in run.verdicts] == ["fail", "pass"]
    assert run.verdicts[0].message == (
        "row_count has no anomaly by absolute change, at least -1 and at most 1: it is 5, and 2 – 4 rows follows from 12 batches before."
    )
    early = avh.check(frame, rules, history=past(), pipeline="p", batch="b4")
    assert [v.status for v in early.verdicts] == ["fail", "not_evaluated"]
    without = avh.check(frame, rules)
    assert [v.status for v in without.verdicts] == ["not_evaluated"] * 2
    assert "Say `history=` and `pipeline=`" in without.verdicts[0].message
    with pytest.raises(UsageError, match="Which pipeline"):
        avh.check(frame, rules, history=past())


def test_a_history_that_cannot_be_read_is_the_reason() -> None:
    class Broken(FakeHistory):
        def history(self, *_: object, **__: object) -> object:  # type: ignore[override]
            raise HistoryError("The disk is gone.")

    kept = Broken()
    kept.save(batch("b1"))
    assert one(judged(11.0, kept)).message.endswith("the history cannot be read: The disk is gone.")
