"""The days that texts name: `first_date` and `last_date` of a column whose every text begins with a date.

They follow from the frequencies that every profile has, so that batches of older releases have them too. A day is told as the second
that it begins with, as for points in time, whatever clock and zone stand behind it. Where one text is no date there is none to tell.

A date is written year first (`2024-02-05`, `2024/2/5`), or year last: with points the day stands first, with other marks the day is what
exceeds 12 in some text of the batch. Where no text says so (`02/05/2024` alone), nothing is told: a guess would turn days into months.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date

from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import Extreme, Metric
from avh_ui.metrics.remembering import remembered
from avh_ui.metrics.wording import Wording

_CLOCK = r"(?:[T ].{0,40})?$"
_YEAR_FIRST = re.compile(rf"(\d{{4}})([-/.])(\d\d?)\2(\d\d?){_CLOCK}", re.DOTALL)
_YEAR_LAST = re.compile(rf"(\d\d?)([-/.])(\d\d?)\2(\d{{4}}){_CLOCK}", re.DOTALL)
_EPOCH, _DAY_SECONDS = date(1970, 1, 1).toordinal(), 86_400.0
_MONTHS = 12


def days_of(texts: Iterable[str]) -> tuple[date, date] | None:
    """The first and the last day that texts name; None where one of them names none, where days and months cannot be told apart, or
    without texts.
    """
    found: list[tuple[int, int, int]] = []
    turned: list[tuple[int, int, int]] = []
    point = False
    for text in texts:
        if (match := _YEAR_FIRST.match(text)) is not None:
            found.append((int(match[1]), int(match[3]), int(match[4])))
        elif (match := _YEAR_LAST.match(text)) is not None:
            turned.append((int(match[4]), int(match[1]), int(match[3])))
            point |= match[2] == "."
        else:
            return None
    if turned:
        if (ordered := _in_order(turned, day_first=point)) is None:
            return None
        found += ordered
    try:
        days = [date(*one) for one in found]
        return (min(days), max(days)) if days else None
    except ValueError:
        return None


def _in_order(turned: list[tuple[int, int, int]], *, day_first: bool) -> list[tuple[int, int, int]] | None:
    """Of year, first and second number: year, month and day."""
    first, second = (any(one[at] > _MONTHS for one in turned) for at in (1, 2))
    if second and not (first or day_first):
        return turned
    return [(year, b, a) for year, a, b in turned] if (first or day_first) and not second else None


@remembered
def _days(ours: FrequencyState, _: FrequencyState) -> tuple[date, date] | None:
    return days_of(ours.table) if ours.exact else None


def _second(day: date) -> float:
    return (day.toordinal() - _EPOCH) * _DAY_SECONDS


def _first(state: FrequencyState) -> float | None:
    return None if (days := _days(state, state)) is None else _second(days[0])


def _last(state: FrequencyState) -> float | None:
    return None if (days := _days(state, state)) is None else _second(days[1])


def _day_of(which: str, extreme: Extreme, single: Callable[[FrequencyState], float | None]) -> Metric:
    of = f"The {which} day of {{column}} is"
    says = Wording(
        f"The {which} day that the texts name.", f"the {which} day of {{column}}", f"{of} between {{low}} and {{high}}",
        f"{of} {{low}} or later", f"{of} {{high}} or earlier", f"{of} always {{low}}",
    )  # fmt: skip
    return Metric(
        f"{which}_date", frozenset({"string"}), (FrequencyState,), 1, "value", f"{which} day that its texts name", single=single,
        grows=True, extreme=extreme, plain="always", dated=True, says=says,
    )  # fmt: skip


FIRST_DATE = _day_of("first", "least", _first)
LAST_DATE = _day_of("last", "greatest", _last)
