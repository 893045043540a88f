"""Folders that are tables of Hudi or Iceberg are told, and no files of theirs are taken for a delivery."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from avh_ui.errors import SourceError
from avh_ui.scan.looking import look
from tests.unit.scan.test_looking import make


@pytest.mark.parametrize(
    ("mark", "part", "kind", "query"),
    [
        (".hoodie/hoodie.properties", "f_1.csv", "Hudi", "select * from shop timestamp as of '{batch}'"),
        ("metadata/v1.metadata.json", "data/00000.csv", "Iceberg", "select * from lake.shop timestamp as of '{batch}'"),
    ],
)
def test_a_table_of_a_lake_is_told(mark: str, part: str, kind: str, query: str, tmp_path: Path) -> None:
    make(tmp_path, f"shop/{mark}", f"shop/{part}", text="id,x\n1,2\n2,3\n")
    with pytest.raises(SourceError) as told:
        look([tmp_path / "shop"])
    assert f"is a table of {kind}" in told.value.message
    assert query in told.value.hint
    (tmp_path / "shop" / mark).unlink()
    (tmp_path / "shop" / mark).parent.rmdir()
    (seen,) = look([tmp_path / "shop" / part]).tables
    assert seen.batch == ("now",)


def test_of_delta_the_versions_are_named_where_no_column_names_batches(tmp_path: Path) -> None:
    (tmp_path / "shop" / "_delta_log").mkdir(parents=True)
    pq.write_table(pa.table({"x": [1.0, 2.0]}), tmp_path / "shop" / "part-0.parquet")
    with pytest.raises(SourceError, match=r"No column of the Delta table .*shop names its batches") as told:
        look([tmp_path / "shop"])
    assert f"select * from delta.`{tmp_path}/shop` version as of {{batch}}" in told.value.hint


@pytest.mark.parametrize("partitioned", [False, True])
def test_of_delta_that_grows_day_by_day_the_column_of_the_days_is_seen(partitioned: bool, tmp_path: Path) -> None:
    days = [f"2026-01-{day:02}" for day in range(1, 6)]
    (tmp_path / "shop" / "_delta_log").mkdir(parents=True)
    for k, day in enumerate(days):
        folder = tmp_path / "shop" / (f"day={day}" if partitioned else "")
        folder.mkdir(exist_ok=True)
        table = {"x": [1.0, 2.0, 3.0]} | ({} if partitioned else {"day": [day] * 3})
        pq.write_table(pa.table(table), folder / f"part-{k}.parquet")
    (seen,) = look([tmp_path / "shop"]).tables
    assert (seen.format, seen.batch, list(seen.batches)) == ("delta", ("day",), days)


def test_of_delta_files_of_older_versions_are_not_looked_at(tmp_path: Path) -> None:
    log = tmp_path / "shop" / "_delta_log"
    log.mkdir(parents=True)
    for k, day in enumerate(("2026-01-01", "2026-01-02")):
        pq.write_table(pa.table({"x": [1.0, 2.0, 3.0], "day": [day] * 3}), tmp_path / "shop" / f"part {k}.parquet")
        removed = '{"remove":{"path":"part%200.parquet"}}\n' if k else ""
        (log / f"{k:020}.json").write_text(f'{{"commitInfo":{{}}}}\n{{"add":{{"path":"part%20{k}.parquet"}}}}\n{removed}')
    with pytest.raises(SourceError, match="No column of the Delta table"):
        look([tmp_path / "shop"])
