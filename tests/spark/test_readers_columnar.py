"""Parquet and ORC files by Spark and by Arrow's readers: the same types and rows, or declined."""

from __future__ import annotations

import datetime as dt
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from pyarrow import orc

from avh_ui.config import Source
from avh_ui.metrics.column import NUMBER_KINDS, Column
from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.rank_sketches import KLL_RANK_ERROR
from avh_ui.metrics.type_names import arrow_tree
from avh_ui.scan import orc_reader, parquet_reader
from avh_ui.scan.listing import FileListing
from avh_ui.scan.partials import NOBODYS
from avh_ui.spark.columns import spark_tree
from avh_ui.spark.reading import file_rows
from avh_ui.spark.versions import arrow_of
from tests.fakes.columnar_files import all_batches, comparable, looked_at, orc_table, rows_of, written_in_all_ways
from tests.spark.conftest import older_than


def by_spark(spark: Any, listing: FileListing, source: Any, layouts: Any) -> Any:
    rows = file_rows(spark, source, listing, layouts)
    return rows.drop(rows.columns[-1])


def by_arrow(source: Any, listing: FileListing, layouts: Any) -> pa.Table:
    reader, shares = (orc_reader if source.format == "orc" else parquet_reader).plan(source, listing, layouts)
    return rows_of(list(all_batches(reader, shares, listing)), reader.schema)


def same(spark: Any, root: Path, *batches: str, template: str = "{batch}", kind: str = "parquet") -> None:
    """Both readers give the same columns and rows."""
    source, listing, layouts = looked_at(root, template, *batches, kind=kind)
    rows = by_spark(spark, listing, source, layouts)
    ours = by_arrow(source, listing, layouts)
    theirs = [(f.name, spark_tree(f.dataType)) for f in rows.schema.fields]
    assert [(f.name, arrow_tree(f.type)) for f in ours.schema] == theirs, batches
    assert comparable(ours) == comparable(arrow_of(rows)), batches


def test_every_type_in_every_encoding(spark: Any, tmp_path: Path) -> None:
    for folder in written_in_all_ways(tmp_path):
        if folder.name == "deltas" and older_than("4.1"):  # which reads no bytes in streams
            continue
        same(spark, tmp_path, folder.name)


# In a session of its own, whose settings nobody else sees.
_WRITTEN = {
    "int96": {"spark.sql.parquet.outputTimestampType": "INT96"},
    "legacy format": {"spark.sql.parquet.writeLegacyFormat": "true", "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MILLIS"},
    "old calendar": {"spark.sql.parquet.datetimeRebaseModeInWrite": "LEGACY", "spark.sql.parquet.int96RebaseModeInWrite": "LEGACY"},
}
_ROWS = """
    select cast(id as int) as i, if(id = 1, null, timestamp'2024-02-29 12:34:56.789') as t, date'2024-02-29' as d,
      array(1, null) as a, array(named_struct('x', id)) as s, map('k', array(id)) as m, cast(id as decimal(5, 2)) as small,
      cast(id as decimal(38, 2)) as large, named_struct('d', cast(id as decimal(12, 2))) as of
    from range(3)
"""
# What Spark's own schema in the footer says otherwise than the columns, or the columns themselves.
_DECLINED = {
    "interval": "select interval '1' day as v",
    "collation": "select 'a' collate UNICODE_CI as v",
    "variant": "select parse_json('1') as v",
    "old dates": "select date'1500-01-01' as v",
    "old timestamps": "select timestamp'1500-01-01 00:00:00' as v",
    "old nested": "select array(date'2024-01-01') as v",
}
_SINCE_4_0 = ("collation", "variant")


def test_what_spark_itself_writes(spark: Any, tmp_path: Path) -> None:
    for name, settings in _WRITTEN.items():
        session = spark.newSession()
        for key, value in settings.items():
            session.conf.set(key, value)
        rows = _ROWS if name != "old calendar" else "select timestamp'1900-01-01 00:00:00' as t, date'1900-01-01' as d, array(1) as a"
        session.sql(rows).coalesce(1).write.parquet(str(tmp_path / name))
        same(spark, tmp_path, name)
    # The session is the one that writes by the calendar of old.
    for name, rows in _DECLINED.items():
        if name in _SINCE_4_0 and older_than("4.0"):
            continue
        session.sql(rows).coalesce(1).write.parquet(str(tmp_path / name))
        source, listing, layouts = looked_at(tmp_path, "{batch}", name)
        with pytest.raises(DeclinedError, match="old calendar" if name.startswith("old") else "own schema|type"):
            by_arrow(source, listing, layouts)


def test_files_that_differ_and_files_in_partitions(spark: Any, tmp_path: Path) -> None:
    def write(name: str, **columns: Any) -> None:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table(columns), path)

    small = pa.array([1, None], pa.int16())
    write("differ/1.parquet", n=small, x=pa.array([0.1, None], pa.float32()), t=["a", "b"], s=[{"u": 1}, None])
    write("differ/2.parquet", t=["c", None], n=pa.array([2**53 + 1, 3]), x=[1.5, 2.5], more=[dt.date(2024, 1, 1), None])
    write("differ/3.parquet", n=pa.array([1.5]), t=["d"])
    write("order 2.parquet", b=[1, 2], a=["x", "y"])
    write("order 1.parquet", a=["z"], b=[3])
    for place, (k, day, text) in enumerate(
        [("01", "2024-01-01", "a%20b"), ("2", "2024-02-30", "__HIVE_DEFAULT_PARTITION__"), ("-3", "x=y", "%C3%BC")]
    ):
        write(f"parts/k={k}/day={day}/t%2E={text}/f.parquet", v=[place])
        write(f"more/n={('1', '2147483648', '+7')[place]}/d=2024-01-0{place + 1}/f={('1', '1.50', '-2')[place]}/f.parquet", v=[place])
    same(spark, tmp_path, "differ")
    same(spark, tmp_path, "order 2", "order 1", template="{batch}.parquet")
    same(spark, tmp_path, "parts")
    same(spark, tmp_path, "more")


