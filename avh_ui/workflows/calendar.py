"""Batches on the calendar: what a cadence means, and which batches it lets one expect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from itertools import pairwise

from dateutil.relativedelta import relativedelta

from avh_ui.config import Pipeline
from avh_ui.config_budget import DAY_SECONDS, PER_YEAR, WEEK_SECONDS, YEAR_SECONDS, batches_a_year, units_of
from avh_ui.errors import ConfigError
from avh_ui.history.batch_dates import BatchDate
from avh_ui.history.series import batch_order

# Cadence

_DURATIONS = {"hourly": "PT1H", "daily": "P1D", "weekly": "P1W", "monthly": "P1M"}
# Weekly tables repeat after 52 batches, which no usual window holds twice; they get none.
_SEASONS: dict[str, tuple[int, ...]] = {"hourly": (24, 168), "daily": (7,), "weekly": (), "monthly": (12,)}
_UNITS = ("years", "months", "weeks", "days", "hours", "minutes", "seconds")
# A season longer than this many batches would leave too little of a window of 60 after differencing.
_LONGEST_SEASON = 168
# Months have 28 to 31 days; the next cadence that has a word is three times as long.
_PACE = 1.5
# What ids alone may say: no two of these are within that pace of each other.
_BY_IDS = ("hourly", "daily", "weekly", "monthly", "P3M", "P6M", "P1Y")


def batches_per_year(cadence: str) -> float:
    """How many batches a year of this cadence has; `cadence` is a word or an ISO 8601 duration, `ConfigError` for anything else."""
    return PER_YEAR[cadence] if cadence in PER_YEAR else YEAR_SECONDS / seconds_between(cadence)


def season_lags(cadence: str) -> tuple[int, ...]:
    """After how many batches a season repeats: daily 7, hourly 24 and 168, monthly 12; of a duration, whole days and weeks."""
    if cadence in _SEASONS:
        return _SEASONS[cadence]
    step = seconds_between(cadence)
    lags = {round(season / step) for season in (DAY_SECONDS, WEEK_SECONDS) if season % step == 0}
    return tuple(sorted(lag for lag in lags if 1 < lag <= _LONGEST_SEASON))


def seasons_of(batches: Sequence[str], cadence: str) -> tuple[int, ...]:
    """The `season_lags` of a pipeline with these batches (in natural order): none where their ids say that they come at another pace, as
    weekly batches do of which avh.yml says nothing and which are taken for daily ones.
    """
    step = _usual_step(batches)
    return season_lags(cadence) if step is None or _is_pace(step, cadence) else ()


def cadence_of(pipeline: Pipeline, batches: Sequence[str]) -> str:
    """The cadence that avh.yml says; where it says none that of its batches (in natural order), whose ids may be months, and daily where
    they come at no known pace.
    """
    if "cadence" in pipeline.model_fields_set:
        return pipeline.cadence
    step = _usual_step(batches)
    return pipeline.cadence if step is None else next((one for one in _BY_IDS if _is_pace(step, one)), pipeline.cadence)


def pace_of(batches: Sequence[str], cadences: Sequence[str]) -> str:
    """The nearest of some cadences to the usual step of batches (in natural order) that come at no fixed time; '' where half of their steps
    or more are not about as long.
    """
    steps, step = _steps(batches), _usual_step(batches)
    if not step:
        return ""
    nearest = min(cadences, key=lambda one: max(_times(step, one), 1 / _times(step, one)))
    return nearest if 2 * sum(_is_pace(step, nearest) for step in steps) > len(steps) else ""


def _usual_step(batches: Sequence[str]) -> float | None:
    """The median of the seconds from one date to the next; None where there are not two dates."""
    steps = _steps(batches)
    return steps[len(steps) // 2] if steps else None


def _steps(batches: Sequence[str]) -> list[float]:
    """The seconds from one date to the next, the shortest first."""
    starts = [date.start.replace(tzinfo=None) for batch in batches if (date := BatchDate.of(batch)) is not None]
    return sorted((later - sooner).total_seconds() for sooner, later in pairwise(starts))


def _is_pace(step: float, cadence: str) -> bool:
    return 1 / _PACE < _times(step, cadence) < _PACE


def _times(step: float, cadence: str) -> float:
    """How many steps of a cadence such a step is."""
    return step * batches_per_year(cadence) / YEAR_SECONDS


def step_of(cadence: str) -> relativedelta:
    """From one batch to the next on the calendar: a month is a month, not thirty days; `ConfigError` when it is no cadence."""
    return relativedelta(**dict(zip(_UNITS, _counts(_DURATIONS.get(cadence, cadence)), strict=True)))


def seconds_between(duration: str) -> float:
    """The seconds of an ISO 8601 duration (a year has 365.25 days, a month a twelfth of it); `ConfigError` when it is none."""
    _counts(duration)
    return YEAR_SECONDS / batches_a_year(duration)


def _counts(duration: str) -> list[int]:
    """How many of each unit an ISO 8601 duration has."""
    counts = units_of(duration)
    if not any(counts):
        raise ConfigError(f"Cadence {duration!r} is no duration.", hint="Use hourly, daily, weekly, monthly or e.g. PT6H.")
    return counts


# Which batches come

# A table that paused for longer than this has begun anew: nobody wants to see ten years of gaps.
LONGEST_GAP = 400


# So many weeks tell on which days of the week a daily table rests: it came on none of these, and on each other day in most of the weeks.
_WEEKS, _MOST = 4, 3


def days_off(batches: Sequence[str], cadence: str) -> frozenset[int]:
    """The days of the week (0 is Monday) on which a daily table rests, told by its newest batches (in natural order); none of others."""
    starts = [date.start.replace(tzinfo=None) for batch in batches[-7 * _WEEKS - 1 :] if (date := BatchDate.of(batch)) is not None]
    if cadence != "daily" or not starts or starts[-1] - starts[0] < timedelta(weeks=_WEEKS):
        return frozenset()
    came = Counter(start.weekday() for start in starts if start > starts[-1] - timedelta(weeks=_WEEKS))
    return frozenset(range(7)) - set(came) if min(came.values()) >= _MOST else frozenset()


def next_batch(batch: str, cadence: str, off: Collection[int] = ()) -> str | None:
    """The batch that comes after one, written as it is, on none of the days `off`; None where the id names no date or the cadence does not
    fit its writing.
    """
    date = BatchDate.of(batch)
    while date is not None:
        try:
            following = date.plus(step_of(cadence))
        except ConfigError:
            return None
        date = BatchDate.of(following) if off and following is not None else None
        if date is None or date.start.weekday() not in off:
            return following
    return None


def with_missing(batches: Sequence[str], cadence: str) -> list[str]:
    """The batches (in natural order) and, between them, those that the cadence lets one expect and that are not there."""
    return list(_with_missing(tuple(batches), cadence))


# A page asks it of the same batches several times, and each page anew: a year of days takes some 25 ms.
@lru_cache(maxsize=64)
def _with_missing(batches: tuple[str, ...], cadence: str) -> tuple[str, ...]:
    found: list[str] = []
    off = days_off(batches, cadence)
    for batch, there in pairwise(batches):
        gap: list[str] = []
        following = next_batch(batch, cadence, off)
        while following is not None and batch_order(following) < batch_order(there) and len(gap) <= LONGEST_GAP:
            gap.append(following)
            following = next_batch(following, cadence, off)
        # A pipeline whose batches do not keep to the cadence's steps has no gaps that could be named; one may come on a day of rest.
        fits = following is not None and (following == there or (bool(off) and batch_order(following) > batch_order(there)))
        found += [batch, *(gap if fits and len(gap) <= LONGEST_GAP else ())]
    return (*found, *batches[-1:])


def is_late(expected: str, now: datetime | None = None, clock: tzinfo = UTC) -> bool:
    """Whether a batch that is a date of this clock should be there by now; see `BatchDate.is_over`."""
    date = BatchDate.of(expected)
    return date is not None and date.is_over(now or datetime.now(UTC), clock)
