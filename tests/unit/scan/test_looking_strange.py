"""Looking at folders of the kinds that strangers have: files written in two ways, rows within an object, hours, codes, dates."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from avh_ui.errors import SourceError
from avh_ui.scan.looking import look
from tests.unit.scan.test_looking import make, seen_in

ROWS = "id,shop\n" + "".join(f"{n},s{n % 3}\n" for n in range(20))


@pytest.mark.parametrize(
    ("oldest", "said"),
    [
        (ROWS.replace(",", ";"), "its separator is ';'"),
        (ROWS.partition("\n")[2], "it has no names of columns"),
        (ROWS, ""),
    ],
)
def test_a_file_written_otherwise_than_the_newest_is_told(tmp_path: Path, oldest: str, said: str) -> None:
    for day, text in (("2026-01-01", oldest), ("2026-01-02", ROWS), ("2026-01-03", ROWS)):
        (tmp_path / f"o_{day}.csv").write_text(text, encoding="utf-8")
    (seen,) = look([tmp_path]).tables
    assert [remark.partition("all are read: ")[2].partition(".")[0] for remark in seen.remarks] == ([said] if said else [])


@pytest.mark.parametrize("names", [("fix_2026-01-0{}.txt", "o_2026-01-0{}.csv"), ("fix_0{}.01.2026.txt", "o_0{}.01.2026.csv")])
def test_columns_of_fixed_width_are_no_table(tmp_path: Path, names: tuple[str, str]) -> None:
    for at, first in enumerate(("100001    DE  3", "code      land2", "100003    IT  5"), 1):
        (tmp_path / names[0].format(at)).write_text(f"{first}\n" + "200001    FR  1\n" * 3, encoding="utf-8")
    with pytest.raises(SourceError, match=r"no separator and 15 characters each: columns of fixed width are not read\."):
        look([tmp_path])
    for at in range(1, 4):
        (tmp_path / names[1].format(at)).write_text(ROWS, encoding="utf-8")
    beside = look([tmp_path])
    assert [seen.name for seen in beside.tables] == ["o"]
    (said,) = beside.left_out
    assert said.endswith("columns of fixed width are not read. Write it as CSV before.")


def test_utf_16_is_read_of_csv_alone(tmp_path: Path) -> None:
    for codec in ("utf-16", "utf-16-be"):
        (tmp_path / "o_2026-01-01.json").write_bytes('{"x": 1}\n{"x": 2}\n'.encode(codec))
        with pytest.raises(SourceError, match="is UTF-16, which is read of CSV alone") as told:
            look([tmp_path])
        assert told.value.hint.startswith("Write it as UTF-8: `iconv -f UTF-16")


def test_rows_within_one_object_are_told(tmp_path: Path) -> None:
    (tmp_path / "o_2026-01-01.json").write_text('{"count": 2, "data": [{"x": 1}, {"x": 2}]}\n', encoding="utf-8")
    (seen,) = look([tmp_path]).tables
    assert "`jq -c '.data[]'`" in seen.remarks[0]
    (tmp_path / "o_2026-01-02.json").write_text('{"data": [{"x": 1}]}\n{"data": [{"x": 2}]}\n', encoding="utf-8")
    (seen,) = look([tmp_path]).tables
    assert (seen.remarks, seen.options) == ((), {})
    (tmp_path / "o_2026-01-03.json").write_text('{\n "count": 1\n}\n', encoding="utf-8")
    assert look([tmp_path]).tables[0].options == {"multiLine": "true"}


def test_one_folder_within_is_looked_into(tmp_path: Path) -> None:
    inside = tmp_path / "deep" / "données été"
    inside.mkdir(parents=True)
    for day in (1, 2):
        (inside / f"v_2026-01-0{day}.csv").write_text(ROWS, encoding="utf-8")
    assert look([tmp_path / "deep"]).tables[0].batches == ("2026-01-01", "2026-01-02")


@pytest.mark.parametrize("days", [("2026-01-01", "2026-01-02"), ("2026/01/31", "2026/02/01")])
@pytest.mark.parametrize(("hours", "batches"), [(24, 48), (4, 2)])
def test_files_by_hour_are_batches_and_a_few_parts_are_none(tmp_path: Path, hours: int, batches: int, days: tuple[str, str]) -> None:
    for day in days:
        (tmp_path / day).mkdir(parents=True)
        for hour in range(hours):
            (tmp_path / day / f"{hour:02}.csv").write_text(ROWS, encoding="utf-8")
    assert len(look([tmp_path]).tables[0].batches) == batches


@pytest.mark.parametrize("days", ["2026/01", "2026-01"])
@pytest.mark.parametrize(
    ("names", "batches", "name", "path"),
    [
        (["tickets_{:02}.csv"], 48, "tickets", "tickets_{hour}.csv"),
        (["part-{:02}.csv"], 2, "feed", "{day}"),
        (["tickets_{:02}.csv", "calls_{:02}.csv"], 2, "feed", "{day}"),
    ],
)
def test_files_by_hour_may_be_named_for_their_table(
    tmp_path: Path, names: list[str], batches: int, name: str, path: str, days: str
) -> None:
    for day in ("30", "31"):
        folder = tmp_path / "feed" / (f"{days}/{day}" if "/" in days else f"{days}-{day}")
        folder.mkdir(parents=True)
        for hour in range(24):
            for form in names:
                (folder / form.format(hour)).write_text(ROWS, encoding="utf-8")
    seen = look([tmp_path / "feed"]).tables[0]
    assert (len(seen.batches), seen.name, seen.path.endswith((path, "{batch}"))) == (batches, name, True)


@pytest.mark.parametrize("months", ["data/2026/{month:02}", "data/year=2026/month={month:02}", "data/year=2026/month={month}"])
@pytest.mark.parametrize(("first", "days", "batches"), [(1, 28, 29), (1, 12, 2), (0, 28, 2)])
def test_files_by_day_in_folders_of_months_are_batches_and_parts_are_none(
    tmp_path: Path, months: str, first: int, days: int, batches: int
) -> None:
    """The month that has just begun has one."""
    for month, there in ((2, range(first, first + days)), (3, range(1, 2))):
        for day in there:
            place = tmp_path / months.format(month=month) / f"{day:02}.csv"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(ROWS, encoding="utf-8")
    (seen,) = look([tmp_path / "data"]).tables
    assert len(seen.batches) == batches
    assert (seen.batches[0], seen.batches[-1]) == (("2026-02-01", "2026-03-01") if batches > 2 else ("2026-02", "2026-03"))
    assert seen.path.endswith("{day}.csv") == (batches > 2)


@pytest.mark.parametrize(("form", "place"), [("%m - %B", "{month}*"), ("%B", "{month}"), ("%m_%b", "{month}*"), ("%m", "{month}")])
def test_folders_of_months_may_be_named(tmp_path: Path, form: str, place: str) -> None:
    days = [date(2026, 1, 5) + timedelta(n) for n in range(40)]
    for day in days:
        at = tmp_path / "data" / day.strftime("%Y") / day.strftime(form) / f"{day:%d}.csv"
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_text(ROWS, encoding="utf-8")
    (seen,) = look([tmp_path / "data"]).tables
    assert (seen.path, seen.batches) == (f"{tmp_path}/data/{{year}}/{place}/{{day}}.csv", tuple(map(str, days)))


@pytest.mark.parametrize(
    ("below", "path", "batches"),
    [
        ("hour={:02}", "dt={year}-{month}-{day}/hour={hour}", 48),
        ("h={}", "dt={year}-{month}-{day}/h={hour}", 48),
        ("shop={}", "dt={batch}", 2),
    ],
)
def test_partitions_by_hour_below_those_of_days_are_batches(tmp_path: Path, below: str, path: str, batches: int) -> None:
    for day in ("2026-01-31", "2026-02-01"):
        for hour in range(24):
            at = tmp_path / "data" / f"dt={day}" / below.format(hour) / "part-0.csv"
            at.parent.mkdir(parents=True)
            at.write_text(ROWS, encoding="utf-8")
    (seen,) = look([tmp_path / "data"]).tables
    assert (seen.path, len(seen.batches)) == (f"{tmp_path}/data/{path}", batches)
    assert seen.batches[-1] == ("2026-02-01T23" if batches > 2 else "2026-02-01")


def test_codes_alone_are_no_names_of_columns(tmp_path: Path) -> None:
    for day in (1, 2):
        (tmp_path / f"f_2026-01-0{day}.txt").write_text("".join(f"{n:06}DE{n * 7:08}\n" for n in range(9)), encoding="utf-8")
    assert look([tmp_path]).tables[0].options == {"header": "false"}


@pytest.mark.parametrize(
    ("dates", "batches", "told"),
    [
        (("31.01.2026", "01.02.2026"), ("31.01.2026", "01.02.2026"), False),
        (("02/01/2026", "01/31/2026"), ("01/31/2026", "02/01/2026"), True),
    ],
)
def test_dates_of_a_column_with_the_year_last(tmp_path: Path, dates: tuple[str, str], batches: tuple[str, str], *, told: bool) -> None:
    path = tmp_path / "all.csv"
    path.write_text("day,x\n" + "".join(f"{day},{n}\n" for day in dates for n in range(9)), encoding="utf-8")
    (seen,) = look([path]).tables
    assert (seen.batch, seen.batches) == (("day",), batches)
    assert any("nothing tells the day from the month" in remark for remark in seen.remarks) == told


@pytest.mark.parametrize(
    ("name", "ordered", "batch"),
    [
        ("updated_at", False, "now"),
        ("lastModified", False, "now"),
        ("updated_at", True, "updated_at"),
        ("exchanged", False, "exchanged"),
        ("day", False, "day"),
    ],
)
def test_a_list_that_says_when_its_rows_were_changed_is_no_table_that_grows(tmp_path: Path, name: str, ordered: bool, batch: str) -> None:
    days = [f"2026-01-{1 + k % 20:02}" for k in range(100)]
    lines = (f"C{k},{day}" for k, day in enumerate(sorted(days) if ordered else days))
    (tmp_path / "customers.csv").write_text("\n".join([f"id,{name}", *lines, ""]), encoding="utf-8")
    (seen,) = look([tmp_path / "customers.csv"]).tables
    assert seen.batch == (batch,)


def test_versions_of_a_year_are_batches_of_one_table(tmp_path: Path) -> None:
    versions = ["2020.1", "2020.2", "2020.10", "2021.2", "2021.2.post0", "2021.3"]
    make(tmp_path, *(f"zone1970-{version}.csv" for version in versions))
    (seen,) = seen_in([tmp_path])
    assert (seen.name, seen.path, list(seen.batches)) == ("zone1970", str(tmp_path / "zone1970-{batch}.csv"), versions)


def test_a_year_with_words_behind_it_is_a_year(tmp_path: Path) -> None:
    make(tmp_path, "a-2020.final.csv", "a-2021.final.csv")
    (seen,) = seen_in([tmp_path])
    assert seen.batches == ("2020", "2021")


def test_versions_of_a_release_are_batches_of_one_table(tmp_path: Path) -> None:
    versions = ["0.6.0", "0.6.1", "1.0.0", "1.2", "1.3", "1.3.1", "1.10.0", "2.0rc1"]
    make(tmp_path, *(f"codes_v{version}.csv" for version in versions))
    (seen,) = seen_in([tmp_path])
    assert (seen.path, list(seen.batches)) == (str(tmp_path / "codes_v{batch}.csv"), versions)
