"""Distances over several batches: what grows is no further than usual after a day that failed for another reason, and a fault still is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.constraint import Constraint, Verdict
from avh_ui.constraints.judging import judge
from avh_ui.errors import NotFoundError
from avh_ui.history.standings import Baseline, Standing
from avh_ui.metrics.profile import BatchProfile
from avh_ui.validator.farther import Farther, compares_two
from avh_ui.workflows.frames import profile_table

RULE = Constraint("total", "emd", kind="numeric", lower=None, upper=12.0)
LEVEL = Constraint("level", "emd", kind="numeric", lower=None, upper=12.0)


def batch(day: int) -> BatchProfile:
    """A counter that grows by ten a day, and a level that does not."""
    total, level = np.arange(50.0) + 10 * day, np.arange(50.0) + day % 2 * 8
    return profile_table(pa.table({"total": total, "level": level}), "t", f"d{day:02}")


class _History:
    def __init__(self, *gone: str) -> None:
        self.read: list[str] = []
        self.gone = gone

    def load(self, _: str, name: str, columns: list[str]) -> BatchProfile:
        self.read.append(name)
        if name in self.gone:
            raise NotFoundError("profile of 't' for batch", name, [])
        found = batch(int(name[1:]))
        return replace(found, columns={column: found.columns[column] for column in columns})


def farther(history: _History, *, steps: int = 3, lasting: bool = False, failed: tuple[int, ...] = (18, 19)) -> Farther:
    standings = [Standing(f"d{day:02}", failed=day in failed) for day in range(10, 20)]
    baseline = Baseline(f"d{20 - steps:02}", steps, lasting=lasting)
    return Farther(history, "t", lambda: standings, baseline, judge)  # type: ignore[arg-type]


def over(rule: Constraint, value: float) -> Verdict:
    return judge(rule, value)


def test_a_counter_is_three_times_as_far_after_three_days_and_passes() -> None:
    alarm = over(RULE, 30.0)
    assert alarm.status == "fail"
    found = farther(_History()).judged(alarm)
    assert (found.status, found.observed) == ("pass", 30.0)
    assert found.message.endswith("is 30 over 3 batches, as usual over so many.")


def test_what_moves_farther_than_the_days_between_explain_stays_an_alarm() -> None:
    alarm = over(RULE, 40.0)
    assert farther(_History()).judged(alarm) is alarm


@pytest.mark.parametrize("steps", [2, 3])
def test_what_does_not_grow_has_no_more_room(steps: int) -> None:
    alarm = over(LEVEL, 20.0)
    assert farther(_History(), steps=steps).judged(alarm) is alarm


def test_nothing_is_read_where_nothing_alarms_or_the_batch_before_is_compared_with() -> None:
    history = _History()
    passed, alarm = over(RULE, 3.0), over(RULE, 30.0)
    assert farther(history).judged(passed) is passed
    assert farther(history, steps=1).judged(alarm) is alarm
    assert farther(history, lasting=True).judged(alarm) is alarm
    level = over(replace(RULE, metric="mean", lower=0.0), 30.0)
    assert farther(history).judged(level) is level
    assert not compares_two(level.constraint)
    assert history.read == []


def test_batches_that_cannot_be_read_leave_the_alarm() -> None:
    alarm = over(RULE, 30.0)
    assert farther(_History(*(f"d{day}" for day in range(10, 20)))).judged(alarm) is alarm
