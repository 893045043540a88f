"""What happens to dates and moments: one is a placeholder, the clock is another zone's, none has a time of day, the zone is lost, the days
are one off, or the same days are written in another order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import cast

import numpy as np
import pyarrow as pa

from avh_ui.issues.days_off import DAYS_OFF, days_off
from avh_ui.issues.sample import Codes, Floats, Sample
from avh_ui.issues.swapping import filled, swapped
from avh_ui.issues.variants import Variant
from avh_ui.metrics.text_days import TextDays

DATED = "dates"
# What systems write where they know no date; whoever computes with it never says so.
LONG_AGO, FAR_AHEAD = f"{DATED} one of 1900", f"{DATED} one of 2999"
LATER, MIDNIGHT, NO_ZONE = f"{DATED} two hours later", f"{DATED} at midnight", f"{DATED} without zone"
# The same days as another program writes them: whatever reads them as days tells no difference, and who reads the file next fails.
REORDERED = "date order"
HALF = " in half"
HALF_OFF = tuple(f"{DATED} {way}{HALF}" for way in DAYS_OFF)
_YEARS = {LONG_AGO: (1900, -2_208_988_800.0), FAR_AHEAD: (2999, 32_472_144_000.0)}
_HOURS, _DAY = 2, 86_400.0
_YEAR = re.compile(r"\d{4}", re.ASCII)
_CLOCK = re.compile(r"(?<=[T ])(\d\d?)(:\d\d(?::\d\d(?:[.,]\d+)?)?)", re.ASCII)
_DAY_OF_TEXT = re.compile(r"(\d{4})[-/.](\d\d?)[-/.](\d\d?)|(\d\d?)[-/.](\d\d?)[-/.](\d{4})", re.ASCII)
_ZONE = re.compile(r"(?<=:\d\d)(?:[.,]\d+)?(Z| ?[+-]\d\d:?\d\d)$", re.ASCII)
_DIGIT = re.compile(r"\d", re.ASCII)


def date_issues(sample: Sample) -> Iterator[Variant]:
    """Each of them, of all rows but where it is of one or of half; of texts where all are dates. What changes nothing is left out."""
    there = filled(sample)
    if not len(there):
        return
    for way, days in DAYS_OFF.items():
        for part, some in (("", there), (HALF, there[::2] if len(there) > 1 else there[:0])):
            if (changed := days_off(sample, some, days)) is not None:
                yield Variant(DATED, f"{DATED} {way}{part}", 1.0, changed)
    made = _of_texts(sample, there) if sample.kind == "string" else _of_moments(sample, there) if sample.kind == "temporal" else ()
    for name, changed in made:
        if changed is not None:
            yield Variant(REORDERED if name == REORDERED else DATED, name, 1.0, changed)


def in_other_order(sample: Sample, some: Codes) -> Sample | None:
    """With these rows' days written in another order; None where not all of its texts are dates."""
    return _written_anew(sample, some, _in_other_order)


def a_year_later(sample: Sample, some: Codes) -> Sample | None:
    """With these rows' days in the next year, but for 29 February; None where not all of its texts are dates."""
    return _written_anew(sample, some, _a_year_later)


def _written_anew(sample: Sample, some: Codes, way: Callable[[str], str]) -> Sample | None:
    values = cast(pa.Array, sample.values)
    # Of what is no date the first text tells.
    if not len(some) or TextDays.of_texts(values.slice(0, 1).to_pylist()) is None or TextDays.of_texts(texts := values.to_pylist()) is None:
        return None
    return swapped(sample, some, pa.array([way(text) for text in texts], pa.large_string()), sample.codes[some])


_Made = Iterator[tuple[str, Sample | None]]


def _of_moments(sample: Sample, there: Codes) -> _Made:
    values: Floats = np.asarray(sample.values, dtype=np.float64)
    for name, (_, moment) in _YEARS.items():
        yield name, swapped(sample, there[:1], np.array([moment]), np.zeros(1, dtype=np.int64))
    days = np.floor(values / _DAY) * _DAY
    # Within its day: what falls on the next one the last moment tells.
    yield LATER, swapped(sample, there, days + (values - days + 3_600.0 * _HOURS) % _DAY, sample.codes[there])
    yield MIDNIGHT, swapped(sample, there, days, sample.codes[there])


def _of_texts(sample: Sample, there: Codes) -> _Made:
    texts = cast(pa.Array, sample.values).to_pylist()
    if TextDays.of_texts(texts) is None:
        return
    for name, (year, _) in _YEARS.items():
        first = _YEAR.sub(str(year), texts[sample.codes[there[0]]], count=1)
        yield name, swapped(sample, there[:1], pa.array([first], pa.large_string()), np.zeros(1, dtype=np.int64))
    ways: dict[str, Callable[[str], str]] = {
        LATER: lambda text: _CLOCK.sub(_later, text, count=1),
        MIDNIGHT: lambda text: _CLOCK.sub(lambda clock: _DIGIT.sub("0", clock[0]), text, count=1),
        NO_ZONE: lambda text: text[: found.start(1)] if (found := _ZONE.search(text)) else text,
        REORDERED: _in_other_order,
    }
    for name, way in ways.items():
        yield name, swapped(sample, there, pa.array([way(text) for text in texts], pa.large_string()), sample.codes[there])


def _later(clock: re.Match[str]) -> str:
    return f"{(int(clock[1]) + _HOURS) % 24:0{len(clock[1])}d}{clock[2]}"


def _in_other_order(text: str) -> str:
    return _DAY_OF_TEXT.sub(_reordered, text, count=1)


def _a_year_later(text: str) -> str:
    later = _YEAR.sub(lambda year: f"{int(year[0]) + 1:04d}", text, count=1)
    days = TextDays.of_texts([later])
    return later if days and (days.day_first or days.month_first) else text


def _reordered(day: re.Match[str]) -> str:
    """With the day first, and points; of years that are last with the year first."""
    year, month, first, *last = day.groups()
    return "-".join(reversed(last)) if year is None else f"{first}.{month}.{year}"
