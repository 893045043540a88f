"""Dates that are a day off, each written as it was."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.issues.days_off import days_off
from avh_ui.issues.sample import Sample


def moved(values: Any, days: int = 1, some: Any = None) -> list[Any] | None:
    sample = Sample.from_arrow(values if isinstance(values, pa.Array) else pa.array(values))
    found = days_off(sample, np.arange(sample.rows) if some is None else np.array(some), days)
    return None if found is None else found.to_arrow().to_pylist()


@pytest.mark.parametrize(
    ("before", "later"),
    [
        (["2024-02-28", "2023-02-28T10:00:00Z"], ["2024-02-29", "2023-03-01T10:00:00Z"]),
        (["2024/12/31 23:59:59.10"], ["2025/01/01 23:59:59.10"]),
        (["31.12.1999", "1.1.2000"], ["01.01.2000", "2.1.2000"]),
        (["9/30/2024", "9/9/2024"], ["10/1/2024", "9/10/2024"]),
        (["30/09/2024"], ["01/10/2024"]),
        (["2024-02-01", None], ["2024-02-02", None]),
    ],
)
def test_each_is_the_day_after_written_as_it_was(before: list[str | None], later: list[str | None]) -> None:
    assert moved(before) == later
    assert moved(before, 0) is None


@given(st.dates(date(1, 1, 2), date(9999, 12, 30)), st.sampled_from([-1, 1]))
def test_no_day_is_left_out(day: date, days: int) -> None:
    assert moved([day.isoformat()], days) == [(day + timedelta(days=days)).isoformat()]


def test_of_some_rows_the_others_stay() -> None:
    assert moved(["2024-02-01", "2024-02-01", "2024-02-01"], 1, [1]) == ["2024-02-01", "2024-02-02", "2024-02-01"]


def test_moments_keep_their_time_of_day() -> None:
    found = days_off(Sample.from_arrow(pa.array([1_700_000_000], pa.timestamp("s"))), np.array([0]), -1)
    assert found is not None
    assert np.asarray(found.values).tolist() == [1_700_000_000 - 86_400]


@pytest.mark.parametrize("values", [["a", "b"], ["2024-02"], ["2024-02-01", "soon"], [1, 2], [None, ""], ["9999-12-31"]])
def test_what_is_no_day_has_no_day_after(values: list[Any]) -> None:
    assert moved(values) is None
