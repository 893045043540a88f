"""Character classes of many texts at once: code points, their classes and where each text begins, as NumPy arrays.

Classes follow AVH's Algorithm 2 (digit, letter, punctuation, other) extended from ASCII to Unicode: letters are what
`str.isalpha` says, digits what `str.isdecimal` says, punctuation the categories P and S. Blanks and controls are other.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

OTHER, DIGIT, LETTER, PUNCTUATION = 0, 1, 2, 3


# What a decoder puts where bytes are no text, and the mark that belongs to the beginning of a file alone.
REPLACEMENT, BOM = "\ufffd", "\ufeff"
# Control characters but those that separate words and lines (tab, line feed, vertical tab, form feed, carriage return): no text has them,
# but fields padded with NUL, binary read as text, and Windows' quotes and dashes read as Latin-1 (U+0080 to U+009F) do.
CONTROL = r"[\x00-\x08\x0e-\x1f\x7f\x{80}-\x{9f}]"
# Letters read in another encoding: ASCII's punctuation beyond the letters of a word, and UTF-8 read as Latin-1. Quotation marks end a word
# where one began it, so that the mark before them excuses them; no language has the others between letters.
MISREAD = "|".join(
    (
        r"^[^\x{201E}\x{201C}]*\pL\x{201C}[-\pL]",
        r"\pL[\x{201E}\x{201A}\x{02C6}\x{02DC}\x{2021}\x{2030}\x{A4}\x{A6}\x{A8}\x{AC}\x{AF}\x{B6}\x{B8}\x{BF}\x{A1}][-\pL]",
        r"\x{C3}[\x{A0}-\x{BF}]|\x{E2}\x{20AC}",
    )
)
# What the bytes of a value have in which these are. Arrow compiles a pattern anew for each column, which takes 3 ms; to look for its bytes
# takes a hundredth.
_MAY_HOLD = {
    "replaced": re.compile(
        rb"\xef\xbf\xbd|\xe2\x80[\x9a\x9c\x9e\xa1\xb0]|\xcb[\x86\x9c]|\xc2[\xa1\xa4\xa6\xa8\xac\xaf\xb6\xb8\xbf]|\xc3\x83\xc2|\xc3\xa2\xe2\x82\xac"
    ),
    "boms": re.compile(BOM.encode()),
    "controls": re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]|\xc2[\x80-\x9f]"),
}
_PATTERNS = {"replaced": f"{REPLACEMENT}|{MISREAD}", "boms": BOM, "controls": CONTROL}


@dataclass(frozen=True)
class Characters:
    """Texts laid end to end: `points` and `classes` of shape (C,), `starts` of shape (D + 1,): text i is points[starts[i]:starts[i+1]]."""

    points: NDArray[np.uint8] | NDArray[np.uint32]
    classes: NDArray[np.uint8]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, texts: pa.Array) -> Characters:
        """The characters of an Arrow string array without nulls; bytes that are no UTF-8 count as one replacement character each."""
        data, starts = _laid_out(texts)
        if data.isascii():
            bytes_ = np.frombuffer(data, dtype=np.uint8)
            return cls(bytes_, _ASCII[bytes_], starts)
        try:
            joined = data.decode("utf-8")
            # One may end with half of a character, and the next begin with the other half.
            texts.validate(full=True)
            lengths = pc.utf8_length(texts).to_numpy(zero_copy_only=False)
            points = np.frombuffer(joined.encode("utf-32-le"), dtype=np.uint32)
        except (UnicodeDecodeError, pa.ArrowInvalid):
            values = [v.decode("utf-8", "replace") for v in texts.cast(pa.large_binary()).to_pylist()]
            lengths = np.array([len(v) for v in values])
            points = np.frombuffer("".join(values).encode("utf-32-le"), dtype=np.uint32)
        return cls(points, classify(points), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Code points per text, shape (D,)."""
        return np.diff(self.starts)

    def totals(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many characters there are of each class, shape (4,), in texts that occur so often, shape (D,)."""
        # Doubles hold whole numbers up to 2**53.
        often = np.repeat(counts.astype(np.float64), self.lengths)
        return np.bincount(self.classes, often, minlength=4).astype(np.int64)

    def capitals(self, counts: NDArray[np.int64]) -> int:
        """How many letters of texts that occur so often, shape (D,), are capitals."""
        upper = (self.points >= ord("A")) & (self.points <= ord("Z"))
        beyond = np.flatnonzero(self.points > 127) if self.points.dtype != np.uint8 else ()
        if len(beyond):
            rare, where = np.unique(self.points[beyond], return_inverse=True)
            upper[beyond] = np.array([chr(p).isupper() for p in rare.tolist()], dtype=bool)[where]
        owner = np.searchsorted(self.starts, np.flatnonzero(upper), side="right") - 1
        return int(counts[owner].sum())

    @property
    def plain(self) -> bool:
        """Whether all are printable ASCII."""
        return self.points.dtype == np.uint8 and self.points.tobytes().decode("ascii").isprintable()

    def are_among(self, characters: bytes) -> bool:
        """Whether all are among these of ASCII."""
        return self.points.dtype == np.uint8 and not self.points.tobytes().translate(None, characters)


def classify(points: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """The class of each code point."""
    classes = _ASCII[np.minimum(points, 128)]
    beyond = points > 127
    if beyond.any():
        rare, where = np.unique(points[beyond], return_inverse=True)
        classes[beyond] = np.array([_class_of(chr(p)) for p in rare.tolist()], dtype=np.uint8)[where]
    return classes


def _class_of(character: str) -> int:
    if character.isdecimal():
        return DIGIT
    if character.isalpha():
        return LETTER
    return PUNCTUATION if unicodedata.category(character)[0] in "PS" else OTHER


# Entry 128 stands for everything beyond ASCII until it is looked up.
_ASCII = np.array([_class_of(chr(p)) for p in range(128)] + [OTHER], dtype=np.uint8)


def no_text(values: pa.Array) -> dict[str, NDArray[np.bool_]]:
    """Which of the values, strings without nulls, hold a replacement character, bytes that are no UTF-8 or a misread letter (`replaced`),
    a byte order mark (`boms`) or a control character (`controls`); shape (D,) each, and only those of which there is one.
    """
    data, _ = _laid_out(values)
    found = {
        name: pc.match_substring_regex(values, _PATTERNS[name]).to_numpy(zero_copy_only=False)
        for name, hint in _MAY_HOLD.items()
        if hint.search(data)
    }
    try:
        values.validate(full=True)
    except pa.ArrowInvalid:
        raw = values.cast(pa.large_binary()).to_pylist()
        broken = np.array([REPLACEMENT in value.decode("utf-8", "replace") for value in raw])
        found["replaced"] = broken | found.get("replaced", False)
    return {name: there for name, there in found.items() if there.any()}


def starts_of(texts: pa.Array) -> NDArray[np.int64]:
    """Where each text of an Arrow array of large strings begins in its buffer, and the last ends, shape (D + 1,)."""
    return np.frombuffer(texts.buffers()[1], dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]


def _laid_out(texts: pa.Array) -> tuple[bytes, NDArray[np.int64]]:
    """The bytes of all texts, straight from Arrow's buffer, and where each begins and the last ends, shape (D + 1,)."""
    array = texts if pa.types.is_large_string(texts.type) else texts.cast(pa.large_string())
    data = array.buffers()[2]
    if data is None or not len(array):
        return b"", np.zeros(len(array) + 1, dtype=np.int64)
    starts = starts_of(array)
    return bytes(data[int(starts[0]) : int(starts[-1])].to_pybytes()), starts - starts[0]
