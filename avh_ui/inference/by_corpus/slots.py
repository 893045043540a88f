"""What a pattern can see of the texts at slots, and what slots can generalise into (Auto-Validate, Figures 4 and 5).

Many slots are looked at together: NumPy's cost per call is shared by all columns of a task. Options stand from the most specific to the
most general.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_corpus.language import CLASSES, Element, canonical_text, finish_all, literal, rolling
from avh_ui.inference.by_corpus.tokens import DIGIT, HEX_LOWER, HEX_UPPER, LETTERS, LOWER, NUMBER, UPPER, Hashes, Ints, Lexed, runs_of

Floats = NDArray[np.float64]
Masks = NDArray[np.bool_]


@dataclass(frozen=True)
class Slots:
    """I slots with the C kinds of text at them that an option can tell apart, cells; those of slot i begin at `first[i]`.

    Per cell, shape (C,): its slot, `of`, the texts' `bits`, `length` and `subshape`, whether they are the `same`, the constant of their
    slot; and `weights` (C, W). Per slot (I,): the `constant` ("" for none), whether a number may stand there, `free`, and of the leading
    values (those of a first weight) how many `distinct` texts there are and the `union` of their bits.
    """

    of: Ints
    first: Ints
    bits: NDArray[np.uint8]
    length: Ints
    subshape: Ints
    same: Masks
    weights: Floats
    constant: list[str]
    free: Masks
    distinct: Ints
    union: NDArray[np.uint8]


def slots_of(lexed: Lexed, at: Ints, slot: Ints, weights: Floats, least: Floats, free: Masks) -> tuple[Slots, Ints]:
    """The slots, and the cell (N,) of each text: N texts at `at` in `lexed`, each at a `slot` from 0 to I - 1, of
    which none is without text.

    A constant is the text that has at least the first weight `least` (I,) at its slot. It never carries a digit: it would freeze `2020`
    (design, section 7).
    """
    first, text = alike(slot, lexed.text[at])
    of, where, heavy = slot[first], at[first], summed(text, weights, len(first))
    bits, begin = lexed.bits[where], heads(of)
    heaviest = np.maximum.reduceat(heavy[:, 0], begin)
    most = np.flatnonzero(heavy[:, 0] == heaviest[of])
    best = most[heads(of[most])]
    fixed = (heaviest >= least) & (bits[best] & (DIGIT | NUMBER) == 0)
    same = np.zeros(len(first), dtype=bool)
    same[best[fixed]] = True
    constant = [lexed.text_at(int(where[k])) if held else "" for k, held in zip(best.tolist(), fixed.tolist(), strict=True)]
    leading, number = heavy[:, 0] > 0, bits == NUMBER
    # Numbers count one by one, since their text is not kept.
    numbers = slot[(lexed.bits[at] == NUMBER) & (weights[:, 0] > 0)]
    distinct = np.bincount(of[leading & ~number], minlength=len(begin)) + np.bincount(numbers, minlength=len(begin))
    union = np.bitwise_or.reduceat(np.where(leading, bits, np.uint8(0)), begin)
    length, subshape = lexed.length[where], lexed.subshape[where]
    # Seven bits, nine, one, and 44 of the subshape.
    code = bits.astype(np.uint64) | length.astype(np.uint64) << np.uint64(7) | same.astype(np.uint64) << np.uint64(16)
    chosen, cell = alike(of, finish_all(code | subshape.astype(np.uint64) << np.uint64(17)))
    kinds = (of[chosen], heads(of[chosen]), bits[chosen], length[chosen], subshape[chosen], same[chosen])
    return Slots(*kinds, summed(cell, heavy, len(chosen)), constant, free, distinct, union), cell[text]


def alike(owner: Ints, codes: Hashes) -> tuple[Ints, Ints]:
    """Which of N codes are the same within one owner (N,): a position of each distinct one, ordered by owner, and which each is (N,).

    Codes are hashes: of a few thousand owners the first 50 bits are compared.
    """
    room = int(owner.max()).bit_length() if len(owner) else 0
    mixed = owner.astype(np.uint64) << np.uint64(64 - room) | codes >> np.uint64(room) if room else codes
    order = np.argsort(mixed)
    begin = fresh(mixed[order])
    which = np.empty(len(codes), dtype=np.int64)
    which[order] = np.cumsum(begin) - 1
    return order[begin], which


def fresh(values: Ints | Hashes) -> Masks:
    """Whether each value is another than the one before it (N,)."""
    found = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=found[1:])
    return found


def heads(values: Ints) -> Ints:
    """Where each run of equal numbers begins."""
    return np.flatnonzero(fresh(values))


def summed(which: Ints, weights: Floats, count: int) -> Floats:
    """The weights (N, W) added up by number: shape (count, W)."""
    return np.stack([np.bincount(which, weights[:, k], count) for k in range(weights.shape[1])], axis=1)


# Up to so many slots a pattern chooses among the options of that level: fewer per slot the more slots there are, so that the product
# stays at a few thousand. It depends on the number of slots alone, so that the index and a query choose alike.
FEW, SOME = 3, 5
ALWAYS, UPTO_SOME, UPTO_FEW = 3, 2, 1
# Shorter runs of digits and a-f are words and numbers by chance.
_SHORTEST_HEX = 4
# The first run of a packed subshape with its kind and the number of runs.
_FIRST_RUN = 0x3FFF
_CASES = (("upper", HEX_UPPER | UPPER), ("lower", HEX_LOWER | LOWER), ("letter", LETTERS))


@dataclass(frozen=True)
class Option:
    """One way to generalise a slot: its elements and their canonical text, its level, what it leaves open in bits, and the `weights` by
    kind of what it matches. `mark` is its bit in what `options_of` says of cells.
    """

    elements: tuple[Element, ...]
    text: str
    level: int
    bits: float
    weights: list[float]
    mark: int


_Spelling = tuple[tuple[Element, ...], str]
# Its mask (C,) over the cells, its level, and its elements at a slot.
_Candidate = tuple[Masks, int, Callable[[int], _Spelling]]


def level_of(slots: int) -> int:
    """The lowest level of option that a pattern of so many slots may use."""
    return UPTO_FEW if slots <= FEW else UPTO_SOME if slots <= SOME else ALWAYS


def options_of(slots: Slots, least: Floats) -> tuple[list[list[Option]], NDArray[np.uint32]]:
    """Per slot the options that match at least the first weight `least` (I,), most specific first; and per cell (C,) the marks of those
    that match it.
    """
    masks, levels, spellings = zip(*_candidates(slots), strict=True)
    lead = slots.weights[:, 0]
    totals = [np.add.reduceat(np.stack(masks) * column, slots.first, axis=1) for column in (*slots.weights.T, lead * slots.length)]
    weights, lengths = np.stack(totals[:-1], axis=2), totals[-1]
    kept = (weights[:, :, 0] >= least) & (weights[:, :, 0] > 0)
    found: list[list[Option]] = [[] for _ in slots.first]
    each = weights.transpose(1, 0, 2)[kept.T].tolist(), lengths.T[kept.T].tolist()
    for (slot, mark), weight, length in zip(np.argwhere(kept.T).tolist(), *each, strict=True):
        elements, text = spellings[mark](slot)
        share = length / weight[0] / len(elements)
        found[slot].append(Option(elements, text, levels[mark], sum(e.bits(share) for e in elements), weight, mark))
    marks = np.zeros(len(slots.of), dtype=np.uint32)
    for mark, mask in enumerate(masks):
        marks |= (mask & kept[mark][slots.of]).astype(np.uint32) << np.uint32(mark)
    return [sorted(options, key=lambda option: option.bits) for options in found], marks


def _candidates(slots: Slots) -> Iterator[_Candidate]:
    """Every option before its weight is known; of a class with a length the most frequent one, as no other can match a majority."""
    bits, union = slots.bits, np.bitwise_or.reduceat(slots.bits, slots.first)
    yield slots.same, ALWAYS, lambda slot: _constant(slots.constant[slot])
    yield from _lengths("digit", bits == DIGIT, slots, (ALWAYS, ALWAYS))
    yield ((bits == DIGIT) | (bits == NUMBER)) & slots.free[slots.of], ALWAYS, lambda _: _spelled(("num", 0))
    upper, lower, letter = (bits & ~np.uint8(members) == 0 for _, members in _CASES)
    yield from _lengths("upper", upper, slots, (ALWAYS, UPTO_SOME))
    yield from _lengths("lower", lower, slots, (UPTO_SOME, UPTO_SOME))
    yield from _lengths("letter", letter, slots, (UPTO_SOME, ALWAYS))
    mixed = ((union & LETTERS != 0) & (union & DIGIT != 0))[slots.of] & (slots.length >= _SHORTEST_HEX)
    for kind in ("hex", "HEX"):
        yield next(_lengths(kind, mixed & (bits & ~np.uint8(CLASSES[kind].bits) == 0), slots, (UPTO_SOME, UPTO_SOME)))
    if (slots.subshape > 0).any():
        yield from _composites(slots)
    yield from _lengths("alphanum", bits & NUMBER == 0, slots, (UPTO_FEW, ALWAYS))


def _lengths(kind: str, mask: Masks, slots: Slots, levels: tuple[int, int]) -> Iterator[_Candidate]:
    """A class with the most frequent length, and with any."""
    width = int(slots.length.max()) + 1
    weights = np.where(mask, slots.weights[:, 0], 0.0)
    usual = np.bincount(slots.of * width + slots.length, weights, len(slots.first) * width).reshape(-1, width).argmax(axis=1)
    yield mask & (slots.length == usual[slots.of]), levels[0], lambda slot: _spelled((kind, int(usual[slot])))
    yield mask, levels[1], lambda _: _spelled((kind, 0))


def _composites(slots: Slots) -> Iterator[_Candidate]:
    """Runs of digits and letters in a fixed order, such as `AB123`: all lengths fixed, all open, or only the first fixed."""
    composite, lead = slots.subshape > 0, slots.weights[:, 0]
    order = slots.subshape & 15
    common = composite & (order == _commonest(order, composite, lead, slots)[slots.of])
    for kind, letters in _CASES:
        mask = common & (slots.bits & ~np.uint8(letters | DIGIT) == 0)
        whole = _commonest(slots.subshape, mask, lead, slots)
        first = _commonest(slots.subshape & _FIRST_RUN, mask, lead, slots)
        # Letters of either case are left to patterns of few slots.
        lowest = (ALWAYS, UPTO_SOME, UPTO_SOME) if kind != "letter" else (UPTO_FEW, UPTO_FEW, UPTO_FEW)
        yield mask & (slots.subshape == whole[slots.of]), lowest[0], _runs(kind, whole, fixed=4)
        yield mask, lowest[1], _runs(kind, whole, fixed=0)
        yield mask & (slots.subshape & _FIRST_RUN == first[slots.of]), lowest[2], _runs(kind, first, fixed=1)


def _runs(kind: str, packed: Ints, fixed: int) -> Callable[[int], _Spelling]:
    """What spells the runs packed for a slot, the first so many of them with their lengths."""

    def spell(slot: int) -> _Spelling:
        runs = runs_of(int(packed[slot]))
        return _spelled(*(("digit" if digit else kind, length if k < fixed else 0) for k, (digit, length) in enumerate(runs)))

    return spell


def _commonest(codes: Ints, mask: Masks, weights: Floats, slots: Slots) -> Ints:
    """Per slot the code that weighs most among the cells of the mask, the least of several; 0 where there is none."""
    at = np.flatnonzero(mask)
    at = at[np.lexsort((codes[at], slots.of[at]))]
    own, code = slots.of[at], codes[at]
    begin = np.flatnonzero(fresh(own) | fresh(code))
    found = np.zeros(len(slots.first), dtype=np.int64)
    if len(begin):
        own, code, heavy = own[begin], code[begin], np.add.reduceat(weights[at], begin)
        ranked = np.lexsort((code, -heavy, own))
        best = ranked[heads(own[ranked])]
        found[own[best]] = code[best]
    return found


def _constant(text: str) -> _Spelling:
    elements = (literal(text),)
    return elements, canonical_text(elements)


@lru_cache(maxsize=65536)
def _spelled(*runs: tuple[str, int]) -> _Spelling:
    """Elements of these classes and lengths, and their text: few of them occur, and often."""
    elements = tuple(Element(kind, length=length) for kind, length in runs)
    return elements, canonical_text(elements)


def tails(options: list[Option], after: str) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Per option (O,) what the rolling hash of a pattern is multiplied by, and what is added, when it and a literal follow."""
    value, shift = np.array([rolling(option.text) for option in options], dtype=np.uint64).reshape(-1, 2).T
    more, further = (np.uint64(number) for number in rolling(after))
    return shift * further, value * further + more
