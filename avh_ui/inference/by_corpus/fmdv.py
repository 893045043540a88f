"""FMDV (Auto-Validate, sections 2.3 and 3): of the hypotheses, the pattern of least expected FPR with enough coverage in the corpus.

`min FPR_T(p) subject to FPR_T(p) <= r and Cov_T(p) >= m`; FPR_T is drawn towards a prior, so that five clean columns are not taken for
certainty, and within a small band of the minimum the most specific pattern wins: FPR says nothing of what a pattern lets through.

Vertical cuts (section 3) take a wide value as a sequence of segments that the corpus knows, by dynamic programming. Values of one skeleton
are aligned as they stand (Example 1); symbols between segments are constants and cost nothing, since asking the corpus for a column of
`, ` would make most cuts infeasible.

Of skeletons that the corpus does not know, patterns are composed slot by slot: the last resort of the extended method before a union. FPR
is summed as for vertical cuts (Equation 8): that the skeleton changes, and that a slot leaves its class; both are measured on the corpus
for slots and skeletons of like diversity, wherever they stood.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from avh_ui.errors import UsageError
from avh_ui.inference.by_corpus.corpus_index import CorpusIndex
from avh_ui.inference.by_corpus.hypotheses import Enumeration, Hypotheses
from avh_ui.inference.by_corpus.index_keys import prior_key, salted, skeleton_key, slot_key
from avh_ui.inference.by_corpus.language import Elements, canonical_text, literal

Algorithm = Literal["fmdv", "fmdv-v", "fmdv-h", "fmdv-vh", "extended"]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Thresholds:
    """r, m, tau and theta as in the paper, and what section 7 of the design adds.

    `r`: highest expected FPR. `m`: least coverage in columns (the paper's 100 is for millions of columns). `tau`: most tokens of a
    segment. `theta`: share of values that may not conform. `prior_columns` at `prior_fpr`: what FPR_T is drawn towards. `tie`: FPRs
    this near are equal, and the most specific pattern wins; 0.02 instead of 0.002 costs 1.6 points of precision, `<digit>{4}` where
    numbers grow. `slot_tie`: the same per slot. `skeletons`: most alternatives of a union. `cased`: from so many distinct values on a
    rule keeps the case that they have. `risk`: the highest chance of an alarm that a rule may have that keeps a column to what it has
    shown, and `caution`: what an alarm costs, in columns told from this one (see `shown`). `alike`: of so many values that are all the
    same no pattern is inferred.

    Chosen on 463 columns held out of the index, by F1 where precision is at least .97, the rise test at 0.001 (precision, recall, F1):
    .970/.914/.941 as they are; `risk` 0.1 .972/.907/.938, 0.15 .968/.919/.943, 0.3 .961/.921/.941; `caution` from 1 to 3 and `r` from 0.03
    to 0.08 change F1 by less than .001; without rules that keep to what was shown .983/.844/.908, without `cased` .970/.905/.936. Standard
    error of a precision 0.008.
    """

    method: Algorithm = "extended"
    r: float = 0.06
    m: int = 5
    tau: int = 13
    theta: float = 0.1
    prior_columns: float = 5.0
    prior_fpr: float = 0.05
    tie: float = 0.002
    slot_tie: float = 0.01
    skeletons: int = 4
    cased: int = 3
    risk: float = 0.12
    caution: float = 2.0
    alike: int = 30

    def __post_init__(self) -> None:
        for name in ("r", "theta", "prior_fpr", "tie", "slot_tie", "risk"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"{name} is a share from 0 to 1, not {getattr(self, name)}.")
        for name, least in (("m", 0), ("tau", 1), ("prior_columns", 0), ("skeletons", 1), ("cased", 1), ("caution", 0), ("alike", 1)):
            if getattr(self, name) < least:
                raise UsageError(f"{name} is at least {least}, not {getattr(self, name)}.")

    @property
    def tolerance(self) -> float:
        """The share of values that may not conform: 0 without horizontal cuts."""
        return self.theta if self.method in ("fmdv-h", "fmdv-vh", "extended") else 0.0

    @property
    def cuts(self) -> bool:
        """Whether vertical cuts are made."""
        return self.method in ("fmdv-v", "fmdv-vh", "extended")


@dataclass(frozen=True)
class ChosenPattern:
    """A pattern with what the corpus says of it: expected FPR, coverage (of its least covered segment), bits left open, segments.

    `matched` is the weight of the column's values that match, where it is known from the enumeration; a regex tells otherwise.
    """

    pattern: Elements
    fpr: float
    coverage: int
    bits: float
    segments: int = 1
    matched: float | None = None


@dataclass(frozen=True)
class Scored:
    """The feasible patterns of some hypotheses: positions (F,), FPR, coverage and bits, all (F,)."""

    patterns: Hypotheses
    at: NDArray[np.int64]
    fpr: Floats
    coverage: NDArray[np.int64]
    bits: Floats

    def choice(self, k: int) -> ChosenPattern:
        """The k-th feasible pattern."""
        at = int(self.at[k])
        matched = float(self.patterns.matched[self.patterns.masks[at], 0])
        return ChosenPattern(self.patterns.pattern(at), float(self.fpr[k]), int(self.coverage[k]), float(self.bits[k]), matched=matched)

    def best(self, tie: float) -> int:
        """Of those within the band of the least FPR the most specific; then the better covered, then the first by key."""
        near = np.flatnonzero(self.fpr <= self.fpr.min() + tie)
        order = np.lexsort((self.patterns.keys[self.at[near]], -self.coverage[near], np.round(self.bits[near], 6)))
        return int(near[order[0]])

    def ladder(self, most: int) -> list[ChosenPattern]:
        """At most `most` rungs from the most specific to the most general, evenly spread over the feasible patterns, both ends included."""
        order = np.lexsort((self.patterns.keys[self.at], self.fpr, np.round(self.bits, 6)))
        if not len(order):
            return []
        spread = np.unique(np.linspace(0, len(order) - 1, min(most, len(order))).round().astype(np.int64))
        return [self.choice(int(order[k])) for k in spread]


def score(patterns: Hypotheses, diversity: int, index: CorpusIndex, settings: Thresholds, *, r: float | None = None) -> Scored:
    """The patterns that meet `r` and `m` (Equations 6 and 7), by their impurity as a column's pattern.

    Beyond the paper's methods, FPR_T is that of columns of like diversity and order (`diversity`), drawn towards that of all.
    """
    found = index.find(patterns.keys)
    coverage, mean = found.columns, found.whole
    if settings.method == "extended":
        like = index.find(salted(patterns.keys, diversity))
        believed = drawn(mean, coverage, settings, prior_of(diversity, index, settings))
        fpr = (like.whole * like.columns + believed * settings.prior_columns) / np.maximum(like.columns + settings.prior_columns, 1e-9)
    else:
        fpr = drawn(mean, coverage, settings)
    at = np.flatnonzero((coverage >= settings.m) & (fpr <= (settings.r if r is None else r)))
    return Scored(patterns, at, fpr[at], coverage[at], patterns.bits[at])


def prior_of(diversity: int, index: CorpusIndex, settings: Thresholds) -> float:
    """The mean impurity of patterns inferred from columns of like diversity; that of the settings where there were too few."""
    found = index.find(np.array([prior_key(diversity)], dtype=np.uint64))
    return float(drawn(found.whole, found.columns, settings)[0])


def drawn(mean: Floats, coverage: NDArray[np.int64], settings: Thresholds, prior: float | None = None) -> Floats:
    """The posterior mean of the impurity under a Beta prior worth `prior_columns` columns, around `prior` or that of the settings.

    `mean` and `coverage` (columns seen) are by pattern, as what is given; 1 where nothing is believed.
    """
    weight = coverage + settings.prior_columns
    centre = settings.prior_fpr if prior is None else prior
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(weight > 0, (mean * coverage + centre * settings.prior_columns) / weight, 1.0)


def fmdv(patterns: Hypotheses, diversity: int, index: CorpusIndex, settings: Thresholds) -> ChosenPattern | None:
    """The solution of FMDV over these hypotheses; None where nothing is feasible."""
    scored = score(patterns, diversity, index, settings)
    return scored.choice(scored.best(settings.tie)) if len(scored.at) else None


# A wider value is a text or a list, and its cuts would cost seconds: the paper's widest example has 15 slots.
_MOST_SLOTS = 20


@dataclass(frozen=True)
class Cut:
    """A segmentation: (first slot, last slot, choice) in order, and the sum of its FPRs (Equation 8)."""

    segments: tuple[tuple[int, int, ChosenPattern], ...]
    fpr: float


def best_cut(slots: int, segment: Callable[[int, int], ChosenPattern | None], r: float, tie: float) -> Cut | None:
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


def cut_group(enumeration: Enumeration, diversity: int, index: CorpusIndex, settings: Thresholds) -> ChosenPattern | None:
    """FMDV-V for the values of one skeleton: the whole pattern is one of the segmentations, with its own symbols around it."""
    literals, slots = enumeration.group.literals, enumeration.group.slots
    short = enumeration.tokens(0, slots - 1) <= settings.tau
    whole = fmdv(enumeration.whole, diversity, index, settings) if short else None
    if not settings.cuts or slots > _MOST_SLOTS:
        return whole
    parts = enumeration.segments(settings.tau)

    def solve(first: int, last: int) -> ChosenPattern | None:
        if last - first + 1 == slots:
            return whole
        part = parts.get((first, last))
        return fmdv(part, diversity, index, settings) if part else None

    cut = best_cut(slots, solve, settings.r, settings.tie)
    return choice_of_cut(cut, literals) if cut else None


def choice_of_cut(cut: Cut, literals: list[str]) -> ChosenPattern:
    """The segments' patterns with the symbols around and between them; one that is the whole has its own."""
    return cut.segments[0][2] if len(cut.segments) == 1 else spelled(cut, literals)


def spelled(cut: Cut, literals: list[str]) -> ChosenPattern:
    """The segments' patterns with the symbols around and between them."""
    choices = [choice for _, _, choice in cut.segments]
    elements: Elements = (literal(literals[0]),) if literals[0] else ()
    for _, last, choice in cut.segments:
        after = literals[last + 1]
        elements = (*elements, *choice.pattern, *((literal(after),) if after else ()))
    coverage, bits = min(c.coverage for c in choices), sum(c.bits for c in choices)
    return replace(choices[0], pattern=elements, fpr=cut.fpr, coverage=coverage, bits=bits, segments=len(choices), matched=None)


def skeleton_risk(skeletons: int, slots: int, diversity: int, index: CorpusIndex, settings: Thresholds) -> float:
    """The expected share of later values with other skeletons than these."""
    found = index.find(np.array([skeleton_key(skeletons, slots, diversity)], dtype=np.uint64))
    return float(drawn(found.whole, found.columns, settings)[0])


def compose(enumeration: Enumeration, index: CorpusIndex, settings: Thresholds, risk: float) -> ChosenPattern | None:
    """The safest option of every slot, most specific among equals; `risk` is what the skeleton itself costs already."""
    group = enumeration.group
    fpr, coverage, bits = risk, 1 << 31, 0.0
    elements: Elements = (literal(group.literals[0]),) if group.literals[0] else ()
    for slot, options in enumerate(enumeration.options):
        distinct, content = enumeration.distinct[slot], enumeration.content(slot)
        found = index.find(np.array([slot_key(canonical_text(o.elements), content, distinct) for o in options], dtype=np.uint64))
        cost = np.where(found.group_columns >= settings.m, drawn(found.within, found.group_columns, settings), 1.0)
        if not len(cost) or fpr + cost.min() > settings.r:
            return None
        near = np.flatnonzero(cost <= cost.min() + settings.slot_tie)
        best = int(near[0])  # options stand from the most specific
        fpr, coverage, bits = fpr + float(cost[best]), min(coverage, int(found.group_columns[best])), bits + options[best].bits
        after = group.literals[slot + 1]
        elements = (*elements, *options[best].elements, *((literal(after),) if after else ()))
    return ChosenPattern(elements, fpr, coverage, bits, group.slots) if fpr <= settings.r else None
