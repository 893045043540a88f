"""Folders of days and months whose files are batches of their own: `2026/03/10/orders_05.csv`, `2026/03/10.csv`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from avh_ui.scan.file_names import format_of

_DAY = re.compile(r"0[1-9]|[12]\d|3[01]")
# The name of a file (or folder) of an hour: what stands before, the hour, how it ends. A part, by its name, is of none.
_OF_HOUR = re.compile(r"(?!(?i:part|chunk|shard|split|slice))((?:[^.]*[^.\d])?)([01]\d|2[0-3])((?:\..*)?)")
# Parts of a day are numbered, too, from 0 on; seldom are there as many.
_MOST_HOURS = 20
# Of a feed that began today these many files, an hour apart by the clock of the disk, are enough. Parts are written within minutes of each
# other, and copies at once.
_FEW_HOURS, _APART = 3, (1_800, 5_400)
# One may have come late, or been written again.
_ON_TIME = 0.75
# Parts are seldom as many as the days on which a table comes, if on working days alone.
_MOST_DAYS = 20


def by_hour(days: Sequence[Path]) -> str | None:
    """How files by nearly every hour, or written an hour apart, are named in folders of days (`{hour}.csv`, `x_{hour}.csv`), or folders by
    hour; None of others.
    """
    named, hours = _hours_of(days)
    files = named.partition("{hour}")[2] and len(hours) >= _MOST_HOURS
    return named if named and (files or named == "{hour}" or _written_by_hour(days)) else None


def may_be_hours(days: Sequence[Path], template: Path | None) -> tuple[str, ...]:
    """That files which are numbered as hours are were taken as parts of the days of a `template`, as a sentence with what to write else."""
    named, hours = _hours_of(days)
    if template is None or not named or len(hours) == 1 or by_hour(days) is not None:
        return ()
    return (
        f"The files of a day are numbered {min(hours)} to {max(hours)}, as parts or hours are. Nothing says which: they are taken "
        f"as parts; where each is an hour's, write path: {template / named} and cadence: hourly.",
    )


def _hours_of(days: Sequence[Path]) -> tuple[str, set[str]]:
    """How the files, or folders, in folders of days are named by an hour, and the hours; '' where they are not."""
    inside = [p for day in days if day.is_dir() for p in shown(day)]
    found = [_OF_HOUR.fullmatch(p.name) for p in inside]
    names = {(one[1], one[3]) if one else None for one in found}
    if len(names) != 1 or None in names:
        return "", set()
    before, endings = next(filter(None, names))
    readable = format_of(inside[-1].name) or not before + endings
    return (f"{before}{{hour}}{endings}", {one[2] for one in found if one}) if readable else ("", set())


def _written_by_hour(days: Sequence[Path]) -> bool:
    """Whether the files of one day were written an hour apart, as their numbers are."""
    for day in days:
        numbered = ((_OF_HOUR.fullmatch(p.name), p) for p in (shown(day) if day.is_dir() else ()))
        files = sorted((int(found[2]), p.stat().st_mtime) for found, p in numbered if found)
        steps = [(then - now) / (last - first) for (first, now), (last, then) in pairwise(files) if last > first]
        on_time = sum(_APART[0] <= step <= _APART[1] for step in steps)
        if len(files) >= _FEW_HOURS and on_time >= _ON_TIME * len(steps):
            return True
    return False


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
