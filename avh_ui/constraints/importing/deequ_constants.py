"""Names that a suite's source gives a plain value once, such as `THRESHOLD = 0.95`, put where they are used."""

from __future__ import annotations

import re
from typing import Any

from avh_ui.constraints.importing.deequ_source import Name, closing, end_of_text, value_of
from avh_ui.constraints.importing.imported import UnreadError

_ASSIGNED = re.compile(
    r"^[ \t]*(?:(?:private|final|implicit|lazy)\s+)*(?:val\s+)?([A-Za-z_]\w*)[ \t]*(?::\s*[\w\[\], ]+?)?[ \t]*=(?![=>])[ \t]*", re.MULTILINE
)
_QUOTED = re.compile(r"r?[\"']")
_NUMBER = re.compile(r"[+-]?[\d.][\w.]*")
_OPENED = re.compile(r"(?:(?:Seq|Array|List|Set|Vector)\s*(?:\[\w+\])?\s*)?[\[(]")
_BEHIND = re.compile(r"[ \t]*;?[ \t]*(?:#.*|//.*)?$", re.MULTILINE)
# Texts and comments, in which a name is none; and names, but for those of an attribute or an argument.
_WORDS = re.compile(r"(\"\"\"|\"|')|(//[^\n]*|\#[^\n]*)|(?<![\w.])([A-Za-z_]\w*)\b(?![ \t]*(?::[ \t]*[\w\[\], ]+)?=(?![=>]))")


def with_constants(source: str) -> str:
    """The source with such names replaced by their values; one that is given a value twice, or is what a loop or function calls its own,
    stays.
    """
    values = {name: text for name, text in _constants(source) if _bound_once(name, source)}
    if not values:
        return source
    parts, at = [], 0
    while found := _WORDS.search(source, at):
        quote, comment, name = found.groups()
        end = end_of_text(source, found.start()) if quote else found.end()
        parts += [
            source[at : found.start()],
            values.get(name, source[found.start() : end]) if not (quote or comment) else source[found.start() : end],
        ]
        at = end
    return "".join((*parts, source[at:]))


def _constants(source: str) -> list[tuple[str, str]]:
    """The names that stand before a plain value, and its text."""
    found = []
    for assigned in _ASSIGNED.finditer(source):
        at = assigned.end()
        try:
            if quoted := _QUOTED.match(source, at):
                end = end_of_text(source, quoted.end() - 1)
            elif opened := _OPENED.match(source, at):
                end = closing(source, opened.end() - 1) + 1
            else:
                number = _NUMBER.match(source, at)
                end = number.end() if number else at
        except UnreadError:
            continue
        text = source[at:end]
        if text and _BEHIND.match(source, end) and _is_plain(value_of(text)):
            found.append((assigned[1], text))
    return found


def _is_plain(value: Any) -> bool:
    return all(map(_is_plain, value)) if isinstance(value, list) else not isinstance(value, Name)


def _bound_once(name: str, source: str) -> bool:
    given = rf"(?<![\w.]){name}[ \t]*(?::[ \t]*[\w\[\], ]+)?(?:[-+*/|]|//)?=(?![=>])"
    own = (
        rf"\bfor\b[^:\n]*\b{name}\b[^:\n]*\bin\b|\blambda\b[^:\n]*\b{name}\b[^:\n]*:|\bdef\s+\w+\s*\([^)]*\b{name}\b"
        rf"|\b{name}\s*(?::\s*\w+\s*)?\)?\s*(?:=>|<-)"
    )
    return len(re.findall(given, source)) == 1 and re.search(own, source) is None
