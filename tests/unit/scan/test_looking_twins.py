"""Files of one name that end otherwise: packed since some day they are one table, and of two formats it is told."""

from __future__ import annotations

import gzip
from pathlib import Path

from avh_ui.scan.looking import look
from tests.unit.scan.test_looking import CSV, make, seen_in

JSON = '{"id": 1, "amount": 2.5}\n{"id": 2, "amount": 3}\n'
DAYS = [f"2026-01-{day:02}" for day in range(1, 9)]


def packed(folder: Path, days: list[str], *, text: str = CSV) -> None:
    for day in days:
        (folder / f"orders-{day}.csv.gz").write_bytes(gzip.compress(text.encode()))


def test_files_that_are_packed_after_some_days_are_one_table(tmp_path: Path) -> None:
    make(tmp_path, *(f"orders-{day}.csv" for day in DAYS[5:]))
    packed(tmp_path, DAYS[:5])
    (seen,) = seen_in([tmp_path])
    assert (seen.name, seen.path, list(seen.batches)) == ("orders", str(tmp_path / "orders-{batch}.csv*"), DAYS)


def test_a_batch_that_is_there_packed_and_not_is_told(tmp_path: Path) -> None:
    make(tmp_path, *(f"orders-{day}.csv" for day in DAYS[4:]))
    packed(tmp_path, DAYS[:5])
    said = [remark for seen in seen_in([tmp_path]) for remark in seen.remarks if "twice" in remark]
    assert said == [
        f"Some batches stand there twice, as orders-{{batch}}.csv{end} too: keep one of each, and describe all as one pipeline."
        for end in ("", ".gz")
    ]


def test_other_files_of_such_a_name_keep_the_tables_apart(tmp_path: Path) -> None:
    make(tmp_path, *(f"orders-{day}.csv" for day in DAYS[5:]))
    packed(tmp_path, DAYS[:5])
    (tmp_path / f"orders-{DAYS[0]}.csv.gz.md5").write_text("no table")
    assert len(look([tmp_path]).tables) == 2


def test_days_that_alternate_between_csv_and_json_are_told_of_one_another(tmp_path: Path) -> None:
    make(tmp_path, *(f"orders-{day}.csv" for day in DAYS[::2]))
    make(tmp_path, *(f"orders-{day}.json" for day in DAYS[1::2]), text=JSON)
    csv, json = seen_in([tmp_path])
    assert (csv.format, json.format) == ("csv", "json")
    for seen, other in ((csv, "json"), (json, "csv")):
        assert seen.remarks[-1].startswith(f"Other batches of this name are orders-{{batch}}.{other}: a pipeline reads one format")


def test_the_same_days_in_two_formats_are_told(tmp_path: Path) -> None:
    make(tmp_path, *(f"orders-{day}.csv" for day in DAYS))
    make(tmp_path, *(f"orders-{day}.json" for day in DAYS), text=JSON)
    csv, _ = seen_in([tmp_path])
    assert csv.remarks[-1] == "The same batches stand there twice, as orders-{batch}.json too: keep one of these pipelines."


def test_tables_of_other_columns_are_told_nothing(tmp_path: Path) -> None:
    make(tmp_path, *(f"orders-{day}.csv" for day in DAYS))
    make(tmp_path, *(f"orders-{day}.tsv" for day in DAYS), text="shop\ttown\n1\tRome\n2\tBari\n")
    assert not any("batches" in remark for seen in seen_in([tmp_path]) for remark in seen.remarks)
