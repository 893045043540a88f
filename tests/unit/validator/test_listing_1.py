"""Listing 1 of Deequ's paper (VLDB 2018), translated as a whole: of the rows, of the deltas before, and what follows from other columns."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import avh_ui as avh
from tests.fakes.history import FakeHistory
from tests.unit.validator.test_validate import batch

c, of = avh.checks, avh.analyzers
# What the listing fetches from elsewhere.
NUM_TITLES, MAX_PHONE_RATIO = 7, 0.6
CHECKS = [
    c.is_complete("customerId", "title", "impressionStart", "impressionEnd", "deviceType", "priority"),
    c.is_unique(["customerId", "countryResidence", "deviceType", "title"]),
    c.has(of.count_distinct("title"), at_most=NUM_TITLES),
    c.has(of.compliance("deviceType = 'phone'"), at_most=MAX_PHONE_RATIO),
    c.is_non_negative("count"),
    c.is_less_than("impressionStart", "impressionEnd"),
    c.is_contained_in("priority", ["hi", "lo"]),
    c.has_no_anomalies(of.size(), c.online_normal(3), level="warning"),
    c.has_no_anomalies(of.size(), c.online_normal(4)),
    c.has_predictability("countryResidence", ("zipCode", "cityResidence"), at_least=0.99, level="warning"),
]


def views(rows: int) -> pd.DataFrame:
    """What was watched: a zip is of one city, and a city of one country."""
    return pd.DataFrame([
        {
            "customerId": f"c{row}", "title": f"t{row % 7}", "impressionStart": f"2018-01-01 {row % 9 + 10}:00",
            "impressionEnd": f"2018-01-01 {row % 9 + 10}:30", "deviceType": ("phone", "tv")[row % 2], "priority": ("hi", "lo")[row % 2],
            "count": row % 4, "zipCode": f"{row % 24:05}", "cityResidence": f"city{row % 12}", "countryResidence": f"C{row % 4}",
        }
        for row in range(rows)
    ])  # fmt: skip


@pytest.fixture
def deltas() -> FakeHistory:
    """Thirty deltas of 200 to 202 rows: 205 are more than 3 and less than 4 deviations away, 206 more than 4."""
    kept = FakeHistory()
    for day in range(30):
        kept.save(batch(f"b{day:02}", x=[1.0] * (200 + day % 3), s=None))
    return kept


@pytest.mark.parametrize(
    ("rows", "anomalies"), [(201, ["pass", "pass"]), (205, ["warn", "pass"]), (206, ["warn", "fail"])], ids=["usual", "more", "many more"]
)
def test_anomalies_of_the_number_of_rows_warn_before_they_fail(deltas: FakeHistory, rows: int, anomalies: list[str]) -> None:
    run = avh.check(views(rows), CHECKS, history=deltas, pipeline="p")
    assert [verdict.status for verdict in run.verdicts] == ["pass"] * 7 + anomalies + ["pass"]


@pytest.mark.parametrize(
    ("place", "columns"),
    [
        (0, {"title": {4: None}}),
        (1, {"customerId": {14: "c0"}, "countryResidence": {14: "C0"}, "cityResidence": {14: "city0"}, "zipCode": {14: "00000"}}),
        (2, {"title": {4: "t8"}}),
        (3, {"deviceType": dict.fromkeys(range(60), "phone")}),
        (4, {"count": {4: -1}}),
        (5, {"impressionEnd": {4: "2018-01-01 09:00"}}),
        (6, {"priority": {4: "mid"}}),
        (9, {"countryResidence": dict.fromkeys(range(0, 201, 9), "C9")}),
    ],
)
def test_each_line_fails_alone(deltas: FakeHistory, place: int, columns: dict[str, dict[int, Any]]) -> None:
    spoiled = views(201)
    for name, values in columns.items():
        spoiled.loc[list(values), name] = list(values.values())
    verdicts = avh.check(spoiled, CHECKS, history=deltas, pipeline="p").verdicts
    assert [k for k, verdict in enumerate(verdicts) if verdict.status != "pass"] == [place]
    assert verdicts[place].status == ("fail" if CHECKS[place].level == "error" else "warn")
