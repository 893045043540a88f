"""Times of day, against a count by hand."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.clocks import CLOCK_DIST, MOMENT_CLOCK_DIST
from avh_ui.metrics.column import EXACT
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.text_days import TextDays

START = datetime(2026, 3, 1, tzinfo=UTC)
minutes = st.lists(st.integers(0, 3 * 1_440 - 1), min_size=1, max_size=30)


def moments(at: list[int]) -> list[datetime]:
    return [START + timedelta(minutes=minute) for minute in at]


def of_texts(texts: list[str | None]) -> ColumnProfile:
    return ColumnProfile.from_arrow("at", pa.array(texts, pa.string()))


def of_moments(at: list[datetime]) -> ColumnProfile:
    return ColumnProfile.from_arrow("at", pa.array(at, pa.timestamp("us", "UTC")))


def by_hand(ours: list[int], theirs: list[int]) -> float:
    """The largest gap between the shares of the times before each half-hour."""

    def share(at: list[int], upto: int) -> float:
        return sum(minute % 1_440 < upto for minute in at) / len(at)

    return max(abs(share(ours, upto) - share(theirs, upto)) for upto in range(30, 1_441, 30))


@given(minutes, minutes)
def test_it_is_the_largest_gap_between_the_shares_of_half_hours(ours: list[int], theirs: list[int]) -> None:
    found = MOMENT_CLOCK_DIST.value(of_moments(moments(ours)).states, of_moments(moments(theirs)).states)
    assert found == pytest.approx(by_hand(ours, theirs), abs=1e-9)
    for written in ("%Y-%m-%dT%H:%M:%SZ", "%d.%m.%Y %H:%M", "%Y-%m-%d %I:%M %p"):
        one, other = (of_texts([at.strftime(written) for at in moments(side)]).states for side in (ours, theirs))
        assert CLOCK_DIST.value(one, other) == pytest.approx(by_hand(ours, theirs), abs=1e-9)


@given(minutes, minutes)
def test_clocks_of_parts_are_those_of_all(ours: list[int], theirs: list[int]) -> None:
    texts = [[at.isoformat() for at in moments(side)] for side in (ours, theirs)]
    parts = [TextDays.of_texts(side) for side in texts]
    every = pa.array([*texts[0], *texts[1]])
    assert TextDays.merged(parts) == TextDays.of_array(every, np.ones(len(every), dtype=np.int64))


def test_of_more_texts_than_are_kept_the_clock_is_stored_beside_them() -> None:
    rows = [START + timedelta(seconds=7 * k) for k in range(2 * EXACT)]
    later = [at + timedelta(hours=2) for at in rows]
    states = [of_texts([at.isoformat() for at in side]).states[FrequencyState.key] for side in (rows, later)]
    again = [FrequencyState.from_record(state.to_record()) for state in states]
    assert isinstance(states[0], FrequencyState)
    assert not states[0].exact
    gaps = [CLOCK_DIST.value({FrequencyState.key: two}, {FrequencyState.key: one}) for one, two in (states, again)]
    # Of less than four hours all that came in the first two.
    assert gaps == pytest.approx(
        [by_hand([int(k * 7 / 60) + 120 for k in range(2 * EXACT)], [int(k * 7 / 60) for k in range(2 * EXACT)])] * 2
    )


def test_of_days_alone_nothing_is_told_and_of_an_older_release_it_is_not_known() -> None:
    timed, days = of_texts(["2026-03-01T08:00", "2026-03-01T09:00"]).states, of_texts(["2026-03-01"]).states
    assert math.isnan(CLOCK_DIST.value(timed, days))
    assert CLOCK_DIST.value(days, timed) == 1
    assert math.isnan(CLOCK_DIST.value(timed, of_texts(["soon"]).states))
    old = FrequencyState({}, 9, 1, b"x", days=TextDays.of_list([[1, 2], [1, 2]]))
    assert old.days is not None
    assert old.days.clock is None
    assert math.isnan(CLOCK_DIST.value(timed, {FrequencyState.key: old}))


def test_an_alarm_says_which_times_there_are_more_of() -> None:
    assert CLOCK_DIST.tells is not None
    before, now = (of_texts([f"2026-03-01T{hour:02d}:10" for hour in hours]) for hours in ([8, 9, 10, 20], [10, 11, 12, 22]))
    states = [side.states[FrequencyState.key] for side in (now, before)]
    assert CLOCK_DIST.tells(*states) == "times from 09:30 rose from 50% to 100% of all."
    assert CLOCK_DIST.tells(*reversed(states)) == "times before 09:30 rose from 0% to 50% of all."
    assert CLOCK_DIST.tells(states[0], states[0]) == ""
