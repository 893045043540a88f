"""Dates that name columns, and lines of units below the names."""

from __future__ import annotations

import pytest

from avh_ui.scan.csv_looking import look_at_csv

BODY = "".join(f"P{n:02},EU,{90 + n},{80 + n},{70 + n}\n" for n in range(9))


@pytest.mark.parametrize(
    "dates", [("2026-10-01", "2026-10-02", "2026-10-03"), ("03.10.2026", "02.10.2026", "01.10.2026"), ("2026-01", "2026-02", "2026-03")]
)
def test_columns_that_are_named_by_dates_are_read_by_their_place(dates: tuple[str, ...]) -> None:
    found = look_at_csv(f"product,region,{','.join(dates)}\n{BODY}".encode(), "t")
    assert (found.options, found.skipped, found.columns) == ({"header": "false"}, 1, ("_c0", "_c1", "_c2", "_c3", "_c4"))
    assert (found.rows[0], len(found.rows)) == (("P00", "EU", "90", "80", "70"), 9)
    assert found.remarks[0].startswith(f"Its columns are named by dates, from {dates[0]} to {dates[-1]}.")
    titled = look_at_csv(f"Forecast\n\nproduct,region,{','.join(dates)}\n{BODY}".encode(), "t")
    assert (titled.options, titled.skipped, titled.rows) == ({"header": "false"}, 3, found.rows)


def test_years_are_names() -> None:
    found = look_at_csv(f"product,region,2023,2024,2025\n{BODY}".encode(), "t")
    assert (found.options, found.skipped, found.columns) == ({"header": "true"}, 0, ("product", "region", "2023", "2024", "2025"))


@pytest.mark.parametrize(
    "text",
    [
        # A row of dates above rows of dates is one of them.
        "a,2026-10-01,2026-10-02,2026-10-03\nb,2026-10-04,2026-10-05,2026-10-06\nc,2026-10-05,2026-10-06,2026-10-07\n",
        # In no order.
        f"x,EU,2023,2021,2025\n{BODY}",
        # Of two lengths.
        f"x,EU,2023,2024-01,2024-02-01\n{BODY}",
        f"2026-09-30,EU,2026-10-01,2026-10-02,2026-10-03\n{BODY}",
    ],
)
def test_dates_that_name_no_columns(text: str) -> None:
    found = look_at_csv(text.encode(), "t")
    assert (found.options, found.skipped) == ({"header": "false"}, 0)


def test_a_head_over_groups_of_columns_is_no_names() -> None:
    found = look_at_csv(f"Product,,Now,Before,\nname,market,pieces,last,first\n{BODY}".encode(), "t")
    assert (found.options, found.skipped) == ({"header": "true"}, 1)
    assert found.columns == ("name", "market", "pieces", "last", "first")
    # A line of units is not there for every column, or the same for several.
    for units in (",,pcs,pcs,pcs", "-,-,pcs,pcs,pcs"):
        assert look_at_csv(f"product,,now,before,\n{units}\n{BODY}".encode(), "t").columns[0] == "product"


def rows(*lines: str) -> str:
    return "\n".join((*lines, *(f"{n},{20 + n}.5,ok" for n in range(9)), ""))


@pytest.mark.parametrize(("line", "comment"), [("[s],[degC],[-]", "["), ("(s),(degC),", "("), ("sec,degC,text", "s"), ("---,---,---", "-")])
def test_a_line_of_units_is_left_out(line: str, comment: str) -> None:
    found = look_at_csv(rows("time,temp,state", line).encode(), "t")
    assert (found.options, found.columns) == ({"header": "true", "comment": comment}, ("time", "temp", "state"))
    assert found.rows[0] == ("0", "20.5", "ok")
    assert len(found.rows) == 9
    assert f"{line!r}, is no row: lines that begin with {comment!r} are left out" in found.remarks[0]


def test_a_line_of_units_that_no_comment_leaves_out_is_told() -> None:
    found = look_at_csv(rows("time,temp,state", "total sec,degC,text").encode(), "t")
    assert found.options == {"header": "true"}
    assert "'total sec,degC,text', is no row, and makes texts of columns of numbers: take it away before" in found.remarks[0]
    assert found.rows[0] == ("0", "20.5", "ok")


@pytest.mark.parametrize("line", ["NA,NA,ok", "0,x,ok", ",,ok", "a,b,c\nd,e,f"])
def test_a_row_is_no_line_of_units(line: str) -> None:
    """What comes again, holds a number, or stands above no number alone is a row."""
    assert look_at_csv(rows("time,temp,state", line).encode(), "t").options == {"header": "true"}
