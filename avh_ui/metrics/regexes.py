r"""Regular expressions for whole values that Java, Python and RE2 read alike, and matching by them in linear time.

Values are matched by RE2 (Arrow's), which never backtracks, so no pattern and no value can make a validation hang. The portable text,
`^(?:...)(?![\s\S])`, is what a program holds and other engines can enforce: `$` would let a trailing newline pass there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from avh_ui.errors import ConstraintError
from avh_ui.metrics.backtracking import explodes
from avh_ui.metrics.check_digits import CHECKED, check_in, marked, valid

START, END = "^(?:", r")(?![\s\S])"
# What Java and Python mean by these differs beyond ASCII, and by `.` at line ends: each is written out.
_CLASSES = {"d": "0-9", "w": "0-9A-Za-z_", "s": r" \t\n\r\f"}
_ESCAPE = re.compile(r"\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|.)", re.DOTALL)
_QUANTIFIER = re.compile(r"(?:[*+?]|\{(\d{1,4})(,(\d{1,4})?)?\})")
_HINT = "Use classes such as [A-Z0-9], groups (?:...), | and counts such as {3}."


def anchored(body: str) -> str:
    """The portable regex for whole values of a regex without anchors."""
    return f"{START}{body}{END}"


def listed(values: Iterable[str]) -> str:
    """The portable regex of a closed list of values; longer ones first, so that none is hidden behind its own beginning."""
    return anchored("|".join(quote(v) for v in sorted(values, key=lambda v: (-len(v), v))))


def quote(text: str) -> str:
    """Literal text as a regex without flags, in Java and in Python: ASCII symbols escaped, controls and all beyond ASCII by number."""
    return "".join(map(_quote, text))


def _quote(character: str) -> str:
    point = ord(character)
    if character.isascii() and character.isalnum():
        return character
    if 0x20 < point < 0x7F:
        return f"\\{character}"
    if point == 0x20:
        return " "
    # Both engines read \\uXXXX; beyond the basic plane they have no escape in common, and the character itself means itself in both.
    return f"\\u{point:04X}" if point <= 0xFFFF else character


def body_of(regex: str) -> str:
    """What stands between the anchors of a portable regex; `ConstraintError` when it has not its form."""
    if not (regex.startswith(START) and regex.endswith(END)):
        raise ConstraintError(f"{regex[:80]!r} is no regex for whole values.", hint=f"It begins with {START} and ends with {END}.")
    return regex[len(START) : -len(END)]


def conforming(values: pa.Array, regex: str) -> NDArray[np.bool_]:
    """Which texts (no nulls) match a portable regex as a whole, and the check that it may name, shape of `values`.

    Where somebody edited the regex, a text that is not of the check's own format has no check digits, and does not conform.
    `ConstraintError` when RE2 cannot take the regex.
    """
    body = _ESCAPE.sub(lambda m: f"\\x{{{m[0][2:]}}}" if m[0][1] == "u" and len(m[0]) == 6 else m[0], body_of(regex))
    try:
        found = pc.match_substring_regex(values, rf"\A(?:{body})\z")
    except pa.ArrowInvalid as error:
        raise ConstraintError(f"The regex {body_of(regex)[:200]!r} cannot be used: {error}.", hint=_HINT) from error
    fits = np.asarray(found.to_numpy(zero_copy_only=False), dtype=bool)
    if (check := check_in(body)) is not None:
        if body != marked(check):
            fits &= conforming(values, anchored(CHECKED[check].format))
        fits[fits] = valid(check, values.filter(pa.array(fits)))
    return fits


def checks(regex: str) -> bool:
    """Whether a portable regex names a check of digits, which other engines know nothing of."""
    return check_in(body_of(regex)) is not None


def conforms(text: str | None, regex: str) -> bool | None:
    """`conforming` of one text; None of None."""
    return None if text is None else bool(conforming(pa.array([text], pa.large_string()), regex)[0])


def portable(typed: str) -> str:
    """A regex as a person types it, as the portable one; `^` and `$` around it may be there.

    `ConstraintError` says what the engines would read differently, or that one that backtracks could take exponential time.
    """
    text = typed.strip()
    if text.startswith(START) and text.endswith(END):
        text = body_of(text)
    text = text.removeprefix("^")
    text = text[:-1] if text.endswith("$") and not text.endswith(r"\$") else text
    if not text:
        raise ConstraintError("The regex is empty.", hint=_HINT)
    regex = anchored(_Reader(text).read())
    try:
        re.compile(regex)
    except (re.error, OverflowError) as error:
        raise ConstraintError(f"The regex {text[:200]!r} cannot be read: {error}.", hint=_HINT) from error
    conforming(pa.array([""], pa.large_string()), regex)
    if explodes(regex):
        raise ConstraintError(
            f"The regex {text[:200]!r} can take exponential time: what is repeated can take one text in two ways.",
            hint="Say what stands between the repetitions, as in `([a-z]+-)*`, or repeat it at most 5 times.",
        )
    return regex


class _Reader:
    """Reads a regex from left to right and writes it in the common language."""

    def __init__(self, text: str) -> None:
        self._text, self._at, self._made = text, 0, ""
        self._open_groups = 0

    def read(self) -> str:
        """The whole text."""
        while self._at < len(self._text):
            self._one()
        if self._open_groups:
            raise self._wrong("a group is not closed")
        return self._made

    def _one(self) -> None:
        character = self._text[self._at]
        if character == "|":
            self._put(1, "|")
            return
        if character == "(":
            self._open()
            return
        if character == ")":
            if not self._open_groups:
                raise self._wrong("a group is closed that was not opened")
            self._open_groups -= 1
            self._put(1, ")")
        elif character == "[":
            self._class()
        elif character == "\\":
            self._escape()
        elif character == ".":
            self._put(1, r"[^\n]")
        elif character in "^$*+?{}]":
            raise self._wrong(f"{character!r} stands where it means nothing, or different things; write \\{character} for the character")
        else:
            self._put(1, character if character.isascii() or ord(character) > 0xFFFF else f"\\u{ord(character):04X}")
        self._quantify()

    def _open(self) -> None:
        if self._text.startswith("(?:", self._at):
            self._put(3, "(?:")
        elif self._text.startswith("(?", self._at):
            raise self._wrong("groups that begin with (? are not read alike, but for (?:")
        else:
            self._put(1, "(?:")  # nothing is captured
        self._open_groups += 1

    def _quantify(self) -> None:
        match = _QUANTIFIER.match(self._text, self._at)
        if match is None:
            return
        self._put(match.end() - self._at, match[0])
        if self._at < len(self._text) and self._text[self._at] in "*+?{":
            raise self._wrong("a count follows a count")

    def _escape(self) -> None:
        match = _ESCAPE.match(self._text, self._at)
        if match is None:
            raise self._wrong("it ends with a backslash")
        name = match[0][1]
        if name in _CLASSES or name.lower() in _CLASSES:
            self._put(2, f"[{'' if name in _CLASSES else '^'}{_CLASSES[name.lower()]}]")
            return
        self._put(len(match[0]), self._literal(match[0]))

    def _literal(self, escape: str) -> str:
        """An escape of one character."""
        if len(escape) > 2 or escape[1] in "nrtf" or not escape[1].isalnum():
            return escape
        raise self._wrong(f"{escape} is not read alike by all engines")

    def _class(self) -> None:
        end = self._at + (2 if self._text.startswith("[^", self._at) else 1)
        made = self._text[self._at : end]
        while end < len(self._text) and self._text[end] != "]":
            if self._text[end] == "\\":
                match = _ESCAPE.match(self._text, end)
                if match is None:
                    break
                made += _CLASSES[match[0][1]] if match[0][1] in _CLASSES else self._literal(match[0])
                end += len(match[0])
                continue
            character = self._text[end]
            if character == "[" or self._text.startswith(("&&", "--", "~~", "||"), end):
                raise self._wrong(f"in a class, {character!r} is not read alike; escape it")
            made += character if character.isascii() or ord(character) > 0xFFFF else f"\\u{ord(character):04X}"
            end += 1
        if end >= len(self._text) or made in ("[", "[^"):
            raise self._wrong("a class is not closed or empty")
        self._put(end + 1 - self._at, f"{made}]")

    def _put(self, length: int, text: str) -> None:
        self._at += length
        self._made += text

    def _wrong(self, why: str) -> ConstraintError:
        return ConstraintError(f"The regex {self._text[:200]!r} cannot be used, at character {self._at + 1}: {why}.", hint=_HINT)
