"""Two rows that differ where a rule says that they are alike: of the group with the most of them, and none where there are none."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows
from avh_ui.metrics.unlike_rows import unlike_moved, unlike_rows, whose_rows

FLIGHTS = ["AA 1", "AA 2", "UA 3", "B6 4", "B6 5", "DL 6"]
DEST = ["LAX", "LAX", "LAX", "BOS", "BOS", None]
MILES = [2475, 2475, 3983, 187, 187, 900]


def sample(miles: Any = MILES, dest: Any = DEST, **drawn: Any) -> RowSample:
    arrays = {"flight": pa.array(FLIGHTS), "dest": pa.array(dest), "miles": pa.array(miles)}
    return RowSample.of_rows(Rows(len(FLIGHTS), arrays), Need(RowSample, tuple(arrays), None, Drawing(1, **drawn)))


def test_the_rows_that_differ_are_named_with_what_they_share() -> None:
    found = unlike_rows(sample(), "miles", ["dest"])
    assert found in (
        "AA 1 with miles 2,475 and UA 3 with 3,983, where dest is LAX",
        "AA 2 with miles 2,475 and UA 3 with 3,983, where dest is LAX",
    )


def test_it_is_the_group_with_the_most_of_them() -> None:
    assert "where dest is BOS" in unlike_rows(sample([2475, 2475, 2475, 187, 301, 900]), "miles", ["dest"])
    assert "where dest is LAX" in unlike_rows(sample([1, 2, 3, 187, 301, 900]), "miles", ["dest"])


def test_of_what_is_alike_null_hashed_or_not_kept_nothing_is_said() -> None:
    assert unlike_rows(sample([2475, 2475, 2475, 187, 187, 900]), "miles", ["dest"]) == ""
    assert unlike_rows(sample([2475, 2475, None, 187, 187, 900]), "miles", ["dest"]) == ""
    assert unlike_rows(sample(dest=[None] * 6), "miles", ["dest"]) == ""
    assert unlike_rows(sample(), "miles", ["carrier"]) == ""
    assert unlike_rows(sample(hashed=True), "miles", ["dest"]) == ""


def day(carrier: str = "", *, off: tuple[int, ...] = (), **drawn: Any) -> RowSample:
    """Thirty flights of three carriers to two airports; those of `carrier`, and those `off`, in kilometres."""
    carriers, dests = [("AA", "B6", "UA")[k % 3] for k in range(30)], [("LAX", "BOS")[k % 2] for k in range(30)]
    far = [{"LAX": 2475, "BOS": 187}[dest] for dest in dests]
    miles = [round(1.609 * m) if carriers[k] == carrier or k in off else m for k, m in enumerate(far)]
    arrays = {
        "flight": pa.array([f"F{k}" for k in range(30)]),
        "carrier": pa.array(carriers),
        "dest": pa.array(dests),
        "miles": pa.array(miles),
    }
    return RowSample.of_rows(Rows(30, arrays), Need(RowSample, tuple(arrays), None, Drawing(1, **drawn)))


def test_whose_rows_differ_from_the_batch_before_is_said() -> None:
    said = "All 10 rows with carrier B6 have another miles than the same dest in the batch before: 1.609 times as much."
    assert whose_rows(day("B6"), day(), "miles", ["dest"]) == f"{said} No other row has."
    assert whose_rows(day("B6", off=(0,)), day(), "miles", ["dest"]) == f"{said} So has one other row."
    assert whose_rows(day("B6", off=(0, 3)), day(), "miles", ["dest"]) == f"{said} So have 2 others."


def test_of_rows_with_nothing_in_common_or_not_known_before_nothing_is_said() -> None:
    assert whose_rows(day(), day(), "miles", ["dest"]) == ""
    assert whose_rows(day(off=(0, 7, 14, 20)), day(), "miles", ["dest"]) == ""
    assert whose_rows(day("B6"), day("B6"), "miles", ["dest"]) == "", "it was so before"
    assert whose_rows(day("B6"), sample(dest=["SFO"] * 6), "miles", ["dest"]) == "", "no group was there before"
    assert whose_rows(day("B6"), day(), "miles", ["gate"]) == ""
    assert whose_rows(day("B6", hashed=True), day(), "miles", ["dest"]) == ""


def test_those_rows_are_listed_with_the_value_that_others_like_them_had() -> None:
    found = unlike_moved(day("B6"), day(), "miles", ["dest"], 50)
    assert (found.column, found.count, found.among) == ("miles", 10, 30)
    assert found.said == "10 of 10 rows with carrier B6."
    assert all(row.now == round(row.was * 1.609) for row in found.rows)
    assert [row.by for row in found.rows] == sorted((row.by for row in found.rows), reverse=True)
    assert not unlike_moved(day(), day(), "miles", ["dest"], 50).rows
    assert not unlike_moved(day("B6"), day(), "miles", ["gate"], 50).rows
