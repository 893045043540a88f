"""Numbers with check digits: which of some texts are valid by a standard, all at once.

In a regex for whole values a check is named by a group that occurs no times, `(?:iban check){0}`: other engines enforce the format alone,
and this package the digits as well (`metrics.regexes.conforming`). So the check travels with the program, and needs nothing installed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]
_NAMED = re.compile(r"\(\?:([a-z0-9]+) check\)\{0\}")


def _luhn(values: Ints) -> Truths:
    """Luhn's sum (ISO/IEC 7812-1, annex B); a letter is its number in two digits, as ISO 6166 has it."""
    total, doubled = np.zeros(len(values), dtype=np.int64), np.zeros(len(values), dtype=bool)
    for value in values.T[::-1]:
        for digit, there in ((value % 10, value >= 0), (value // 10, value > 9)):
            twice = np.where(doubled, digit * 2 - 9 * (digit > 4), digit)
            total, doubled = total + twice * there, doubled ^ there
    found: Truths = total % 10 == 0
    return found


def _threes(values: Ints) -> Truths:
    """Every second digit counts three times, from the last (GS1 General Specifications, 7.9)."""
    weights = np.where(np.arange(values.shape[1])[::-1] % 2, 3, 1)
    found: Truths = values @ weights % 10 == 0
    return found


def _elevens(values: Ints) -> Truths:
    """Digits count by their place from the last, which may be X for ten (ISO 2108 before 2007, ISO 3297)."""
    values = np.where(values == _X, 10, values)
    found: Truths = values @ np.arange(values.shape[1], 0, -1) % 11 == 0
    return found


def _isbn(values: Ints) -> Truths:
    return _threes(values) if values.shape[1] > _OLD_ISBN else _elevens(values)


def _mod97(values: Ints) -> Truths:
    """The number that digits and letters make leaves 1 of 97 (ISO/IEC 7064, MOD 97-10)."""
    left = np.zeros(len(values), dtype=np.int64)
    for value in values.T:
        left = (left * np.where(value > 9, 100, 10) + value) % 97
    found: Truths = left == 1
    return found


def _iban(values: Ints) -> Truths:
    """Country and check digits stand last when the number is made (ISO 13616)."""
    return _mod97(np.roll(values, -4, axis=1))


def _container(values: Ints) -> Truths:
    """Letters count from 10 without multiples of 11, each place twice the one before (ISO 6346, annex A)."""
    numbers = np.where(values > 9, values + (values - 1) // 10, values)
    found: Truths = numbers[:, :-1] @ (2 ** np.arange(10)) % 11 % 10 == numbers[:, -1]
    return found


# X as its number among the letters (A is 10), and the digits of an ISBN of before 2007.
_X, _OLD_ISBN = 33, 10


@dataclass(frozen=True)
class CheckedNumber:
    """A standard: its `title`, its format as a regex without anchors, the check of its digits and letters (N, L), where A is 10, and the
    `chance` that a text of the format passes it.
    """

    title: str
    format: str
    check: Callable[[Ints], Truths]
    chance: float


# In the order in which they are looked for: the narrower ones first.
CHECKED = {
    "iban": CheckedNumber("IBAN", "[A-Z]{2}[0-9]{2}[0-9A-Z]{11,30}", _iban, 1 / 97),
    "lei": CheckedNumber("LEI", "[0-9A-Z]{18}[0-9]{2}", _mod97, 1 / 97),
    "isin": CheckedNumber("ISIN", "[A-Z]{2}[0-9A-Z]{9}[0-9]", _luhn, 1 / 10),
    "container": CheckedNumber("container number", "[A-Z]{3}[JRUZ][0-9]{7}", _container, 1 / 11),
    "issn": CheckedNumber("ISSN", "[0-9]{4}-?[0-9]{3}[0-9X]", _elevens, 1 / 11),
    "isbn": CheckedNumber("ISBN", "97[89][0-9]{10}|[0-9]{9}[0-9X]", _isbn, 1 / 10),
    "gtin": CheckedNumber("EAN or UPC", "[0-9]{8}|[0-9]{12,14}", _threes, 1 / 10),
    "luhn": CheckedNumber("number with a Luhn check digit", "[0-9]{11,19}", _luhn, 1 / 10),
}


def marked(name: str) -> str:
    """The regex without anchors of a checked number: its format, after the name of its check."""
    return f"(?:{name} check){{0}}(?:{CHECKED[name].format})"


def check_in(body: str) -> str | None:
    """The check that a regex without anchors names; None where it names none that is known."""
    found = _NAMED.match(body)
    return found[1] if found and found[1] in CHECKED else None


def valid(name: str, texts: pa.Array) -> Truths:
    """Which texts, of the check's format, have valid check digits, shape of `texts`."""
    plain = np.array([text.replace("-", "") for text in texts.to_pylist()], dtype="S")
    fits, lengths = np.zeros(len(plain), dtype=bool), np.char.str_len(plain)
    for length in np.unique(lengths).tolist():
        own = np.flatnonzero(lengths == length)
        codes = plain[own].astype(f"S{length}").view(np.uint8).reshape(len(own), length).astype(np.int64)
        fits[own] = CHECKED[name].check(np.where(codes > ord("9"), codes - ord("A") + 10, codes - ord("0")))
    return fits
