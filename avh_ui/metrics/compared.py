"""Two columns compared by what their values mean: the texts of a file without types (CSV) as the numbers that they write.

Spark compares texts as texts, so that 7 is not at most 52. What a person says of two columns (`is_at_most`) is a comparison in Spark SQL
with a `MARK` behind it, a comment, which other tools pass over. What compares marked columns of texts does so row by row, whatever else
the batch holds:

- as numbers where both texts are numbers (`NUMBER`), exactly as far as `EXACT` holds them, and beyond as doubles;
- as texts where neither is, so that words, codes and days in ISO's form keep their order;
- where one alone is a number the row does not keep the comparison, as with a null.

Equal are texts that are the same, and numbers that are, but for zeros that lead: 007 is at most 7, and as a code another one. Columns of
any other types, and of two types, are compared as in Spark.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, get_args

Operator = Literal["<", "<=", ">", ">=", "="]
MARK = "/* texts as numbers */"
_NAME = r"`(?:[^`]|``)+`(?:\.`(?:[^`]|``)+`)*"
_MARKED = re.compile(rf"({_NAME}) ({'|'.join(sorted(get_args(Operator)))}) ({_NAME}) {re.escape(MARK)}")
# As casts read them, blanks around them too, but for what is written by a name (NaN) or with a type (1d). It has no backslash, which some
# sessions of Spark read otherwise within quotes. Longer exponents make no number that a double holds.
_BLANKS, _REST = "[ \t\r\n]*", "([eE][+-]?[0-9]{1,3})?"
NUMBER = f"^{_BLANKS}[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+){_REST}{_BLANKS}$"
# The same without leading zeros, as numbers of texts are measured (`written_numbers`).
PLAIN_NUMBER = f"^{_BLANKS}[+-]?((0|[1-9][0-9]*)([.][0-9]*)?|[.][0-9]+){_REST}{_BLANKS}$"
# Digits before and behind the point of a decimal of Spark's; shorter texts than `SHORT` are other doubles where they are other numbers.
EXACT, SHORT = (38, 9), 15


def marked(one: str, operator: Operator, other: str) -> str:
    """The condition that compares two columns, whose names are quoted."""
    return f"{one} {operator} {other} {MARK}"


def with_calls(condition: str, call: Callable[[str, Operator, str], str]) -> str:
    """A condition in which a call stands in the place of each marked comparison."""
    return _MARKED.sub(lambda found: call(found[1], found[2], found[3]), condition) if MARK in condition else condition  # type: ignore[arg-type]


def number_of(operator: Operator) -> str:
    """The regular expression of what is a number to an operator."""
    return PLAIN_NUMBER if operator == "=" else NUMBER
