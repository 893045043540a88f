"""What one column of the corpus says about its patterns: the offline step of Auto-Validate (sections 2.2 and 2.4), for one column.

Impurity is prefix-conditional: the patterns are those of the column's first values, as an engineer would have inferred them at that
time, and Imp_D (Definition 3) is measured on the rest. Taking every column in which some value matches (Definition 7 to the letter)
lets columns that merely contain a matching value decide; `Rules(prefix=1.0, share=0)` gives that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_corpus.alphabet import SOME_DIGIT
from avh_ui.inference.by_corpus.horizontal import union_of
from avh_ui.inference.by_corpus.hypotheses import Enumeration, Group, groups_of
from avh_ui.inference.by_corpus.language import MASK, canonical, key_of
from avh_ui.inference.by_corpus.shape_unions import key_of_shapes, shapes_of
from avh_ui.inference.by_corpus.strata import (
    EVERY,
    allowed_lengths,
    alphabet_keys,
    closed_key,
    keeping_keys,
    prior_key,
    profile_of,
    salted,
    size_of,
    skeleton_key,
    slot_key,
)
from avh_ui.inference.by_corpus.tokens import Lexed, lex
from avh_ui.inference.by_corpus.typed_domains import matching

# Two samples of fewer values say nothing of one another.
SHORTEST_COLUMN = 10
# Values of a closed domain were seen this often on average.
SEEN_EACH = 3
# Columns of more skeletons than this are not made of patterns.
MOST_SKELETONS = 4


@dataclass(frozen=True)
class Rules:
    """How a column is indexed; a query by an index uses the same.

    `prefix`: the share of a column's values that its patterns are inferred from, at least `least_prefix` values (or half the column);
    `share`: what a pattern must match of the prefix; `group`: how much of the prefix a skeleton must have to be looked at;
    `tau`: tokens (slots and symbol runs) of the longest pattern, 13 as in the paper's basic form: a timestamp has 11 to 13; `level`: of
    the drift test, where it is counted how often it alarmed.
    """

    prefix: float = 0.1
    least_prefix: int = 20
    share: float = 0.9
    group: float = 0.1
    tau: int = 13
    level: float = 0.001


@dataclass(frozen=True)
class Evidence:
    """Of one column: `keys` (P,) of its patterns, and their impurity `whole` (P,) and `within` their skeleton; NaN where not meant."""

    keys: NDArray[np.uint64]
    whole: NDArray[np.float64]
    within: NDArray[np.float64]


@dataclass(frozen=True)
class Counted:
    """Distinct values (nulls and empty texts left out), how often each is in the prefix and in the rest (V, 2), runs in the prefix."""

    texts: list[str]
    counts: NDArray[np.float64]
    runs: int

    @property
    def distinct(self) -> int:
        """Distinct values of the prefix."""
        return int(np.count_nonzero(self.counts[:, 0]))


def counted(values: Sequence[str | None], rules: Rules) -> Counted:
    """Count a column's values in their order."""
    index = {v: k for k, v in enumerate(dict.fromkeys(v for v in values if v))}
    return counted_codes(list(index), np.array([index[v] for v in values if v], dtype=np.int64), rules)


