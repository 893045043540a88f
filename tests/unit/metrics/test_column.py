"""Columns that doubles or texts cannot hold: whole numbers beyond 2**53, long decimals, bytes."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from avh_ui.metrics.distinct import HLL_RELATIVE_ERROR
from avh_ui.metrics.profile import ColumnProfile, merge_columns

BIG = 10**18


def metrics(values: list[Any], kind: pa.DataType) -> dict[str, float]:
    return ColumnProfile.from_arrow("c", pa.array(values, kind)).single_metrics()


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([BIG + i for i in range(500)], pa.int64()),
        ([2**63 - 1 - i for i in range(500)], pa.int64()),
        ([-(2**63) + i for i in range(500)], pa.int64()),
        ([2**64 - 1 - i for i in range(500)], pa.uint64()),
        ([Decimal(BIG + i) / 100 for i in range(500)], pa.decimal128(38, 2)),
        ([Decimal(10**38 - 1 - i) for i in range(500)], pa.decimal128(38, 0)),
    ],
)
def test_values_that_are_equal_as_doubles_are_counted_apart(values: list[Any], kind: pa.DataType) -> None:
    found = metrics([*values, None], kind)
    assert found["unique_ratio"] == pytest.approx(1, abs=3 * HLL_RELATIVE_ERROR)
    assert (found["min"], found["max"]) == (float(min(values)), float(max(values)))
    assert found["sum"] == pytest.approx(float(sum(values)), rel=1e-14)


def test_a_value_in_a_part_with_large_ones_is_the_one_in_a_part_without() -> None:
    small, large = list(range(40)), [BIG + 1, BIG + 2]
    parts = [ColumnProfile.from_arrow("c", pa.array(values, pa.int64())) for values in (small, [*small, *large], large)]
    assert merge_columns(parts).single_metrics()["unique_ratio"] * 84 == pytest.approx(42, abs=0.5)


def test_bytes_are_measured_by_length_and_frequency() -> None:
    found = metrics([b"\x00\xff", b"\xff\xfe\x80\x81", b"\x00\xff", b"", None], pa.binary())
    told = {"str_len": 2, "row_count": 5, "unique_ratio": 0.75, "complete_ratio": 0.8, "dist_val_count": 3, "top_ratio": 0.5}
    assert found == told
    assert metrics([b"ab", b"cd"], pa.binary(2))["str_len"] == 2
    ours, before = (ColumnProfile.from_arrow("c", pa.array(v, pa.binary())) for v in ([b"\xff", b"\xff"], [b"\xfe", b"\xff"]))
    assert ours.distances(before)["linf"] == 0.5
