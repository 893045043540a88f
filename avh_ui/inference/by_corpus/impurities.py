"""What one column of the corpus says about its patterns: the offline step of Auto-Validate (sections 2.2 and 2.4), for one column.

Impurity is prefix-conditional: the patterns are those of the column's first values, as an engineer would have inferred them at that
time, and Imp_D (Definition 3) is measured on the rest. Taking every column in which some value matches (Definition 7 to the letter)
lets columns that merely contain a matching value decide; `Rules(prefix=1.0, share=0)` gives that.

Counted too is how far columns kept to what their first values had shown, their shapes or their characters and lengths: how often the drift
test alarmed on the rest, and which share of the rest failed; `shown` makes rules of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_corpus import index_keys
from avh_ui.inference.by_corpus.formats import matching
from avh_ui.inference.by_corpus.groups import MOST_SLOTS, SkeletonGroup, SkeletonGroups, skeleton_groups, union_of
from avh_ui.inference.by_corpus.hypotheses import Enumeration, Hypotheses, enumerations_of, products_of
from avh_ui.inference.by_corpus.language import key_of
from avh_ui.inference.by_corpus.slots import Masks, alike, summed
from avh_ui.inference.by_corpus.tokens import SOME_DIGIT, Ints, Lexed, lex

# Key, and the impurities `whole` and `within`.
KeyImpurity = tuple[int, float, float]


def shown_notes(lexed: Lexed, low: Ints, counts: NDArray[np.float64], diversities: list[int], level: float) -> list[list[KeyImpurity]]:
    """Notes of B columns, whose values begin at `low` (B,) in `lexed`; `counts` (V, 2) of the prefix and of the rest."""
    values, total = len(counts), np.add.reduceat(counts, low)
    column, lead = np.repeat(np.arange(len(low)), np.diff(low, append=values)), counts[:, 0] > 0
    alphabets, lengths = lexed.alphabets[:values], np.diff(lexed.starts[: values + 1])
    seen = np.bitwise_or.reduceat(np.where(lead, alphabets, np.uint64(0)), low)
    shortest, longest = np.where(lead, lengths, lengths.max()), np.where(lead, lengths, 0)
    least, most = index_keys.allowed_lengths(np.minimum.reduceat(shortest, low), np.maximum.reduceat(longest, low))
    inside = (alphabets & ~seen[column] == 0) & (lengths >= least[column]) & (lengths <= most[column])
    first, shape = alike(column, lexed.shapes.hashes[:values])
    shown = summed(shape, counts, len(first))[:, 0] > 0
    owner = column[first[shown]]
    shapes, begin = np.bincount(owner, minlength=len(low)), np.searchsorted(owner, np.arange(len(low)))
    rules = [("shapes", shapes, _bad(counts, shown[shape], low)), ("characters", np.bitwise_count(seen), _bad(counts, inside, low))]
    usual = np.add.reduceat(lengths * counts[:, 0], low) / total[:, 0]
    distinct = np.add.reduceat(lead.astype(np.int64), low)
    found: list[list[KeyImpurity]] = []
    for k, diversity in enumerate(diversities):
        before, rest = total[k].tolist()
        notes = [(int(key), 0.0, 0.0) for key in index_keys.alphabet_keys(seen[k : k + 1], [index_keys.size_of(float(usual[k]))])]
        for rule, parts, bad in rules:
            failed = float(bad[k])
            alarm = float(unlikely(failed, rest, before, level))
            keys = index_keys.shown_keys(
                rule, int(parts[k]), int(before), int(distinct[k]), bool(seen[k] & np.uint64(SOME_DIGIT)), diversity
            )
            notes += [(key, failed / rest, alarm) for key in keys]
        if shapes[k] <= index_keys.MOST_SHAPES:
            own = first[shown][begin[k] : begin[k] + shapes[k]].tolist()
            known = index_keys.key_of_shapes({lexed.shapes[at]: 1.0 for at in own}, diversity)
            share = 1 - (rest - float(rules[0][2][k])) / rest
            notes += [(known, share, share)] if known is not None else []
        found.append(notes)
    return found


def _bad(counts: NDArray[np.float64], fits: Masks, low: Ints) -> NDArray[np.float64]:
    """Per column how many of the rest do not fit."""
    return np.add.reduceat(np.where(fits, 0.0, counts[:, 1]), low)


def unlikely(bad: float, total: float, before: float, level: float) -> bool:
    """Whether Fisher's test, one-tailed and so in closed form, alarms where of `before` values none failed and of `total` `bad` do."""
    every = before + total
    chance = math.lgamma(total + 1) - math.lgamma(total - bad + 1) - math.lgamma(every + 1) + math.lgamma(every - bad + 1)
    return bad > 0 and chance < math.log(level)


