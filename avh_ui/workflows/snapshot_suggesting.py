"""Suggesting from the latest batch: Deequ's rules on its profile, kept where no other batch speaks against them; no data is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from avh_ui.config import Pipeline
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.series import ColumnHistory, History, Series
from avh_ui.metrics.catalogue import metric
from avh_ui.metrics.profiler import Watch
from avh_ui.review.suggestion import Suggestion
from avh_ui.workflows.pattern_suggesting import Tables, tables_of
from avh_ui.workflows.pattern_trying import shares_of

if TYPE_CHECKING:
    from avh_ui.inference.by_history.measured import MeasuredColumn
    from avh_ui.inference.by_snapshot.judging import Record
    from avh_ui.inference.by_snapshot.making import Found
    from avh_ui.issues.variants import Variant

LeftOut = dict[str, str]
NOTHING_MORE = "the column's other suggestions catch every issue that it catches"


@dataclass(frozen=True)
class Known:
    """What a suggestion run knows when the rules are asked: the whole history, the batches of its window, those to leave out, the sample
    of the latest batch, and what was measured of its columns.
    """

    history: History
    batches: tuple[str, ...]
    exclude: frozenset[str]
    sample: pa.Table
    measured: Mapping[str, MeasuredColumn]


def suggest_by_snapshot(
    pipeline: Pipeline,
    repository: HistoryRepository,
    known: Known,
    columns: Sequence[str],
    others: Iterable[Suggestion],
    watch: Watch,
) -> tuple[list[Suggestion], list[LeftOut]]:
    """What the rules suggest of these columns beside `others`, and what was left out with its reasons.

    Left out is what any batch so far (but the excluded ones) would have violated, what cannot be held against any, what another suggestion
    of the column implies, and beside others what catches no issue that they miss.
    """
    from avh_ui.inference.by_snapshot.making import explain, found_in
    from avh_ui.inference.by_snapshot.snapshot import Snapshot

    latest = known.history.batches[-1]
    profile = repository.load(pipeline.name, latest, list(columns))
    found = {name: found_in(Snapshot.of(profile.columns[name]), latest) for name in columns if name in profile.columns}
    listing = [name for name, made in found.items() if any(isinstance(f.constraint, PatternConstraint) for f in made)]
    tables = tables_of(repository, pipeline.name, known.batches, listing)
    siblings: dict[str, list[Suggestion]] = {}
    for other in others:
        siblings.setdefault(other.constraint.column, []).append(other)
    made: list[Suggestion] = []
    left_out: list[LeftOut] = []
    for name, rules in found.items():
        watch.check()
        beside, issues = siblings.get(name, []), _Issues(known, name)
        kept, without = _kept(known, rules, tables.get(name, {}), [other.constraint for other in beside])
        caught = [issues.caught(one.constraint) for one, _ in kept]
        # On their own, all rules are wanted; beside the other sources, those that add something.
        adding = _adding(caught, {issue for other in beside for issue in other.caught}) if siblings else set(range(len(kept)))
        left_out += without + [_without(one, NOTHING_MORE) for k, (one, _) in enumerate(kept) if k not in adding]
        for k in sorted(adding):
            one, record = kept[k]
            constraint = replace(one.constraint, level=pipeline.rules.level)
            explanation = explain(one, record, tables.get(name, {}), issues.tried, caught[k])
            made.append(Suggestion(constraint.key, pipeline.name, constraint, caught[k], caught[k], len(issues.tried), explanation))
    return made, left_out


def _adding(caught: Sequence[tuple[str, ...]], covered: set[str]) -> set[int]:
    """Which of them catch what is not caught yet: greedily, the one that adds most first (as AVH's Algorithm 1 chooses)."""
    chosen: set[int] = set()
    while True:
        gains = {k: len(set(names) - covered) for k, names in enumerate(caught) if k not in chosen}
        best = max(gains, key=lambda k: (gains[k], -k), default=None)
        if best is None or not gains[best]:
            return chosen
        chosen.add(best)
        covered = covered | set(caught[best])


def _kept(
    known: Known, rules: Sequence[Found], tables: Tables, siblings: Sequence[Constraint]
) -> tuple[list[tuple[Found, Record]], list[LeftOut]]:
    """Those that no batch speaks against and that nothing else implies, the stronger ones first."""
    from avh_ui.inference.by_snapshot.judging import implies, record_of

    held: list[tuple[Found, Record]] = []
    left_out: list[LeftOut] = []
    for one in rules:
        batches, series = _series(known, one.constraint, tables)
        record = record_of(one.constraint, batches, series)
        if record.fired:
            reason = f"would have fired on {len(record.fired):,} of {record.judged:,} batches"
            left_out.append(_without(one, reason))
        elif not record.judged:
            left_out.append(_without(one, "it cannot be held against any batch of the history"))
        else:
            held.append((one.with_record(record), record))
    kept = []
    for at, (one, record) in enumerate(held):
        rivals = [*siblings, *(other.constraint for k, (other, _) in enumerate(held) if k != at and _stronger(held, k, at))]
        by = next((rival for rival in rivals if implies(rival, one.constraint)), None)
        if by is None:
            kept.append((one, record))
        else:
            rule = by.provenance.get("rule")
            left_out.append(_without(one, f"implied by {rule or f'what the {by.origin} suggests of {by.metric}'}"))
    return kept, left_out


def _stronger(held: Sequence[tuple[Found, Record]], k: int, at: int) -> bool:
    """Of two that imply one another the first is kept."""
    from avh_ui.inference.by_snapshot.judging import implies

    return k < at or not implies(held[at][0].constraint, held[k][0].constraint)


def _without(one: Found, reason: str) -> LeftOut:
    about = {"column": one.constraint.column, "metric": one.constraint.metric, "rule": one.rule.name}
    return {**about, "reason": f"{one.rule.name}: {reason}"}


def _series(known: Known, constraint: Constraint, tables: Tables) -> tuple[tuple[str, ...], Series]:
    """The constraint's metric over the batches that may speak: of a pattern those of the window, else all of the history."""
    if isinstance(constraint, PatternConstraint):
        shares = shares_of(tables, constraint.pattern.regex)
        return tuple(shares), np.array(list(shares.values()), dtype=np.float64)
    column: ColumnHistory = known.history.columns[constraint.column]
    kept = np.array([batch not in known.exclude for batch in column.batches], dtype=bool)
    values = column.values.get(constraint.metric, np.full(len(column.batches), np.nan))
    return tuple(b for b, keep in zip(column.batches, kept, strict=True) if keep), values[kept]


class _Issues:
    """The synthetic issues of one column: made when the first constraint asks for what was not measured of them already."""

    def __init__(self, known: Known, name: str) -> None:
        self._known, self._name = known, name
        self._measured = known.measured.get(name)
        self._variants: list[Variant] | None = None

    @property
    def tried(self) -> tuple[str, ...]:
        """The names of the issues."""
        return self._measured.variants if self._measured is not None else tuple(v.name for v in self._made())

    def caught(self, constraint: Constraint) -> tuple[str, ...]:
        """Those that the constraint catches."""
        measured = self._measured
        from avh_ui.issues.catching import breaks

        if isinstance(constraint, PatternConstraint):
            hits = [breaks(constraint, variant) for variant in self._made()]
        elif measured is not None and constraint.metric in measured.metrics:
            hits = [not constraint.holds(float(v)) for v in measured.values[measured.metrics.index(constraint.metric)]]
        else:
            hits = [not constraint.holds(float(v)) for v in self._values(constraint)]
        return tuple(name for name, hit in zip(self.tried, hits, strict=True) if hit)

    def _made(self) -> list[Variant]:
        from avh_ui.issues.catching import thinned
        from avh_ui.issues.sample import Sample, neighbour_of
        from avh_ui.issues.variants import WITH_NULLS, issues_of

        if self._variants is None:
            table, name = self._known.sample, self._name
            near = neighbour_of(table, name)
            neighbour = None if near is None else thinned(Sample.from_arrow(near), 0)
            issues = issues_of(thinned(Sample.from_arrow(table.column(name)), 0), neighbour, magnitudes=WITH_NULLS)
            names = set(self._measured.variants) if self._measured is not None else None
            self._variants = [v for v in issues if names is None or v.name in names]
        return self._variants

    def _values(self, constraint: Constraint) -> Series:
        from avh_ui.issues.catching import Batch, thinned, variant_matrix
        from avh_ui.issues.sample import Sample

        column = self._known.history.columns[self._name]
        sample = thinned(Sample.from_arrow(self._known.sample.column(self._name)), 0)
        latest = {name: float(series[-1]) for name, series in column.values.items()}
        batch = Batch(sample, max(int(self._known.history.rows[-1]), sample.rows), None, latest)
        values: Series = variant_matrix([metric(constraint.metric, column.kind)], self._made(), batch)[0]
        return values
