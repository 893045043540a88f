"""Faults of one segment of a batch, and whether rules on the whole table notice them: D(C) of AVH (Definition 5) in a part of the rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from avh_ui.constraints.evidence import FromHistory, FromRelation, Proposal
from avh_ui.constraints.judging import judge
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.reading import declaration_of
from avh_ui.issues.catching import corrected, measured_on
from avh_ui.issues.conditions import kept_by
from avh_ui.issues.coverage import NOTICED, condition_of
from avh_ui.issues.sample import NULL, Sample
from avh_ui.issues.variants import MILE
from avh_ui.metrics.by_key import CHANGED, EMPTIED
from avh_ui.metrics.catalogue import counts_rows
from avh_ui.metrics.keys_matched import KEYS_GONE, KEYS_TWICE
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.state import State

Mask = NDArray[np.bool_]
Places = NDArray[np.int64]
# Named as in D(C), so that they are said in the same words: half of the segment's rows, or of its values.
HALF, TWICE, NULLS, UNIT = "volume_change 50%", "volume_change x2", "increased_nulls 50% null", "unit_change x1.609 of 50%"
# By the fault the metrics of matched rows of which it makes a share.
_BY_KEY = {
    HALF: frozenset({KEYS_GONE.name}),
    TWICE: frozenset({KEYS_TWICE.name}),
    NULLS: frozenset({EMPTIED.name, CHANGED.name}),
    UNIT: frozenset({CHANGED.name}),
}


@dataclass(frozen=True, eq=False)
class WholeTable:
    """The latest batch as all of it is seen: a `sample` of its `rows`, its `profile`, that of the batch before (`baseline`), and the
    `rules` on all rows. Nearly all batches have from `usual[0]` to `usual[1]` rows.
    """

    sample: pa.Table
    rows: int
    profile: BatchProfile
    baseline: BatchProfile
    rules: Sequence[Proposal]
    usual: tuple[float, float]

    def notices_rows(self, part: Mask, columns: Iterable[str], fault: str, seed: int) -> bool:
        """Whether it is noticed that half of the rows of a part are missing, or that they are there twice, by the number of all rows or the
        mix of the `columns` that the part is told by.
        """
        rows, half = np.arange(len(part)), _half(part, seed)
        left = np.setdiff1d(rows, half) if fault == HALF else np.concatenate([rows, np.flatnonzero(part)])
        share = len(left) / max(len(part), 1)
        # On a quiet day half of a segment is more than the bounds let be missing, and on most days it is not.
        usual = self.usual[1] if fault == HALF else self.usual[0]
        for rule in (one for one in self.rules if counts_rows(one.constraint.measure)):
            if _alarms(rule, share * (self.rows if rule.constraint.transform.relative else usual)):
                return True
        if self._by_key(None, fault, abs(1 - share)):
            return True
        return any(self._notices(name, Sample(s.kind, s.values, s.codes[left])) for name in columns if (s := self._of(name)) is not None)

    def notices_values(self, part: Mask, column: str, fault: str, seed: int) -> bool:
        """Whether it is noticed that half of a column's values in a part are null, or in another unit (miles as kilometres)."""
        sample = self._of(column)
        if sample is None:
            return True
        half = _half(part & (sample.codes != NULL), seed)
        codes, values = sample.codes.copy(), sample.values
        if fault == NULLS:
            codes[half] = NULL
        else:
            assert isinstance(values, np.ndarray)
            codes[half] += len(values)
            values = np.concatenate([values, values * MILE])
        changed = Sample(sample.kind, values, codes)
        if self._by_key(column, fault, len(half) / max(sample.rows, 1)) or self._notices(column, changed):
            return True
        # What is null together goes together.
        return self._by_relation(column, changed, but=self._null_with(column) if fault == NULLS else ())

    def follows_nulls(self, column: str) -> bool:
        """Whether a relation says that it is null where a column before it is: that one stands for both."""
        return any(column in of[1:] for of in self._nulls)

    @property
    def _nulls(self) -> list[tuple[str, ...]]:
        return [rule.evidence.of for rule in self.rules if isinstance(rule.evidence, FromRelation) and rule.evidence.family == "nulls"]

    def _null_with(self, column: str) -> tuple[str, ...]:
        return tuple(
            condition
            for rule in self.rules
            if isinstance(rule.evidence, FromRelation) and rule.evidence.family == "nulls" and column in rule.evidence.of
            if (condition := condition_of(rule.constraint)) is not None
        )

    def _by_relation(self, column: str, changed: Sample, but: Collection[str]) -> bool:
        """Whether a condition of all rows, such as that a column is a sum, is broken by so many more than it lets pass."""
        told = {c: rule for rule in self.rules if (c := condition_of(rule.constraint)) is not None and c not in but}
        clean = self._of(column)
        if not told or clean is None:
            return False
        shares = kept_by(told, self.sample, column, [changed, clean])
        return any(
            _alarms(told[c], float(now)) and not _alarms(told[c], float(was)) for c, (now, was) in shares.items() if np.isfinite(now)
        )

    def _of(self, column: str) -> Sample | None:
        known = self.profile.columns.get(column)
        if known is None or column not in self.sample.column_names:
            return None
        found = Sample.from_arrow(self.sample.column(column), known.kind)
        return found if found.kind == known.kind else None

    def _by_key(self, column: str | None, fault: str, share: float) -> bool:
        """Whether a share of the rows is more than a rule on matched rows lets be so."""
        rules = (rule.constraint for rule in self.rules if rule.constraint.metric in _BY_KEY[fault] and rule.constraint.measure.key)
        of = () if column is None else (column,)
        return any(c.measure.columns == of and c.upper is not None and share > c.upper for c in rules)

    def _notices(self, column: str, changed: Sample) -> bool:
        rules = [r for r in self.rules if r.constraint.column == column and r.constraint.measure.standard]
        if not rules:
            return False
        states, clean = changed.compact().states(), None
        for rule in rules:
            constraint = rule.constraint
            if isinstance(constraint, PatternConstraint) or (metric := declaration_of(constraint.metric, changed.kind)) is None:
                continue
            if constraint.kind != changed.kind or metric.volume:
                continue
            clean = clean or self._clean(column)
            before = self.baseline.columns.get(column)
            before = before if before is not None and before.kind == changed.kind else None
            values = np.array([measured_on(metric, one, before) for one in (states, clean)])
            whole = metric.value(self.profile.columns[column].states, None if before is None else before.states)
            if len(self.sample) < self.rows:
                values = corrected(metric, values, whole, float(values[1]))
            if _alarms(rule, float(values[0])) and not _alarms(rule, float(values[1])):
                return True
        return False

    def _clean(self, column: str) -> dict[str, State]:
        found = self._of(column)
        return {} if found is None else found.states()


def _half(part: Mask, seed: int) -> Places:
    places = np.flatnonzero(part)
    return np.random.default_rng([seed, len(places)]).permutation(places)[: len(places) // 2]


def _alarms(rule: Proposal, value: float) -> bool:
    reference = rule.evidence.reference if isinstance(rule.evidence, FromHistory) else None
    return judge(rule.constraint, value, reference).status in NOTICED
