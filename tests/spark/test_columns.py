"""Columns of every type: what Spark cannot hand over is still counted, and nested ones are measured field by field."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.metrics.profiler import Watch
from avh_ui.spark.profiler import SparkProfiler, profile_frame
from avh_ui.spark.versions import frame_of
from avh_ui.workflows.frames import profile_table
from tests.spark.conftest import profiled, run, since

NESTED = pa.table(
    {
        "id": [0, 1, 2, 3],
        "geo": [{"lat": k / 2, "a.b": str(k), "of": {"n": k, "N": -k}} if k != 3 else None for k in range(4)],
        "tags": [[0], None, [0, 1, 2], [0, None, 2, 3]],
        "m": pa.array([{"k": 1, "l": 2}, {}, None, {"k": None}], pa.map_(pa.string(), pa.int64())),
        "lines": [[{"x": 1}]] * 4,
        "bin": [b"x", b"", None, b"y"],
        "dec": pa.array([1, 2, 3, 4]).cast(pa.decimal128(38, 3)),
        "ts": pa.array([10**15, 0, None, 1], pa.timestamp("us", "UTC")),
        "ntz": pa.array([10**15, 0, None, 1], pa.timestamp("us")),
        "d": pa.array([1, 2, 3, None], pa.int32()).cast(pa.date32()),
        "void": pa.nulls(4),
        "b": [True, None, False, True],
        "days": pa.array([1, 2, 3, None], pa.duration("us")),
        "geo.lat": [1, 2, 3, 4],
    }
)
ONLY_SPARK = """
    select parse_json(concat('{"a":', id, '}')) as v, interval '1' day * id as days, make_ym_interval(1, cast(id as int)) as months,
      make_interval(0, 0, 0, cast(id as int)) as cal, time'10:00:30' as t, cast('x' as varchar(3)) as vc,
      if(id = 0, null, named_struct('v', parse_json('1'))) as s
    from range(3)
"""


def same_states(ours: BatchProfile, theirs: BatchProfile) -> None:
    assert [(c.name, c.type, c.kind) for c in ours.columns.values()] == [(c.name, c.type, c.kind) for c in theirs.columns.values()]
    for name, column in ours.columns.items():
        one, other = column.single_metrics(), theirs.columns[name].single_metrics()
        np.testing.assert_allclose(list(one.values()), list(other.values()), rtol=1e-12, err_msg=name)
        assert nulls(column) == nulls(theirs.columns[name]), name


def nulls(column: ColumnProfile) -> tuple[int, int]:
    counted: Any = column.states["counts"]
    return counted.rows, counted.nulls


def test_nested_columns_are_the_same_from_spark_and_arrow(spark: Any) -> None:
    made = frame_of(spark, NESTED)
    profile = profile_frame(made.withColumn("ntz", made["ntz"].cast("timestamp_ntz")), "p", "b")
    same_states(profile, profile_table(NESTED, "p", "b"))
    sums = {name: profile.columns[name].single_metrics()["sum"] for name in ("tags.size()", "m.size()", "geo.lat", "`geo.lat`", "geo.of.N")}
    assert sums == {"tags.size()": 8, "m.size()": 3, "geo.lat": 10, "`geo.lat`": 1.5, "geo.of.N": -3}
    assert (nulls(profile.columns["geo"]), nulls(profile.columns["tags"]), nulls(profile.columns["geo.`a.b`"])) == ((4, 1), (4, 1), (4, 1))
    assert (profile.columns["void"].type, profile.covers_all) == ("null", True)
    assert profile.notes[0].startswith("3 of 17 columns are not measured")


@since("4.1")  # times of day
def test_what_arrow_cannot_take_is_counted(spark: Any) -> None:
    profile = profile_frame(spark.sql(ONLY_SPARK), "p", "b")
    found = {c.name: (c.type, c.kind, nulls(c)) for c in profile.columns.values()}
    assert found == {
        "v": ("variant", "skipped", (3, 0)),
        "days": ("interval day to second", "numeric", (3, 0)),
        "months": ("interval year to month", "numeric", (3, 0)),
        "cal": ("interval", "skipped", (3, 0)),
        "t": ("time", "numeric", (3, 0)),
        "vc": ("string", "string", (3, 0)),
        "s": ("struct<v:variant>", "skipped", (3, 1)),
        "s.v": ("variant", "skipped", (3, 1)),
    }
    largest = {name: profile.columns[name].single_metrics()["max"] for name in ("days", "months", "t")}
    assert largest == {"days": 2 * 86_400, "months": 14, "t": 36_030}
    assert "of 'v' (variant), 'cal' (interval), 's.v' (variant) only nulls" in profile.notes[0]


def test_nested_columns_by_path(profiler: Callable[..., SparkProfiler], tmp_path: Path) -> None:
    table = pa.table({
        "x": [1, 2], "geo": [{"lat": 1.5, "of": {"lat": 2}}, None], "tags": [[1], None], "secret": [{"a": 1, "b": 2}] * 2,
    })  # fmt: skip
    (tmp_path / "in").mkdir()
    pq.write_table(table, tmp_path / "in/1.parquet")
    engine = profiler(source={"path": "in/{batch}.parquet"}, columns={"exclude": ["secret", "geo.lat"]})
    profile = profiled(run(engine)["1"])
    assert list(profile.columns) == ["x", "geo", "geo.of", "geo.of.lat", "tags", "tags.size()"]
    assert profile.left_out == ("geo.lat", "secret", "secret.a", "secret.b")
    assert profile.notes[1] == "2 columns are left out by avh.yml: 'geo.lat', 'secret'."
    sample = engine.sample("t", "1", 10, 0, Watch())
    assert sample.to_pydict() == {"x": [1, 2], "geo.of.lat": [2, None], "tags.size()": [1, None]}


@pytest.mark.parametrize("source", [{"path": "in/{batch}.json", "format": "json"}])
def test_json_without_values_has_no_type(profiler: Callable[..., SparkProfiler], tmp_path: Path, source: dict[str, str]) -> None:
    (tmp_path / "in").mkdir()
    lines = ['{"a": null, "l": [], "g": {"x": null}}', '{"a": null, "l": null, "g": {"x": null}}']
    (tmp_path / "in/1.json").write_text("\n".join(lines), encoding="utf-8")
    profile = profiled(run(profiler(source=source))["1"])
    types = {c.name: c.type for c in profile.columns.values()}
    assert types == {"a": "null", "g": "struct<x:string>", "g.x": "null", "l": "null", "l.size()": "size"}
