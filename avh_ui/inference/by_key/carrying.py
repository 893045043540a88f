"""Suggesting what rows carry over from the batch before: a column is what another one of its row rose by since, or what it was then.

Found in the samples of batches that follow each other, held against all of them in the window. Only numbers, and only what no chance keeps:
the columns vary, and the other one changes from batch to batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromRelation, Proposal, Record
from avh_ui.constraints.provenance import Provenance
from avh_ui.constraints.saying import names_in, wording_of
from avh_ui.errors import UNREADABLE_BATCH
from avh_ui.inference.by_key.row_issues import column_issues
from avh_ui.inference.by_relation.holding import LEAST_RATE, RULE, SUSPECTS
from avh_ui.inference.source import Budget, LeftOut, Proposed, Window
from avh_ui.metrics.carried import EARLIER, OF_CARRIED
from avh_ui.metrics.joining import join
from avh_ui.metrics.matching import Matched
from avh_ui.metrics.measure import Measure, host_of
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.sampled_values import NUMBER

# Looked for in the latest so many pairs of batches, in all of which it has to hold, and suggested where so many more did not break it.
_LOOKED, LEAST_BATCHES = 3, 20
# Nearly all pairs of columns are told apart by so many rows.
_FIRST = 64
# In so many rows it has to say something: another number than 0, and not the one that stands beside it.
LEAST_ROWS = 30
# A person reads each; a table of meters has one or two.
MOST = 6


@dataclass(frozen=True)
class _Pair:
    """Two batches in a row."""

    batch: str
    ours: RowSample
    theirs: RowSample


def suggest(window: Window, key: Sequence[str], budget: Budget, watch: Watch, seed: int = 0) -> Proposed:
    """The rules on what carries over; none where the budget has no pairs, or the history too few batches in a row."""
    if not budget.pairs:
        return Proposed()
    pairs = list(_pairs(window, host_of(key), watch))
    if len(pairs) < LEAST_BATCHES:
        return Proposed()
    proposals, left_out, told = list[Proposal](), list[LeftOut](), set[str]()
    for metric, columns in _found(pairs[-_LOOKED:]):
        watch.check()
        # What is told already, and what tells it the other way round, says nothing more.
        if columns[0] in told or len(proposals) == MOST:
            continue
        measure = Measure(metric.name, columns, parameters=(("key", tuple(key)),))
        made = _held(metric.of_measure(measure), measure, pairs, budget, seed)
        if isinstance(made, Proposal):
            proposals.append(made)
            told.add(columns[0])
        else:
            left_out.append({"column": measure.subject, "metric": metric.name, "reason": made})
    return Proposed(proposals, left_out)


def _pairs(window: Window, host: str, watch: Watch) -> Iterator[_Pair]:
    """The samples of the window's batches in a row, both of which are learned from, oldest first."""
    history, before, known = window.history, "", None
    out = window.exclude | window.untaught.get(host, frozenset())
    for batch in history.batches[window.start :]:
        watch.check()
        found = None if batch in out else _sample(window, batch, host)
        if found is not None and known is not None and before:
            yield _Pair(batch, found, known)
        before, known = batch, found


def _sample(window: Window, batch: str, host: str) -> RowSample | None:
    try:
        column = window.repository.load(window.history.pipeline, batch, [host]).columns.get(host)
    except UNREADABLE_BATCH:
        return None
    found = None if column is None else column.states.get(RowSample.key)
    return found if isinstance(found, RowSample) else None


def _found(pairs: Sequence[_Pair]) -> Iterator[tuple[Metric, tuple[str, str]]]:
    """What holds in all of these pairs of batches and says something in them."""
    latest = pairs[-1].ours
    names = [name for name, values in latest.columns.items() if name not in latest.by and values.numeric and values.form == NUMBER]
    for metric in OF_CARRIED:
        for columns in _perhaps(metric, names, pairs[-1]):
            if all(_holds(metric, columns, pair) for pair in reversed(pairs)) and _says(metric, columns, pairs):
                yield metric, columns


