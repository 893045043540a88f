"""Driver memory at ten times the rows, and how large states are: per column and batch, and on disk."""

from __future__ import annotations

from typing import Any

from benchmarks.profiling.common import Timing, arguments, flights_file, ratio
from benchmarks.profiling.engines import environment
from benchmarks.profiling.engines.protocol import Engine
from benchmarks.profiling.results import machine, publish

_MB = 1_000_000


def main() -> None:
    parser = arguments(__doc__, "memory", rows=10_000_000)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--driver-memory", default="2g")
    options = parser.parse_args()
    host = machine()
    sizes = {rows: flights_file(options.cache, rows) for rows in (options.rows // 10, options.rows)}
    peaks: dict[int, list[dict[str, Any]]] = {rows: [] for rows in sizes}
    states: dict[str, Any] = {}
    for _ in range(options.repeat):
        for rows, path in sizes.items():
            # A process of its own each time: peaks are of a process's whole life.
            log = options.cache / "logs" / "memory.log"
            engine = Engine(environment.own(), "benchmarks.profiling.engines.avh", log, f"local[{options.cores}]", options.driver_memory)
            try:
                states[f"{rows} rows, one batch"] = engine.ask("profile", path=str(path), batched=False)["state_bytes"]
                whole = engine.ask("memory")
                answer = engine.ask("profile", path=str(path), batched=True)
                states[f"{rows} rows, {answer['batches']} batches"] = answer["state_bytes"]
                peaks[rows].append({"one batch": whole, "then batches": engine.ask("memory")})
            finally:
                engine.close()
            print(f"{rows} rows: {peaks[rows][-1]}", flush=True)
    few, many = sizes
    shown = [(mode, part) for mode in peaks[few][0] for part in ("driver", "python", "jvm")]
    quotients = {key: _ratio(peaks[many], peaks[few], *key) for key in shown}
    lines = [["peak resident memory", f"{few:,} rows", f"{many:,} rows", "ratio: median (range)"]]
    for (mode, part), quotient in quotients.items():
        mb = [f"{_peaks(peaks[rows], mode, part).median / _MB:.0f} MB" for rows in sizes]
        lines.append([f"{mode}: {part}", *mb, f"{quotient['median']:.2f} ({quotient['low']:.2f} to {quotient['high']:.2f})"])
    for name, size in states.items():
        described = f"median {size['median'] / 1e3:.1f} kB, largest {size['max'] / 1e3:.1f} kB"
        lines.append([f"states per column and batch, {name}", "", described, ""])
    result = {
        "machine": host,
        "rows": list(sizes),
        "cores": options.cores,
        "driver_memory": options.driver_memory,
        "peaks": {str(rows): found for rows, found in peaks.items()},
        "state_bytes": states,
        "goals": {
            "driver at most 1.2x": quotients["one batch", "driver"],
            "and with batches": quotients["then batches", "driver"],
            "median state at most 8 KB": {name: size["median"] for name, size in states.items()},
        },
    }
    publish("memory", result, lines, options.output, not options.no_readme)


def _peaks(found: list[dict[str, Any]], mode: str, part: str) -> Timing:
    """Bytes of each round in place of seconds: the same median and range."""
    return Timing([float(f[mode]["python"] + f[mode]["jvm"] if part == "driver" else f[mode][part]) for f in found])


def _ratio(above: list[dict[str, Any]], below: list[dict[str, Any]], mode: str, part: str) -> Any:
    return ratio(_peaks(above, mode, part), _peaks(below, mode, part))


if __name__ == "__main__":
    main()
