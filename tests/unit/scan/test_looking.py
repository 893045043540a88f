"""Which tables files are, and where their batches' ids stand."""

from __future__ import annotations

import gzip
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from pyarrow import csv, orc

from avh_ui.errors import AvhError, BatchNotFoundError, SourceError
from avh_ui.scan.looking import look
from avh_ui.scan.looking_files import SeenTable

CSV = "id,amount\n1,2.5\n2,3\n"


def make(root: Path, *names: str, text: str = CSV) -> list[Path]:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return [root / name for name in names]


def seen_in(paths: list[Path]) -> tuple[SeenTable, ...]:
    return look(paths).tables


def test_what_is_no_table_beside_tables_is_left_out(tmp_path: Path) -> None:
    make(tmp_path, "in/orders-2026-01-01.csv", "in/orders-2026-01-02.csv")
    make(tmp_path, "in/README.txt", text="This says, what lies here.\n")
    make(tmp_path, "in/countries.csv", text="code,name\nIT,Italy\nFR,France\n")
    (tmp_path / "in" / "old.parquet").write_bytes(b"no")
    looked = look([tmp_path / "in"])
    assert [seen.name for seen in looked.tables] == ["orders"]
    assert sorted(said.split(" ")[0].rpartition("/")[2] for said in looked.left_out) == ["README.txt", "countries.csv", "old.parquet"]


def test_names_that_differ_in_a_date_are_one_table(tmp_path: Path) -> None:
    (seen,) = seen_in(make(tmp_path, "airports-2026-01-31.csv", "airports-2026-01-30.csv"))
    assert (seen.name, seen.format, seen.path) == ("airports", "csv", str(tmp_path / "airports-{batch}.csv"))
    assert (seen.batches, seen.options) == (("2026-01-30", "2026-01-31"), {"header": "true"})


def test_a_name_with_accents_is_written_without(tmp_path: Path) -> None:
    (seen,) = seen_in(make(tmp_path, "Umsätze_2026-01-01.csv", "Umsätze_2026-01-02.csv"))
    assert (seen.name, seen.path) == ("umsatze", str(tmp_path / "Umsätze_{batch}.csv"))


def test_several_tables_of_a_folder(tmp_path: Path) -> None:
    make(tmp_path, "orders/orders_202601.csv", "orders/orders_202602.csv", "orders/returns_202601.csv", "orders/_SUCCESS")
    seen = seen_in([tmp_path / "orders"])
    assert [(s.name, s.batches) for s in seen] == [("orders", ("202601", "202602")), ("returns", ("202601",))]


def test_quarters_of_several_years_are_one_table(tmp_path: Path) -> None:
    (seen,) = seen_in(make(tmp_path, "gdp_2024Q1.csv", "gdp_2023Q3.csv", "gdp_2023Q4.csv"))
    assert (seen.name, seen.batches) == ("gdp", ("2023Q3", "2023Q4", "2024Q1"))


def test_numbers_and_names_are_batches_too(tmp_path: Path) -> None:
    (numbered,) = seen_in(make(tmp_path, "a/release2.csv", "a/release10.csv"))
    assert (numbered.name, numbered.batches) == ("release", ("2", "10"))
    (named,) = seen_in(make(tmp_path, "shops/north.csv", "shops/south.csv"))
    assert (named.name, named.batches, named.path) == ("shops", ("north", "south"), str(tmp_path / "shops/{batch}.csv"))


def test_a_number_at_the_end_of_one_name_is_a_name(tmp_path: Path) -> None:
    rows = "\n".join(f"2026-01-{1 + at // 5:02d},{at}" for at in range(20))
    (seen,) = seen_in(make(tmp_path, "report7.csv", text=f"day,n\n{rows}\n"))
    assert (seen.name, seen.batch, seen.batches[:2]) == ("report7", ("day",), ("2026-01-01", "2026-01-02"))


def test_folders(tmp_path: Path) -> None:
    make(tmp_path, "sales/day=2026-01-01/part-0.csv", "sales/day=2026-01-02/part-0.csv")
    (by_column,) = seen_in([tmp_path / "sales"])
    assert (by_column.path, by_column.batches) == (str(tmp_path / "sales/day={batch}"), ("2026-01-01", "2026-01-02"))
    make(tmp_path, "visits/2026-W01/a.csv", "visits/2026-W02/a.csv")
    (by_name,) = seen_in([tmp_path / "visits"])
    assert (by_name.name, by_name.path) == ("visits", str(tmp_path / "visits/{batch}"))


