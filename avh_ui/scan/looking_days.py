"""Folders of days and months whose files are batches of their own: `2026/03/10/orders_05.csv`, `2026/03/10.csv`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from avh_ui.scan.looking_files import format_of

_DAY = re.compile(r"0[1-9]|[12]\d|3[01]")
# The name of a file (or folder) of an hour: what stands before, the hour, how it ends. A part, by its name, is of none.
_OF_HOUR = re.compile(r"(?!(?i:part|chunk|shard|split|slice))((?:[^.]*[^.\d])?)([01]\d|2[0-3])((?:\..*)?)")
# Parts of a day are numbered, too, from 0 on; seldom are there as many.
_MOST_HOURS = 20
# Parts are seldom as many as the days on which a table comes, if on working days alone.
_MOST_DAYS = 20


def by_hour(days: Sequence[Path]) -> str | None:
    """How files by nearly every hour are named in folders of days (`{hour}.csv`, `x_{hour}.csv`), or folders by hour; None of others."""
    inside = [p for day in days if day.is_dir() for p in shown(day)]
    found = [_OF_HOUR.fullmatch(p.name) for p in inside]
    names = {(one[1], one[3]) if one else None for one in found}
    if len(names) != 1 or None in names:
        return None
    hours = {one[2] for one in found if one}
    before, endings = next(filter(None, names))
    files = format_of(inside[-1].name) and len(hours) >= _MOST_HOURS
    return f"{before}{{hour}}{endings}" if files or not before + endings else None


def by_day(months: Sequence[Path]) -> str | None:
    """How the names of files by their day end in folders of months (`2026/03/10.csv`); None of others, such as parts of a month."""
    inside = [p for month in months if month.is_dir() for p in shown(month)]
    endings, days = {p.name.partition(".")[2] for p in inside}, {p.name.partition(".")[0] for p in inside}
    if len(endings) != 1 or len(days) < _MOST_DAYS or not all(map(_DAY.fullmatch, days)) or not format_of(inside[-1].name):
        return None
    return f".{endings.pop()}"


def shown(folder: Path) -> list[Path]:
    """What is in a folder and not hidden."""
    return [p for p in folder.iterdir() if not p.name.startswith((".", "_"))]
