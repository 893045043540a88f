"""Walking forward: suggest from the past, judge the next 60 batches by what was suggested, without suggesting again.

`python -m benchmarks.avh.forward --data DIR [--tables NAME ...]` prints the rates of false alarms by the age of the program, and which
faults were noticed; see README.md.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from avh_ui.constraints.constraint import Constraint
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.measured import fitted_together
from avh_ui.inference.by_history.reprogramming import reprogram_table
from avh_ui.inference.by_history.suggesting import magnitudes_of, measured
from avh_ui.inference.kinds.declarations import declaration_of
from avh_ui.inference.kinds.finding import find_kinds
from avh_ui.issues.column_issues import Issues
from avh_ui.metrics.catalogue import measured_for
from avh_ui.metrics.distinct import HLL_RELATIVE_ERROR
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.uniqueness import UNIQUE_RATIO, grouped
from avh_ui.workflows.frames import profile_table
from avh_ui.workflows.suggesting import SAMPLE_ROWS, WINDOW
from benchmarks.avh import tables
from benchmarks.avh.aging import AGES, Walk, Way
from benchmarks.avh.moving_window import LOOKED_AT, is_moving_window
from benchmarks.avh.report import wilson
from benchmarks.avh.tables import Table

AHEAD, EVERY = 60, 60
TARGETS = (0.001, 0.01, 0.05)
WAYS = (Way("frozen", follows=False), Way("following"), Way("following, answered", answered=True))
TOLD_TRUE = Path(__file__).parent / "looked_at_forward.csv"
HALF_NULL = "increased_nulls 50% null"
# By table the first and the last batch read (None: all). The window and the widths were looked at on the first five; nothing was chosen on
# the others.
PLAN: dict[str, tuple[int, int | None]] = {
    "flights": (0, None),
    "ncedc_earthquakes_2016": (0, None),
    "regions": (0, None),
    "italy_province": (900, 1500),
    "nyc_latest__now-cases-by-day": (200, None),
}
HELD_OUT: dict[str, tuple[int, int | None]] = {
    "italy_regioni": (900, 1500),
    "nyc_trends__weekly-case-rate-age": (0, None),
    "airport-frequencies": (0, None),
}


@dataclass(frozen=True)
class Told:
    """A table's columns over its batches, and the places that an engineer would leave out, by column."""

    table: Table
    first: int
    batches: tuple[str, ...]
    columns: dict[str, ColumnHistory]
    labelled: dict[str, frozenset[int]]
    true: dict[str, frozenset[int]]


def load(name: str, data: Path) -> Table:
    """A table with all of its columns: those that repeat the batch's key are what kinds are about."""
    if name == "flights":
        table = pq.read_table(data / "nycflights13_daily.parquet").sort_by("batch_seq")
        seq, ids = table["batch_seq"].to_numpy(), table["batch_id"]
        return tables._sliced(name, tables._typed(table.drop_columns(["batch_seq", "batch_id"])), seq, ids, ())
    return tables._long(name, data) if name.startswith(("ncedc", "nyc")) else tables.load(name, data)


def told(name: str, data: Path, first: int, last: int | None) -> Told:
    """Everything that is walked over, each batch profiled once."""
    table = load(name, data)
    last = len(table.batches) if last is None else last
    profiles = [_profiled(table, k) for k in range(first, last)]
    columns = {c.column: c for c in histories(profiles)}
    labelled = {name: frozenset(k - first for k in table.labelled(name)) for name in columns}
    batches = table.batches[first:last]
    return Told(table, first, batches, columns, labelled, found_true(name, batches, columns))


def histories(profiles: list[BatchProfile]) -> list[ColumnHistory]:
    """Every column's metrics over these batches, distances against the batch before."""
    count = len(profiles)
    found: dict[str, ColumnHistory] = {}
    for k, profile in enumerate(profiles):
        for name, column in profile.columns.items():
            if column.kind == "skipped":
                continue
            values = {m.name: np.full(count, np.nan) for m in measured_for(column.kind)}
            new = ColumnHistory(name, column.kind, column.type, tuple(p.batch for p in profiles), values, np.zeros(count, dtype=bool))
            history = found.setdefault(name, new)
            before = profiles[k - 1].columns.get(name) if k else None
            if history.kind != column.kind:
                continue
            history.present[k] = True
            same = before is not None and before.kind == column.kind
            for measure, value in (column.single_metrics() | (column.distances(before) if before is not None and same else {})).items():
                if measure in history.values:
                    history.values[measure][k] = value
    return list(found.values())


def programs(of: Told, at: int) -> tuple[dict[float, list[Constraint]], Counter[str]]:
    """What is suggested from the batches before a place, by target, and how many columns notice half of their cells null at the first."""
    sample = pa.table(of.table.batch(of.first + at - 1))
    start = max(0, at - WINDOW)
    window = [c.window(start, at) for c in of.columns.values() if c.present[start:at].all() and c.column in sample.column_names]
    baseline, rows = _profiled(of.table, of.first + at - 2), sample.num_rows
    drawn = np.sort(np.random.default_rng(0).permutation(rows)[:SAMPLE_ROWS])
    sample = sample.take(pa.array(drawn))
    issues = Issues({c.column: c for c in window}, sample, rows, baseline, magnitudes=magnitudes_of("calibrated"))
    kinds = find_kinds(window, sample, baseline, {})
    moves = is_moving_window([pa.table(of.table.batch(of.first + k)) for k in range(max(0, at - LOOKED_AT), at)])
    season = of.table.season
    made = [measured(c, issues.of(c.column), "calibrated", season, declaration_of(kinds.get(c.column)), moving=moves) for c in window]
    _, fitted = fitted_together(made)
    found = {target: reprogram_table(fitted, target) for target in TARGETS}
    noticed = Counter[str]()
    for result in found[TARGETS[0]]:
        tried = result.prepared is not None and HALF_NULL in result.prepared.variants
        noticed["columns"] += tried
        noticed["half null noticed"] += tried and any(HALF_NULL in s.evidence.caught for s in result.suggestions)
    return {target: [s.constraint for r in results for s in r.suggestions] for target, results in found.items()}, noticed