@pytest.mark.parametrize(("ending", "codec"), [("bz2", "bz2"), ("zst", "zstd"), ("CSV.GZ", "gzip")])
def test_files_are_looked_into_however_they_are_packed(tmp_path: Path, ending: str, codec: str) -> None:
    # More than what is looked at, and than one block of a codec.
    text = "id;amount\n" + "".join(f"{n};{n % 7}\n" for n in range(100_000))
    names = [f"t-2026-01-0{day}.{ending if '.' in ending else f'csv.{ending}'}" for day in (1, 2)]
    for name in names:
        with pa.CompressedOutputStream(pa.OSFile(str(tmp_path / name), "wb"), codec) as packed:
            packed.write(text.encode())
    (seen,) = seen_in([tmp_path / name for name in names])
    assert (seen.batches, seen.options) == (("2026-01-01", "2026-01-02"), {"sep": ";", "header": "true"})
    cut = tmp_path / names[1]
    cut.write_bytes(cut.read_bytes()[:20])
    with pytest.raises(SourceError, match=r"cannot be read|holds no row"):
        look([tmp_path / name for name in names])


def test_a_file_that_spark_alone_unpacks_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"packed in a way that Spark alone reads. .* by hand"):
        look(make(tmp_path, "t-2026-01-01.csv.snappy", "t-2026-01-02.csv.snappy"))