def counted_codes(texts: list[str], which: NDArray[np.int64], rules: Rules) -> Counted:
    """Count a column of distinct `texts`, of which each value is the one numbered in `which` (N,), negative for null.

    With `prefix` 1 the whole column is both prefix and rest.
    """
    if "" in texts:
        at = texts.index("")
        which, texts = np.where(which == at, -1, which - (which > at)), [*texts[:at], *texts[at + 1 :]]
    kept = which[which >= 0]
    cut = min(max(math.ceil(rules.prefix * len(kept)), rules.least_prefix), max(len(kept) // 2, 1)) if rules.prefix < 1 else len(kept)
    parts = (kept[:cut], kept[cut:] if rules.prefix < 1 else kept)
    counts = np.stack([np.bincount(part, minlength=len(texts)).astype(np.float64) for part in parts], axis=1)
    return Counted(texts, counts, runs_in(kept[:cut]))


def runs_in(which: NDArray[np.int64]) -> int:
    """How many runs of equal values a sequence has."""
    return int(np.count_nonzero(np.diff(which))) + min(len(which), 1)


def evidence_of(columns: Sequence[Sequence[str | None]], rules: Rules) -> list[Evidence]:
    """The evidence of several columns, lexed together."""
    return evidence_of_counted([counted(values, rules) for values in columns], rules)


def evidence_of_counted(parts: Sequence[Counted], rules: Rules) -> list[Evidence]:
    """The same of columns that are counted already."""
    lexed = lex([text for part in parts for text in part.texts])
    found, low = [], 0
    for part in parts:
        found.append(_column(lexed, low, part, rules))
        low += len(part.texts)
    return found


def tokens_of(group: Group) -> int:
    """Slots and symbol runs of a skeleton."""
    return group.slots + sum(1 for text in group.literals if text)


class _Notes:
    """Keys with their impurities, gathered piece by piece."""

    def __init__(self) -> None:
        self._parts: list[tuple[NDArray[np.uint64], NDArray[np.float64], NDArray[np.float64]]] = []

    def add(self, keys: Sequence[int] | NDArray[np.uint64], whole: NDArray[np.float64], within: NDArray[np.float64]) -> None:
        self._parts.append((np.asarray(keys, dtype=np.uint64), whole, within))

    def one(self, key: int, impurity: float, within: float | None = None) -> None:
        self.add([key], np.array([impurity]), np.array([impurity if within is None else within]))

    def evidence(self) -> Evidence:
        if not self._parts:
            return Evidence(np.empty(0, np.uint64), np.empty(0), np.empty(0))
        keys, whole, within = (np.concatenate(part) for part in zip(*self._parts, strict=True))
        return Evidence(keys, whole, within)


def _column(lexed: Lexed, low: int, column: Counted, rules: Rules) -> Evidence:
    notes, counts = _Notes(), column.counts
    total = counts.sum(axis=0)
    if total.sum() < SHORTEST_COLUMN or not total.min() > 0:
        return notes.evidence()
    profile = profile_of(column.distinct, column.runs, int(total[0]))
    groups = groups_of(lexed, low, low + len(column.texts))
    for group in groups:
        own = counts[group.members].sum(axis=0)
        if own[0] >= max(rules.group * total[0], 1):
            _group(notes, Enumeration(group, counts, max(rules.share * own[0], 1)), profile, own, total, rules)
    _skeletons(notes, groups, counts, profile, rules)
    for name, impurity in _typed(column, total, rules):
        key = np.array([key_of(f"<{name}>")], dtype=np.uint64)
        for keys in (key, salted(key, profile)):
            notes.add(keys, np.array([impurity]), np.array([impurity]))
    _keeping(notes, column, lexed, low, profile, rules)
    closed = closed_key(column.distinct, profile)
    if closed is not None and column.distinct * SEEN_EACH <= total[0]:
        notes.one(closed, float(counts[counts[:, 0] == 0, 1].sum() / total[1]))
    return notes.evidence()


def _group(
    notes: _Notes, enumeration: Enumeration, profile: int, own: NDArray[np.float64], total: NDArray[np.float64], rules: Rules
) -> None:
    """The patterns of one skeleton, of all columns and of those of like profile; then what its slots say for themselves."""
    if not own[1]:
        return
    if tokens_of(enumeration.group) <= rules.tau:
        patterns = enumeration.whole()
        matched = patterns.matched[patterns.masks]
        whole = np.where(matched[:, 0] >= rules.share * total[0], 1 - matched[:, 1] / total[1], np.nan)
        within = 1 - matched[:, 1] / own[1]
        notes.add(patterns.keys, whole, within)
        notes.add(salted(patterns.keys, profile), whole, within)
        if len(whole) and not np.isnan(whole).all():
            notes.one(prior_key(profile), float(np.nanmean(whole)))
    for slot, options in enumerate(enumeration.options):
        distinct, content = enumeration.slot_distinct(slot), enumeration.slot_content(slot)
        keys = [slot_key(canonical(option.elements), content, distinct) for option in options]
        if not options:
            continue
        within = 1 - np.array([option.mask for option in options]) @ enumeration.weights[:, 1] / own[1]
        notes.add(keys, np.full(len(within), np.nan), within)


def _keeping(notes: _Notes, column: Counted, lexed: Lexed, low: int, profile: int, rules: Rules) -> None:
    """Whether the rest keeps to the shapes, and to the characters and lengths, of the prefix: how much not, and whether the test alarms."""
    high, counts, total = low + len(column.counts), column.counts, column.counts.sum(axis=0)
    alphabets, lengths = lexed.alphabets[low:high], np.diff(lexed.starts[low : high + 1])
    seen = int(np.bitwise_or.reduce(alphabets[counts[:, 0] > 0]))
    shapes = shapes_of(lexed, low, counts[:, 0])
    shaped = np.array([shape in shapes for shape in lexed.shapes[low:high]])
    known = key_of_shapes(shapes, profile)
    if known is not None:
        notes.one(known, float(1 - counts[:, 1] @ shaped / total[1]))
    shortest, longest = allowed_lengths(lengths[counts[:, 0] > 0])
    inside = (alphabets & np.uint64(~seen & MASK) == 0) & (lengths >= shortest) & (lengths <= longest)
    for rule, parts, fits in (("shapes", len(shapes), shaped), ("characters", seen.bit_count(), inside)):
        bad = float(counts[~fits, 1].sum())
        alarm = float(unlikely(bad, total[1], total[0], rules.level))
        for key in keeping_keys(rule, parts, int(total[0]), column.distinct, bool(seen & SOME_DIGIT), profile):
            notes.one(key, bad / float(total[1]), alarm)
    usual = float(lengths @ counts[:, 0]) / float(total[0])
    notes.add(alphabet_keys(np.array([seen], dtype=np.uint64), [size_of(usual)]), np.zeros(1), np.zeros(1))
    notes.one(EVERY, 0.0)


def unlikely(bad: float, total: float, before: float, level: float) -> bool:
    """Whether Fisher's test, one-tailed and so in closed form, alarms where of `before` values none failed and of `total` `bad` do."""
    every = before + total
    chance = math.lgamma(total + 1) - math.lgamma(total - bad + 1) - math.lgamma(every + 1) + math.lgamma(every - bad + 1)
    return bad > 0 and chance < math.log(level)


def _skeletons(notes: _Notes, groups: list[Group], counts: NDArray[np.float64], profile: int, rules: Rules) -> None:
    """Whether the rest keeps to the skeletons of the prefix, where these were few."""
    parts = union_of(groups, counts[:, 0], 1 - rules.share, MOST_SKELETONS)
    if parts:
        covered = np.unique(np.concatenate([part.group.values for part in parts]))
        impurity = 1 - counts[covered, 1].sum() / counts[:, 1].sum()
        notes.one(skeleton_key(len(parts), parts[0].group.slots, profile), float(impurity))


def _typed(column: Counted, total: NDArray[np.float64], rules: Rules) -> Iterator[tuple[str, float]]:
    """The named types of the prefix, with the share of the rest that is not of the type."""
    for name in matching(column.texts[0]):
        fits = np.array([bool(matching(text, (name,))) for text in column.texts])
        if fits @ column.counts[:, 0] >= rules.share * total[0]:
            yield name, float(1 - fits @ column.counts[:, 1] / total[1])
