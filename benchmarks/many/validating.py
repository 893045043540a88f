"""Many pipelines validated in one process, without Spark: processor time and memory over them, in order.

`python -m benchmarks.many.validating --pipelines 1000 --rules 3`: each has one batch in its history and one that comes. Memory is the
resident set after each tenth of the pipelines, from /proc (Linux).
"""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import avh_ui as avh
from avh_ui.cli.watch import Watched

ROWS, COLUMNS = 1_000, 10


def make(root: Path, pipelines: int, rules: int) -> None:
    """A workspace of so many pipelines, each with a program of rules that people state, and a batch that comes."""
    rng = np.random.default_rng(0)
    columns = {f"c{k}": rng.normal(100, 10, ROWS) for k in range(COLUMNS)}
    (root / "data").mkdir()
    pq.write_table(pa.table(columns), root / "data" / "2026-01-01.parquet")
    named = "".join(f'  t{k:04}: {{source: {{path: "data/{{batch}}.parquet"}}}}\n' for k in range(pipelines))
    (root / "avh.yml").write_text(f"engine: local\npipelines:\n{named}")
    ws, c, of = avh.open(root), avh.checks, avh.analyzers
    # Each a rule of its own: the share of rows that keep a condition.
    stated = [c.satisfies(f"c{k % COLUMNS} > {k // COLUMNS}", at_least=0.5) for k in range(rules - 1)] + [c.has(of.size(), at_least=10)]
    for k in range(pipelines):
        name = f"t{k:04}"
        ws.profile(name)
        draft = ws.add(name, stated)
        ws.decide(name, [item.suggestion.id for item in draft.items], "accept", why="known")
        ws.publish(name, message="first")
    pq.write_table(pa.table({name: values + 0.1 for name, values in columns.items()}), root / "data" / "2026-01-02.parquet")


def resident() -> float:
    """Of this process, in MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure(root: Path, pipelines: int, tell: Callable[[str], None] = print) -> None:
    """Judge what is new of all, and tell memory and time after each tenth."""
    watched, judged, began = Watched(root, (), threading.Event()), [0], time.process_time()
    judge = watched._judge

    def counted(services: object, name: str) -> int:
        code = judge(services, name)  # type: ignore[arg-type]
        judged[0] += 1
        if judged[0] % max(1, pipelines // 10) == 0:
            spent = time.process_time() - began
            tell(f"{judged[0]:5} pipelines: {resident():6.0f} MB, {1000 * spent / judged[0]:6.0f} ms of processor time each")
        return code

    watched._judge = counted  # type: ignore[method-assign]
    tell(f"exit code {watched.round()}")


def main() -> None:
    """Make and measure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pipelines", type=int, default=1000)
    parser.add_argument("--rules", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder), asked.pipelines, asked.rules)
        measure(Path(folder), asked.pipelines)


if __name__ == "__main__":
    main()
