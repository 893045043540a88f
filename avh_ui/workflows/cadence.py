"""What a pipeline's cadence means for its batches: how many come in a year, and after how many a season repeats."""

from __future__ import annotations

import re

from dateutil.relativedelta import relativedelta

from avh_ui.errors import ConfigError

_DURATIONS = {"hourly": "PT1H", "daily": "P1D", "weekly": "P1W", "monthly": "P1M"}
_PER_YEAR = {"hourly": 8766.0, "daily": 365.25, "weekly": 52.18, "monthly": 12.0}
# Weekly tables repeat after 52 batches, which no usual window holds twice; they get none.
_SEASONS: dict[str, tuple[int, ...]] = {"hourly": (24, 168), "daily": (7,), "weekly": (), "monthly": (12,)}
_DURATION = re.compile(r"P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")
_UNITS = ("years", "months", "weeks", "days", "hours", "minutes", "seconds")
_SECONDS = (365.25 * 86_400, 365.25 / 12 * 86_400, 7 * 86_400.0, 86_400.0, 3_600.0, 60.0, 1.0)
_DAY, _WEEK, _YEAR = 86_400.0, 7 * 86_400.0, 365.25 * 86_400.0
# A season longer than this many batches would leave too little of a window of 60 after differencing.
_LONGEST_SEASON = 168


def batches_per_year(cadence: str) -> float:
    """How many batches a year of this cadence has; `cadence` is a word or an ISO 8601 duration."""
    return _PER_YEAR[cadence] if cadence in _PER_YEAR else _YEAR / seconds_between(cadence)


def season_lags(cadence: str) -> tuple[int, ...]:
    """After how many batches a season repeats: daily 7, hourly 24 and 168, monthly 12; of a duration, whole days and weeks."""
    if cadence in _SEASONS:
        return _SEASONS[cadence]
    step = seconds_between(cadence)
    lags = {round(season / step) for season in (_DAY, _WEEK) if season % step == 0}
    return tuple(sorted(lag for lag in lags if 1 < lag <= _LONGEST_SEASON))


def step_of(cadence: str) -> relativedelta:
    """From one batch to the next on the calendar: a month is a month, not thirty days; `ConfigError` when it is no cadence."""
    return relativedelta(**dict(zip(_UNITS, _counts(_DURATIONS.get(cadence, cadence)), strict=True)))


def seconds_between(duration: str) -> float:
    """The seconds of an ISO 8601 duration (a year has 365.25 days, a month a twelfth of it); `ConfigError` when it is none."""
    return sum(count * seconds for count, seconds in zip(_counts(duration), _SECONDS, strict=True))


def _counts(duration: str) -> list[int]:
    """How many of each unit an ISO 8601 duration has."""
    match = _DURATION.fullmatch(duration)
    counts = [int(count or 0) for count in match.groups()] if match else []
    if not any(counts):
        raise ConfigError(f"Cadence {duration!r} is no duration.", hint="Use hourly, daily, weekly, monthly or e.g. PT6H.")
    return counts
