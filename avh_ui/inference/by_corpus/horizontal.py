"""Horizontal cuts (Auto-Validate, section 4) and unions: which values a pattern, or a few patterns, must speak for.

Patterns of two skeletons have no value in common, so the greedy step of the paper (discard the values whose patterns do not meet most
others') discards whole skeletons. What remains is solved exactly: options that match too few values never enter the product.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_corpus.groups import Group


@dataclass(frozen=True)
class Part:
    """A group that speaks for values no earlier part speaks for: their weight, and that of all its values."""

    group: Group
    fresh: float
    weight: float


def weight_of(group: Group, weights: NDArray[np.float64]) -> float:
    """The weight of a group's values, each counted once though it may be read twice."""
    return float(weights[group.members].sum())


def dominant(groups: list[Group], weights: NDArray[np.float64], theta: float) -> list[Group]:
    """The groups that may speak for the column alone: all but a share `theta` of its values."""
    least = (1 - theta) * float(weights.sum())
    return [group for group in groups if weight_of(group, weights) >= least - 1e-9]


def union_of(groups: list[Group], weights: NDArray[np.float64], theta: float, most: int) -> list[Part] | None:
    """At most `most` groups that together speak for all but a share `theta` of the values, each for most of what is left; else None."""
    total, covered = float(weights.sum()), np.zeros(len(weights), dtype=bool)
    parts: list[Part] = []
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
        parts.append(Part(groups[best], fresh, whole[best]))
        covered[groups[best].values] = True
    return parts if float(weights[covered].sum()) >= (1 - theta) * total - 1e-9 else None
