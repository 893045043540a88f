"""The hypotheses H(C) of a column (Auto-Validate, sections 2.1 and 2.4, Algorithm 1): skeletons first, then options per slot.

Values of one skeleton collapse to signatures: the rows of their slots that differ in something an option can see. Patterns are the
product of the options, slot by slot, with what matches too few values dropped at once. Options that match the same signatures share one
mask, so that the cost follows the patterns that survive and not |P(v)| times the number of values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_corpus.groups import MOST_SLOTS, Group
from avh_ui.inference.by_corpus.language import BASE, CLASSES, Pattern, canonical, finish_all, literal, rolling
from avh_ui.inference.by_corpus.slot_options import ALWAYS, Option, level_of, options_of, tails
from avh_ui.inference.by_corpus.slots import Masks, alike, slots_of, summed
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

    `steps` say slot by slot which pattern so far, and which of `options`, each longer pattern has; text is made only of those that are
    asked for.
    """

    literals: list[str]
    options: list[list[Option]]
    steps: list[tuple[Ints, Ints]]
    keys: NDArray[np.uint64]
    masks: Ints
    matched: Weights

    @cached_property
    def choice(self) -> Ints:
        """Which option each slot takes (P, k)."""
        taken, at = [], np.arange(len(self.keys))
        for which, option in reversed(self.steps):
            taken.append(option[at])
            at = which[at]
        return np.stack(taken[::-1], axis=1)

    @cached_property
    def bits(self) -> Weights:
        """What each pattern leaves open (P,)."""
        total = np.zeros(len(self.keys))
        for k, offered in enumerate(self.options):
            total += np.array([o.bits for o in offered])[self.choice[:, k]]
        return total

    def pattern(self, index: int) -> Pattern:
        """One pattern."""
        elements = [literal(self.literals[0])]
        for slot, chosen in enumerate(self.choice[index].tolist()):
            elements += [*self.options[slot][chosen].elements, literal(self.literals[slot + 1])]
        return tuple(element for element in elements if element.canonical)

    def text(self, index: int) -> str:
        """The canonical text of one pattern."""
        return canonical(self.pattern(index))


@dataclass(frozen=True)
class Enumeration:
    """The `options` of every slot of a group, and their products over any run of slots.

    Readings that the same options match collapse to S signatures: `marks` (S, k) says which match them, slot by slot, `weights` (S, W)
    what they weigh by kind of weight; the first kind must be matched to at least `least`. `distinct` is per slot the number of distinct
    texts of leading values, those of a first weight (numbers count one by one, since their text is not kept).
    """

    group: Group
    least: float
    options: list[list[Option]]
    distinct: list[int]
    union: list[int]
    marks: NDArray[np.uint32]
    weights: Weights

    def content(self, slot: int) -> str:
        """The narrowest class of all the leading values' texts at a slot: what the options are narrow or wide in comparison with."""
        return _CONTENT[self.union[slot]]

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
        hashes = np.array([rolling(canonical([literal(literals[0])]))[0]], dtype=np.uint64)
        table, masks, steps = np.ones((1, len(self.weights)), dtype=bool), np.zeros(1, dtype=np.int64), []
        for k, offered in enumerate(options):
            if len(hashes) * len(offered) > MOST_PATTERNS:
                offered = [o for o in offered if o.level == ALWAYS]  # noqa: PLW2901
            if len(hashes) * len(offered) > MOST_PATTERNS:
                offered = offered[:2] if len(hashes) * 2 <= MOST_PATTERNS else offered[:1]  # noqa: PLW2901
            options[k] = offered
            table, which, option, masks = self._step(table, masks, offered, first + k)
            shift, value = tails(offered, canonical([literal(literals[k + 1])]))
            hashes = hashes[which] * shift[option] + value[option]
            steps.append((which, option))
        matched = table.astype(np.float64) @ self.weights
        return Hypotheses(literals, options, steps, finish_all(hashes), masks, matched)

    def _step(self, table: Masks, masks: Ints, offered: list[Option], slot: int) -> tuple[Masks, Ints, Ints, Ints]:
        """Extend patterns by one slot: the new masks, and per surviving pattern its predecessor, its option and its mask."""
        if not offered:
            empty = np.empty(0, dtype=np.int64)
            return table[:0], empty, empty, empty
        marks = np.array([o.mark for o in offered], dtype=np.uint32)
        own, own_of = _distinct((self.marks[:, slot] >> marks[:, None] & 1).astype(bool))
        joined = (table[:, None, :] & own[None, :, :]).reshape(-1, table.shape[1])
        enough = joined @ self.weights[:, 0] >= self.least
        # After one mask that has everything the products are the options' own masks.
        fresh, fresh_of = (own, np.arange(len(own))) if len(table) == 1 and table.all() else _distinct(joined)
        pairs = masks[:, None] * len(own) + own_of[None, :]
        which, option = np.nonzero(enough[pairs])
        return fresh, which, option, fresh_of[pairs[which, option]]


def enumerated(group: Group, weights: Weights, least: float) -> Enumeration:
    """The options of one group, for weights (V, W) of the values."""
    return enumerations_of([group], [weights[group.values]], np.array([least]))[0]


def enumerations_of(groups: Sequence[Group], weights: Sequence[Weights], least: Weights) -> list[Enumeration]:
    """The options of G groups of one `lexed`, all together, for weights (N, W) of the readings of each and `least` (G,)."""
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


def _distinct(masks: Masks) -> tuple[Masks, Ints]:
    """The distinct rows, and which of them each row is."""
    packed, width = np.packbits(masks, axis=1).tobytes(), -(-masks.shape[1] // 8)
    rows = [packed[at : at + width] for at in range(0, len(packed), width)]
    first: dict[bytes, int] = {}
    for k, row in enumerate(rows):
        first.setdefault(row, k)
    number = {row: k for k, row in enumerate(first)}
    return masks[list(first.values())], np.array([number[row] for row in rows], dtype=np.int64)
