"""The hypotheses H(C) of a column (Auto-Validate, sections 2.1 and 2.4, Algorithm 1): skeletons first, then options per slot.

Values of one skeleton collapse to signatures: the rows of their slots that differ in something an option can see. Patterns are the
product of the options, slot by slot, with what matches too few values dropped at once. Options that match the same signatures share one
mask, so that the cost follows the patterns that survive and not |P(v)| times the number of values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_corpus.groups import MOST_SLOTS, SkeletonGroup
from avh_ui.inference.by_corpus.language import BASE, CLASSES, Elements, canonical_text, finish_all, literal, rolling
from avh_ui.inference.by_corpus.slots import ALWAYS, Option, alike, level_of, options_of, slots_of, summed, tails
from avh_ui.inference.by_corpus.tokens import Ints

Weights = NDArray[np.float64]
# A product that would exceed this keeps the options offered always, then the two most specific: time and memory of a column are bounded.
MOST_PATTERNS = 4096
# The narrowest class of texts whose characters have these bits together.
_CONTENT = [next((kind for kind, node in CLASSES.items() if not union & ~node.bits), "num") for union in range(128)]
_MIX = np.random.default_rng(56).integers(1, 2**63, MOST_SLOTS, dtype=np.uint64) | np.uint64(1)


@dataclass(frozen=True)
class Hypotheses:
    """P patterns over a run of slots: `keys` (P,), `masks` (P,) into `matched` (M, W), weights per kind of weight.

    `choice` (P, k) says which of `options` each slot takes; text is made only of those that are asked for.
    """

    literals: list[str]
    options: list[list[Option]]
    choice: NDArray[np.int16]
    keys: NDArray[np.uint64]
    masks: Ints
    matched: Weights

    @cached_property
    def bits(self) -> Weights:
        """What each pattern leaves open (P,)."""
        total = np.zeros(len(self.keys))
        for k, offered in enumerate(self.options):
            total += np.array([o.bits for o in offered])[self.choice[:, k]]
        return total

    def pattern(self, index: int) -> Elements:
        """One pattern."""
        elements = [literal(self.literals[0])]
        for slot, chosen in enumerate(self.choice[index].tolist()):
            elements += [*self.options[slot][chosen].elements, literal(self.literals[slot + 1])]
        return tuple(element for element in elements if element.canonical)

    def text(self, index: int) -> str:
        """The canonical text of one pattern."""
        return canonical_text(self.pattern(index))


@dataclass(frozen=True)
class Enumeration:
    """The `options` of every slot of a group, and their products over any run of slots.

    Readings that the same options match collapse to S signatures: `marks` (S, k) says which match them, slot by slot, `weights` (S, W)
    what they weigh by kind of weight; the first kind must be matched to at least `least`. `distinct` is per slot the number of distinct
    texts of leading values, those of a first weight (numbers count one by one, since their text is not kept).
    """

    group: SkeletonGroup
    least: float
    options: list[list[Option]]
    distinct: list[int]
    union: list[int]
    marks: NDArray[np.uint32]
    weights: Weights

    def content(self, slot: int) -> str:
        """The narrowest class of all the leading values' texts at a slot: what the options are narrow or wide in comparison with."""
        return _CONTENT[self.union[slot]]

    @cached_property
    def whole(self) -> Hypotheses:
        """The patterns of whole values."""
        return products_of([self])[0]

    def segments(self, tau: int) -> dict[tuple[int, int], Hypotheses]:
        """The patterns of all runs of slots, first to last, of at most `tau` tokens with what stands between: sub-columns (section 3)."""
        found: dict[tuple[int, int], Hypotheses] = {}
        for first in range(self.group.slots):
            lasts = [last for last in range(first, self.group.slots) if self.tokens(first, last) <= tau]
            parts = [replace(self, options=self.options[first : last + 1], marks=self.marks[:, first : last + 1]) for last in lasts]
            products = products_of(parts, [["", *self.group.literals[first + 1 : last + 1], ""] for last in lasts])
            found.update({(first, last): made for last, made in zip(lasts, products, strict=True)})
        return found

    def tokens(self, first: int, last: int) -> int:
        """Slots and symbol runs from one slot to another."""
        return last - first + 1 + sum(map(bool, self.group.literals[first + 1 : last + 1]))


