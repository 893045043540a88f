"""The hypotheses H(C) of a column (Auto-Validate, sections 2.1 and 2.4, Algorithm 1): skeletons first, then options per slot.

Values of one skeleton collapse to signatures: the rows of their slots that differ in something an option can see. Patterns are the
product of the options, slot by slot, with what matches too few values dropped at once. Options that match the same signatures share one
mask, so that the cost follows the patterns that survive and not |P(v)| times the number of values.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_corpus.alphabet import DIGIT, NUMBER
from avh_ui.inference.by_corpus.language import BASE, CLASSES, MASK, Pattern, canonical, literal, rolling
from avh_ui.inference.by_corpus.slot_options import ALWAYS, Option, Slot, level_of, options_of
from avh_ui.inference.by_corpus.tokens import SLOT, UNFREE, Ints, Lexed

Weights = NDArray[np.float64]
Masks = NDArray[np.bool_]
# More slots than this are free text or a list, not a pattern.
MOST_SLOTS = 40
# A product that would exceed this keeps the options offered always, then the two most specific: time and memory of a column are bounded.
MOST_PATTERNS = 4096
# The narrowest class of texts whose characters have these bits together.
_CONTENT = [next((kind for kind, node in CLASSES.items() if not union & ~node.bits), "num") for union in range(128)]
_MIX = np.random.default_rng(56).integers(1, 2**63, (4, MOST_SLOTS), dtype=np.uint64) | np.uint64(1)


@dataclass(frozen=True)
class Group:
    """N readings alike: `values` (N,) the positions of their values in the column, `readings` (N,) in `lexed`.

    Their slots are those of one `skeleton`, from `begin` (N,) on in `lexed`: whole values, or what several skeletons have in common.
    """

    lexed: Lexed
    skeleton: str
    values: Ints
    readings: Ints
    begin: Ints

    @classmethod
    def whole(cls, lexed: Lexed, skeleton: str, values: Ints, readings: Ints) -> Group:
        """The readings of one skeleton from their beginning."""
        return cls(lexed, skeleton, values, readings, lexed.first[readings])

    def slot_text(self, k: int, slot: int) -> str:
        """The text of the k-th reading's slot."""
        reading = int(self.readings[k])
        return self.lexed.slot_text(reading, int(self.begin[k] - self.lexed.first[reading]) + slot)

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


def groups_of(lexed: Lexed, low: int, high: int) -> list[Group]:
    """The values `low:high` of `lexed` by skeleton, largest first; second readings join the group of their skeleton."""
    second = np.searchsorted(lexed.origin[lexed.plain :], [low, high]) + lexed.plain
    by_skeleton: dict[str, list[int]] = {}
    for reading in (*range(low, high), *range(int(second[0]), int(second[1]))):
        by_skeleton.setdefault(lexed.skeletons[reading], []).append(reading)
    chosen = sorted((s for s in by_skeleton if 1 <= s.count(SLOT) <= MOST_SLOTS), key=lambda s: (-len(by_skeleton[s]), s))
    rows = ((s, np.asarray(by_skeleton[s], dtype=np.int64)) for s in chosen)
    return [Group.whole(lexed, s, lexed.origin[r] - low, r) for s, r in rows]


@dataclass(frozen=True)
class Hypotheses:
    """P patterns over a run of slots: `keys` (P,), `bits` (P,) of openness, `masks` (P,) into `matched` (M, W), weights per kind of weight.

    `choice` (P, k) says which of `options` each slot takes; text is made only of those that are asked for.
    """

    literals: list[str]
    options: list[list[Option]]
    choice: NDArray[np.int16]
    keys: NDArray[np.uint64]
    bits: Weights
    masks: Ints
    matched: Weights

    def pattern(self, index: int) -> Pattern:
        """One pattern."""
        elements = [literal(self.literals[0])]
        for slot, chosen in enumerate(self.choice[index].tolist()):
            elements += [*self.options[slot][chosen].elements, literal(self.literals[slot + 1])]
        return tuple(element for element in elements if element.canonical)

    def text(self, index: int) -> str:
        """The canonical text of one pattern."""
        return canonical(self.pattern(index))


