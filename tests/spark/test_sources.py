"""Every kind of source that Spark reads without an extra jar, each with the same three batches."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc

from avh_ui.errors import BatchNotFoundError, SourceError
from avh_ui.metrics.profiler import FailedBatch, Watch
from avh_ui.spark.profiler import SparkProfiler
from avh_ui.spark.versions import frame_of
from tests.spark.conftest import jobs_of, older_than, profiled, run, since

Make = Callable[..., SparkProfiler]
BATCHES = ("2024-01-01", "2024-01-02", "2024-01-10")
ROWS = [{"day": day, "x": 10 * k + i, "s": f"v{i}"} for k, day in enumerate(BATCHES) for i in range(4)]
SUMS = [6, 46, 86]
DERBY = {"driver": f"org.apache.derby.{'jdbc' if older_than('4.0') else 'iapi.jdbc'}.AutoloadedDriver"}


def csv(rows: list[dict[str, Any]]) -> bytes:
    return "".join(",".join(map(str, row)) + "\n" for row in ([*rows[0]], *(row.values() for row in rows))).encode()


def lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def arrow(writer: Callable[[pa.Table, Any], Any]) -> Callable[[list[dict[str, Any]]], bytes]:
    def encode(rows: list[dict[str, Any]]) -> bytes:
        sink = pa.BufferOutputStream()
        writer(pa.Table.from_pylist(rows), sink)
        return sink.getvalue().to_pybytes()

    return encode


ENCODE = {"csv": csv, "json": lines, "orc": arrow(orc.write_table), "parquet": arrow(pq.write_table)}
OPTIONS = {"csv": {"header": True}}


def check(engine: SparkProfiler, batches: list[str] | None = None) -> None:
    """The three batches, with numbers as numbers, and a sample of one."""
    if batches is None:
        assert engine.batches("t") == list(BATCHES)
    results = run(engine, list(BATCHES))
    assert [(profiled(r).rows, profiled(r).columns["x"].single_metrics()["sum"]) for r in results.values()] == [(4, s) for s in SUMS]
    sample = engine.sample("t", BATCHES[1], 10, 0)
    assert sorted(sample.column("x").to_pylist()) == [10, 11, 12, 13]


@pytest.mark.parametrize("kind", ENCODE)
def test_files_by_path(profiler: Make, tmp_path: Path, kind: str) -> None:
    for day in BATCHES:
        content = ENCODE[kind]([{k: v for k, v in row.items() if k != "day"} for row in ROWS if row["day"] == day])
        (tmp_path / f"one/{day}.x").parent.mkdir(exist_ok=True)
        (tmp_path / f"one/{day}.x").write_bytes(content)
        (tmp_path / f"many/day={day}").mkdir(parents=True)
        (tmp_path / f"many/day={day}/part-0").write_bytes(content)
        (tmp_path / f"many/day={day}/_SUCCESS").touch()
    options = OPTIONS.get(kind, {})
    check(profiler(source={"format": kind, "path": "one/{batch}.x", "options": options}))
    check(profiler(source={"format": kind, "path": "many/day={batch}", "options": options}))
    # The same folders as one table, partitioned by the batch column.
    check(profiler(source={"format": kind, "path": "many", "batch_column": "day", "options": options}))


@pytest.mark.parametrize("kind", ENCODE)
def test_a_file_with_a_batch_column(profiler: Make, tmp_path: Path, kind: str) -> None:
    (tmp_path / "all").write_bytes(ENCODE[kind](ROWS))
    check(profiler(source={"format": kind, "path": "all", "batch_column": "day", "options": OPTIONS.get(kind, {})}))


@since("4.0")  # XML without a package
def test_files_that_spark_alone_reads(spark: Any, profiler: Make, tmp_path: Path) -> None:
    for day in BATCHES:
        rows = "".join(f"<row><x>{row['x']}</x><s>{row['s']}</s></row>" for row in ROWS if row["day"] == day)
        (tmp_path / f"{day}.xml").write_text(f"<rows>{rows}</rows>", encoding="utf-8")
    engine = profiler(source={"format": "xml", "path": "{date}.xml", "options": {"rowTag": "row"}})
    check(engine)
    (tmp_path / "again.xml").write_bytes((tmp_path / f"{BATCHES[2]}.xml").read_bytes())
    given = engine.profile_path("t", str(tmp_path / "again.xml"), "2024-01-11", Watch())
    assert (given.batch, given.columns["x"].single_metrics()["sum"]) == ("2024-01-11", SUMS[2])
    with pytest.raises(BatchNotFoundError, match="is not there"):
        engine.profile_path("t", str(tmp_path / "nowhere.xml"), "2024-01-11", Watch())
    spark.range(3).createOrReplaceTempView("numbers")
    table = profiler(source={"format": "table", "table": "numbers", "batch_column": "id"})
    with pytest.raises(SourceError, match="cannot be read as the source of 't' is, which is the table numbers"):
        table.profile_path("t", str(tmp_path / "again.xml"), "7", Watch())


@since("4.3")
def test_codes_in_xml_keep_their_zeros_and_a_file_that_is_cut_fails(spark: Any, profiler: Make, tmp_path: Path) -> None:
    rows = "".join(f"<row><zip>0{k}234</zip><x>{k}.50</x><at><n>{k}</n></at></row>\n" for k in range(5))
    (tmp_path / "2024-01-01.xml").write_text(f"<rows>\n{rows}</rows>", encoding="utf-8")
    (tmp_path / "2024-01-02.xml").write_text(f"<rows>\n{rows}</rows>"[:200], encoding="utf-8")
    (tmp_path / "2024-01-03.xml").write_text(f"<rows>\n{rows}", encoding="utf-8")
    source = {"format": "xml", "path": "{date}.xml", "options": {"rowTag": "row"}}
    engine = profiler(source=source)
    whole, cut, between = run(engine, ["2024-01-01", "2024-01-02", "2024-01-03"]).values()
    assert isinstance(between, FailedBatch)
    assert "2024-01-03.xml ends before </rows>: it was cut off, or is still written" in between.reason
    (tmp_path / "given.xml").write_text(f"<rows>\n{rows}", encoding="utf-8")
    with pytest.raises(SourceError, match=r"given.xml ends before </rows>"):
        engine.profile_path("t", str(tmp_path / "given.xml"), "2024-01-11", Watch())
    columns = profiled(whole).columns
    assert {name: column.type for name, column in columns.items() if name != "at"} == {"zip": "string", "x": "number", "at.n": "number"}
    assert engine.sample("t", "2024-01-01", 1, 0).column("zip").to_pylist()[0].startswith("0")
    assert isinstance(cut, FailedBatch)
    assert "2024-01-02.xml) cannot be read: " in cut.reason
    assert "in the middle of a row: it was cut off, or is still written" in cut.reason
    typed = profiler(source={**source, "options": {"rowTag": "row", "inferSchema": "true"}})
    assert profiled(run(typed, ["2024-01-01"])["2024-01-01"]).columns["zip"].type == "bigint"


def test_an_array_of_json_that_is_cut_fails(profiler: Make, tmp_path: Path) -> None:
    (tmp_path / "2024-01-01.json").write_text('[{"x": 1},\n{"x": 2},\n{"x"', encoding="utf-8")
    engine = profiler(source={"format": "json", "path": "{date}.json", "options": {"multiLine": "true"}})
    (cut,) = run(engine, ["2024-01-01"]).values()
    assert isinstance(cut, FailedBatch)
    assert "2024-01-01.json is no JSON to its end: it was cut off, is still written, or never was" in cut.reason


def test_tables_and_queries(spark: Any, profiler: Make) -> None:
    frame_of(spark, pa.Table.from_pylist(ROWS).rename_columns(["the day", "x", "s"])).createOrReplaceTempView("events")
    check(profiler(source={"format": "table", "table": "events", "batch_column": "the day"}))
    check(profiler(source={"format": "query", "query": "select * from events where x >= 0", "batch_column": "the day"}))
    by_batch = profiler(source={"format": "query", "query": "select x, s from events where `the day` = '{batch}'"})
    assert by_batch.batches("t") == []
    check(by_batch, list(BATCHES))
    within = "select x, s from events where concat('day=', `the day`) = 'day={batch}' and `the day` like '{batch}%'"
    check(profiler(source={"format": "query", "query": within}), list(BATCHES))
    dated = "select x, s from events where cast(`the day` as date) = DATE '{batch}'"
    check(profiler(source={"format": "query", "query": dated}), list(BATCHES))
    for stranger in ("2024-01-03", "it's", "' or 'a' = 'a", "\\' or 1=1 -- "):
        (result,) = run(by_batch, [stranger]).values()
        assert isinstance(result, FailedBatch)
        assert result.fault == "empty"


def test_a_database(spark: Any, profiler: Make, tmp_path: Path) -> None:
    options = {**DERBY, "url": f"jdbc:derby:memory:{tmp_path.name};create=true"}
    frame = frame_of(spark, pa.Table.from_pylist(ROWS))
    frame.write.format("jdbc").options(**options, dbtable="EVENTS", createTableColumnTypes="day VARCHAR(20), s VARCHAR(20)").save()
    whole = profiler(source={"format": "jdbc", "table": "EVENTS", "batch_column": "day", "options": options})
    check(whole)
    query = """select "x", "s" from EVENTS where "day" = '{batch}'"""
    by_query = profiler(source={"format": "jdbc", "query": query, "options": options})
    check(by_query, list(BATCHES))
    for engine, hostile in ((by_query, "' or 'a' = 'a"), (whole, "\\' or 1=1 -- ")):
        (result,) = run(engine, [hostile]).values()
        assert isinstance(result, FailedBatch)
        assert "cannot be the id of a batch" in result.reason


def test_sources_that_cannot_be_read_say_why(spark: Any, profiler: Make) -> None:
    spark.range(3).createOrReplaceTempView("numbers")
    with pytest.raises(SourceError, match=r"no column 'Id'.*Did you mean 'id'"):
        profiler(source={"format": "table", "table": "numbers", "batch_column": "Id"}).batches("t")
    with pytest.raises(SourceError, match=r"'t' cannot be read: .*TABLE_OR_VIEW_NOT_FOUND"):
        run(profiler(source={"format": "table", "table": "nowhere", "batch_column": "id"}), ["1"])
    (result,) = run(profiler(source={"format": "query", "query": "select nope from numbers where id = '{batch}'"}), ["1"]).values()
    assert isinstance(result, FailedBatch)
    assert "Batch '1' of 't' cannot be read" in result.reason


def test_a_table_that_must_be_scanned_as_a_whole_is_scanned_once(spark: Any, profiler: Make, tmp_path: Path) -> None:
    pq.write_table(pa.table({"day": [f"b{k}" for k in range(300)], "x": list(range(300))}), tmp_path / "all.parquet")
    engine = profiler(source={"path": "all.parquet", "batch_column": "day"})
    batches = engine.batches("t")
    before = jobs_of(spark)
    results = run(engine, batches)
    assert sum(profiled(r).rows for r in results.values()) == 300
    # The footer; the scan, with the merge that adaptive execution makes a job of its own.
    assert len(jobs_of(spark) - before) <= 3


def test_a_file_whose_name_matches_others_is_read_alone(spark: Any, profiler: Make, write: Callable[..., Path]) -> None:
    write("day1.parquet", {"x": [1, 2, 3]})
    write("day[1].parquet", {"x": [1]})
    engine = profiler(source={"path": "{batch}.parquet"})
    assert {batch: profiled(result).rows for batch, result in run(engine).items()} == {"day1": 3, "day[1]": 1}
