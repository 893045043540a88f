"""Columns of folders `key=value`, as Spark finds them (its answers are from Spark 4.3)."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pyarrow as pa
import pytest

from avh_ui.metrics.declined import DeclinedError
from avh_ui.scan.partitions import column, marker, partitions_of

INT, LONG, DOUBLE, DATE, TEXT = pa.int32(), pa.int64(), pa.float64(), pa.date32(), pa.string()
NULL = "__HIVE_DEFAULT_PARTITION__"


@pytest.mark.parametrize(
    ("texts", "found", "values"),
    [
        (["1"], INT, [1]), (["01", "+1", "-0"], INT, [1, 1, 0]), (["2147483648", "1"], LONG, [2147483648, 1]),
        (["1.5", "01.50", "1"], DOUBLE, [1.5, 1.5, 1.0]), (["2147483648", "1.5"], TEXT, ["2147483648", "1.5"]),
        (["2024-01-01", NULL], DATE, [dt.date(2024, 1, 1), None]), (["0001-01-01"], DATE, [dt.date(1, 1, 1)]),
        (["2024-02-30"], TEXT, ["2024-02-30"]), (["2024-01"], TEXT, ["2024-01"]), (["2024-1-1"], TEXT, ["2024-1-1"]),
        (["2024-01-01", "1"], TEXT, ["2024-01-01", "1"]), (["01", "a", "%41"], TEXT, ["01", "a", "A"]),
        (["a%20b"], TEXT, ["a b"]), (["%C3%BC"], TEXT, ["Ã¼"]), (["%zz"], TEXT, ["%zz"]), (["ü"], TEXT, ["ü"]), (["a=b"], TEXT, ["a=b"]),
        (["1_000"], TEXT, ["1_000"]), (["nan"], TEXT, ["nan"]), (["true"], TEXT, ["true"]), (["1", NULL], INT, [1, None]),
        (["10000-01-01"], TEXT, ["10000-01-01"]), (["2024-01-01T00:00:00"], TEXT, ["2024-01-01T00:00:00"]), (["1L"], TEXT, ["1L"]),
    ],
)  # fmt: skip
def test_types_and_values(texts: list[str], found: pa.DataType, values: list[Any]) -> None:
    paths = [f"/r/k={text}/f" for text in texts]
    partitions = partitions_of({"/r": paths})
    assert partitions.fields == (pa.field("k", found),)
    assert [partitions.values(path) for path in paths] == [[value] for value in values]


@pytest.mark.parametrize(
    "text",
    [
        "9223372036854775808", "1e3", "1E-3", "NaN", "Infinity", "1d", "0x1p3", " 1", "1.", ".5", "2024-01-01 00:00:00",
        "2024-01-01 00%3A00%3A00", "١", NULL,
    ],
)  # fmt: skip
def test_what_is_not_sure_is_declined(text: str) -> None:
    with pytest.raises(DeclinedError):
        partitions_of({"/r": [f"/r/k={text}/f"]})


@pytest.mark.parametrize("paths", [["/r/x/f"], ["/r/a=1/f", "/r/f"], ["/r/a=1/f", "/r/b=1/f"], ["/r/a=1/x/f"], ["/r/a=/f"], ["/r/=1/f"]])
def test_folders_of_no_partition_are_declined(paths: list[str]) -> None:
    with pytest.raises(DeclinedError):
        partitions_of({"/r": paths})


def test_a_file_that_is_named_has_no_partitions() -> None:
    assert partitions_of({"/r/k=1/f": ["/r/k=1/f"], "/r/k=2/g": ["/r/k=2/g"]}).fields == ()
    assert partitions_of({"/r/k=1": ["/r/k=1/h=0/f"]}).names() == ["h"]
    with pytest.raises(DeclinedError, match="several folders of partitions"):
        partitions_of({"/r/k=1": ["/r/k=1/h=0/f"], "/r/k=2": ["/r/k=2/h=1/f"]})


def test_values_as_columns_and_as_markers() -> None:
    assert column("a", TEXT, 3).to_pylist() == ["a"] * 3
    assert column(None, DATE, 2).to_pylist() == [None, None]
    assert column(7, INT, 2).type == INT
    assert [marker(value) for value in (1, dt.date(2024, 1, 1), "x", None)] == ["1", "2024-01-01", "x", None]
    with pytest.raises(DeclinedError):
        marker(1.5)
