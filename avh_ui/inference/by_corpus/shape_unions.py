"""Unions of shapes: runs of digits, of letters and symbols, as the values have them. Coarse, but often all that is safe.

The paper's lexer keeps letters and digits apart; ours does not, so `VS1`, `VVS2` and `IF` have no more in common than `<alphanum>+`. Their
shapes say more. How often later values have another shape is measured on the corpus, by the number of shapes and the kind of column.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_corpus.language import Element, Pattern, literal
from avh_ui.inference.by_corpus.strata import shapes_key
from avh_ui.inference.by_corpus.tokens import DIGITS, SLOT, Lexed

# A longer shape is a text.
_LONGEST = 60


def shapes_of(lexed: Lexed, low: int, counts: NDArray[np.float64]) -> dict[str, float]:
    """The shapes of the values from `low` on that `counts` (V,) weighs, with their weights."""
    found: dict[str, float] = {}
    shapes = lexed.shapes[low : low + len(counts)]
    for k in np.flatnonzero(counts).tolist():
        shape = shapes[k]
        found[shape] = found.get(shape, 0.0) + float(counts[k])
    return found


def key_of_shapes(shapes: dict[str, float], profile: int) -> int | None:
    """The key of keeping to these shapes; None where they are no pattern."""
    if not shapes or "" in shapes or max(map(len, shapes)) > _LONGEST:
        return None
    return shapes_key(len(shapes), not any(DIGITS in shape for shape in shapes), profile)


def pattern_of(shape: str) -> Pattern:
    """The pattern of a shape."""
    elements: Pattern = ()
    for character in shape:
        if character in (SLOT, DIGITS):
            elements = (*elements, Element("digit" if character == DIGITS else "letter"))
        elif elements and elements[-1].kind == "text":
            elements = (*elements[:-1], literal(elements[-1].text + character))
        else:
            elements = (*elements, literal(character))
    return elements
