"""`avh init` with files: what it writes is a workspace that profiles at once."""

from __future__ import annotations

import errno
import gzip
import json
import shutil
from datetime import date, timedelta
from pathlib import Path

import pyspark
import pytest

from avh_ui.config import load_config
from avh_ui.spark.packages import require_fitting
from tests.unit.cli.conftest import Avh


def lay_out(root: Path, days: int = 9) -> None:
    (root / "in").mkdir()
    for day in range(1, days + 1):
        rows = "\n".join(f"{shop};{shop * day};x" for shop in range(1, 31))
        if day != 4:
            (root / "in" / f"sales_2026-01-{day:02d}.csv").write_text(f"shop;sold;note\n{rows}\n")


def test_files_become_a_workspace(avh: Avh, tmp_path: Path) -> None:
    lay_out(tmp_path)
    (tmp_path / "in" / "shops.csv").write_text("shop,name\n1,North\n2,South\n")
    answer = avh("init", tmp_path / "in", "-w", tmp_path)
    assert (answer.code, "Left out: " in answer.err, "shops.csv is one file" in answer.err) == (0, True, True)
    pipeline = load_config(tmp_path).pipeline("sales")
    assert (pipeline.source.path, pipeline.source.options) == ("in/sales_{batch}.csv", {"sep": ";", "header": "true"})
    assert (pipeline.cadence, pipeline.key) == ("daily", ("shop",))
    for told in (
        "8 batches, 2026-01-01 to 2026-01-09",
        "By a daily cadence 1 batch is missing.",
        "shop is a key",
        f"avh profile sales -w {tmp_path}`",
    ):
        assert told in answer.out
    assert avh("profile", "sales", "-w", tmp_path).code == 0


def test_avro_comes_with_the_package_that_reads_it(avh: Avh, tmp_path: Path) -> None:
    for day in (1, 2):
        (tmp_path / f"orders_2026-01-0{day}.avro").write_bytes(b"Obj\x01")
    assert "Spark reads Avro" in avh("init", tmp_path, "-w", tmp_path).out
    config = load_config(tmp_path)
    assert config.pipeline("orders").source.format == "avro"
    require_fitting(config.spark.packages, pyspark.__version__)
    assert [package.partition(":")[0] for package in config.spark.packages] == ["org.apache.spark"]


def test_a_workspace_that_is_there_is_kept(avh: Avh, tmp_path: Path) -> None:
    lay_out(tmp_path)
    (tmp_path / "avh.yml").write_text("mine")
    assert avh("init", tmp_path / "in", "-w", tmp_path).code == 2
    printed = avh("init", tmp_path / "in", "-w", tmp_path, "--print")
    assert (printed.code, 'path: "in/sales_{batch}.csv"' in printed.out, (tmp_path / "avh.yml").read_text()) == (0, True, "mine")


def test_nothing_is_written_where_nothing_is_seen(avh: Avh, tmp_path: Path) -> None:
    answer = avh("init", tmp_path / "no.csv", "-w", tmp_path)
    assert (answer.code != 0, "not there" in answer.err, (tmp_path / "avh.yml").exists()) == (True, True, False)


def test_ids_that_are_no_dates_and_no_key(avh: Avh, tmp_path: Path) -> None:
    for name in ("north", "south"):
        (tmp_path / f"{name}.csv").write_text("a,b\n" + "1,x\n" * 20)
    out = avh("init", tmp_path / "north.csv", tmp_path / "south.csv", "-w", tmp_path).out
    assert "which are no dates" in out
    assert "No key" in out


def test_a_file_that_grows_is_counted_whole(avh: Avh, tmp_path: Path) -> None:
    # More than is looked at of a file, on weekdays only.
    days = [day for k in range(70) if (day := date(2026, 3, 2) + timedelta(k)).weekday() < 5]
    (tmp_path / "trades.tsv").write_text("day\tshare\tprice\n" + "".join(f"{day}\tS{k}\t{k}.5\n" for day in days for k in range(900)))
    out = avh("init", tmp_path / "trades.tsv", "-w", tmp_path).out
    for told in ("50 batches, 2026-03-02 to 2026-05-08.", "No batch comes on Saturday or Sunday.", "share is a key"):
        assert told in out
    assert "missing" not in out


def test_a_key_is_looked_for_in_the_newest_batches_that_can_be_read(avh: Avh, tmp_path: Path) -> None:
    lay_out(tmp_path)
    (tmp_path / "in" / "sales_2026-01-10.csv").write_text("")
    assert "shop is a key" in avh("init", tmp_path / "in", "-w", tmp_path).out


