"""Which faults of a batch which constraints notice: the latest batch's sample with each fault, measured by the kernel and judged as a
validation judges.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

import numpy as np
import pyarrow as pa

from avh_ui.constraints.constraint import Constraint, Status
from avh_ui.constraints.judging import judge
from avh_ui.constraints.pattern_constraint import PatternConstraint, judge_pattern
from avh_ui.issues.catching import Floats, Mask, clearly_beyond, corrected, measured_on
from avh_ui.issues.conditions import but_by_chance, changes_in, kept_by
from avh_ui.issues.counting import counted
from avh_ui.issues.faults import REPEATED, TABLE, Fault, RowFault, column_faults
from avh_ui.issues.sample import NULL, Sample, neighbour_of
from avh_ui.metrics.catalogue import measured_for
from avh_ui.metrics.catalogue import metric as of_kind
from avh_ui.metrics.column import NO_NUMBERS, Kind
from avh_ui.metrics.conformance import Conformance, conformance, conformance_of_states
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.metrics.state import State

_CLEAN = Fault(TABLE, "nulls", 0.0, "")
# Of 370 estimates one is farther off than so many standard errors.
_ERRORS = 3
# What a person sees of a result that is no pass.
NOTICED: tuple[Status, ...] = ("fail", "warn")


@dataclass(frozen=True)
class Deliveries:
    """The latest batch and the one before it: samples of both, the number of rows and the metrics of the latest, by column, and the profile
    of the one before, which distances compare with. Without one before, `before` and `baseline` are None. `profile` is the latest's own,
    whose sample by a key is of the whole batch; None where that is not needed. `siblings` name the column that takes another's place where
    a file is shifted; without one it is the nearest of its type.
    """

    sample: pa.Table
    rows: int
    kinds: Mapping[str, Kind]
    measured: Mapping[str, Mapping[str, float]]
    before: pa.Table | None = None
    baseline: BatchProfile | None = None
    profile: BatchProfile | None = None
    siblings: Mapping[str, str] = field(default_factory=dict)

    @property
    def sampled(self) -> bool:
        """Whether the sample is not all of the batch."""
        return bool(self.sample.num_rows < self.rows)


@dataclass(frozen=True, eq=False)
class TriedColumn:
    """One column under all faults: `values` of shape (metrics, faults), `clean` of shape (metrics,) of the batch as it is; by regex how
    many values conform under each fault, by condition the share of the rows that keep it (NaN: not known), the last of them the batch as
    it is.
    """

    column: str
    kind: Kind
    faults: tuple[Fault, ...]
    metrics: tuple[str, ...]
    values: Floats = field(repr=False)
    clean: Floats = field(repr=False)
    conformances: Mapping[str, tuple[Conformance | None, ...]] = field(repr=False)
    kept: Mapping[str, Floats] = field(default_factory=dict, repr=False)

    @cached_property
    def places(self) -> dict[Fault, int]:
        """Where each fault stands among the values."""
        return {fault: at for at, fault in enumerate(self.faults)}

    def notices(self, constraint: Constraint, reference: float | None = None) -> Mask | None:
        """Under which faults a constraint alarms, shape (faults,); None where it cannot be tried, or alarms without any fault.

        `reference` is the metric of the batch that a constraint with a lag compares with.
        """
        if constraint.kind != self.kind or not constraint.measure.standard or constraint.strategy is not None:
            return None
        if isinstance(constraint, PatternConstraint):
            found = self.conformances.get(constraint.pattern.regex)
            statuses = [judge_pattern(constraint, one).status for one in found] if found else []
        elif constraint.metric in self.metrics:
            at = self.metrics.index(constraint.metric)
            statuses = [judge(constraint, float(v), reference).status for v in (*self.values[at], self.clean[at])]
            declared = of_kind(constraint.metric, self.kind)
            if declared.two_distribution and constraint.upper is not None and not constraint.transform.relative:
                # What the next batch may hide is not noticed.
                clear = (*clearly_beyond(self.values[at], constraint.upper), True)
                statuses = [status if sure else "pass" for status, sure in zip(statuses, clear, strict=True)]
        else:
            return None
        if not statuses or statuses[-1] in NOTICED:
            return None
        return np.array([status in NOTICED for status in statuses[:-1]], dtype=bool)

    def notices_by_rows(self, constraint: Constraint) -> Mask | None:
        """Under which faults a condition of rows that looks at the column alarms, shape (faults,); None as in `notices`."""
        shares = self.kept.get(condition_of(constraint) or "")
        if shares is None:
            return None
        hits = [judge(constraint, float(share), None).status in NOTICED and not math.isnan(share) for share in shares]
        return None if hits[-1] or math.isnan(shares[-1]) else np.array(hits[:-1], dtype=bool)


def condition_of(constraint: Constraint) -> str | None:
    """The SQL condition whose share of all rows it bounds; None of any other constraint."""
    measure = constraint.measure
    predicate = measure.parameter("predicate")
    return predicate if isinstance(predicate, str) and not measure.columns and measure.where is None else None


def try_column(
    column: str,
    batch: Deliveries,
    rows: Sequence[RowFault],
    regexes: Iterable[str],
    conditions: Iterable[str] = (),
) -> TriedColumn:
    """One column of the batch measured under its own faults and those of whole `rows`; its own alone are tried on SQL `conditions`."""
    kind = batch.kinds[column]
    sample = Sample.from_arrow(batch.sample.column(column), kind)
    there = batch.before is not None and column in batch.before.column_names
    before = Sample.from_arrow(cast(pa.Table, batch.before).column(column), kind) if there else None
    baseline = batch.baseline.columns.get(column) if batch.baseline is not None else None
    baseline = baseline if baseline is not None and baseline.kind == kind else None
    made = [*_faulty(column, sample, before, _neighbour(column, batch), rows), (_CLEAN, sample)]
    states = [counted(changed, changed.states()) for _, changed in made]
    metrics = [m for m in measured_for(kind) if not m.two_distribution or baseline is not None]
    values = _measured(metrics, states, baseline, batch.measured.get(column, {}) if batch.sampled else None)
    found = {regex: [_conformance(changed, state, regex) for (_, changed), state in zip(made, states, strict=True)] for regex in regexes}
    # Whole rows keep what they kept; what is told of a condition of others is not known.
    own = np.array([fault.column != TABLE or fault == _CLEAN for fault, _ in made])
    kept = {text: np.where(own, shares, np.nan) for text, shares in _kept(conditions, batch.sample, column, [s for _, s in made]).items()}
    faults, clean, values = [fault for fault, _ in made[:-1]], values[:, -1], values[:, :-1]
    if baseline is not None:
        # The file of the batch before is known by its profile: no sample, and nothing to be taken back.
        faults.append(Fault(TABLE, "stale", 1.0, REPEATED))
        values = np.column_stack([values, [measured_on(m, baseline.states, baseline) for m in metrics]])
        kept = {text: np.insert(shares, -1, np.nan) for text, shares in kept.items()}
        for regex, one in found.items():
            one.insert(-1, conformance_of_states(baseline.states, regex))
    conformances = {regex: tuple(one) for regex, one in found.items()}
    return TriedColumn(column, kind, tuple(faults), tuple(m.name for m in metrics), values, clean, conformances, kept)


def _measured(
    metrics: Sequence[Metric], states: Sequence[dict[str, State]], baseline: ColumnProfile | None, known: Mapping[str, float] | None
) -> Floats:
    """The metrics of what the states tell, shape (metrics, states), the last state being the clean one; where these are of a sample, as
    they would be of the whole batch, of which some metrics are `known`.
    """
    # State by state, as `variant_matrix` does.
    values = np.array([[measured_on(m, state, baseline) for m in metrics] for state in states], dtype=np.float64).T
    if known is not None:
        for at, m in enumerate(metrics):
            values[at] = corrected(m, values[at], _whole(m, known.get(m.name, math.nan), values[at][-1]), values[at][-1])
    return values


def _kept(conditions: Iterable[str], rows: pa.Table, column: str, samples: Sequence[Sample]) -> dict[str, Floats]:
    """By condition the share of the rows that keep it under each fault, but for what is chance."""
    kept = kept_by(conditions, rows, column, samples)
    changed = changes_in(samples) if kept else NO_NUMBERS
    return {text: but_by_chance(shares, rows.num_rows, changed) for text, shares in kept.items()}


def _whole(metric: Metric, known: float, part: float) -> float:
    """The clean metric of the whole batch: that of the sample, which is exact, where an estimate is as near as estimates are. A key would
    not be unique without any fault.
    """
    near = not metric.total and abs(known - part) <= _ERRORS * metric.relative_error * part
    return part if near else known


def _neighbour(column: str, batch: Deliveries) -> Sample | None:
    sibling = batch.siblings.get(column)
    beside = neighbour_of(batch.sample, column) if sibling is None else batch.sample.column(sibling)
    return None if beside is None else Sample.from_arrow(beside)


def _faulty(
    column: str, sample: Sample, before: Sample | None, neighbour: Sample | None, rows: Sequence[RowFault]
) -> Iterator[tuple[Fault, Sample]]:
    yield from column_faults(column, sample, before, neighbour)
    for one in rows:
        changed = one.of(sample, before)
        if changed is not None:
            yield one.fault, changed


def _conformance(sample: Sample, states: dict[str, State], regex: str) -> Conformance | None:
    if sample.is_number:
        return conformance_of_states(states, regex)
    counts = np.bincount(sample.codes[sample.codes != NULL], minlength=len(sample.values))
    return conformance(cast(pa.Array, sample.values), counts, regex)
