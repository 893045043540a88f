"""Calls of Deequ's `Check` in Scala or Python source, read and not run: methods and their arguments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from avh_ui.constraints.constraint import Level
from avh_ui.constraints.importing.imported import UnreadError

_CALL = r"\.\s*([A-Za-z_]\w*)\s*[({]|\b(Check)\s*\(|(\"\"\"|\"|')|(//[^\n]*|\#[^\n]*|/\*.*?\*/)|\b(NAMES)\s*(?=\.)"
# `check = Check(spark, CheckLevel.Warning, ...)`, of which methods are called later.
_MADE = re.compile(r"\b([A-Za-z_]\w*)\s*(?::\s*Check\s*)?=\s*(?:new\s+)?Check\s*(?=\()")
_IN_QUOTES = re.compile(r"\"[^\"]*\"|'[^']*'")
# What may stand between a check and the dot of its next call: Python's `\\`, comments.
_BETWEEN = re.compile(r"(?:\s|\\|//[^\n]*|\#[^\n]*|/\*.*?\*/)*", re.DOTALL)
# A literal of a number, in both languages.
NUMBER = re.compile(r"[+-]?(?:\d+(?:_\d+)*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?[LlDdFf]?")
# Calls whose argument is a check with calls of its own.
_AROUND_CHECKS = frozenset({"addCheck", "addChecks", "addConstraint", "addConstraints"})
_LISTS = ("Seq", "Array", "List", "Set", "Vector")


@dataclass(frozen=True)
class Name:
    """What is no value of its own: `Patterns.URL`, `Check.IsOne`, an assertion."""

    text: str

    def __repr__(self) -> str:
        return self.text


class Hint(str):
    """A text that may be there or not, `Some("...")`: of a check that is its hint, and no name of a column."""

    __slots__ = ()


@dataclass
class MethodCall:
    """A method with its arguments in order and by name, and the text of all of it. `where` is that of a `.where(...)` behind it, a `Name`
    where it is code; `level` is None where what gives it is no level of this source. `of_check` is whether it is called of a check.
    """

    method: str
    arguments: list[Any]
    named: dict[str, Any]
    text: str
    level: Level | None = "error"
    of_check: bool = False
    where: Any = None


def calls(source: str) -> Iterator[MethodCall]:
    """The methods that are called, in their order; `source` may be calls of a check without the check."""
    made = {found[1]: _level(source[found.end() : closing(source, found.end())], source) for found in _MADE.finditer(source)}
    known = re.compile(_CALL.replace("NAMES", "|".join(made) or "(?!)"), re.DOTALL)
    level: Level | None = "error"
    last, at, chain = None, 0, 0
    while found := known.search(source, at):
        method, check, quote, _, name = found.groups()
        at = end_of_text(source, found.start()) if quote else found.end()
        if name is not None:
            level, chain = made[name], at
        elif check is not None:
            chain = closing(source, found.end() - 1) + 1
            level = _level(source[found.end() : chain], source)
        if method is None or method in _AROUND_CHECKS:
            continue
        end = closing(source, found.end() - 1)
        text = source[found.start() : end + 1].lstrip(". \n")
        of_check = _BETWEEN.fullmatch(source, chain, found.start()) is not None
        inner = source[found.end() : end] if found.group().endswith("(") else source[found.end() - 1 : end + 1]
        call = MethodCall(str(method), *_arguments(inner), text, level, of_check)
        if method == "where" and last is not None:
            last.where = call.arguments[0]
        else:
            if last is not None:
                yield last
            last = call
        at = end + 1
        chain = at if of_check else chain
    if last is not None:
        yield last


def made_by(text: str) -> MethodCall | None:
    """What `Name(...)` is made of; None where the text is not of this form, as a variable is not."""
    found = re.fullmatch(r"(?:new\s+)?(?:\w+\.)*([A-Za-z_]\w*)\s*(?:\[\w*\])?\s*\((.*)\)", text.strip(), re.DOTALL)
    return None if found is None else MethodCall(found[1], *_arguments(found[2]), text)


def pairs_of(text: str) -> list[tuple[str, str]]:
    """Those of `Map("a" -> "b")`, of `{"a": "b"}` too; `UnreadError` for another form."""
    inner = re.fullmatch(r"(?:Some\s*\(\s*)?(?:Map\s*\((.*?)\)|\{(.*)\})\s*\)?", text.strip(), re.DOTALL)
    if inner is None:
        raise UnreadError(f"`{text}` is no Map of columns")
    sides = [[value_of(side) for side in re.split(r"->|:", part, maxsplit=1)] for part in split(inner[1] or inner[2] or "")]
    if not sides or not all(len(side) == 2 and all(isinstance(name, str) for name in side) for side in sides):
        raise UnreadError(f"`{text}` is no Map of columns")
    return [(mine, theirs) for mine, theirs in sides]


def _arguments(inner: str) -> tuple[list[Any], dict[str, Any]]:
    arguments: list[Any] = []
    named: dict[str, Any] = {}
    for part in split(inner):
        if (given := re.match(r"([A-Za-z_]\w*)\s*=(?![=>])", part)) is not None:
            named[given.group(1)] = value_of(part[given.end() :].strip())
        else:
            arguments.append(value_of(part))
    return arguments, named


def _level(inner: str, source: str) -> Level | None:
    """The level among a check's arguments, by its name or that of what holds it; None where neither is there."""
    bare = _IN_QUOTES.sub("", inner)
    named = (re.search(rf"\b{word}\s*(?::\s*[\w.]+\s*)?=\s*(?:\w+\.)*(Warning|Error)\b", source) for word in re.findall(r"\w+", bare))
    found = re.search(r"\b(Warning|Error)\b", bare) or next((match for match in named if match), None)
    return None if found is None else "warning" if found[1] == "Warning" else "error"


