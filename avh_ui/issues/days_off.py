"""Dates that are a day off, as a clock of another zone leaves them where the time of day is cut, and one who counts from 0."""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import lru_cache
from typing import cast

import numpy as np
import pyarrow as pa

from avh_ui.issues.sample import Codes, Sample
from avh_ui.issues.swapping import swapped
from avh_ui.metrics.text_days import TextDays

DAY_LATER, DAY_EARLIER = "a day later", "a day earlier"
# How many days it is by what it is called.
DAYS_OFF = {DAY_LATER: 1, DAY_EARLIER: -1}
_SECONDS = 86_400.0
_DAY = re.compile(r"(\d{1,4})([-/.])(\d\d?)\2(\d{1,4})", re.ASCII)


def days_off(sample: Sample, some: Codes, days: int) -> Sample | None:
    """With these rows' days so many days later; None where nothing changes, and where not all of its texts are dates. Texts that name no
    more than a month, and days that no calendar has, stay.
    """
    if sample.kind == "temporal":
        return swapped(sample, some, np.asarray(sample.values, dtype=np.float64) + _SECONDS * days, sample.codes[some])
    if sample.kind != "string" or not len(some):
        return None
    values = cast(pa.Array, sample.values)
    # Of what is no date the first text tells.
    if TextDays.of_texts(values.slice(0, 1).to_pylist()) is None or (read := TextDays.of_texts(texts := values.to_pylist())) is None:
        return None
    moved = [_moved(text[:10], days, read.day_first is not None) + text[10:] for text in texts]
    return swapped(sample, some, pa.array(moved, pa.large_string()), sample.codes[some])


# Of a million texts few are of different days.
@lru_cache(maxsize=1 << 12)
def _moved(text: str, days: int, day_first: bool) -> str:
    """A text that begins with a day, with another day, written as it was."""
    found = _DAY.match(text)
    if found is None or len(found[1]) == len(found[4]):
        return text
    one, mark, two, three = found.groups()
    last = len(three) == 4
    year, month, day = (three, two, one) if last and day_first else (three, one, two) if last else (one, two, three)
    try:
        new = date(int(year), int(month), int(day)) + timedelta(days=days)
    except (ValueError, OverflowError):
        return text
    # Of 9/30 and 10/1 one number shows that none has a 0 before it.
    width = min(len(month), len(day))
    said = f"{new.year:04d}", f"{new.month:0{width}d}", f"{new.day:0{width}d}"
    parts = (said[2], said[1], said[0]) if last and day_first else (said[1], said[2], said[0]) if last else said
    return mark.join(parts) + text[found.end() :]