def walks(of: Told) -> Iterator[tuple[str, float, Counter[str], list[str]]]:
    """By way and target what was counted after every place from which programs are made, with the alarms in words."""
    points = range(EVERY, len(of.batches) - 10, EVERY)
    for at in points:
        made, noticed = programs(of, at)
        for target, constraints in made.items():
            for way in WAYS:
                walk = Walk(of.batches, of.columns, of.labelled, constraints, at, way, true=of.true)
                counted = walk.counted(range(at, min(at + AHEAD, len(of.batches))))
                counted.update(noticed if way is WAYS[1] and target == TARGETS[0] else {})
                yield way.name, target, counted, walk.alarms


def _profiled(table: Table, k: int) -> BatchProfile:
    """With the values of columns counted that may be unique, as a validation counts those that its program calls unique."""
    batch = pa.table(table.batch(k))
    profile = profile_table(batch, "p", table.batches[k])
    counted = {
        name: replace(column, states=grouped(column.states, pc.count_distinct(batch[name], mode="only_valid").as_py()))
        for name, column in profile.columns.items()
        if name in batch.column_names and column.single_metrics().get(UNIQUE_RATIO.name, 0.0) > 1 - 4 * HLL_RELATIVE_ERROR
    }
    return replace(profile, columns={**profile.columns, **counted})


def found_true(name: str, batches: Sequence[str], columns: Iterable[str]) -> dict[str, frozenset[int]]:
    """By column the places of the batches whose alarms were looked up in the table and found to be changes of the data."""
    told: dict[str, frozenset[int]] = {}
    with TOLD_TRUE.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["table"] == name and row["verdict"] == "true"]
    for column in columns:
        spans = [(row["first"], row["last"]) for row in rows if row["columns"] == "*" or column in row["columns"].split()]
        told[column] = frozenset(k for k, batch in enumerate(batches) if any(first <= batch <= last for first, last in spans))
    return told


def _line(counted: Counter[str]) -> str:
    """Per age, and in all: fails of column-batches with their interval, episodes, reviews asked for; of table-batches those with a fail."""
    parts = []
    for age in [*(f"{a}-{b}" for a, b in AGES), "all"]:
        n, tests = counted[f"{age} fails"], counted[f"{age} column-batches"]
        low, high = (100 * edge for edge in wilson(n, tests))
        rest = [100 * counted[f"{age} {what}"] / max(1, tests) for what in ("episodes", "reviews")]
        whole = 100 * counted[f"{age} tables with fails"] / max(1, counted[f"{age} table-batches"])
        apart = n - counted[f"{age} true"]
        least, most = (100 * edge for edge in wilson(apart, tests))
        rate = f"{100 * n / max(1, tests):.2f} ({low:.2f}-{high:.2f})"
        rate += f" without true ones {100 * apart / max(1, tests):.2f} ({least:.2f}-{most:.2f})" if apart < n else ""
        parts.append(f"{age}: {rate} ep {rest[0]:.2f} rev {rest[1]:.2f} tables {whole:.1f}")
    faults = ", ".join(f"{name} {counted[name]}" for name in ("half noticed", "twice noticed", "rows tried") if counted[name])
    known = f" | known {counted['known caught']} of {counted['known']}"
    return " | ".join(parts) + known + (f" | {faults}" if faults else "")


def report(names: dict[str, tuple[int, int | None]], data: Path, looked: int, shown: float = TARGETS[1]) -> None:
    """A line per way and target for each table and for all of them, and some of the alarms in words."""
    total: dict[tuple[str, float], Counter[str]] = {}
    alarms: list[str] = []
    for name, (first, last) in names.items():
        own: dict[tuple[str, float], Counter[str]] = {}
        for way, target, counted, said in walks(told(name, data, first, last)):
            own.setdefault((way, target), Counter()).update(counted)
            alarms += [f"{name} {line}" for line in said] if way == "following" and target == shown else []
        _print(name, own)
        for key, counted in own.items():
            total.setdefault(key, Counter()).update(counted)
    _print("ALL", total)
    rng = np.random.default_rng(1)
    for k in sorted(rng.permutation(len(alarms))[:looked].tolist()):
        print("  ", alarms[k])


def _print(name: str, counts: dict[tuple[str, float], Counter[str]]) -> None:
    for (way, target), counted in sorted(counts.items(), key=lambda one: (one[0][1], one[0][0])):
        print(f"{name} {way} {100 * target:g}% | {_line(counted)}", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """The tables that were looked at, then those held out; or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tables", nargs="*", default=[])
    parser.add_argument("--looked", type=int, default=30, help="how many alarms are shown")
    parser.add_argument("--shown", type=float, default=TARGETS[1], choices=TARGETS, help="the target whose alarms are shown")
    given = parser.parse_args(arguments)
    known = PLAN | HELD_OUT
    for names in [{name: known[name] for name in given.tables}] if given.tables else [PLAN, HELD_OUT]:
        report(names, given.data, given.looked, given.shown)


if __name__ == "__main__":
    main()
