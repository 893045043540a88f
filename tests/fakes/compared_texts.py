"""Texts that are hard to compare as numbers, and how two of them compare, said naively: by Python's own numbers."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation, localcontext
from typing import Any

from hypothesis import strategies as st

OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq,
}  # fmt: skip
HARD = [
    "7", "52", "007", "7.0", "7.50", "+7", "-7", "-0", "0", " 7 ", "\t7\r", "7\n", "1e3", "1E-3", "1e400", "1e999", "-1e999", "1e1000",
    ".5", "5.", ".", "+", "", " ", "NaN", "Infinity", "-inf", "1d", "7f", "0x10", "1,000", "1_000", "7%", "n/a", "apple", "Kiwi", "10A",
    "2026-01-02", "2026-01-10", "9007199254740992", "9007199254740993", "-9007199254740993", "12345678901234567890",
    "12345678901234567891", "0.1", "0.10", "0.1000000000000000001", "123456789012345678901234567890123", "9" * 40, "9" * 400,
    "1234567890123456.123456789", "1234567890123456.1234567891", "00.5", "\u0667", "7\u2028", "7\u00a0", "\u00e9",
]  # fmt: skip
_DIGITS = st.text("0123456789", min_size=1, max_size=20)
_NUMBERS = st.builds(
    lambda sign, zeros, digits, rest: sign + zeros + digits + rest,
    st.sampled_from(["", "", "-", "+", " "]), st.sampled_from(["", "", "0"]), _DIGITS,
    st.sampled_from(["", "", ".5", ".50", "e2", ".0", " "]),
)  # fmt: skip
TEXTS = st.none() | st.sampled_from(HARD) | _NUMBERS | _NUMBERS | st.text("0123456789.eE+- aN", max_size=6)
# Of texts drawn apart few are the same number.
PAIRS = st.tuples(TEXTS, TEXTS) | TEXTS.map(lambda text: (text, text and f"{text}.0")) | TEXTS.map(lambda text: (text, text))


def naive(one: str | None, other: str | None, sign: str) -> bool | None:
    """Whether the one keeps the comparison with the other."""
    if one is None or other is None:
        return None
    if one == other:
        return sign in ("<=", ">=", "=")
    a, b = (_number(text, codes=sign != "=") for text in (one, other))
    if a is not None and b is not None:
        return OPERATORS[sign](a, b)
    if (a is None) != (b is None):
        return False
    return OPERATORS[sign](one.encode(), other.encode())


def _number(text: str, *, codes: bool) -> tuple[float, Decimal] | None:
    plain = text.strip(" \t\r\n")
    found = re.fullmatch(r"[+-]?(?:([0-9]+)\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?", plain, re.ASCII)
    if found is None or (not codes and re.fullmatch("0[0-9]+", found[1] or "")):
        return None
    with localcontext(prec=2_000):
        try:
            places = Decimal(plain).quantize(Decimal("1e-9"), ROUND_HALF_UP)
        except InvalidOperation:
            places = Decimal(0)
        return float(plain), places if abs(places) < Decimal(10) ** 29 else Decimal(0)
