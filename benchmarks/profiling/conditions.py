"""A pass of 30 SQL conditions: by Arrow in Spark's tasks, against Spark's own evaluation of the same conditions in the same run.

Of the profile one column is measured, so that the conditions are most of the work. Beside it Spark's plain aggregate of the conditions,
which measures no profile and hands no row to Python.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from avh_ui.config import Config, SparkSettings
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import Watch
from avh_ui.spark.profiler import SparkProfiler
from avh_ui.spark.session import get_spark
from benchmarks.profiling.common import arguments, flights_file, interleave, ratio, timed
from benchmarks.profiling.results import machine, publish

CONDITIONS = (
    "dep_delay > 0", "dep_delay IS NULL", "arr_delay BETWEEN -30 AND 120", "carrier = 'UA'", "carrier IN ('UA', 'AA', 'DL', 'B6')",
    "origin <> dest", "dest LIKE 'L%'", "tailnum RLIKE '^N[0-9]{3}'", "length(tailnum) = 6", "distance > 500 AND air_time > 60",
    "distance / air_time > 5.5", "air_time + dep_delay < 600", "abs(arr_delay - dep_delay) < 45", "hour * 60 + minute >= 360",
    "coalesce(dep_delay, 0) <= 15", "CASE WHEN distance > 1000 THEN air_time > 100 ELSE air_time > 10 END", "month IN (6, 7, 8) OR day = 1",
    "NOT (carrier = 'HA' AND distance < 4000)", "upper(origin) = origin", "substring(tailnum, 1, 1) = 'N'", "year(time_hour) = 2013",
    "time_hour >= '2013-06-01'", "cast(time_hour AS date) <= '2013-12-31'", "dep_time % 100 < 60", "sched_arr_time > sched_dep_time",
    "cast(flight AS string) LIKE '1%'", "concat(origin, '-', dest) <> 'JFK-LGA'", "nullif(air_time, 0) IS NOT NULL", "flight <=> 1545",
    "if(dep_delay IS NULL, arr_delay IS NULL, true)",
)  # fmt: skip
ARROW, SPARK, PLAIN = "Arrow in the tasks", "Spark's expressions, then the kernel", "Spark's plain aggregate"


def main() -> None:
    options = arguments(__doc__, "conditions", rows=10_000_000).parse_args()
    path = flights_file(options.cache, options.rows)
    host, spark = machine(), get_spark(SparkSettings(master="local[2]"))
    contenders = {ARROW: lambda: profiled(path, "arrow"), SPARK: lambda: profiled(path, "spark"), PLAIN: lambda: aggregated(spark, path)}
    # The workers start, and Java compiles; all must say the same.
    told = {name: run() for name, run in contenders.items()}
    if len({tuple(found) for found in told.values()}) != 1:
        raise RuntimeError(f"the conditions hold of other rows by another way: {told}")
    timings = interleave({name: lambda run=run: timed(run) for name, run in contenders.items()}, options.repeat)
    lines = [["30 conditions", "seconds: median (range)", "processor seconds", "time over Arrow in the tasks"]]
    for name, timing in timings.items():
        over = ratio(timing, timings[ARROW])
        cpu = timing.summary()["cpu_median"]
        lines.append([name, str(timing), f"{cpu:.1f}", f"{over['median']:.2f} ({over['low']:.2f} to {over['high']:.2f})"])
    result = {"machine": host, "rows": options.rows, "conditions": CONDITIONS, **{n: t.summary() for n, t in timings.items()}}
    publish("conditions", result, lines, options.output, not options.no_readme)


def profiled(path: Path, reader: str) -> list[int]:
    """Of how many rows each condition is true, from a profile."""
    asked = [{"name": "compliance", "parameters": {"predicate": condition}} for condition in CONDITIONS]
    source = {"path": str(path.parent / "{batch}.parquet"), "reader": reader}
    pipeline = {"source": source, "columns": {"include": ["year"]}, "measures": asked}
    profiler = SparkProfiler(Config.model_validate({"pipelines": {"t": pipeline}}), path.parent)
    (profile,) = profiler.profile("t", ["all"], Watch())
    if not isinstance(profile, BatchProfile) or set(profile.asked) != set(CONDITIONS):
        raise RuntimeError(str(profile))
    return [round(profile.columns[c].single_metrics()["compliance"] * profile.rows) for c in CONDITIONS]


def aggregated(spark: Any, path: Path) -> list[int]:
    """The same by one aggregate."""
    (row,) = spark.read.parquet(str(path)).selectExpr(*(f"count_if({c}) AS c{k}" for k, c in enumerate(CONDITIONS))).collect()
    return [int(value) for value in row]


if __name__ == "__main__":
    main()