def test_tables_with_a_batch_column(spark: Any, tmp_path: Path) -> None:
    for place, folder in enumerate(("batch=01", "batch=2", "batch=__HIVE_DEFAULT_PARTITION__", ".", ".")):
        path = tmp_path / ("inside" if folder == "." else "folders") / folder / f"{place}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        columns = {"b": [1], "a": ["x"]} if place == 1 else {"a": ["y", "z"], "b": [2, 3]}
        pq.write_table(pa.table(columns | ({"batch": ["1", None], "more": [1, 2]} if folder == "." else {})), path)
    for name in ("folders", "inside"):
        source = Source.model_validate({"path": name, "batch_column": "batch"})
        listing = FileListing(source, tmp_path)
        reader, shares = parquet_reader.plan_table(source, listing, listing.locate("table"), ["1"])
        assert [share.batch for share in shares] == (["1", NOBODYS] if name == "folders" else ["", ""])
        rows = spark.read.load(str(tmp_path / name))
        assert [(f.name, spark_tree(f.dataType)) for f in rows.schema.fields] == [(f.name, arrow_tree(f.type)) for f in reader.schema]
        ours = rows_of(list(all_batches(reader, shares, listing)), reader.schema)
        ours = ours.filter(pc.field("batch") == (1 if name == "folders" else "1"))
        assert comparable(ours) == comparable(arrow_of(rows.where(rows["batch"].cast("string") == "1")))
        assert ours.num_rows == 2


_ORC = """
    select cast(id as tinyint) as a, cast(id as smallint) as b, id as c, cast(id as float) as d, if(id = 1, null, 'x') as e,
      date'1600-01-01' as f, cast(id as decimal(38, 2)) as g, array(1, null) as h, map('a', id) as i,
      named_struct('x', id, 'y.z', 'ü') as j, binary('ab') as k, id = 1 as l, cast('x' as varchar(3)) as m
    from range(3)
"""


def test_orc(spark: Any, tmp_path: Path) -> None:
    for codec in ("snappy", "zlib", "zstd", "lz4", "uncompressed"):
        (tmp_path / codec).mkdir()
        orc.write_table(orc_table(), tmp_path / codec / "1.orc", compression=codec)
    orc.write_table(pa.table({"more": [1], "int8": pa.array([1000], pa.int16()), "text": ["x"]}), tmp_path / "zstd" / "2.orc")
    same(spark, tmp_path, "snappy", "zlib", "lz4", "uncompressed", kind="orc")
    same(spark, tmp_path, "zstd", kind="orc")
    spark.sql(_ORC).coalesce(1).write.orc(str(tmp_path / "spark" / "p=1"))
    same(spark, tmp_path, "spark", kind="orc")
    for query in (
        "timestamp_ntz'2024-01-01 00:00:00'",
        "interval '1' day",
        "array(timestamp_ntz'2024-01-01 00:00:00')",
        "timestamp'2024-01-01 00:00:00'",
    ):
        spark.sql(f"select {query} as v").coalesce(1).write.mode("overwrite").orc(str(tmp_path / "own"))
        with pytest.raises(DeclinedError, match="'v' is of "):
            by_arrow(*looked_at(tmp_path, "{batch}", "own", kind="orc"))


def test_profiles_are_the_same(spark: Any, tmp_path: Path) -> None:
    with resources.as_file(resources.files("avh_ui.demo") / "data" / "flights.parquet") as path:
        table = pq.read_table(path).slice(0, 5_000)
    (tmp_path / "b").mkdir()
    pq.write_table(table, tmp_path / "b" / "f.parquet", row_group_size=2_000)
    source, listing, layouts = looked_at(tmp_path, "{batch}", "b")
    reader, shares = parquet_reader.plan(source, listing, layouts)
    ours = pa.Table.from_batches(list(all_batches(reader, shares, listing)))
    theirs = arrow_of(by_spark(spark, listing, source, layouts))
    for field in reader.schema:
        one, other = (
            ColumnProfile.of(Column.from_arrow(field.name, rows[field.name]), arrow_tree(field.type).name) for rows in (ours, theirs)
        )
        # Quantiles of many values are sketched, by a coin.
        sketched = {"distribution"} if one.kind in NUMBER_KINDS else set()
        same_bytes = {key for key, state in one.states.items() if state.to_record() == other.states[key].to_record()}
        assert one.states.keys() - same_bytes <= sketched, field.name
        assert one.states.keys() == other.states.keys()
        # Of a sketch a share of values is as rough as its ranks.
        metrics = [list(profile.single_metrics().values()) for profile in (one, other)]
        np.testing.assert_allclose(*metrics, rtol=0.05, atol=2 * KLL_RANK_ERROR, err_msg=field.name)
