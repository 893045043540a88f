"""Suggesting what nearly all rows carry over: a column is what another one rose by, but where earlier days are put right.

Of each such column two rules: that the rows in which it is another number are no mistakes, and that most rows keep it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from avh_ui.constraints.evidence import Proposal, Record
from avh_ui.inference.by_key.laws import Law, Pair, bounded, held, priced
from avh_ui.inference.by_key.row_issues import column_issues
from avh_ui.inference.by_relation.holding import SUSPECTS
from avh_ui.inference.source import Budget, LeftOut, Proposed
from avh_ui.metrics.carried import MISTAKEN_RISE, THE_RISE, Carried, carried, rise
from avh_ui.metrics.column import Floats
from avh_ui.metrics.joining import join
from avh_ui.metrics.matching import Matched
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.sampled_values import NUMBER

# In so many rows it has to say something: another number than 0, and not the one that stands beside it.
LEAST_ROWS = 30
# Looked for in the latest so many pairs of batches, a week, in each of which so many of the rows that are not 0 have to keep it: of Italy's
# new cases 16 to 21 of 21 regions are what the total rose by, on every day.
_LOOKED, _NEARLY = 7, 0.7
# Fewer than half of the rows in a batch are not nearly all.
_LEAST = 0.5
# Twice as many rows as ever may be others, and a tenth of them at any time: of two columns of Italy's regions walked forward, 4 of 6,610
# next batches had more. Half of the fewest that ever kept it, as it was, 2 did not reach; a reader called 50 % after 95 too loose.
_TWICE, _FEW = 2.0, 0.1
# Nearly all pairs of columns are told apart by so many rows, by more than half of the coarsest last place.
_FIRST, _APART = 64, 0.5
# The decimal places of a bound.
_PLACES = 3


def suggest(
    pairs: Sequence[Pair], key: Sequence[str], budget: Budget, watch: Watch, seed: int, *, but: Collection[str], most: int
) -> Proposed:
    """The rules on up to so many columns, none of those that rules tell already (`but`)."""
    proposals, left_out = list[Proposal](), list[LeftOut]()
    for columns in _found(pairs[-_LOOKED:], but)[: max(0, most)]:
        watch.check()
        for measure, made in _rules(columns, pairs, key, budget, seed):
            if isinstance(made, Proposal):
                proposals.append(made)
            else:
                left_out.append({"column": measure.subject, "metric": measure.name, "reason": made})
    return Proposed(proposals, left_out)


def numbered(sample: RowSample) -> list[str]:
    """The columns of numbers that are not part of the key."""
    return [name for name, values in sample.columns.items() if name not in sample.by and values.numeric and values.form == NUMBER]


def tried(metric: Metric, measure: Measure, pair: Pair, seed: int, *, lower: float = 1.0, upper: float = 1.0) -> dict[str, bool]:
    """The faults of the rows of both columns, and whether each is beyond the bounds."""
    found: dict[str, bool] = {}
    for column in measure.columns:
        ours, theirs = (Matched(side, column) for side in (pair.ours, pair.theirs))
        spoiled: Mapping[str, Matched] = column_issues(ours, theirs, seed, within=False, beside=measure.columns)
        values = {name: metric.between(one.rows, pair.theirs) for name, one in spoiled.items()}
        found |= {f"{column} {name}": value < lower or value > upper for name, value in values.items()}
    return found


def _found(pairs: Sequence[Pair], but: Collection[str]) -> list[tuple[str, str]]:
    """The columns that nearly are what another one rose by, each with the one that it is nearest to."""
    best = dict[str, tuple[float, str]]()
    for name, other in _perhaps(pairs[-1], but):
        share = _share(pairs, (name, other))
        if share > best.get(name, (0.0, ""))[0]:
            best[name] = (share, other)
    return [(name, other) for name, (_, other) in best.items()]


def _perhaps(pair: Pair, but: Collection[str]) -> Iterator[tuple[str, str]]:
    """The columns of which the first rows do not say at once that they are not: nearly all pairs of columns do."""
    joined, names = join(pair.ours, pair.theirs), [name for name in numbered(pair.ours) if name in pair.theirs.columns]
    now = np.stack([pair.ours.column(name).numbers[joined.ours[:_FIRST]] for name in names] or [np.empty(0)])
    then = np.stack([pair.theirs.column(name).numbers[joined.theirs[:_FIRST]] for name in names] or [np.empty(0)])
    with np.errstate(invalid="ignore", over="ignore"):
        rises = now - then
        for at, name in enumerate(names):
            if name in but:
                continue
            said = np.isfinite(now[at]) & np.isfinite(rises) & ((now[at] != 0) | (rises != 0))
            kept = said & (np.abs(now[at] - rises) < _APART)
            for other in np.flatnonzero(kept.sum(axis=1) >= _NEARLY * np.maximum(said.sum(axis=1), 1)).tolist():
                if other != at:
                    yield name, names[other]


def _share(pairs: Sequence[Pair], columns: tuple[str, str]) -> float:
    """In how many of the rows that are not 0 it is so, over these pairs; 0 where that is less than `_NEARLY` in one of them, or where these
    rows are few or alike.
    """
    seen, values, rows = 0, set[float](), 0
    for pair in reversed(pairs):
        found = carried(pair.ours, pair.theirs, columns, rise)
        if found is None:
            return 0.0
        some, kept = _kept(found)
        if len(kept) < _NEARLY * some:
            return 0.0
        seen, rows = seen + len(kept), rows + some
        values |= set(kept.tolist())
    return seen / rows if seen >= LEAST_ROWS and len(values) >= LEAST_ROWS // 2 else 0.0


def _kept(found: Carried) -> tuple[int, Floats]:
    """How many rows are not 0, and what the column says in those of them that keep it."""
    some = found.there & ((found.told != 0) | (found.wanted != 0))
    return int(np.count_nonzero(some)), found.told[some & ~found.broken]


def _rules(
    columns: tuple[str, str], pairs: Sequence[Pair], key: Sequence[str], budget: Budget, seed: int
) -> list[tuple[Measure, Proposal | str]]:
    """That all rows keep it, where batches have so few that the latest three did not show it (`carrying`); else that nearly all do."""
    of, none = (Measure(metric.name, columns, parameters=(("key", tuple(key)),)) for metric in (THE_RISE, MISTAKEN_RISE))
    rise_of, mistakes = THE_RISE.of_measure(of), MISTAKEN_RISE.of_measure(none)
    if all(rise_of.between(pair.ours, pair.theirs) == 1 for pair in pairs[-_LOOKED:]):
        always = held(Law(rise_of, of, tried(rise_of, of, pairs[-1], seed), "carried"), pairs, budget, always=True)
        if isinstance(always, Proposal):
            return [(of, always)]
    law = Law(mistakes, none, tried(mistakes, none, pairs[-1], seed, upper=0.0), at=0.0)
    return [(none, held(law, pairs, budget)), (of, _most(rise_of, of, pairs, budget, seed))]


def _most(metric: Metric, measure: Measure, pairs: Sequence[Pair], budget: Budget, seed: int) -> Proposal | str:
    """That most rows keep it."""
    shares = [(pair.batch, share) for pair in pairs if np.isfinite(share := metric.between(pair.ours, pair.theirs))]
    ordered = sorted(share for _, share in shares)
    least = ordered[int(SUSPECTS * len(ordered))] if ordered else 0.0
    if least < _LEAST:
        return f"in a batch {100 * least:.3g}% of the rows kept it"
    lower = round(max(least / 2, 1 - max(_TWICE * (1 - least), _FEW)), _PLACES)
    record = Record(len(shares), tuple(batch for batch, share in shares if share < lower))
    fpr = priced(record, budget)
    if isinstance(fpr, str):
        return fpr
    law = Law(metric, measure, tried(metric, measure, pairs[-1], seed, lower=lower), at=1.0)
    return bounded(law, pairs, record, fpr, lower=lower, upper=None, values=[share for _, share in shares])
