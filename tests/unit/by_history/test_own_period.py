"""Days of the batch's own week or month: found, suggested, and broken by the file of another week."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.config import Pipeline
from avh_ui.constraints.schema import SchemaConstraint
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.candidates import candidates_of, fit_metrics
from avh_ui.metrics.dates import FIRST_DATE, LAST_DATE
from avh_ui.metrics.profiler import Watch
from avh_ui.review.plain import plain
from avh_ui.validator.validate import validate
from avh_ui.workflows.frames import profile_table
from avh_ui.workflows.suggesting import SuggestOptions, suggest
from tests.fakes import builders
from tests.fakes.history import FakeHistory
from tests.fakes.profiler import FakeProfiler

MONDAY, DAY = date(2023, 1, 2), 86_400.0


def weeks(count: int = 40, step: int = 7) -> list[date]:
    return [MONDAY + timedelta(step * k) for k in range(count)]


def own_days(ids: list[date], first: Callable[[int], int], last: Callable[[int], int]) -> tuple[float, float] | None:
    """As they are found of batches whose first and last day are so many days after their date."""
    day = [one.toordinal() - date(1970, 1, 1).toordinal() for one in ids]
    series = {
        FIRST_DATE.name: np.array([(one + first(k)) * DAY for k, one in enumerate(day)]),
        LAST_DATE.name: np.array([(one + last(k)) * DAY for k, one in enumerate(day)]),
    }
    history = ColumnHistory("at", "string", "", tuple(map(str, ids)), series, np.ones(len(ids), dtype=bool))
    models, _ = fit_metrics(history, metrics=[FIRST_DATE, LAST_DATE])
    told = {model.own_days for model in models}
    assert len(told) == 1
    for model in models:
        grid = candidates_of(model)
        if model.own_days is not None and model.sigma:
            assert (float(grid.lower[0]), float(grid.upper[0])) == model.own_days
            assert grid.fpr[0] <= 0.001
    return told.pop()


@pytest.mark.parametrize(
    ("first", "last", "found"),
    [
        (lambda k: k % 2, lambda k: 6 - k % 3 // 2, (0, 6)),
        (lambda k: -4 + k % 2, lambda k: -(k % 5 // 4), (-6, 0)),
        # In one batch a day is of the week before, or of the next one.
        (lambda k: -1 if k == 9 else k % 2, lambda k: 6, None),
        (lambda k: k % 2, lambda k: 7 if k == 9 else 5, None),
        # Neither what came before nor what comes next.
        (lambda k: -2 + k % 2, lambda k: 2, None),
    ],
    ids=["begins with its date", "ends with it", "one earlier", "one later", "around it"],
)
def test_the_days_of_a_week_are_those_up_to_the_next_batch_or_since_the_last(
    first: Callable[[int], int], last: Callable[[int], int], found: tuple[float, float] | None
) -> None:
    assert own_days(weeks(), first, last) == found


def test_batches_without_a_period_have_no_days_of_their_own() -> None:
    assert own_days(weeks(step=1), lambda k: -(k % 2), lambda _: 0) is None
    uneven = [MONDAY + timedelta(7 * k + (3 if k % 5 == 0 else 0)) for k in range(40)]
    assert own_days(uneven, lambda k: k % 2, lambda _: 2) is None
    # A holiday week without a file is a hole.
    assert own_days([one for k, one in enumerate(weeks()) if k != 20], lambda k: k % 2, lambda _: 6) == (0, 6)


def test_months_have_up_to_31_days() -> None:
    ids = [date(2020 + k // 12, k % 12 + 1, 1) for k in range(40)]
    assert own_days(ids, lambda k: k % 2, lambda k: 27 + k % 2) == (0, 30)


@pytest.mark.parametrize(("seen", "found"), [(3, 21), (9, 27), (20, 91)])
def test_the_first_day_of_a_quarter_is_one_of_its_first(seen: int, found: float) -> None:
    ids = [date(2010 + k // 4, 3 * (k % 4) + 1, 1) for k in range(40)]
    day = np.array([one.toordinal() - date(1970, 1, 1).toordinal() for one in ids])
    rng = np.random.default_rng(5)
    firsts, lasts = day + np.append(seen, rng.integers(0, seen, 39)), np.append(day[1:], day[-1] + 90) - rng.integers(1, 3, 40)
    series = {FIRST_DATE.name: firsts * DAY, LAST_DATE.name: lasts * DAY}
    history = ColumnHistory("at", "string", "", tuple(map(str, ids)), series, np.ones(len(ids), dtype=bool))
    first, last = fit_metrics(history, metrics=[FIRST_DATE, LAST_DATE])[0]
    assert (first.own_days, last.own_days) == ((0, found), (0, 91))


def tweets(week: date) -> pa.Table:
    """Some a day, of which the first and the last are not in each week."""
    rng = np.random.default_rng(week.toordinal())
    days = np.concatenate([[rng.integers(0, 2)], rng.integers(1, 6, 50), [rng.integers(5, 7)]])
    return pa.table({"at": [f"{week + timedelta(int(day)):%Y-%m-%d}T{rng.integers(0, 24):02}:15:00Z" for day in days], "n": np.arange(52)})


def typed(week: date) -> pa.Table:
    """The same as points in time."""
    made = tweets(week)
    return made.set_column(0, "at", pa.array([datetime.fromisoformat(text[:-1]) for text in made["at"].to_pylist()]))


@pytest.mark.parametrize(("make", "metric", "which"), [(tweets, "first_date", "first day of"), (typed, "max", "largest")])
def test_the_file_of_another_week_is_told_by_its_days_and_the_next_one_passes(
    make: Callable[[date], pa.Table], metric: str, which: str
) -> None:
    pipeline = Pipeline.model_validate({"name": "p", "source": {"path": "{batch}.parquet"}})
    tables, history = {week.isoformat(): make(week) for week in weeks()}, FakeHistory()
    for batch, table in tables.items():
        history.save(profile_table(table, "p", batch))
    run = suggest(pipeline, FakeProfiler({"p": tables}), history, SuggestOptions(), Watch())
    (rule,) = [s.constraint for s in run.suggestions if (s.constraint.metric, s.constraint.column) == (metric, "at")]
    assert plain(rule) == f"The {which} at is always between the date of the batch and 6 days after it."
    program = builders.program(constraints=(rule,), schema=SchemaConstraint((), level="off"))
    new_year, before = date(2024, 1, 1), date(2023, 12, 25)
    for batch, days, status in ((new_year, new_year, "pass"), (new_year, before, "fail"), (before, new_year, "fail")):
        assert validate(program, profile_table(make(days), "p", batch.isoformat()), history).status == status