def _perhaps(metric: Metric, names: Sequence[str], pair: _Pair) -> Iterator[tuple[str, str]]:
    """The columns of which the first rows do not break it at once: nearly all pairs of columns do."""
    joined = join(pair.ours, pair.theirs)
    now = np.stack([pair.ours.column(name).numbers[joined.ours[:_FIRST]] for name in names] or [np.empty(0)])
    there = [pair.theirs.columns.get(name) for name in names]
    none = np.full(now.shape[1], np.nan)
    then = np.stack([none if one is None else one.numbers[joined.theirs[:_FIRST]] for one in there] or [np.empty(0)])
    wanted = then if metric is EARLIER else now - then
    for at, other in permutations(range(len(names)), 2):
        if not np.any(np.abs(now[at] - wanted[other]) > 0.5):
            yield names[at], names[other]


def _holds(metric: Metric, columns: tuple[str, str], pair: _Pair) -> bool:
    found = metric.of_measure(Measure(metric.name, columns, parameters=(("key", pair.ours.by),))).between(pair.ours, pair.theirs)
    return found == 1


def _says(metric: Metric, columns: tuple[str, str], pairs: Sequence[_Pair]) -> bool:
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
    return seen >= LEAST_ROWS and len(values) >= LEAST_ROWS // 2


def _held(metric: Metric, measure: Measure, pairs: Sequence[_Pair], budget: Budget, seed: int) -> Proposal | str:
    """The rule as it fared; else why there is none."""
    shares = [metric.between(pair.ours, pair.theirs) for pair in pairs]
    judged = [(pair, share) for pair, share in zip(pairs, shares, strict=True) if np.isfinite(share)]
    fired = tuple(pair.batch for pair, share in judged if share < 1)
    sound = len(judged) - len(fired)
    if sound < LEAST_BATCHES or len(fired) > SUSPECTS * len(judged):
        return f"{len(fired)} of {len(judged)} batches broke it"
    fpr = max(LEAST_RATE, float((sound + 2) ** -RULE))  # as a relation within a row
    if fpr > budget.fpr:
        return f"it held in {sound} batches, too few for a false-alarm rate of {budget.fpr:g}"
    tried, caught = _tried(metric, measure, pairs[-1], seed)
    made = Constraint(
        column=measure.subject, metric=measure.name, measure=measure, kind="rows", lower=1.0, upper=None, fpr=fpr, origin="relation"
    )
    says = wording_of(measure, "rows").at[1.0].format(**names_in(measure, "rows"))
    rows = sum(len(join(pair.ours, pair.theirs).ours) for pair, _ in judged)
    learned = Provenance(method="relation", first_batch=pairs[0].batch, last_batch=pairs[-1].batch, batches=len(judged), says=says)
    broken = round(sum((1 - share) * len(join(pair.ours, pair.theirs).ours) for pair, share in judged))
    evidence = FromRelation(
        method="relation", batches=len(judged), backtest=Record(len(judged), fired), tried=tried, caught=caught, only_caught=caught,
        family="carried", of=measure.columns, rows=rows, broken=broken, latest=pairs[-1].ours.keys, exact=not pairs[-1].ours.more,
    )  # fmt: skip
    return Proposal(replace(made, provenance=learned.to_record()), evidence)


def _tried(metric: Metric, measure: Measure, pair: _Pair, seed: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The faults of the rows of both columns, and those that break it."""
    tried: dict[str, bool] = {}
    for column in measure.columns:
        spoiled: Mapping[str, Matched] = column_issues(Matched(pair.ours, column), Matched(pair.theirs, column), seed, within=False)
        tried |= {f"{column} {name}": metric.between(one.rows, pair.theirs) < 1 for name, one in spoiled.items()}
    return tuple(tried), tuple(name for name, hit in tried.items() if hit)
