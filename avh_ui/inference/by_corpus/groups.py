"""Values of one skeleton: the groups that columns fall into, and which of them a pattern, or a few patterns, must speak for.

Patterns of two skeletons have no value in common, so the greedy step of horizontal cuts (Auto-Validate, section 4: discard the values
whose patterns do not meet most others') discards whole skeletons. What remains is solved exactly: options that match too few values never
enter the product.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_corpus.slots import alike, summed
from avh_ui.inference.by_corpus.tokens import SLOT, UNFREE, Ints, Lexed

# More slots than this are free text or a list, not a pattern.
MOST_SLOTS = 40


@dataclass(frozen=True)
class SkeletonGroup:
    """N readings alike: `values` (N,) the positions of their values in the column, `readings` (N,) in `lexed`.

    Their slots are those of one `skeleton`, from `begin` (N,) on in `lexed`: whole values, or what several skeletons have in common.
    """

    lexed: Lexed
    skeleton: str
    values: Ints
    readings: Ints
    begin: Ints

    @classmethod
    def whole(cls, lexed: Lexed, skeleton: str, values: Ints, readings: Ints) -> SkeletonGroup:
        """The readings of one skeleton from their beginning."""
        return cls(lexed, skeleton, values, readings, lexed.first[readings])

    @cached_property
    def literals(self) -> list[str]:
        """The symbols before, between and after the slots: one more than there are slots."""
        return self.skeleton.split(SLOT)

    @cached_property
    def members(self) -> Ints:
        """The values, each once, though it may be read twice; ascending."""
        ascending = len(self.values) < 2 or bool((self.values[1:] > self.values[:-1]).all())
        return self.values if ascending else np.unique(self.values)

    @property
    def slots(self) -> int:
        """How many slots the skeleton has."""
        return len(self.literals) - 1

    def free(self, slot: int) -> bool:
        """Whether a number may stand at the slot: no sign or point touches it."""
        return self.literals[slot][-1:] not in UNFREE and self.literals[slot + 1][:1] not in UNFREE


@dataclass(frozen=True)
class SkeletonGroups:
    """G groups of the readings of V values, ordered by column: those of group g are `order[first[g] : first[g + 1]]`, ascending.

    `of` (R,) is the group of each reading, `column` and `slots` (G,) those of each group, and `low` (B,) where each column's values begin.
    """

    lexed: Lexed
    of: Ints
    order: Ints
    first: Ints
    column: Ints
    slots: Ints
    low: Ints

    def group(self, at: int) -> SkeletonGroup:
        """One group, its values counted from the first of its column."""
        readings = self.order[self.first[at] : self.first[at + 1]]
        values = self.lexed.origin[readings] - self.low[self.column[at]]
        return SkeletonGroup.whole(self.lexed, self.lexed.skeletons[int(readings[0])], values, readings)

    def weights(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """What each group's values weigh (G, W), of weights (V, W); each counts once, though it may be read twice alike."""
        origin = self.lexed.origin
        fresh = np.arange(len(origin)) < self.lexed.plain
        fresh |= self.of != self.of[origin]
        return summed(self.of[fresh], weights[origin[fresh]], len(self.column))

    def ranked(self, chosen: Ints) -> list[SkeletonGroup]:
        """These groups, the largest first."""
        made = [self.group(at) for at in chosen.tolist() if 1 <= self.slots[at] <= MOST_SLOTS]
        return sorted(made, key=lambda group: (-len(group.readings), group.skeleton))


def skeleton_groups(lexed: Lexed, low: Ints) -> SkeletonGroups:
    """The groups of columns whose values begin at `low` (B,), ascending from 0; second readings join the group of their skeleton."""
    column = np.searchsorted(low, lexed.origin, side="right") - 1
    chosen, of = alike(column, lexed.skeletons.hashes)
    first = np.concatenate([[0], np.cumsum(np.bincount(of, minlength=len(chosen)))])
    slots = lexed.first[chosen + 1] - lexed.first[chosen]
    return SkeletonGroups(lexed, of, np.argsort(of, kind="stable"), first, column[chosen], slots, low)


def groups_of(lexed: Lexed) -> list[SkeletonGroup]:
    """The values of one column by skeleton, the largest group first."""
    grouping = skeleton_groups(lexed, np.zeros(1, dtype=np.int64))
    return grouping.ranked(np.arange(len(grouping.column)))


@dataclass(frozen=True)
class GroupShare:
    """A group that speaks for values no earlier part speaks for: their weight, and that of all its values."""

    group: SkeletonGroup
    fresh: float
    weight: float


def weight_of(group: SkeletonGroup, weights: NDArray[np.float64]) -> float:
    """The weight of a group's values by the `weights` of all V, each counted once though it may be read twice."""
    return float(weights[group.members].sum())


def dominant(groups: list[SkeletonGroup], weights: NDArray[np.float64], theta: float) -> list[SkeletonGroup]:
    """The groups that may speak for the column alone: all but a share `theta` of its values."""
    least = (1 - theta) * float(weights.sum())
    return [group for group in groups if weight_of(group, weights) >= least - 1e-9]


def union_of(groups: list[SkeletonGroup], weights: NDArray[np.float64], theta: float, most: int) -> list[GroupShare] | None:
    """At most `most` groups that together speak for all but a share `theta` of the values, each for most of what is left; else None."""
    total, covered = float(weights.sum()), np.zeros(len(weights), dtype=bool)
    parts: list[GroupShare] = []
    whole = [weight_of(group, weights) for group in groups]
    # By weight: no group can be worth more afresh than it weighs, so that the first few decide.
    left = sorted(range(len(groups)), key=lambda k: -whole[k])
    while left and len(parts) < most:
        best, fresh = -1, 0.0
        for k in left:
            if whole[k] <= fresh:
                break
            members = groups[k].members
            worth = float(weights[members[~covered[members]]].sum())
            best, fresh = (k, worth) if worth > fresh else (best, fresh)
        if best < 0:
            break
        left.remove(best)
        parts.append(GroupShare(groups[best], fresh, whole[best]))
        covered[groups[best].values] = True
    return parts if float(weights[covered].sum()) >= (1 - theta) * total - 1e-9 else None
