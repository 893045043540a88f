"""The next year, month and day never alarm: what a column says of its batch's date is compared with it, whatever the form of the id."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from avh_ui.constraints.date_parts import PARTS
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.reprogramming import within_budget
from avh_ui.metrics.column import Kind
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.moments import MAX, MEAN, MIN

FORMS: tuple[Callable[[date], str], ...] = (
    date.isoformat, "{:%Y%m%d}".format, "{:%Y-%m-%d}T00:00:00".format, "dt={:%Y-%m-%d}".format, "orders_{:%Y_%m_%d}".format,
)  # fmt: skip
COLUMNS: dict[str, tuple[Kind, Callable[[date], float]]] = {
    "year": ("numeric", lambda at: at.year),
    "month": ("numeric", lambda at: at.month),
    "day": ("numeric", lambda at: at.day),
    "yyyymmdd": ("numeric", lambda at: 10_000 * at.year + 100 * at.month + at.day),
    "ordered_at": ("temporal", lambda at: datetime(at.year, at.month, at.day, tzinfo=UTC).timestamp()),
}
AHEAD = (0, 1, 27, 31, 60, 366)


def history(name: str, kind: Kind, batches: tuple[str, ...], values: np.ndarray) -> ColumnHistory:
    ones = np.ones(len(values))
    series = {metric.name: values.astype(float) for metric in (MEAN, MIN, MAX)} | {"range": 0 * ones, "unique_ratio": ones / 100}
    return ColumnHistory(name, kind, "", batches, series | {"row_count": 100 * ones, "complete_ratio": ones}, ones.astype(bool))


@settings(max_examples=20)
@given(st.dates(date(1995, 1, 1), date(2035, 1, 1)), st.integers(7, 40), st.sampled_from(FORMS), st.sampled_from(sorted(COLUMNS)))
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
            reference = PARTS[constraint.transform.part].number(form(at))
            assert constraint.holds(constraint.transform.forward(of(at), reference)), (at, constraint)
