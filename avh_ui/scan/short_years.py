"""Dates in names whose year has two digits: `ex_260131`, `31.01.26`, `Report 31Jan26`, `sales_Jan-26`."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from itertools import pairwise
from statistics import median

from avh_ui.history.batch_dates import BatchDate, year_of
from avh_ui.scan.month_names import MONTH_NAME, month_of

# Three pairs of digits with the same between them.
_PAIRS = re.compile(r"(?<!\d)(\d\d)([-._ ]?)(\d\d)\2(\d\d)(?!\d)")
_MONTH = rf"(?<![^\W\d_])(?P<month>(?i:{MONTH_NAME}))(?![^\W\d_])"
_NAMED = re.compile(rf"(?<!\d)(?:(?P<day>0?[1-9]|[12]\d|3[01])[-._ ]?)?{_MONTH}[-._ ]?(?P<yy>\d\d)(?![-._]?\d)")
# Ways to write a date by three numbers; of two that fit as well the first is meant.
_ORDERS = (("yy", "month", "day"), ("day", "month", "yy"), ("month", "day", "yy"))
# Any six digits may be a date: so many that all are one, by steps of a quarter at most, are no chance. 4 of 100 numbers can be read so.
_LEAST, _LONGEST_STEP = 3, 92


def short_years(names: Sequence[str]) -> dict[str, list[str]]:
    """Of names that hold one date with a year of two digits: by their template (`{yy}`, `{month}`, `{day}`) the names, oldest first.

    Which number is the day is told by all names of one template together: by the order that has the shorter steps. Names that all have a
    longer date are left out.
    """
    alike: dict[tuple[str, str, str], list[tuple[str, tuple[str, str, str]]]] = defaultdict(list)
    templates: dict[str, list[str]] = {}
    for template, members in _by_named_months(names).items():
        if _step([day for day, _ in members]) is not None:
            templates[template] = [name for _, name in sorted(members)]
    taken = {name for members in templates.values() for name in members}
    for name in names:
        found = list(_PAIRS.finditer(name))
        if len(found) == 1 and name not in taken:
            first, sep, second, third = found[0].groups()
            alike[name[: found[0].start()], sep, name[found[0].end() :]].append((name, (first, second, third)))
    for (before, sep, after), written in alike.items():
        # `202611` is a month; beside `200113` it is none.
        if all(BatchDate.of(name) for name, _ in written):
            continue
        ways = ((order, [_date(dict(zip(order, numbers, strict=True))) for _, numbers in written]) for order in _ORDERS)
        dated = [(order, [day for day in days if day]) for order, days in ways if all(days)]
        steps = [(step, k) for k, (_, days) in enumerate(dated) if (step := _step(days)) is not None]
        if steps:
            order, days = dated[min(steps)[1]]
            place = sep.join(f"{{{part}}}" for part in order)
            templates[before + place + after] = [name for _, (name, _) in sorted(zip(days, written, strict=True))]
    return templates


def _by_named_months(names: Sequence[str]) -> dict[str, list[tuple[date, str]]]:
    """Of names with a month by its name and two digits behind it: by their template the dates with their names."""
    alike: dict[str, list[tuple[date, str]]] = defaultdict(list)
    for name in names:
        found = next(iter(_NAMED.finditer(name)), None)
        said = {part: text for part, text in found.groupdict().items() if text} if found else {}
        if found and (day := _date(said)):
            template = name
            for part in sorted(said, key=found.start, reverse=True):
                template = f"{template[: found.start(part)]}{{{part}}}{template[found.end(part) :]}"
            alike[template].append((day, name))
    return alike


def _date(said: dict[str, str]) -> date | None:
    try:
        return date(year_of(said["yy"]), month_of(said["month"]), int(said.get("day", "1")))
    except ValueError:
        return None


def _step(days: Sequence[date]) -> float | None:
    """The usual number of days from one date to the next; None where they are too few, too far apart, or the same."""
    step = median([(after - before).days for before, after in pairwise(sorted(days))] or [0])
    return step if len(days) >= _LEAST and 0 < step <= _LONGEST_STEP else None
