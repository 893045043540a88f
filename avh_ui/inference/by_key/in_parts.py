"""Suggesting for the matched rows of a segment: what never happens in it, though it does in the others.

That prices fall in a tenth of all rows hides that none does in one shop, and half of its rows falling is a fortieth of the table's. A rule
on the segment, with a `where`, says it: of what happens in the others so often that chance would not have spared this one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from avh_ui.constraints.column_kind import KnownKind
from avh_ui.constraints.evidence import Proposal
from avh_ui.constraints.segment_conditions import condition_of
from avh_ui.errors import ConstraintError
from avh_ui.inference.by_key.laws import LEAST_BATCHES, Law, Pair, held
from avh_ui.inference.by_relation.holding import SUSPECTS
from avh_ui.inference.kinds.declarations import declaration_of, is_amount
from avh_ui.inference.source import Budget, LeftOut, Proposed
from avh_ui.metrics.by_key import CHANGED, FALLEN
from avh_ui.metrics.column import Floats
from avh_ui.metrics.joining import join
from avh_ui.metrics.keys_matched import KEYS_GONE
from avh_ui.metrics.matched_numbers import Mask
from avh_ui.metrics.matched_parts import truth_of
from avh_ui.metrics.matching import Matched, changes
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.segment import Segment
from avh_ui.metrics.standing_still import SURE

# Of the largest so many segments, and so many rules: a person reads each.
MOST_SEGMENTS, MOST = 20, 10
# A segment of fewer matched rows in a batch is not one of which half says anything.
_LEAST_ROWS = 10
_HALF = 0.5
# How what a rule notices is named: as the same fault of all rows (`row_issues`).
_FAULTS = {CHANGED.name: "exchanged:0.5", FALLEN.name: "back:0.5", KEYS_GONE.name: "keys_lost:0.5"}


@dataclass(frozen=True, eq=False)
class _Counted:
    """How often something `happened` in each segment and to how many `rows` it could, both of shape (pairs, segments)."""

    happened: Floats
    rows: Floats

    def spared(self) -> Mask:
        """The segments in which it happens in hardly any batch, and would, as often as in the others."""
        happened, rows = self.happened.sum(axis=0), self.rows.sum(axis=0)
        never = np.count_nonzero(self.happened > 0, axis=0) <= SUSPECTS * len(self.rows)
        with np.errstate(divide="ignore", invalid="ignore"):
            elsewhere = (happened.sum() - happened) / (rows.sum() - rows)
            bits = -rows * np.log2(1 - elsewhere)
        steady = np.count_nonzero(self.rows >= _LEAST_ROWS, axis=0) >= LEAST_BATCHES
        return np.asarray(never & steady & (bits > SURE + np.log2(max(len(rows), 1))))


@dataclass(frozen=True)
class _Parts:
    """The segments of a table, the conditions that take them, and by batch side which rows of a sample are of which: (segments, rows)."""

    segments: Sequence[Segment]
    pairs: Sequence[Pair]

    @property
    def conditions(self) -> list[str]:
        return [condition_of(segment) for segment in self.segments]

    def counted(self, metric: Metric, column: str) -> _Counted:
        """How often it happened to a column's rows, or to keys."""
        found = [self._of_pair(metric, column, pair) for pair in self.pairs]
        return _Counted(np.stack([happened for happened, _ in found]), np.stack([rows for _, rows in found]))

    def _of_pair(self, metric: Metric, column: str, pair: Pair) -> tuple[Floats, Floats]:
        if metric is KEYS_GONE:
            joined = join(pair.ours, pair.theirs)
            there, hit = np.arange(joined.then), np.isin(np.arange(joined.then), joined.gone)
            masks = self._masks(pair, then=True)[:, there]
        else:
            change = changes(Matched(pair.ours, column), Matched(pair.theirs, column))
            if change is None:
                return np.zeros(len(self.segments)), np.zeros(len(self.segments))
            hit = change.changed if metric is CHANGED else change.fallen
            masks = self._masks(pair)[:, change.joined.ours]
        return np.asarray(masks @ hit.astype(float)), np.asarray(masks.sum(axis=1).astype(float))

    def _masks(self, pair: Pair, *, then: bool = False) -> Mask:
        sample = pair.theirs if then else pair.ours
        return np.stack([truth_of(sample, where) for where in self.conditions])


def suggest(
    pairs: Sequence[Pair],
    segments: Sequence[Segment],
    kinds: Mapping[str, KnownKind],
    rules: Sequence[Proposal],
    budget: Budget,
    watch: Watch,
) -> Proposed:
    """The rules on matched rows of segments, where half of a segment's rows breaking them is not noticed by the `rules` on all."""
    if len(pairs) < LEAST_BATCHES or not segments:
        return Proposed()
    proposals, left_out = list[Proposal](), list[LeftOut]()
    try:
        for measure, metric in _wanted(pairs, segments, kinds, rules, watch):
            made = held(Law(metric, measure, {_fault(measure): True}, at=0.0), pairs, budget)
            if isinstance(made, Proposal):
                proposals.append(made)
            else:
                left_out.append({"column": measure.subject, "metric": metric.name, "reason": made})
    except ConstraintError as error:
        return Proposed(left_out=[{"column": "", "metric": "", "reason": f"segments have no rules on matched rows: {error}"}])
    if len(proposals) > MOST:
        reason = f"{len(proposals) - MOST} more rules on matched rows of segments: {MOST} are suggested"
        left_out.append({"column": "", "metric": "", "reason": reason})
    return Proposed(proposals[:MOST], left_out)


def _fault(measure: Measure) -> str:
    return " ".join((*measure.columns, _FAULTS[measure.name]))


def _wanted(
    pairs: Sequence[Pair], segments: Sequence[Segment], kinds: Mapping[str, KnownKind], rules: Sequence[Proposal], watch: Watch
) -> Iterator[tuple[Measure, Metric]]:
    latest, key = pairs[-1].ours, pairs[-1].ours.by
    sizes = {segment: int(np.count_nonzero(truth_of(latest, condition_of(segment)))) for segment in segments}
    largest = sorted((s for s in segments if sizes[s] >= _LEAST_ROWS), key=lambda s: -sizes[s])[:MOST_SEGMENTS]
    if len(largest) < 2:
        return
    parts = _Parts(largest, pairs)
    told_by = {column for column, _ in largest[0].values}
    names = [name for name in latest.columns if name not in key and name not in told_by]
    still = set[tuple[int, str]]()
    for metric, column in [(KEYS_GONE, ""), *((m, name) for m in (CHANGED, FALLEN) for name in names)]:
        watch.check()
        known = declaration_of(kinds.get(column))
        if metric is FALLEN and not (known is not None and is_amount(known) and latest.column(column).numeric):
            continue
        for at in np.flatnonzero(parts.counted(metric, column).spared()).tolist():
            share = _HALF * sizes[largest[at]] / latest.keys
            if (at, column) in still or _noticed(rules, metric, column, share):
                continue
            # What never changes does not fall.
            still |= {(at, column)} if column else set()
            where = condition_of(largest[at])
            yield Measure(metric.name, (column,) if column else (), where, (("key", key),)), metric


def _noticed(rules: Sequence[Proposal], metric: Metric, column: str, share: float) -> bool:
    """Whether a rule on all rows lets fewer do so: fall, change (what falls does), or be gone."""
    names = {metric.name, CHANGED.name} if column else {metric.name}
    told = (rule.constraint for rule in rules if rule.constraint.metric in names and rule.constraint.measure.where is None)
    return any(c.measure.key and c.measure.columns == ((column,) if column else ()) and (c.upper or 0.0) < share for c in told)
