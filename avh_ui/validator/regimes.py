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
    they belong to neither regime.
    """

    begins: tuple[int, ...] = ()
    batches: tuple[str, ...] = ()
    settled: tuple[int, ...] = ()
    since: bool = False

    def of(self, constraint: Constraint, place: int) -> Regimes:
        """Those of a constraint whose batch stands at a `place`. While that batch itself still compares with one before the change, the
        values that do so too are its regime. What was learned within a regime alone knows no other: `since`.
        """
        begins = self.begins
        first = constraint.learned.first_batch
        since = bool(begins and first and self._begun(begins[-1], first))
        steps = constraint.transform.lag
        declared = declaration_of(constraint.metric, constraint.kind)
        if declared is not None and declared.two_distribution:
            steps += 1
        settled = tuple(b + steps if b + steps <= place else b for b in begins)
        return replace(self, settled=settled, since=since)

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
