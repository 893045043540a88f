"""The days that texts name: `first_date` and `last_date` of a column whose every text begins with a date (`metrics.text_days`).

They follow from the frequencies that every profile has; of more texts than these keep, where the profile was made since the days are kept
beside them. A day is told as the second that it begins with, as for points in time, whatever clock and zone stand behind it. Where one text
is no date there is none to tell.

Where a batch does not say which number is the day (`02/05/2024` alone), `first_date` tells nothing: a guess would turn days into months.
Other batches may have said it. So there are both readings as metrics of their own, and those are used that all batches of a history bear,
where they do not bear the other too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date

import numpy as np
from numpy.typing import NDArray

from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import Extreme, Metric
from avh_ui.metrics.remembering import remembered
from avh_ui.metrics.text_days import Span, TextDays
from avh_ui.metrics.unread_days import either, unread_days
from avh_ui.metrics.wording import Wording

_EPOCH, _DAY_SECONDS = date(1970, 1, 1).toordinal(), 86_400.0


@remembered
def _days(ours: FrequencyState, _: FrequencyState) -> TextDays | None:
    return ours.named


def _day_of(which: str, extreme: Extreme, suffix: str, reading: str, span: Callable[[TextDays], Span | None]) -> Metric:
    end = 0 if extreme == "least" else 1

    def single(state: FrequencyState) -> float | None:
        found = None if (days := _days(state, state)) is None else span(days)
        return None if found is None else (found[end] - _EPOCH) * _DAY_SECONDS

    def unread(state: FrequencyState) -> str:
        days, reads = _days(state, state), span if reading else either
        return "" if days is not None and reads(days) is not None else unread_days(state, reads)

    read = f", read as {reading}," if reading else ""
    of = f"The {which} day of {{column}}{read} is"
    says = Wording(
        f"The {which} day that the texts name{read.removesuffix(',')}.", f"the {which} day of {{column}}",
        f"{of} between {{low}} and {{high}}", f"{of} {{low}} or later", f"{of} {{high}} or earlier", f"{of} always {{low}}",
    )  # fmt: skip
    short = f"{which} day that its texts name{read.removesuffix(',')}"
    return Metric(
        f"{which}_date{suffix}", frozenset({"string"}), (FrequencyState,), 1, "value", short, single=single, grows=True, extreme=extreme,
        plain="always", dated=True, says=says, tells=unread,
    )  # fmt: skip


def _ends(suffix: str, reading: str, span: Callable[[TextDays], Span | None]) -> tuple[Metric, Metric]:
    return _day_of("first", "least", suffix, reading, span), _day_of("last", "greatest", suffix, reading, span)


FIRST_DATE, LAST_DATE = _ends("", "", lambda days: days.told)
DAY_FIRST = _ends("_dmy", "day/month/year", lambda days: days.day_first)
MONTH_FIRST = _ends("_mdy", "month/day/year", lambda days: days.month_first)
# The first and the last day, as the texts say it themselves, and in both readings.
DAYS = ((FIRST_DATE, LAST_DATE), DAY_FIRST, MONTH_FIRST)


def unread(metric: Metric, values: Mapping[str, NDArray[np.float64]]) -> str:
    """Why a reading of days says nothing of a history with these series, shape (K,), by name of the metric; '' for what is none."""
    pair = next((pair for pair in (DAY_FIRST, MONTH_FIRST) if metric in pair), None)
    if pair is None:
        return ""
    end = pair.index(metric)
    plain, *readings = (values.get(ends[end].name) for ends in DAYS)
    if plain is not None and np.isfinite(plain).all():
        return "every batch says itself which number is the day"
    return "both readings give days in all batches" if all(one is not None and np.isfinite(one).all() for one in readings) else ""
