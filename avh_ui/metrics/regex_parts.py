r"""The parts of a regular expression as a tree: what may stand for one character, what follows what, and what is repeated.

It is read as Java and Python both write it, and loosely: what says nothing of the characters matched (flags, anchors, the name of a
group) is left out, and what is looked ahead for or behind is kept aside.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc

# Of what a part matches, only these characters are asked: all of ASCII's that are written, blanks, and letters and digits beyond ASCII.
_ASKED = [*map(chr, (9, 10, 13, *range(32, 127))), *"éßЖ中٣"]
# A part that matches none of those, or that RE2 does not read, may match the same as any other such part.
_OTHER = 1 << len(_ASKED)
# Java's names of sets that RE2 writes otherwise.
_NAMED = re.compile(r"\\(p|P)\{(Lower|Upper|ASCII|Alpha|Digit|Alnum|Punct|Graph|Print|Blank|Cntrl|XDigit|Space)\}")
# Powers beyond e to this are no doubles.
_LARGEST = 700
_QUOTED = re.compile(r"\\Q(.*?)(?:\\E|\Z)", re.DOTALL)
_TOKEN = re.compile(
    r"(?P<zero>\\[bBAZzG]|[$^]|\(\?[a-zA-Z]*(?:-[a-zA-Z]+)?\))"
    r"|(?P<back>\\[1-9]\d*|\\k<\w+>|\(\?P=\w+\))"
    r"|(?P<aside>\(\?<?[=!])|(?P<atomic>\(\?>)|(?P<open>\((?:\?(?:[a-zA-Z-]*:|P?<\w+>))?)"
    r"|(?P<close>\))|(?P<either>\|)|(?P<count>(?:[*+?]|\{(?P<least>\d*)(?P<comma>,)?(?P<most>\d*)\})(?P<how>[?+]?))"
    r"|(?P<one>\\[pP]\{\w+\}|\\x\{[0-9a-fA-F]+\}|\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|.)",
    re.DOTALL,
)


@dataclass(frozen=True)
class One:
    """One character, of those that the bits stand for; no bits where nothing is taken."""

    bits: int


@dataclass(frozen=True)
class Row:
    """Parts that follow each other."""

    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Either:
    """Parts of which one is taken."""

    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Aside:
    """A part that is looked for ahead or behind: it takes no character."""

    part: Part


@dataclass(frozen=True)
class Repeated:
    """A part that is repeated; `most` is None where it is without end."""

    part: Part
    least: int
    most: int | None
    lazy: bool = False
    possessive: bool = False
    of_group: bool = False


Part = One | Row | Either | Aside | Repeated


@dataclass
class _Open:
    """A group that is still open: its alternatives so far, of which the last is being read."""

    kind: str = "open"
    read: list[list[Part]] = field(default_factory=lambda: [[]])

    def part(self) -> Part:
        rows: tuple[Part, ...] = tuple(Row(tuple(row)) for row in self.read)
        made = rows[0] if len(rows) == 1 else Either(rows)
        return Aside(made) if self.kind == "aside" else Repeated(made, 1, 1, possessive=True) if self.kind == "atomic" else made


def parts_of(pattern: str) -> Part:
    """The tree of a regular expression; groups that are not closed end with it, and what closes none is left out."""
    text = _QUOTED.sub(lambda found: re.escape(found[1]), pattern)
    any_case = re.search(r"\(\?[a-zA-Z]*i", text) is not None
    groups, grouped = [_Open()], False
    for token in _TOKEN.finditer(text):
        kind, row = str(token.lastgroup), groups[-1].read[-1]
        if kind in ("aside", "atomic", "open"):
            groups.append(_Open(kind))
        elif kind == "close" and len(groups) > 1:
            closed = groups.pop().part()
            groups[-1].read[-1].append(closed)
        elif kind == "either":
            groups[-1].read.append([])
        elif kind == "count" and row:
            row.append(_counted(row.pop(), token, grouped))
        elif kind == "one":
            row.append(One(_bits(token[0], any_case)))
        elif kind == "back":
            row.append(Repeated(One(_OTHER * 2 - 1), 0, None))
        grouped = kind == "close"
    while len(groups) > 1:
        closed = groups.pop().part()
        groups[-1].read[-1].append(closed)
    return groups[0].part()


def _counted(part: Part, token: re.Match[str], grouped: bool) -> Repeated:
    sign = token[0][0]
    least = {"*": 0, "+": 1, "?": 0}.get(sign) if sign in "*+?" else int(token["least"] or 0)
    most = (1 if sign == "?" else None) if sign in "*+?" else (int(token["most"]) if token["most"] else None) if token["comma"] else least
    return Repeated(part, least or 0, most, token["how"] == "?", token["how"] == "+", grouped)


def repetitions_in(part: Part, around: tuple[Repeated, ...] = ()) -> Iterator[tuple[Repeated, tuple[Repeated, ...]]]:
    """Each repetition of a tree, with those around it, the outermost first."""
    if isinstance(part, Row | Either):
        for inner in part.parts:
            yield from repetitions_in(inner, around)
    elif isinstance(part, Aside):
        yield from repetitions_in(part.part, around)
    elif isinstance(part, Repeated):
        yield part, around
        yield from repetitions_in(part.part, (*around, part))


def ways(part: Part) -> float:
    """In how many ways a part can be gone through at most; infinite where it is repeated without end or more often than can be told."""
    if isinstance(part, Row):
        return math.prod(ways(inner) for inner in part.parts)
    if isinstance(part, Either):
        return sum(ways(inner) for inner in part.parts)
    if isinstance(part, Repeated):
        each, most = ways(part.part), part.most
        if most is None or most * math.log(max(each, 1)) > _LARGEST:
            return math.inf
        return float(sum(each**times for times in range(part.least, most + 1)) if each > 1 else most - part.least + 1)
    return 1


@lru_cache(maxsize=4096)
def _bits(token: str, any_case: bool) -> int:
    """Which of the asked characters a part matches, as RE2 reads it; all where it does not read it."""
    written = _NAMED.sub(lambda found: f"[:{'^' if found[1] == 'P' else ''}{found[2].lower()}:]", token)
    written = f"[{written}]" if written.startswith("[:") else written.replace(r"\h", r"[ \t]" if token == r"\h" else r" \t")
    try:
        told = pc.match_substring_regex(pa.array(_ASKED), f"^(?s:{written})$", ignore_case=any_case).to_pylist()
    except pa.ArrowInvalid:
        return _OTHER * 2 - 1
    return sum(1 << place for place, matches in enumerate(told) if matches) or _OTHER
