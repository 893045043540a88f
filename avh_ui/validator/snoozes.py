"""What is snoozed warns: the failures of a run, by what people say until when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from avh_ui.constraints.constraint import Verdict
from avh_ui.validator.results import Outcome, RuleResult
from avh_ui.validator.run import Run

_Result = TypeVar("_Result", RuleResult, Verdict)


def with_snoozes(run: Run, snoozes: Mapping[str, str]) -> Run:
    """The run with every failure that is snoozed as a warning that says so.

    `snoozes` maps what was judged (`Outcome.key`) to words such as `until 2026-02-08 06:00 UTC by ann`. What could not be evaluated stays
    so, and the level stays: a failure after the snooze fails again.
    """
    rules = tuple(_quiet(result, snoozes) for result in run.rules)
    verdicts = tuple(_quiet(result, snoozes) for result in run.verdicts)
    return replace(run, rules=rules, verdicts=verdicts)


def _quiet(result: _Result, snoozes: Mapping[str, str]) -> _Result:
    words = snoozes.get(Outcome.of(result).key)
    if words is None or result.status != "fail":
        return result
    return replace(result, status="warn", message=f"{result.message} (snoozed {words})")
