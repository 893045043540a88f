"""How long a column takes on one core: states, matrix, program; and programming a whole table anew."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
import pyarrow as pa

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.measured import MeasuredColumn
from avh_ui.inference.by_history.reprogramming import reprogram, reprogram_table
from avh_ui.inference.by_history.suggesting import measured
from avh_ui.issues.column_issues import ColumnIssues, LatestBatch
from avh_ui.metrics.catalogue import metrics_for
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.store.measured_files import decode, encode

ROWS, BATCHES, COLUMNS = 100_000, 60, 200
Make = Callable[[np.random.Generator], pa.Array]
COLUMNS_OF: dict[str, Make] = {
    "numbers, all distinct": lambda r: pa.array(r.normal(100, 15, ROWS)),
    "numbers, 50 distinct": lambda r: pa.array(r.integers(0, 50, ROWS)),
    "texts, 3 distinct": lambda r: pa.array(r.choice(["EWR", "JFK", "LGA"], ROWS)),
    "texts, all distinct": lambda r: pa.array(np.char.add("id", r.permutation(ROWS).astype(str))),
}


def history_of(make: Make) -> tuple[ColumnHistory, LatestBatch]:
    """60 batches, of which 8 are drawn and come again in a random order."""
    rng = np.random.default_rng(0)
    drawn = [make(rng) for _ in range(8)]
    known = [ColumnProfile.from_arrow("x", a) for a in drawn]
    order = rng.integers(8, size=BATCHES)
    metrics = metrics_for(known[0].kind)
    values = np.array([[m.value(known[j].states, known[i].states) for i, j in zip([0, *order], order, strict=False)] for m in metrics])
    named = dict(zip((m.name for m in metrics), values, strict=True))
    history = ColumnHistory("x", known[0].kind, "", tuple(map(str, range(BATCHES))), named, np.ones(BATCHES, dtype=bool))
    return history, LatestBatch(drawn[order[-1]], ROWS, drawn[0], known[order[-2]])


def _measured(history: ColumnHistory, latest: LatestBatch) -> MeasuredColumn:
    return measured(history, ColumnIssues(history, latest), "calibrated", (7,))


def markdown(repeat: int = 5) -> str:
    """Processor seconds, the median of `repeat` runs."""
    lines = ["| column of 100,000 rows | states | matrix | program | in all |", "| --- | --- | --- | --- | --- |"]
    kept: list[MeasuredColumn] = []
    for name, make in COLUMNS_OF.items():
        history, latest = history_of(make)
        made = _measured(history, latest)
        kept.append(made)
        parts = [
            _seconds(lambda latest=latest: ColumnProfile.from_arrow("x", latest.sample), repeat),
            _seconds(lambda history=history, latest=latest: _measured(history, latest), repeat),
            _seconds(lambda made=made: reprogram(made.fitted()), repeat),
        ]
        lines.append(f"| {name} | " + " | ".join(f"{p:.3f} s" for p in (*parts, sum(parts))) + " |")
    record = encode([kept[i % len(kept)] for i in range(COLUMNS)])
    read = _seconds(lambda: decode(record), repeat)
    columns = decode(record)
    fitted = [c.fitted() for c in columns]
    times = {
        "reading what was kept": read,
        "fitting another span of history": _seconds(lambda: [c.fitted(since="10") for c in columns], repeat),
        "programming, at first": _seconds(lambda: reprogram_table(fitted, 0.001), 1),
        "programming for another target": _seconds(lambda: reprogram_table(fitted, 0.01), repeat),
    }
    lines += ["", f"| {COLUMNS} columns of {BATCHES} batches | in all | one column |", "| --- | --- | --- |"]
    lines += [f"| {name} | {t:.2f} s | {1000 * t / COLUMNS:.1f} ms |" for name, t in times.items()]
    return "\n".join(lines)


def _seconds(run: Callable[[], object], repeat: int) -> float:
    found = []
    for _ in range(repeat):
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
    return statistics.median(found)


if __name__ == "__main__":
    print(markdown())
