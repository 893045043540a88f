"""The next year, month and day never alarm: what a column says of its batch's date is compared with it, whatever the form of the id."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.date_parts import PARTS, part_followed
from avh_ui.constraints.judging import judge
from avh_ui.constraints.transforms import Transform
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.reprogramming import within_budget
from avh_ui.metrics.column import Kind
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.moments import MAX, MEAN, MIN
from avh_ui.review.plain import plain

DAY = 86_400.0
FORMS: tuple[Callable[[date], str], ...] = (
    date.isoformat, "{:%Y%m%d}".format, "{:%Y-%m-%d}T00:00:00".format, "dt={:%Y-%m-%d}".format, "orders_{:%Y_%m_%d}".format,
)  # fmt: skip
COLUMNS: dict[str, tuple[Kind, Callable[[date], float]]] = {
    "year": ("numeric", lambda at: at.year),
    "month": ("numeric", lambda at: at.month),
    "day": ("numeric", lambda at: at.day),
    "yyyymmdd": ("numeric", lambda at: 10_000 * at.year + 100 * at.month + at.day),
    "iso_year": ("numeric", lambda at: at.isocalendar().year),
    "iso_week": ("numeric", lambda at: at.isocalendar().week),
    "week_from_sunday": ("numeric", lambda at: int(at.strftime("%U"))),
    "week_from_monday": ("numeric", lambda at: int(at.strftime("%W"))),
    "yyyyww": ("numeric", lambda at: 100 * at.isocalendar().year + at.isocalendar().week),
    "day_of_year": ("numeric", lambda at: at.timetuple().tm_yday),
    "weekday": ("numeric", lambda at: at.isoweekday()),
    "weekday_from_0": ("numeric", lambda at: at.weekday()),
    "weekday_from_sunday": ("numeric", lambda at: at.isoweekday() % 7),
    "quarter": ("numeric", lambda at: (at.month + 2) // 3),
    "fiscal_quarter": ("numeric", lambda at: (at.month - 4) % 12 // 3 + 1),
    "fiscal_period": ("numeric", lambda at: (at.month - 7) % 12 + 1),
    "fiscal_year": ("numeric", lambda at: at.year + (at.month >= 10)),
    "fy_by_its_start": ("numeric", lambda at: at.year - (at.month < 4)),
    "ordered_at": ("temporal", lambda at: datetime(at.year, at.month, at.day, tzinfo=UTC).timestamp()),
}
# Every day of the next year, and on.
AHEAD = (*range(370), 400, 800)


def history(name: str, kind: Kind, batches: tuple[str, ...], values: np.ndarray) -> ColumnHistory:
    ones = np.ones(len(values))
    series = {metric.name: values.astype(float) for metric in (MEAN, MIN, MAX)} | {"range": 0 * ones, "unique_ratio": ones / 100}
    return ColumnHistory(name, kind, "", batches, series | {"row_count": 100 * ones, "complete_ratio": ones}, ones.astype(bool))


@settings(max_examples=60)
@given(st.dates(date(1995, 1, 1), date(2035, 1, 1)), st.integers(35, 120), st.sampled_from(FORMS), st.sampled_from(sorted(COLUMNS)))
@example(date(2000, 9, 13), 47, date.isoformat, "fiscal_period")  # months 3 and 4 from July, in quarters 3 and 4
def test_the_next_day_month_and_year_never_alarm(first: date, count: int, form: Callable[[date], str], name: str) -> None:
    kind, of = COLUMNS[name]
    days = [first + timedelta(k) for k in range(count)]
    known = history(name, kind, tuple(map(form, days)), np.array([of(at) for at in days]))
    metrics: tuple[Metric, ...] = (MIN, MAX) if kind == "temporal" else (MEAN, MIN, MAX)
    made = within_budget(known, metrics, 0.05, method="calibrated", season_lags=(7,)).suggestions
    assert made
    for ahead in AHEAD:
        at = days[-1] + timedelta(1 + ahead)
        for constraint in (proposal.constraint for proposal in made):
            assert constraint.transform.part, (name, constraint.metric)
            reference = constraint.transform.told_by(form(at), of(at))
            assert constraint.holds(constraint.transform.forward(of(at), reference)), (at, constraint)


def stays(count: int, seed: int) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """Bookings of so many days: the first stay begins within 3 days, the last some 150 days ahead."""
    days = [date(2025, 3, 1) + timedelta(k) for k in range(count)]
    rng = np.random.default_rng(seed)
    midnights = np.array([datetime(at.year, at.month, at.day, tzinfo=UTC).timestamp() for at in days])
    return tuple(map(date.isoformat, days)), midnights + DAY * rng.integers(0, 4, count), midnights + DAY * rng.integers(120, 180, count)


@settings(max_examples=20)
@given(st.integers(60, 120), st.integers(0, 99))
def test_days_that_move_with_their_batch_are_held_to_its_date_and_never_to_a_day(count: int, seed: int) -> None:
    batches, first, last = stays(count, seed)
    series = {MIN.name: first, MAX.name: last, "range": last - first, "row_count": np.full(count, 100.0)}
    known = ColumnHistory("check_in", "temporal", "", batches, series, np.ones(count, dtype=bool))
    made = {p.constraint.metric: p.constraint for p in within_budget(known, (MIN, MAX), 0.01, method="calibrated").suggestions}
    assert set(made) == {"min", "max"}
    assert all(constraint.transform.part == "date" and constraint.recipe is None for constraint in made.values())
    assert (made["min"].lower, made["min"].upper, made["max"].lower) == (0, None, None)
    assert 180 <= made["max"].upper < 600
    assert made["max"].upper % 10 == 0
    # Ten years on what lies as far ahead passes, and what lies before the batch does not.
    date_of = PARTS["date"].number("2035-06-01")
    assert made["max"].holds(made["max"].transform.forward((date_of + 179) * DAY, date_of))
    assert not made["min"].holds(made["min"].transform.forward((date_of - 1) * DAY, date_of))


def test_days_that_do_not_move_keep_to_days() -> None:
    batches, _, _ = stays(90, 0)
    born = DAY * (np.random.default_rng(1).integers(-20_000, -19_000, 90))
    series = {MIN.name: born, MAX.name: born + 3e8, "range": np.full(90, 3e8), "row_count": np.full(90, 100.0)}
    known = ColumnHistory("born", "temporal", "", batches, series, np.ones(90, dtype=bool))
    made = within_budget(known, (MIN, MAX), 0.01, method="calibrated").suggestions
    assert made
    assert not any(proposal.constraint.transform.part for proposal in made)


def test_a_batch_with_days_too_far_ahead_says_so() -> None:
    of = Constraint(column="check_in", metric="max", kind="temporal", lower=None, upper=300.0, transform=Transform(part="date"), fpr=1e-3)
    at = PARTS["date"].number("2026-01-01")
    assert plain(of) == "The largest check_in is always no later than 300 days after the date of the batch."
    verdict = judge(of, (at + 301) * DAY, at, batch="2026-01-01")
    assert verdict.status == "fail"
    assert verdict.message == "The largest check_in is 2026-10-29, later than 300 days after the date of the batch 2026-01-01."


@pytest.mark.parametrize(
    ("name", "part", "told"),
    [
        ("year", "year or ISO year", "year"),
        ("iso_year", "year or ISO year", "ISO year"),
        ("week", "week or week from Monday", "week"),
        ("week_from_monday", "week or week from Monday", "week from Monday"),
        ("fiscal_year", "fiscal year", "year until September"),
    ],
)
def test_what_calendars_differ_in_is_either_until_a_day_tells(name: str, part: str, told: str) -> None:
    """2024 begins on a Monday, and its last two days are of ISO's next year."""
    days = [date(2024, 10, 7) + timedelta(k) for k in range(400)]
    _, of = COLUMNS.get(name, COLUMNS["iso_week"])
    for many, expected in ((70, part), (400, told)):
        numbers = np.array([float(of(at)) for at in days[:many]])
        assert part_followed(numbers, [at.isoformat() for at in days[:many]], name) == expected


