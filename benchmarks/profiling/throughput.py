"""Profile throughput of avh_ui against Deequ and DuckDB: the same Parquet file, cores and driver memory, rounds interleaved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks.profiling.common import BATCH, Run, Timing, arguments, cpu_seconds, flights_file, interleave, ratio
from benchmarks.profiling.engines import environment
from benchmarks.profiling.engines.deequ import COORDINATES
from benchmarks.profiling.engines.protocol import Engine
from benchmarks.profiling.results import machine, publish

WHOLE, BATCHED, DEEQU = "avh_ui, one batch", "avh_ui, 365 batches", "Deequ"
# Of DuckDB's four the one to compare with: exact aggregates, as fast as any of them, on one thread.
DUCK = "DuckDB, 1 thread, exact"
DUCKS: dict[str, dict[str, object]] = {
    "DuckDB, 1 thread": {"threads": 1, "exact": False},
    "DuckDB, 2 threads": {"threads": 2, "exact": False},
    DUCK: {"threads": 1, "exact": True},
    "DuckDB, 2 threads, exact": {"threads": 2, "exact": True},
}
# Deequ's names of metrics that both compute exactly.
_SHARED = {"Minimum": "min", "Maximum": "max", "Mean": "mean", "Sum": "sum", "Completeness": "complete_ratio"}
# What each engine is asked for; avh_ui measures more than the others.
SETS = {
    "avh_ui": {
        "number columns": "rows, nulls, min, max, sum, moments to order 4, quantiles (KLL, k = 200), distinct values (HLL, lgK = 12); "
        "up to 1,000 distinct values the exact distribution",
        "text columns": "rows, nulls, frequencies (1,000 values), distinct values, lengths with letters, digits, punctuation; shapes",
        "form": "mergeable states",
    },
    "Deequ": {
        "number columns": "Completeness, Minimum, Maximum, Mean, Sum, StandardDeviation, ApproxQuantile(0.5, 0.01), ApproxCountDistinct",
        "text columns": "Completeness, ApproxCountDistinct, Histogram, MinLength, MaxLength (it has no mean length)",
        "table": "Size",
    },
    "DuckDB": {
        "number columns": "count, min, max, avg, sum, stddev_pop; approx_quantile(0.5) or median, approx_count_distinct or count(DISTINCT)",
        "text columns": "count, approx_count_distinct or count(DISTINCT); min, max, avg of length; the 1,000 most frequent values",
        "table": "count(*)",
    },
}


def main() -> None:
    parser = arguments(__doc__, "throughput", rows=10_000_000)
    parser.add_argument("--cores", type=int, default=2, help="cores of both Sparks")
    parser.add_argument("--driver-memory", default="2g", help="driver memory of both Sparks")
    parser.add_argument("--skip", nargs="*", default=[], help="contenders to leave out, by the start of their names")
    options = parser.parse_args()
    path = flights_file(options.cache, options.rows)
    # Compilers and page caches are warm before the first round.
    warm_up = flights_file(options.cache, max(50_000, options.rows // 10))
    host, python = machine(), environment.make(options.cache)
    spark = [f"local[{options.cores}]", options.driver_memory]
    engines = {
        "avh_ui": Engine(environment.own(), "benchmarks.profiling.engines.avh", options.cache / "logs" / "avh.log", *spark),
        "Deequ": Engine(
            python, "benchmarks.profiling.engines.deequ", options.cache / "logs" / "deequ.log", *spark, str(options.cache / "ivy"), BATCH
        ),
        "DuckDB": Engine(python, "benchmarks.profiling.engines.duck", options.cache / "logs" / "duckdb.log", BATCH),
    }
    wanted: dict[str, dict[str, object]] = {WHOLE: {"batched": False}, BATCHED: {"batched": True}, DEEQU: {}, **DUCKS}
    wanted = {name: request for name, request in wanted.items() if not name.startswith(tuple(options.skip))}
    answers: dict[str, Any] = {}

    def runner(name: str, file: Path) -> Run:
        engine = engines[name.split(",", maxsplit=1)[0]]

        def run() -> tuple[float, float]:
            before = cpu_seconds(engine.pid)
            answers[name] = engine.ask("profile", path=str(file), **wanted[name])
            return answers[name]["seconds"], cpu_seconds(engine.pid) - before

        return run

    try:
        print("warm-up", flush=True)
        interleave({name: runner(name, warm_up) for name in wanted}, 1)
        timings = interleave({name: runner(name, path) for name in wanted}, options.repeat)
    finally:
        for engine in engines.values():
            engine.close()
    ratios = {name: {mode: ratio(t, timings[mode]) for mode in (WHOLE, BATCHED) if mode in timings} for name, t in timings.items()}
    result = {
        "machine": host,
        "engines": {**environment.versions(python), "deequ": COORDINATES},
        "rows": options.rows,
        "columns": len(pq.read_schema(path).names) - 1,
        "file_bytes": path.stat().st_size,
        "cores": options.cores,
        "driver_memory": options.driver_memory,
        "measured": SETS,
        "seconds": {name: t.summary() for name, t in timings.items()},
        "goals": {
            "Deequ's time at least twice ours": ratios.get(DEEQU),
            "DuckDB's time, one thread, at least a quarter of ours": ratios.get(DUCK),
        },
        "times_over_ours": ratios,
        "agreement": agreement(answers),
        "answers": answers,
    }
    publish("throughput", result, table(timings, options.rows), options.output, not options.no_readme)


def agreement(answers: dict[str, Any]) -> dict[str, float]:
    """How many metrics avh_ui and Deequ both computed exactly, and by how much they differ at most (relative): rounding alone."""
    if WHOLE not in answers or DEEQU not in answers:
        return {}
    ours = answers[WHOLE]["metrics"]
    pairs = [(m["value"], ours[m["instance"]][_SHARED[m["name"]]]) for m in answers[DEEQU]["metrics"] if m["name"] in _SHARED]
    worst = max(abs(theirs - own) / max(abs(theirs), 1e-300) for theirs, own in pairs)
    if worst > 1e-9:
        raise RuntimeError(f"avh_ui and Deequ measured different values (relative difference {worst:.2g})")
    return {"compared": len(pairs), "largest_relative_difference": worst}


def table(timings: dict[str, Timing], rows: int) -> list[list[str]]:
    modes = [mode for mode in (WHOLE, BATCHED) if mode in timings]
    head = ["engine", "seconds: median (range)", "million rows per second", "processor seconds", *(f"time over {mode}" for mode in modes)]
    lines = []
    for name, timing in timings.items():
        summary = timing.summary()
        shares = [ratio(timing, timings[mode]) for mode in modes]
        relative = [f"{s['median']:.2f} ({s['low']:.2f} to {s['high']:.2f})" for s in shares]
        lines.append([name, str(timing), f"{rows / timing.median / 1e6:.2f}", f"{summary['cpu_median']:.1f}", *relative])
    return [head, *lines]


if __name__ == "__main__":
    main()