def test_a_key_was_one_in_earlier_batches_too(avh: Avh, tmp_path: Path) -> None:
    for day in range(1, 10):
        rows = "\n".join(f"root {n if day > 5 else n // 2};{n * 7919:x}x" for n in range(30))
        (tmp_path / f"roots_2026-01-{day:02d}.csv").write_text(f"label;print\n{rows}\n")
    assert "print is a key" in avh("init", *sorted(tmp_path.glob("*.csv")), "-w", tmp_path).out


def test_a_key_that_was_not_looked_for_is_told(avh: Avh, tmp_path: Path) -> None:
    for day in (1, 2):
        (tmp_path / f"a-2026-01-0{day}.csv").write_text('"a ""q""",b\n1,2\n')
    assert "No key was looked for. It takes Spark" in avh("init", *tmp_path.glob("a-*"), "-w", tmp_path).out


@pytest.mark.parametrize(
    ("most", "told"), [(31, "id is a key: unique in the newest batch, and 100% come"), (30, "No key was looked for: a batch has 30 rows")]
)
def test_in_a_larger_table_no_key_is_looked_for(avh: Avh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, told: str) -> None:
    """Of 20,000 rows drawn from each of two batches of 46,000 most are in one of them, and no key was found."""
    monkeypatch.setattr("avh_ui.workflows.starting._ROWS", most)
    for day in (1, 2):
        (tmp_path / f"a-2026-01-0{day}.csv").write_text("id,name\n" + "".join(f"{k},n{k % 7}\n" for k in range(30)))
    assert told in avh("init", *tmp_path.glob("a-*"), "-w", tmp_path).out


SIX_HOURLY = ("2026-01-01T12", "2026-01-01T18", "2026-01-02T00")


def test_quarters_and_years_have_their_cadence(tmp_path: Path, avh: Avh) -> None:
    tables = {
        "gdp": ("2023Q3", "2023Q4", "2024Q1"),
        "census": ("2001", "2002", "2003"),
        "feed": SIX_HOURLY,
        "trade": ("4Q23", "1Q24", "2Q24"),
        "prices": ("H2-2023", "H1-2024", "H2-2024"),
        "flu": ("KW 52 2023", "KW 01 2024", "KW 02 2024"),
        "shifts": ("20260101T060329Z", "20260101T180712Z", "20260102T055931Z", "20260102T180000Z"),
    }
    for folder, ids in tables.items():
        (tmp_path / folder).mkdir()
        for batch in ids:
            (tmp_path / folder / f"{batch}.csv").write_text("id,n\n1,2\n2,3\n")
    out = avh("init", *(tmp_path / folder for folder in tables), "-w", tmp_path).out
    assert {name: one.cadence for name, one in load_config(tmp_path).pipelines.items()} == {
        "gdp": "P3M", "census": "P1Y", "feed": "PT6H", "trade": "P3M", "prices": "P6M", "flu": "weekly", "shifts": "PT12H",
    }  # fmt: skip
    assert all(f"{len(ids)} batches, {ids[0]} to {ids[-1]}." in out for ids in tables.values())
    assert "shifts: 4 batches, 20260101T060329Z to 20260102T180000Z. The batches come about as often as PT12H says" in out


def test_a_path_with_places_is_taken_as_it_is(avh: Avh, tmp_path: Path) -> None:
    lay_out(tmp_path)
    for template in ("in/sales_{date}.csv", "in/sales_{year}-{month}-{day}.csv"):
        assert avh("init", tmp_path / template, "-w", tmp_path).code == 0
        pipeline = load_config(tmp_path).pipeline("sales")
        assert (pipeline.source.path, pipeline.source.options["sep"], pipeline.key) == (template, ";", ("shop",))
        (tmp_path / "avh.yml").unlink()
    refused = {
        "in/sale_{date}.csv": "No file is at ", "in/{day}.csv": "without {year}", "in/{run}.csv": "the place of the batch is written",
        "on/{date}.csv": "does not exist",
    }  # fmt: skip
    for template, said in refused.items():
        answer = avh("init", tmp_path / template, "-w", tmp_path)
        assert (answer.code, said in answer.err, (tmp_path / "avh.yml").exists()) == (3, True, False), answer.err


@pytest.mark.parametrize("pattern", ["orders-{date}.csv*", "orders-{date}*", "orders-{date}.csv.gz"])
def test_a_pattern_behind_the_place_is_no_part_of_the_name(avh: Avh, tmp_path: Path, pattern: str) -> None:
    for day in ("2026-01-01", "2026-01-02"):
        with gzip.open(tmp_path / f"orders-{day}.csv.gz", "wt") as file:
            file.write("id,n\n1,2\n2,3\n")
    assert avh("init", tmp_path / pattern, "-w", tmp_path).code == 0
    assert load_config(tmp_path).pipeline("orders").source.path == pattern


