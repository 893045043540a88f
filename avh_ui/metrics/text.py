"""What texts are made of: `str_len`, `char_len`, `digit_len`, `punc_len` (AVH, Table 4); and `capital_ratio`.

Averages over non-null values, in code points; the empty string is a value of length 0. `char_len` counts letters (design,
section 6: as "length" it would repeat `str_len`). The length of a binary value is in bytes.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.characters import DIGIT, LETTER, PUNCTUATION
from avh_ui.metrics.column import Column, Kind, Texts
from avh_ui.metrics.counts import CountState
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.parameters import Parameter
from avh_ui.metrics.row_forms import RowForm, amount
from avh_ui.metrics.state import Header, InFields
from avh_ui.metrics.wording import Wording
from avh_ui.metrics.written_numbers import FEW

_STRING: frozenset[Kind] = frozenset({"string"})
# Bytes have a length and are made of nothing.
_LONG: frozenset[Kind] = _STRING | {"binary"}
_NO_LENGTH = 2**62
# So many digits after a point are counted: those of amounts and rates.
MOST_DECIMALS = 4
# A code of at least two digits of which the first is 0. Blanks and marks around it are no loss of its zeros.
_PADDED = "[^A-Za-z0-9]*0[0-9]+[^A-Za-z0-9]*"
_IS_PADDED = re.compile(_PADDED)


@dataclass(frozen=True)
class TextState(InFields):
    """Over `n` texts: their total length, letters, digits and punctuation, the extremes of their lengths, how many letters are `capitals`,
    how many texts are codes of digits that begin with 0 (`padded`), and how many have at least 1, 2, ... digits after a point or comma
    within a number, the last of theirs (`decimals`). The last three are None in states of older releases.
    """

    key: ClassVar[str] = "text"
    n: int = 0
    length: int = 0
    letters: int = 0
    digits: int = 0
    punctuation: int = 0
    shortest: int = _NO_LENGTH
    longest: int = -1
    capitals: int | None = 0
    padded: int | None = 0
    decimals: tuple[int, ...] | None = ()

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
        made_of = characters.totals(counts).tolist()
        return cls(
            texts.total, int(np.dot(lengths, counts)), made_of[LETTER], made_of[DIGIT], made_of[PUNCTUATION], int(lengths.min()),
            int(lengths.max()), characters.capitals(counts), _padded(texts), _decimals(texts),
        )  # fmt: skip

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
            None if self.capitals is None or other.capitals is None else self.capitals + other.capitals,
            None if self.padded is None or other.padded is None else self.padded + other.padded,
            None if self.decimals is None or other.decimals is None else _sums(self.decimals, other.decimals),
        )

    @classmethod
    def of_parts(cls, header: Header, buffers: Sequence[bytes]) -> Self:  # noqa: ARG003 (as every state)
        """From `parts`."""
        known: dict[str, Any] = {"capitals": None, "padded": None, "decimals": None, **header}
        return cls(**{**known, "decimals": None if known["decimals"] is None else tuple(known["decimals"])})


def _padded(texts: Texts) -> int:
    """How many are codes that begin with 0."""
    characters = texts.characters
    there = np.flatnonzero(characters.lengths > 1)
    first = characters.starts[there]
    # Most columns begin with letters, or with other digits.
    there = there[(characters.points[first] == ord("0")) | ((characters.classes[first] != DIGIT) & (characters.classes[first] != LETTER))]
    if not len(there):
        return 0
    values = texts.values.take(pa.array(there))
    if len(values) <= FEW:
        found = np.array([_IS_PADDED.fullmatch(text) is not None for text in values.to_pylist()])
    else:
        found = pc.match_substring_regex(values, f"^{_PADDED}$").to_numpy(zero_copy_only=False)
    return int(texts.counts[there[found]].sum())


def _decimals(texts: Texts) -> tuple[int, ...]:
    """How many have at least 1, 2, ... digits after the last point or comma that stands between digits; () where none has one."""
    points, starts = texts.characters.points, texts.characters.starts
    if points.dtype == np.uint8 and not any(mark in points.tobytes() for mark in (b".", b",")):
        return ()
    marks = np.flatnonzero((points[1:-1] == ord(".")) | (points[1:-1] == ord(","))) + 1
    digits = np.append(texts.characters.classes == DIGIT, [False] * MOST_DECIMALS)
    marks = marks[digits[marks - 1] & digits[marks + 1]]
    owner = np.searchsorted(starts, marks, side="right") - 1
    # Not where the number ends another text, or begins the next.
    within = (marks > starts[owner]) & (marks + 1 < starts[owner + 1])
    marks, owner = marks[within], owner[within]
    last = np.ones(len(owner), dtype=bool)
    last[:-1] = owner[1:] != owner[:-1]
    marks, owner, found = marks[last], owner[last], list[int]()
    for k in range(1, MOST_DECIMALS + 1):
        there = digits[marks + k] & (marks + k < starts[owner + 1])
        marks, owner = marks[there], owner[there]
        if not len(marks):
            break
        found.append(int(texts.counts[owner].sum()))
    return tuple(found)


def _sums(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip_longest(one, other, fillvalue=0))


def _average(total: Callable[[TextState], int]) -> Callable[[TextState], float | None]:
    return lambda state: total(state) / state.n if state.n else None


_NEEDS = (TextState,)
STR_LEN = Metric(
    "str_len", _LONG, _NEEDS, 3, "characters", "average length", single=_average(lambda s: s.length), lowest=0, of_every_value=True,
    plain="always", sql="AVG(CHAR_LENGTH({column}))", forms={"dqx": "avg CHAR_LENGTH({column})", "soda": "avg_length({column})"},
    says=Wording(
        "How long the texts are on average, in characters.", "the average length of {column}",
        "{column} is {low} to {high} characters long on average", "{column} is {low} characters or longer on average",
        "{column} is {high} characters or shorter on average", "{column} is always {low} characters long on average",
        whole="{column} is always {low} characters long", at={1.0: "{column} is always one character long"},
    ),
)  # fmt: skip
CHAR_LEN = Metric(
    "char_len", _STRING, _NEEDS, 3, "characters", "average number of letters", single=_average(lambda s: s.letters), lowest=0,
    of_every_value=True,
    says=Wording(
        "How many letters the texts have on average.", "the average number of letters in {column}",
        "{column} has {low} to {high} letters on average", "{column} has {low} letters or more on average",
        "{column} has {high} letters or fewer on average", "{column} always has {low} letters on average",
        {0.0: "{column} has no letters", 1.0: "{column} always has one letter"}, whole="{column} always has {low} letters",
    ),
)  # fmt: skip
DIGIT_LEN = Metric(
    "digit_len", _STRING, _NEEDS, 3, "characters", "average number of digits", single=_average(lambda s: s.digits), lowest=0,
    of_every_value=True,
    says=Wording(
        "How many digits the texts have on average.", "the average number of digits in {column}",
        "{column} has {low} to {high} digits on average", "{column} has {low} digits or more on average",
        "{column} has {high} digits or fewer on average", "{column} always has {low} digits on average",
        {0.0: "{column} has no digits", 1.0: "{column} always has one digit"}, whole="{column} always has {low} digits",
    ),
)  # fmt: skip
PUNC_LEN = Metric(
    "punc_len", _STRING, _NEEDS, 3, "characters", "average number of punctuation marks", single=_average(lambda s: s.punctuation),
    lowest=0, of_every_value=True,
    says=Wording(
        "How many punctuation marks the texts have on average.", "the average number of punctuation marks in {column}",
        "{column} has {low} to {high} punctuation marks on average",
        "{column} has {low} punctuation marks or more on average",
        "{column} has {high} punctuation marks or fewer on average",
        "{column} always has {low} punctuation marks on average",
        {0.0: "{column} has no punctuation marks", 1.0: "{column} always has one punctuation mark"},
        whole="{column} always has {low} punctuation marks",
    ),
)  # fmt: skip


def _capital_share(state: TextState) -> float | None:
    """Of the letters those that are capitals, 0 without letters; None without texts, and where they were not counted."""
    return None if not state.n or state.capitals is None else state.capitals / max(state.letters, 1)


CAPITAL_RATIO = Metric(
    "capital_ratio", _STRING, _NEEDS, 3, "ratio", "share of the letters that are capitals", single=_capital_share, lowest=0, highest=1,
    of_every_value=True, share_of="letters",
    says=Wording(
        "How many of the letters are capitals, as a share.", "the share of capitals among the letters of {column}",
        "{column} is not in capitals or small letters alone: {low} to {high} of all its letters in a batch are capitals",
        "{column} is not in small letters: {low} or more of all its letters in a batch are capitals",
        "{column} is not in capitals: {high} or fewer of all its letters in a batch are",
        "{low} of the letters of {column} are capitals, always",
        {0.0: "{column} has no capitals", 1.0: "{column} has capitals alone"},
    ),
)  # fmt: skip
# What a null is to the extremes of lengths (Deequ).
Nulls = Literal["ignore", "empty_string", "fail"]
_NULLS = (Parameter("nulls", "ignore, empty_string or fail", lambda v: v in get_args(Nulls), optional=True, of_value=True),)
_LENGTH_NEEDS = (TextState, CountState)


def _lengths(length: int, state: TextState, counts: CountState, nulls: Nulls) -> list[float]:
    """The lengths among which the extreme is sought."""
    return [float(length)] * bool(state.n) + [0.0] * (counts.nulls > 0 and nulls == "empty_string")


def _shortest(state: TextState, counts: CountState, nulls: Nulls = "ignore") -> float | None:
    if counts.nulls and nulls == "fail":
        return -sys.float_info.max
    return min(_lengths(state.shortest, state, counts, nulls), default=None)


def _longest(state: TextState, counts: CountState, nulls: Nulls = "ignore") -> float | None:
    if counts.nulls and nulls == "fail":
        return sys.float_info.max
    return max(_lengths(state.longest, state, counts, nulls), default=None)


_LENGTHS_BETWEEN = "expect_column_value_lengths_to_be_between"
MIN_LENGTH = Metric(
    "min_length", _STRING, _LENGTH_NEEDS, 1, "characters", "length of the shortest value", single=_shortest, parameters=_NULLS,
    lowest=0, whole=True, grows=True, extreme="least", row_form=RowForm(amount(length=True), "lower"),
    sql="MIN(CHAR_LENGTH({column}))",
    forms={
        "deequ": "hasMinLength({column}, {bound})", "dqx": "min CHAR_LENGTH({column})", "soda": "min_length({column})",
        "great-expectations": _LENGTHS_BETWEEN,
    },
    says=Wording(
        "How long the shortest text is, in characters.", "the length of the shortest {column}",
        "The shortest {column} has {low} to {high} characters", "{column} is never shorter than {low} characters",
        "The shortest {column} has at most {high} characters", "The shortest {column} always has {low} characters",
    ),
)  # fmt: skip
MAX_LENGTH = Metric(
    "max_length", _STRING, _LENGTH_NEEDS, 1, "characters", "length of the longest value", single=_longest, parameters=_NULLS,
    lowest=0, whole=True, grows=True, extreme="greatest", row_form=RowForm(amount(length=True), "upper"),
    sql="MAX(CHAR_LENGTH({column}))",
    forms={
        "deequ": "hasMaxLength({column}, {bound})", "dqx": "max CHAR_LENGTH({column})", "soda": "max_length({column})",
        "great-expectations": _LENGTHS_BETWEEN,
    },
    says=Wording(
        "How long the longest text is, in characters.", "the length of the longest {column}",
        "The longest {column} has {low} to {high} characters", "The longest {column} has at least {low} characters",
        "{column} is never longer than {high} characters", "The longest {column} always has {low} characters",
    ),
)  # fmt: skip
