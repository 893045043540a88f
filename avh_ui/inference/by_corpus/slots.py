"""What a pattern can see of the texts at slots, of many slots at once: NumPy's cost per call is shared by all columns of a task."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_corpus.alphabet import DIGIT, NUMBER
from avh_ui.inference.by_corpus.language import finish_all
from avh_ui.inference.by_corpus.tokens import Hashes, Ints, Lexed

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
    begin = np.diff(mixed[order], prepend=~mixed[order[:1]]) != 0
    which = np.empty(len(codes), dtype=np.int64)
    which[order] = np.cumsum(begin) - 1
    return order[begin], which


def heads(ascending: Ints) -> Ints:
    """Where each run of equal numbers begins."""
    return np.flatnonzero(np.diff(ascending, prepend=-1))


def summed(which: Ints, weights: Floats, count: int) -> Floats:
    """The weights (N, W) added up by number: shape (count, W)."""
    return np.stack([np.bincount(which, weights[:, k], count) for k in range(weights.shape[1])], axis=1)
