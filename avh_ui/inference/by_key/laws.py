"""Laws of rows matched by key: what holds in nearly all pairs of batches that follow each other, and is a rule where it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np

from avh_ui.constraints.constraint import Constraint, Origin
from avh_ui.constraints.evidence import FromHistory, FromRelation, Proposal, Record
from avh_ui.constraints.provenance import Provenance
from avh_ui.constraints.saying import names_in, wording_of
from avh_ui.inference.by_key.suspects import episodes, seen
from avh_ui.inference.by_relation.holding import LEAST_RATE, RULE, SUSPECTS
from avh_ui.inference.source import Budget, Window
from avh_ui.metrics.joining import join
from avh_ui.metrics.matched_parts import rows_where
from avh_ui.metrics.matching import Matched, MatchedChange, changes_of
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.standing_still import LEAST_ROWS
from avh_ui.metrics.state import State

# Suggested where so many pairs of batches did not break it.
LEAST_BATCHES = 20
# In each row of a clock it is later by about as much: the most by so many times the least, as months have 28 to 31 days, or by one more.
# Meters of which each used 5 to 9 since yesterday are none.
_ALIKE = 1.25
Question = Callable[[MatchedChange], Any]


class Changed(NamedTuple):
    """How many rows of two batches match, in how many a column has another value, and whether it is about as far on in each of them."""

    rows: int
    changed: int
    marches: bool = False

    @property
    def share(self) -> float:
        """The share of those that changed."""
        return self.changed / self.rows

    @property
    def stayed(self) -> float:
        """The share of the others."""
        return (self.rows - self.changed) / self.rows


@dataclass(frozen=True)
class Pair:
    """Two batches in a row; `right` is whether somebody said so of the newer one. What is found of a column is kept, how the batches match
    is not: of a hundred of them that is much.
    """

    batch: str
    ours: RowSample
    theirs: RowSample
    right: bool = False

    @cached_property
    def changed(self) -> Mapping[str, Changed]:
        """How each column changed, where any rows match: told once of all columns, since several rules ask for it."""
        same, rows = {*self.ours.by, *self.ours.unchanged(self.theirs)}, len(join(self.ours, self.theirs).ours)
        found = changes_of(self.ours, self.theirs, [name for name in self.ours.columns if name not in same])
        told = {name: Changed(rows, one.changed_rows, _marches(one)) for name, one in found.items()}
        every = {name: Changed(rows, 0) if name in same else told.get(name) for name in self.ours.columns} if rows else {}
        return {name: one for name, one in every.items() if one is not None}

    def ask(self, asked: Mapping[Question, Sequence[str]]) -> None:
        """Ask questions of how these columns changed, each once, and all of one call at once: to match takes longer than most of them."""
        unsaid = [(question, name) for question, names in asked.items() for name in names if (question, name) not in self._said]
        found = changes_of(self.ours, self.theirs, dict.fromkeys(name for _, name in unsaid)) if unsaid else {}
        self._said.update({(question, name): question(found[name]) if name in found else None for question, name in unsaid})

    def says(self, question: Question, name: str) -> Any:
        """What a question finds of a column; None where no rows match, or one side lacks the column."""
        self.ask({question: [name]})
        return self._said[question, name]

    @cached_property
    def _said(self) -> dict[tuple[Question, str], Any]:
        return {}


def _marches(change: MatchedChange) -> bool:
    moved = change.after[change.both] - change.before[change.both] if change.numeric else np.empty(0)
    if len(moved) < LEAST_ROWS or moved.min() <= 0:
        return False
    return bool(moved.max() <= _ALIKE * moved.min() or (moved.max() - moved.min() <= 1 and np.all(moved == np.round(moved))))


@dataclass(frozen=True)
class Law:
    """That a measure by a key is `at` one value: 1, one of a `family` of relations, or 0; and the faults that were `tried`, with whether
    each breaks it.
    """

    metric: Metric
    measure: Measure
    tried: dict[str, bool]
    family: str = ""
    at: float = 1.0

    def share(self, pair: Pair) -> float:
        """The share of the rows that keep it; NaN where that is not known of a pair."""
        return 1 - abs(self.at - self.metric.between(self._state(pair.ours), self._state(pair.theirs)))

    def rows(self, pair: Pair) -> int:
        """How many rows it speaks of."""
        return len(join(self._part(pair.ours), self._part(pair.theirs)).ours)

    def _part(self, sample: RowSample) -> RowSample:
        return sample if self.measure.where is None else rows_where(sample, self.measure.where)

    def _state(self, sample: RowSample) -> State:
        rows = self._part(sample)
        return Matched(rows, self.measure.columns[0]) if Matched in self.metric.needs else rows


def pairs_in(window: Window, host: str, watch: Watch) -> Sequence[Pair]:
    """The samples of the window's batches in a row, both of which are learned from, oldest first; read once of a window."""
    if (place := f"pairs of {host}") not in window.kept:
        window.kept[place] = tuple(_pairs(window, host, watch))
    return cast("Sequence[Pair]", window.kept[place])


def _pairs(window: Window, host: str, watch: Watch) -> Iterator[Pair]:
    history, before, known = window.history, "", None
    out = window.exclude | window.untaught.get(host, frozenset())
    right = {standing.batch for standing in history.standings if standing.said == "right"}
    for batch in history.batches[window.start :]:
        watch.check()
        found = None if batch in out else window.sample_of(batch, host)
        if found is not None and known is not None and before:
            yield Pair(batch, found, known, batch in right)
        before, known = batch, found


