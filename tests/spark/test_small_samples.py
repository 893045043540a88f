"""Rows of a few small files are read without a job of Spark's, and are those that Spark would give."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from avh_ui import bootstrap
from avh_ui.config import Config
from avh_ui.errors import AvhError
from avh_ui.local import small_samples
from avh_ui.spark.profiler import SparkProfiler
from avh_ui.validator.row_table import Engine
from tests.spark.conftest import jobs_of

ROWS = 300


def table(rows: int = ROWS, start: int = 0) -> pa.Table:
    """Columns of many types, with nulls."""
    numbers = np.arange(start, start + rows)
    day = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
    times = [None if n % 7 == 0 else day + dt.timedelta(hours=int(n)) for n in numbers]
    return pa.table(
        {
            "id": pa.array(numbers),
            "small": pa.array(numbers % 9, pa.int16()),
            "share": pa.array(np.where(numbers % 5 == 0, np.nan, numbers / 7)),
            "text": pa.array([None if n % 3 == 0 else f"v{n % 20}" for n in numbers]),
            "kind": pa.array([f"k{n % 4}" for n in numbers]).dictionary_encode(),
            "day": pa.array([None if t is None else t.date() for t in times]),
            "time": pa.array(times, pa.timestamp("us", tz="UTC")),
            "price": pa.array(numbers).cast(pa.decimal128(20, 0)).cast(pa.decimal128(22, 2)),
            "flag": pa.array(numbers % 2 == 0),
            "digits": pa.array([str(n) for n in numbers]),
        }
    )


def engines(root: Path, **source: Any) -> tuple[Engine, SparkProfiler]:
    """That of `engine: spark`, and Spark alone."""
    config = Config.model_validate({"pipelines": {"t": {"source": source}}, "engine": "spark", "spark": {"master": "local[2]"}})
    return bootstrap.open_profiler(config, root), SparkProfiler(config, root)


def written(root: Path, form: str) -> dict[str, Any]:
    """A source of one batch, `1`, in files of this form."""
    (root / "1").mkdir()
    if form == "csv":
        # Types that CSV has no words for are left out.
        csv.write_csv(table().drop_columns(["kind"]), root / "1.csv")
        return {"format": "csv", "path": "{batch}.csv", "options": {"header": True}}
    if form == "json":
        table().select(["id", "text", "flag"]).to_pandas().to_json(root / "1.json", orient="records", lines=True)
        return {"format": "json", "path": "{batch}.json"}
    # The larger file is not the first.
    files = [(0, 50), (50, 200), (250, 50)] if form == "files" else [(0, ROWS)]
    for k, (start, rows) in enumerate(files):
        pq.write_table(table(rows, start), root / "1" / f"{k}.parquet")
    return {"path": "{batch}"}


@pytest.mark.parametrize("form", ["parquet", "csv", "json", "files"])
def test_the_rows_are_spark_s_and_no_job_is_run(spark: Any, tmp_path: Path, form: str) -> None:
    here, alone = engines(tmp_path, **written(tmp_path, form))
    expected = alone.sample("t", "1", ROWS, 0)
    before = jobs_of(spark)
    found = here.sample("t", "1", ROWS, 0)
    assert jobs_of(spark) == before
    assert found.num_rows == ROWS
    assert found.schema == expected.schema
    assert found.combine_chunks().sort_by("id").to_pylist().__repr__() == expected.combine_chunks().sort_by("id").to_pylist().__repr__()
    if form != "files":
        assert repr(found.to_pylist()) == repr(expected.to_pylist())


def test_what_is_known_as_texts_stays_that(spark: Any, tmp_path: Path) -> None:
    for engine in engines(tmp_path, **written(tmp_path, "csv")):
        assert pa.types.is_floating(engine.sample("t", "1", ROWS, 0).schema.field("digits").type)
        known = engine.sample("t", "1", ROWS, 0, None, {"digits", "gone"})
        assert known.column("digits").to_pylist() == [str(n) for n in range(ROWS)]
        assert pa.types.is_floating(known.schema.field("id").type)


@pytest.mark.parametrize("why", ["more rows", "too large", "declined", "forced"])
def test_spark_draws_the_rest(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    source, rows = written(tmp_path, "parquet"), ROWS - 1 if why == "more rows" else ROWS
    if why == "too large":
        monkeypatch.setattr(small_samples, "SMALL_BYTES", 100)
    if why == "declined":
        source["options"] = {"mergeSchema": True, "modifiedBefore": "2100-01-01T00:00:00"}
    if why == "forced":
        source["reader"] = "spark"
    here, alone = engines(tmp_path, **source)
    before = jobs_of(spark)
    found = here.sample("t", "1", rows, 0)
    assert jobs_of(spark) > before
    assert repr(found.to_pylist()) == repr(alone.sample("t", "1", rows, 0).to_pylist())


@pytest.mark.parametrize("batch", ["2", "3"])
def test_what_is_wrong_is_said_as_by_spark(spark: Any, tmp_path: Path, batch: str) -> None:
    (tmp_path / "3.parquet").write_bytes(b"PAR1 no file PAR1")
    pq.write_table(table(), tmp_path / "1.parquet")
    said = []
    for engine in engines(tmp_path, path="{batch}.parquet"):
        with pytest.raises(AvhError) as caught:
            cast(Engine, engine).sample("t", batch, ROWS, 0)
        said.append((type(caught.value), str(caught.value)))
    assert said[0] == said[1]
