"""Hours, days, weeks and months of points in time, against Python's calendar."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.constraints.calendar_steps import DAYS, HOURS, MONTHS, WEEKS, Step

FIRST = datetime(1970, 1, 1, tzinfo=UTC)
MOMENTS = st.datetimes(datetime(1600, 1, 1), datetime(2900, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 (Hypothesis adds the zone)


def _monday(at: datetime) -> datetime:
    return _midnight(at) - timedelta(at.weekday())


def _midnight(at: datetime) -> datetime:
    return at.replace(hour=0, minute=0, second=0, microsecond=0)


BEGINS = {
    HOURS: lambda at: at.replace(minute=0, second=0, microsecond=0), DAYS: _midnight, WEEKS: _monday,
    MONTHS: lambda at: _midnight(at).replace(day=1),
}  # fmt: skip


@pytest.mark.parametrize("step", BEGINS, ids=lambda step: step.word)
@given(MOMENTS)
def test_a_step_begins_where_the_calendar_says(step: Step, at: datetime) -> None:
    seconds = (at - FIRST).total_seconds()
    number = float(step.of(np.array([seconds]))[0])
    assert FIRST + timedelta(seconds=step.start(number)) == BEGINS[step](at)
    assert step.of(np.array([step.start(number + 1)])).tolist() == [number + 1]


@pytest.mark.parametrize("step", BEGINS, ids=lambda step: step.word)
def test_what_is_no_moment_is_in_no_step(step: Step) -> None:
    found = step.of(np.array([math.nan, 0.0]))
    assert math.isnan(found[0])
    assert np.isfinite(found[1])
