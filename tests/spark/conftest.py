"""Small workspaces on real files for the Spark engine."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from avh_ui.config import Config
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import FailedBatch, Watch
from avh_ui.spark.profiler import SparkProfiler

Profiled = dict[str, BatchProfile | FailedBatch]


def environment() -> dict[str, str]:
    """For a process with a Spark of its own: nothing of the run's leaks in, and its Java is started as all of the tests."""
    kept = {"SPARK_SUBMIT_OPTS"}
    return {k: v for k, v in os.environ.items() if k in kept or not k.startswith(("PYSPARK_GATEWAY", "SPARK_"))}


def older_than(version: str) -> bool:
    """Whether the Spark that is installed is older: tests run on 3.5 and 4.0, too."""
    import pyspark

    here, there = ([int(part) for part in text.split(".")[:2]] for text in (pyspark.__version__, version))
    return here < there


def since(version: str) -> pytest.MarkDecorator:
    """Skips a test that asks Spark itself for what came with a version, where an older one is installed."""
    return pytest.mark.skipif(older_than(version), reason=f"asks for what came with Spark {version}")


def jobs_of(spark: Any) -> set[int]:
    """The jobs that Spark has begun. It hears of them by a queue: what is still in it is waited for."""
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    return set(spark.sparkContext.statusTracker().getJobIdsForGroup(None))


@pytest.fixture
def profiler(spark: Any, tmp_path: Path) -> Callable[..., SparkProfiler]:
    """Makes a profiler of one pipeline `t` over `tmp_path`."""

    def make(**pipeline: Any) -> SparkProfiler:
        return SparkProfiler(Config.model_validate({"pipelines": {"t": pipeline}}), tmp_path)

    return make


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, dict[str, Any]], Path]:
    """Writes a Parquet file below `tmp_path`."""

    def make(name: str, columns: dict[str, Any]) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table(columns), path)
        return path

    return make


def run(profiler: SparkProfiler, batches: list[str] | None = None, watch: Watch | None = None) -> Profiled:
    """All results by batch."""
    wanted = profiler.batches("t") if batches is None else batches
    return {result.batch: result for result in profiler.profile("t", wanted, watch or Watch())}


def profiled(result: BatchProfile | FailedBatch) -> BatchProfile:
    """The result, which must be a profile."""
    assert isinstance(result, BatchProfile), result
    return result
