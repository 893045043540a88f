"""Keys of what is known beside whole patterns: by how diverse the values were, per slot, per skeleton, and of closed domains.

Why: a pattern inferred from two distinct values breaks far more often than the same pattern inferred from a hundred, and a skeleton
that no other table has still consists of slots that many tables have. All of it is measured on the corpus as patterns are, prefix against
rest, and lies in the same index under keys of its own.

Shapes are runs of digits, of letters and symbols, as the values have them: coarse, but often all that is safe. The paper's lexer keeps
letters and digits apart; ours does not, so `VS1`, `VVS2` and `IF` have no more in common than `<alphanum>+`. Their shapes say more.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_corpus.language import Element, Elements, finish_all, key_of, literal
from avh_ui.inference.by_corpus.tokens import DIGITS, SLOT, Lexed

# Distinct values from which a sample counts as somewhat and as very diverse.
_SOME, _MANY = 3, 10
# Values that come in about as many runs of equal ones as there are values are sorted or in blocks: a prefix shows the first ones only.
_BLOCKS, _MIXED = 1.5, 3.0
# From this share of distinct values on, a sample is taken for one of unique values.
_UNIQUE = 0.9
# Sizes of closed domains that are told apart, by their upper ends; larger ones are open.
_SIZES = (1, 2, 5, 10, 20)
MOST_CLOSED = _SIZES[-1]
# Numbers of shapes that are told apart likewise.
_SHAPES = (1, 2, 3, 4, 6, 8)
MOST_SHAPES = _SHAPES[-1]
# Sizes of a sample up to which its rise test has little power, some, and much: 0 bad of 30 values needs 26 % bad ones of many to alarm,
# of 70 values 9 %. And its numbers of distinct values that are told apart.
_SAMPLES, _DISTINCT, _PARTS = (30, 70), (1, 2, 4, 9), (1, 2, 4, 8)
Lengths = NDArray[np.int64]
_SALTS = np.array([key_of(f"\x00profile {k}") for k in range(16)], dtype=np.uint64)


def few_or_many(distinct: int) -> int:
    """0, 1 or 2 for few, some and many distinct values."""
    return (distinct >= _SOME) + (distinct >= _MANY)


def diversity_of(distinct: int, runs: int, total: int) -> int:
    """How diverse a sample of `total` values is and how it is ordered, as one of twelve codes."""
    if distinct >= _UNIQUE * total:
        order = 3
    else:
        ratio = runs / max(distinct, 1)
        order = (ratio >= _BLOCKS) + (ratio >= _MIXED)
    return 4 * few_or_many(distinct) + order


def salted(keys: NDArray[np.uint64], diversity: int) -> NDArray[np.uint64]:
    """The keys of the same patterns, one for one, among columns of like diversity."""
    made: NDArray[np.uint64] = keys ^ _SALTS[diversity]
    return made


@lru_cache
def prior_key(diversity: int) -> int:
    """The key of the mean impurity of all patterns of a column of this diversity: what is believed of a pattern nobody has seen."""
    return key_of(f"\x00prior {diversity}")


@lru_cache(maxsize=65536)
def slot_key(text: str, content: str, distinct: int) -> int:
    """The key of one slot's option wherever it stands: its canonical text, among slots of like content and diversity."""
    return key_of(f"\x00slot {few_or_many(distinct)} {content} {text}")


def skeleton_key(skeletons: int, slots: int, diversity: int) -> int:
    """The key of keeping to so many skeletons, the largest of so many slots."""
    return key_of(f"\x00skeleton {skeletons} {min(slots, 3)} {diversity}")


def shapes_key(shapes: int, letters: bool, diversity: int) -> int | None:
    """The key of keeping to so many shapes, of letters alone or not; None when they are too many."""
    if shapes > MOST_SHAPES:
        return None
    return key_of(f"\x00shapes {next(k for k, most in enumerate(_SHAPES) if shapes <= most)} {letters} {diversity}")


def closed_key(distinct: int, diversity: int) -> int | None:
    """The key of a closed domain of so many values; None when it is too large."""
    if distinct > MOST_CLOSED:
        return None
    return key_of(f"\x00closed {next(k for k, most in enumerate(_SIZES) if distinct <= most)} {diversity}")


@lru_cache(maxsize=65536)
def shown_keys(rule: str, parts: int, values: int, distinct: int, digits: bool, diversity: int) -> list[int]:
    """The keys of keeping to what a sample of `values` has shown, by `rule` (so many `parts`: shapes, or kinds of characters).

    From the closest likeness to columns of so many values and parts in such an order.
    """
    size, order = f"{sum(parts > most for most in _PARTS)} {sum(values >= most for most in _SAMPLES)}", diversity % 4
    near = sum(distinct > most for most in _DISTINCT)
    return [key_of(f"\x00keeping {rule} {of}") for of in (f"{size} {order} {near} {digits}", f"{size} {order} {near}", f"{size} {order}")]


def alphabet_keys(alphabets: NDArray[np.uint64], sizes: Iterable[int]) -> NDArray[np.uint64]:
    """The keys (A * S,) of columns that have just these characters (`alphabet.alphabets_of`), their values being of one of these sizes."""
    return np.concatenate([finish_all(finish_all(alphabets) ^ np.uint64(key_of(f"\x00alphabet {size}"))) for size in sizes])


def size_of(length: float) -> int:
    """The power of two that a length is nearest to."""
    return round(math.log2(max(length, 1)))


def allowed_lengths(shortest: Lengths, longest: Lengths) -> tuple[Lengths, Lengths]:
    """From half of the shortest to twice the longest: what columns of these lengths keep to.

    One and a half times alarmed on 8 of 50 columns where twice and three times alarmed on 4; recall .72, .74 and .67.
    """
    return np.maximum(1, shortest // 2), 2 * longest


# The key of all columns.
EVERY = key_of("\x00every")


# A longer shape is a text.
_LONGEST = 60


def shape_weights(lexed: Lexed, counts: NDArray[np.float64]) -> dict[str, float]:
    """The shapes of the values that `counts` (V,) weighs, with their weights."""
    found: dict[str, float] = {}
    for k in np.flatnonzero(counts).tolist():
        shape = lexed.shapes[k]
        found[shape] = found.get(shape, 0.0) + float(counts[k])
    return found


def key_of_shapes(shapes: dict[str, float], diversity: int) -> int | None:
    """The key of keeping to these shapes; None where they are no pattern."""
    if not shapes or "" in shapes or max(map(len, shapes)) > _LONGEST:
        return None
    return shapes_key(len(shapes), not any(DIGITS in shape for shape in shapes), diversity)


def elements_of_shape(shape: str) -> Elements:
    """The pattern of a shape."""
    elements: Elements = ()
    for character in shape:
        if character in (SLOT, DIGITS):
            elements = (*elements, Element("digit" if character == DIGITS else "letter"))
        elif elements and elements[-1].kind == "text":
            elements = (*elements[:-1], literal(elements[-1].text + character))
        else:
            elements = (*elements, literal(character))
    return elements
