"""avh_ui's Spark profiler as an engine of the benchmarks."""

from __future__ import annotations

import os
import statistics
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from avh_ui.config import Config
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import FailedBatch, Watch
from avh_ui.spark.profiler import SparkProfiler
from benchmarks.profiling.common import BATCH, peak_memory, tree
from benchmarks.profiling.engines.protocol import serve


def start(master: str, driver_memory: str) -> Mapping[str, Callable[..., dict[str, Any]]]:
    spark = {"master": master, "conf": {"spark.driver.memory": driver_memory}}

    def profile(path: str, batched: bool) -> dict[str, Any]:
        """Profiles a file as one batch, or as the batches that its batch column names; answers with the metrics and state sizes."""
        whole = str(Path(path).with_name("{batch}.parquet"))
        source = {"path": path, "batch_column": BATCH} if batched else {"path": whole}
        settings = {"pipelines": {"flights": {"source": source, "columns": {"exclude": [BATCH]}}}, "spark": spark}
        profiler = SparkProfiler(Config.model_validate(settings), Path(path).parent)
        batches = profiler.batches("flights")
        found = list(profiler.profile("flights", batches, Watch()))
        if failed := [part for part in found if isinstance(part, FailedBatch)]:
            raise RuntimeError(f"{len(failed)} batches failed, the first because: {failed[0].reason}")
        return _described([part for part in found if isinstance(part, BatchProfile)])

    return {"profile": profile, "memory": _memory}


def _described(profiles: list[BatchProfile]) -> dict[str, Any]:
    sizes = [sum(len(s.to_record()) for s in column.states.values()) for p in profiles for column in p.columns.values()]
    metrics = {name: column.single_metrics() for name, column in profiles[0].columns.items()} if len(profiles) == 1 else {}
    return {
        "batches": len(profiles),
        "rows": sum(p.rows for p in profiles),
        "columns": len(profiles[0].columns),
        "metrics": metrics,
        "state_bytes": {"median": statistics.median(sizes), "mean": statistics.fmean(sizes), "max": max(sizes)},
    }


def _memory() -> dict[str, Any]:
    """Peak resident bytes of the driver's Python and its JVM (with `local[n]` the JVM is the executor too), and of the workers."""
    from pyspark.sql import SparkSession

    spark = SparkSession.getActiveSession()
    jvm = spark.sparkContext._jvm if spark is not None else None
    if jvm is None:
        raise RuntimeError("there is no session yet")
    java = int(jvm.java.lang.ProcessHandle.current().pid())
    workers = [pid for pid in tree(java) if pid != java]
    return {"python": peak_memory(os.getpid()), "jvm": peak_memory(java), "workers": [peak_memory(pid) for pid in workers]}


if __name__ == "__main__":
    serve(lambda: start(*sys.argv[1:]))
