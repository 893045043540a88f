"""Rows that come back: where the batch before was the odd one and nobody said so, its end is no second fault.

A row of a region had ten times its number for a day. Nothing failed on it, or it was called an expected change, and the next day its number
is what it had been: a tenth. Compared with the batch before, that is a mistake; compared with the one before that, nothing happened.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from avh_ui.constraints.constraint import Constraint, Verdict, reading_of
from avh_ui.constraints.reading import declaration_of
from avh_ui.errors import AvhError
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.standings import Baseline, Standing, baseline_of
from avh_ui.metrics.by_key import EMPTIED
from avh_ui.metrics.fallen_counters import FALLEN_COUNTERS
from avh_ui.metrics.matching import Matched, changes
from avh_ui.metrics.metric import Metric, States
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.sampled_rows import measured_in


@dataclass(frozen=True)
class Returning:
    """The batch that is judged, those before it, and the `baseline` that it was compared with; `judge` gives a verdict on a number of a
    constraint. A profile is read where an alarm asks for it alone.
    """

    profile: BatchProfile
    history: HistoryRepository
    standings: Callable[[], Sequence[Standing]]
    baseline: Baseline | None
    judge: Callable[[Constraint, float], Verdict]

    def judged(self, verdict: Verdict) -> Verdict:
        """The verdict, a pass where the rows are as the batch before the baseline lets one expect; any other as it is."""
        of = verdict.constraint
        if verdict.status not in ("fail", "warn") or self.baseline is None or not of.measure.key or of.transform.lag:
            return verdict
        declared = declaration_of(of.metric, of.kind)
        if declared is None or not _of_moves(declared) or (earlier := self._earlier()) is None:
            return verdict
        bound = declared.of_measure(of.measure)
        value = self._value(of, bound, earlier)
        if not np.isfinite(value) or self.judge(of, value).status != "pass" or self._is_new(of, bound, earlier):
            return verdict
        told = "" if verdict.observed is None else reading_of(of)(verdict.observed)
        said = f"{of.alarmed} is {told}: the end of what batch {self.baseline.batch} had, and usual beside batch {earlier}."
        return replace(verdict, status="pass", message=said, samples=(), moved=None)

    def _earlier(self) -> str | None:
        """The batch that the baseline was compared with; None without one."""
        assert self.baseline is not None
        known = list(self.standings())
        place = next((k for k, standing in enumerate(known) if standing.batch == self.baseline.batch), 0)
        found = baseline_of(reversed(known[:place]))
        return None if found is None or found.lasting else found.batch

    def _value(self, of: Constraint, declared: Metric, earlier: str) -> float:
        """What the measure is beside an earlier batch; NaN where that cannot be told."""
        with contextlib.suppress(AvhError):
            ours, theirs = self._states(of, None), self._states(of, earlier)
            if ours is not None and theirs is not None and not declared.lacks(theirs):
                return declared.value(ours, theirs)
        return float("nan")

    def _is_new(self, of: Constraint, declared: Metric, earlier: str) -> bool:
        """Whether a row with a mistake has a key that the earlier batch has not: then it comes back to nothing that was there. Of 138 rates
        times ten 45 were taken for rows that came back.
        """
        assert self.baseline is not None
        if not declared.of_faults or declared.rows_of is None:
            return False
        states = [self._states(of, batch) for batch in (None, self.baseline.batch, earlier)]
        ours, theirs, before = (None if one is None else one[declared.keys[0]] for one in states)
        if isinstance(ours, Matched) and isinstance(theirs, Matched) and isinstance(before, Matched):
            change = changes(ours, theirs)
            places = np.empty(0, dtype=np.int64) if change is None else change.joined.ours[declared.rows_of(change)]
            return not np.isin(ours.rows.hashes[places], before.rows.hashes).all()
        if isinstance(ours, RowSample) and isinstance(theirs, RowSample) and isinstance(before, RowSample):
            return not np.isin(ours.hashes[declared.rows_of(ours, theirs).places], before.hashes).all()
        return False

    def _states(self, of: Constraint, batch: str | None) -> States | None:
        """What a batch's profile, or that of the one that is judged, has of a measure."""
        profile = self.profile if batch is None else self.history.load(self.profile.pipeline, batch, [of.measure.host])
        found = measured_in(profile.columns, of.measure)
        return None if found is None else found.states


def _of_moves(metric: Metric) -> bool:
    """Whether a metric tells of moves that a batch and its end both make. That a counter fell is not one: what fell to the number of two
    days ago is no smaller than it was then; nor that it fell far, which is the first that is heard of a rise that nobody noticed.
    """
    return metric.by_key and metric.name != FALLEN_COUNTERS.name and (metric.of_faults or metric.of_farthest or metric.name == EMPTIED.name)
