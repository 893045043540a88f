"""Good and bad rows that are written by one look: whole or not at all, and nowhere twice."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import avh_ui as avh
from avh_ui.errors import DeliveryError, UsageError

c = avh.checks


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_both_parts_are_there_with_what_is_broken(tmp_path: Path) -> None:
    table = pa.table({"a": [1, None, 3], "b": ["x", "y", ""]})
    run = avh.check(table, [c.is_complete("a"), c.has_pattern("b", ".", level="warning")])
    good, bad = run.split(table, to=tmp_path / "new" / "parts")
    assert (good, bad) == run.split(table)
    kept = pq.read_table(tmp_path / "new" / "parts").to_pylist()
    assert {(row["a"], row["avh_rows"], *(one["level"] for one in row["failed"])) for row in kept} == {
        (1, "good"), (None, "bad", "error"), (3, "good", "warning"),
    }  # fmt: skip


def test_a_frame_of_pandas_is_given_back_as_it_is(tmp_path: Path) -> None:
    frame = pd.DataFrame({"avh_rows": [1.5, None]}, index=["p", "q"])
    run = avh.check(frame, [c.is_complete("avh_rows")])
    good, bad = run.split(frame, name="why", to=str(tmp_path / "parts"))
    assert (list(good.index), list(bad.index), list(good), list(bad)) == (["p"], ["q"], ["avh_rows"], ["avh_rows", "why"])
    kept = pq.read_table(tmp_path / "parts").to_pylist()
    assert [(row["avh_rows"], row["avh_rows_"]) for row in kept] == [(None, "bad"), (1.5, "good")]


def test_what_is_there_stays(tmp_path: Path) -> None:
    table = pa.table({"a": [1, None]})
    run = avh.check(table, [c.is_complete("a")])
    run.split(table, to=tmp_path / "parts")
    before = files(tmp_path)
    for target in (str(tmp_path / "parts"), f"file://{tmp_path / 'parts'}"):
        with pytest.raises(DeliveryError, match="is there already, and nothing is written"):
            run.split(table, to=target)
    with pytest.raises(UsageError, match="A Delta table is written by Spark"):
        run.split(table, to=f"delta:{tmp_path / 'parts'}")
    assert files(tmp_path) == before


def test_nothing_is_left_of_what_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"a": [1, None]})
    run, write = avh.check(table, [c.is_complete("a")]), pq.write_table

    def full(rows: pa.Table, file: object) -> None:
        if rows.num_rows and rows.column("a").null_count:
            raise OSError(28, "No space left on device")
        write(rows, file)

    monkeypatch.setattr(pq, "write_table", full)
    with pytest.raises(DeliveryError, match=r"parts could not be written: No space left on device\. Check space"):
        run.split(table, to=tmp_path / "parts")
    assert list(tmp_path.iterdir()) == []
    # Nor of the folders that are made for it; of those that were there, none goes.
    (tmp_path / "there").mkdir()
    with pytest.raises(DeliveryError, match="No space left"):
        run.split(table, to=tmp_path / "there" / "t" / "today" / "parts")
    assert files(tmp_path) == []
    assert [path.name for path in tmp_path.rglob("*")] == ["there"]
    (tmp_path / "file").touch()
    with pytest.raises(DeliveryError, match="could not be written"):
        run.split(table, to=tmp_path / "file" / "parts")


def test_a_wrong_table_is_no_fault_of_the_place(tmp_path: Path) -> None:
    run = avh.check(pa.table({"a": [1]}), [c.is_complete("a")])
    with pytest.raises(UsageError, match="The table has no column 'a'"):
        run.split(pa.table({"b": [1]}), to=tmp_path / "parts")
    assert list(tmp_path.iterdir()) == []