def test_of_two_years_the_nearer_one_is_meant_and_no_third() -> None:
    of = Constraint(column="y", metric="mean", kind="numeric", lower=0.0, upper=0.0, transform=Transform(part="year or ISO year"), fpr=1e-3)
    for number, status in ((2024.0, "pass"), (2025.0, "pass"), (2023.0, "fail"), (2024.5, "fail")):
        assert judge(of, number, of.transform.told_by("2024-12-31", number), "2024-12-31").status == status
    assert judge(of, 2025.0, of.transform.told_by("2024-12-20", 2025.0), "2024-12-20").status == "fail"
    assert plain(of) == "y is always the year of the batch."


@pytest.mark.parametrize("name", ["quarters", "base_year", "months", "contract_months"])
def test_a_constant_that_might_be_a_fiscal_part_is_none(name: str) -> None:
    batches = [(date(2025, 10, 5) + timedelta(k)).isoformat() for k in range(25)]
    assert part_followed(np.full(25, 2024.0 if name == "base_year" else 3.0), batches, name) == ""


FIRSTS = tuple(date(2000 + k // 12, 1 + k % 12, 1).isoformat() for k in range(60))


@pytest.mark.parametrize(("name", "part"), [("day", "day"), ("day_of_month", "day"), ("day_of_week", ""), ("weekday", ""), ("holiday", "")])
def test_a_1_on_the_first_of_each_month_is_its_day_where_the_name_says_so(name: str, part: str) -> None:
    """The smallest day of the week of a month is 1 as its first day is."""
    assert part_followed(np.ones(60), FIRSTS, name) == part


@pytest.mark.parametrize("part", [name for name, part in PARTS.items() if part.step is None and not part.others and "hour" not in name])
def test_a_part_is_known_by_its_number_of_each_batch(part: str) -> None:
    """Of a month as of each of its days, in ids of days and of months."""
    for batches in (FIRSTS, tuple((date(2023, 12, 1) + timedelta(k)).isoformat() for k in range(60)), tuple(day[:7] for day in FIRSTS)):
        numbers = np.array([PARTS[part].number(batch) for batch in batches])
        found = part_followed(numbers, batches, f"fiscal {part}")
        assert found or not np.isfinite(numbers).all() or np.all(numbers == numbers[0])
        assert not found or [PARTS[found].number(batch, beside) for batch, beside in zip(batches, numbers, strict=True)] == [*numbers]


def test_what_never_lay_before_its_date_is_not_allowed_to() -> None:
    """Rows of a whole month: the first may be missing, and none is of the month before."""
    ones = np.ones(60)
    series = {MEAN.name: 15.5 * ones, MIN.name: ones, MAX.name: 31 * ones, "range": 30 * ones, "unique_ratio": ones}
    column = ColumnHistory(
        "day_of_month", "numeric", "", FIRSTS, series | {"row_count": 31 * ones, "complete_ratio": ones}, ones.astype(bool)
    )
    (found,) = [p.constraint for p in within_budget(column, (MIN,), 0.01, method="calibrated").suggestions]
    assert (found.lower, found.upper) == (0, 1)
    assert plain(found) == "The smallest day_of_month is always between the day of the month of the batch and it + 1."
