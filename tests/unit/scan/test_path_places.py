"""Dates in paths: `{date}`, and `{year}`, `{month}`, `{day}`, `{hour}` apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from avh_ui.config import Source
from avh_ui.errors import BatchNotFoundError, SourceError
from avh_ui.scan.listing import FileListing

DAYS = ["2026-01-31", "2026-11-02"]


def listing(folder: Path, path: str, *files: str) -> FileListing:
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("a\n1\n")
    return FileListing(Source(path=path), folder)


@pytest.mark.parametrize(
    ("path", "files", "batches"),
    [
        ("d/{year}/{month}/{day}/*.csv", ["d/2026/01/31/a.csv", "d/2026/02/01/a.csv", "d/2026/02/01/b.csv"], ["2026-01-31", "2026-02-01"]),
        ("d/year={year}/month={month}/day={day}", ["d/year=2026/month=1/day=31/p", "d/year=2026/month=11/day=2/p"], DAYS),
        ("d/{year}/{month}", ["d/2025/12/p", "d/2026/01/p"], ["2025-12", "2026-01"]),
        ("{year}{month}{day}T{hour}.csv", ["20260131T05.csv", "20260131T17.csv"], ["2026-01-31T05", "2026-01-31T17"]),
        ("{year}/o-{year}{month}{day}.csv", ["2026/o-20260131.csv", "2026/o-20250131.csv"], ["2026-01-31"]),
        ("o-{date}.csv", ["o-20260131.csv", "o-20261331.csv", "o-2026-02-30.csv"], ["20260131"]),
        ("{year}/{month}/{day}", ["2026/01/31/p", "2026/01/99/p", "2026/02/30/p", "2026/13/01/p"], ["2026-01-31"]),
        ("{year}{month}{day}T{hour}.csv", ["20260131T05.csv", "20260131T24.csv"], ["2026-01-31T05"]),
        ("o-{date}.csv", ["o-2026-01-31.csv", "o-latest.csv", "o-20260201.csv"], ["2026-01-31", "20260201"]),
        ("{day}-{month}-{year}.csv", ["31-Jan-2026.csv", "02-Nov-2026.csv", "02-Bad-2026.csv"], DAYS),
        ("{month} {day}, {year}.csv", ["january 31, 2026.csv", "november 2, 2026.csv", "april 31, 2026.csv"], DAYS),
        ("o-{yy}{month}{day}.csv", ["o-260131.csv", "o-261102.csv", "o-261301.csv"], DAYS),
        ("{day}{month}{yy}.csv", ["31Jan26.csv", "02Nov26.csv"], DAYS),
        ("{month} {yy}.csv", ["Dez 68.csv", "Mai 69.csv", "Jan 70.csv"], ["1969-05", "1970-01", "2068-12"]),
        ("{year}/{month}*/{day}.csv", ["2026/01 - January/31.csv", "2026/11 - November/02.csv"], DAYS),
        ("{day} {month} {year}.csv", ["31 Januar 2026.csv", "2 NOVEMBER 2026.csv"], DAYS),
    ],
)  # fmt: skip
def test_batches_are_listed_and_found_again(tmp_path: Path, path: str, files: list[str], batches: list[str]) -> None:
    there = listing(tmp_path, path, *files)
    assert there.batches() == batches
    for batch in batches:
        # A new one: it has not listed anything yet.
        (part, *_) = FileListing(Source(path=path), tmp_path).locate(batch).parts
        assert any(part.path.endswith(name) for name in files)


@pytest.mark.parametrize(
    ("seen", "april"),
    [
        ("may2026", "apr2026"), ("JULY2026", "APRIL2026"), ("Sept2026", "Apr2026"), ("November2026", "April2026"),
        ("août2026", "avril2026"), ("ENE2026", "ABR2026"), ("Giugno2026", "Aprile2026"), ("mrt2026", "apr2026"),
    ],
)  # fmt: skip
def test_a_month_that_nobody_saw_is_written_as_the_others(tmp_path: Path, seen: str, april: str) -> None:
    with pytest.raises(BatchNotFoundError, match=rf"not at .*/{april}\.csv"):
        listing(tmp_path, "{month}{year}.csv", f"{seen}.csv").locate("2026-04")


def test_several_files_of_a_day_are_one_batch(tmp_path: Path) -> None:
    there = listing(tmp_path, "{year}/{month}/{day}/*.csv", "2026/02/01/a.csv", "2026/02/01/b.csv", "2026/02/02/c.csv")
    assert [there.locate("2026-02-01").name(part.path) for part in there.locate("2026-02-01").parts] == ["a.csv", "b.csv"]
    assert there.url("2026-02-01") == f"{tmp_path}/2026/02/01/*.csv"
    assert there.url_of(f"{tmp_path}/2026/02/01/a.csv") == f"{tmp_path}/2026/02/01/a.csv"


def test_an_id_that_is_no_date_is_told_how_one_is_written(tmp_path: Path) -> None:
    there = listing(tmp_path, "{year}/{month}.csv", "2026/02.csv")
    with pytest.raises(SourceError, match=r"'2026-02-01' cannot be the id of a batch of .*: it is written like 2026-01\."):
        there.locate("2026-02-01")
    with pytest.raises(BatchNotFoundError, match=r"Batch '2026-03' is not at .*/2026/03\.csv\. The last before it is '2026-02'"):
        there.locate("2026-03")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("{day}.csv", "{day} without {year}"),
        ("{year}-{day}.csv", "{day} without {month}"),
        ("{batch}/{year}.csv", "{batch} and {year}"),
        ("{date}/{year}.csv", "{date} and {year}"),
        ("{batch}/{yy}.csv", "{batch} and {yy}"),
        ("{year}/{yy}{month}.csv", "{year} and {yy}: the year of a batch is one or the other"),
        ("{yy}-{day}.csv", "{day} without {month}"),
        ("{run}.csv", "has {run}: the place of the batch is written {batch}, or {date}, or {year}"),
    ],
)
def test_places_that_name_no_batch_are_told(path: str, said: str) -> None:
    with pytest.raises(ValidationError) as told:
        Source(path=path)
    assert said in str(told.value)