def value_of(text: str) -> Any:
    """The value of a literal; what is none is a `Name`."""
    text = text.strip()
    plain = {"true": True, "True": True, "false": False, "False": False, "None": None, "null": None}
    if text in plain:
        return plain[text]
    if text.startswith(('"""', '"', "'", 'r"', "r'", 'f"')):
        return _text(text)
    if NUMBER.fullmatch(text):
        value = float(text.rstrip("LlDdFf").replace("_", ""))
        return value if "." in text or "e" in text.lower() else int(value)
    if some := re.fullmatch(r"Some\s*\((.*)\)", text, re.DOTALL):
        value = value_of(some.group(1))
        return Hint(value) if isinstance(value, str) else value
    text = re.sub(r"(?<=[)\]])\s*\.\s*to(?:Array|Seq|List|Set)\s*(?:\(\s*\))?$", "", text)
    if listed := re.fullmatch(rf"(?:(?:{'|'.join(_LISTS)})\s*(?:\[\w+\])?\s*\((.*)\)|\[(.*)\])", text, re.DOTALL):
        return [value_of(part) for part in split(next(group for group in listed.groups() if group is not None))]
    if text.startswith("(") and text.endswith(")") and "=>" not in text:
        return [value_of(part) for part in split(text[1:-1])]
    return Name(text)


def _text(text: str) -> str | Name:
    """A text in quotes; one that is made when it runs, or has more behind it than Scala's `.r`, is no value."""
    body = text[1:] if text[0] in "rf" else text
    quote = '"""' if body.startswith('"""') else body[0]
    end = end_of_text(body, 0)
    if text[0] == "f" or body[end:].strip() not in ("", ".r"):
        return Name(text)
    inner = body[len(quote) : end - len(quote)]
    return inner if text[0] == "r" or quote == '"""' else _unescaped(inner)


def _unescaped(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text.replace("\\'", "'").replace('\\"', '"')


def split(text: str) -> list[str]:
    """The arguments: what stands between commas outside of brackets and texts."""
    parts, begin, depth, at = [], 0, 0, 0
    while at < len(text):
        char = text[at]
        if char in "\"'":
            at = end_of_text(text, at)
            continue
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            parts.append(text[begin:at])
            begin = at + 1
        at += 1
    return [part.strip() for part in (*parts, text[begin:]) if part.strip()]


def closing(text: str, at: int) -> int:
    """The place of the bracket that closes the one at `at`; `UnreadError` where none does."""
    depth = 0
    while at < len(text):
        if text[at] in "\"'":
            at = end_of_text(text, at)
            continue
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if depth == 0:
            return at
        at += 1
    raise UnreadError("a bracket is not closed")


def end_of_text(text: str, at: int) -> int:
    """The place behind a text that begins at `at`."""
    quote = '"""' if text.startswith('"""', at) else text[at]
    at += len(quote)
    while at < len(text) and not text.startswith(quote, at):
        at += 2 if text[at] == "\\" and quote != '"""' else 1
    return min(at + len(quote), len(text))