def told(pairs: Sequence[Pair], names: Sequence[str], question: Question) -> dict[str, list[Any]]:
    """By column what a question finds in each pair of batches in which rows match and both sides have the column."""
    for pair in pairs:
        pair.ask({question: names})
    return {name: [found for pair in pairs if (found := pair.says(question, name)) is not None] for name in names}


def held(law: Law, pairs: Sequence[Pair], budget: Budget, *, always: bool = False, shares: Sequence[float] | None = None) -> Proposal | str:
    """The rule as it fared in the pairs of batches; else why there is none. Few that broke it may have been faults; where it is to hold
    `always`, one may that nobody called right: with two in 120 days, the third alarmed of a region that said -119 where it was -118. Of
    what only faults do a fault and its mending on the next day are one. The law's `shares` of the pairs may be known.
    """
    every = zip(pairs, map(law.share, pairs) if shares is None else shares, strict=True)
    judged = [(pair, share) for pair, share in every if np.isfinite(share)]
    record = Record(len(judged), tuple(pair.batch for pair, share in judged if share < 1))
    if always and (right := [pair.batch for pair, share in judged if share < 1 and pair.right]):
        return f"batch {right[-1]} broke it, and somebody said that it is right"
    if always and len(record.fired) > 1:
        return f"{len(record.fired)} of {record.judged} batches broke it"
    broken = [share < 1 for _, share in judged] if law.metric.of_faults else None
    fpr = priced(record, budget, broken)
    if isinstance(fpr, str):
        return fpr
    return _kept(law, judged, record, fpr) if law.at else bounded(law, pairs, record, fpr, upper=law.at)


def priced(record: Record, budget: Budget, broken: Sequence[bool] | None = None) -> float | str:
    """How likely the next clean batch breaks a rule that so many kept, as of a relation within a row; else why it is none. Of what only
    faults do those that are `broken` may be a fault and its mending. What broke it otherwise it is priced at: some region of Italy's
    provinces stood still on 1 or 2 of 120 days and on 5 of the next 600, where 1 in 10,000 was promised.
    """
    fired = len(record.fired)
    sound, faults = record.judged - fired, fired if broken is None else episodes(broken)
    if sound < LEAST_BATCHES or faults > SUSPECTS * record.judged:
        return f"{fired} of {record.judged} batches broke it"
    fpr = max(LEAST_RATE, float((sound + 2) ** -RULE))
    if fpr > budget.fpr:
        return f"it held in {sound} batches, too few for a false-alarm rate of {budget.fpr:g}"
    return max(fpr, seen(record.judged, [True] * fired if broken is None else broken, of_faults=broken is not None))


def _kept(law: Law, judged: Sequence[tuple[Pair, float]], record: Record, fpr: float) -> Proposal:
    """What all rows keep, as a relation."""
    measure, latest = law.measure, judged[-1][0].ours
    says = wording_of(measure, "rows").at[law.at].format(**names_in(measure, "rows"))
    first, last = judged[0][0].batch, judged[-1][0].batch
    learned = Provenance(method="relation", first_batch=first, last_batch=last, batches=len(judged), says=says)
    rows = [law.rows(pair) for pair, _ in judged]
    broken = round(sum((1 - share) * count for (_, share), count in zip(judged, rows, strict=True)))
    caught = tuple(name for name, hit in law.tried.items() if hit)
    evidence = FromRelation(
        method="relation", batches=len(judged), backtest=record, tried=tuple(law.tried), caught=caught, only_caught=caught,
        family=law.family, of=measure.columns, rows=sum(rows), broken=broken, latest=latest.keys, exact=not latest.more,
    )  # fmt: skip
    return Proposal(replace(_constraint(law, fpr, "relation"), lower=law.at, provenance=learned.to_record()), evidence)


def bounded(
    law: Law,
    pairs: Sequence[Pair],
    record: Record,
    fpr: float,
    *,
    lower: float = 0.0,
    upper: float | None,
    values: Sequence[float] = (0.0,),
) -> Proposal:
    """What happens to no row, or to few or most of them, as bounds that the history gives, in which it had these `values`."""
    mean, sigma = float(np.mean(values)), float(np.std(values))
    learned = Provenance(
        method="calibrated", first_batch=pairs[0].batch, last_batch=pairs[-1].batch, batches=record.judged, mu=mean, sigma=sigma,
        fpr_target=fpr,
    )  # fmt: skip
    caught = tuple(name for name, hit in law.tried.items() if hit)
    evidence = FromHistory(
        method="calibrated", batches=record.judged, backtest=record, tried=tuple(law.tried), caught=caught, only_caught=caught, mu=mean,
        sigma=sigma, points=record.judged,
    )  # fmt: skip
    return Proposal(replace(_constraint(law, fpr, "history"), lower=lower, upper=upper, provenance=learned.to_record()), evidence)


def _constraint(law: Law, fpr: float, origin: Origin) -> Constraint:
    return Constraint(law.measure.subject, law.measure.name, "rows", None, None, measure=law.measure, fpr=fpr, origin=origin)
