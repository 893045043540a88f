"""Distances over several batches: what grows is further from a batch further back, which is no fault.

A batch is compared with the last sound one. After a day that failed for another reason that is the day before yesterday, and a counter has
moved twice as far since: one alarm that nobody answers made six more, one a day. How much further sound batches so far apart are than
neighbours says how much of a distance the days between explain.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from avh_ui.constraints.constraint import Constraint, Verdict, reading_of
from avh_ui.constraints.reading import declaration_of
from avh_ui.errors import AvhError
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.standings import Baseline, Standing
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.metrics.sampled_rows import measured_in

# So many pairs of batches say how far they are apart: of one alone chance would.
_PAIRS = 3


def compares_two(constraint: Constraint) -> bool:
    """Whether its metric compares a batch with one before."""
    declared = declaration_of(constraint.metric, constraint.kind)
    return declared is not None and declared.two_distribution


@dataclass(frozen=True)
class Farther:
    """The batches before, and the `baseline` several `steps` back; `judge` gives a verdict on a number of a constraint. Profiles are read
    where an alarm asks for them alone.
    """

    history: HistoryRepository
    pipeline: str
    standings: Callable[[], Sequence[Standing]]
    baseline: Baseline | None
    judge: Callable[[Constraint, float], Verdict]
    _read: dict[tuple[str, str], BatchProfile | None] = field(default_factory=dict, compare=False, repr=False)

    def judged(self, verdict: Verdict) -> Verdict:
        """The verdict, a pass where the days between explain an alarm; any other as it is."""
        of, steps = verdict.constraint, 1 if self.baseline is None or self.baseline.lasting else self.baseline.apart
        if steps == 1 or verdict.status not in ("fail", "warn") or verdict.observed is None or of.transform.lag or not compares_two(of):
            return verdict
        declared = declaration_of(of.metric, of.kind)
        assert declared is not None
        # Shares of rows that add up have bounds for it (`learning.over_steps`).
        if declared.adds_up or (times := self._times(of, declared.of_measure(of.measure), steps)) <= 1:
            return verdict
        found = self.judge(of, verdict.observed / times)
        if found.status != "pass":
            return verdict
        said = f"{of.alarmed} is {reading_of(of)(verdict.observed)} over {steps} batches, as usual over so many."
        return replace(verdict, status="pass", message=said, samples=(), moved=None)

    def _times(self, of: Constraint, declared: Metric, steps: int) -> float:
        """How many times as far apart sound batches `steps` apart are as neighbours are; 1 where there are none."""
        far, near = (self._apart(of, declared, by) for by in (steps, 1))
        return far / near if near > 0 and np.isfinite(far) else 1.0

    def _apart(self, of: Constraint, declared: Metric, by: int) -> float:
        """The middle of what the newest sound batches so far apart differ by; NaN for none."""
        known, found = list(self.standings()), []
        for at in range(len(known) - 1, by - 1, -1):
            if not (known[at].sound and known[at - by].sound):
                continue
            ours, theirs = (self._profile(known[place].batch, of) for place in (at, at - by))
            sides = [_measured(side, of) for side in (ours, theirs)]
            if sides[0] is not None and sides[1] is not None:
                found.append(declared.value(sides[0].states, sides[1].states))
            if len(found) == _PAIRS:
                break
        told = [value for value in found if np.isfinite(value)]
        return float(np.median(told)) if told else float("nan")

    def _profile(self, batch: str, of: Constraint) -> BatchProfile | None:
        """A batch's profile with what the constraint follows from; None where it cannot be read."""
        place = batch, of.measure.host
        if place not in self._read:
            try:
                self._read[place] = self.history.load(self.pipeline, batch, [of.measure.host])
            except AvhError:
                self._read[place] = None
        return self._read[place]


def _measured(profile: BatchProfile | None, of: Constraint) -> ColumnProfile | None:
    """What a profile has of what a constraint is of; None where it has nothing, or does not tell of which rows."""
    with contextlib.suppress(AvhError):
        return None if profile is None else measured_in(profile.columns, of.measure)
    return None
