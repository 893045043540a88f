"""The next batch of a cadence, and the batches that never came."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from avh_ui.workflows.calendar import is_late, next_batch, with_missing


@pytest.mark.parametrize(
    ("batch", "cadence", "following"),
    [
        ("2024-02-28", "daily", "2024-02-29"),
        ("2023-12-31", "daily", "2024-01-01"),
        ("2024-01-29", "weekly", "2024-02-05"),
        ("2023-12", "monthly", "2024-01"),
        ("2024-01-01", "monthly", "2024-02-01"),
        ("2024-01-31", "monthly", "2024-02-29"),
        ("2024-02-29", "monthly", "2024-03-31"),
        ("2024-01-30", "monthly", None),
        ("20240205", "daily", "20240206"),
        ("20241231", "daily", "20250101"),
        ("20240205", "hourly", None),
        ("202412", "monthly", "202501"),
        ("202412", "daily", None),
        ("2024", "P1Y", "2025"),
        ("2024-W52", "weekly", "2025-W01"),
        ("2024Q4", "P3M", "2025Q1"),
        ("Q4-2024", "P3M", "Q1-2025"),
        ("gdp 4Q2024", "P3M", "gdp 1Q2025"),
        ("4q-2024", "P3M", "1q-2025"),
        ("KW52_2024 x", "weekly", "KW01_2025 x"),
        ("KW 52 2024", "weekly", "KW 01 2025"),
        ("2024-week52", "weekly", "2025-week01"),
        ("H2-2024", "P6M", "H1-2025"),
        ("2024h2", "P6M", "2025h1"),
        ("2H 2024", "P6M", "1H 2025"),
        ("gdp_4Q24", "P3M", "gdp_1Q25"),
        ("Q4-99", "P3M", "Q1-00"),
        ("4Q68", "P3M", None),
        ("gdp 2024-q2", "P3M", "gdp 2024-q3"),
        ("2024Q1", "P1Y", "2025Q1"),
        ("2024Q1", "monthly", None),
        ("2024Q5", "P3M", None),
        ("2020W53", "weekly", "2021W01"),
        ("2024-W05", "daily", None),
        ("dt=2024-02-28", "daily", "dt=2024-02-29"),
        ("orders_20240228_v2", "daily", "orders_20240229_v2"),
        ("2024/02/29", "daily", "2024/03/01"),
        ("29.02.2024", "daily", "01.03.2024"),
        ("2024020523", "hourly", "2024020600"),
        ("2024-02-05T2330", "PT30M", "2024-02-06T0000"),
        ("20240205T231500Z", "PT15M", "20240205T233000Z"),
        ("2024-01-01T18:00:00.5", "PT6H", "2024-01-02T00:00:00.5"),
        ("2024-01-01T23", "hourly", "2024-01-02T00"),
        ("2024-01-01 23:00:00", "hourly", "2024-01-02 00:00:00"),
        ("2024-01-01T18:00:00+00:00", "PT6H", "2024-01-02T00:00:00+00:00"),
        ("2024-01-01", "P2D", "2024-01-03"),
        ("2024-01-01", "hourly", None),
        ("run 7", "daily", None),
        ("9999-12-31", "daily", None),
        ("2024-13", "monthly", None),
    ],
)
def test_the_next_batch(batch: str, cadence: str, following: str | None) -> None:
    assert next_batch(batch, cadence) == following


def test_gaps_are_named() -> None:
    assert with_missing(["2024-01-01", "2024-01-04", "2024-01-05"], "daily") == [f"2024-01-0{k}" for k in range(1, 6)]
    assert with_missing(["2024-01", "2024-04"], "monthly") == ["2024-01", "2024-02", "2024-03", "2024-04"]
    assert with_missing(["20240101", "20240104"], "daily") == ["20240101", "20240102", "20240103", "20240104"]
    assert with_missing(["dt=2024-W01", "dt=2024-W03"], "weekly") == ["dt=2024-W01", "dt=2024-W02", "dt=2024-W03"]


@pytest.mark.parametrize("batches", [[], ["x"], ["b1", "b5"], ["2024-01-01", "2030-01-01"], ["2024-01-01", "2024-01-01 bis", "2024-01-03"]])
def test_what_keeps_no_step_has_no_gaps(batches: list[str]) -> None:
    assert with_missing(batches, "daily") == batches


def test_weekly_batches_on_another_day_are_no_gap() -> None:
    assert with_missing(["2024-01-01", "2024-01-16"], "weekly") == ["2024-01-01", "2024-01-16"]


def test_a_batch_is_late_when_its_time_is_over() -> None:
    now = datetime(2024, 1, 2, 12, tzinfo=UTC)
    assert not is_late("2024-01-02", now)
    assert not is_late("20240102", now)
    assert is_late("20240101", now)
    assert not is_late("2024-W01", now)
    assert is_late("dt=2023-W52", now)
    assert is_late("2023", datetime(2024, 1, 5, tzinfo=UTC))
    assert not is_late("2024-01-02T13:30:00+02:00", now)
    assert is_late("2024-01-01", now)
    assert is_late("2024-01-02T10", now)
    assert not is_late("2024-01-02T11:30", now)
    assert is_late("2023-11", now)
    assert is_late("2023Q3", now)
    assert not is_late("2023Q4", now)
    assert not is_late("2024-01", now)
    assert not is_late("run 7", now)
