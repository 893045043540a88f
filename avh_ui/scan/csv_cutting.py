"""By which separator a CSV file nobody described is cut into rows."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable

from avh_ui.metrics.separators import SEPARATORS

# A separator must cut nearly all rows alike: the last one may be cut off, and one in twenty may be broken.
_ALIKE = 0.95
# So many of the first rows tell how many of their fields are numbers or dates.
_TYPED_IN = 20
# Sentences hold commas and semicolons, and lines of them are no rows.
_NOT_IN_TEXTS = ("\t", "|", "^", "~", "\x01")
Rows = tuple[tuple[str, ...], ...]


def cut(text: str, typed: Callable[[str], bool]) -> tuple[str, Rows, tuple[str, ...]]:
    """The separator that cuts most rows alike, the first one too, into most fields, and of those most into numbers or dates; the rows by
    it, and what is said of them. One column where none does: a decimal comma cuts rows alike, but not their header.

    Lines of which some lack their last cells are cut by what stands in nearly all of them and hardly in texts: of their rows those of the
    usual length are given.
    """
    found: list[tuple[tuple[bool, int, int], str, Rows]] = []
    uneven: list[tuple[str, Rows, tuple[str, ...]]] = []
    for sep in SEPARATORS:
        try:
            rows = tuple(tuple(row) for row in csv.reader(text.splitlines(keepends=True), delimiter=sep) if row)
        except csv.Error:
            continue
        if not rows:
            continue
        widths = Counter(map(len, rows))
        width, alike = widths.most_common(1)[0]
        kept = tuple(row for row in rows if len(row) == width)
        cuts = width > 1 and alike >= _ALIKE * len(rows)
        numbers = sum(map(typed, (field for row in kept[:_TYPED_IN] for field in row)))
        found.append(((cuts and len(rows[0]) == width, width if cuts else 1, numbers if cuts else 0), sep, kept))
        if sep in _NOT_IN_TEXTS and width > 1 and widths[1] <= (1 - _ALIKE) * len(rows):
            uneven.append((sep, kept, (_said(widths, len(rows[0])),)))
    (_, width, _), sep, rows = max(found, key=lambda one: one[0], default=((False, 1, 0), ",", ()))
    return uneven[0] if width == 1 and uneven else (sep, rows, ())


def are_plain_backslashes(text: str, sep: str) -> bool:
    """Whether a quote behind a backslash ends its text: so more rows have as many cells as the names than where it stands in the text."""
    plain = csv.reader(io.StringIO(text, newline=""), delimiter=sep)
    escaped = csv.reader(io.StringIO(text, newline=""), delimiter=sep, escapechar="\\", doublequote=False)
    width = len(next(plain, []))
    return sum(len(row) == width for row in plain) + 1 > sum(len(row) == width for row in escaped)


def _said(widths: Counter[int], first: int) -> str:
    usual = sorted(width for width in widths if width > 1)
    return (
        f"Its lines have {usual[0]} to {usual[-1]} cells, and the first {first}: those that have another number are told as malformed in "
        "each batch. Write them with empty cells at their end."
    )
