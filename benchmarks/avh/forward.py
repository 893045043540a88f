"""Walking forward: suggest from the past, judge the next batches by what was suggested, without suggesting again.

`python -m benchmarks.avh.forward --data DIR` prints a line per table; see README.md.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from avh_ui.constraints.backtest import backtest
from avh_ui.constraints.constraint import Constraint
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.reprogramming import reprogram_table
from avh_ui.inference.by_history.suggesting import magnitudes_of, measured
from avh_ui.inference.kinds.declarations import declaration_of
from avh_ui.inference.kinds.finding import find_kinds
from avh_ui.issues.column_issues import Issues
from avh_ui.metrics.catalogue import measured_for, metric
from avh_ui.metrics.profile import BatchProfile
from avh_ui.workflows.frames import profile_table
from benchmarks.avh import tables
from benchmarks.avh.tables import Table

WINDOW, AHEAD, FPR = 120, 60, 0.001
HALF_NULL = "increased_nulls 50% null"
# By table the first batch read, and after how many batches suggestions are made.
PLAN: dict[str, tuple[int, tuple[int, ...]]] = {
    "flights": (0, (60, 120, 180, 240, 300)),
    "ncedc_earthquakes_2016": (0, (60, 120, 180, 240)),
    "italy_regioni": (1200, (1320, 1380, 1440, 1500, 1560, 1620)),
    "italy_province": (1200, (1320, 1440, 1560, 1680)),
    "regions": (0, (40, 100)),
    "nyc_latest__now-cases-by-day": (300, (420, 480, 540, 600, 660)),
}


def load(name: str, data: Path) -> Table:
    """A table with all of its columns: those that repeat the batch's key are what kinds are about."""
    if name == "flights":
        table = pq.read_table(data / "nycflights13_daily.parquet").sort_by("batch_seq")
        seq, ids = table["batch_seq"].to_numpy(), table["batch_id"]
        return tables._sliced(name, tables._typed(table.drop_columns(["batch_seq", "batch_id"])), seq, ids, ())
    return tables._long(name, data) if name.startswith(("ncedc", "nyc")) else tables.load(name, data)


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


def walk(table: Table, first: int, points: tuple[int, ...]) -> Counter[str]:
    """What became of the batches after each point, counted."""
    profiles = [profile_table(pa.table(table.batch(k)), "p", table.batches[k]) for k in range(first, len(table.batches))]
    columns, counted = histories(profiles), Counter[str]()
    for point in points:
        at = point - first
        sample = pa.table(table.batch(point - 1))
        window = [c.window(max(0, at - WINDOW), at) for c in columns if c.present[max(0, at - WINDOW) : at].all()]
        window = [c for c in window if c.column in sample.column_names]
        by_name, whole = {c.column: c for c in window}, {c.column: c for c in columns}
        rows, baseline = profiles[at - 1].rows, profiles[at - 2]
        issues = Issues(by_name, sample, rows, baseline, magnitudes=magnitudes_of("calibrated"))
        kinds = find_kinds(window, sample, baseline, {})
        made = [measured(c, issues.of(c.column), "calibrated", table.season, declaration_of(kinds.get(c.column))) for c in window]
        results = reprogram_table([m.fitted_or_empty() for m in made], FPR)
        ahead = range(at, min(at + AHEAD, len(profiles)))
        counted["batches"] += len(ahead)
        alarms: set[tuple[int, str]] = set()
        for result in results:
            tried = result.prepared is not None and HALF_NULL in result.prepared.variants
            counted["columns"] += tried
            counted["nulls noticed"] += tried and any(HALF_NULL in s.evidence.caught for s in result.suggestions)
            counted["suggestions"] += len(result.suggestions)
            counted["column-batches"] += int(whole[result.column].present[ahead.start : ahead.stop].sum())
            known = {k - first for k in table.labelled(result.column)}
            for suggestion in result.suggestions:
                history, constraint = whole[result.column], suggestion.constraint
                fired = backtest(constraint, history.values[constraint.metric], None, history.batches).fired
                alarms |= {(k, result.column) for k in ahead if fired[k] and history.present[k] and k not in known}
                if metric(constraint.metric, history.kind).volume:
                    counted["half noticed"] += _noticed(constraint, history, ahead, 0.5)
                    counted["twice noticed"] += _noticed(constraint, history, ahead, 2.0)
        counted["alarms"] += len(alarms)
        counted["batches with alarms"] += len({k for k, _ in alarms})
    return counted


def _noticed(constraint: Constraint, history: ColumnHistory, ahead: range, factor: float) -> int:
    series = history.values[constraint.metric]
    references = constraint.transform.references(series, history.batches).tolist()
    return sum(not constraint.holds(constraint.transform.forward(factor * float(series[k]), references[k])) for k in ahead)


def main() -> None:
    """A line of counts per table, and their sum."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    data, total = parser.parse_args().data, Counter[str]()
    for name, (first, points) in PLAN.items():
        found = walk(load(name, data), first, points)
        print(name, dict(found), flush=True)
        total += found
    print("all", dict(total))


if __name__ == "__main__":
    main()