def test_packed_files_and_other_formats(tmp_path: Path) -> None:
    (tmp_path / "t-2026-01-01.csv.gz").write_bytes(gzip.compress(CSV.replace(",", ";").encode()))
    (packed,) = seen_in([tmp_path / "t-2026-01-01.csv.gz"])
    assert (packed.path, packed.options) == (str(tmp_path / "t-{batch}.csv.gz"), {"sep": ";", "header": "true"})
    make(tmp_path, "j/2026-01-01.json", text='[{"a": 1}]')
    make(tmp_path, "l/2026-01-01.jsonl", text='{"a": 1}\n')
    assert [seen_in([tmp_path / folder])[0].options for folder in "jl"] == [{"multiLine": "true"}, {}]
    table = pa.table({"day": [date(2026, 1, 1 + at // 4) for at in range(12)], "n": list(range(12))})
    pq.write_table(table, tmp_path / "all.parquet")
    orc.write_table(table, tmp_path / "all.orc")
    for name in ("all.parquet", "all.orc"):
        (seen,) = seen_in([tmp_path / name])
        assert (seen.batch, seen.batches) == (("day",), ("2026-01-01", "2026-01-02", "2026-01-03"))


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_time_that_is_null_now_and_then_names_batches_too(tmp_path: Path, kind: str) -> None:
    moments = pa.array([1_767_225_600_000_000_001 + at * 20_000_000_000_000 for at in range(20)], pa.timestamp("ns"))

    def seen(nulls: int) -> Any:
        table = pa.table({"ts": pc.if_else(pa.array([at >= nulls for at in range(20)]), moments, None), "n": list(range(20))})
        (pq.write_table if kind == "parquet" else csv.write_csv)(table, tmp_path / f"t.{kind}")
        return seen_in([tmp_path / f"t.{kind}"])[0]

    assert (seen(0).batch, seen(0).remarks) == (("date(ts)",), ())
    assert len(seen(0).batches) == 5
    assert seen(2).remarks == ("date(ts) is null in 2 of 20 rows that were looked at: such rows are in no batch, and counted.",)
    assert seen(3).batch == ("now",)


@pytest.mark.parametrize(
    ("names", "text", "error", "said"),
    [
        (["a.csv", "d/b.csv"], CSV, SourceError, "neither its name nor a column"),
        (["a.xlsx"], CSV, SourceError, "no known format"),
        (["t/region=a/a.csv", "t/shop=b/a.csv"], CSV, SourceError, "several columns"),
        (["t/other/a.csv", "t/more/a.csv"], CSV, SourceError, "name no batches"),
        (["t/2026-01-01/readme.md"], CSV, SourceError, "no data file"),
        (["a-2026-01-01.parquet"], CSV, SourceError, "is no Parquet: it looks like CSV"),
        (["a-2026-01-01.csv"], "", SourceError, "no row"),
    ],
)
def test_what_is_no_table(tmp_path: Path, names: list[str], text: str, error: type[AvhError], said: str) -> None:
    made = make(tmp_path, *names, text=text)
    with pytest.raises(error, match=said):
        seen_in([tmp_path / "t"] if (tmp_path / "t").exists() else made)


def test_a_path_that_is_not_there_names_the_nearest(tmp_path: Path) -> None:
    make(tmp_path, "orders-2026-01-01.csv")
    with pytest.raises(BatchNotFoundError) as raised:
        seen_in([tmp_path / "order-2026-01-01.csv"])
    assert "orders-2026-01-01.csv" in raised.value.hint
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceError, match="no data file"):
        seen_in([tmp_path / "empty"])


def test_year_month_and_day_in_folders_name_a_batch_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"t/year=2026/month={month}/day={day}/part-0.csv" for month, day in ((1, 31), (2, 1), (11, 2))]
    make(tmp_path, *names)
    (table,) = seen_in([tmp_path / "t"])
    assert table.path == str(tmp_path / "t" / "year={year}" / "month={month}" / "day={day}")
    assert table.batches == ("2026-01-31", "2026-02-01", "2026-11-02")
    monkeypatch.chdir(tmp_path)  # as people name a folder
    assert seen_in([Path("t")])[0].batches == table.batches


def test_dates_with_the_year_last(tmp_path: Path) -> None:
    make(tmp_path, "in/orders_31.01.2026.csv", "in/orders_1.2.2026.csv", "in/orders_02.02.2026.csv", "in/stock-2026-01-31.csv")
    seen = {one.name: one for one in seen_in([tmp_path / "in"])}
    assert set(seen) == {"orders", "stock"}
    assert (seen["orders"].path, seen["orders"].batches) == (
        str(tmp_path / "in/orders_{day}.{month}.{year}.csv"),
        ("2026-01-31", "2026-02-01", "2026-02-02"),
    )
    make(tmp_path, "visits/12-30-2025/a.csv", "visits/12-31-2025/a.csv", "visits/01-01-2026/a.csv")
    (folders,) = seen_in([tmp_path / "visits"])
    assert (folders.path, folders.batches) == (
        str(tmp_path / "visits/{month}-{day}-{year}"),
        ("2025-12-30", "2025-12-31", "2026-01-01"),
    )


def test_a_pattern_that_no_shell_has_expanded_stands_for_its_files(tmp_path: Path) -> None:
    make(tmp_path, "in/orders-2026-01-01.csv", "in/orders-2026-01-02.csv", "in/returns-2026-01-02.csv")
    (seen,) = seen_in([tmp_path / "in" / "orders-*.csv"])
    assert (seen.name, seen.batches) == ("orders", ("2026-01-01", "2026-01-02"))
    with pytest.raises(BatchNotFoundError, match=r"sales-\*\.csv is not there"):
        look([tmp_path / "in" / "sales-*.csv"])


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("a.avro", "Deliver it again"),
        ("a.xml", "Name its `format`"),
        ("a.XLSX", "as CSV"),
        ("a.sqlite", "jdbc"),
        ("a.zip", ".gz"),
        ("a.pdf", ".parquet"),
    ],
)
def test_a_format_that_is_not_read_has_its_own_remedy(tmp_path: Path, name: str, remedy: str) -> None:
    with pytest.raises(SourceError) as caught:
        look(make(tmp_path, name))
    assert remedy in caught.value.hint


def test_one_file_alone_is_taken_as_overwritten(tmp_path: Path) -> None:
    (seen,) = look(make(tmp_path, "customers.csv")).tables
    assert (seen.batch, len(seen.batches)) == (("now",), 1)
    assert "batch: now" in seen.remarks[0]
    with pytest.raises(SourceError) as caught:
        look(make(tmp_path, "customers.csv", "other/shops.csv"))
    assert "`batch: now`" in caught.value.hint


@pytest.mark.parametrize(
    ("names", "template", "batches"),
    [
        (["day 20-Jan-2025", "day 03-Feb-2025"], "day {day}-{month}-{year}", ("2025-01-20", "2025-02-03")),
        (["sales_2024feb", "sales_2024jan"], "sales_{year}{month}", ("2024-01", "2024-02")),
        (["JULY 9, 2024", "AUGUST 1, 2024"], "{month} {day}, {year}", ("2024-07-09", "2024-08-01")),
        (["1 May 2024", "2 Sept 2024"], "{day} {month} {year}", ("2024-05-01", "2024-09-02")),
    ],
)
def test_months_by_their_names_are_dates(tmp_path: Path, names: list[str], template: str, batches: tuple[str, ...]) -> None:
    (seen,) = seen_in(make(tmp_path / "in", *(f"{name}.csv" for name in names)))
    assert (seen.path, seen.batches) == (str(tmp_path / "in" / f"{template}.csv"), batches)