def products_of(enumerations: Sequence[Enumeration], literals: Sequence[list[str]] | None = None) -> list[Hypotheses]:
    """The products of the options of G enumerations, all together, with these literals, or their own, around and between the slots."""
    if not enumerations:
        return []
    around = literals or [e.group.literals for e in enumerations]
    weights, least = _padded([e.weights for e in enumerations]), np.array([e.least for e in enumerations])
    partial = _Partial.empty([rolling(_text(texts[0]))[0] for texts in around], weights.shape[1] // 64)
    offered: list[list[list[Option]]] = [[] for _ in enumerations]
    found: dict[int, Hypotheses] = {}
    for slot in range(max(len(e.options) for e in enumerations)):
        live = [k for k, e in enumerate(enumerations) if slot < len(e.options)]
        sizes, numbers = np.bincount(partial.group, minlength=len(around)), np.zeros(len(around), dtype=np.int64)
        for k in live:
            offered[k].append(_offered(enumerations[k].options, slot, int(sizes[k])))
            numbers[k] = len(offered[k][-1])
        own = _masks([enumerations[k].marks[:, slot] for k in live], [offered[k][-1] for k in live], weights.shape[1])
        hashing = [tails(offered[k][-1], _text(around[k][slot + 1])) for k in live]
        partial = partial.longer(numbers, own, *(np.concatenate(part) for part in zip(*hashing, strict=True)))
        partial, which, matched = partial.pruned(weights, least)
        bounds = np.searchsorted(partial.group, np.arange(len(around) + 1)).tolist()
        ended = [k for k in live if len(enumerations[k].options) == slot + 1]
        for k in ended:
            at = slice(bounds[k], bounds[k + 1])
            found[k] = Hypotheses(around[k], offered[k], partial.choice[at], finish_all(partial.hashes[at]), which[at], matched)
        partial = partial.at(~np.isin(partial.group, ended))
    return [found[k] for k in range(len(around))]


@dataclass(frozen=True)
class _Partial:
    """P patterns of the first k slots of several enumerations: which one's, `group` (P,) ascending, rolling `hashes`, `masks` (P, words)
    of the signatures that they match, the conjunction of those of the options, and the `choice` (P, k) of these.
    """

    group: Ints
    hashes: NDArray[np.uint64]
    masks: NDArray[np.uint64]
    choice: NDArray[np.int16]

    @classmethod
    def empty(cls, hashes: list[int], words: int) -> _Partial:
        """One pattern of no slot per enumeration."""
        masks = np.full((len(hashes), words), ~np.uint64(0))
        return cls(np.arange(len(hashes)), np.array(hashes, dtype=np.uint64), masks, np.zeros((len(hashes), 0), dtype=np.int16))

    def at(self, chosen: NDArray[np.generic]) -> _Partial:
        """Some of the patterns."""
        return _Partial(self.group[chosen], self.hashes[chosen], self.masks[chosen], self.choice[chosen])

    def longer(self, numbers: Ints, masks: NDArray[np.uint64], shift: NDArray[np.uint64], value: NDArray[np.uint64]) -> _Partial:
        """Each pattern with each option of its group: `numbers` (G,) of O options in all, with their masks (O, words) and hashes (O,)."""
        each = numbers[self.group]
        before = self.at(np.repeat(np.arange(len(each)), each))
        option = np.arange(len(before.group)) - np.repeat(np.cumsum(each) - each, each)
        at = (np.cumsum(numbers) - numbers)[before.group] + option
        choice = np.concatenate([before.choice, option[:, None].astype(np.int16)], axis=1)
        return _Partial(before.group, before.hashes * shift[at] + value[at], before.masks & masks[at], choice)

    def pruned(self, weights: Weights, least: Weights) -> tuple[_Partial, Ints, Weights]:
        """Those that match at least the first weight `least` (G,), which distinct mask each has, and what these match (M, W)."""
        mixed = finish_all(finish_all(self.masks) * _MIX[: self.masks.shape[1]]).sum(axis=1, dtype=np.uint64)
        first, which = alike(self.group, mixed)
        bits = np.unpackbits(self.masks[first].view(np.uint8), axis=1, bitorder="little")
        matched = np.einsum("us,usw->uw", bits, weights[self.group[first]])
        kept = np.flatnonzero(matched[which, 0] >= least[self.group])
        return self.at(kept), which[kept], matched


def _offered(options: list[list[Option]], slot: int, patterns: int) -> list[Option]:
    """The options of one slot that so many patterns are continued by."""
    level = level_of(len(options))
    offered = [o for o in options[slot] if o.level >= level]
    if patterns * len(offered) > MOST_PATTERNS:
        offered = [o for o in offered if o.level == ALWAYS]
    if patterns * len(offered) > MOST_PATTERNS:
        offered = offered[:2] if patterns * 2 <= MOST_PATTERNS else offered[:1]
    return offered


def _masks(marks: Sequence[NDArray[np.uint32]], options: Sequence[list[Option]], width: int) -> NDArray[np.uint64]:
    """The masks (O, width / 64) of the options of several slots, of which `marks` say what matches each signature."""
    bits, low = np.zeros((sum(map(len, options)), width), dtype=bool), 0
    for shown, offered in zip(marks, options, strict=True):
        bits[low : low + len(offered), : len(shown)] = shown >> np.array([o.mark for o in offered], dtype=np.uint32)[:, None] & 1
        low += len(offered)
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64)


