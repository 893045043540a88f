"""Differential verification against recomputation (ICDE 2019, Figure 1): `python -m benchmarks.differential [--rows N] [--batches N]`.

A table of files, one a batch. Each scenario is timed both ways in turns: by `ingest` from stored states and the new partition alone,
and by `avh.check` of all rows that the table then has. A view is the union of half of the batches. Both must reach the same verdicts.
Neither keeps its run. Processor time is that of this process, which does all the work for batches of this size.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import avh_ui as avh

CONFIG = """
engine: local
pipelines:
  orders:
    source: {format: parquet, path: "data/{batch}.parquet"}
"""
of, c = avh.analyzers, avh.checks
# Seconds, and processor seconds.
Spent = tuple[float, float]
RULES = [
    c.has(of.size(), at_least=1),
    c.is_complete("id"),
    c.is_complete("country", at_least=0.99),
    *(c.has(measure(name), above=-1e9, below=1e9) for name in ("amount", "tax", "weight") for measure in (of.mean, of.standard_deviation)),
    *(c.has(of.minimum(name), at_least=0) for name in ("amount", "tax", "weight")),
    c.has(of.maximum("quantity"), at_most=100),
]


def partition(batch: int, rows: int, seed: int) -> pa.Table:
    """The rows of a batch, each its own."""
    rng = np.random.default_rng([batch, seed])
    numbers = {name: rng.gamma(2.0, 40.0, rows).round(2) for name in ("amount", "tax", "weight")}
    country = pa.array(rng.choice(["DE", "FR", "IT", "ES", "PL"], rows))
    return pa.table({"id": np.arange(rows) + batch * rows, "country": country, "quantity": rng.integers(1, 100, rows), **numbers})


def timed(call: Callable[[], Any]) -> tuple[tuple[float, float], Any]:
    """Seconds, processor seconds, and what it gave."""
    start, before = time.perf_counter(), time.process_time()
    found = call()
    return (time.perf_counter() - start, time.process_time() - before), found


def whole(folder: Path, names: Sequence[str]) -> pa.Table:
    """All rows of these batches, read from their files."""
    return pa.concat_tables(pq.read_table(folder / "data" / f"{name}.parquet") for name in names)


def scenarios(folder: Path, batches: int, rows: int, rounds: int) -> dict[str, list[tuple[Spent, Spent]]]:
    """What both ways take by scenario, round by round."""
    (folder / "data").mkdir(parents=True)
    (folder / "avh.yml").write_text(CONFIG, encoding="utf-8")
    names = [f"{k:04d}" for k in range(batches + rounds)]
    for k, name in enumerate(names):
        pq.write_table(partition(k, rows, 0), folder / "data" / f"{name}.parquet")
    ws = avh.open(str(folder))
    ws.profile("orders", batches=f"{names[0]}..{names[batches - 1]}")
    found: dict[str, list[tuple[Spent, Spent]]] = {"append": [], "replacement": [], "view": []}

    def both(name: str, ours: Callable[[], Any], there: Sequence[str]) -> None:
        seconds, told = timed(ours)
        anew, run = timed(lambda: avh.check(whole(folder, there), RULES))
        if told != [v.status for v in run.verdicts] and told != run.row_count:
            raise SystemExit(f"{name}: the two ways disagree: {told} and {run.row_count}, {[v.message for v in run.verdicts]}")
        found[name].append((seconds, anew))

    def ingest(name: str) -> list[str]:
        return [v.status for v in ws.ingest("orders", RULES, batch=name, record=False).verdicts]

    def view(there: Sequence[str]) -> int:
        profile = ws.view("orders", span=f"{there[0]}..{there[-1]}").profile()
        # Every metric of every column, where anew only those of the rules are measured.
        for column in profile.columns.values():
            column.single_metrics()
        return int(profile.rows)

    for k in range(rounds):
        there, new = names[: batches + k + 1], names[batches + k]
        both("append", partial(ingest, new), there)
        pq.write_table(partition(k, rows, 1), folder / "data" / f"{names[k]}.parquet")
        both("replacement", partial(ingest, names[k]), there)
        both("view", partial(view, there[: batches // 2]), there[: batches // 2])
    return found


def ratios(found: Sequence[float]) -> str:
    """Their median and range."""
    return f"{statistics.median(found):.1f} ({min(found):.1f} to {max(found):.1f})"


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batches", type=int, default=40)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = scenarios(Path(folder) / "w", args.batches, args.rows, args.rounds)
    print("| scenario | from states | anew | times faster | times less processor time |\n| --- | --- | --- | --- | --- |")
    for name, pairs in found.items():
        ours, anew = (statistics.median(way[0] for way in side) for side in zip(*pairs, strict=True))
        told = [ratios([theirs[k] / own[k] for own, theirs in pairs]) for k in (0, 1)]
        print(f"| {name} | {ours:.2f} s | {anew:.2f} s | {' | '.join(told)} |")
    print(f"\n{args.batches} batches of {args.rows:,} rows, {args.rounds} rounds, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
