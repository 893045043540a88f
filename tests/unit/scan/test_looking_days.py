"""Files that are numbered as hours are, below folders of days: told as hours by how many they are, or by when they were written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from avh_ui.scan.looking import look
from tests.unit.scan.test_looking_strange import ROWS

DAYS = ["20260131", "2026/01/31", "dt=2026-01-31"]
PLACES = ["{year}{month}{day}", "{year}/{month}/{day}", "dt={year}-{month}-{day}"]
BEGAN = 1_780_000_000


def written(folder: Path, hours: list[int], minutes: float, name: str = "s_{:02}.csv") -> None:
    """Files so many minutes apart by the clock of the disk."""
    folder.mkdir(parents=True)
    for hour in hours:
        (folder / name.format(hour)).write_text(ROWS, encoding="utf-8")
        os.utime(folder / name.format(hour), (BEGAN + hour * minutes * 60,) * 2)


@pytest.mark.parametrize(("day", "place"), list(zip(DAYS, PLACES, strict=True)))
def test_a_feed_that_began_this_morning(tmp_path: Path, day: str, place: str) -> None:
    written(tmp_path / day, [4, 5, 6, 8], 60)
    (seen,) = look([tmp_path]).tables
    assert (seen.path, len(seen.batches), seen.batches[-1]) == (f"{tmp_path}/{place}/s_{{hour}}.csv", 4, "2026-01-31T08")


@pytest.mark.parametrize(("day", "place"), list(zip(DAYS, PLACES, strict=True)))
@pytest.mark.parametrize("minutes", [0, 0.5])
def test_what_was_written_together_may_be_either(tmp_path: Path, day: str, place: str, minutes: float) -> None:
    written(tmp_path / day, [0, 1, 2, 3], minutes)
    (seen,) = look([tmp_path]).tables
    assert len(seen.batches) == 1
    assert seen.remarks == (
        "The files of a day are numbered 00 to 03, as parts or hours are. Nothing says which: they are taken as parts; where each is an "
        f"hour's, write path: {tmp_path}/{place}/s_{{hour}}.csv and cadence: hourly.",
    )


@pytest.mark.parametrize(("hours", "name"), [([0, 1, 2, 3], "part-{:02}.csv"), ([0], "s_{:02}.csv"), ([22, 23, 24], "s_{:02}.csv")])
def test_parts_by_their_name_one_file_and_other_numbers_are_no_hours(tmp_path: Path, hours: list[int], name: str) -> None:
    written(tmp_path / "20260131", hours, 60, name)
    (seen,) = look([tmp_path]).tables
    assert (len(seen.batches), seen.remarks) == (1, ())


def test_every_day_of_partitions_by_hour(tmp_path: Path) -> None:
    for day in ("2026-01-30", "2026-01-31"):
        written(tmp_path / f"dt={day}", list(range(24)), 0, "{:02}.csv")
    (seen,) = look([tmp_path]).tables
    assert (seen.path, len(seen.batches)) == (f"{tmp_path}/dt={{year}}-{{month}}-{{day}}/{{hour}}.csv", 48)
