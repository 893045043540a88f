"""Batches delivered again beside the first, and endings that say little."""

from __future__ import annotations

from pathlib import Path

import pytest

from avh_ui.scan.looking import look
from tests.unit.scan.test_looking import make, seen_in


def test_a_batch_delivered_again_under_a_name_of_its_own_is_no_table(tmp_path: Path) -> None:
    days = [f"orders_2026-01-{day:02}.csv" for day in range(1, 4)]
    found = look(make(tmp_path, *days, "orders_2026-01-02 (1).csv", "orders_2026-01-03_v2.csv", "orders_2026-01-09_copy.csv"))
    assert [seen.batches for seen in found.tables] == [("2026-01-01", "2026-01-02", "2026-01-03"), ("2026-01-09",)], (
        "of the 9th it is the first"
    )
    assert len(found.left_out) == 2
    assert found.tables[0].path == str(tmp_path / "orders_{date}.csv"), "which leaves them out later, too"
    assert "orders_2026-01-02 (1).csv seems to be batch 2026-01-02 delivered again. Put it in the place of the first" in found.left_out[0]
    both = [f"sales_2026-01-0{day}{end}.csv" for day in (1, 2) for end in ("", "_returns")]
    assert len(seen_in(make(tmp_path / "both", *both))) == 2


@pytest.mark.parametrize(
    ("others", "hint"),
    [
        (("report (1)", "report (2)"), "Name it report (0).csv, and it is the first of them."),
        (("report_08", "report_09", "report_10"), "Name it report_07.csv, and it is the first of them."),
        (("report0", "report1"), "Give its name the id of its batch"),
        (("report-2026-01-01", "report-2026-01-02"), "Give its name the id of its batch"),
    ],
)
def test_a_file_without_an_id_beside_those_with_one_is_told_how_to_be_of_them(tmp_path: Path, others: tuple[str, ...], hint: str) -> None:
    found = look(make(tmp_path, "report.csv", *(f"{name}.csv" for name in others)))
    assert [len(seen.batches) for seen in found.tables] == [len(others)]
    (said,) = found.left_out
    assert said.startswith(f"{tmp_path}/report.csv seems to be of the table whose batches are ")
    assert hint in said
    make(tmp_path, "report.csv", text="code\nA\nB\n")
    assert "neither its name nor a column of it names its batches" in look([tmp_path]).left_out[0], "of other columns it is none of them"


def test_a_month_delivered_again_is_no_table(tmp_path: Path) -> None:
    months = ["GL Jan 2026.csv", "GL Feb 2026.csv", "GL Mar 2026.csv"]
    found = look(make(tmp_path, *months, "GL Feb 2026_v2.csv"))
    (seen,) = found.tables
    assert (seen.path, seen.batches) == (str(tmp_path / "GL {month} {year}.csv"), ("2026-01", "2026-02", "2026-03"))
    assert [said.partition(". ")[0] for said in found.left_out] == [
        f"{tmp_path / 'GL Feb 2026_v2.csv'} seems to be GL Feb 2026.csv delivered again"
    ]
    # One month has come under the other name alone: these are two tables.
    both = look(make(tmp_path / "both", *months, "GL Feb 2026_v2.csv", "GL Apr 2026_v2.csv"))
    assert ([len(seen.batches) for seen in both.tables], both.left_out) == ([3, 2], ())


def test_versions_beside_the_first_one_are_no_table(tmp_path: Path) -> None:
    days = [f"2026010{day}_v1.csv" for day in range(1, 6)]
    found = look(make(tmp_path / "in", *days, "20260102_v2.csv", "20260104_v2.csv", "20260104_v3.csv"))
    assert [(seen.name, seen.path, len(seen.batches)) for seen in found.tables] == [("in", str(tmp_path / "in/{date}_v1.csv"), 5)]
    assert [said.partition(" seems")[0][-15:] for said in found.left_out] == ["20260102_v2.csv", "20260104_v2.csv", "20260104_v3.csv"]
    # Each came twice: the first version is the table.
    twice = look(make(tmp_path / "twice", *days, *(name.replace("_v1", "_v2") for name in days)))
    assert ([Path(seen.path).name for seen in twice.tables], len(twice.left_out)) == (["{date}_v1.csv"], 5)


def test_days_delivered_again_in_folders_of_a_calendar_are_named(tmp_path: Path) -> None:
    days = [f"2026/{day[5:7]}/orders [eu] {day}.csv" for day in ("2026-01-30", "2026-01-31", "2026-02-01", "2026-02-02")]
    root = tmp_path / "root"
    make(root, *days, "2026/01/orders [eu] 2026-01-30_v2.csv", "2026/02/orders [eu] 2026-02-02 (1).csv")
    (seen,) = seen_in([root])
    assert seen.path == str(root / "*" / "*" / "orders [eu] {date}.csv")
    assert seen.batches == ("2026-01-30", "2026-01-31", "2026-02-01", "2026-02-02")
    (said,) = seen.remarks
    assert said.startswith("orders [eu] 2026-02-02 (1).csv and 1 more seem to be batches delivered again, and not read. Put each in ")
    # Of a day that came under the other name alone it is the first.
    make(tmp_path / "others", *days[:3], "2026/02/orders [eu] 2026-02-02_v2.csv")
    assert [one.remarks for one in seen_in([tmp_path / "others"])] == [(), ()]


def test_files_that_end_in_dat_are_texts(tmp_path: Path) -> None:
    (seen,) = seen_in(make(tmp_path, "positions.20260801.dat", "positions.20260802.dat", text="a|b\n1|2\n3|4\n"))
    assert (seen.path, seen.options["sep"]) == (str(tmp_path / "positions.{batch}.dat"), "|")
