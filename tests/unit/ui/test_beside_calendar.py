"""What the batch's date says of a column is no drift, and what a rule measures is no column: neither stands out in the map or in Drift."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pyarrow as pa

from avh_ui.history.series import ColumnHistory, History
from avh_ui.history.views import View
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.type_names import MATCHED
from avh_ui.ui.state.comparison import Comparison
from avh_ui.ui.state.heatmap import heatmap, moved_metrics

DAYS = [date(2013, 6, 1) + timedelta(k) for k in range(120)]
BATCHES = tuple(map(date.isoformat, DAYS))
WRONG = BATCHES.index("2013-09-10")
ALL = np.ones(len(DAYS), dtype=bool)


def column(name: str, level: np.ndarray, kind: str = "bigint") -> ColumnHistory:
    # The mean of many equal numbers is off by rounding, and a distance of two days is as large as their difference.
    values = {
        "min": level,
        "max": level,
        "mean": level * (1 + 1e-16),
        "emd": np.abs(np.diff(level, prepend=np.nan)),
        "complete_ratio": 1.0 * ALL,
    }
    return ColumnHistory(name, "rows" if kind == MATCHED else "numeric", kind, BATCHES, values, ALL)


def history() -> History:
    """A day that is wrong once, what matched rows do with it, a number that falls as far at the same times, and a rule's condition."""
    day = np.array([float(at.day) for at in DAYS])
    moved = ColumnHistory("day by id", "rows", MATCHED, BATCHES, {"risen": np.where(np.diff(day, prepend=0) > 0, 1.0, 0.0)}, ALL)
    share = np.where(np.arange(len(DAYS)) < 100, np.nan, 1.0)
    rule = ColumnHistory("a = b", "boolean", "truth", BATCHES, {"compliance": share}, np.isfinite(share), asked=True)
    wrong = day.copy()
    wrong[WRONG] = 11.0
    found = (column("day", wrong), moved, column("level", 100 + day), rule)
    return History("p", BATCHES, 1_000.0 * ALL, {c.column: c for c in found})


def marked(name: str) -> set[str]:
    found = heatmap(history(), "daily")
    return {batch for batch in BATCHES if found.code(name, batch) in "1234"}


def test_the_end_of_a_month_is_no_drift_and_a_wrong_day_is() -> None:
    assert marked("day") == {BATCHES[WRONG]}
    assert marked("day by id") == set()
    # Of another number so large a fall stands out.
    assert marked("level") >= {"2013-08-01", "2013-09-01"}
    first, wrong = (moved_metrics(history(), "daily", "day", batch)[0] for batch in ("2013-09-01", BATCHES[WRONG]))
    assert (first.value, first.rarity.times) == ("1", 0.0)
    assert wrong.rarity.marked


def side(batch: str, day: int, *more: str) -> View:
    columns = {name: ColumnProfile.from_arrow(name, pa.array([day] * 4)) for name in ("day", "level")}
    columns |= {name: ColumnProfile.from_arrow(name, pa.array([True] * 4)) for name in more}
    return View("p", (batch,), (), 4, columns)


def test_two_days_are_compared_beside_the_calendar() -> None:
    found = {c.name: c for c in Comparison(side("2013-09-01", 1), side("2013-08-31", 31), history()).columns()}
    assert not found["day"].rarity.marked
    assert found["level"].rarity.marked
    stuck = {c.name: c for c in Comparison(side("2013-09-01", 31), side("2013-08-31", 31), history()).columns()}
    assert stuck["day"].rarity.marked
    # 31 beside 31 has moved: the page says against what.
    told = Comparison(side("2013-09-01", 31), side("2013-08-31", 31), history())
    assert told.expected("day") == "It is held against the day of the month of the batch: 1 on 2013-09-01, 31 on 2013-08-31."
    assert told.expected("level") == ""
    # Of a span nobody says its day.
    month = replace(side("2013-08-31", 9), batches=BATCHES[61:91])
    assert not any(c.rarity.marked for c in Comparison(side("2013-09-01", 1), month, history()).columns() if c.name == "day")


def test_what_a_rule_measures_for_the_first_time_has_not_appeared() -> None:
    found = heatmap(history(), "daily")
    assert {found.code("a = b", batch) for batch in BATCHES[:101]} == {" "}
    assert found.kinds[found.places["a = b"]] == "rule"
    ours, theirs = side("2013-09-09", 9, "a = b", "c"), side("2013-09-08", 8)
    changes = {c.name: (c.change, c.note) for c in Comparison(ours, theirs, history()).columns() if c.name in ("a = b", "c")}
    assert changes == {"a = b": ("same", "not measured on 2013-09-08"), "c": ("appeared", "bool column appeared")}