def _padded(weights: Sequence[Weights]) -> Weights:
    """Weights (S, W) of several enumerations as one array, S filled up to a multiple of 64."""
    width = -(-max(map(len, weights)) // 64) * 64
    padded = np.zeros((len(weights), width, weights[0].shape[1]))
    for k, own in enumerate(weights):
        padded[k, : len(own)] = own
    return padded


def _text(symbols: str) -> str:
    return canonical_text([literal(symbols)])


def enumerated(groups: Sequence[SkeletonGroup], weights: Weights, least: Sequence[float]) -> list[Enumeration]:
    """The options of G groups of one column, for weights (V, W) of its values and `least` of each."""
    return enumerations_of(groups, [weights[group.values] for group in groups], np.array(least))


def enumerations_of(groups: Sequence[SkeletonGroup], weights: Sequence[Weights], least: Weights) -> list[Enumeration]:
    """The options of G groups of one `lexed`, all together, for weights (N, W) of the readings of each and `least` (G,)."""
    if not groups:
        return []
    slots, sizes = np.array([g.slots for g in groups]), np.array([len(g.begin) for g in groups])
    base, width = np.cumsum(slots) - slots, np.repeat(slots, sizes)
    row = np.cumsum(width) - width
    place = np.arange(int(width.sum())) - np.repeat(row, width)
    at = np.repeat(np.concatenate([g.begin for g in groups]), width) + place
    slot = np.repeat(np.repeat(base, sizes), width) + place
    weight, least_of_slot = np.concatenate(weights), np.repeat(least, slots)
    free = np.array([g.free(k) for g in groups for k in range(g.slots)])
    seen, cell = slots_of(groups[0].lexed, at, slot, np.repeat(weight, width, axis=0), least_of_slot, free)
    options, marks = options_of(seen, least_of_slot)
    shown = marks[cell]
    of = np.repeat(np.arange(len(groups)), sizes)
    first, which = alike(of, np.add.reduceat(finish_all(shown * np.uint64(BASE)) * _MIX[place], row))
    total, bounds = summed(which, weight, len(first)), np.searchsorted(of[first], np.arange(len(groups) + 1)).tolist()
    found = []
    for k, group in enumerate(groups):
        own, at_slots = slice(bounds[k], bounds[k + 1]), slice(int(base[k]), int(base[k]) + group.slots)
        kinds = shown[row[first[own], None] + np.arange(group.slots)]
        known = options[at_slots], seen.distinct[at_slots].tolist(), seen.union[at_slots].tolist()
        found.append(Enumeration(group, float(least[k]), *known, kinds, total[own]))
    return found
