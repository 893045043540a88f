r"""The lexer: values into skeletons (their symbols, with a placeholder per slot) and slots, all values at once as NumPy arrays.

A slot is a maximal run of letters and digits. Lexing letters and digits apart, as the paper does (section 2.4), would shatter a UUID
into a random number of tokens. A value in which numbers with a sign, a point or an exponent stand free is read a second time with each
of them as one slot (`<num>`); free means that no letter, digit, sign or point touches them: not in `1.2.3.4`, nor in `173E-4463`.

Which characters are digits and letters is said by explicit ranges, so that Java and Python mean the same by a class: neither `\w` nor
`\p{L}` is used, since both follow different versions of Unicode. What is in no range is a symbol and stays literal.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import overload

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


Bits = NDArray[np.uint8]
Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]
# The placeholder of a slot in a skeleton, and of digits in a shape: symbols are never letters or digits.
SLOT, DIGITS = "a", "0"
# A longer value has no reading: nothing that long is a pattern of machine-generated fields, and work per value stays bounded.
LONGEST = 400
# What `<num>` stands for; ASCII digits only.
NUMBER_TEXT = r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_TOUCHING = rf"0-9A-Za-z{FOREIGN_CLASS}.+\-"
_FREE_NUMBER = re.compile(rf"(?<![{_TOUCHING}]){NUMBER_TEXT}(?![{_TOUCHING}])")
_NUMBER_SIGNS = re.compile(r"[0-9][.eE][0-9+-]|[+-][0-9]")
# By ASCII character: 1 a digit, 3 a sign, 2 a point or an exponent's letter (a sign may stand before a digit, too).
_SIGN_KINDS = np.zeros(128, dtype=np.uint8)
_SIGN_KINDS[ord("0") : ord("9") + 1] = 1
_SIGN_KINDS[[ord(c) for c in ".eE"]] = 2
_SIGN_KINDS[[ord(c) for c in "+-"]] = 3
# Characters that would make a neighbouring number unfree.
UNFREE = frozenset(".+-")
# A slot of more runs of letters and digits than this is random text (an identifier in base 36 or 64), not a composite such as `AB123`.
MOST_RUNS = 4
# Position weights of the hash of a run's text; runs are at most LONGEST characters.
_WEIGHTS = np.random.default_rng(20210620).integers(1, 2**63, LONGEST + 1, dtype=np.uint64) | np.uint64(1)


@dataclass(frozen=True)
class Reduced(Sequence[str]):
    """R texts, each what was kept of a reading: a hash of each (R,), and the texts themselves, which are made when they are asked for.

    `points` are the code points kept of all, and `ends` (R + 1,) where each text begins among them.
    """

    points: NDArray[np.uint32]
    ends: Ints
    hashes: Hashes

    @cached_property
    def _joined(self) -> str:
        return self.points.tobytes().decode("utf-32-le", "surrogatepass")

    @cached_property
    def _texts(self) -> list[str]:
        return [self._joined[a:b] for a, b in pairwise(self.ends.tolist())]

    def __len__(self) -> int:
        return len(self.hashes)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice) or at < 0:
            return self._texts[at]
        return self._joined[self.ends[at] : self.ends[at + 1]]

    @property
    def lengths(self) -> Ints:
        """The length of each (R,)."""
        return np.diff(self.ends)


@dataclass(frozen=True)
class Lexed:
    """R readings of V values: `origin` (R,) the value of each, ascending within `plain` (the first V) and within the rest.

    Slots stand in order of readings: those of reading r are `first[r] : first[r + 1]`. `starts` and `begin` say where readings and
    slots begin among all characters. Per slot: its `bits`, `length`, a hash of its `text`, and `subshape`, the packed lengths of its
    runs of digits and of letters (0 when it is one run or more than `MOST_RUNS`). `shapes` are the skeletons with digits and letters
    lexed apart, as the paper does: one placeholder per run. `alphabets` (R,) say which characters a reading has, see `alphabet`.
    """

    texts: list[str]
    origin: Ints
    plain: int
    skeletons: Reduced
    first: Ints
    starts: Ints
    begin: Ints
    bits: Bits
    length: Ints
    text: Hashes
    subshape: Ints
    shapes: Reduced
    alphabets: Hashes

    def slot_text(self, reading: int, slot: int) -> str:
        """The text of a reading's slot."""
        at = int(self.first[reading]) + slot
        begin = int(self.begin[at] - self.starts[reading])
        return self.texts[reading][begin : begin + int(self.length[at])]

    def text_at(self, at: int) -> str:
        """The text of the slot at this position among all."""
        reading = int(np.searchsorted(self.first, at, side="right")) - 1
        return self.slot_text(reading, at - int(self.first[reading]))


def lex(values: Sequence[str]) -> Lexed:
    """Read every value, and those with free-standing numbers twice; a value that cannot be read (too long, say) reads as an empty one."""
    texts = [v if len(v) <= LONGEST and NUMBER_MARK not in v else "" for v in values]
    points, starts = _points(texts)
    second = [(i, merged) for i in _with_signs(points, starts) if (merged := merge_numbers(texts[i])) is not None]
    origin = np.array([*range(len(texts)), *(i for i, _ in second)], dtype=np.int64)
    more, begins = _points([merged for _, merged in second])
    joined = np.concatenate([points, more]), np.concatenate([starts, starts[-1] + begins[1:]])
    return _lex([*texts, *(merged for _, merged in second)], origin, len(texts), *joined)


