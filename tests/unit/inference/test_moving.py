"""What stands in an order, so that rows can leave at one end of it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_key.moving import growing, in_order, moving
from avh_ui.metrics.keys_matched import KEYS_GONE, KEYS_NEW
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows
from avh_ui.metrics.values_of_rows import values_of


@pytest.mark.parametrize("written", [["2024-01-31", "2024-02-01"], ["31.01.2024", "01.02.2024"], ["20240131", "20240201"]])
def test_days_written_as_texts_are_in_order(written: list[str]) -> None:
    first, second = in_order(values_of({"key": pa.array(written)})["key"])  # type: ignore[misc]
    assert second - first == 86_400


def test_texts_that_are_no_days_or_no_utf_8_are_in_none() -> None:
    assert in_order(values_of({"key": pa.array(["Rome", "Bari"])})["key"]) is None
    assert in_order(values_of({"key": pa.array([b"2024-01-31", b"Forl\xec"])})["key"]) is None
    assert in_order(values_of({"key": pa.array(["2024-01-31", None])})["key"]) is None


def days(first: int, last: int) -> RowSample:
    keys = [str(np.datetime64("2026-01-01") + day) for day in range(first, last)]
    return drawn(keys)


def drawn(keys: list[str]) -> RowSample:
    rows = Rows(len(keys), {"day": pa.array(keys), "n": pa.array(range(len(keys)))})
    return RowSample.of_rows(rows, Need(RowSample, ("day", "n"), None, Drawing(1)))


def keys_of(gone: list[float], new: list[float]) -> ColumnHistory:
    batches = tuple(f"b{k}" for k in range(len(gone)))
    values = {KEYS_GONE.name: np.array(gone), KEYS_NEW.name: np.array(new)}
    return ColumnHistory("rows by day", "rows", "", batches, values, np.ones(len(gone), dtype=bool))


@pytest.mark.parametrize(
    ("gone", "new", "ours", "expected"),
    [
        ([0.0] * 9, [0.01] * 9, (0, 101), "growing"),
        ([0.01] * 9, [0.01] * 9, (1, 101), "moving"),
        ([0.0] * 9, [0.0] * 9, (0, 100), ""),  # a dimension
        ([0.0] * 9, [0.9] * 9, (0, 101), ""),  # events, of which few come again
        ([0.0] * 5, [0.01] * 5, (0, 101), ""),  # too young to tell
        ([0.0] * 6 + [0.01] * 3, [0.01] * 9, (0, 101), "growing"),  # a row is taken back now and then
    ],
)
def test_rows_that_come_at_one_end_make_a_series_and_with_those_that_leave_a_window(
    gone: list[float], new: list[float], ours: tuple[int, int], expected: str
) -> None:
    keys, now, then = keys_of(gone, new), days(*ours), days(0, 100)
    assert growing(keys, now, then) == (expected == "growing")
    assert moving(keys, now, then) == (expected == "moving")


def test_rows_that_come_between_others_make_no_series() -> None:
    now = days(0, 100)
    texts = [f"2026-01-{day:02}" for day in range(1, 32) if day != 15]
    before = drawn(texts)
    keys = keys_of([0.0] * 9, [0.01] * 9)
    assert not growing(keys, now, before)
    assert growing(keys, days(0, 32), days(0, 31))
