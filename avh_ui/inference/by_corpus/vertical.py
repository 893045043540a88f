"""Vertical cuts (Auto-Validate, section 3): a wide value as a sequence of segments that the corpus knows, by dynamic programming.

Values of one skeleton are aligned as they stand (Example 1 of section 3); symbols between segments are constants and cost nothing, since
asking the corpus for a column of `, ` would make most cuts infeasible.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from avh_ui.inference.by_corpus.corpus_index import CorpusIndex
from avh_ui.inference.by_corpus.fmdv import Basis, Choice, Settings, fmdv
from avh_ui.inference.by_corpus.hypotheses import Enumeration
from avh_ui.inference.by_corpus.language import Pattern, literal

# A wider value is a text or a list, and its cuts would cost seconds: the paper's widest example has 15 slots.
_MOST_SLOTS = 20


@dataclass(frozen=True)
class Cut:
    """A segmentation: (first slot, last slot, choice) in order, and the sum of its FPRs (Equation 8)."""

    segments: tuple[tuple[int, int, Choice], ...]
    fpr: float


def best_cut(slots: int, segment: Callable[[int, int], Choice | None], r: float, tie: float) -> Cut | None:
    """Over all segmentations the least sum of FPRs (Equation 11) that is at most `r`; fewest segments among those within `tie` of it.

    `segment(s, e)` solves FMDV for the slots s to e, or None where that is infeasible or too wide. `best[n][e]`: the least sum for the
    slots up to e in n segments, from which the same optimum follows as from splitting in two (the split after the last segment).
    """
    best: list[dict[int, Cut]] = [{-1: Cut((), 0.0)}]
    solved = {(s, e): choice for s in range(slots) for e in range(s, slots) if (choice := segment(s, e)) is not None}
    whole: list[Cut] = []
    for _ in range(slots):
        longer: dict[int, Cut] = {}
        for (s, e), choice in solved.items():
            before = best[-1].get(s - 1)
            if before is None or before.fpr + choice.fpr > r:
                continue
            if e not in longer or before.fpr + choice.fpr < longer[e].fpr:
                longer[e] = Cut((*before.segments, (s, e, choice)), before.fpr + choice.fpr)
        best.append(longer)
        if slots - 1 in longer:
            whole.append(longer[slots - 1])
    least = min((cut.fpr for cut in whole), default=0.0)
    return next((cut for cut in whole if cut.fpr <= least + tie), None)


def cut_group(enumeration: Enumeration, profile: int, index: CorpusIndex, settings: Settings, basis: Basis = "whole") -> Choice | None:
    """FMDV-V for the values of one skeleton: the whole pattern is one of the segmentations, with its own symbols around it."""
    literals, slots = enumeration.group.literals, enumeration.group.slots
    short = enumeration.tokens(0, slots - 1) <= settings.tau
    whole = fmdv(enumeration.whole, profile, index, settings, basis) if short else None
    if not settings.cuts or slots > _MOST_SLOTS:
        return whole
    parts = enumeration.segments(settings.tau)

    def solve(first: int, last: int) -> Choice | None:
        if last - first + 1 == slots:
            return whole
        part = parts.get((first, last))
        return fmdv(part, profile, index, settings, "whole") if part else None

    cut = best_cut(slots, solve, settings.r, settings.tie)
    return joined(cut, literals) if cut else None


def joined(cut: Cut, literals: list[str]) -> Choice:
    """The segments' patterns with the symbols around and between them; one that is the whole has its own."""
    return cut.segments[0][2] if len(cut.segments) == 1 else spelled(cut, literals)


def spelled(cut: Cut, literals: list[str]) -> Choice:
    """The segments' patterns with the symbols around and between them."""
    choices = [choice for _, _, choice in cut.segments]
    elements: Pattern = (literal(literals[0]),) if literals[0] else ()
    for _, last, choice in cut.segments:
        after = literals[last + 1]
        elements = (*elements, *choice.pattern, *((literal(after),) if after else ()))
    coverage, bits = min(c.coverage for c in choices), sum(c.bits for c in choices)
    return replace(choices[0], pattern=elements, fpr=cut.fpr, coverage=coverage, bits=bits, segments=len(choices), matched=None)
