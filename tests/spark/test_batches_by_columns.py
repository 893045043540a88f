"""Tables whose columns say the batch: Spark and the engine without it tell the same batches, rows and content."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

from avh_ui.config import Config
from avh_ui.local.profiler import LocalProfiler
from avh_ui.metrics.content import content_of
from avh_ui.spark.looking_tables import look_at_table
from avh_ui.spark.profiler import SparkProfiler
from avh_ui.validator.row_table import Engine
from tests.spark.conftest import profiled, run

Make = Callable[..., SparkProfiler]


@pytest.fixture
def events(tmp_path: Path) -> pd.DataFrame:
    """Rows of three days over the end of a year, as a CSV file, a Parquet file and a table of partitions."""
    rng = np.random.default_rng(3)
    times = pd.Timestamp("2025-12-30 22:00") + pd.to_timedelta(np.sort(rng.integers(0, 2 * 86_400, 120)), unit="s")
    table = pd.DataFrame({"ts": times.astype("datetime64[us]"), "amount": rng.gamma(2, 10, 120).round(2)})
    table.loc[::40, "ts"] = pd.NaT
    german = table.assign(amount=[f"1.{int(a):03d},{k % 10}{'-' * (k % 7 == 0)}" if k % 9 else "x" for k, a in enumerate(table.amount)])
    english = table.assign(amount=[f"1,{int(a):03d}.{k % 10}{'-' * (k % 7 == 0)}" if k % 9 else "12-" for k, a in enumerate(table.amount)])
    english.to_csv(tmp_path / "english.csv", index=False, date_format="%Y-%m-%d %H:%M:%S")
    german.to_csv(tmp_path / "events.csv", index=False, date_format="%Y-%m-%d %H:%M:%S")
    (tmp_path / "titled.csv").write_text(f'Events, "all"\n\n{(tmp_path / "events.csv").read_text()}')
    table.to_parquet(tmp_path / "events.parquet", index=False, row_group_size=30)
    table = table[table.ts.notna()]
    parts = table.assign(year=table.ts.dt.year, month=table.ts.dt.month, day=table.ts.dt.day)
    parts.to_parquet(tmp_path / "parts", partition_cols=["year", "month", "day"], index=False)
    return table


CSV: dict[str, Any] = {
    "format": "csv",
    "path": "events.csv",
    "options": {"header": "true"},
    "batch": "hour(ts)",
    "decimal_comma": ["amount"],
}
SOURCES: dict[str, dict[str, Any]] = {
    "csv by hour": CSV,
    "csv with thousands": {**CSV, "path": "english.csv", "decimal_comma": [], "thousands_comma": ["amount"]},
    "csv below a title": {**CSV, "path": "titled.csv", "skip_lines": 2},
    "parquet by day, Spark reads": {"path": "events.parquet", "batch": "date(ts)", "reader": "spark"},
    "parquet by week, Arrow reads": {"path": "events.parquet", "batch": "week(ts)"},
    "parts": {"path": "parts", "batch": ["year", "month", "day"]},
}


@pytest.mark.usefixtures("events")
@pytest.mark.parametrize("name", SOURCES)
def test_both_engines_tell_the_same(profiler: Make, tmp_path: Path, name: str) -> None:
    here = SOURCES[name] if SOURCES[name].get("reader") != "spark" else {**SOURCES[name], "reader": "auto"}
    config = Config.model_validate({"pipelines": {"t": {"source": here}}})
    local, spark = LocalProfiler(config, tmp_path, cast(Engine, None), only=True), profiler(source=SOURCES[name])
    batches = local.batches("t")
    assert spark.batches("t") == batches
    ours, theirs = run(cast(SparkProfiler, local), batches), run(spark, batches)
    assert [content_of(profiled(p)) for p in theirs.values()] == [content_of(profiled(p)) for p in ours.values()]
    said = [[p.delivery.remarks for p in map(profiled, of.values()) if p.delivery] for of in (ours, theirs)]
    none = () if name == "parts" else ("3 rows of the table are in no batch: 'ts' is null or no time.",)
    assert said == [[none] * len(batches)] * 2
    assert spark.rows("t", batches[0]).marked([]).count() == profiled(ours[batches[0]]).rows


def test_queries_list_their_batches_and_tables_are_looked_at(spark: Any, profiler: Make, events: pd.DataFrame) -> None:
    spark.createDataFrame(events).createOrReplaceTempView("growing")
    engine = profiler(source={"format": "query", "query": "select * from growing", "batch": "date(ts)"})
    expected = events.groupby(events.ts.dt.strftime("%Y-%m-%d")).size().to_dict()
    assert {batch: profiled(p).rows for batch, p in run(engine).items()} == expected
    query = "select * from growing where date(ts) = '{batch}'"
    listed = profiler(source={"format": "query", "query": query, "batches": "select distinct date(ts) from growing"})
    assert listed.batches("t") == sorted(expected)
    seen = look_at_table(spark, "growing")
    assert (seen.format, seen.path, seen.batch, seen.batches) == ("table", "growing", ("date(ts)",), tuple(sorted(expected)))
    spark.catalog.dropTempView("growing")
