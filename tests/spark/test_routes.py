"""One batch has one verdict, however it comes: by path, or as a DataFrame of Spark or pandas, or a table of Arrow."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.json
import pyarrow.orc
import pyarrow.parquet
import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.program import Program
from avh_ui.constraints.schema import SchemaConstraint
from avh_ui.dataframes import profile_of
from avh_ui.metrics.profile import BatchProfile
from avh_ui.spark.profiler import SparkProfiler
from avh_ui.validator.schema_drift import schema_of
from avh_ui.validator.validate import validate
from tests.fakes.builders import program
from tests.fakes.history import FakeHistory
from tests.spark.conftest import profiled, run, since

DAYS = [datetime.date(2024, 1, k) for k in (1, 2, 3, 4)]
TIMES = [datetime.datetime(2024, 1, 1, 10, k, tzinfo=datetime.UTC) for k in range(4)]
WRITTEN = {
    "n": [1, 20, 300, 4],
    "gaps": [1, None, 3, 4],
    "price": [1.5, None, 2.25, 1e3],
    "name": ["x", "ü", None, "x y"],
    "day": [str(d) for d in DAYS],
    "at": [f"{t:%Y-%m-%d %H:%M:%S}" for t in TIMES],
    "flag": [True, False, None, True],
    "nothing": [None] * 4,
}
TYPED = pa.table(
    {
        **{name: pa.array(WRITTEN[name]) for name in ("n", "gaps", "price", "name", "flag")},
        "small": pa.array([1, None, 3, 4], pa.int16()),
        "dec": pa.array([Decimal("1.50"), Decimal("20.25"), None, Decimal(3)], pa.decimal128(12, 2)),
        "day": pa.array(DAYS),
        "at": pa.array(TIMES, pa.timestamp("us", "UTC")),
        "kind": pa.array(["a", "b", "a", None]).dictionary_encode(),
        "raw": pa.array([b"x", None, b"\xff", b""]),
        "no_numbers": pa.array([None] * 4, pa.int32()),
        "no_texts": pa.array([None] * 4, pa.string()),
        "geo": [{"lat": 1.5, "n": 1}, None, {"lat": None, "n": 2}, {"lat": 2.5, "n": 3}],
        "tags": [["a"], [], None, ["b", "c"]],
    }
)


def learned(profile: BatchProfile, source_format: str) -> Program:
    """A program that holds every metric of the batch to its value."""
    constraints = [
        Constraint(c.name, metric, c.kind, value - 1e-6, value + 1e-6)
        for c in profile.columns.values()
        for metric, value in c.single_metrics().items()
        if value == value
    ]
    schema = SchemaConstraint(schema_of(profile), covers_all=True, source_format=source_format)
    return program(constraints=tuple(constraints), schema=schema)


def verdict(published: Program, table: Any) -> list[str]:
    """What is wrong with a table, as sentences."""
    found = validate(published, profile_of(table, published, "2"), FakeHistory())
    return [r.message for r in found.results if r.status != "pass"]


def routes(spark: Any, path: Path, kind: str) -> Iterator[tuple[str, Any]]:
    """The batch as people read it, by name."""
    at, read = str(path), spark.read.option("header", True)
    if kind == "csv":
        yield "spark", read.csv(at)
        yield "spark, inferred", read.option("inferSchema", True).csv(at)
        given = "n int, gaps decimal(5,1), price double, name string, day date, at string, flag boolean, nothing int"
        yield "spark, types given", read.schema(given).csv(at)
        yield "pandas", pd.read_csv(at)
        yield "pandas, nullable", pd.read_csv(at, dtype_backend="numpy_nullable")
        yield "pandas, texts", pd.read_csv(at, dtype=str)
        yield "pandas, categories", pd.read_csv(at, dtype={"name": "category"}, parse_dates=["day", "at"])
        yield "arrow", pa.csv.read_csv(at, convert_options=pa.csv.ConvertOptions(strings_can_be_null=True))
    elif kind == "json":
        yield "spark", spark.read.json(at)
        yield "pandas", pd.read_json(at, lines=True, convert_dates=False)
        yield "arrow", pa.json.read_json(at)
    else:
        yield "spark", spark.read.format(kind).load(at)
        arrow = {"parquet": pa.parquet.read_table, "orc": pa.orc.read_table}[kind](at)
        yield "arrow", arrow
        large = [pa.field(f.name, pa.large_string() if f.type == pa.string() else f.type) for f in arrow.schema]
        yield "arrow, large", arrow.cast(pa.schema(large))
        yield "pandas", arrow.to_pandas()
        nullable = {pa.int64(): pd.Int64Dtype(), pa.int16(): pd.Int16Dtype(), pa.bool_(): pd.BooleanDtype()}
        yield "pandas, nullable", arrow.to_pandas(types_mapper=nullable.get)
        yield "pandas, arrow", arrow.to_pandas(types_mapper=pd.ArrowDtype)


def write(path: Path, kind: str) -> None:
    path.parent.mkdir(exist_ok=True)
    if kind == "csv":
        pd.DataFrame(WRITTEN).assign(gaps=["1", None, "3", "4"], flag=["true", "false", None, "true"]).to_csv(path, index=False)
    elif kind == "json":
        pd.DataFrame(WRITTEN).assign(gaps=pd.array(WRITTEN["gaps"], "Int64")).to_json(path, orient="records", lines=True)
    elif kind == "parquet":
        pa.parquet.write_table(TYPED, path)
    else:
        kind_free = TYPED.set_column(TYPED.column_names.index("kind"), "kind", TYPED.column("kind").cast(pa.string()))
        pa.orc.write_table(kind_free, path)


@pytest.mark.parametrize("kind", ["csv", "json", "parquet", pytest.param("orc", marks=since("4.1"))])  # which reads times with a zone
def test_one_batch_has_one_verdict(spark: Any, profiler: Callable[..., SparkProfiler], tmp_path: Path, kind: str) -> None:
    options = {"options": {"header": "true"}} if kind == "csv" else {}
    write(tmp_path / f"in/1.{kind}", kind)
    engine = profiler(source={"path": f"in/{{batch}}.{kind}", "format": kind, **options})
    published = learned(profiled(run(engine)["1"]), kind if kind in ("csv", "json") else "")
    wrong = {name: said for name, table in routes(spark, tmp_path / f"in/1.{kind}", kind) if (said := verdict(published, table))}
    assert wrong == {}
    # A change of type is one by every route; of Spark's one is looked at.
    for name, table in routes(spark, tmp_path / f"in/1.{kind}", kind):
        assert name.startswith("spark, ") or any("'n' changed type" in said for said in verdict(published, broken(table))), name


def broken(table: Any) -> Any:
    """The table with texts among the numbers of `n`."""
    from pyspark.sql import functions as F

    if isinstance(table, pd.DataFrame):
        return table.assign(n=["1", "20", "n/a", "4"])
    if isinstance(table, pa.Table):
        return table.set_column(table.column_names.index("n"), "n", pa.array(["1", "20", "n/a", "4"]))
    return table.withColumn("n", F.concat(table["n"].cast("string"), F.lit("x")))
