"""Vertical cuts of values whose tokens are not the same in number (Auto-Validate, section 3): greedy multi-sequence alignment.

Skeletons are aligned one after another, the commonest first, with the sequence that the earlier ones made: equal tokens meet, all else is
a gap. A run of positions that the same skeletons have is a block, a sub-column of all their values, and is cut by dynamic programming as a
whole value is. The paper leaves open what a gap means to a pattern: here the result is one alternative per skeleton, of the blocks that
it has, so that the language needs no optional parts and no order of parts is let through that was not seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby

import numpy as np

from avh_ui.inference.by_corpus.corpus_index import CorpusIndex
from avh_ui.inference.by_corpus.fmdv import ChosenPattern, Thresholds, best_cut, fmdv, spelled
from avh_ui.inference.by_corpus.groups import GroupShare, SkeletonGroup, weight_of
from avh_ui.inference.by_corpus.hypotheses import Weights, enumerated
from avh_ui.inference.by_corpus.language import literal
from avh_ui.inference.by_corpus.tokens import SLOT

# Longer skeletons are texts: aligning them takes the product of their lengths.
_LONGEST = 60


@dataclass(frozen=True)
class Aligned:
    """The `tokens` of the aligned sequence (L,), and for each skeleton the positions that its own tokens have in it, ascending."""

    tokens: str
    places: tuple[tuple[int, ...], ...]

    @cached_property
    def blocks(self) -> list[tuple[int, int, frozenset[int]]]:
        """Runs of positions (first, last) with the skeletons that have them: as long as these are the same ones."""
        having = [frozenset(k for k, own in enumerate(self.places) if at in own) for at in range(len(self.tokens))]
        found, at = [], 0
        for skeletons, run in groupby(having):
            size = len(list(run))
            found.append((at, at + size - 1, skeletons))
            at += size
        return found


def align_skeletons(skeletons: Sequence[str]) -> Aligned:
    """Align skeletons greedily in their order: each with the sequence so far, such that most tokens meet."""
    tokens, places = skeletons[0], [tuple(range(len(skeletons[0])))]
    for skeleton in skeletons[1:]:
        pairs = _common(tokens, skeleton)
        merged, moved, own = "", {}, []
        i = j = 0
        for a, b in (*pairs, (len(tokens), len(skeleton))):
            for k in range(i, a):
                moved[k] = len(merged)
                merged += tokens[k]
            for k in range(j, b):
                own.append(len(merged))
                merged += skeleton[k]
            if a < len(tokens):
                moved[a] = len(merged)
                own.append(len(merged))
                merged += tokens[a]
            i, j = a + 1, b + 1
        places = [tuple(moved[k] for k in one) for one in places] + [tuple(own)]
        tokens = merged
    return Aligned(tokens, tuple(places))


def _common(left: str, right: str) -> list[tuple[int, int]]:
    """The positions of a longest common subsequence, the leftmost one: Needleman and Wunsch with free gaps."""
    best = np.zeros((len(left) + 1, len(right) + 1), dtype=np.int64)
    for i in range(len(left) - 1, -1, -1):
        for j in range(len(right) - 1, -1, -1):
            best[i, j] = 1 + best[i + 1, j + 1] if left[i] == right[j] else max(best[i + 1, j], best[i, j + 1])
    found, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        if left[i] == right[j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif best[i + 1, j] >= best[i, j + 1]:
            i += 1
        else:
            j += 1
    return found


def cut_aligned(
    parts: Sequence[GroupShare], weights: Weights, diversity: int, index: CorpusIndex, settings: Thresholds
) -> list[ChosenPattern] | None:
    """FMDV-V over several skeletons: an alternative for each, all with the summed FPR; None where nothing is feasible.

    A block that some of the values lack costs its FPR for as many as have it.
    """
    groups = [part.group for part in parts]
    if max(len(group.skeleton) for group in groups) > _LONGEST:
        return None
    aligned = align_skeletons([group.skeleton for group in groups])
    total, fpr, choices = sum(part.fresh for part in parts), 0.0, [ChosenPattern((), 0.0, 1 << 31, 0.0, 0) for _ in groups]
    for first, last, having in aligned.blocks:
        block = _pooled(groups, aligned, first, last, sorted(having))
        share = sum(parts[k].fresh for k in having) / total
        found = _cut(block, weights, diversity, index, settings)
        if found is None or (fpr := fpr + share * found.fpr) > settings.r:
            return None
        for k in having:
            choices[k] = _followed(choices[k], found)
    return [replace(choice, fpr=fpr) for choice in choices]


def _pooled(groups: Sequence[SkeletonGroup], aligned: Aligned, first: int, last: int, having: Sequence[int]) -> SkeletonGroup:
    """The sub-column of a block: of the skeletons that have it, the slots that stand there."""
    at = {k: aligned.places[k].index(first) for k in having}
    begin = [groups[k].begin + groups[k].skeleton[: at[k]].count(SLOT) for k in having]
    values, readings = ([getattr(groups[k], name) for k in having] for name in ("values", "readings"))
    skeleton = aligned.tokens[first : last + 1]
    return SkeletonGroup(groups[0].lexed, skeleton, np.concatenate(values), np.concatenate(readings), np.concatenate(begin))


def _cut(block: SkeletonGroup, weights: Weights, diversity: int, index: CorpusIndex, settings: Thresholds) -> ChosenPattern | None:
    """The segments of one block; a block of symbols alone is free."""
    if not block.slots:
        return ChosenPattern((literal(block.skeleton),), 0.0, 1 << 31, 0.0, 0)
    (enumeration,) = enumerated([block], weights[:, None], [(1 - settings.tolerance) * weight_of(block, weights) - 1e-9])

    parts = enumeration.segments(settings.tau)

    def solve(first: int, last: int) -> ChosenPattern | None:
        part = parts.get((first, last))
        return fmdv(part, diversity, index, settings) if part else None

    cut = best_cut(block.slots, solve, settings.r, settings.tie)
    return spelled(cut, block.literals) if cut else None


def _followed(before: ChosenPattern, after: ChosenPattern) -> ChosenPattern:
    coverage, bits = min(before.coverage, after.coverage), before.bits + after.bits
    segments = before.segments + after.segments
    return ChosenPattern((*before.pattern, *after.pattern), before.fpr, coverage, bits, segments)