def test_a_word_that_begins_as_a_month_is_none(tmp_path: Path) -> None:
    (seen,) = seen_in(make(tmp_path, "Market 2024.csv", "Market 2025.csv"))
    assert (seen.name, seen.batches) == ("market", ("2024", "2025"))


def test_a_total_below_a_table_that_grows_is_no_batch(tmp_path: Path) -> None:
    rows = "".join(f"2026-01-0{day},{shop},1\n" for day in (1, 2, 3) for shop in range(9))
    (tmp_path / "sales.csv").write_text(f"day,shop,sold\n{rows}Total,,27\n")
    table = look([tmp_path / "sales.csv"]).tables[0]
    assert (table.batch, table.batches) == (("date(day)",), ("2026-01-01", "2026-01-02", "2026-01-03"))
    assert "'Total,,27', is no row" in table.remarks[0]
    (tmp_path / "sales.csv").write_text(f"day,shop,sold\n{rows}")
    assert look([tmp_path / "sales.csv"]).tables[0].batch == ("day",)


def test_a_calendar_below_another_partition_is_its_columns(tmp_path: Path) -> None:
    for region in ("EU", "US"):
        for day in (1, 12):
            folder = tmp_path / f"sales/region={region}/year=2026/month=3/day={day}"
            folder.mkdir(parents=True)
            (folder / "part.csv").write_text("id,n\n1,2\n2,3\n")
    table = look([tmp_path / "sales"]).tables[0]
    assert (table.batch, table.batches, table.path) == (("year", "month", "day"), ("2026-03-01", "2026-03-12"), str(tmp_path / "sales"))


def test_a_date_right_after_a_word_is_a_date(tmp_path: Path) -> None:
    for day in (1, 2):
        (tmp_path / f"sales2026-01-0{day}.csv").write_text("id,n\n1,2\n2,3\n")
    table = look([tmp_path]).tables[0]
    assert (table.name, Path(table.path).name, table.batches) == ("sales", "sales{batch}.csv", ("2026-01-01", "2026-01-02"))


def test_the_newest_file_with_a_byte_is_looked_at(tmp_path: Path) -> None:
    for day in (1, 2):
        (tmp_path / f"a_2026-01-0{day}.csv").write_text("id;n\n1;2\n2;3\n")
    for day in (3, 4):
        (tmp_path / f"a_2026-01-0{day}.csv").touch()
    table = look([tmp_path]).tables[0]
    assert (table.options["sep"], len(table.batches)) == (";", 4)
    assert [said.partition(", unless `severities: {empty: off}`")[0] for said in table.remarks] == [
        "a_2026-01-04.csv and 1 more hold no byte: a validation of such a batch fails"
    ]
    for day in (1, 2):
        (tmp_path / f"a_2026-01-0{day}.csv").write_text("")
    with pytest.raises(SourceError, match="holds no row"):
        look([tmp_path])


def test_a_folder_of_archives_says_what_to_do_with_them(tmp_path: Path) -> None:
    (tmp_path / "a-2026-01-01.zip").write_bytes(b"PK\x03\x04")
    with pytest.raises(SourceError, match="Unpack it, or pack each file by itself"):
        look([tmp_path])


@pytest.mark.parametrize(("rows", "batch"), [(3, "date(ts)"), (40, "ts")])
def test_times_of_few_rows_are_cut_into_days(tmp_path: Path, rows: int, batch: str) -> None:
    lines = [f"2026-01-0{day} {hour:02d}:00:00,h{k}\n" for day in (1, 2, 3) for hour in range(24) for k in range(rows)]
    (tmp_path / "log.csv").write_text("ts,host\n" + "".join(lines))
    table = look([tmp_path / "log.csv"]).tables[0]
    assert (table.batch, len(table.batches)) == ((batch,), 3 if rows == 3 else 72)


def test_folders_by_year_and_month_hold_files_that_name_their_day(tmp_path: Path) -> None:
    make(
        tmp_path,
        "out/2025/12/crm_2025-12-31.csv",
        "out/2026/01/crm_2026-01-02.csv",
        "out/2026/01/shop 20260102.csv",
        "out/2026/01/crm_x.csv",
    )
    crm, shop = seen_in([tmp_path / "out"])
    assert (crm.name, crm.path, crm.batches) == ("crm", str(tmp_path / "out/*/*/crm_{date}.csv"), ("2025-12-31", "2026-01-02"))
    assert (shop.name, shop.batches, shop.options) == ("shop", ("20260102",), {"header": "true"})


