"""What it costs to part the rows that break rules from the others, against writing the same rows as they are.

Thirty rules on flights with an id, of which 1 in 10,000 occurs twice. Each round writes the rows unmarked, with the column `failed`,
in good and bad rows by one look (`to=`), as two frames that judge them each, and in these by all rules but the unique id.
"""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import avh_ui as avh
from avh_ui.spark.session import prepare_environment
from benchmarks.profiling.common import arguments, flights_file, interleave, ratio, timed
from benchmarks.profiling.results import machine, publish

c, of = avh.checks, avh.analyzers
_TWICE = 10_000
_PLAIN = "unmarked"


def rules() -> list[avh.Check]:
    """Thirty, of every kind that speaks of rows."""
    complete = ("year", "month", "day", "dep_time", "arr_time", "carrier", "flight", "tailnum", "origin", "dest")
    ranges = {"month": (1, 12), "day": (1, 31), "hour": (0, 24), "minute": (0, 59), "dep_time": (1, 2_400), "distance": (17, 5_000)}
    return [
        *(c.is_complete(column) for column in complete),
        *(c.is_in_range(column, low, high) for column, (low, high) in ranges.items()),
        c.is_contained_in("origin", ["EWR", "JFK", "LGA"]),
        c.is_contained_in("carrier", ["UA", "AA", "DL", "B6", "EV", "MQ", "US", "WN", "VX", "FL", "AS", "9E", "F9", "HA", "YV"]),
        c.is_at_most("sched_dep_time", "sched_arr_time", where="hour < 12"),
        c.is_greater_than("distance", "air_time"),
        c.satisfies("dep_delay > -30 or arr_delay > -30"),
        c.satisfies("cast(substring(tailnum, 2, 3) as int) is not null", where="tailnum is not null"),
        c.has_pattern("tailnum", "^N[0-9]", where="tailnum is not null"),
        c.has_pattern("dest", "^[A-Z]{3}$"),
        c.has(of.minimum("air_time"), at_least=20),
        c.has(of.maximum("dep_delay"), at_most=1_000),
        c.has(of.min_length("carrier"), at_least=2),
        c.has(of.max_length("dest"), at_most=3),
        c.is_non_negative("distance"),
        c.is_unique("id"),
    ]


def main() -> None:
    options = arguments(__doc__, "rows", rows=10_000_000).parse_args()
    host, path, scratch = machine(), _with_ids(options.cache, options.rows), options.cache / "rows-scratch"
    spark = _session(scratch)
    frame = spark.read.parquet(str(path))
    some = rules()
    run, without = avh.check(frame, some), avh.check(frame, some[:-1])
    found = {str(v.constraint.statement): v.failing for v in run.verdicts if v.failing}
    print(f"{len(some)} rules, {len(found)} of them broken: {found}", flush=True)
    ways = {
        _PLAIN: lambda: _write(scratch, frame),
        "with `failed`": lambda: _write(scratch, run.rows(frame)),
        "in good and bad, `to=`": lambda: _split(scratch, run, frame),
        "in good and bad, two frames": lambda: _write(scratch, *run.split(frame)),
        "two frames, not by the unique id": lambda: _write(scratch, *without.split(frame)),
    }
    _write(scratch, frame.limit(100_000))  # what starts once
    timings = interleave({name: partial(timed, way) for name, way in ways.items()}, options.repeat)
    shutil.rmtree(scratch)
    ratios = {name: ratio(timing, timings[_PLAIN]) for name, timing in timings.items()}
    count = "10 million" if options.rows == 10_000_000 else f"{options.rows:,}"
    lines = [[f"{count} rows written", "seconds", "processor seconds", "against unmarked", "in processor time"]]
    for name, timing in timings.items():
        told, cpu = ratios[name], timing.summary()["cpu_median"]
        against = f"{told['median']:.2f} ({told['low']:.2f} to {told['high']:.2f})"
        lines.append([name, str(timing), f"{cpu:.1f}", against, f"{told['cpu_median']:.2f}"])
    kept = {name: timing.summary() for name, timing in timings.items()}
    result = {"machine": host, "rows": options.rows, "broken": found, "timings": kept, "ratios": ratios}
    publish("rows", result, lines, options.output, not options.no_readme)


def _session(scratch: Path) -> Any:
    from pyspark.sql import SparkSession

    prepare_environment()
    usual = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "4g",
        "spark.sql.shuffle.partitions": "8",
    }
    builder = SparkSession.builder.master("local[2]").config("spark.local.dir", str(scratch))
    for key, value in usual.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def _with_ids(cache: Path, rows: int) -> Path:
    """The flights with an id in random order, made once."""
    path = cache / f"flights-{rows}" / "ids.parquet"
    if not path.exists():
        source = pq.ParquetFile(flights_file(cache, rows))
        ids = np.random.default_rng(0).permutation(rows)
        ids[::_TWICE] = ids[1::_TWICE][: len(ids[::_TWICE])]
        at, temporary = 0, path.with_suffix(".tmp")
        schema = source.schema_arrow.append(pa.field("id", pa.int64()))
        with pq.ParquetWriter(temporary, schema) as writer:
            for group in range(source.num_row_groups):
                table = source.read_row_group(group)
                writer.write_table(table.append_column("id", pa.array(ids[at : at + len(table)])).cast(schema))
                at += len(table)
        temporary.replace(path)
    return path


def _split(scratch: Path, run: avh.Run, frame: Any) -> None:
    target = scratch / "parted"
    shutil.rmtree(target, ignore_errors=True)
    run.split(frame, to=target)


def _write(scratch: Path, *frames: Any) -> None:
    for place, frame in enumerate(frames):
        frame.write.mode("overwrite").parquet(str(scratch / f"out-{place}"))


if __name__ == "__main__":
    main()
