"""A condition's literals as Spark's parser reads them, taken out of its text before sqlglot reads the rest.

What stands between quotes, how it is escaped, and which type a number has differ between Spark and what sqlglot makes of them. So each
literal becomes a text `'k0'`, `'k1'`, ..., and stands in a table beside the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.sql.errors import ConditionError

_TOKEN = re.compile(
    r"""(?P<blank>\s+)|(?P<comment>--|/\*)|(?P<backtick>`(?:[^`]|``)*`)
    |(?P<string>'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*")
    |(?P<raw>[rR](?:'[^']*'|"[^"]*"))(?!\w)|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?:BD|bd|[LSYDFlsydf])?)(?!\w)
    |(?P<word>\w+)|(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_NUMBER = re.compile(r"(?P<digits>[0-9.]+(?:[eE][+-]?\d+)?)(?P<suffix>[A-Za-z]*)")
_SUFFIXES: dict[str, str] = {"L": "bigint", "S": "smallint", "Y": "tinyint", "D": "double", "F": "float", "BD": "decimal"}
_LIMITS: dict[str, int] = {"tinyint": 2**7, "smallint": 2**15, "int": 2**31, "bigint": 2**63}
_TYPED: dict[str, str] = {"date": "date", "timestamp": "timestamp", "timestamp_ntz": "timestamp_ntz", "timestamp_ltz": "timestamp"}
# Names of types after AS, of which sqlglot drops a length or gives others a meaning that Spark does not have.
_TYPES = re.compile(
    "boolean|(tiny|small|big)?int|integer|byte|short|long|float|real|double|decimal|dec|numeric|string|date|timestamp(_ntz|_ltz)?"
)
# What is escaped, or a quote that is written twice.
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[0-3][0-7]{2}|.)|(''|\"\")", re.DOTALL)
# What numbers follow that sqlglot reads: the parameters of a type, and the length of an interval.
_NOT_OURS = re.compile(r"(\b(decimal|dec|numeric)\s*\(\s*(\d+\s*,\s*)?|\binterval\s+)$", re.IGNORECASE)
_ESCAPED = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": r"\%", "_": r"\_"}


@dataclass(frozen=True)
class SqlLiteral:
    """A literal's type by Spark's name, and its value: a text, an `int`, a `float` or a `Decimal`. Of a date or a time it is its text."""

    type: str
    value: str | int | float | Decimal


@dataclass(frozen=True)
class LexedCondition:
    """A condition's text with its literals in a table."""

    text: str
    constants: tuple[SqlLiteral, ...]


def lexed(text: str) -> LexedCondition:
    """The literals of a condition; `ConditionError` for a quote that does not end, `DeclinedError` for literals that take Spark."""
    pieces: list[str] = []
    constants: list[SqlLiteral] = []
    before = ""
    for found in _TOKEN.finditer(text):
        kind, token = str(found.lastgroup), found[0]
        constant = None if kind == "number" and _NOT_OURS.search("".join(pieces[-8:])) else _constant(kind, token, before, text)
        if constant is None:
            pieces.append(token)
        else:
            if before.lower() in _TYPED and constant.type == "string":
                _drop_last_word(pieces)
                constant = SqlLiteral(_TYPED[before.lower()], constant.value)
            pieces.append(f" 'k{len(constants)}' ")
            constants.append(constant)
        if kind != "blank":
            before = token
    return LexedCondition("".join(pieces), tuple(constants))


def tokens_of(text: str) -> Iterator[tuple[str, str]]:
    """The tokens of a piece of SQL, each with its kind: together they are the text."""
    return ((str(found.lastgroup), found[0]) for found in _TOKEN.finditer(text))


def texts_in(text: str) -> tuple[str, ...]:
    """The texts that stand between quotes in a condition, or in another piece of SQL: those side by side are one, as in Spark."""
    found: list[str] = []
    joins = False
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind in ("string", "raw"):
            value = token[0][2:-1] if kind == "raw" else _unescaped(token[0])
            found.append(found.pop() + value if joins else value)
        joins = kind in ("string", "raw") or (joins and kind == "blank")
    return tuple(found)


def _constant(kind: str, token: str, before: str, text: str) -> SqlLiteral | None:
    """The literal that a token is, if it is one."""
    if kind == "comment":
        raise DeclinedError("it has a comment")
    if kind == "other" and token in "'\"`":
        raise ConditionError(f"{text!r} is no SQL condition: a quote {token} is not closed.")
    if kind == "word":
        if token[0].isdigit():
            raise DeclinedError(f"the name {token!r} begins with a digit")
        if before.lower() == "as" and not _TYPES.fullmatch(token.lower()):
            raise DeclinedError(f"of the type {token!r}")
        return None
    if kind in ("string", "raw"):
        if before.lower() in ("x", "interval"):
            raise DeclinedError(f"a literal of {before.upper()}")
        return SqlLiteral("string", token[2:-1] if kind == "raw" else _unescaped(token))
    if kind != "number":
        return None
    if token.startswith(".") and re.fullmatch(r"[\w`)\]]+.*", before, re.DOTALL):
        raise DeclinedError("a name that begins with a digit")
    return _number(token)


def _drop_last_word(pieces: list[str]) -> None:
    while pieces and pieces.pop().isspace():
        pass


def _unescaped(token: str) -> str:
    def meant(found: re.Match[str]) -> str:
        code, twice = found[1], found[2]
        if code is None:
            return str(twice[0] if twice[0] == token[0] else twice)
        if len(code) > 1:
            return chr(int(code[1:], 16)) if code[0] in "uU" else chr(int(code, 8))
        return str(_ESCAPED.get(code, code))

    return _ESCAPE.sub(meant, token[1:-1])


def _number(token: str) -> SqlLiteral:
    found = _NUMBER.fullmatch(token)
    assert found is not None
    digits, suffix = found["digits"], found["suffix"].upper()
    exponent = "e" in digits.lower()
    if suffix in ("L", "S", "Y") or (not suffix and digits.isdigit()):
        return _whole(int(digits), _SUFFIXES.get(suffix)) if digits.isdigit() else _odd(token)
    if suffix == "F" or (exponent and suffix == "BD"):
        return _odd(token)
    if exponent or suffix == "D":
        return SqlLiteral("double", float(digits))
    return SqlLiteral("decimal", Decimal(digits))


def _whole(value: int, type_name: str | None) -> SqlLiteral:
    fitting = next((name for name in ("int", "bigint") if value < _LIMITS[name]), "decimal")
    chosen = type_name or fitting
    if chosen != "decimal" and value >= _LIMITS[chosen]:
        raise DeclinedError(f"the number {value}")
    return SqlLiteral(chosen, Decimal(value) if chosen == "decimal" else value)


def _odd(token: str) -> SqlLiteral:
    raise DeclinedError(f"the number {token}")
