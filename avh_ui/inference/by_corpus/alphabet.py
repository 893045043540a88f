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


# An alphabet as bits: letters and digits have one each, the 33 ASCII symbols one each, all others share what is left.
SOME_LETTER, SOME_DIGIT, _SYMBOLS, _REST = 1, 2, 2, 35
_ALPHABET = np.zeros(128, dtype=np.uint64)
for _place, _symbol in enumerate(chr(k) for k in range(0x20, 0x7F) if not chr(k).isalnum()):
    _ALPHABET[ord(_symbol)] = 1 << (_SYMBOLS + _place)


def alphabets_of(points: NDArray[np.uint32], bits: NDArray[np.uint8], starts: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Which kinds of characters each text has, from `starts` (T + 1,) on: letters, digits, and of the symbols which."""
    kinds = np.where(bits == DIGIT, np.uint64(SOME_DIGIT), np.where(bits != 0, np.uint64(SOME_LETTER), _ALPHABET[np.minimum(points, 127)]))
    other = np.flatnonzero(kinds == 0)
    kinds[other] = np.uint64(1) << (_REST + points[other] % (64 - _REST)).astype(np.uint64)
    found = np.zeros(len(starts) - 1, dtype=np.uint64)
    some = np.flatnonzero(np.diff(starts))
    if len(some):
        found[some] = np.bitwise_or.reduceat(kinds, starts[:-1][some])
    return found
