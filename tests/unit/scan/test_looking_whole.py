"""Looking at folders that a Spark job has written: their parts are one table."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from avh_ui.errors import SourceError
from avh_ui.scan.looking import look
from tests.unit.scan.test_looking import make, seen_in

DAYS = [f"2026-01-{day:02}" for day in range(1, 11)]


def part(number: int) -> str:
    return f"part-{number:05}-3f1c2d4e-1111-2222-3333-444455556666-c000"


def of_days(days: list[str]) -> str:
    return "day,id\n" + "".join(f"{day},{k}\n" for day in days for k in range(20))


@pytest.mark.parametrize("name", ["part-{:05}", "part-r-{:05}-aa", "part-{:05}-tid-12-ab-0-1-c000"])
def test_parts_without_a_date_are_one_table_that_is_overwritten(tmp_path: Path, name: str) -> None:
    make(tmp_path, *(f"out/{name.format(k)}.csv" for k in range(3)), "out/_SUCCESS")
    (seen,) = seen_in([tmp_path / "out"])
    assert (seen.name, seen.path, seen.batch) == ("out", str(tmp_path / "out"), ("now",))
    assert seen.remarks[0] == "The folder holds 3 parts of one table, as a Spark job writes them: each is no batch."


def test_parts_are_cut_by_the_column_with_dates_of_all_of_them(tmp_path: Path) -> None:
    for number, days in enumerate((DAYS[5:], DAYS[:5])):
        make(tmp_path, f"out/{part(number)}.csv", text=of_days(days))
    (seen,) = seen_in(sorted((tmp_path / "out").iterdir()))
    assert (seen.path, seen.batch, seen.batches) == (str(tmp_path / "out"), ("day",), tuple(DAYS))


def test_one_part_is_a_table_and_empty_ones_say_nothing(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    pq.write_table(pa.table({"id": [1, 2]}), tmp_path / "out" / f"{part(1)}.snappy.parquet")
    (seen,) = seen_in([tmp_path / "out"])
    assert (seen.format, seen.batch, len(seen.batches)) == ("parquet", ("now",), 1)
    assert seen.remarks[0] == "The folder holds one part, as a Spark job writes it."
    make(tmp_path, f"out/{part(0)}.snappy.parquet", text="")
    (again,) = seen_in([tmp_path / "out"])
    assert (again.format, again.path) == ("parquet", str(tmp_path / "out"))


def test_parts_beside_other_files_are_files(tmp_path: Path) -> None:
    make(tmp_path, "parts/part-00001.csv", "parts/part-00002.csv", "parts/prices-2026-01-01.csv", "parts/prices-2026-01-02.csv")
    assert {seen.name: seen.batches for seen in look([tmp_path / "parts"]).tables} == {
        "part": ("00001", "00002"),
        "prices": ("2026-01-01", "2026-01-02"),
    }


def test_parts_that_cannot_be_read_are_left_out_beside_other_folders(tmp_path: Path) -> None:
    make(tmp_path, f"broken/{part(0)}.snappy.parquet", text="no")
    make(tmp_path, *(f"out/{part(k)}.csv" for k in range(2)))
    looked = look([tmp_path / "broken", tmp_path / "out"])
    assert [seen.name for seen in looked.tables] == ["out"]
    (said,) = looked.left_out
    assert said.startswith(f"{tmp_path / 'broken' / part(0)}.snappy.parquet is no Parquet: it looks like plain text.")
    with pytest.raises(SourceError, match="is no Parquet"):
        look([tmp_path / "broken"])


def test_a_folder_of_no_table_is_left_out_beside_other_folders(tmp_path: Path) -> None:
    make(tmp_path, "mixed/day=2026-01-01/a.csv", "mixed/shop=7/a.csv", *(f"out/{part(k)}.csv" for k in range(2)))
    looked = look([tmp_path / "mixed", tmp_path / "out"])
    assert [seen.name for seen in looked.tables] == ["out"]
    (said,) = looked.left_out
    assert said.startswith(f"The folders of {tmp_path / 'mixed'} are partitions by several columns: day, shop.")
