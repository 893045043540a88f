"""Distinct numbers with their counts, by a naive count, whichever way they are counted."""

from __future__ import annotations

import math
from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from avh_ui.metrics.column import Column
from avh_ui.metrics.numbers import Numbers
from avh_ui.metrics.written_numbers import as_numbers

ROWS = 5_000
INTEGERS: list[Any] = [np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def counted(numbers: Numbers) -> dict[float, int]:
    found = numbers.counted
    assert found is not None
    assert np.all(np.diff(found[0]) > 0)
    return dict(zip(found[0].tolist(), found[1].tolist(), strict=True))


def naive(values: Any) -> dict[float, int]:
    return dict(Counter(float(v) for v in values if not math.isnan(v)))


@given(st.sampled_from(INTEGERS), st.data())
def test_whole_numbers_up_to_the_ends_of_their_type(kind: Any, data: st.DataObject) -> None:
    ends = np.iinfo(kind)
    near = st.integers(ends.min, ends.min + 3) | st.integers(ends.max - 3, ends.max) | st.integers(0, 3)
    values = np.array(data.draw(st.lists(near, max_size=40)), dtype=kind)
    assert counted(Numbers(values)) == naive(values)


@given(st.lists(st.floats() | st.sampled_from([0.0, math.nan, math.inf, -math.inf, 1.0]), max_size=40))
@example([math.nan])
@example([math.nan, -math.inf, math.nan, math.inf])
def test_doubles(values: list[float]) -> None:
    held = np.array(values, dtype=np.float64) + 0.0
    assert counted(Numbers(held)) == naive(held.tolist())
    assert len(Numbers(held)) == len(values)


@pytest.mark.parametrize("kind", INTEGERS)
@pytest.mark.parametrize("step", [1, 10**6])
def test_many_whole_numbers_close_to_each_other_and_far_apart(kind: Any, step: int) -> None:
    ends, rng = np.iinfo(kind), np.random.default_rng(3)
    most = min(500, (int(ends.max) - int(ends.min)) // step)
    values = (int(ends.min) + step * rng.integers(0, most + 1, ROWS).astype(object)).astype(kind)
    assert counted(Numbers(values)) == naive(values)
    assert counted(Numbers(np.sort(values))) == naive(values)


@pytest.mark.parametrize("kind", INTEGERS)
def test_they_are_counted_piece_by_piece(monkeypatch: pytest.MonkeyPatch, kind: Any) -> None:
    monkeypatch.setattr("avh_ui.metrics.numbers._PIECE", 700)
    ends, rng = np.iinfo(kind), np.random.default_rng(6)
    for least in (int(ends.min), int(ends.max) - 99):
        values = (least + rng.integers(0, 100, ROWS).astype(object)).astype(kind)
        assert counted(Numbers(values)) == naive(values)


def test_many_doubles_some_of_them_nan() -> None:
    values = np.random.default_rng(4).integers(0, 300, ROWS) / 7
    values[::11] = math.nan
    assert counted(Numbers(values)) == naive(values)
    assert counted(Numbers(np.sort(values))) == naive(values)


def test_what_is_mostly_distinct_is_not_counted() -> None:
    rng = np.random.default_rng(5)
    assert Numbers(rng.normal(size=ROWS)).counted is None
    assert Numbers(rng.integers(0, 2**60, ROWS)).counted is None
    assert len(counted(Numbers(rng.permutation(ROWS)))) == ROWS


@given(st.lists(st.none() | st.sampled_from(["1", "1.0", "+1", "1e0", "-0", "0", "2.50", "2.5", "12345678901234567"]), max_size=30))
def test_numbers_written_in_several_ways_are_one(texts: list[str | None]) -> None:
    found = as_numbers(Column.from_arrow("x", pa.array(texts, pa.string())))
    assert counted(found.held) == naive([float(text) + 0.0 for text in texts if text is not None])
    assert sorted(found.numbers.tolist()) == sorted(float(text) for text in texts if text is not None)


@pytest.mark.parametrize(
    "text",
    ["07", "", " 1", "1 ", "1\n", "1e", "0x1", "1,5", "nan", "Infinity", "\u0661", "1\0", "-", ".", "12e3", "4E05", "0E7", "1e1000"],
)
def test_what_is_no_number_makes_a_column_of_texts(text: str) -> None:
    for others in (1, 2_000):
        assert as_numbers(Column.from_arrow("x", pa.array([*map(str, range(others)), text]))).rows == 0


@pytest.mark.parametrize("text", ["0", "-1", "+1", "1.", ".5", "00.5", "1e5", "1E-5", "-.5e+3"])
def test_what_is_a_number_among_few_and_among_many(text: str) -> None:
    for others in (1, 2_000):
        assert as_numbers(Column.from_arrow("x", pa.array([*(f"{k}.25" for k in range(others)), text]))).numbers[-1] == float(text)


@pytest.mark.parametrize("rows", [10, ROWS])
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_are_counted_in_seconds(unit: str, rows: int) -> None:
    moments = [EPOCH + timedelta(hours=k % 7, microseconds=k % 3 if unit in ("us", "ns") else 0) for k in range(-2, rows - 2)]
    for kind in (pa.timestamp(unit), pa.timestamp(unit, "Europe/Rome")):
        values = pa.array(moments, pa.timestamp(unit, "UTC")).cast(kind)
        assert counted(Column.from_arrow("t", values).held) == naive([(m - EPOCH) / timedelta(microseconds=1) / 1e6 for m in moments])
    spans = pa.array([m - EPOCH for m in moments], pa.duration(unit))
    assert counted(Column.from_arrow("d", spans).held) == naive([(m - EPOCH) / timedelta(seconds=1) for m in moments])


def test_days_and_times_of_day_are_counted_in_seconds() -> None:
    days = [date(1969, 12, 30) + timedelta(days=k % 5) for k in range(ROWS)]
    for kind in (pa.date32(), pa.date64()):
        assert counted(Column.from_arrow("d", pa.array(days, kind)).held) == naive([(d - EPOCH.date()).days * 86_400 for d in days])
    times = [time(k % 24, 30) for k in range(ROWS)]
    for kind in (pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")):
        assert counted(Column.from_arrow("t", pa.array(times, kind)).held) == naive([t.hour * 3600 + 1800 for t in times])
