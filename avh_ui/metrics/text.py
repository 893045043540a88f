"""What texts are made of: `str_len`, `char_len`, `digit_len`, `punc_len` (AVH, Table 4).

Averages over non-null values, in code points; the empty string is a value of length 0. `char_len` counts letters (design,
section 6: as "length" it would repeat `str_len`). The length of a binary value is in bytes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np

from avh_ui.metrics.characters import DIGIT, LETTER, PUNCTUATION
from avh_ui.metrics.column import Column, Kind
from avh_ui.metrics.metric import Metric, States
from avh_ui.metrics.state import pack, unpack

_STRING: frozenset[Kind] = frozenset({"string"})
# Bytes have a length and are made of nothing.
_LONG: frozenset[Kind] = _STRING | {"binary"}
_NO_LENGTH = 2**62


@dataclass(frozen=True)
class TextState:
    """Over `n` texts: their total length, letters, digits and punctuation, and the extremes of their lengths."""

    key: ClassVar[str] = "text"
    n: int = 0
    length: int = 0
    letters: int = 0
    digits: int = 0
    punctuation: int = 0
    shortest: int = _NO_LENGTH
    longest: int = -1

    @classmethod
    def identity(cls) -> TextState:
        """No texts."""
        return cls()

    @classmethod
    def of(cls, column: Column) -> TextState:
        """Totals over a text column."""
        texts = column.texts
        if not len(texts.counts):
            return cls()
        characters, counts = texts.characters, texts.counts
        lengths = characters.lengths
        if column.kind == "binary":
            return cls(texts.total, int(np.dot(lengths, counts)), shortest=int(lengths.min()), longest=int(lengths.max()))
        letters, digits, punctuation = (int(np.dot(characters.per_text(c), counts)) for c in (LETTER, DIGIT, PUNCTUATION))
        return cls(texts.total, int(np.dot(lengths, counts)), letters, digits, punctuation, int(lengths.min()), int(lengths.max()))

    def merge(self, other: TextState) -> TextState:
        """Totals added, extremes kept."""
        return TextState(
            self.n + other.n,
            self.length + other.length,
            self.letters + other.letters,
            self.digits + other.digits,
            self.punctuation + other.punctuation,
            min(self.shortest, other.shortest),
            max(self.longest, other.longest),
        )

    def average(self, total: int) -> float:
        """A total per text; NaN without texts."""
        return total / self.n if self.n else math.nan

    def to_record(self) -> bytes:
        """As bytes."""
        return pack(vars(self))

    @classmethod
    def from_record(cls, record: bytes) -> TextState:
        """From `to_record`."""
        header, _ = unpack(record)
        return cls(**header)


def text(states: States) -> TextState:
    """The text totals among a column's states."""
    return cast(TextState, states[TextState.key])


STR_LEN = Metric("str_len", _LONG, 3, "characters", "average length", single=lambda s: text(s).average(text(s).length), lowest=0)
CHAR_LEN = Metric(
    "char_len", _STRING, 3, "characters", "average number of letters", single=lambda s: text(s).average(text(s).letters), lowest=0
)
DIGIT_LEN = Metric(
    "digit_len", _STRING, 3, "characters", "average number of digits", single=lambda s: text(s).average(text(s).digits), lowest=0
)
PUNC_LEN = Metric(
    "punc_len",
    _STRING,
    3,
    "characters",
    "average number of punctuation marks",
    single=lambda s: text(s).average(text(s).punctuation),
    lowest=0,
)


def _extreme(length: int, state: TextState) -> float:
    return float(length) if state.n else math.nan


MIN_LENGTH = Metric(
    "min_length", _STRING, 1, "characters", "length of the shortest value",
    single=lambda s: _extreme(text(s).shortest, text(s)), lowest=0, whole=True,
)  # fmt: skip
MAX_LENGTH = Metric(
    "max_length", _STRING, 1, "characters", "length of the longest value",
    single=lambda s: _extreme(text(s).longest, text(s)), lowest=0, whole=True,
)  # fmt: skip
