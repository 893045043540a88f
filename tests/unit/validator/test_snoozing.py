"""Snoozed failures warn; everything else stays as it was."""

from __future__ import annotations

from avh_ui.validator.results import Outcome, RuleResult
from avh_ui.validator.run import exit_code
from avh_ui.validator.snoozes import with_snoozes
from tests.fakes.run_contract import failed, validation


def test_failures_that_are_snoozed_warn_and_say_until_when() -> None:
    drift = RuleResult("missing_column", "x", "fail", "error", "Column 'x' is missing.")
    unread = RuleResult("unreadable_batch", "", "not_evaluated", "error", "It cannot be read.")
    run = validation("b1", failed(column="c"), failed(column="d"), rules=(drift, unread))
    keys = [Outcome.of(result).key for result in run.results]
    quiet = with_snoozes(run, dict.fromkeys(keys[:3], "until then by ann"))
    assert [r.status for r in quiet.results] == ["warn", "not_evaluated", "warn", "fail"]
    assert quiet.rules[0].message == "Column 'x' is missing. (snoozed until then by ann)"
    assert quiet.rules[1] == unread
    assert quiet.verdicts[0].constraint.level == "error"
    assert quiet.verdicts[1] == run.verdicts[1]
    assert with_snoozes(run, {}) == run


def test_the_exit_code_follows() -> None:
    run = validation("b1", failed())
    key = Outcome.of(run.verdicts[0]).key
    quiet = with_snoozes(run, {key: "until then by ann"})
    assert (exit_code(run), exit_code(quiet), exit_code(quiet, "warning"), exit_code(quiet, "never")) == (1, 2, 1, 0)
