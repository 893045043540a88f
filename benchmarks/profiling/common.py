"""What the profiling benchmarks share: timing with its noise, memory and processor time of processes, and the data."""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import TypedDict

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

CACHE = Path("~/.cache/avh_ui-benchmarks").expanduser()
RESULTS = Path(__file__).parent.parent / "results"
# The column with the batch id; not measured.
BATCH = "batch"
# About 16 MB of decoded columns: several row groups per task at ten million rows, so that two cores share the file evenly.
_ROW_GROUP = 200_000


class Summary(TypedDict):
    """What becomes of a `Timing` in a result file: seconds of wall clock, and of processor time over all processes."""

    median: float
    low: float
    high: float
    seconds: list[float]
    cpu_median: float
    cpu_seconds: list[float]


@dataclass
class Timing:
    """Repeated measurements of one contender."""

    seconds: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    def summary(self) -> Summary:
        return {
            "median": self.median,
            "low": min(self.seconds),
            "high": max(self.seconds),
            "seconds": self.seconds,
            "cpu_median": statistics.median(self.cpu) if self.cpu else 0.0,
            "cpu_seconds": self.cpu,
        }

    def __str__(self) -> str:
        return f"{self.median:.2f} s ({min(self.seconds):.2f} to {max(self.seconds):.2f})"


Run = Callable[[], tuple[float, float]]


def interleave(contenders: Mapping[str, Run], repeat: int) -> dict[str, Timing]:
    """`repeat` rounds in which every contender runs once, so that a busy moment of the machine hits them all alike.

    A contender gives its wall and processor seconds.
    """
    timings = {name: Timing() for name in contenders}
    for turn in range(repeat):
        for name, run in contenders.items():
            seconds, cpu = run()
            timings[name].seconds.append(seconds)
            timings[name].cpu.append(cpu)
            print(f"round {turn + 1} of {repeat}: {name}: {seconds:.2f} s, {cpu:.2f} s of processor time", flush=True)
    return timings


def ratio(above: Timing, below: Timing) -> Summary:
    """`above` / `below`, round by round; its `median` is the ratio to quote, `low` and `high` its noise."""
    rounds = [a / b for a, b in zip(above.seconds, below.seconds, strict=True)]
    cpu = [a / b for a, b in zip(above.cpu, below.cpu, strict=True) if b]
    return Timing(rounds, cpu).summary()


def timed(run: Callable[[], object]) -> tuple[float, float]:
    """Wall and processor seconds of a call, over this process and its children."""
    cpu, start = cpu_seconds(os.getpid()), time.perf_counter()
    run()
    return time.perf_counter() - start, cpu_seconds(os.getpid()) - cpu


def cpu_seconds(root: int) -> float:
    """Processor seconds that a process and its descendants have used, those included that have ended and were waited for."""
    tick = os.sysconf("SC_CLK_TCK")
    return sum(sum(map(int, _stat(pid)[11:15])) for pid in tree(root)) / tick


def tree(root: int) -> list[int]:
    """A process and its descendants."""
    parents = {pid: int(stat[1]) for entry in Path("/proc").iterdir() if entry.name.isdigit() and (stat := _stat(pid := int(entry.name)))}
    found = [root]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return [pid for pid in found if pid in parents]


def peak_memory(pid: int) -> int:
    """Largest resident set of a process since its start, in bytes."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def _stat(pid: int) -> list[str]:
    # The fields after the name, which stands in brackets: state, parent, ..., utime, stime, cutime, cstime. Zeros once it has ended.
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ["0"] * 15


def demo_flights() -> pa.Table:
    """The demo's flights: 336,776 rows x 19 columns and the batch id as text, ordered by batch."""
    with resources.as_file(resources.files("avh_ui.demo") / "data" / "flights.parquet") as path:
        table = pq.read_table(path)
    return table.set_column(table.column_names.index(BATCH), BATCH, table.column(BATCH).cast(pa.string()))


def flights_file(folder: Path, rows: int) -> Path:
    """A Parquet file of `rows` flights, made once: every batch repeated to its share, its rows in random order."""
    path = folder / f"flights-{rows}" / "all.parquet"
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    table = demo_flights()
    random = np.random.default_rng(0)
    starts = batch_starts(table)
    ends = np.rint(np.array(starts) * (rows / table.num_rows)).astype(int)
    temporary = path.with_suffix(".tmp")
    with pq.ParquetWriter(temporary, table.schema, compression="snappy") as writer:
        waiting: list[pa.Table] = []
        for (first, last), size in zip(pairwise(starts), np.diff(ends).tolist(), strict=True):
            order = first + random.permutation(last - first)
            waiting.append(table.take(pa.array(order[random.permutation(size) % (last - first)])))
            if sum(t.num_rows for t in waiting) >= _ROW_GROUP:
                writer.write_table(pa.concat_tables(waiting), row_group_size=2**30)
                waiting = []
        if waiting:
            writer.write_table(pa.concat_tables(waiting), row_group_size=2**30)
    temporary.replace(path)
    return path


def batch_starts(table: pa.Table) -> list[int]:
    """Where each batch of an ordered table starts, and the number of rows."""
    codes = table.column(BATCH).combine_chunks().dictionary_encode()
    indices = (codes.combine_chunks() if isinstance(codes, pa.ChunkedArray) else codes).indices.to_numpy()
    return [0, *(np.flatnonzero(np.diff(indices)) + 1).tolist(), table.num_rows]


def arguments(description: str | None, name: str, rows: int, repeat: int = 3) -> argparse.ArgumentParser:
    """The options that every benchmark takes."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--rows", type=int, default=rows, help="rows of the (larger) table")
    parser.add_argument("--repeat", type=int, default=repeat, help="rounds")
    parser.add_argument("--output", type=Path, default=RESULTS / f"{name}.json", help="where the result is written")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where data, other engines and scratch files are kept")
    parser.add_argument("--no-readme", action="store_true", help="leave the tables in benchmarks/README.md as they are")
    return parser
