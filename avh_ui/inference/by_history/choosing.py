"""Which of a column's candidates make its program: Algorithm 1, after what every program is to notice before anything else.

That is every class of coverage at half of the rows: rows lost, all of them twice, nulls, another unit, values renamed, another form.
Of each the lightest constraint comes first, as far as the budget goes; where it does not go so far for what README.md promises, that is
said with its price.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_history.burdens import burden_of
from avh_ui.inference.by_history.candidates import MetricModel, Unconstrained
from avh_ui.inference.by_history.first_noticed import MIX, PROMISED, in_turn
from avh_ui.inference.by_history.own_period import belonging
from avh_ui.inference.by_history.tails import NEAREST
from avh_ui.inference.by_history.thinned import tells_losses
from avh_ui.inference.by_history.written import held_to_limits
from avh_ui.inference.selection import Taste, needed, select, tightest
from avh_ui.issues.amounts import ROUNDED
from avh_ui.issues.catching import of_every_row
from avh_ui.issues.losing import LOST, RARE
from avh_ui.issues.variants import RENAMED
from avh_ui.metrics.by_key import EXCHANGED, RANK_CHANGE, SPOILED, WIPED
from avh_ui.metrics.counts import COMPLETE_RATIO
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.values_gone import GONE

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

_ENDS = ("least", "greatest")
# Issues of one of the values a column has.
_OF_A_VALUE = (LOST, RENAMED)
# A budget is shared by about so many clauses where their number is not limited.
USUAL_CLAUSES = 5


@dataclass(frozen=True)
class ChoicePool:
    """What is chosen from: Q candidates with their `costs` and their place in `models` (`owner`, both of shape (Q,)), and which of the
    issues called `names` each catches, shape (Q, issues). `usual` says as much of nearly every batch and of a usual one in the place of the
    latest, nothing where that is no question.
    """

    models: Sequence[MetricModel]
    owner: NDArray[np.int64]
    costs: Floats
    caught: Mask
    names: Sequence[str]
    usual: Sequence[Mask] = ()
    widths: Floats | None = None

    def places(self, issues: Iterable[str]) -> list[int]:
        """Where these issues stand, those that were tried. What has neither level nor limits has no unit either: codes, texts."""
        amount = any(m.metric.unit == "value" for m in self.models)
        found = {name: place for place, name in enumerate(self.names) if amount or not name.startswith("unit_change")}
        return [found[name] for name in issues if name in found]

    def metric(self, candidate: int) -> str:
        """The name of a candidate's metric."""
        return self.models[int(self.owner[candidate])].metric.name


def choose(among: ChoicePool, fpr: float, max_clauses: int | None, *, calibrated: bool) -> tuple[tuple[int, ...], list[Unconstrained]]:
    """The candidates that make the program within the budget, and what of the promised nobody notices. Under `calibrated` that comes
    first; the paper's choice is Algorithm 1 alone.
    """
    owner = among.owner.tolist()
    if not calibrated:
        return tightest(select(among.costs, among.caught, fpr, groups=owner, max_groups=max_clauses), owner, among.caught), []
    among = _telling(_by_values(among))
    burden = np.array([burden_of(model) for model in among.models])[among.owner]
    first = _first(among, burden, fpr, max_clauses)
    if max_clauses is None or len({owner[i] for i in first}) < max_clauses:
        first = _belonging(among, first, burden, fpr)
    # Not in the place of all that notices more.
    if max_clauses is None or len({owner[i] for i in first}) + 1 < max_clauses:
        first = _never_sound(among, first, fpr)
    first = _of_losses(among, first, fpr)
    open_to = None if max_clauses is None else max(max_clauses - len({owner[i] for i in first}), 0)
    kept = tightest(first, owner, among.caught)
    left, new = fpr - math.fsum(among.costs[list(kept)]), ~among.caught[first].any(axis=0)
    taste = Taste(fpr / (max_clauses or USUAL_CLAUSES), burden)
    more = select(among.costs, among.caught & new, left, groups=owner, max_groups=open_to, taste=taste)
    # What never changed stays: it says more than the issues it was tried on.
    keep = np.array([model.sigma == 0 for model in among.models])[among.owner]
    chosen = needed(tightest((*more, *first), owner, among.caught), among.costs, among.caught, keep)
    chosen = _plainer(among, chosen, burden, fpr)
    chosen = _spent(among, _with_other_end(among, _and_none(among, chosen, fpr)), fpr)
    return chosen, _unnoticed(among, chosen)