class Enumeration:
    """The options of every slot of a group, and their products over any run of slots.

    `weights` (V, W) are the values' weights by kind; the first kind must be matched to at least `least`.
    """

    def __init__(self, group: Group, weights: Weights, least: float) -> None:
        self.group, self.least = group, least
        lexed = group.lexed
        at = group.begin[:, None] + np.arange(group.slots)
        bits, length, subshape, text = lexed.bits[at], lexed.length[at], lexed.subshape[at], lexed.text[at]
        constants = [self._constant(text[:, k], bits[:, k], weights[group.values, 0], k) for k in range(group.slots)]
        same = np.stack(
            [text[:, k] == np.uint64(value) if name else np.zeros(len(text), bool) for k, (name, value) in enumerate(constants)], 1
        )
        self._text, self._bits = text, bits
        self._leading = weights[group.values, 0] > 0
        # What an option can see of a slot: a length needs nine bits, its subshape the upper 55 of a number of its own.
        small = bits.astype(np.uint64) | length.astype(np.uint64) << np.uint64(8) | same.astype(np.uint64) << np.uint64(20)
        parts = (small, subshape.astype(np.uint64))
        mixed = sum((_mixed(part) * _MIX[i, : group.slots]).sum(axis=1) for i, part in enumerate(parts))
        _, first, which = np.unique(mixed, return_index=True, return_inverse=True)
        self.weights = np.stack([np.bincount(which, weights=weights[group.values, w]) for w in range(weights.shape[1])], 1)
        lead = self.weights[:, 0].astype(np.float64)
        self.options = [
            options_of(
                Slot(bits[first, k], length[first, k], subshape[first, k], same[first, k], constants[k][0], group.free(k)), lead, least
            )
            for k in range(group.slots)
        ]

    def slot_distinct(self, slot: int) -> int:
        """Distinct texts at a slot; numbers count one by one, since their text is not kept."""
        return self._distinct[slot]

    def slot_content(self, slot: int) -> str:
        """The narrowest class of all the leading values' texts at a slot: what the options are narrow or wide in comparison with."""
        return _CONTENT[self._union[slot]]

    @cached_property
    def _distinct(self) -> list[int]:
        texts, numbers = self._text[self._leading], self._bits[self._leading] == NUMBER
        if not len(texts):
            return [0] * self.group.slots
        ordered = np.sort(texts, axis=0)
        found = (1 + np.count_nonzero(ordered[1:] != ordered[:-1], axis=0)).tolist()
        for slot in np.flatnonzero(numbers.any(axis=0)).tolist():
            number = numbers[:, slot]
            found[slot] = len(np.unique(texts[~number, slot])) + int(np.count_nonzero(number))
        return found  # type: ignore[no-any-return]

    @cached_property
    def _union(self) -> list[int]:
        return np.bitwise_or.reduce(self._bits[self._leading], axis=0, initial=0).tolist()  # type: ignore[no-any-return]

    def _constant(self, text: NDArray[np.uint64], bits: NDArray[np.uint8], weights: Weights, slot: int) -> tuple[str, int]:
        """The text that enough values share at a slot, with its hash; empty where there is none or it has a digit."""
        if weights[bits & (DIGIT | NUMBER) == 0].sum() < self.least:
            return "", 0
        distinct, first, which = np.unique(text, return_index=True, return_inverse=True)
        counts = np.bincount(which, weights=weights)
        best = int(counts.argmax())
        if counts[best] < self.least or bits[first[best]] & (DIGIT | NUMBER):
            return "", 0
        return self.group.slot_text(int(first[best]), slot), int(distinct[best])

    def whole(self) -> Hypotheses:
        """The patterns of whole values."""
        return self.over(0, self.group.slots - 1, self.group.literals)

    def segment(self, first: int, last: int) -> Hypotheses:
        """The patterns of the slots `first` to `last` and what stands between them: a sub-column (section 3)."""
        return self.over(first, last, ["", *self.group.literals[first + 1 : last + 1], ""])

    def over(self, first: int, last: int, literals: list[str]) -> Hypotheses:
        """The product of the options of a run of slots, with these literals around and between them."""
        level = level_of(last - first + 1)
        options = [[o for o in self.options[k] if o.level >= level] for k in range(first, last + 1)]
        hashes, bits = np.array([rolling(canonical([literal(literals[0])]))[0]], dtype=np.uint64), np.zeros(1)
        choice, masks = np.zeros((1, 0), dtype=np.int16), np.zeros(1, dtype=np.int64)
        table = np.ones((1, len(self.weights)), dtype=bool)
        for k, offered in enumerate(options):
            if len(hashes) * len(offered) > MOST_PATTERNS:
                offered = [o for o in offered if o.level == ALWAYS]  # noqa: PLW2901
            if len(hashes) * len(offered) > MOST_PATTERNS:
                offered = offered[:2] if len(hashes) * 2 <= MOST_PATTERNS else offered[:1]  # noqa: PLW2901
            options[k] = offered
            table, which, option, masks = self._step(table, masks, offered)
            tails = [rolling(canonical([*o.elements, literal(literals[k + 1])])) for o in offered]
            shift, value = np.array([t[1] for t in tails], dtype=np.uint64), np.array([t[0] for t in tails], dtype=np.uint64)
            hashes = hashes[which] * shift[option] + value[option]
            bits = bits[which] + np.array([o.bits for o in offered])[option]
            choice = np.concatenate([choice[which], option[:, None].astype(np.int16)], axis=1)
        matched = table.astype(np.float64) @ self.weights
        return Hypotheses(literals, options, choice, finish(hashes), bits, masks, matched)

    def _step(self, table: Masks, masks: Ints, offered: list[Option]) -> tuple[Masks, Ints, Ints, Ints]:
        """Extend patterns by one slot: the new masks, and per surviving pattern its predecessor, its option and its mask."""
        if not offered:
            empty = np.empty(0, dtype=np.int64)
            return table[:0], empty, empty, empty
        own, own_of = _distinct(np.stack([o.mask for o in offered]))
        joined = (table[:, None, :] & own[None, :, :]).reshape(-1, table.shape[1])
        enough = joined @ self.weights[:, 0] >= self.least
        fresh, fresh_of = _distinct(joined)
        pairs = masks[:, None] * len(own) + own_of[None, :]
        which, option = np.nonzero(enough[pairs])
        return fresh, which, option, fresh_of[pairs[which, option]]


def finish(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """`language.finish` of many hashes."""
    for multiplier in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        values = (values ^ values >> np.uint64(33)) * np.uint64(multiplier)
    return values ^ values >> np.uint64(33)


def _distinct(masks: Masks) -> tuple[Masks, Ints]:
    """The distinct rows, and which of them each row is."""
    packed = np.packbits(masks, axis=1)
    seen: dict[bytes, int] = {}
    which = np.fromiter((seen.setdefault(row.tobytes(), len(seen)) for row in packed), dtype=np.int64, count=len(packed))
    _, first = np.unique(which, return_index=True)
    return masks[first], which


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread small numbers over 64 bits, so that sums of them do not meet."""
    return finish(values * np.uint64(BASE & MASK))