# Two samples of fewer values say nothing of one another.
SHORTEST_COLUMN = 10
# Values of a closed domain were seen this often on average.
SEEN_EACH = 3
# Columns of more skeletons than this are not made of patterns.
MOST_SKELETONS = 4


@dataclass(frozen=True)
class IndexRules:
    """How a column is indexed; a query by an index uses the same.

    `prefix`: the share of a column's values that its patterns are inferred from, at least `least_prefix` values (or half the column);
    `share`: what a pattern must match of the prefix; `group`: how much of the prefix a skeleton must have to be looked at;
    `tau`: tokens (slots and symbol runs) of the longest pattern, 13 as in the paper's basic form: a timestamp has 11 to 13; `level`: of
    the rise test, where it is counted how often it alarmed.
    """

    prefix: float = 0.1
    least_prefix: int = 20
    share: float = 0.9
    group: float = 0.1
    tau: int = 13
    level: float = 0.001


@dataclass(frozen=True)
class PatternImpurities:
    """Of one column: `keys` (P,) of its patterns, and their impurity `whole` (P,) and `within` their skeleton; NaN where not meant."""

    keys: NDArray[np.uint64]
    whole: NDArray[np.float64]
    within: NDArray[np.float64]


@dataclass(frozen=True)
class ColumnCounts:
    """Distinct values (nulls and empty texts left out), how often each is in the prefix and in the rest (V, 2), runs in the prefix."""

    texts: list[str]
    counts: NDArray[np.float64]
    runs: int

    @property
    def distinct(self) -> int:
        """Distinct values of the prefix."""
        return int(np.count_nonzero(self.counts[:, 0]))


def counted(values: Sequence[str | None], rules: IndexRules) -> ColumnCounts:
    """Count a column's values in their order."""
    index = {v: k for k, v in enumerate(dict.fromkeys(v for v in values if v))}
    return counted_codes(list(index), np.array([index[v] for v in values if v], dtype=np.int64), rules)


def counted_codes(texts: list[str], which: NDArray[np.int64], rules: IndexRules) -> ColumnCounts:
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
    return ColumnCounts(texts, counts, runs_in(kept[:cut]))


def runs_in(which: NDArray[np.int64]) -> int:
    """How many runs of equal values a sequence has."""
    return int(np.count_nonzero(np.diff(which))) + min(len(which), 1)


def impurities_of(columns: Sequence[Sequence[str | None]], rules: IndexRules) -> list[PatternImpurities]:
    """The evidence of several columns, lexed together."""
    return impurities_of_counted([counted(values, rules) for values in columns], rules)


def impurities_of_counted(parts: Sequence[ColumnCounts], rules: IndexRules) -> list[PatternImpurities]:
    """The same of columns that are counted already."""
    total = [part.counts.sum(axis=0).tolist() for part in parts]
    long = [k for k, (prefix, rest) in enumerate(total) if prefix > 0 and rest > 0 and prefix + rest >= SHORTEST_COLUMN]
    notes = [_Notes(index_keys.diversity_of(part.distinct, part.runs, int(prefix))) for part, (prefix, _) in zip(parts, total, strict=True)]
    if long:
        _note([parts[k] for k in long], [notes[k] for k in long], rules)
    return [note.evidence() for note in notes]


def tokens_of(group: SkeletonGroup) -> int:
    """Slots and symbol runs of a skeleton."""
    return group.slots + sum(1 for text in group.literals if text)


class _Notes:
    """Keys of one column of this diversity with their impurities, gathered piece by piece."""

    def __init__(self, diversity: int) -> None:
        self.diversity = diversity
        self._parts: list[tuple[NDArray[np.uint64], NDArray[np.float64], NDArray[np.float64]]] = []
        self._singles: list[KeyImpurity] = []

    def add(self, keys: NDArray[np.uint64], whole: NDArray[np.float64], within: NDArray[np.float64]) -> None:
        self._parts.append((keys, whole, within))

    def extend(self, notes: Iterable[KeyImpurity]) -> None:
        self._singles.extend(notes)

    def one(self, key: int, impurity: float) -> None:
        self._singles.append((key, impurity, impurity))

    def evidence(self) -> PatternImpurities:
        keys, whole, within = zip(*self._singles, strict=True) if self._singles else ((), (), ())
        singles = np.array(keys, dtype=np.uint64), np.array(whole, dtype=np.float64), np.array(within, dtype=np.float64)
        return PatternImpurities(*map(np.concatenate, zip(singles, *self._parts, strict=True)))


