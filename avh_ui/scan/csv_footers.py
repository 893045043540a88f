"""What stands below the rows of a CSV file: a total, or a line such as `-- 200 rows --`, which a reader takes for one more row."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile

# Of fewer rows nobody can tell what the others are like.
_ENOUGH = 3
# Reports end in a few lines.
_LINES = 5
# Sums of rounded numbers differ by rounding: by a hundredth, or a millionth of a large one.
_ROUNDED, _OF_LARGE = 0.01, 1e-6
_SHOWN = 40
# How a line is called that is no row: totals and counts in the languages that decimal commas come in.
_WORD = re.compile(
    r"\W*((grand|sub)[ -]?)?(totals?|totale|totaal|totaux|total g[eé]n[eé]ral|gesamt\w*|insgesamt|summen?|sums?|somme|somma|suma|razem"
    r"|averages?|means?|mittelwert|durchschnitt|moyenne|media|end of (file|report|data)|eof)\b.*"
    r"|\W*\(?\d+ (rows?|records?|lines?|entries|zeilen|s[aä]tze|lignes|righe|filas|rijen)\b.*"
    r"|\W*(rows?|records?|row ?count|record ?count|number of (rows|records)|anzahl)\W+\d+\W*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Footer:
    """How many of the `rows` that were cut stand at the end and are none, and what is said of them, with the remedy."""

    rows: int
    remark: str


def footer_of(
    text: str, sep: str, columns: Sequence[str], rows: Sequence[Sequence[str]], typed: Callable[[str], bool], *, whole: bool
) -> Footer | None:
    """The footer of a text (`whole`, or its end) below `rows`, which are those of the file's start, under the names of `columns`; None
    where its last lines are rows. `typed` says whether a field is a number or a date.
    """
    lines = [tuple(line) for line in csv.reader(text.splitlines(keepends=True), delimiter=sep) if any(field.strip() for field in line)]
    width = len(rows[0]) if rows else 0
    if width < 2 or len(lines) <= _ENOUGH or any("\n" in field for line in lines for field in line):
        return None
    body = [row for row in rows if len(row) == width]
    below = list(takewhile(lambda line: _is_no_row(line, body, typed, whole=whole), reversed(lines[-_LINES:])))[::-1]
    kept = [row for row in body if row not in below]
    if not below or len(kept) < _ENOUGH or any(len(line) != width for line in lines[1 : -len(below)]):
        return None
    return Footer(sum(len(line) == width for line in below), _remark(below, (columns, *kept), sep, typed))


def _is_no_row(line: Sequence[str], body: Sequence[Sequence[str]], typed: Callable[[str], bool], *, whole: bool) -> bool:
    others = [row for row in body if row != line]
    if len(others) < _ENOUGH:
        return False
    width = len(others[0])
    if len(line) < width:
        return True
    at = next(at for at, field in enumerate(line) if field.strip())
    filled = sum(bool(field.strip()) for field in line)
    called = bool(_WORD.fullmatch(line[at].strip()))
    if called and any(row[at] == line[at] for row in others):
        return False  # a group's row that is called so comes again and again
    unlike = not typed(line[at]) and all(typed(row[at]) for row in others)
    emptied = any(not field.strip() and all(row[k].strip() for row in others) for k, field in enumerate(line))
    summed = whole and any(_is_sum(field, [row[k] for row in others]) for k, field in enumerate(line))
    unnamed = not line[0].strip() and all(row[0].strip() for row in others)
    alone = unlike and filled == 1 < width - 1
    return len(line) == width and ((called and (unlike or emptied or summed)) or (unnamed and summed) or alone)


def _is_sum(field: str, above: Sequence[str]) -> bool:
    """Whether a number is the sum of those above, which are not all 0."""
    try:
        total, numbers = float(field), [float(text) for text in above if text.strip()]
    except ValueError:
        return False
    return any(numbers) and abs(total - sum(numbers)) <= max(_ROUNDED, _OF_LARGE * abs(total))


def _remark(below: Sequence[Sequence[str]], head: Sequence[Sequence[str]], sep: str, typed: Callable[[str], bool]) -> str:
    """What is said of lines below rows, which have the names of their columns at their `head`."""
    first, width, rows = below[0], len(head[0]), head[1:]
    shown = sep.join(first)
    shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."
    which = f"Its last line, {shown!r}," if len(below) == 1 else f"Its last {len(below)} lines, from {shown!r} on,"
    one = len(below) == 1
    if one and typed(first[0]) and all(typed(row[0]) for row in rows):
        return f"{which} has {len(first)} of {width} cells: was the file cut off? Then deliver it again."
    counted = f"{'is no row' if one else 'are no rows'}, and a reader takes {'it for one' if one else 'them for rows'}"
    starts = {line[0][:1] for line in below}
    sign = next(iter(starts)) if len(starts) == 1 else ""
    if sign and sign.isascii() and not any(row[0].startswith(sign) for row in head) and is_safe(sign, rows, typed):
        quoted = "'\"'" if sign == '"' else f'"{sign}"'
        return f"{which} {counted}: `comment: {quoted}` among the options leaves out lines that begin so."
    if all(len(line) < width for line in below):
        return f"{which} {counted}: `mode: DROPMALFORMED` among the options leaves out lines with too few or too many cells."
    return f"{which} {counted}: take it away before, or leave it out by a `query` with a `where` (docs/sources.md)."


def is_safe(sign: str, rows: Sequence[Sequence[str]], typed: Callable[[str], bool]) -> bool:
    """Whether no row will begin with a character: one that is no letter or digit, or a letter where rows begin with numbers."""
    return sign not in "\"' " and (not sign.isalnum() or (sign.isalpha() and all(typed(row[0]) for row in rows)))
