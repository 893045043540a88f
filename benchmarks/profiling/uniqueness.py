"""What it costs to count a key exactly, as a rule that says unique asks: seconds and peak memory at ten million keys, none twice.

In memory by the kernel, and by a Spark job of its own; beside it the profile that has a sketch alone. Each in a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.profiling.common import arguments, peak_memory, timed
from benchmarks.profiling.results import machine, publish

_MB = 1_000_000
COLUMNS = ("number", "text")


def main() -> None:
    parser = arguments(__doc__, "uniqueness", rows=10_000_000, repeat=1)
    parser.add_argument("--alone", nargs=2, metavar=("HOW", "COLUMN"), default=None, help="measure one way here")
    options = parser.parse_args()
    path = _keys(options.cache, options.rows)
    if options.alone:
        sys.stdout.write(json.dumps(_WAYS[options.alone[0]](path, options.alone[1])) + "\n")
        return
    host, found = machine(), {}
    lines = [["column", "profile with a sketch", "counting it exactly", "peak memory before and after counting"]]
    for how in _WAYS:
        for column in COLUMNS:
            rounds = [_apart(how, column, options.rows, options.cache) for _ in range(options.repeat)]
            told = found[f"{how}, {column}"] = min(rounds, key=lambda r: float(r["count"]))
            memory = f"{told['before'] / _MB:,.0f} and {told['after'] / _MB:,.0f} MB"
            lines.append([f"{column}, {how}", f"{told['profile']:.1f} s", f"{told['count']:.1f} s", memory])
    publish("uniqueness", {"machine": host, "rows": options.rows, "found": found}, lines, options.output, not options.no_readme)


def _keys(cache: Path, rows: int) -> Path:
    """A file of keys in random order: as whole numbers, and as texts of 16 characters."""
    path = cache / f"keys-{rows}" / "keys.parquet"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        ids = np.random.default_rng(0).permutation(rows).astype(np.int64)
        texts = pa.array(np.char.add("key-", np.char.zfill(ids.astype("U12"), 12)))
        pq.write_table(pa.table({"number": ids, "text": texts}), path, row_group_size=500_000)
    return path


def _apart(how: str, column: str, rows: int, cache: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.profiling.uniqueness", "--rows", str(rows), "--cache", str(cache), "--alone", how, column]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
    print(f"{how}, {column}: {answer}", flush=True)
    return dict(answer)


def _in_memory(path: Path, column: str) -> dict[str, float]:
    from avh_ui.metrics.numerals import distinct_values
    from avh_ui.metrics.profile import ColumnProfile

    values = pq.read_table(path, columns=[column]).column(0).combine_chunks()
    profile, _ = timed(lambda: ColumnProfile.from_arrow(column, values))
    return _counted(profile, lambda: distinct_values(values, written=False), len(values), lambda: peak_memory(os.getpid()))


def _on_spark(path: Path, column: str) -> dict[str, float]:
    from avh_ui.config import SparkSettings
    from avh_ui.metrics.profiler import Watch
    from avh_ui.scan.kernel_column import KernelColumn
    from avh_ui.spark.grouping import distinct_values
    from avh_ui.spark.profiler import profile_frame
    from avh_ui.spark.session import get_spark

    spark = get_spark(SparkSettings(master="local[2]"))
    rows = spark.read.parquet(str(path)).select(column)
    context: Any = spark.sparkContext
    java = int(context._jvm.java.lang.ProcessHandle.current().pid())
    # The workers start, and Java compiles.
    profile_frame(rows.limit(1_000), "p", "warm")
    profile, _ = timed(lambda: profile_frame(rows, "p", "b"))
    one = [(0, KernelColumn(column, "", untyped=False))]
    return _counted(profile, lambda: distinct_values(rows, one, Watch())[column], rows.count(), lambda: peak_memory(java))


def _counted(profile: float, count: Callable[[], int], rows: int, memory: Callable[[], int]) -> dict[str, float]:
    before, found = memory(), []
    seconds, _ = timed(lambda: found.append(count()))
    if found != [rows]:
        raise RuntimeError(f"{found} of {rows} keys were counted")
    return {"profile": profile, "count": seconds, "before": before, "after": memory()}


_WAYS: dict[str, Callable[[Path, str], dict[str, float]]] = {"in memory": _in_memory, "on Spark": _on_spark}

if __name__ == "__main__":
    main()
