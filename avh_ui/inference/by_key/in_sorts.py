"""Suggesting for the rows of some sorts: in a long table, of a row for each region and measure, what never happens to some measures.

That numbers fall in a third of all rows hides that those of four measures, counted from the beginning, never do; and where some measures
move freely no rule on all rows holds that two do not exchange their numbers. The sorts are those of a column of the key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from avh_ui.constraints.evidence import Proposal
from avh_ui.constraints.segment_conditions import named
from avh_ui.constraints.sql_text import literal
from avh_ui.errors import ConstraintError
from avh_ui.inference.by_key.laws import LEAST_BATCHES, Law, Pair, held
from avh_ui.inference.by_key.nearly_carried import numbered
from avh_ui.inference.by_key.told_zeros import tried_within
from avh_ui.inference.by_relation.cells import MOST_NAMES
from avh_ui.inference.by_relation.holding import SUSPECTS
from avh_ui.inference.source import Budget, LeftOut, Proposed
from avh_ui.metrics.by_key import FALLEN, SPOILED
from avh_ui.metrics.matched_parts import rows_where
from avh_ui.metrics.matching import Matched
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.profiler import Watch

# A sort of fewer rows is not one of which a rule says much.
_LEAST_ROWS = 5
# Of other sorts it is so in so many of the latest batches, so that these differ from them.
_LOOKED, _OFTEN = 10, 0.2
# A person reads each.
MOST = 6


@dataclass(frozen=True)
class _Sorts:
    """The values of a column of the key, and the batches in which something happened to a row of each, of a column and by a metric."""

    group: str
    values: Sequence[str]
    pairs: Sequence[Pair]

    def where(self, some: Sequence[str]) -> str:
        if len(some) == 1:
            return f"{named(self.group)} = {literal(some[0])}"
        return f"{named(self.group)} IN ({', '.join(map(literal, some))})"

    def never(self, metric: Metric, column: str) -> list[str]:
        """The sorts to which it happens in hardly any batch; none where it happens to no other one again and again."""
        often = {value: self._often(metric, column, self.where([value])) for value in self.values}
        return [value for value, is_so in often.items() if is_so is False] if True in often.values() else []

    def _often(self, metric: Metric, column: str, where: str) -> bool | None:
        """Whether it happens to such rows in many of the latest batches, or in hardly any of all; None of what lies between."""
        happened = 0
        for place, pair in enumerate(reversed(self.pairs)):
            if column not in pair.ours.columns or column not in pair.theirs.columns:
                continue
            ours, theirs = (Matched(rows_where(side, where), column) for side in (pair.ours, pair.theirs))
            happened += metric.between(ours, theirs) > 0
            if place + 1 >= _LOOKED and happened >= _OFTEN * (place + 1):
                return True
        return False if happened <= SUSPECTS * len(self.pairs) else None


def suggest(pairs: Sequence[Pair], key: Sequence[str], rules: Sequence[Proposal], budget: Budget, watch: Watch, seed: int) -> Proposed:
    """The rules on the rows of some sorts, of what none of the `rules` on all rows says."""
    proposals, left_out = list[Proposal](), list[LeftOut]()
    if len(pairs) < LEAST_BATCHES or len(key) < 2 or pairs[-1].ours.hashed:
        return Proposed()
    said = {
        (p.constraint.metric, p.constraint.measure.columns) for p in rules if p.constraint.upper == 0 and not p.constraint.measure.where
    }
    try:
        for sorts in _sorts(pairs):
            for column in numbered(pairs[-1].ours):
                watch.check()
                if len(proposals) < MOST:
                    proposals += _rules(sorts, column, said, key, budget, seed)
    except ConstraintError as error:
        left_out.append({"column": "", "metric": "", "reason": f"sorts of rows have no rules: {error}"})
    return Proposed(proposals, left_out)


def _sorts(pairs: Sequence[Pair]) -> Iterator[_Sorts]:
    """The columns of the key that say of which sort a row is: of few texts, each of several rows."""
    latest = pairs[-1].ours
    for name in latest.by:
        values = latest.columns.get(name)
        if values is None or values.numeric or values.is_null.any():
            continue
        codes, names = values.own
        if 2 <= len(names) <= MOST_NAMES and codes.min(initial=0) >= 0 and np.bincount(codes).min() >= _LEAST_ROWS:
            texts = [text.decode("utf-8", "replace") for text in names.to_pylist()]
            if all("\ufffd" not in text for text in texts):
                yield _Sorts(name, sorted(texts), pairs)


def _rules(
    sorts: _Sorts, column: str, said: set[tuple[str, tuple[str, ...]]], key: Sequence[str], budget: Budget, seed: int
) -> list[Proposal]:
    """That the rows of some sorts never fall, and that none of theirs is a mistake."""
    found, calm = list[Proposal](), list[str]()
    for metric in (FALLEN, SPOILED):
        if (metric.name, (column,)) in said:
            continue
        some = sorts.never(metric, column)
        # What never falls moves in one direction: of what moves freely beside it two may pass each other.
        for values in (some, [value for value in some if value in calm]):
            if not 0 < len(values) < len(sorts.values):
                continue
            measure = Measure(metric.name, (column,), sorts.where(values), (("key", tuple(key)),))
            issues = {f"{column} {name}": hit for name, hit in tried_within(metric, measure, sorts.pairs[-1], seed).items()}
            made = held(Law(metric, measure, issues, at=0.0), sorts.pairs, budget)
            if isinstance(made, Proposal):
                found.append(made)
                break
        calm = some if metric is FALLEN else calm
    return found
