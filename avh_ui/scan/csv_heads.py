"""Heads of CSV files that are no plain line of names: dates that name columns, and a line of units below the names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from avh_ui.history.batch_dates import BatchDate
from avh_ui.scan.csv_footers import is_safe

# Two dates in one row may be a beginning and an end; so many in their order are names. Of as many rows one can tell what is below.
_DATES, _ENOUGH = 3, 3
_SHOWN = 40


@dataclass(frozen=True)
class Dated:
    """The `first` and the `last` date that name columns; they are `years`, or what is shorter and may move with each delivery."""

    first: str
    last: str
    years: bool

    @property
    def remark(self) -> str:
        """What is said where the columns are taken by their places."""
        return (
            f"Its columns are named by dates, from {self.first} to {self.last}. These are taken to move with each delivery, so that "
            "columns are read by their place (_c0, _c1, ...), and that line is passed over (skip_lines). Where they stay, write "
            "header: true and leave that line in."
        )


def named_by_dates(first: Sequence[str], rows: Sequence[Sequence[str]]) -> Dated | None:
    """The dates of a first row that name its last columns, as of a pivot table: they rise or fall in their order, names that are no dates
    may stand before them, and none of them is above dates.
    """
    dates = [_date(field) for field in first]
    count = next((at for at, date in enumerate(reversed(dates)) if date is None), len(dates))
    named = [date for date in dates[len(dates) - count :] if date is not None]
    if count < _DATES or not rows or len({date.period for date in named}) > 1 or any(dates[: len(dates) - count]):
        return None
    starts = [date.start for date in named]
    if not (all(a < b for a, b in pairwise(starts)) or all(a > b for a, b in pairwise(starts))):
        return None
    below = [row[at] for row in rows for at in range(len(first) - count, len(first)) if row[at].strip()]
    # Of few counts some look like a year.
    if not below or sum(_date(field) is not None for field in below) > len(below) / 2:
        return None
    return Dated(first[-count].strip(), first[-1].strip(), named[0].period == "year")


def _date(field: str) -> BatchDate | None:
    """The date that a field is, and nothing else."""
    date = BatchDate.of(field.strip())
    return date if date is not None and not date.before and not date.after else None


@dataclass(frozen=True)
class Units:
    """A line below the names that is no row: what is said of it, and the character by which a reader leaves it out ('' = none does)."""

    remark: str
    comment: str


def units_below(names: Sequence[str], rows: Sequence[Sequence[str]], sep: str, typed: Callable[[str], bool]) -> Units | None:
    """The first row where it is none: it stands above numbers or dates, and is nowhere one itself; nor does what it holds come again.
    Units, types and lines of dashes are written so.
    """
    first, others = rows[0] if rows else (), rows[1:]
    if len(others) < _ENOUGH or len(first) < 2 or any(map(typed, first)):
        return None
    columns = list(zip(*others, strict=True))
    above = [field for field, column in zip(first, columns, strict=True) if field.strip() and all(map(typed, column))]
    if not above or any(field.strip() and field in column for field, column in zip(first, columns, strict=True)):
        return None
    shown = sep.join(first)
    said = f"The line below its names, {shown if len(shown) <= _SHOWN else f'{shown[:_SHOWN]}...'!r}, is no row"
    sign = first[0][:1]
    if sign and sign.isascii() and not names[0].startswith(sign) and is_safe(sign, others, typed):
        return Units(f"{said}: lines that begin with {sign!r} are left out (comment).", sign)
    away = "take it away before, or leave it out by a `query` with a `where` (docs/sources.md)"
    return Units(f"{said}, and makes texts of columns of numbers: {away}.", "")
