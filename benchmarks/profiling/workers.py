"""One worker of a standalone cluster against two, each of one core, on this machine: `python -m benchmarks.profiling.workers`.

Each round scans the same file by a session of its own on a cluster of its own, after a scan that warms up its executors. The machine
needs a third core for the driver: on two, what the driver does is taken from one of the workers.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from avh_ui.config import Config
from avh_ui.metrics.profiler import FailedBatch, Watch
from avh_ui.spark.profiler import SparkProfiler
from avh_ui.spark.session import prepare_environment
from benchmarks.profiling.common import BATCH, CACHE, Timing, flights_file, ratio

MEGABYTES = 1_500


def master_of(workers: int) -> None:
    """Start a cluster in a Java of its own, print its address, and hold it until a line comes in."""
    from pyspark.sql import SparkSession

    prepare_environment("")
    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    java = spark._jvm.org.apache.spark  # type: ignore[union-attr]
    cluster = java.deploy.LocalSparkCluster.apply(workers, 1, MEGABYTES, java.SparkConf())
    print(json.dumps(cluster.start()[0]), flush=True)
    sys.stdin.readline()
    cluster.stop()


def profiled(master: str, path: Path, *, batched: bool) -> None:
    """Print the seconds of a second scan by executors that are warm."""
    loopback = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    conf = loopback | {"spark.executor.memory": f"{MEGABYTES - 400}m"}
    source = {"path": str(path), "batch_column": BATCH} if batched else {"path": str(path.with_name("{batch}.parquet"))}
    settings = {"pipelines": {"flights": {"source": source, "columns": {"exclude": [BATCH]}}}, "spark": {"master": master, "conf": conf}}
    profiler = SparkProfiler(Config.model_validate(settings), path.parent)
    batches = profiler.batches("flights")
    for _ in range(2):
        began = time.monotonic()
        failed = [one for one in profiler.profile("flights", batches, Watch()) if isinstance(one, FailedBatch)]
        took = time.monotonic() - began
        assert not failed, failed
    print(json.dumps(took))


def seconds(workers: int, path: Path, options: argparse.Namespace) -> float:
    """Of one profile on a cluster of so many workers."""
    of = [sys.executable, "-m", "benchmarks.profiling.workers"]
    cluster = subprocess.Popen([*of, "--cluster", str(workers)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert cluster.stdout is not None
    try:
        master = json.loads(cluster.stdout.readline())
        more = ["--batched"] if options.batched else []
        done = subprocess.run([*of, "--master", master, "--file", str(path), *more], capture_output=True, text=True, check=True)
        return float(done.stdout.splitlines()[-1])
    finally:
        cluster.communicate("\n")


def main() -> None:
    """Compare, in turn."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--batched", action="store_true", help="by a batch column, instead of one batch")
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--cluster", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--master", help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.cluster:
        master_of(options.cluster)
    elif options.master:
        profiled(options.master, options.file, batched=options.batched)
    else:
        path = flights_file(options.cache, options.rows)
        found: dict[int, list[float]] = {1: [], 2: []}
        for _ in range(options.repeat):
            for workers, times in found.items():
                times.append(seconds(workers, path, options))
                print(f"{workers} workers: {times[-1]:.2f} s", flush=True)
        print(ratio(Timing(found[1]), Timing(found[2])))


if __name__ == "__main__":
    main()
