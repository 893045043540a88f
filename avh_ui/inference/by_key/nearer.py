"""Bounds on matched rows that are nearer to what ever was, where that costs no more than what they are sold for.

A program takes the lightest bounds that notice what was tried. What rules by key cost at least (`unbroken`) is more than most of these do
by the law of their own tails, so that nearer ones come at the same price: that a time zone changes in at most 2.7 % of the rows, where at
most 0.3 % ever did, was too loose to half of the readers. All of a table together stay within what a table may be alarmed by them.

Walked forward over 33 tables, 19 of 9,472 next values were beyond such bounds, of which the prices say 29. Not so of what most batches
lose or fill some of, as storms cancel flights: 25 of 670, of which they say 2. Such bounds stay where they are.

Of lists, of which nearly all rows stay as they were, the law makes no difference between near and far: what revises a list revises much of
it. After 20 to 119 releases of 28 lists in which some rows ever changed, were lost or gone, the next lay beyond 2.5 times the most, and 12
rows more than that, in 38 of 10,946 cases (.35 %), of which the price says 34, beyond 6 times as many and 12 rows in 19; by the newest two
thirds of the releases it is no nearer. "Region changes in at most 5.4 % of the rows" (91) was said where .7 % ever did.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from avh_ui.constraints.evidence import FromHistory, Proposal
from avh_ui.constraints.reading import declaration_of
from avh_ui.inference.by_history.candidates import Candidates, MetricModel
from avh_ui.inference.by_history.measured import PreparedColumn
from avh_ui.inference.by_history.proposing import proposal_at
from avh_ui.inference.by_history.tails import NEAREST, STILL, modal_share
from avh_ui.inference.by_key.unbroken import LEAST
from avh_ui.metrics.by_key import CHANGED, EMPTIED, FILLED, RANK_CHANGE
from avh_ui.metrics.keys_matched import KEYS_GONE

# How far beyond the most that ever was a share of a list's rows is news: so many times as much, and so many rows more, of few rows this
# part of them.
_TIMES, _ROWS, _FEW_ROWS = 2.5, 12, 0.05
# Of fewer batches none of that was measured, nor where more rows than this usually are.
_LEAST, _SELDOM = 20, 0.02
# Of what no row ever lost readers found 5 and 8 % too loose. After 5 to 19 batches of 74 tables in which none was lost the next lost more
# than so large a part of the rows, and more of them than so many, in 10 of 7,748 cases, more than 8 % in 5; after 20 to 59 in 6 of 12,952.
_NONE_LOST, _FEW_LOST, _LOST_BATCHES, _LOSES = 0.01, 5, 5, 0.0013
# So of what no row ever changed, of which they found 2, 8 and 20 % too loose, four codes of 247 countries: after 5 to 19 batches of 59
# tables the next had changed in more than this part of the rows, and more than so many, in 59 of 4,729 cases, in more than 5 % in 39;
# after 20 to 59 in 33 and 22 of 5,311, after 60 and more in none of 2,111.
_NONE_CHANGED, _FEW_CHANGED, _CHANGES = 0.01, 2, 0.0076
# And of keys of which none was ever gone: "at most 5 %" of 247 let 12 countries vanish. Of the next batches of 31 tables more than this
# part was, and more than so many, in 7 of 1,188, more than 5 % in 4.
_NONE_GONE, _FEW_GONE, _GOES = 0.01, 2, 0.0059
_NEVER = {
    EMPTIED.name: (_NONE_LOST, _FEW_LOST, _LOSES),
    CHANGED.name: (_NONE_CHANGED, _FEW_CHANGED, _CHANGES),
    KEYS_GONE.name: (_NONE_GONE, _FEW_GONE, _GOES),
}


def varies(found: Proposal) -> bool:
    """Whether a rule bounds what varies, so that there are nearer bounds. How much the order of rows changes nobody measures."""
    metric = declaration_of(found.constraint.metric, found.constraint.kind)
    if metric is None or metric.of_faults or metric is RANK_CHANGE or found.constraint.upper is None:
        return False
    return isinstance(found.evidence, FromHistory) and bool(found.evidence.sigma)


def _never_did(found: Proposal) -> bool:
    """Whether a rule lets rows lose or change what none ever did, or keys go, in as many batches as that was measured of."""
    rule, evidence = found.constraint, found.evidence
    known = isinstance(evidence, FromHistory) and not evidence.sigma and not evidence.mu and (evidence.batches or 0) >= _LOST_BATCHES
    return rule.metric in _NEVER and bool(rule.upper) and known


def nearer(column: PreparedColumn, found: Proposal, most: float) -> Proposal:
    """The rule with the nearest bounds that cost as little as any rule by key, and no more than `most`; as it is where its own are as near,
    or what it bounds never varied.
    """
    if not varies(found) and not _never_did(found):
        return found
    rule = found.constraint
    for grid, hits in column.grids:
        if (grid.model.metric.name, grid.model.transform) != (rule.metric, rule.transform):
            continue
        able = _nearest(grid, rule.upper or 0.0, most, column.rows)
        if able is not None:
            made = proposal_at(column, grid, able, rule.learned.fpr_target or rule.fpr)
            names = tuple(np.array(column.variants)[hits[able]].tolist())
            evidence = replace(made.evidence, tried=found.evidence.tried, caught=names, only_caught=found.evidence.only_caught)
            price = min(made.constraint.fpr, LEAST / (grid.model.n + 1)) if varies(found) else max(rule.fpr, _NEVER[rule.metric][-1])
            return Proposal(replace(made.constraint, fpr=price), evidence)
    return found


def _nearest(grid: Candidates, upper: float, most: float, rows: int) -> int | None:
    """The first candidate nearer than this upper bound that is within the price, and so far away that the law holds; of a list so far that
    no law makes a difference.
    """
    model = grid.model
    if model.metric.name in _NEVER and not model.values.any():
        part, few, _ = _NEVER[model.metric.name]
        # In whole rows: 1 % of 247 are two of them, and .9 % is no nearer.
        least = max(math.floor(part * rows), few) / max(rows, 1)
        near = np.flatnonzero((grid.upper >= least) & (grid.upper < upper))
        return int(near[0]) if len(near) else None
    if model.metric in (EMPTIED, FILLED) and modal_share(model.values) < STILL:
        return None
    within = (grid.fpr <= min(most, LEAST / (model.n + 1))) & (grid.width >= NEAREST) & (grid.upper > model.values.max())
    able = np.flatnonzero((within | (grid.upper >= _news(grid.model, rows))) & (grid.upper < upper))
    return int(able[0]) if len(able) else None


def _news(model: MetricModel, rows: int) -> float:
    """From which share of so many matched rows on more is news whatever the law says; infinite where most batches have some."""
    if model.metric.unit != "ratio" or model.n < _LEAST or float(np.median(model.values)) > _SELDOM:
        return math.inf
    most = float(model.values.max())
    return max(_TIMES * most, most + min(_ROWS / max(rows, 1), _FEW_ROWS))
