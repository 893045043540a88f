"""The shapes of texts: AVH's Algorithm 2. Runs of digits become `d`, of letters `l`, of punctuation `.`; blanks and others stay.

A symbol cannot be mistaken for a character of the text, since every digit, letter and punctuation mark is replaced.
"""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from avh_ui.metrics.characters import OTHER
from avh_ui.metrics.column import Column, Counts, Texts
from avh_ui.metrics.frequencies import FrequencyState, short_key
from avh_ui.metrics.metric import States

# Indexed by character class: OTHER is replaced by the character itself.
_SYMBOLS = np.array([0, ord("d"), ord("l"), ord(".")], dtype=np.uint32)


class ShapeState(FrequencyState):
    """Frequencies of shapes; merges like any frequencies."""

    key: ClassVar[str] = "shapes"

    @classmethod
    def of(cls, column: Column) -> ShapeState:
        """Frequencies of the shapes of a text column's values."""
        return cls.from_counts(*shapes_of(column.texts))


def shapes_of(texts: Texts) -> tuple[list[str], Counts]:
    """The shape of each distinct text, with the texts' counts."""
    characters = texts.characters
    classes, starts = characters.classes, characters.starts
    first = np.zeros(len(classes) + 1, dtype=bool)
    first[starts] = True
    keep = first[:-1] | (classes == OTHER)
    keep[1:] |= classes[1:] != classes[:-1]
    kept: NDArray[np.uint32] = np.where(classes == OTHER, characters.points, _SYMBOLS[classes])[keep]
    ends = np.concatenate([[0], np.cumsum(keep)])[starts]
    joined = kept.tobytes().decode("utf-32-le", "surrogatepass")
    shapes = (joined[a:b] for a, b in pairwise(ends.tolist()))
    return [short_key(s.encode("utf-8", "surrogatepass")) for s in shapes], texts.counts


def shapes(states: States) -> ShapeState:
    """The shapes among a column's states."""
    return cast(ShapeState, states[ShapeState.key])
