"""Where the regimes of one constraint begin among the batches before one, and which of its values belong to none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.reading import declaration_of
from avh_ui.constraints.recipe import LEAST, Mask, Past
from avh_ui.history.series import Series, batch_order


@dataclass(frozen=True)
class Regimes:
    """The places where the regimes of a column begin, in order; those before the first of the `batches` are negative.

    Of a constraint that compares with an earlier batch, the values from a place `begins` to the one in `settled` compare over the change:
    they belong to neither regime. Of matched rows a change is an event, over with its batch: it is not learned, and begins no regime unless
    the next batch changed too, as somebody expected. `events` are the places of such batches. On four such measures of Italy's provinces,
    1,381 batches, bounds that began anew with each event alarmed on 88 quiet days, and on 30 with no regime at all; either way 12 of 13
    faults were noticed.
    """

    begins: tuple[int, ...] = ()
    batches: tuple[str, ...] = ()
    settled: tuple[int, ...] = ()
    since: bool = False
    events: tuple[int, ...] = ()

    def of(self, constraint: Constraint, place: int) -> Regimes:
        """Those of a constraint whose batch stands at a `place`. While that batch itself still compares with one before the change, the
        values that do so too are its regime. What was learned within a regime alone knows no other: `since`.
        """
        if not self.begins:
            return self
        begins, events = self.begins, self.events
        declared = declaration_of(constraint.metric, constraint.kind)
        if declared is not None and declared.by_key:
            begins = tuple(b for b in self.begins if b - 1 in self.begins)
            events = tuple(b for b in self.begins if b not in begins)
        first = constraint.learned.first_batch
        since = bool(begins and first and self._begun(begins[-1], first))
        steps = constraint.transform.lag
        if declared is not None and declared.two_distribution:
            steps += 1
        settled = tuple(b + steps if b + steps <= place else b for b in begins)
        return replace(self, begins=begins, settled=settled, since=since, events=events)

    def _begun(self, place: int, first: str) -> bool:
        """Whether the batch `first` is not before the regime that begins at a place."""
        return place < 0 or batch_order(first) >= batch_order(self.batches[place])

    def comparable(self, count: int) -> Mask:
        """Which of so many values belong to a regime, or to the only one that counts."""
        kept = np.ones(count, dtype=bool)
        for begin, settled in zip(self.begins, self.settled, strict=True):
            kept[max(begin, 0) : max(settled, 0)] = False
        if self.since:
            kept[: max(self.settled[-1], 0)] = False
        kept[[place for place in self.events if 0 <= place < count]] = False
        return kept

    def past(self, values: Series, places: np.ndarray, teaches: Mask, accepted: Mask, doubtful: Mask) -> Past:
        """The values at these places, with where the last regime and the one before it begin."""
        known = Past(values[places], teaches[places], accepted[places])
        if not self.settled or self.since:
            return known
        starts = np.searchsorted(places, [0, *self.settled]).tolist()
        begins = starts[-1]
        # The regime before is the newest that is long enough to tell how its values vary.
        told = [(a, b) for a, b in pairwise(starts) if int(known.sound[a:b].sum()) >= LEAST]
        return replace(known, begins=begins, prior=told[-1] if told else (begins, begins), renewed=not begins, doubtful=doubtful[places])
