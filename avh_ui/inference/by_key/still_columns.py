"""Suggesting that no column stands still: how many of its rows do at most, or of several that some row of each changes.

A column that is not delivered anew has the mix, the level and the nulls of the day before, so that nothing says it but its rows. It is said
of all that no rule of their own, and no relation, holds to it. That some row changes says little of a column of which nearly all always do:
it is left for those of which no nearer bound is within the budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from avh_ui.constraints.evidence import FromRelation, Proposal
from avh_ui.inference.by_key.as_read import clocks
from avh_ui.inference.by_key.laws import LEAST_BATCHES, Law, Pair, held
from avh_ui.inference.by_key.nearly_still import still_at_most
from avh_ui.inference.by_relation.holding import SUSPECTS
from avh_ui.inference.source import Budget, LeftOut, Proposed
from avh_ui.metrics.by_key import UNCHANGED
from avh_ui.metrics.carried import OF_CARRIED
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.standing_still import LEAST_ROWS, MOST_COLUMNS, RENEWED_COLUMNS, RENEWED_PARTS, SURE, put_right_nowhere

# The fault of a relation that shows the columns of which it holds the rows together: a column of other rows is one of another day, too.
_SHIFTED = "shifted"
# What says it of the first of its columns.
_OF_FIRST = frozenset(metric.name for metric in (*OF_CARRIED, RENEWED_PARTS))
# Where fewer rows than this changed in some batch, none does in some other. Walking forward, with 5 and with 1: of 775 quiet batches of a
# window of 91 days 0.8 and 3.7 % had such a column that stood still, of 215 weekly ones 0 and 7, and of 1,694 of Italy's regions 0 and 1.3,
# of whose columns 13.6 and 15.3 are held to it in the mean.
_LEAST_CHANGED = 5


def suggest(pairs: Sequence[Pair], key: Sequence[str], rules: Sequence[Proposal], budget: Budget) -> Proposed:
    """The rules that columns change, one of each that has a near bound, `MOST_COLUMNS` of the others in each, which held in nearly all
    `pairs` of batches and say what the other `rules` do not. Of a single other one it is said beside one whose parts change.
    """
    if len(pairs) < LEAST_BATCHES:
        return Proposed()
    varied = [name for name in pairs[-1].ours.columns if name not in key and _varies(pairs[-1], name)]
    out = clocks(pairs, varied)
    varied = [name for name in varied if name not in out]
    names = _names([pair for pair in pairs if not put_right_nowhere(pair.ours, pair.theirs, varied)], varied, rules)
    near = {name: made for name in names if (made := still_at_most(pairs, name, key, budget)) is not None}
    proposals, left_out = list(near.values()), list[LeftOut]()
    for some in parts_of_names(_with_another([name for name in names if name not in near], varied, rules)):
        if len(some) < RENEWED_COLUMNS.least:
            reason = "no bound on how many of its rows stay the same is near to what they did within the budget"
            left_out.append({"column": some[0], "metric": UNCHANGED.name, "reason": reason})
            continue
        measure = Measure(RENEWED_COLUMNS.name, some, parameters=(("key", tuple(key)),))
        tried = {f"{name} stale:1": True for name in some}
        found = held(Law(RENEWED_COLUMNS.of_measure(measure), measure, tried, "standing"), pairs, budget)
        if isinstance(found, Proposal):
            proposals.append(found)
        else:
            left_out.append({"column": measure.subject, "metric": RENEWED_COLUMNS.name, "reason": found})
    return Proposed(proposals, left_out)


def _names(pairs: Sequence[Pair], varied: Sequence[str], rules: Sequence[Proposal]) -> list[str]:
    """The columns that always change and that no rule holds to it. One that holds columns of a row together is kept by all rows of the day
    before: where no other rule notices these, the columns that such rules hold are among them.
    """
    told, beside = _held_to(rules)
    left = _always(pairs, [name for name in varied if name not in told and name not in beside])
    if left or _always(pairs, [name for name in varied if name in told]):
        return left
    return _always(pairs, [name for name in varied if name in beside])


def _with_another(names: Sequence[str], varied: Sequence[str], rules: Sequence[Proposal]) -> Sequence[str]:
    """A single name with a column that changes in every part of the table, where there is one."""
    parts = [p.constraint.measure for p in rules if p.constraint.measure.name == RENEWED_PARTS.name]
    able = [of.columns[0] for of in parts if of.where is None and of.columns[0] in varied and of.columns[0] not in names]
    return [name for name in varied if name in (*names, *able[:1])] if len(names) == 1 else names


def parts_of_names(names: Sequence[str]) -> list[tuple[str, ...]]:
    """The names in as few parts as hold them, about equally many in each."""
    count = -(-len(names) // MOST_COLUMNS)
    ends = [round(k * len(names) / count) for k in range(count + 1)] if count else []
    return [tuple(names[start:end]) for start, end in pairwise(ends)]


def _varies(pair: Pair, name: str) -> bool:
    """Whether it has more than one value: what all rows have, as their date, its own metrics say."""
    latest = pair.ours.column(name)
    return len(np.unique(latest.numbers[~np.isnan(latest.numbers)])) + len(latest.used) > 1


def _always(pairs: Sequence[Pair], names: Sequence[str]) -> list[str]:
    """Which columns changed in nearly all pairs of batches, in several rows each time, and in so many rows of most that chance never
    leaves all as they were.
    """
    still, bits = dict.fromkeys(names, 0), {name: list[float]() for name in names}
    for pair in pairs:
        for name in tuple(bits):
            found = pair.changed.get(name)
            if found is None or found.rows < LEAST_ROWS:
                continue
            still[name] += not found.changed
            if 0 < found.changed < _LEAST_CHANGED:
                del bits[name]
                continue
            with np.errstate(divide="ignore"):
                bits[name].append(float(-found.rows * np.log2(1 - found.share)))
    long = {name: own for name, own in bits.items() if len(own) >= LEAST_BATCHES}
    return [name for name, own in long.items() if still[name] <= SUSPECTS * len(own) and float(np.median(own)) > SURE]


def _held_to(rules: Sequence[Proposal]) -> tuple[set[str], set[str]]:
    """The columns of which a rule says that they stand still: one on how many rows do, on parts in which all do, or what rows carry over;
    and those of which a relation within rows says it beside the others.
    """
    told, beside = set[str](), set[str]()
    for rule in rules:
        of, evidence = rule.constraint.measure, rule.evidence
        if of.key and of.name == UNCHANGED.name and of.where is None and (rule.constraint.upper or 0) < 1:
            told |= {*of.columns}
        elif of.key and of.where is None and of.name in _OF_FIRST:
            told.add(of.columns[0])
        elif isinstance(evidence, FromRelation):
            beside |= {name for name in evidence.of if f"{name} {_SHIFTED}" in evidence.caught}
    return told, beside
