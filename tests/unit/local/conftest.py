"""Small workspaces of files for the engine without Spark."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from avh_ui.config import Config
from avh_ui.local import pool
from avh_ui.local.profiler import LocalProfiler
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import UNKNOWN, FailedBatch, KnownTypes, Watch
from avh_ui.validator.row_table import Engine

Make = Callable[..., LocalProfiler]
Results = Mapping[str, BatchProfile | FailedBatch]
ROWS = 2_000


class SparkStandIn:
    """Notes what is left to Spark."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def batches(self, pipeline: str) -> list[str]:
        return ["of Spark"]

    def profile(self, pipeline: str, batches: Sequence[str], watch: Watch, known: KnownTypes = UNKNOWN) -> Iterator[FailedBatch]:
        self.asked += batches
        yield from (FailedBatch(batch, "by Spark") for batch in batches)

    def profile_path(self, pipeline: str, path: str, batch: str, watch: Watch, known: KnownTypes = UNKNOWN) -> str:
        return f"{path} by Spark"

    def sample(self, pipeline: str, batch: str, rows: int, seed: int, watch: Watch | None = None, texts: Collection[str] = ()) -> str:
        return f"{rows} rows by Spark"

    def rows(self, pipeline: str, batch: str, path: str | None = None) -> str:
        return f"{batch} of {path} by Spark"

    def can_keep(self, pipeline: str, target: str) -> None:
        self.asked.append(target)


@pytest.fixture
def spark_stand_in() -> SparkStandIn:
    """Takes the place of Spark's profiler."""
    return SparkStandIn()


@pytest.fixture
def local(tmp_path: Path, spark_stand_in: SparkStandIn) -> Make:
    """Makes a local profiler of one pipeline `t` over `tmp_path`."""

    def make(*, only: bool = False, conf: Mapping[str, str] | None = None, **pipeline: Any) -> LocalProfiler:
        settings = {"pipelines": {"t": pipeline}, "spark": {"conf": dict(conf or {})}}
        return LocalProfiler(Config.model_validate(settings), tmp_path, cast(Engine, spark_stand_in), only=only)

    return make


def run(profiler: LocalProfiler, known: KnownTypes = UNKNOWN, watch: Watch | None = None) -> Results:
    """All results by batch."""
    return {result.batch: result for result in profiler.profile("t", profiler.batches("t"), watch or Watch(), known)}


def profiled(result: BatchProfile | FailedBatch) -> BatchProfile:
    """The result, which must be a profile."""
    assert isinstance(result, BatchProfile), result
    return result


def reason(result: BatchProfile | FailedBatch) -> str:
    """Why the batch failed, which it must have."""
    assert isinstance(result, FailedBatch), result
    return result.reason


@pytest.fixture(params=["alone", "workers"])
def wherever(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process, and in two workers."""
    if request.param == "workers":
        monkeypatch.setattr(pool, "_ALONE_BYTES", 0)
        monkeypatch.setattr(pool, "_cores", lambda: 2)


def parquet(path: Path, rows: int = ROWS, first: int = 0) -> None:
    """A file of so many rows, in row groups."""
    ids = range(first, first + rows)
    pq.write_table(pa.table({"id": ids, "code": [f"c{k % 7}" for k in ids]}), path, row_group_size=500)
