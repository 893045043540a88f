"""Verdicts on what could not be told of a batch, with the reason."""

from __future__ import annotations

import math
from dataclasses import replace

from avh_ui.constraints.constraint import Constraint, Verdict
from avh_ui.constraints.judging import judge
from avh_ui.constraints.reading import declaration_of
from avh_ui.errors import ended
from avh_ui.history.standings import Baseline
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.together import BesideState

# Between what a note of a profile is of and why it is not measured.
NOT_MEASURED = " is not measured: "
_UNMEASURED = "it was not measured on this batch"


def not_evaluated(constraint: Constraint, message: str, observed: float | None = None) -> Verdict:
    """The verdict with this message, on what was observed, where something was."""
    return Verdict(constraint, "not_evaluated", observed, None, None, message)


def unmeasured(constraint: Constraint, why: str) -> Verdict:
    """The verdict on what was not measured; `why` is a clause."""
    said = constraint.alarmed if constraint.worded else f"{constraint.alarmed} could not be computed"
    return not_evaluated(constraint, ended(f"{said}: {why}"))


def why_not(constraint: Constraint, profile: BatchProfile) -> str:
    """Why a measure that was asked for has nothing in a profile, as far as its notes say it."""
    start, said = f"{constraint.column}{NOT_MEASURED}", _UNMEASURED
    declared = declaration_of(constraint.metric, constraint.kind)
    if declared is not None and any(issubclass(state, BesideState) for state in declared.needs):
        said += ": what compares tables, and a query, is measured at the batch's source, in a workspace"
    return next((f"{_UNMEASURED}: {n.removeprefix(start).rstrip('.')}" for n in profile.notes if n.startswith(start)), said)


def apart(constraint: Constraint, baseline: Baseline) -> Verdict:
    """What tells of two batches in a row says nothing where the one before is not sound, or did not come: it passes and says that it was
    not compared.
    """
    many = "1 batch" if baseline.missing == 1 else f"{baseline.missing} batches"
    why = f"{many} between {baseline.batch} and this one did not come"
    if baseline.steps > 1:
        why = f"the last sound batch, {baseline.batch}, is {baseline.steps} batches ago"
    text = f"{constraint.alarmed}: not compared, since {why}."
    return Verdict(constraint, "pass", None, constraint.lower, constraint.upper, text)


def judge_empty(constraint: Constraint) -> Verdict:
    """Of a rule that a person states, where nothing is there to be measured: broken, but among the rows of a `where` it holds (Deequ)."""
    if constraint.measure.where is not None:
        lower, upper = constraint.lower, constraint.upper
        return Verdict(constraint, "pass", None, lower, upper, f"{constraint.alarmed}: there are no such rows.")
    broken = judge(constraint, math.nan)
    return replace(broken, observed=None, message=f"{constraint.alarmed}: there is nothing to measure.")
