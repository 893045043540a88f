"""Loops of a suite in Python over values that it lists, written out: `for name in ["a", "b"]: check.isComplete(name)`."""

from __future__ import annotations

import json
import re
from typing import Any

from avh_ui.constraints.importing.deequ_source import Name, end_of_text, value_of

_FOR = re.compile(r"^([ \t]*)for[ \t]+([A-Za-z_]\w*(?:[ \t]*,[ \t]*[A-Za-z_]\w*)*)[ \t]+in[ \t]+(.+?)[ \t]*:[ \t]*(?:#.*)?$", re.MULTILINE)
# What is done for some of the values alone, or not at once: such a loop stays as it is.
_NOT_FOR_ALL = re.compile(r"^\s*(?:if|elif|else|continue|break|while|try|except|def|class|match|with|return)\b", re.MULTILINE)
# Texts (before them whether values stand in them) and comments, and names that are no attribute and no argument's.
_WORDS = re.compile(r"(?<!\w)(f?)(\"\"\"|\"|')|(\#[^\n]*)|(?<![\w.])([A-Za-z_]\w*)\b(?!\s*=(?!=))")
_PLACE = re.compile(r"\{\s*([A-Za-z_]\w*)\s*\}")
# So many copies: a suite beyond is made by code.
_MOST = 1_000


def without_loops(source: str) -> str:
    """The source with each such loop as its steps, one after the other; what goes over other things, or asks for one of them, stays."""
    at = copies = 0
    while found := _FOR.search(source, at):
        names, values, end = re.split(r"[ \t]*,[ \t]*", found[2]), value_of(found[3]), _end(source, found)
        block = source[found.end() : end]
        rows = [_row(value, len(names)) for value in values] if isinstance(values, list) else []
        copies += len(rows)
        given = rf"(?<![\w.])(?:{'|'.join(names)})\s*[-+*/]?=(?!=)"
        if not rows or None in rows or copies > _MOST or _NOT_FOR_ALL.search(block) or re.search(rf"^\s*{given}", block, re.MULTILINE):
            at = found.end()
            continue
        written = "".join(_filled(block, dict(zip(names, row or (), strict=True))) for row in rows)
        # A loop within is written out in each copy.
        source, at = f"{source[: found.start()]}{written}{source[end:]}", found.start()
    return source


def _row(value: Any, count: int) -> list[Any] | None:
    """The values of the names of a loop; None where they are not as many, or code."""
    row = [value] if count == 1 else value
    return row if isinstance(row, list) and len(row) == count and not any(isinstance(one, Name | list) for one in row) else None


def _end(source: str, loop: re.Match[str]) -> int:
    """Where the lines end that belong to a loop: those that are indented more, and blank ones."""
    end = loop.end()
    for line in re.compile(r"\n([ \t]*)(\S?)[^\n]*").finditer(source, loop.end()):
        if line.start() != end or (line[2] and len(line[1]) <= len(loop[1])):
            break
        end = line.end()
    return end


def _filled(block: str, values: dict[str, Any]) -> str:
    """The lines of a loop with its names as values, in texts with values (`f"{name} > 0"`) too."""
    parts, at = [], 0
    while found := _WORDS.search(block, at):
        end = end_of_text(block, found.start(2)) if found[2] else found.end()
        text = block[found.start() : end]
        if found[1] and (inner := _PLACE.sub(lambda place: str(values.get(place[1], place[0])), text)) and "{" not in inner:
            text = inner[1:]
        elif found[4] in values:
            value = values[found[4]]
            text = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
        parts += [block[at : found.start()], text]
        at = end
    return "".join((*parts, block[at:]))
