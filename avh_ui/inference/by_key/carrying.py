"""Suggesting what rows carry over from the batch before: a column is what another one of its row rose by since, or what it was then; or
it changed by what others say.

Found in the samples of batches that follow each other, held against all of them in the window. Only numbers, and only what no chance keeps:
the columns vary, and the other one changes from batch to batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

import numpy as np

from avh_ui.constraints.evidence import Proposal
from avh_ui.inference.by_key import nearly_carried, netting
from avh_ui.inference.by_key.laws import LEAST_BATCHES, Law, Pair, held
from avh_ui.inference.by_key.nearly_carried import LEAST_ROWS, numbered, tried
from avh_ui.inference.source import Budget, LeftOut, Proposed
from avh_ui.metrics.carried import EARLIER, OF_CARRIED
from avh_ui.metrics.joining import join
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.profiler import Watch

# Looked for in the latest so many pairs of batches, in all of which it has to hold.
_LOOKED = 3
# Nearly all pairs of columns are told apart by so many rows.
_FIRST = 64
# Tickets opened on a day are 0 to 9 a team: of fewer numbers a column is a flag, and what it is the rise of may be one, too.
_DIFFERENT = 5
# A person reads each; a table of meters has one or two.
MOST = 6


def suggest(pairs: Sequence[Pair], key: Sequence[str], budget: Budget, watch: Watch, seed: int = 0) -> Proposed:
    """The rules on what carries over; none where the history has too few `pairs` of batches in a row."""
    if len(pairs) < LEAST_BATCHES:
        return Proposed()
    proposals, left_out, told, others = list[Proposal](), list[LeftOut](), set[str](), set[str]()
    for metric, columns in _found(pairs[-_LOOKED:]):
        watch.check()
        # What is told already, and what tells it the other way round, says nothing more.
        if columns[0] in told or len(proposals) == MOST:
            continue
        measure = Measure(metric.name, columns, parameters=(("key", tuple(key)),))
        bound = metric.of_measure(measure)
        made = held(Law(bound, measure, tried(bound, measure, pairs[-1], seed), "carried"), pairs, budget, always=True)
        if isinstance(made, Proposal):
            proposals.append(made)
            told.add(columns[0])
            others.add(columns[1])
        else:
            left_out.append({"column": measure.subject, "metric": metric.name, "reason": made})
    net = netting.suggest(pairs, key, budget, watch, seed, but=others, most=MOST - len(proposals))
    proposals, left_out = [*proposals, *net.proposals], [*left_out, *net.left_out]
    nearly = nearly_carried.suggest(pairs, key, budget, watch, seed, but=told, most=MOST - len(proposals))
    return Proposed([*proposals, *nearly.proposals], [*left_out, *nearly.left_out])


def _found(pairs: Sequence[Pair]) -> Iterator[tuple[Metric, tuple[str, str]]]:
    """What holds in all of these pairs of batches and says something in them."""
    names = numbered(pairs[-1].ours)
    for metric in OF_CARRIED:
        for columns in _perhaps(metric, names, pairs[-1]):
            if all(_holds(metric, columns, pair) for pair in reversed(pairs)) and _says(metric, columns, pairs):
                yield metric, columns


def _perhaps(metric: Metric, names: Sequence[str], pair: Pair) -> Iterator[tuple[str, str]]:
    """The columns of which the first rows do not break it at once: nearly all pairs of columns do."""
    joined = join(pair.ours, pair.theirs)
    now = np.stack([pair.ours.column(name).numbers[joined.ours[:_FIRST]] for name in names] or [np.empty(0)])
    there = [pair.theirs.columns.get(name) for name in names]
    none = np.full(now.shape[1], np.nan)
    then = np.stack([none if one is None else one.numbers[joined.theirs[:_FIRST]] for one in there] or [np.empty(0)])
    # Of two infinities nothing is told.
    with np.errstate(invalid="ignore"):
        wanted = then if metric is EARLIER else now - then
        pairs = permutations(range(len(names)), 2)
        found = [(at, other) for at, other in pairs if not np.any(np.abs(now[at] - wanted[other]) > 0.5)]
    yield from ((names[at], names[other]) for at, other in found)


def _holds(metric: Metric, columns: tuple[str, str], pair: Pair) -> bool:
    found = metric.of_measure(Measure(metric.name, columns, parameters=(("key", pair.ours.by),))).between(pair.ours, pair.theirs)
    return found == 1


def _says(metric: Metric, columns: tuple[str, str], pairs: Sequence[Pair]) -> bool:
    """Whether enough rows show it: of a rise one that is not 0, of an earlier value one that is another now; of several numbers each."""
    seen, values = 0, set[float]()
    for pair in pairs:
        joined = join(pair.ours, pair.theirs)
        told, now = (pair.ours.column(name).numbers[joined.ours] for name in columns)
        then = pair.theirs.column(columns[1]).numbers[joined.theirs]
        changed = np.isfinite(told) & np.isfinite(now) & np.isfinite(then) & (now != then)
        if metric is EARLIER:
            changed &= told != now
        seen += int(np.count_nonzero(changed))
        values |= set(told[changed].tolist())
    return seen >= LEAST_ROWS and len(values) >= _DIFFERENT
