"""Files that a pattern names in folders that are batches are what the folder above them is."""

from __future__ import annotations

from pathlib import Path

import pytest

from avh_ui.scan.looking import look
from tests.unit.scan.test_looking import make

MONTHS = [f"data/year=2026/month={month:02d}/{day:02d}.csv" for month in (1, 2) for day in range(1, 29)]
PARTS = [f"data/dt=2026-01-{day:02d}/part-{part}.csv" for day in (1, 2, 3) for part in (0, 1)]
NAMED = [f"data/2026/{month:02d}/{table}_2026-{month:02d}-05.csv" for month in (1, 2) for table in ("crm", "shop")]


@pytest.mark.parametrize(
    ("files", "pattern"),
    [
        (MONTHS, "data/year=*/month=*/*.csv"),
        (MONTHS, "data/*/*/*"),
        (MONTHS, "data/year=2026/month=*/*.csv"),
        (PARTS, "data/dt=*/*.csv"),
        (PARTS, "data/*/*"),
        (NAMED, "data/*/*/*.csv"),
        ([f"data/{day}/{hour:02d}/part.csv" for day in ("20260101", "20260102") for hour in (0, 12)], "data/*/*/part.csv"),
        ([f"data/country={c}/day=2026-01-{day:02d}/p.csv" for c in ("IT", "FR") for day in (1, 2)], "data/*/*/*.csv"),
    ],
)
def test_a_pattern_of_all_files_is_the_folder(files: list[str], pattern: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make(Path(), *files)
    folder = look([Path("data")])
    assert {seen.name for seen in folder.tables} <= {"data", "crm", "shop"}
    assert look([Path(pattern)]) == folder
    assert look(sorted(Path().glob(pattern))) == folder, "as a shell expands it"
    monkeypatch.chdir("data")
    # Of the table that the folder is.
    assert [seen.name for seen in look([Path(pattern.removeprefix("data/"))]).tables] == [seen.name for seen in folder.tables]


@pytest.mark.parametrize(
    ("pattern", "path"),
    [("data/dt=*/part-0.csv", "data/dt={batch}/part-0.csv"), ("data/dt=*/*.csv", "data/dt={batch}/*.csv")],
)
def test_some_files_of_each_folder_are_a_table(pattern: str, path: str, tmp_path: Path) -> None:
    make(tmp_path, *PARTS)
    make(tmp_path, *(f"data/dt=2026-01-{day:02d}/audit.json" for day in (1, 2, 3)), text='{"n": 1}\n')
    (seen,) = look([tmp_path / pattern]).tables
    assert (seen.path, seen.format, seen.options) == (str(tmp_path / path), "csv", {"header": "true"})
    assert seen.batches == ("2026-01-01", "2026-01-02", "2026-01-03")


def test_one_table_of_a_calendar_is_taken_from_beside_another(tmp_path: Path) -> None:
    make(tmp_path, *NAMED)
    (seen,) = look([tmp_path / "data/*/*/crm_*.csv"]).tables
    assert (seen.name, seen.path) == ("crm", str(tmp_path / "data/*/*/crm_{date}.csv"))
    assert seen.batches == ("2026-01-05", "2026-02-05")


def test_files_of_folders_that_are_no_batches_stay_tables_of_their_folders(tmp_path: Path) -> None:
    files = [f"{shop}/orders-2026-01-{day:02d}.csv" for shop in ("berlin", "rome") for day in (1, 2)]
    make(tmp_path, *files)
    assert [seen.path for seen in look([tmp_path / "*/orders-*.csv"]).tables] == [
        str(tmp_path / "berlin/orders-{batch}.csv"), str(tmp_path / "rome/orders-{batch}.csv")
    ]  # fmt: skip
    # Nor do some of the folders stand for all.
    make(tmp_path, *MONTHS)
    january = look([tmp_path / "data/year=2026/month=01/*.csv"]).tables
    assert [(seen.path, len(seen.batches)) for seen in january] == [(str(tmp_path / "data/year=2026/month=01/{batch}.csv"), 28)]