def test_a_folder_of_dates_with_a_place_is_named_by_what_stands_above(avh: Avh, tmp_path: Path) -> None:
    for day in (1, 2):
        (tmp_path / f"orders/day=2026-01-0{day}").mkdir(parents=True)
        (tmp_path / f"orders/day=2026-01-0{day}/part.csv").write_text("id,n\n1,2\n2,3\n")
    avh("init", tmp_path / "orders/day={date}", "-w", tmp_path)
    assert load_config(tmp_path).pipeline("orders").source.path == "orders/day={date}"


def test_a_path_beside_the_workspace_moves_with_it(avh: Avh, tmp_path: Path) -> None:
    lay_out(tmp_path)
    for place, path in (("ws", "../in/sales_{batch}.csv"), ("deep/er/ws", str(tmp_path / "in/sales_{batch}.csv"))):
        (tmp_path / place).mkdir(parents=True)
        avh("init", tmp_path / "in", "-w", tmp_path / place)
        assert load_config(tmp_path / place).pipeline("sales").source.path == path
        assert ("Its path is absolute" in (tmp_path / place / "avh.yml").read_text()) is path.startswith("/")
        assert avh("profile", "sales", "-w", tmp_path / place).code == 0


def test_above_a_link_a_path_is_absolute(avh: Avh, tmp_path: Path) -> None:
    lay_out(tmp_path)
    (tmp_path / "real/ws").mkdir(parents=True)
    (tmp_path / "ws").symlink_to(tmp_path / "real/ws")
    avh("init", tmp_path / "in", "-w", tmp_path / "ws")
    assert load_config(tmp_path / "ws").pipeline("sales").source.path == str(tmp_path / "in/sales_{batch}.csv")
    assert avh("profile", "sales", "-w", tmp_path / "ws").code == 0


def test_what_may_not_be_read_says_who_can_change_that(avh: Avh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_out(tmp_path)

    def refuse(path: Path) -> object:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "iterdir", refuse)
    answer = avh("init", tmp_path / "in", "-w", tmp_path)
    assert (answer.code, f"{tmp_path / 'in'} may not be read: permission denied. Give the user" in answer.err) == (3, True)
    assert "foresee" not in answer.err


def test_one_file_without_a_date_is_taken_as_overwritten_by_each_delivery(avh: Avh, tmp_path: Path) -> None:
    (tmp_path / "stock.csv").write_text("id;amount\n" + "".join(f"{k};{k * 3},5\n" for k in range(40)))
    answer = avh("init", tmp_path / "stock.csv", "-w", tmp_path)
    assert answer.code == 0
    assert "overwritten by each delivery (batch: now)" in answer.out
    source = load_config(tmp_path).pipeline("stock").source
    assert (source.snapshot, source.path, source.decimal_comma) == ("now", "stock.csv", ("amount",))
    assert "profiled 1 batch" in avh("profile", "stock", "-w", tmp_path).out


def test_of_a_file_that_is_overwritten_is_told_what_may_be_its_key(avh: Avh, tmp_path: Path) -> None:
    rows = "".join(f"S{n};{n % 3};{n % 7}\n" for n in range(60))
    (tmp_path / "stock.csv").write_text(f"sku;shop;stock\n{rows}")
    told = "sku tells its rows apart: `key: [sku]`, written before the second profile, matches them with those of the day before."
    assert told in avh("init", tmp_path / "stock.csv", "-w", tmp_path).out
    assert load_config(tmp_path).pipeline("stock").key == (), "nobody knows whether its rows come again"
    (tmp_path / "all").mkdir()
    (tmp_path / "all" / "events.csv").write_text("shop;stock\n" + "1;2\n2;3\n" * 30)
    assert "tells its rows apart" not in avh("init", tmp_path / "all", "-w", tmp_path / "all").out


def test_days_written_in_two_ways_stand_where_they_are_and_are_told(avh: Avh, tmp_path: Path) -> None:
    for name in ("20260101", "20260102", "2026-01-03", "2026-01-04"):
        (tmp_path / f"ship_{name}.csv").write_text("id,w\n" + "".join(f"{k},{k * 2}\n" for k in range(20)))
    out = avh("init", *sorted(tmp_path.glob("*.csv")), "-w", tmp_path).out
    assert "4 batches, 20260101 to 2026-01-04. Their dates are written in several ways. Each batch stands where its day is" in out
    assert load_config(tmp_path).pipelines["ship"].cadence == "daily"
    avh("profile", "ship", "-w", tmp_path)
    assert "20260101 to 2026-01-04" in avh("history", "ship", "-w", tmp_path).out


