"""Rules that people answered: what they called right, over more batches than a window holds, is within the bounds, or there is no rule.

A window of 120 batches forgets. In 1,780 days a region's new cases were 0 where the total rose on 6 days; each time somebody said that the
day was right, and half a year later the same rule was there again, "in no row, as in every batch before".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import Proposal
from avh_ui.constraints.reading import declaration_of
from avh_ui.history.series import History
from avh_ui.history.standings import Standing
from avh_ui.inference.source import Budget, LeftOut, Proposed

# One may be chance, or a label given in haste.
_LEAST = 2


def with_answers(found: Proposed, history: History, budget: Budget) -> Proposed:
    """The proposals; of those whose alarms were on right batches more often than the budget allows, bounds that let these pass, where it is
    known what they had, and else nothing. What only faults do stays: that two rows exchanged their numbers once for good makes it no habit.
    """
    proposals, left_out = list[Proposal](), list[LeftOut](found.left_out)
    for proposal in found.proposals:
        of = proposal.constraint
        right = _right(history.standings, of)
        if len(right) < max(_LEAST, budget.fpr * len(history.batches)) or of.recipe is not None or _of_faults(of):
            proposals.append(proposal)
        elif (values := _values(history, of, right)) is not None:
            proposals.append(replace(proposal, constraint=_letting(of, values)))
        else:
            reason = f"{len(right)} batches broke it that somebody called right, the last {right[-1]}"
            left_out.append({"column": of.column, "metric": of.metric, "reason": reason})
    return Proposed(proposals, left_out)


def _right(standings: Sequence[Standing], of: Constraint) -> list[str]:
    """The batches that the rule failed and somebody called right."""
    return [standing.batch for standing in standings if standing.said == "right" and of.key in standing.failed_by]


def _of_faults(of: Constraint) -> bool:
    declared = declaration_of(of.metric, of.kind)
    return declared is not None and declared.of_faults


def _values(history: History, of: Constraint, batches: Sequence[str]) -> list[float] | None:
    """What the rule's measure was in these batches; None where that is not known of each."""
    column = history.columns.get(of.column)
    series = None if column is None else column.values.get(of.metric)
    if column is None or series is None or of.transform.lag:
        return None
    known = [float(series[column.batches.index(batch)]) for batch in batches if batch in column.batches]
    return known if len(known) == len(batches) and np.isfinite(known).all() else None


def _letting(of: Constraint, values: Sequence[float]) -> Constraint:
    lower = None if of.lower is None else min(of.lower, *values)
    upper = None if of.upper is None else max(of.upper, *values)
    return replace(of, lower=lower, upper=upper)
