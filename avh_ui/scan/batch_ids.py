"""Where a batch id goes: into a query as a bound parameter, into a database's query by its characters, into a path as one name.

An id comes from a command line or a scheduler and is never trusted: nothing it holds may end a literal, name another file or match more
than itself.
"""

from __future__ import annotations

import re
from typing import Any

from avh_ui.errors import SourceError

PLACE = "{batch}"
# Spark's own tokens, as far as they can hide a place: comments, raw strings, strings, names.
_TOKENS = re.compile(
    r"""(?P<comment>--[^\n]*|/\*.*?\*/)|(?P<raw>\b[rR](?:'[^']*'|"[^"]*"))"""
    r"""|(?P<text>'(?:\\.|''|[^'\\])*'|"(?:\\.|""|[^"\\])*")|(?P<name>`(?:``|[^`])*`)|(?P<place>\{batch\})""",
    re.DOTALL,
)
# A literal with a type before it takes no parameter; these types can be cast to instead.
_TYPED = re.compile(r"\b(date|timestamp(?:_ntz|_ltz)?)\s*$", re.IGNORECASE)
# Here Spark's grammar takes a literal and nothing else: `VERSION AS OF '1'`, `INTERVAL '1' DAY`, `X'1F'`; of a query with a parameter Hudi
# does not see `TIMESTAMP AS OF`.
_LITERAL_ONLY = re.compile(r"(?:\b(?:version|timestamp)\s+as\s+of\s*|\binterval\s*|\w)$", re.IGNORECASE)
_VERSION = re.compile(r"\bversion\s+as\s+of\s*$", re.IGNORECASE)
# Of all databases together; a bracket is a name's quote in SQL Server.
_DATABASE_QUOTES = re.compile(r"""('[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\])""")
# Characters that mean nothing in any quotes of any database; and outside quotes, where `--` and blanks do.
_QUOTABLE = re.compile(r"[^\W_][\w .:+=@-]*")
_BARE = re.compile(r"\w+", re.ASCII)
_NUMBER = re.compile(r"-?\d{1,18}", re.ASCII)
# Separators and wild cards of paths, on any system; control characters hide what a message is about.
_NOT_IN_PATHS = re.compile(r"[/\\*{}\x00-\x1f\x7f]")


def bound(query: str, batch: str) -> tuple[str, dict[str, Any]]:
    """A query of Spark with named parameters for the id, and their values.

    `'{batch}'` becomes `:batch`, `'day={batch}'` a concatenation, and a number outside quotes stays one. Where no parameter may stand
    (within a name, `VERSION AS OF`) the id's characters are checked: `SourceError`.
    """
    text, end = "", 0
    for token in _TOKENS.finditer(query):
        before, end = text + query[end : token.start()], token.end()
        text = _with(before, token, query[end : end + 1], batch)
    text += query[end:]
    values = {"batch": batch, "batch_number": int(batch) if _NUMBER.fullmatch(batch) else 0}
    return text, {name: value for name, value in values.items() if re.search(rf":{name}\b", text)}


def _with(before: str, token: re.Match[str], after: str, batch: str) -> str:
    """The text before a token and what stands for the token."""
    text, kind = token[0], token.lastgroup
    if PLACE not in text or kind == "comment":
        return before + text
    if kind == "name":
        return before + in_quotes(text, batch)
    if kind == "place":
        if re.match(r"\w", after) or re.search(r"[\w$]$", before) or _VERSION.search(before):
            return before + _bare(batch)
        return before + (":batch_number" if _NUMBER.fullmatch(batch) else ":batch")
    if typed := _TYPED.search(before):
        return f"{before[: typed.start()]}CAST({_concatenated(text)} AS {typed[1]})"
    return before + (in_quotes(text, batch) if _LITERAL_ONLY.search(before) else _concatenated(text))


def _concatenated(literal: str) -> str:
    """A literal with places as an expression: its texts and the parameter, one after the other."""
    opening = literal[: 2 if literal[0] in "rR" else 1]
    pieces = literal[len(opening) : -1].split(PLACE)
    if len(opening) == 1 and any((len(piece) - len(piece.rstrip("\\"))) % 2 for piece in pieces):
        raise SourceError(f"In the query, {literal} has a backslash before {PLACE}.", hint="Write it without, in avh.yml.")
    parts = [":batch" if part == PLACE else f"{opening}{part}{opening[-1]}" for part in _between(pieces) if part]
    return parts[0] if len(parts) == 1 else f"concat({', '.join(parts)})"


def _between(pieces: list[str]) -> list[str]:
    """The pieces with a place between each two."""
    return [part for piece in pieces for part in (PLACE, piece)][1:]


def in_database(query: str, batch: str) -> str:
    """A database's query or table with the id in it: Spark's reader binds none there, so that the id's characters are checked.

    `SourceError` for an id that holds others than letters, digits, blanks and `_ - . : + = @` (outside quotes: letters, digits and `_`).
    """
    found = []
    for part in _DATABASE_QUOTES.split(query):
        quoted = _DATABASE_QUOTES.fullmatch(part)
        found.append(in_quotes(part, batch) if quoted else part.replace(PLACE, _bare(batch)) if PLACE in part else part)
    return "".join(found)


def in_quotes(quoted: str, batch: str) -> str:
    """A quoted text or name with an id of harmless characters in it; `SourceError` for another id."""
    if PLACE in quoted and not _QUOTABLE.fullmatch(batch):
        raise _refused(batch, "here it may hold letters, digits, blanks and _ - . : + = @, and begins with a letter or digit")
    return quoted.replace(PLACE, batch)


def _bare(batch: str) -> str:
    if not (_BARE.fullmatch(batch) or _NUMBER.fullmatch(batch)):
        raise _refused(batch, "outside quotes it may hold letters, digits and _ alone")
    return batch


def compared(batch: str) -> str:
    """The id, to be compared with a column of a database; `SourceError` where a database could read it as more than a text.

    Spark hands such comparisons on as SQL with quotes doubled, which MySQL undoes where a backslash stands before.
    """
    if "\\" in batch or "\x00" in batch:
        raise _refused(batch, "in a database it may hold no backslash and no NUL")
    return batch


def in_path(batch: str) -> str:
    """The id, to stand in a path; `SourceError` where it would leave its folder or match other files."""
    if not batch or batch in (".", "..") or _NOT_IN_PATHS.search(batch):
        raise _refused(batch, "in a path it may hold no / \\ * { } and no control characters, and not be . or ..")
    return batch


def in_spark_path(batch: str) -> str:
    """The same as Spark's reader takes it: brackets and question marks, which match other files, as they are written."""
    return re.sub(r"([\[\]?])", r"\\\1", in_path(batch))


def _refused(batch: str, rule: str) -> SourceError:
    shown = batch if len(batch) <= 100 else f"{batch[:100]}…"
    return SourceError(f"{shown!r} cannot be the id of a batch: {rule}.")