def test_months_written_in_two_ways_have_their_cadence(avh: Avh, tmp_path: Path) -> None:
    for name in ("202601", "202602", "2026-03", "2026-04"):
        (tmp_path / f"ship_{name}.csv").write_text("id,w\n" + "".join(f"{k},{k * 2}\n" for k in range(20)))
    out = avh("init", *sorted(tmp_path.glob("*.csv")), "-w", tmp_path).out
    assert "4 batches, 202601 to 2026-04. Their dates are written in several ways. Each batch stands where its month is" in out
    assert load_config(tmp_path).pipelines["ship"].cadence == "monthly"


def test_weeks_beside_days_are_told(avh: Avh, tmp_path: Path) -> None:
    for name in ("2026-W01", "2026-W02", "2026-03-01", "2026-03-08"):
        (tmp_path / f"ship_{name}.csv").write_text("id,w\n" + "".join(f"{k},{k * 2}\n" for k in range(20)))
    out = avh("init", *sorted(tmp_path.glob("*.csv")), "-w", tmp_path).out
    assert "ship: 4 batches, 2026-W01 to 2026-03-08. Some batches are of a week and some of a day: each stands where it begins" in out


def test_a_decimal_comma_in_no_column_is_refused_and_one_whose_column_went_is_told(avh: Avh, tmp_path: Path) -> None:
    for name, column in (("2026-01-01", "price"), ("2026-01-02", "price"), ("2026-01-03", "cost")):
        (tmp_path / f"{name}.csv").write_text(f"id;{column}\n" + "".join(f"{k};{k},5\n" for k in range(20)))
    avh("init", *sorted(tmp_path.glob("2026*")), "-w", tmp_path)
    config = (tmp_path / "avh.yml").read_text()
    assert 'decimal_comma: ["cost"]' in config
    name = next(iter(load_config(tmp_path).pipelines))
    (tmp_path / "avh.yml").write_text(config.replace('["cost"]', '["prise"]'))
    refused = avh("profile", name, "-w", tmp_path)
    assert (refused.code, "has no column 'prise', which `decimal_comma` names. Did you mean 'price'" in refused.err) == (3, True)
    (tmp_path / "avh.yml").write_text(config.replace('["cost"]', '["price"]'))
    assert avh("profile", name, "--batches", "..2026-01-02", "-w", tmp_path).code == 0
    told = avh("profile", name, "-w", tmp_path)
    assert (told.code, "Column 'price' is missing." in told.out) == (0, True)


@pytest.mark.parametrize(("given", "what"), [([""], "file or folder"), (["--table", ""], "table")])
def test_an_empty_name_is_not_this_folder(avh: Avh, tmp_path: Path, given: list[str], what: str) -> None:
    lay_out(tmp_path)
    answer = avh("init", *given, "-w", tmp_path)
    assert (answer.code, (tmp_path / "avh.yml").exists()) == (2, False)
    assert answer.err.startswith(f"Error: The name of a {what} is empty. Is a variable of the shell not set?")


def test_before_there_are_data_each_command_says_what_to_do_first(avh: Avh, tmp_path: Path) -> None:
    avh("init", "-w", tmp_path)
    line = 1 + (tmp_path / "avh.yml").read_text(encoding="utf-8").split("\n").index("    source:")
    for command in ("profile", "suggest"):
        answer = avh(command, "orders", "-w", tmp_path)
        assert answer.code == 3
        assert "the source's folder" in answer.err
        assert "Put its files there, each named as its batch, such as data/orders/2026-01-31.parquet" in answer.err
        assert f"`source:` of orders (line {line}) in avh.yml" in answer.err
        assert "avh demo" in answer.err
        assert "drive" not in answer.err
    found = {one["name"]: one for one in json.loads(avh("doctor", "-w", tmp_path, "--json").out)}["pipeline orders"]
    assert found["ok"]
    assert "nothing published. No batch of 'orders' was found" in found["found"]
    (tmp_path / "data" / "orders").mkdir(parents=True)
    assert "No batch of 'orders' was found at data/orders/{batch}.parquet. Put its" in avh("suggest", "orders", "-w", tmp_path).err


def test_what_was_profiled_and_is_gone_is_no_first_step(avh: Avh, tmp_path: Path) -> None:
    there = tmp_path / "data"
    there.mkdir()
    (there / "2026-01-01.csv").write_text("a\n1\n2\n")
    (tmp_path / "avh.yml").write_text("pipelines: {p: {source: {format: csv, path: 'data/{batch}.csv'}}}")
    assert avh("profile", "p", "-w", tmp_path).code == 0
    shutil.rmtree(there)
    assert "does not exist. Was it moved" in avh("profile", "p", "-w", tmp_path).err
