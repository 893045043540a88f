"""How surprising a violation is, so that of many columns the one that is most out of line is named first."""

from __future__ import annotations

import math
from collections.abc import Sequence

from avh_ui.constraints.constraint import Constraint, Verdict
from avh_ui.constraints.reading import declaration_of
from avh_ui.metrics.counts import COMPLETE_RATIO
from avh_ui.metrics.row_forms import once

# How fast deviations get rarer with their size: that of metrics that vary (AVH, calibrated: the tails of real tables fall like a power of
# 2.5), and of those that never changed, whose first change is as large as it likes.
_INDEX, _STILL_INDEX = 2.5, 1.0
# A deviation of 1 % of a constant's size counts as one step.
_STEP = 0.01
# Bounds without a stated rate, by hand or by Deequ's rules, count as those of a budget of 0.1 %.
_UNSTATED = 1e-3
# Beyond a thousand times its bounds everything is equally impossible; what is undefined counts as that.
_MOST = 1e3
# Where so many of the keys are gone and about as many rows came as always, it is their values that are others, and no rows are lost.
_NEARLY_ALL = 0.9
# Of so small a part of the rows a fault is behind those that tell of more: on real days a value that nobody knew stood in 1 of 256 rows,
# and first in the incident, before the ages of a clinic that came in months.
_FEW_ROWS = 0.01
# Where fewer of the rows were delivered anew than this, it is the batch that is old, and not some rows.
_MOSTLY_OLD = 0.5


def surprise(verdict: Verdict) -> float:
    """Orders of magnitude by which so large a deviation is rarer than a clean batch outside anything: 0 for what holds.

    Minus the decimal logarithm of the constraint's false-positive rate, plus that of how far beyond its bounds the value lies.
    """
    if verdict.status not in ("fail", "warn") or verdict.observed is None:
        return 0.0
    constraint = verdict.constraint
    rate = -math.log10(min(max(getattr(constraint, "fpr", 0.0) or _UNSTATED, 1e-9), 1.0))
    still = constraint.learned.sigma == 0
    return rate + (_STILL_INDEX if still else _INDEX) * math.log10(min(max(_excess(verdict, still), 1.0), _MOST))


def delivered_before(verdict: Verdict) -> bool:
    """Whether it says that the batch is an earlier one, with whatever else is wrong with it: few of its rows, or of the columns that always
    change, were delivered anew.
    """
    declared, observed = declaration_of(verdict.constraint.metric, verdict.constraint.kind), verdict.observed
    return declared is not None and declared.renewal and observed is not None and observed < _MOSTLY_OLD


def tells_twins(constraint: Constraint) -> bool:
    """Whether rows that come twice break it."""
    declared = declaration_of(constraint.metric, constraint.kind)
    return declared is not None and declared.row_form is not None and declared.row_form.question is once


def tells_rows(constraint: Constraint) -> bool:
    """Whether it is about which rows came, and not about what stands in them: how many, of which keys, how often, of which batch.

    Rows that are lost or come again move means and mixes of all columns. Who reads of these first looks in the wrong place.
    """
    if constraint.of_table or constraint.transform.part or tells_twins(constraint):
        return True
    declared = declaration_of(constraint.metric, constraint.kind)
    return declared is not None and declared.by_key and not declared.most


def spoiled_keys(verdicts: Sequence[Verdict]) -> set[str]:
    """The constraints, by their own key, on keys whose values are wrong while their rows are there: with nulls in a column of the key, or
    nearly all gone, where a column of the key alarms itself and a rule on the number of rows holds. `Lost keys: 739 of 1,478` stood before
    `language is null in 739 of 1,478 rows`.
    """
    failing = [verdict for verdict in verdicts if surprise(verdict) > 0]
    if any(v.constraint.of_table for v in failing) or not any(v.constraint.of_table and v.status == "pass" for v in verdicts):
        return set()
    alone = [v.constraint for v in failing if v.constraint.measure.standard]
    own, empty = {c.column for c in alone}, {c.column for c in alone if c.metric == COMPLETE_RATIO.name}
    of_rows = [v for v in failing if tells_rows(v.constraint)]
    gone = [v for v in of_rows if v.observed is not None and v.observed >= _NEARLY_ALL and not own.isdisjoint(v.constraint.measure.key)]
    return {v.constraint.key for v in [*gone, *(v for v in of_rows if not empty.isdisjoint(v.constraint.measure.key))]}


def names_farthest(constraint: Constraint) -> bool:
    """Whether it is of the one row that moved farthest, on a scale that nobody reads at a glance: beside a rule that says how many rows did
    what (`5 of 46 matched rows are 0 now`) that is read first.
    """
    declared = declaration_of(constraint.metric, constraint.kind)
    return declared is not None and declared.by_key and declared.scale is not None and declared.of_farthest


def of_few_rows(verdicts: Sequence[Verdict], rows: int | None) -> set[str]:
    """The columns of which all that fails is broken by hardly any of the rows, where these are counted, while others tell of more. Of a
    column whose average moved, too, one number is enough.
    """
    failing = [verdict for verdict in verdicts if surprise(verdict) > 0]
    more = {v.constraint.column for v in failing if v.failing is None or v.failing > _FEW_ROWS * (rows or 0)}
    return {v.constraint.column for v in failing if v.constraint.measure.standard} - more if more else set()


def _excess(verdict: Verdict, still: bool) -> float:
    observed, lower, upper = verdict.observed, verdict.lower, verdict.upper
    if observed is None or not math.isfinite(observed):
        # Of rows that are not matched another rule says why.
        return 1.0 if verdict.constraint.measure.key else _MOST
    bound = lower if lower is not None and observed < lower else upper
    if bound is None:
        return 1.0
    if still:
        return 1.0 + abs(observed - bound) / (_STEP * abs(bound) or _STEP)
    center = _center(verdict.constraint, lower, upper)
    half = abs(bound - center)
    return abs(observed - center) / half if half > 0 else _MOST


def _center(constraint: Constraint, lower: float | None, upper: float | None) -> float:
    """The usual value: the history's mean, or the middle of the bounds where that depends on an earlier batch."""
    if constraint.transform.is_identity and constraint.learned.mu is not None:
        return constraint.learned.mu
    return (lower + upper) / 2 if lower is not None and upper is not None else 0.0