def _note(parts: Sequence[ColumnCounts], notes: Sequence[_Notes], rules: IndexRules) -> None:
    """Note what columns say, all together."""
    lexed = lex([text for part in parts for text in part.texts])
    sizes, counts = [len(part.texts) for part in parts], np.concatenate([part.counts for part in parts])
    low = np.cumsum([0, *sizes[:-1]])
    total = np.add.reduceat(counts, low)
    grouping = skeleton_groups(lexed, low)
    own = grouping.weights(counts) * ((grouping.slots >= 1) & (grouping.slots <= MOST_SLOTS))[:, None]
    chosen = np.flatnonzero((own[:, 0] >= np.maximum(rules.group * total[grouping.column, 0], 1)) & (own[:, 1] > 0))
    if len(chosen):
        weights = [counts[lexed.origin[grouping.order[grouping.first[g] : grouping.first[g + 1]]]] for g in chosen.tolist()]
        offered = enumerations_of([grouping.group(g) for g in chosen.tolist()], weights, np.maximum(rules.share * own[chosen, 0], 1))
        of = grouping.column[chosen].tolist()
        short = [k for k, enumeration in enumerate(offered) if tokens_of(enumeration.group) <= rules.tau]
        for k, patterns in zip(short, products_of([offered[k] for k in short]), strict=True):
            _patterns(notes[of[k]], patterns, own[chosen[k]], total[of[k]], rules.share)
        for k, enumeration in enumerate(offered):
            _slots(notes[of[k]], enumeration, float(own[chosen[k], 1]))
    kept = shown_notes(lexed, low, counts, [note.diversity for note in notes], rules.level)
    first = np.searchsorted(grouping.column, np.arange(len(parts) + 1)).tolist()
    for k, (note, part) in enumerate(zip(notes, parts, strict=True)):
        note.extend(kept[k])
        _skeletons(note, grouping, np.arange(first[k], first[k + 1]), own[first[k] : first[k + 1]], part.counts, rules)
        _values(note, part, total[k], rules)


def _patterns(notes: _Notes, patterns: Hypotheses, own: NDArray[np.float64], total: NDArray[np.float64], share: float) -> None:
    """The patterns of one skeleton, of all columns and of those of like diversity."""
    matched = patterns.matched[patterns.masks]
    whole = np.where(matched[:, 0] >= share * total[0], 1 - matched[:, 1] / total[1], np.nan)
    within = 1 - matched[:, 1] / own[1]
    notes.add(patterns.keys, whole, within)
    notes.add(index_keys.salted(patterns.keys, notes.diversity), whole, within)
    if len(whole) and not np.isnan(whole).all():
        notes.one(index_keys.prior_key(notes.diversity), float(np.nanmean(whole)))


def _slots(notes: _Notes, enumeration: Enumeration, rest: float) -> None:
    """What the slots of one skeleton say for themselves; the values of the rest with this skeleton are so many."""
    for slot, options in enumerate(enumeration.options):
        distinct, content = enumeration.distinct[slot], enumeration.content(slot)
        notes.extend((index_keys.slot_key(o.text, content, distinct), math.nan, 1 - o.weights[1] / rest) for o in options)


def _skeletons(
    notes: _Notes, grouping: SkeletonGroups, at: Ints, own: NDArray[np.float64], counts: NDArray[np.float64], rules: IndexRules
) -> None:
    """Whether the rest keeps to the skeletons of the prefix, where these were few: the groups `at` weigh `own` (G, 2)."""
    lead, (total, rest) = own[:, 0], counts.sum(axis=0)
    # What a few groups weigh is the most that they can cover: most columns of text end here.
    if np.sort(lead)[-MOST_SKELETONS:].sum() < rules.share * total - 1e-9:
        return
    whole = np.flatnonzero(lead == total)
    if len(whole) == 1:  # as in most columns of patterns
        number, slots, covered = 1, int(grouping.slots[at[whole[0]]]), own[whole[0], 1]
    else:
        parts = union_of(grouping.ranked(at[lead > 0]), counts[:, 0], 1 - rules.share, MOST_SKELETONS)
        if not parts:
            return
        number, slots = len(parts), parts[0].group.slots
        covered = counts[np.unique(np.concatenate([part.group.values for part in parts])), 1].sum()
    notes.one(index_keys.skeleton_key(number, slots, notes.diversity), float(1 - covered / rest))


def _values(notes: _Notes, column: ColumnCounts, total: NDArray[np.float64], rules: IndexRules) -> None:
    """The named types of the prefix, with the share of the rest that is not of the type; and whether a closed domain stayed closed."""
    notes.one(index_keys.EVERY, 0.0)
    for name in matching(column.texts[0]):
        fits = np.array([bool(matching(text, (name,))) for text in column.texts])
        if fits @ column.counts[:, 0] >= rules.share * total[0]:
            impurity = float(1 - fits @ column.counts[:, 1] / total[1])
            key = key_of(f"<{name}>")
            notes.one(key, impurity)
            notes.one(int(index_keys.salted(np.array([key], dtype=np.uint64), notes.diversity)[0]), impurity)
    closed = index_keys.closed_key(column.distinct, notes.diversity)
    if closed is not None and column.distinct * SEEN_EACH <= total[0]:
        notes.one(closed, float(column.counts[column.counts[:, 0] == 0, 1].sum() / total[1]))
