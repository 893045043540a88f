"""Tables of Parquet files with a batch column: what is read of them for some batches."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from avh_ui.config import Source
from avh_ui.metrics.declined import DeclinedError
from avh_ui.scan import parquet_reader
from avh_ui.scan.listing import FileListing
from tests.fakes.columnar_files import all_batches


def write(folder: Path, name: str, table: dict[str, Any], **options: Any) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(table), folder / name, **options)


def planned(folder: Path, batches: list[str] | None = None) -> tuple[Any, Any, FileListing]:
    source = Source.model_validate({"path": ".", "batch_column": "batch"})
    listing = FileListing(source, folder)
    return *parquet_reader.plan_table(source, listing, listing.locate("table"), batches), listing


def test_files_of_other_batches_are_not_opened(tmp_path: Path) -> None:
    for day in (1, 2, 3):
        write(tmp_path, f"batch=2024-01-0{day}/f.parquet", {"v": [day]})
    reader, shares, listing = planned(tmp_path)
    assert [share.batch for share in shares] == ["2024-01-01", "2024-01-02", "2024-01-03"]
    assert [field.name for field in reader.schema] == ["v", "batch"]
    (tmp_path / "batch=2024-01-02" / "f.parquet").write_bytes(b"broken")
    reader, shares, listing = planned(tmp_path, ["2024-01-03", "2024-01-09"])
    assert [rows.to_pylist() for rows in all_batches(reader, shares, listing)] == [[{"v": 3, "batch": dt.date(2024, 1, 3)}]]
    with pytest.raises(DeclinedError, match="cannot be looked at"):
        planned(tmp_path)


@pytest.mark.parametrize(
    ("values", "batches", "parts"),
    [
        (["a", "b", "c", "d"], ["b", "x"], (0,)), ([1, 2, 30, 40], ["30", "7"], (1,)), ([1, 2, 30, 40], ["030", "x"], None),
        ([dt.date(2024, 1, k) for k in (1, 2, 3, 4)], ["2024-01-04", "2024-02-30"], (1,)), (["a", None, None, None], ["a"], (0, 1)),
        ([True, False, True, True], ["false"], (0, 1)),
    ],
)  # fmt: skip
def test_row_groups_without_the_batches_are_not_read(tmp_path: Path, values: list[Any], batches: list[str], parts: Any) -> None:
    write(tmp_path, "f.parquet", {"batch": values, "v": [1, 2, 3, 4]}, row_group_size=2)
    _, shares, _ = planned(tmp_path, batches)
    assert [(share.batch, share.parts) for share in shares] == ([("", parts)] if parts else [])
    assert [share.parts for share in planned(tmp_path)[1]] == [(0, 1)]


def test_row_groups_of_other_days_are_not_read_whatever_the_unit_of_their_times(tmp_path: Path) -> None:
    source = Source.model_validate({"path": ".", "batch": "date(t)"})
    times = pa.array([dt.datetime(2024, 1, day, 23, 59, tzinfo=dt.UTC) for day in (1, 2, 3)])
    for unit in ("us", "ns"):
        write(tmp_path, "f.parquet", {"t": times.cast(pa.timestamp(unit, "UTC"))}, row_group_size=1)
        listing = FileListing(source, tmp_path)
        _, shares = parquet_reader.plan_table(source, listing, listing.locate("table"), ["2024-01-02"])
        assert [share.parts for share in shares] == [(1,)]


def test_statistics_that_are_not_there_prune_nothing(tmp_path: Path) -> None:
    write(tmp_path, "f.parquet", {"batch": ["a", "b"]}, row_group_size=1, write_statistics=False)
    assert planned(tmp_path, ["b"])[1][0].parts == (0, 1)


def test_columns_are_those_of_the_first_file(tmp_path: Path) -> None:
    write(tmp_path, "1.parquet", {"batch": ["a"], "v": [1]})
    write(tmp_path, "2.parquet", {"more": [1], "batch": ["b"]})
    reader, shares, listing = planned(tmp_path)
    assert [rows.to_pylist() for rows in all_batches(reader, shares, listing)] == [[{"batch": "a", "v": 1}], [{"batch": "b", "v": None}]]
    write(tmp_path, "3.parquet", {"batch": ["c"], "v": [1.5]})
    with pytest.raises(DeclinedError, match="'v' as double and the first file as int64"):
        planned(tmp_path)


def test_tables_without_the_column_are_declined(tmp_path: Path) -> None:
    write(tmp_path, "1.parquet", {"v": [1]})
    with pytest.raises(DeclinedError, match="no column 'batch'"):
        planned(tmp_path)
    write(tmp_path / "t", "batch=1.5/1.parquet", {"v": [1]})
    with pytest.raises(DeclinedError, match="fractions"):
        planned(tmp_path / "t")
