"""Checks judged on what was measured of a table or of merged states: every check has its verdict, whatever became of the others."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from avh_ui.constraints.check import Check
from avh_ui.constraints.constraint import Verdict
from avh_ui.constraints.judging import judge
from avh_ui.errors import UsageError
from avh_ui.metrics import analyzers
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.results import MetricResult
from avh_ui.validator.following import SoundValues, judge_following
from avh_ui.validator.run import Run
from avh_ui.validator.unmeasured import judge_empty

# So many rows a table has: measured beside the checks' own measures, in the same scan.
ROWS = analyzers.size()
NO_HISTORY = SoundValues(problem="its bounds follow from the history, and none is given. Say `history=` and `pipeline=`.")


def checks_of(rules: Check | Iterable[Any]) -> tuple[Check, ...]:
    """The checks of a list, or of lists in it, each once; `UsageError` for what is none, and where there is none."""
    found = tuple(dict.fromkeys(each_check(rules)))
    if not found:
        raise UsageError("There is no rule to check.", hint="Give some, such as avh.checks.is_complete('id').")
    return found


def measures_of(checks: Iterable[Check]) -> tuple[Measure, ...]:
    """What the checks are of, each once, and the number of rows."""
    return tuple(dict.fromkeys((ROWS, *(check.measure for check in checks))))


def judge_checks(
    checks: Iterable[Check], results: Mapping[Measure, MetricResult], seconds: float = 0.0, values: SoundValues = NO_HISTORY
) -> Run:
    """The run of the checks on results of their measures, and on the `values` before where bounds follow from these. It is of no pipeline
    and no program.
    """
    rows = results[ROWS].value if ROWS in results else None
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    verdicts = tuple(verdict_of(check, results[check.measure], values) for check in checks)
    return Run("", "", 0, "", now, round(seconds, 3), int(rows) if isinstance(rows, int | float) else None, (), verdicts)


def verdict_of(check: Check, result: MetricResult, values: SoundValues = NO_HISTORY) -> Verdict:
    """One check on its measure's result.

    Where nothing is there to be measured the check is broken; among the rows of a `where` it holds (Deequ). What could not be measured is
    not evaluated.
    """
    constraint = check.constraint(result.kind)
    if result.cause == "empty":
        return judge_empty(constraint)
    if not isinstance(result.value, int | float):
        why = result.failure or f"{constraint.metric} gives no single number."
        return Verdict(constraint, "not_evaluated", None, None, None, f"{constraint.alarmed}: {why}")
    if constraint.strategy is not None:
        return judge_following(constraint, float(result.value), values)
    verdict = judge(constraint, float(result.value), error=result.error or 0.0)
    return replace(verdict, message=f"{verdict.message} {result.told}") if result.told else verdict


def each_check(rules: Any) -> Iterable[Check]:
    """Every check of a list, or of lists in it, as often as it is there; `UsageError` for what is none."""
    if isinstance(rules, Check):
        yield rules
    elif isinstance(rules, Iterable) and not isinstance(rules, str | Mapping):
        for rule in rules:
            yield from each_check(rule)
    else:
        raise UsageError(f"{rules!r} is no rule.", hint="Make rules by the functions of avh.checks.")


def with_told(verdict: Verdict, observed: float, told: str) -> Verdict:
    """With the counts behind what was observed, in a sentence: before what has no value any more, since they say what came in its place."""
    if not told:
        return verdict
    instead = verdict.status != "pass" and not math.isfinite(observed)
    return replace(verdict, message=f"{verdict.constraint.column}: {told} {verdict.message}" if instead else f"{verdict.message} {told}")