def _plainer(among: ChoicePool, chosen: Sequence[int], burden: Floats, budget: float) -> tuple[int, ...]:
    """The chosen, with an end in the place of a second distance, where it notices within the budget what of all only that one does: "the
    values move by at most 0.62 on average" was said beside how the same counts are distributed, to notice ten times as many.
    """
    of_batches = [not model.metric.by_key for model in among.models]
    far = np.array([own and m.metric.two_distribution for own, m in zip(of_batches, among.models, strict=True)], dtype=bool)[among.owner]
    ends = [own and m.metric.extreme in _ENDS and m.transform.is_identity for own, m in zip(of_batches, among.models, strict=True)]
    end = np.array(ends, dtype=bool)[among.owner]
    found = list(chosen)
    for one in sorted((i for i in chosen if far[i]), key=lambda i: int(among.caught[i].sum())):
        others = [i for i in found if i != one]
        if not far[others].any():
            break
        seen = [among.caught, *(among.caught & usual for usual in among.usual)]
        able = end & ~np.isin(among.owner, among.owner[others]) & (among.costs <= budget - math.fsum(among.costs[others]))
        for caught in seen:
            able &= ~(caught[one] & ~caught[others].any(axis=0) & ~caught).any(axis=1)
        if able.any():
            # As in `_first`: of costs that are a small part of the budget the tightest bounds.
            best = np.flatnonzero(able)
            found[found.index(one)] = int(best[np.argmin((np.maximum(among.costs, budget / USUAL_CLAUSES) * burden)[best])])
    return tuple(found)


def _by_values(among: ChoicePool) -> ChoicePool:
    """Without accidents: what the shapes of values notice of shares that move between them, distances of numbers that are rounded, and how
    many of a value's rows are missing of rare values that are gone, which are tried as of more rows than a batch has.
    """
    caught, far = among.caught.copy(), np.array([model.metric.two_distribution for model in among.models], dtype=bool)
    bursts = np.array([model.metric.outbreaks for model in among.models], dtype=bool)
    losses = np.array([tells_losses(model.metric) for model in among.models], dtype=bool)
    for names, blind in (((MIX,), far & bursts), ((ROUNDED,), far), (RARE, losses)):
        for at in among.places(names):
            caught[blind[among.owner], at] = False
    return replace(among, caught=caught)


def _telling(among: ChoicePool) -> ChoicePool:
    """Without distances that nothing breaks but that all rows have other values: who reads that a mix changes by at most so much takes it
    for a rule, and half of the rows may be wrong; that rows are in another order is all that their order tells. That a column is empty, of
    which no distance is told, other rules say.
    """
    some = np.array([not of_every_row(name) for name in among.names], dtype=bool)
    far = np.array([m.metric.two_distribution and m.metric is not RANK_CHANGE for m in among.models], dtype=bool)[among.owner]
    silent = far & ~(among.caught & some).any(axis=1)
    # That every frequent value comes again says nothing where none of this column is so frequent that its loss is noticed.
    of_values = np.array([name.startswith(_OF_A_VALUE) for name in among.names], dtype=bool)
    gone = np.array([m.metric.name == GONE.name for m in among.models], dtype=bool)[among.owner]
    silent |= gone & ~(among.caught & of_values).any(axis=1)
    return replace(among, caught=among.caught & ~silent[:, None])


def _spent(among: ChoicePool, chosen: Sequence[int], budget: float) -> tuple[int, ...]:
    """The chosen, with what is left of the budget spent on tighter bounds of the same metrics, an even share for each that varied.

    A level whose column is never null cost a quarter of what it may, and lay within 4 times its largest deviation: 22 to 78 in the place of
    31 to 70; that a row falls by at most 380,000 of 1,000,000 cost half of its share. Not for distances, which nobody reads so, nor for how
    many values are the same, which a default multiplies, nor for a smallest or largest value: one row decides it, and it grows slowly.
    """
    if among.widths is None:
        return tuple(chosen)
    able = {i for i in chosen if _tightened(among.models[int(among.owner[i])])}
    share = (budget - math.fsum(among.costs[list(chosen)])) / max(1, len(able))
    return tuple(_tighter(among, i, share, among.widths) if i in able and share > 0 else i for i in chosen)