def _points(texts: list[str]) -> tuple[NDArray[np.uint32], Ints]:
    """The code points of all texts, and where each text begins, with the end."""
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    points = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    return points, np.concatenate([[0], np.cumsum(lengths)])


def _with_signs(points: NDArray[np.uint32], starts: Ints) -> list[int]:
    """The texts in which a sign, a point or an exponent may touch a digit, as `_NUMBER_SIGNS` has it; ascending."""
    kinds = _SIGN_KINDS[np.minimum(points, 127)]
    left, right = kinds[:-1], kinds[1:]
    touching = np.flatnonzero(((left == 1) & (right == 2)) | ((left == 3) & (right == 1)))
    return np.unique(np.searchsorted(starts, touching, side="right") - 1).tolist()  # type: ignore[no-any-return]


def merge_numbers(value: str) -> str | None:
    """The value with each free-standing number as one mark, or None when that is no other reading."""
    if not _NUMBER_SIGNS.search(value):
        return None
    merged = _FREE_NUMBER.sub(lambda m: m[0] if m[0].isdigit() else NUMBER_MARK, value)
    return merged if merged != value else None


def _lex(texts: list[str], origin: Ints, plain: int, points: NDArray[np.uint32], starts: Ints) -> Lexed:
    bits = bits_of(points)
    alphabets = alphabets_of(points, bits, starts)
    inside, digit = bits != 0, bits == DIGIT
    head = np.zeros(len(points) + 1, dtype=bool)
    head[starts] = True
    opens = inside.copy()
    opens[1:] &= ~inside[:-1] | head[1:-1]
    begin = np.flatnonzero(opens)
    first = np.searchsorted(begin, starts)
    if not len(begin):
        none, hashes = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint64)
        slots = begin, none.astype(np.uint8), none, hashes, none
        symbols = _kept(points, ~inside, starts)
        return Lexed(texts, origin, plain, symbols, first, starts, *slots, symbols, alphabets)
    changes = opens.copy()
    changes[1:] |= inside[1:] & inside[:-1] & (digit[1:] != digit[:-1])
    held = np.where(inside, np.uint32(ord(SLOT)), points)
    skeletons = _kept(held, ~inside | opens, starts)
    shapes = _kept(np.where(digit, np.uint32(ord(DIGITS)), held), ~inside | changes, starts)
    bits_of_slot = np.bitwise_or.reduceat(bits, begin)
    length = np.add.reduceat(inside.astype(np.int64), begin)
    hashes = _hashes(points, inside, opens, begin)
    slots = begin, bits_of_slot, length, hashes, _subshapes(bits, changes, begin)
    return Lexed(texts, origin, plain, skeletons, first, starts, *slots, shapes, alphabets)


def _hashes(points: NDArray[np.uint32], inside: NDArray[np.bool_], opens: NDArray[np.bool_], begin: Ints) -> Hashes:
    """A hash of each slot's text. A symbol takes the run before it, where it counts nothing."""
    run = np.maximum(np.cumsum(opens) - 1, 0)
    within = np.clip(np.arange(len(points)) - begin[run], 0, LONGEST)
    hashed = np.where(inside, (points.astype(np.uint64) + np.uint64(1)) * _WEIGHTS[within], np.uint64(0))
    return np.add.reduceat(hashed, begin)


def _subshapes(bits: Bits, changes: NDArray[np.bool_], begin: Ints) -> Ints:
    """Per slot of two to `MOST_RUNS` runs of digits and of letters: their number, kind and lengths in one integer; 0 for others."""
    digit, inside = bits == DIGIT, bits != 0
    starts = np.flatnonzero(changes)
    lengths = np.add.reduceat(inside.astype(np.int64), starts)
    first = np.searchsorted(starts, begin)
    count = np.diff(np.concatenate([first, [len(starts)]]))
    packed = np.where(digit[begin], 1, 0) | (count << 1)
    for k in range(MOST_RUNS):
        packed |= np.where(k < count, lengths[np.minimum(first + k, len(starts) - 1)], 0) << (4 + 10 * k)
    return np.where((count >= 2) & (count <= MOST_RUNS), packed, 0)


def runs_of(packed: int) -> list[tuple[bool, int]]:
    """The runs of a packed subshape in order: whether each is of digits, and its length."""
    digit = bool(packed & 1)
    return [(digit == (k % 2 == 0), packed >> (4 + 10 * k) & 1023) for k in range(packed >> 1 & 7)]


def _kept(points: NDArray[np.uint32], keep: NDArray[np.bool_], starts: Ints) -> Reduced:
    """The kept characters of each text."""
    at = np.flatnonzero(keep)
    kept, ends = points[at], np.searchsorted(at, starts)
    sizes = np.diff(ends)
    hashes, some = np.zeros(len(sizes), dtype=np.uint64), np.flatnonzero(sizes)
    if len(some):
        place = np.arange(len(at)) - np.repeat(ends[:-1], sizes)
        hashes[some] = np.add.reduceat((kept.astype(np.uint64) + np.uint64(1)) * _WEIGHTS[place], ends[:-1][some])
    return Reduced(kept, ends, hashes)
