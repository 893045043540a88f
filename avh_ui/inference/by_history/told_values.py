"""What the values of the batch before tell of a column: whether that few are whole, or that frequent ones come again, is worth saying."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from avh_ui.constraints.weekdays import NAMES
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import find
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.values_gone import by_chance

# Ten list prices with cents, as of a shop's products, are whole or not by chance.
_FEW_VALUES, _ROWS_EACH = 12, 5
# Where nearly all of the whole ones are 0 whole means none: an add-on of 0.
_NONE, _SOME_WHOLE = 0.8, 0.1
# Of so many halves and wholes alone a half means something else: an age in half years is one of which the day of birth is not known.
_HALVES = 2
# One value that so many rows have says nothing of the others: that "negative" comes again was said of 97 % of tests.
_MOST, _SEVERAL = 0.5, 2
# Of so many years a popular one may be missing.
_YEARS, _MANY_YEARS, _NEARLY, _YEAR = (1000, 2100), 30, 0.9, re.compile(r"\d{4}(\.0)?", re.ASCII)
# Days of the week, written out or cut short: which of them come is the calendar's, and a holiday takes one.
_DAYS, _LEAST_DAYS, _LEAST_LETTERS = tuple(day.lower() for day in NAMES), 3, 3


def whole_by_chance(before: ColumnProfile | None) -> str:
    """Why how many of its numbers are whole says nothing, by the values of the batch `before`; '' where it does."""
    state = None if before is None else find(before.states, DistributionState)
    values, shares = (np.empty(0), np.empty(0)) if state is None else state.support()
    if not len(values):
        return ""
    if state is not None and len(values) <= _FEW_VALUES and state.n >= _ROWS_EACH * len(values):
        return "it has few values, which are whole or not whoever writes them"
    if np.all(np.abs(values) < 1):
        # "At most 20 % of the errors of the day's length are whole numbers" was said of those of a microsecond.
        return "none of its numbers can be whole but 0"
    whole = values == np.rint(values)
    if shares[whole].sum() >= _SOME_WHOLE and shares[values == 0].sum() > _NONE * shares[whole].sum():
        return "nearly all of its whole ones are 0"
    if np.all(_HALVES * values == np.rint(_HALVES * values)):
        return "all its numbers are whole or halves"
    return ""


def comes_by_chance(column: str, before: ColumnProfile | None) -> str:
    """Why that frequent values come again says nothing: most rows of the batch `before` had one, and no other was frequent, or they are
    days of the week, or the `column` says of one whether it is; '' where it does.
    """
    if before is None:
        return ""
    texts, numbers = find(before.states, FrequencyState), find(before.states, DistributionState)
    counts = list(texts.table.values()) if texts is not None else numbers.counts.tolist() if numbers is not None and numbers.exact else []
    frequent = sum(count > by_chance(1, 1) for count in counts)
    if frequent < _SEVERAL and max(counts, default=0) > _MOST * sum(counts):
        return "one value is most of them, and no other is frequent"
    if _are_years(list(texts.table) if texts is not None else [] if numbers is None or not numbers.exact else numbers.values.tolist()):
        return "its values are years, of which none has to come again"
    if _is_day(column) or (texts is not None and len(texts.table) >= _LEAST_DAYS and all(map(_is_day, texts.table))):
        return "its values are days of the week, and a holiday takes one"
    return ""


def _are_years(values: Sequence[str] | Sequence[float]) -> bool:
    """Whether they are of many years, as those in which companies were founded."""
    first, last = _YEARS
    years = sum(first <= float(one) <= last and float(one).is_integer() for one in values if isinstance(one, float) or _YEAR.fullmatch(one))
    return years >= _MANY_YEARS and years >= _NEARLY * len(values)


def _is_day(text: str) -> bool:
    return len(text) >= _LEAST_LETTERS and any(day.startswith(text.lower()) for day in _DAYS)