def _of_losses(among: ChoicePool, first: list[int], budget: float) -> list[int]:
    """The first with how much of a value is missing bounded nearer for one more even share, before distances take the rest."""
    if among.widths is None:
        return first
    more = min(budget / USUAL_CLAUSES, budget - math.fsum(among.costs[first]))
    losses = [tells_losses(model.metric) for model in among.models]
    return [_tighter(among, i, more, among.widths) if losses[int(among.owner[i])] else i for i in first]


def _tightened(model: MetricModel) -> bool:
    """Whether people read its bounds as tight or loose: those of a batch, of how far a row moved, and of how much of a value is missing,
    of which a nearer bound notices more than the latest batch shows.
    """
    return model.sigma > 0 or tells_losses(model.metric)


def _tighter(among: ChoicePool, candidate: int, more: float, widths: Floats) -> int:
    """The tightest bounds of a candidate's metric that cost at most so much more, and are `NEAREST` largest deviations away."""
    open_to = (among.owner == among.owner[candidate]) & (among.costs <= among.costs[candidate] + more) & (widths >= NEAREST)
    same = np.flatnonzero(open_to)
    return min(int(same[0]), candidate) if len(same) else candidate


def _first(among: ChoicePool, burden: Floats, budget: float, most: int | None) -> list[int]:
    """The candidates that notice what coverage asks of half of the rows, the lightest first within the budget, after `_never_null`."""
    chosen = [] if most == 0 else _never_null(among, budget / (most or USUAL_CLAUSES))
    left, price = budget - math.fsum(among.costs[chosen]), among.costs
    asked = [(at, dearest) for name, dearest in in_turn(among.names, budget / (most or USUAL_CLAUSES)) for at in among.places([name])]
    for at, dearest in asked:
        used = np.isin(among.owner, among.owner[chosen])
        full = most is not None and len(set(among.owner[chosen].tolist())) >= most
        open_to = (price <= min(left, dearest)) & (used | (not full))
        # Where all are too dear that notice it of nearly every batch, those count that notice it of a usual one, or of the latest.
        ways = [*(among.caught[:, at] & usual[:, at] for usual in among.usual), among.caught[:, at]]
        hits = next((hits for hits in ways if (hits & open_to).any()), ways[-1])
        able = np.flatnonzero(hits & open_to)
        if len(able) and not hits[chosen].any():
            # Costs that are a small part of the budget are equal, so that of near-equal candidates the plainest wins, then the tightest.
            best = int(able[np.argmin((np.maximum(among.costs, budget / (most or USUAL_CLAUSES)) * burden)[able])])
            # Tighter bounds of the same metric stand for both.
            same = among.owner == among.owner[best]
            chosen = [*(other for other in chosen if not same[other]), best]
            left -= float(price[best])
            price = np.where(same, np.maximum(among.costs - among.costs[best], 0.0), price)
    return chosen


def _never_null(among: ChoicePool, budget: float) -> list[int]:
    """The one that says that nothing is null, where nothing ever was: what an owner says of a column before all else. A level or a distance
    that half of the cells null moved in the latest batch stood in its place, and of population and of cases in sum nothing said it. Where a
    batch has one value, bounds on that say it: a null breaks them.
    """
    if any(model.alone for model in among.models):
        return []
    filled = np.array([m.metric is COMPLETE_RATIO and m.sigma == 0 and m.mu == 1 for m in among.models], dtype=bool)[among.owner]
    able = np.flatnonzero(filled & among.caught.any(axis=1) & (among.costs <= budget))
    return [int(place) for place in able[:1]]


