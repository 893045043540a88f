"""Dates in names whose year comes last, or has two digits."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.scan.dates_in_names import year_last


@pytest.mark.parametrize(
    ("names", "template"),
    [
        (["a_31.01.2026", "a_01.02.2026"], "a_{day}.{month}.{year}"),
        (["01-31-2026 a", "02-01-2026 a"], "{month}-{day}-{year} a"),
        # Days in a row tell the order that the numbers leave open.
        (["a_01_02_2026", "a_01_03_2026", "a_01_04_2026"], "a_{month}_{day}_{year}"),
        (["31012026", "01022026"], "{day}{month}{year}"),
        (["03.04.2026"], "{day}.{month}.{year}"),
        (["a 12-2025", "a 01-2026"], "a {month}-{year}"),
        (["shop7a_11.2025 x", "shop7a_1.2026 x"], "shop7a_{month}.{year} x"),
        (["sales122025", "sales012026"], "sales{month}{year}"),
        (["Report Aug 01 2026", "Report Aug 02 2026"], "Report {month} {day} {year}"),
        (["Umsatz Dezember 2025", "Umsatz März 2026"], "Umsatz {month} {year}"),
        (["31-déc-2025", "01-janv-2026"], "{day}-{month}-{year}"),
        (["Bericht 31. Dezember 2025", "Bericht 1. Januar 2026"], "Bericht {day}. {month} {year}"),
        (["ex_260130", "ex_260131", "ex_260201"], "ex_{yy}{month}{day}"),
        (["31.01.26 x", "01.02.26 x", "02.02.26 x"], "{day}.{month}.{yy} x"),
        (["a_01-30-26", "a_01-31-26", "a_02-01-26"], "a_{month}-{day}-{yy}"),
        (["Report 30Jan26", "Report 31Jan26", "Report 01Feb26"], "Report {day}{month}{yy}"),
        (["sales_Nov-25", "sales_Dec-25", "sales_Jan-26"], "sales_{month}-{yy}"),
        # One of them is no month of 2001.
        (["x_200111", "x_200112", "x_200113"], "x_{yy}{month}{day}"),
    ],
)
def test_which_part_is_the_day(names: list[str], template: str) -> None:
    assert year_last(names) == {template: names}


@pytest.mark.parametrize("name", ["2026-01-31", "20260131", "a_31.13.2026", "v1.2.2026.3", "192.168.1.2020", "31.01.2026-01.02.2026", "a"])
def test_what_is_no_date_with_the_year_last(name: str) -> None:
    assert year_last([name]) == {}


@pytest.mark.parametrize(
    "names",
    [
        ["form 10-2023"],
        ["x-20260131T112030", "x-20260131T102030"],
        ["a 2025-01-2026", "a 2025-02-2026"],
        ["b 13-2026", "b 14-2026"],
        ["Q1-2026", "Q2-2026"],
        ["a_KW05 2026", "a_KW06 2026"],
        ["KW 05 2026", "KW 06 2026"],
        ["week-05-2026", "week-06-2026"],
        # Words of English, and days of months.
        ["set_2026"],
        ["set_2026-01-31", "set_2026-02-01"],
        ["Report Jan 26", "Report Jan 27", "Report Jan 28"],
        # Months, numbers of which one is no date, times beside a date, and too few, or too far apart.
        ["x_202611", "x_202612", "x_202701"],
        ["run 260130", "run 260131", "run 260132"],
        ["x_20260131_120101", "x_20260131_120102", "x_20260131_120103"],
        ["ex_260130", "ex_260131"],
        ["n 110101", "n 150202", "n 230303"],
    ],
)
def test_what_is_no_month_with_its_year(names: list[str]) -> None:
    assert year_last(names) == {}


# The last month of 2068 is the last that two digits of a year order: 69 is 1969.
@given(st.dates(date(1990, 1, 1), date(2068, 12, 2)), st.sampled_from(["%d.%m.%Y", "%m-%d-%Y", "%d%m%Y", "%d.%m.%y", "%m-%d-%y", "%d%b%y"]))
def test_a_month_of_days_is_told_and_ordered(start: date, form: str) -> None:
    days = [start + timedelta(k) for k in range(30)]
    names = [f"t_{day.strftime(form)}_x" for day in days]
    places = {"%d": "{day}", "%m": "{month}", "%b": "{month}", "%Y": "{year}", "%y": "{yy}"}
    template = "t_" + re.sub("%.", lambda found: places[found[0]], form) + "_x"
    assert year_last(sorted(names)) == {template: names}
