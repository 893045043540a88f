"""The shapes of texts: AVH's Algorithm 2. Runs of digits become `d`, of letters `l`, of punctuation `.`; blanks and others stay.

A symbol cannot be mistaken for a character of the text, since every digit, letter and punctuation mark is replaced.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pyarrow as pa

from avh_ui.metrics.characters import OTHER
from avh_ui.metrics.column import EXACT, Column, Texts
from avh_ui.metrics.frequencies import FrequencyState, names_of

# Indexed by character class: OTHER is replaced by the character itself.
_SYMBOLS = np.array([0, ord("d"), ord("l"), ord(".")], dtype=np.uint8)


class ShapeState(FrequencyState):
    """Frequencies of shapes; merges like any frequencies."""

    key: ClassVar[str] = "shapes"

    @classmethod
    def of(cls, column: Column) -> ShapeState:
        """Frequencies of the shapes of a text column's values."""
        shapes, counts = shapes_of(column.texts).view(pa.large_string()), column.texts.counts
        if len(shapes) > EXACT:
            encoded = shapes.dictionary_encode()
            return cls.from_array(
                encoded.dictionary, np.bincount(encoded.indices.to_numpy(), weights=counts.astype(np.float64)).astype(np.int64)
            )
        table: dict[str, int] = {}
        for shape, count in zip(names_of(shapes), counts.tolist(), strict=True):
            table[shape] = table.get(shape, 0) + count
        return cls(table, column.texts.total)


def shapes_of(texts: Texts) -> pa.Array:
    """The shape of each distinct text, as an Arrow string array of the same length."""
    characters = texts.characters
    classes, starts = characters.classes, characters.starts
    other = classes == OTHER
    first = np.zeros(len(classes) + 1, dtype=bool)
    first[starts] = True
    keep = first[:-1] | other
    keep[1:] |= classes[1:] != classes[:-1]
    kept = np.where(other, characters.points, _SYMBOLS[classes])[keep]
    upto = np.concatenate([[0], np.cumsum(keep)])
    if kept.dtype == np.uint8:
        ends, data = upto[starts], kept.tobytes()
    else:
        # Arrow counts in bytes of UTF-8.
        sizes = 1 + (kept > 0x7F).astype(np.int64) + (kept > 0x7FF) + (kept > 0xFFFF)
        ends = np.concatenate([[0], np.cumsum(sizes)])[upto[starts]]
        data = kept.tobytes().decode("utf-32-le", "surrogatepass").encode("utf-8", "surrogatepass")
    return pa.Array.from_buffers(pa.large_binary(), len(texts.counts), [None, pa.py_buffer(ends), pa.py_buffer(data)])
