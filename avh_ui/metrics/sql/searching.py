r"""Regular expressions that Java searches for, as RE2's: what both read alike, and what can be written so that they do.

Everything else is declined: look-around, back references, `\p{...}`, possessive counts, flags other than `(?i)` at the beginning. Values
on which the two would differ are declined when they come: a `$` before `\r\n` at the end, `\b` or `(?i)` with letters beyond ASCII.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.sql.nodes import Datum

# Java's `.` and `$` know more ends of a line than RE2's; its `\s` knows one more blank.
_LINE_ENDS = r"\n\r\x{85}\x{2028}\x{2029}"
_CLASSES = {"d": "0-9", "w": "0-9A-Za-z_", "s": r" \t\n\x0b\f\r"}
_FIXED = {"any": f"[^{_LINE_ENDS}]", "end": rf"(?:\r\n|[{_LINE_ENDS}])?\z", "start": r"\A"}
_NOT_COUNTED = ("start", "open", "either", "count", "end")
_TOKEN = re.compile(
    r"(?P<class>\[\^?)|(?P<open>\((?:\?:)?(?!\?))|(?P<close>\))|(?P<either>\|)|(?P<start>\^)|(?P<end>\$)|(?P<any>\.)"
    r"|(?P<escape>\\.)|(?P<count>(?:[*+?]|\{\d{1,3}(?:,\d{0,3})?\})\??)(?![+])|(?P<literal>[^\\\[\](){}*+?|^$.])",
    re.DOTALL,
)
_MEMBER = re.compile(r"(?P<escape>\\.)|(?P<literal>[^\\\[\]&]|&(?!&))", re.DOTALL)
# A class is no end of a range.
_RANGE_OF_CLASS = re.compile(r"-\\[dws]|\\[dws]-(?!\])")


def search(regex: str) -> Callable[[Datum], Datum]:
    """What tells of texts whether they have a match; `DeclinedError` for a regex that Java may read otherwise than RE2."""
    rest, any_case = regex.removeprefix("(?i)"), regex.startswith("(?i)")
    made = _translated(rest)
    plain_only = any_case or r"\b" in made
    found = partial(_search, regex=("(?i)" if any_case else "") + made, plain_only=plain_only, ends="$" in rest)
    try:
        found(pa.array(["a"]))
    except pa.ArrowInvalid as error:
        raise DeclinedError(f"the regex {regex[:60]!r}") from error
    return found


def _search(values: Datum, regex: str, plain_only: bool, ends: bool) -> Datum:
    if plain_only and not pc.all(pc.string_is_ascii(values), min_count=0).as_py():
        raise DeclinedError("a regex with \\b or (?i) of other letters than ASCII's")
    if ends and pc.any(pc.ends_with(values, "\r\n"), min_count=0).as_py():
        raise DeclinedError("a regex with $ of a text that ends with \\r\\n")
    return pc.match_substring_regex(values, regex)


def _translated(regex: str) -> str:
    made, at, before, depth = [], 0, "start", 0
    while at < len(regex):
        found = _TOKEN.match(regex, at)
        if found is None or (found.lastgroup == "count" and before in _NOT_COUNTED):
            raise _declined(regex)
        before, token, at = str(found.lastgroup), found[0], found.end()
        depth += (before == "open") - (before == "close")
        if before == "class":
            token, at = _class(regex, at, token)
        elif before == "end" and regex[at:].strip(")") and not (regex[at] == "|" and not depth):
            # What follows might take the end of the line that Java's `$` stands before.
            raise _declined(regex)
        else:
            token = _FIXED.get(before) or (_escape(token) if before == "escape" else _literal(token) if before == "literal" else token)
        made.append(token)
    return "".join(made)


def _declined(regex: str) -> DeclinedError:
    return DeclinedError(f"the regex {regex[:60]!r}")


def _class(regex: str, at: int, opened: str) -> tuple[str, int]:
    """A class, and the place after it, from the place after its opening bracket."""
    made, first = opened, at
    while regex[at : at + 1] != "]" or at == first:
        found = _MEMBER.match(regex, at)
        if found is None or _RANGE_OF_CLASS.match(regex, at):
            raise _declined(regex)
        token = found[0]
        made += _member(token) if found.lastgroup == "escape" else token if token == "-" else _literal(token)
        at = found.end()
    return made + "]", at + 1


def _member(token: str) -> str:
    return _CLASSES[token[1]] if token[1] in _CLASSES else _character(token)


def _escape(token: str) -> str:
    character = token[1]
    if character.lower() in _CLASSES:
        return f"[{'^' if character.isupper() else ''}{_CLASSES[character.lower()]}]"
    return token if character == "b" else _character(token)


def _character(token: str) -> str:
    """An escaped character."""
    if token[1] in "tnrf":
        return token
    if token[1].isascii() and not token[1].isalnum():
        return _literal(token[1])
    raise DeclinedError(f"the escape {token} in a regex")


def _literal(character: str) -> str:
    return character if character.isascii() and character.isalnum() else f"\\x{{{ord(character):x}}}"
