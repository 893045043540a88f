"""Choosing what catches most within the budget, whatever the source (AVH, section 4.3, Algorithm 1).

Budgeted maximum coverage by greedy gain per cost; the better of the greedy set and the best single constraint is within
1/2 - 1/(2e) of the optimum (Proposition 4; Khuller, Moss and Naor 1999).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]

# Costs are summed in floating point; a sum that exceeds the budget by rounding alone still fits.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Taste:
    """What the calibrated choice adds to Algorithm 1: what is weighed is `max(cost, least) * burden`, `burden` of shape (Q,).

    A cost below `least` buys nothing, and of near-equal candidates the one of least burden wins. Tightening a metric that is in is
    charged the difference only, since the tighter bounds stand for both; the paper charges both.
    """

    least: float
    burden: Floats


def select(
    costs: Floats,
    caught: Mask,
    budget: float,
    *,
    groups: Sequence[int] | None = None,
    max_groups: int | None = None,
    taste: Taste | None = None,
) -> tuple[int, ...]:
    """The chosen candidates in order of choice; `costs` of shape (Q,), `caught` of shape (Q, variants).

    Candidates stand in catalogue order, which breaks the last ties: larger gain per cost, larger gain, smaller cost, larger recall.
    What costs nothing comes first. At most `max_groups` different `groups` (metrics; each candidate its own by default) are used;
    a group that is in already may be tightened. Without `taste` this is the paper's algorithm.
    """
    owner = np.arange(len(costs)) if groups is None else np.asarray(groups)
    limit = budget * (1 + _ROUNDING)
    least = 0.0 if taste is None else taste.least
    places = _useful(costs, caught, owner, limit, least)
    if not len(places) or (max_groups is not None and max_groups < 1):
        return ()
    costs, caught, owner = costs[places], caught[places], owner[places]
    weigh = (lambda price: price) if taste is None else lambda price: np.maximum(price, least) * taste.burden[places]
    chosen = _greedy(costs, caught, owner, limit, max_groups=max_groups, weigh=weigh, upgrade=taste is not None)
    recall = caught.sum(axis=1)
    single = _single(costs, recall)
    if recall[single] > caught[chosen].any(axis=0).sum():
        chosen = [single]
    return tuple(int(places[i]) for i in chosen)


def adding(caught: Mask) -> tuple[int, ...]:
    """Of candidates that cost nothing those that add something, in order of choice; `caught` of shape (Q, variants)."""
    return select(np.zeros(len(caught)), caught, 0.0)


def _greedy(
    costs: Floats,
    caught: Mask,
    owner: NDArray[np.int64],
    limit: float,
    *,
    max_groups: int | None,
    weigh: Callable[[Floats], Floats],
    upgrade: bool,
) -> list[int]:
    """Lines 3 to 8."""
    recall = caught.sum(axis=1)
    left = np.ones(len(costs), dtype=bool)
    covered = np.zeros(caught.shape[1], dtype=bool)
    chosen: list[int] = []
    spent, price = 0.0, costs
    while True:
        gain = (caught & ~covered).sum(axis=1)
        best = _best(np.flatnonzero(left & (gain > 0)), gain, weigh(price), recall)
        if best is None:
            return chosen
        chosen.append(best)
        spent += float(price[best])
        covered |= caught[best]
        if upgrade:
            price = np.where(owner == owner[best], np.maximum(costs - costs[best], 0.0), price)
        # What does not fit now never will, since spending only grows; drawing it would change nothing.
        left &= spent + price <= limit
        left[best] = False
        used = owner[chosen]
        if max_groups is not None and len(set(used.tolist())) >= max_groups:
            left &= np.isin(owner, used)


def _useful(costs: Floats, caught: Mask, owner: NDArray[np.int64], limit: float, least: float) -> NDArray[np.int64]:
    """The candidates worth looking at: affordable, catching something, and of those of a metric that catch the same the cheapest.

    Costs below `least` are equal, so all such bounds stay: the tightest that still fits in what is left of a budget is taken. Bounds of one
    metric are nested: equal numbers caught are equal sets.
    """
    order = np.flatnonzero((costs <= limit) & caught.any(axis=1))
    recall = caught.sum(axis=1)
    order = order[np.lexsort((order, costs[order], recall[order], owner[order]))]
    dearer = (owner[order][1:] == owner[order][:-1]) & (recall[order][1:] == recall[order][:-1]) & (costs[order][1:] >= least)
    return np.sort(order[~np.concatenate([[False], dearer])]) if len(order) else order


def _best(among: NDArray[np.int64], gain: NDArray[np.int64], costs: Floats, recall: NDArray[np.int64]) -> int | None:
    """Line 4 with its ties."""
    if not len(among):
        return None
    with np.errstate(divide="ignore", over="ignore"):
        ratio = gain[among] / costs[among]
    # lexsort takes its last key first.
    order = np.lexsort((among, -recall[among], costs[among], -gain[among], -ratio))
    return int(among[order[0]])


def _single(costs: Floats, recall: NDArray[np.int64]) -> int:
    """Line 9: the largest recall over the original candidates; the cheaper, then the earlier, of equals."""
    return int(np.lexsort((np.arange(len(costs)), costs, -recall))[0])


def tightest(chosen: Sequence[int], groups: Sequence[int], caught: Mask) -> tuple[int, ...]:
    """Of several chosen bounds of one metric, which are nested, the one that catches most; the others say nothing more."""
    best: dict[int, int] = {}
    for candidate in chosen:
        group = groups[candidate]
        if group not in best or caught[candidate].sum() > caught[best[group]].sum():
            best[group] = candidate
    return tuple(best.values())


def needed(chosen: Sequence[int], costs: Floats, caught: Mask, keep: Mask) -> tuple[int, ...]:
    """The chosen without those that the others make superfluous, the dearest first; those to `keep`, of shape (Q,), stay."""
    left = list(chosen)
    for candidate in sorted(chosen, key=lambda i: -costs[i]):
        others = [i for i in left if i != candidate]
        if not keep[candidate] and not (caught[candidate] & ~caught[others].any(axis=0)).any():
            left = others
    return tuple(left)
