"""How long a column takes on one core: states, matrix, program; and programming a whole table anew."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
import pyarrow as pa

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.prepared import PreparedColumn
from avh_ui.inference.by_history.programming import ByHistorySettings, LatestBatch, prepare_column
from avh_ui.inference.by_history.reprogramming import reprogram
from avh_ui.metrics.catalogue import metrics_for
from avh_ui.metrics.profile import ColumnProfile

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


def markdown(repeat: int = 5) -> str:
    """Processor seconds, the median of `repeat` runs."""
    lines = ["| column of 100,000 rows | states | matrix | program | in all |", "| --- | --- | --- | --- | --- |"]
    kept: list[PreparedColumn] = []
    for name, make in COLUMNS_OF.items():
        history, latest = history_of(make)
        made = prepare_column(history, latest)
        kept.append(made)
        parts = [
            _seconds(lambda latest=latest: ColumnProfile.from_arrow("x", latest.sample), repeat),
            _seconds(lambda history=history, latest=latest: prepare_column(history, latest, ByHistorySettings()), repeat),
            _seconds(lambda made=made: reprogram(_fresh(made)), repeat),
        ]
        lines.append(f"| {name} | " + " | ".join(f"{p:.3f} s" for p in (*parts, sum(parts))) + " |")
    columns = [_fresh(kept[i % len(kept)]) for i in range(COLUMNS)]
    first = _seconds(lambda: [reprogram(c, 0.001) for c in columns], 1)
    again = _seconds(lambda: [reprogram(c, 0.01) for c in columns], repeat)
    lines += ["", f"Programming {COLUMNS} columns of {BATCHES} batches: {first:.2f} s at first, {again:.2f} s for another target."]
    return "\n".join(lines)


def _fresh(column: PreparedColumn) -> PreparedColumn:
    """Without its cached grids."""
    return PreparedColumn.from_record(column.to_record())


def _seconds(run: Callable[[], object], repeat: int) -> float:
    found = []
    for _ in range(repeat):
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
    return statistics.median(found)


if __name__ == "__main__":
    print(markdown())