def _belonging(among: ChoicePool, first: list[int], burden: Floats, budget: float) -> list[int]:
    """With one that says that the values belong to their batch's date, where there is one: no synthetic issue is another day's file."""
    dated = belonging(among.models, among.owner)
    # What bounds the same metric is given up for it.
    given_up = np.array([math.fsum(among.costs[[other for other in first if among.owner[other] == at]]) for at in range(len(among.models))])
    able = np.flatnonzero(dated & (among.costs <= budget - math.fsum(among.costs[first]) + given_up[among.owner]))
    if dated[first].any() or not len(able):
        return first
    best = int(able[np.argmin((among.costs * burden)[able])])
    return [*(other for other in first if among.owner[other] != among.owner[best]), best]


def _never_sound(among: ChoicePool, first: list[int], budget: float) -> list[int]:
    """With one that says that no rows were exchanged, where none ever were, and that no large number became 0 where none ever did: it costs
    next to nothing, and what the synthetic issues say of it other bounds say, too, until they are wide.

    Two provinces that took each other's numbers moved 2.8 times as far as any had in 120 days, within the bounds of how far rows move.
    """
    if (_never(among, SPOILED) | _never(among, EXCHANGED))[first].any():
        return first
    nothing = np.zeros(len(among.names), dtype=bool)
    return [*first, *(_one_of(among, SPOILED, nothing, first, budget) or _one_of(among, EXCHANGED, nothing, first, budget))]


def _and_none(among: ChoicePool, chosen: Sequence[int], budget: float) -> tuple[int, ...]:
    """With one that says that no large number became 0, where none ever did, and the chosen do not notice that."""
    noticed = np.asarray(among.caught[list(chosen)].any(axis=0))
    return (*chosen, *_one_of(among, WIPED, noticed, chosen, budget))


def _with_other_end(among: ChoicePool, chosen: Sequence[int]) -> tuple[int, ...]:
    """With the other end of what has two by nature, where one is chosen: both are one rule, and nobody who reads that a latitude is never
    below -90 takes 120 for one.
    """
    ends = {
        place: model.metric.extreme for place, model in enumerate(among.models) if model.metric.extreme in _ENDS and held_to_limits(model)
    }
    there = {int(among.owner[i]) for i in chosen}
    if len(ends) < len(_ENDS) or there.isdisjoint(ends):
        return tuple(chosen)
    missing = [int(np.flatnonzero(among.owner == place)[0]) for place in ends if place not in there and np.any(among.owner == place)]
    return (*chosen, *missing)


def _never(among: ChoicePool, metric: Metric) -> Mask:
    return np.array([m.metric is metric and m.sigma == 0 for m in among.models], dtype=bool)[among.owner]


def _one_of(among: ChoicePool, metric: Metric, noticed: Mask, chosen: Sequence[int], budget: float) -> list[int]:
    """The candidate that says that a metric is always 0 and catches most of what is not `noticed`, where there is one in the budget."""
    more = (among.caught & ~noticed).sum(axis=1)
    left = budget - math.fsum(among.costs[list(chosen)])
    able = np.flatnonzero(_never(among, metric) & (more > 0) & (among.costs <= left))
    return [int(able[np.lexsort((among.costs[able], -more[able]))[0]])] if len(able) else []


def _unnoticed(among: ChoicePool, chosen: Sequence[int]) -> list[Unconstrained]:
    """Of what is promised and not noticed by the chosen ones a sentence each: what noticing it would cost, or that nothing can."""
    told = []
    for at in among.places(PROMISED):
        name = among.names[at]
        hits = among.caught[:, at] & among.usual[0][:, at] if among.usual else among.caught[:, at]
        if hits[list(chosen)].any():
            continue
        # Noticed of the latest batch is not yet noticed of all.
        of = " of every batch" if among.caught[list(chosen), at].any() else ""
        able = np.flatnonzero(hits & (among.costs > 0))
        if not len(able):
            told.append(Unconstrained("", f"{PROMISED[name]} would not be noticed{of}: no bounds that the history allows do", name))
            continue
        best = int(able[np.argmin(among.costs[able])])
        price = f"bounds of {among.metric(best)} that do would alarm on 1 clean batch in {1 / among.costs[best]:,.0f}"
        told.append(Unconstrained(among.metric(best), f"{PROMISED[name]} would not be noticed{of}: {price}", name))
    return told
