"""What bounds that follow the history cost: batches judged by rules with recipes, and by the same rules with the bounds that were approved.

`python -m benchmarks.many.following --rules 300 --batches 120`: processor time of the validator alone, both in turn, the profile measured
before. The history is read from disk by each call, as by each call of `avh validate`.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import avh_ui as avh
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.program import Program
from avh_ui.constraints.recipe import Recipe
from avh_ui.constraints.schema import SchemaConstraint
from avh_ui.constraints.transforms import Transform
from avh_ui.store.history_files import HistoryFiles
from avh_ui.validator.validate import validate

ROWS = 200
METRICS = ("mean", "sum", "max")


def make(root: Path, columns: int, batches: int) -> None:
    """A workspace of one profiled table, a batch a day."""
    rng = np.random.default_rng(0)
    (root / "data").mkdir()
    for k in range(batches + 1):
        day = date(2026, 1, 1) + timedelta(days=k)
        table = pa.table({f"c{column}": rng.normal(100, 10, ROWS) for column in range(columns)})
        pq.write_table(table, root / "data" / f"{day}.parquet")
    (root / "avh.yml").write_text('engine: local\npipelines:\n  t: {source: {path: "data/{batch}.parquet"}}\n')
    avh.open(root).profile("t")


def program(rules: int, columns: int, lag: int) -> Program:
    """Rules of the metrics of a column, one column after the other, on the change over `lag` batches where there is one."""
    recipe = Recipe(window=120, width=2.0, batches=100, deviation=5000.0, index=2.5, lowest=-1e6, highest=1e6)
    transform = Transform(lag=lag)
    stated = [
        Constraint(f"c{k % columns}", METRICS[k // columns], "numeric", -1e5, 1e5, transform=transform, recipe=recipe) for k in range(rules)
    ]
    return Program(
        pipeline="t",
        version=1,
        created_at="",
        author="",
        message="",
        fpr_target=0.001,
        schema=SchemaConstraint((), level="off"),
        constraints=tuple(stated),
    )


def seconds(judged: Program, root: Path) -> float:
    """Processor time of judging the newest batch by those before it, by a history that nothing was read of."""
    history = HistoryFiles(str(root / "history"))
    batch = history.batches("t")[-1]
    profile = history.load("t", batch)
    began = time.process_time()
    run = validate(judged, profile, history, stale="off")
    spent = time.process_time() - began
    assert all(v.status == "pass" for v in run.verdicts)
    assert all((v.learned is not None) == (v.constraint.recipe is not None) for v in run.verdicts)
    return spent


def main() -> None:
    """Make and measure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rules", type=int, default=300)
    parser.add_argument("--batches", type=int, default=120)
    parser.add_argument("--lag", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=25)
    asked = parser.parse_args()
    columns = -(-asked.rules // len(METRICS))
    follows = program(asked.rules, columns, asked.lag)
    frozen = replace(follows, constraints=tuple(replace(c, recipe=None) for c in follows.constraints))
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder), columns, asked.batches)
        pairs = [(seconds(follows, Path(folder)), seconds(frozen, Path(folder))) for _ in range(asked.rounds)][1:]
    first, middle, last = statistics.quantiles([1000 * (a - b) for a, b in pairs], n=4)
    one, other = (1000 * statistics.median(column) for column in zip(*pairs, strict=True))
    print(f"{asked.rules} rules, {asked.batches} batches: {one:.0f} ms following, {other:.0f} ms as approved")
    print(f"more: {middle:.0f} ms (half of the rounds {first:.0f} to {last:.0f})")


if __name__ == "__main__":
    main()
