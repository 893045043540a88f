"""Wide tables: the time per column of a table with 1,000 columns against one with 50."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.profiling.common import BATCH, Run, Timing, arguments, cpu_seconds, demo_flights, interleave, ratio
from benchmarks.profiling.engines import environment
from benchmarks.profiling.engines.protocol import Engine
from benchmarks.profiling.results import machine, publish

# Both tables are cut alike, so that both cores have work.
_ROW_GROUP = 25_000


def main() -> None:
    parser = arguments(__doc__, "width", rows=100_000)
    parser.add_argument("--columns", type=int, default=1_000, help="columns of the wide table")
    parser.add_argument("--few", type=int, default=50, help="columns of the narrow one")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--driver-memory", default="2g")
    options = parser.parse_args()
    host = machine()
    files = {width: wide_file(options.cache, options.rows, width) for width in (options.few, options.columns)}
    log = options.cache / "logs" / "width.log"
    engine = Engine(environment.own(), "benchmarks.profiling.engines.avh", log, f"local[{options.cores}]", options.driver_memory)

    def runner(width: int) -> Run:
        def run() -> tuple[float, float]:
            before = cpu_seconds(engine.pid)
            answer = engine.ask("profile", path=str(files[width]), batched=False)
            assert answer["columns"] == width
            return answer["seconds"], cpu_seconds(engine.pid) - before

        return run

    contenders = {f"{width} columns": runner(width) for width in files}
    try:
        print("warm-up", flush=True)
        interleave(contenders, 1)
        timings = interleave(contenders, options.repeat)
    finally:
        engine.close()
    few, many = (_per_column(timings[f"{width} columns"], width) for width in files)
    quotient = ratio(many, few)
    lines = [["table", "seconds: median (range)", "milliseconds per column"]]
    lines += [[f"{options.rows:,} rows x {name}", str(t), f"{1e3 * t.median / int(name.split()[0]):.1f}"] for name, t in timings.items()]
    lines.append(["per column, wide against narrow", "", f"{quotient['median']:.2f}x ({quotient['low']:.2f} to {quotient['high']:.2f})"])
    result = {
        "machine": host,
        "rows": options.rows,
        "seconds": {name: t.summary() for name, t in timings.items()},
        "goals": {"per column at most 1.5x": quotient},
    }
    publish("width", result, lines, options.output, not options.no_readme)


def _per_column(timing: Timing, width: int) -> Timing:
    return Timing([s / width for s in timing.seconds], [c / width for c in timing.cpu])


def wide_file(folder: Path, rows: int, columns: int) -> Path:
    """A Parquet file whose columns are the demo's in turn, each in an order of its own, so that none is a copy of another."""
    path = folder / f"wide-{rows}x{columns}" / "all.parquet"
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    source = demo_flights().drop_columns([BATCH]).combine_chunks()
    chosen = [source.schema.field(k % source.num_columns) for k in range(columns)]
    schema = pa.schema([field.with_name(f"{field.name}_{k}") for k, field in enumerate(chosen)])
    temporary = path.with_suffix(".tmp")
    random = np.random.default_rng(1)
    with pq.ParquetWriter(temporary, schema, compression="snappy") as writer:
        for start in range(0, rows, _ROW_GROUP):
            size = min(_ROW_GROUP, rows - start)
            arrays = [source.column(field.name).take(pa.array(random.integers(source.num_rows, size=size))) for field in chosen]
            writer.write_table(pa.table(arrays, schema=schema))
    temporary.replace(path)
    return path


if __name__ == "__main__":
    main()
