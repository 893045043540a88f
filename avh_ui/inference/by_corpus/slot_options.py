"""What one slot of a column can generalise into (Auto-Validate, Figures 4 and 5): options from the most specific to the most general."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_corpus.alphabet import DIGIT, HEX_LOWER, HEX_UPPER, LETTERS, LOWER, NUMBER, UPPER
from avh_ui.inference.by_corpus.language import CLASSES, Element, literal
from avh_ui.inference.by_corpus.tokens import runs_of

Mask = NDArray[np.bool_]
# Up to so many slots a pattern chooses among the options of that level: fewer per slot the more slots there are, so that the product
# stays at a few thousand. It depends on the number of slots alone, so that the index and a query choose alike.
FEW, SOME = 3, 5
ALWAYS, UPTO_SOME, UPTO_FEW = 3, 2, 1
# Shorter runs of digits and a-f are words and numbers by chance.
_SHORTEST_HEX = 4


@dataclass(frozen=True)
class Slot:
    """One slot over S signatures: arrays of shape (S,); `same` marks those whose text is `constant`; a number may stand if `free`."""

    bits: NDArray[np.uint8]
    length: NDArray[np.int64]
    subshape: NDArray[np.int64]
    same: Mask
    constant: str
    free: bool


@dataclass(frozen=True)
class Option:
    """One way to generalise a slot: its elements, which signatures it matches, its level, and what it leaves open in bits."""

    elements: tuple[Element, ...]
    mask: Mask
    level: int
    bits: float


def level_of(slots: int) -> int:
    """The lowest level of option that a pattern of so many slots may use."""
    return UPTO_FEW if slots <= FEW else UPTO_SOME if slots <= SOME else ALWAYS


def options_of(slot: Slot, weights: NDArray[np.float64], least: float) -> list[Option]:
    """The options that match signatures of at least the weight `least`, most specific first."""
    candidates = list(_candidates(slot, weights))
    if not candidates:
        return []
    masks = np.array([mask for _, mask, _ in candidates])
    # Weight, and weight times length, of what each matches.
    totals = masks @ np.stack([weights, weights * slot.length], axis=1)
    found = []
    for (elements, mask, level), (weight, lengths) in zip(candidates, totals.tolist(), strict=True):
        if weight >= least and weight > 0:
            share = lengths / weight / len(elements)
            found.append(Option(elements, mask, level, sum(e.bits(share) for e in elements)))
    return sorted(found, key=lambda option: option.bits)


_Candidate = tuple[tuple[Element, ...], Mask, int]


def _candidates(slot: Slot, weights: NDArray[np.float64]) -> Iterator[_Candidate]:
    """Every option before its weight is known. A constant never carries a digit: it would freeze `2020` (design, section 7)."""
    bits = slot.bits
    if slot.constant:
        yield (literal(slot.constant),), slot.same, ALWAYS
    union = int(np.bitwise_or.reduce(bits))
    if union & DIGIT:
        yield from _lengths("digit", bits == DIGIT, slot, weights, (ALWAYS, ALWAYS))
    if slot.free and union & (DIGIT | NUMBER):
        yield (Element("num"),), (bits == DIGIT) | (bits == NUMBER), ALWAYS
    letters = (bits & ~np.uint8(LETTERS)) == 0
    if union & LETTERS:
        upper, lower = letters & ((bits & ~np.uint8(HEX_UPPER | UPPER)) == 0), letters & ((bits & ~np.uint8(HEX_LOWER | LOWER)) == 0)
        yield from _lengths("upper", upper, slot, weights, (ALWAYS, UPTO_SOME))
        yield from _lengths("lower", lower, slot, weights, (UPTO_SOME, UPTO_SOME))
        yield from _lengths("letter", letters, slot, weights, (UPTO_SOME, ALWAYS))
        if union & DIGIT:
            yield from _hexadecimal(slot, weights)
            yield from _composites(slot, weights)
    yield from _lengths("alphanum", (bits & NUMBER) == 0, slot, weights, (UPTO_FEW, ALWAYS))


def _lengths(kind: str, mask: Mask, slot: Slot, weights: NDArray[np.float64], levels: tuple[int, int]) -> Iterator[_Candidate]:
    """A class with the most frequent length (no other can match a majority), and with any."""
    if mask.any():
        length = _mode(slot.length[mask], weights[mask])
        yield (Element(kind, length=length),), mask & (slot.length == length), levels[0]
        yield (Element(kind),), mask, levels[1]


def _mode(values: NDArray[np.int64], weights: NDArray[np.float64]) -> int:
    return int(np.bincount(values, weights=weights).argmax())


def _hexadecimal(slot: Slot, weights: NDArray[np.float64]) -> Iterator[_Candidate]:
    """Runs of hexadecimal digits of one length and case."""
    for kind in ("hex", "HEX"):
        mask = ((slot.bits & ~np.uint8(CLASSES[kind].bits)) == 0) & (slot.length >= _SHORTEST_HEX)
        if mask.any():
            length = _mode(slot.length[mask], weights[mask])
            yield (Element(kind, length=length),), mask & (slot.length == length), UPTO_SOME


def _composites(slot: Slot, weights: NDArray[np.float64]) -> Iterator[_Candidate]:
    """Runs of digits and letters in a fixed order, such as `AB123`: all lengths fixed, all open, or only the first fixed."""
    composite = slot.subshape > 0
    if not composite.any():
        return
    order = slot.subshape & 15
    common = order == _mode(order[composite], weights[composite])
    common &= composite
    for kind, letters in (("upper", HEX_UPPER | UPPER), ("lower", HEX_LOWER | LOWER), ("letter", LETTERS)):
        mask = common & ((slot.bits & ~np.uint8(letters | DIGIT)) == 0)
        if not mask.any():
            continue
        packed = _commonest(slot.subshape[mask], weights[mask])
        runs = [("digit" if digit else kind, length) for digit, length in runs_of(packed)]
        specific = kind != "letter"
        yield tuple(Element(k, length=n) for k, n in runs), mask & (slot.subshape == packed), ALWAYS if specific else UPTO_FEW
        yield tuple(Element(k) for k, _ in runs), mask, UPTO_SOME if specific else UPTO_FEW
        first = _commonest(slot.subshape[mask] & 0x3FFF, weights[mask])
        elements = tuple(Element(k, length=first >> 4 if i == 0 else 0) for i, (k, _) in enumerate(runs))
        yield elements, mask & ((slot.subshape & 0x3FFF) == first), UPTO_SOME if specific else UPTO_FEW


def _commonest(values: NDArray[np.int64], weights: NDArray[np.float64]) -> int:
    distinct, where = np.unique(values, return_inverse=True)
    return int(distinct[np.bincount(where, weights=weights).argmax()])
