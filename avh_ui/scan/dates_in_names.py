"""Dates in names whose day or month comes first, as people write them: `orders_31.01.2026`, `12-31-2026`, `31012026`, `03-Feb-2026`,
`01-2026`, `310126`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from itertools import pairwise
from statistics import median

from avh_ui.scan.month_names import MONTH_NAME, is_english, month_of
from avh_ui.scan.short_years import short_years

# The year comes last; parts without anything between them have two digits each. `1.2.2026.3` is a version.
_WRITTEN = re.compile(r"(?<!\d)(?:(\d\d?)([-._ ])(\d\d?)\2|(\d\d)()(\d\d))((?:19|20)\d\d)(?!\d|\.\d)")
# A month beside its year, with no day before it; `10-2023` alone may be anything.
_MONTHLY = re.compile(r"(?<!\d)(?<!\d[-._ ])(?:(0?[1-9]|1[0-2])([-._ ])|(0[1-9]|1[0-2])())((?:19|20)\d\d)(?!\d|[-._ ]\d)")
# A number behind these is a week's, a quarter's, a third's or a half year's, and no month's: `Q1-2026`, `KW05 2026`, `H1-2026`.
_NO_MONTH = re.compile(r"(?<![A-Za-z])(?:(?:q|[kc]?w|wk|week|woche)[-_. ]?\d+|h[12]|t[1-4])$", re.IGNORECASE)
# A month by its name, between a day and a year or beside a year alone; it is no part of a word (`Market 2026`).
_SEP, _YEAR, _DAY = r"(?:[-._ ]|[.,] )?", r"(?P<year>(?:19|20)\d\d)", r"(?P<day>0?[1-9]|[12]\d|3[01])"
_MONTH = rf"(?<![^\W\d_])(?P<month>(?i:{MONTH_NAME}))(?![^\W\d_])"
_NAMED = tuple(
    re.compile(rf"(?<!\d){writing}(?!\d)")
    for writing in (
        rf"{_DAY}{_SEP}{_MONTH}{_SEP}{_YEAR}", rf"{_MONTH}{_SEP}{_DAY}(?:[-._ ]|, ?){_YEAR}", rf"{_YEAR}{_SEP}{_MONTH}{_SEP}{_DAY}",
        rf"{_MONTH}{_SEP}{_YEAR}", rf"{_YEAR}{_SEP}{_MONTH}",
    )
)  # fmt: skip


def year_last(names: Sequence[str]) -> dict[str, list[str]]:
    """Of names that hold one date with its year last, or its month by name: by their template, with `{day}`, `{month}` and
    `{year}` (of two digits `{yy}`), the names, oldest first.

    Names of one template are read alike: which part is the month is told by all of them together, and where they leave it open, by the
    order that has the shorter steps from date to date, else the day comes first. What is no date either way is left out.
    """
    alike: dict[tuple[str, str, str], list[tuple[str, tuple[int, int, int]]]] = defaultdict(list)
    named = _named(names)
    # `Aug 01 2026` has a month beside the year, which is a day.
    names = [name for name in names if not any(name in members for members in named.values())]
    for name in names:
        found = list(_WRITTEN.finditer(name))
        if len(found) == 1:
            first, sep, second, packed_first, _, packed_second, year = found[0].groups()
            parts = int(first or packed_first), int(second or packed_second), int(year)
            alike[name[: found[0].start()], sep or "", name[found[0].end() :]].append((name, parts))
    templates = {**_monthly(names), **named}
    for (before, sep, after), members in alike.items():
        if read := _order([parts for _, parts in members]):
            order, dates = read
            inside = [name for _, (name, _) in sorted(zip(dates, members, strict=True))]
            templates[before + sep.join((*order, "{year}")) + after] = inside
    taken = {name for members in templates.values() for name in members}
    return {**short_years([name for name in names if name not in taken]), **templates}


def _monthly(names: Sequence[str]) -> dict[str, list[str]]:
    """Of names that hold a month and its year alone, of several months: by their template the names, oldest first."""
    alike: dict[tuple[str, str, str], list[tuple[int, int, str]]] = defaultdict(list)
    for name in names:
        found = list(_MONTHLY.finditer(name))
        if len(found) == 1:
            month, sep, packed, _, year = found[0].groups()
            before, after = name[: found[0].start()], name[found[0].end() :]
            # Six digits beside others may be a time of day: `20260131T112030`.
            if not (packed and re.search(r"\d", before + after)) and not _NO_MONTH.search(before + (month or packed)):
                alike[before, sep or "", after].append((int(year), int(month or packed), name))
    return {
        f"{before}{{month}}{sep}{{year}}{after}": [name for *_, name in sorted(members)]
        for (before, sep, after), members in alike.items()
        if len({month for _, month, _ in members}) > 1
    }


def _named(names: Sequence[str]) -> dict[str, list[str]]:
    """Of names that hold one date whose month is written by its name: by their template the names, oldest first."""
    alike: dict[str, list[tuple[date, str]]] = defaultdict(list)
    english: set[str] = set()
    for name in names:
        found = next((one for pattern in _NAMED if (one := pattern.search(name))), None)
        if found is None:
            continue
        said = found.groupdict()
        day = _date(int(said["year"]), month_of(said["month"]), int(said.get("day") or 1))
        if day is not None:
            template = name
            for part in sorted(said, key=found.start, reverse=True):
                template = f"{template[: found.start(part)]}{{{part}}}{template[found.end(part) :]}"
            alike[template].append((day, name))
            english |= {template} if is_english(said["month"]) else set()
    # `set_2026` and `out_2026` are words of English: elsewhere they are months, of which several come.
    told = (template for template, members in alike.items() if len({day.month for day, _ in members}) > 1 or template in english)
    return {template: [name for _, name in sorted(alike[template])] for template in told}


def _order(parts: Sequence[tuple[int, int, int]]) -> tuple[tuple[str, str], list[date]] | None:
    """Which of the first two parts is the day, and the dates; None where they are no dates."""
    ways = {("{day}", "{month}"): [_date(y, b, a) for a, b, y in parts], ("{month}", "{day}"): [_date(y, a, b) for a, b, y in parts]}
    dated = [(order, [day for day in days if day]) for order, days in ways.items() if all(days)]
    return min(dated, key=lambda one: _step(one[1]), default=None)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _step(days: Sequence[date]) -> float:
    """The usual number of days from one to the next."""
    return median([(after - before).days for before, after in pairwise(sorted(days))] or [0])
