"""What stands in an order, so that rows can leave at one end of it."""

from __future__ import annotations

import pyarrow as pa
import pytest

from avh_ui.inference.by_key.moving import in_order
from avh_ui.metrics.values_of_rows import values_of


@pytest.mark.parametrize("written", [["2024-01-31", "2024-02-01"], ["31.01.2024", "01.02.2024"], ["20240131", "20240201"]])
def test_days_written_as_texts_are_in_order(written: list[str]) -> None:
    first, second = in_order(values_of({"key": pa.array(written)})["key"])  # type: ignore[misc]
    assert second - first == 86_400


def test_texts_that_are_no_days_or_no_utf_8_are_in_none() -> None:
    assert in_order(values_of({"key": pa.array(["Rome", "Bari"])})["key"]) is None
    assert in_order(values_of({"key": pa.array([b"2024-01-31", b"Forl\xec"])})["key"]) is None
    assert in_order(values_of({"key": pa.array(["2024-01-31", None])})["key"]) is None