def test_folders_by_year_month_and_day_are_batches(tmp_path: Path) -> None:
    make(tmp_path, "out/2025/12/31/part-0.csv", "out/2026/01/09/part-0.csv", "out/2026/01/10/part-0.csv", "out/2026/01/10/part-1.csv")
    (seen,) = seen_in([tmp_path / "out"])
    assert (seen.name, seen.path, seen.batches) == (
        "out", str(tmp_path / "out/{year}/{month}/{day}"), ("2025-12-31", "2026-01-09", "2026-01-10")
    )  # fmt: skip


def test_a_folder_a_year_is_a_batch(tmp_path: Path) -> None:
    make(tmp_path, "out/2025/all.csv", "out/2026/all.csv")
    (seen,) = seen_in([tmp_path / "out"])
    assert (seen.path, seen.batches) == (str(tmp_path / "out/{batch}"), ("2025", "2026"))


def test_folders_by_hour_below_those_of_days_are_batches(tmp_path: Path) -> None:
    make(tmp_path, *(f"feed/{day}/{hour:02d}/part.csv" for day in ("20260101", "20260102") for hour in (0, 6, 12, 18)))
    (seen,) = seen_in([tmp_path / "feed"])
    assert (seen.name, seen.path) == ("feed", f"{tmp_path}/feed/{{year}}{{month}}{{day}}/{{hour}}")
    assert seen.batches[:2] == ("2026-01-01T00", "2026-01-01T06")
    assert len(seen.batches) == 8
    make(tmp_path, *(f"two/2026-01-0{day}/{part}/part.csv" for day in (1, 2) for part in ("05", "late")))
    (seen,) = seen_in([tmp_path / "two"])
    assert seen.batches == ("2026-01-01", "2026-01-02")


@pytest.mark.parametrize(
    ("names", "path"),
    [
        (("FY23P11", "FY23P12", "FY24P01", "FY24P02"), "{batch}.csv"),
        (("sales_2023-M11", "sales_2023-M12", "sales_2024-M01"), "sales_{batch}.csv"),
        (("2023H1", "2023H2", "2024H1"), "{batch}.csv"),
        (("GJ2023_P09 final", "GJ2023_P10 final", "GJ2024_P01 final"), "{batch} final.csv"),
        (("FY24Q3", "FY24Q4", "FY25Q1"), "{batch}.csv"),
        (("sales_3Q2023", "sales_4Q2023", "sales_1Q2024"), "sales_{batch}.csv"),
        (("sales-H1-2023", "sales-H2-2023", "sales-H1-2024", "sales-H2-2024"), "sales-{batch}.csv"),
        (("2S2023 v", "1S2024 v"), "{batch} v.csv"),
        (("gl_2H2023", "gl_1H2024"), "gl_{batch}.csv"),
        (("T3-2023", "T1-2024", "T2-2024"), "{batch}.csv"),
        (("gl_H22023", "gl_H12024"), "gl_{batch}.csv"),
    ],
)
def test_parts_of_years_are_batches_of_one_table_in_their_order(tmp_path: Path, names: tuple[str, ...], path: str) -> None:
    (seen,) = seen_in(make(tmp_path, *(f"gl/{name}.csv" for name in reversed(names))))
    before, _, after = path.removesuffix(".csv").partition("{batch}")
    assert seen.path == f"{tmp_path}/gl/{path}"
    assert seen.batches == tuple(name.removeprefix(before).removesuffix(after) for name in names)


def test_shops_with_numbered_parts_stay_tables_of_their_own(tmp_path: Path) -> None:
    found = seen_in(make(tmp_path, *(f"x/shop{shop}_p{part}.csv" for shop in (1, 2) for part in (1, 2, 3))))
    assert {seen.batches for seen in found} == {("1", "2", "3")}


def test_quarters_before_their_year_are_batches(tmp_path: Path) -> None:
    (seen,) = seen_in(make(tmp_path, "gdp/Q1-2026.csv", "gdp/Q4-2025.csv"))
    assert (seen.path, seen.batches) == (f"{tmp_path}/gdp/{{batch}}.csv", ("Q4-2025", "Q1-2026"))
