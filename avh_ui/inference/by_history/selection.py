"""Choosing the conjunction that catches most within the budget (AVH, section 4.3, Algorithm 1).

Budgeted maximum coverage by greedy gain per cost; the better of the greedy set and the best single constraint is within
1/2 - 1/(2e) of the optimum (Proposition 4; Khuller, Moss and Naor 1999).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]

# Costs are summed in floating point; a sum that exceeds the budget by rounding alone still fits.
_ROUNDING = 1e-12


def select(
    costs: Floats, caught: Mask, budget: float, *, groups: Sequence[int] | None = None, max_groups: int | None = None
) -> tuple[int, ...]:
    """The chosen candidates in order of choice; `costs` of shape (Q,), `caught` of shape (Q, variants).

    Candidates stand in catalogue order, which breaks the last ties: larger gain per cost, larger gain, smaller cost, larger recall.
    What costs nothing comes first. At most `max_groups` different `groups` (metrics; each candidate its own by default) are used;
    a group that is in already may be tightened.
    """
    owner = np.arange(len(costs)) if groups is None else np.asarray(groups)
    limit = budget * (1 + _ROUNDING)
    chosen: list[int] = []
    covered = np.zeros(caught.shape[1], dtype=bool)
    spent = 0.0
    recall = caught.sum(axis=1)
    # Who does not fit alone is passed over whenever it is drawn; drawing it changes nothing.
    left = costs <= limit
    if max_groups is not None and max_groups < 1:
        return ()
    while left.any():
        gain = (caught & ~covered).sum(axis=1)
        best = _best(np.flatnonzero(left & (gain > 0)), gain, costs, recall)
        if best is None:
            break
        left[best] = False
        used = set(owner[chosen].tolist())
        if spent + costs[best] <= limit and (max_groups is None or len(used | {int(owner[best])}) <= max_groups):
            chosen.append(best)
            spent += float(costs[best])
            covered |= caught[best]
    single = _single(np.flatnonzero(costs <= limit), costs, recall)
    if single is not None and recall[single] > covered.sum():
        return (single,)
    return tuple(chosen)


def _best(among: NDArray[np.int64], gain: NDArray[np.int64], costs: Floats, recall: NDArray[np.int64]) -> int | None:
    """Line 4 with its ties."""
    if not len(among):
        return None
    with np.errstate(divide="ignore", over="ignore"):
        ratio = gain[among] / costs[among]
    # lexsort takes its last key first.
    order = np.lexsort((among, -recall[among], costs[among], -gain[among], -ratio))
    return int(among[order[0]])


def _single(among: NDArray[np.int64], costs: Floats, recall: NDArray[np.int64]) -> int | None:
    """Line 9: the largest recall over the original candidates; the cheaper, then the earlier, of equals."""
    if not len(among):
        return None
    return int(among[np.lexsort((among, costs[among], -recall[among]))[0]])


def tightest(chosen: Sequence[int], groups: Sequence[int], caught: Mask) -> tuple[int, ...]:
    """Of several chosen bounds of one metric, which are nested, the one that catches most; the others say nothing more."""
    best: dict[int, int] = {}
    for candidate in chosen:
        group = groups[candidate]
        if group not in best or caught[candidate].sum() > caught[best[group]].sum():
            best[group] = candidate
    return tuple(best.values())
