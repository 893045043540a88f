"""Suggesting that a column is as many times another one as in the batch before, in every row: what that is stands in no column.

Only of columns that move: a number that stays, or that is rounded to few digits, is as many times any other that hardly moves. And only
where rows have rates of their own: of one rate for all of them a relation within the row says it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import permutations

import numpy as np

from avh_ui.constraints.evidence import FromRelation, Proposal
from avh_ui.inference.by_key.laws import LEAST_BATCHES, Law, Pair, held
from avh_ui.inference.by_key.nearly_carried import LEAST_ROWS, numbered, tried
from avh_ui.inference.source import Budget, LeftOut, Proposed
from avh_ui.metrics.carried import places_of
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.same_rate import SAME_RATE, Rates, rates

# Looked for in the latest so many pairs of batches, in all of which it has to hold: a week.
_LOOKED = 7
# A person reads each; a table of rates per 100,000 has one for each of its counts.
MOST = 6
# Of fewer rows that differ in it, and where the middle half of them lies closer together, it is one rate for all.
_DIFFERENT, _APART = 5, 1.02
# What is one of a few numbers, as the rounds of a player, is by its rounding as many times any others that are far apart.
_RESULTS = 10
# Of 64 columns 4,032 ordered pairs take 0.2 seconds.
_COLUMNS = 64


def suggest(
    pairs: Sequence[Pair],
    key: Sequence[str],
    related: Sequence[Proposal],
    budget: Budget,
    watch: Watch,
    seed: int,
    *,
    but: Collection[str],
) -> Proposed:
    """The rules on columns that are as many times others as before, none of those that rules tell already (`but`), and none of two columns
    that a relation within the row holds together.
    """
    if len(pairs) < LEAST_BATCHES:
        return Proposed()
    together = [frozenset(p.evidence.of) for p in related if isinstance(p.evidence, FromRelation)]
    proposals, left_out, told = list[Proposal](), list[LeftOut](), {*but}
    for columns in _found(pairs[-_LOOKED:], told):
        watch.check()
        if columns[0] in told or len(proposals) == MOST or any({*columns} <= some for some in together):
            continue
        measure = Measure(SAME_RATE.name, columns, parameters=(("key", tuple(key)),))
        bound = SAME_RATE.of_measure(measure)
        made = held(Law(bound, measure, tried(bound, measure, pairs[-1], seed), "carried"), pairs, budget, always=True)
        # A fault breaks it twice, on its day and on the next. What broke it once is a rate that changed, and may change again.
        if isinstance(made, Proposal) and made.evidence.backtest is not None and (changed := made.evidence.backtest.fired):
            made = f"it changed in batch {changed[-1]}"
        if isinstance(made, Proposal):
            proposals.append(made)
            # The other one is told from it as well as it is from the other one.
            told |= {*columns}
        else:
            left_out.append({"column": measure.subject, "metric": SAME_RATE.name, "reason": made})
    return Proposed(proposals, left_out)


def _found(pairs: Sequence[Pair], but: Collection[str]) -> Iterator[tuple[str, str]]:
    """The columns that keep it in all of these pairs of batches, each with the other one, those that most rows speak for first."""
    latest, names = pairs[-1], numbered(pairs[-1].ours)[:_COLUMNS]
    moving = [name for name in names if name not in but and _moves(latest, name)]
    spoken = {columns: rows for columns in permutations(moving, 2) if (rows := _spoken(pairs, columns)) >= LEAST_ROWS}
    places = {name: places_of(latest.ours.column(name).numbers) for name in moving}
    # Of two that are each as many times the other, what is rounded finer is told: cases per 100,000 people by the cases.
    finer = [one for one in spoken if one[::-1] not in spoken or max(one, key=lambda name: (places[name], names.index(name))) == one[0]]
    yield from sorted(finer, key=lambda columns: -spoken[columns])


def _moves(pair: Pair, name: str) -> bool:
    found = rates(pair.ours, pair.theirs, (name, name))
    return found is not None and bool(np.any(found.there & (found.told[0] != found.told[1])))


def _spoken(pairs: Sequence[Pair], columns: tuple[str, str]) -> int:
    """How many rows speak for it in these pairs; 0 where one breaks it, or where all have about one rate."""
    spoken, seen = 0, list[Rates]()
    for pair in reversed(pairs):
        found = rates(pair.ours, pair.theirs, columns)
        if found is None or found.broken.any():
            return 0
        spoken += int(np.count_nonzero(found.speaking))
        seen.append(found)
    return spoken if _several(seen) else 0


def _several(seen: Sequence[Rates]) -> bool:
    """Whether rows have rates of their own."""
    told = np.concatenate([found.told[0][found.speaking] for found in seen])
    other = np.concatenate([found.other[0][found.speaking] for found in seen])
    known = np.unique(np.abs(told[other != 0] / other[other != 0]))
    if len(known) < _DIFFERENT or len(np.unique(told)) < _RESULTS:
        return False
    low, high = np.quantile(known, (0.25, 0.75))
    return bool(high > _APART * low)
