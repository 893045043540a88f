r"""Which characters are digits and letters to a pattern: explicit ranges, so that Java and Python mean the same by a class.

Neither `\w` nor `\p{L}` is used: Java and Python follow different versions of Unicode. What is in no range is a symbol and stays literal.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Bits of a character; a run's bits are the union of its characters', and a class matches a run whose bits are all among its own.
DIGIT, HEX_LOWER, LOWER, HEX_UPPER, UPPER, FOREIGN, NUMBER = 1, 2, 4, 8, 16, 32, 64
LETTERS = HEX_LOWER | LOWER | HEX_UPPER | UPPER | FOREIGN
# A free-standing number is lexed as this one character, of the private-use area; a value that holds it itself has no second reading.
NUMBER_MARK = "\ue000"
# Beyond ASCII: Latin, Greek, Cyrillic, Hebrew, Arabic, kana, Han, Hangul; letters without case to a pattern.
FOREIGN_RANGES = (
    (0xC0, 0xD6),
    (0xD8, 0xF6),
    (0xF8, 0x24F),
    (0x388, 0x3FF),
    (0x400, 0x481),
    (0x48A, 0x52F),
    (0x5D0, 0x5EA),
    (0x620, 0x64A),
    (0x1E00, 0x1EFF),
    (0x3041, 0x3096),
    (0x30A1, 0x30FA),
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A3),
)
FOREIGN_CLASS = "".join(f"\\u{low:04X}-\\u{high:04X}" for low, high in FOREIGN_RANGES)


def _ascii() -> NDArray[np.uint8]:
    table = np.zeros(128, dtype=np.uint8)
    for bit, characters in ((DIGIT, "0123456789"), (HEX_LOWER, "abcdef"), (HEX_UPPER, "ABCDEF")):
        table[[ord(c) for c in characters]] = bit
    table[ord("g") : ord("z") + 1] = LOWER
    table[ord("G") : ord("Z") + 1] = UPPER
    return table


_ASCII = _ascii()
_EDGES = np.array([edge for low, high in FOREIGN_RANGES for edge in (low, high + 1)], dtype=np.uint32)


def bits_of(points: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """The bits of each code point, 0 for symbols."""
    bits = _ASCII[np.minimum(points, 127)]
    beyond = np.flatnonzero(points > 127)
    if len(beyond):
        far = points[beyond]
        inside = np.searchsorted(_EDGES, far, side="right") % 2 == 1
        bits[beyond] = np.where(inside, FOREIGN, np.where(far == ord(NUMBER_MARK), NUMBER, 0))
    else:
        bits[points > 126] = 0
    return bits
