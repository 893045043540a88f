"""Every method on every case: counts of alarms, per method, setting and table."""

from __future__ import annotations

from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field

import numpy as np

from avh_ui.metrics.column import NUMBER_KINDS
from benchmarks.avh.baselines import LEARNED, METHODS, View, learners
from benchmarks.avh.cases import Case, ColumnCases
from benchmarks.avh.programs import ABLATIONS, EVERYWHERE, FRONTIER, enough, prepared, program, violated

# Ablations and learned detectors take half a second a window, ten times all else: every so many of the windows with recall tests have them.
ABLATE_EVERY = 16
# The alarms of this program are listed, to be looked at: unlabelled is not clean.
LISTED = EVERYWHERE[0]

Key = tuple[str, float, str, str]


@dataclass
class Counts:
    """Alarms of clean, injected and swapped batches; `clauses` of each program; `types` of injected issues: tried, caught."""

    clean: int = 0
    alarms: int = 0
    injected: int = 0
    injected_caught: int = 0
    swapped: int = 0
    swapped_caught: int = 0
    clauses: list[int] = field(default_factory=list)
    types: dict[str, list[int]] = field(default_factory=dict)

    def add(self, other: Counts) -> Counts:
        """Both."""
        for name in ("clean", "alarms", "injected", "injected_caught", "swapped", "swapped_caught"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.clauses += other.clauses
        for kind, (tried, caught) in other.types.items():
            have = self.types.setdefault(kind, [0, 0])
            have[0], have[1] = have[0] + tried, have[1] + caught
        return self


@dataclass(frozen=True)
class Alarm:
    """A false alarm, or an incident that nobody documented: of a column's unlabelled batch (a position), by these metrics."""

    table: str
    column: str
    batch: int
    metrics: tuple[str, ...]


@dataclass(frozen=True)
class Items:
    """The next batches of a case side by side: the clean one, the injected, the swapped."""

    values: np.ndarray
    types: list[str]

    @classmethod
    def of(cls, column: ColumnCases, case: Case) -> Items:
        clean = np.append(column.series[:, case.end + 1], case.fresh)[:, None]
        trials = [t for t in (case.injected, case.swapped) if t is not None]
        return cls(np.concatenate([clean, *(t.values for t in trials)], axis=1), [kind for t in trials for kind in t.types])

    def count(self, alarms: np.ndarray, into: Counts) -> None:
        into.clean += 1
        into.alarms += int(alarms[0])
        swapped = np.array([t == "swapped" for t in self.types], dtype=bool)
        caught = alarms[1:]
        into.swapped, into.swapped_caught = into.swapped + int(swapped.sum()), into.swapped_caught + int(caught[swapped].sum())
        into.injected, into.injected_caught = into.injected + int((~swapped).sum()), into.injected_caught + int(caught[~swapped].sum())
        for kind, hit in zip(self.types, caught, strict=True):
            have = into.types.setdefault(kind, [0, 0])
            have[0], have[1] = have[0] + 1, have[1] + int(hit)


def evaluate(columns: list[ColumnCases], workers: int = 2) -> tuple[dict[Key, Counts], list[Alarm]]:
    """Counts by (method, setting, table, numeric or categorical), and what `LISTED` alarmed about."""
    total: dict[Key, Counts] = {}
    listed: list[Alarm] = []
    # Large columns first, so that no worker is left with one at the end.
    columns = sorted(columns, key=lambda c: -len(c.cases))
    with ProcessPoolExecutor(workers) as pool:
        for done, (found, alarms) in enumerate(pool.map(_column, columns), start=1):
            print(f"{done} of {len(columns)} columns", end="\r", flush=True)
            listed += alarms
            for key, counts in found.items():
                total.setdefault(key, Counts()).add(counts)
    return total, sorted(listed, key=lambda a: (a.table, a.batch, a.column))


def _column(column: ColumnCases) -> tuple[dict[Key, Counts], list[Alarm]]:
    found: dict[Key, Counts] = defaultdict(Counts)
    listed: list[Alarm] = []
    group = "numeric" if column.kind in NUMBER_KINDS else "categorical"
    tested = 0
    for case in column.cases:
        items = Items.of(column, case)
        full = case.injected is not None and tested % ABLATE_EVERY == 0
        tested += case.injected is not None
        for (method, setting), alarms, clauses in _programs(column, case, items, listed, full=full):
            counts = found[method, setting, column.table, group]
            items.count(alarms, counts)
            counts.clauses.append(clauses)
        if case.injected is not None:
            for (method, setting), alarms in _others(View.of(column, case), items, full=full):
                items.count(alarms, found[method, setting, column.table, group])
    return dict(found), listed


def _programs(column: ColumnCases, case: Case, items: Items, listed: list[Alarm], *, full: bool):
    """Each program's alarms and number of clauses; where `full`, also of those that only serve a figure."""
    learned: dict[object, object] = {}
    for variant in EVERYWHERE + (FRONTIER if case.injected is not None else ()) + (ABLATIONS if full else ()):
        if not enough(column, case, variant):
            continue
        if variant.learned not in learned:
            learned[variant.learned] = prepared(column, case, variant)
        chosen = program(learned[variant.learned], variant)
        outside = [violated(constraint, column, case, items.values) for constraint in chosen]
        alarms = np.any([np.zeros(items.values.shape[1], dtype=bool), *outside], axis=0)
        if variant == LISTED and alarms[0]:
            metrics = tuple(c.metric for c, out in zip(chosen, outside, strict=True) if out[0])
            listed.append(Alarm(column.table, column.column, column.batches[case.end + 1], metrics))
        yield (variant.name, variant.fpr), alarms, len(chosen)


def _others(view: View, items: Items, *, full: bool):
    """The other methods' alarms, of the learned ones where `full`."""
    for name, (score, thresholds) in METHODS.items():
        found = score(view, items.values)
        yield from (((name, t), found > t) for t in thresholds)
    if full:
        for name, score in learners().items():
            found = score(view, items.values)
            yield from (((name, t), found > t) for t in LEARNED[name])
