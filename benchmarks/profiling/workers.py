"""One worker of a standalone cluster against two, each of one core, on this machine: `python -m benchmarks.profiling.workers`.

Each round scans the same file by a session of its own on a cluster of its own, after scans that warm up its executors. The machine needs a
third core for the driver: on two, what the driver does is taken from one of the workers. With `--quota 0.5` each worker, with its executor
and that one's Python, gets half a core whatever the other does, and the driver the rest of the machine: of two cores one. It takes a
control group of the kernel, which root may make.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from avh_ui.config import Config
from avh_ui.metrics.profiler import FailedBatch, Watch
from avh_ui.spark.profiler import SparkProfiler
from avh_ui.spark.session import prepare_environment
from benchmarks.profiling.common import BATCH, CACHE, Timing, flights_file, ratio
from benchmarks.profiling.quota import held_back, limited

MEGABYTES = 1_500
# Scans before the one that is timed: Java compiles the code meanwhile, of half a core longer than one scan takes.
WARMING = 2
OF = [sys.executable, "-m", "benchmarks.profiling.workers"]


def lead() -> None:
    """Start a cluster without workers in a Java of its own, print its address, and hold it until a line comes in."""
    from pyspark.sql import SparkSession

    prepare_environment("")
    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    java = spark._jvm.org.apache.spark  # type: ignore[union-attr]
    cluster = java.deploy.LocalSparkCluster.apply(0, 1, MEGABYTES, java.SparkConf())
    print(json.dumps(cluster.start()[0]), flush=True)
    sys.stdin.readline()
    cluster.stop()


@contextmanager
def cluster_of(workers: int, quota: float | None) -> Iterator[str]:
    """The address of a cluster of so many workers of one core, each of which gets this share of it (None: all)."""
    leader = subprocess.Popen([*OF, "--lead"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert leader.stdout is not None
    try:
        master = json.loads(leader.stdout.readline())
        with ExitStack() as stack:
            for k in range(workers):
                stack.enter_context(worker_of(master, k, quota))
            yield master
    finally:
        leader.communicate("\n")


@contextmanager
def worker_of(master: str, number: int, quota: float | None) -> Iterator[None]:
    """A worker, a Java of its own whose executor is its child, and so in its control group."""
    from pyspark.find_spark_home import _find_spark_home

    prepare_environment("")
    with ExitStack() as stack:
        processes = stack.enter_context(limited(str(number), quota)) if quota else None
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        about = ["--host", "127.0.0.1", "--cores", "1", "--memory", f"{MEGABYTES}m", "--webui-port", "0", "--work-dir", folder]
        command = [f"{_find_spark_home()}/bin/spark-class", "org.apache.spark.deploy.worker.Worker", *about, master]
        worker = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if processes is not None:
            processes.write_text(str(worker.pid))
        try:
            yield
        finally:
            if processes is not None:
                print(f"worker {number} was held back for {held_back(processes.parent):.1f} s in all", flush=True)
            worker.terminate()
            worker.wait()


def profiled(master: str, path: Path, workers: int, *, batched: bool) -> None:
    """Print the seconds of a scan by executors that are warm."""
    loopback = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    # No task begins before all workers are there.
    every = {"spark.cores.max": str(workers), "spark.scheduler.minRegisteredResourcesRatio": "1.0"}
    waiting = {"spark.scheduler.maxRegisteredResourcesWaitingTime": "120s"}
    conf = loopback | every | waiting | {"spark.executor.memory": f"{MEGABYTES - 400}m"}
    source = {"path": str(path), "batch_column": BATCH} if batched else {"path": str(path.with_name("{batch}.parquet"))}
    settings = {"pipelines": {"flights": {"source": source, "columns": {"exclude": [BATCH]}}}, "spark": {"master": master, "conf": conf}}
    profiler = SparkProfiler(Config.model_validate(settings), path.parent)
    batches = profiler.batches("flights")
    for _ in range(1 + WARMING):
        began = time.monotonic()
        failed = [one for one in profiler.profile("flights", batches, Watch()) if isinstance(one, FailedBatch)]
        took = time.monotonic() - began
        assert not failed, failed
    print(json.dumps(took))


def seconds(workers: int, path: Path, options: argparse.Namespace) -> float:
    """Of one profile on a cluster of so many workers."""
    with cluster_of(workers, options.quota) as master:
        about = ["--master", master, "--workers", str(workers), "--file", str(path), *(["--batched"] if options.batched else [])]
        done = subprocess.run([*OF, *about], stdout=subprocess.PIPE, text=True, check=True)
        return float(done.stdout.splitlines()[-1])


def main() -> None:
    """Compare, in turn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--batched", action="store_true", help="by a batch column, instead of one batch")
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--quota", type=float, metavar="SHARE", help="of a core for each worker; takes root (default: what there is)")
    parser.add_argument("--lead", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--workers", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--master", help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.lead:
        lead()
    elif options.master:
        profiled(options.master, options.file, options.workers, batched=options.batched)
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
