"""Suggesting for the rows of some sorts: in a long table, of a row for each region and measure, what never happens to some measures.

That numbers fall in a third of all rows hides that those of four measures, counted from the beginning, never do; and where some measures
move freely no rule on all rows holds that two do not exchange their numbers. The sorts are those of a column of the key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from avh_ui.constraints.evidence import Proposal
from avh_ui.constraints.segment_conditions import named
from avh_ui.constraints.sql_text import literal
from avh_ui.errors import ConstraintError
from avh_ui.inference.by_key.laws import LEAST_BATCHES, Law, Pair, held
from avh_ui.inference.by_key.nearly_carried import numbered
from avh_ui.inference.by_key.suspects import episodes
from avh_ui.inference.by_key.told_zeros import tried_within
from avh_ui.inference.by_relation.cells import MOST_NAMES
from avh_ui.inference.by_relation.holding import SUSPECTS
from avh_ui.inference.source import Budget, LeftOut, Proposed
from avh_ui.metrics.by_key import FALLEN, SPOILED
from avh_ui.metrics.matched_numbers import Mask
from avh_ui.metrics.matched_parts import rows_where
from avh_ui.metrics.matching import Matched, changes
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.sampled_values import is_shortened

# A sort of fewer rows is not one of which a rule says much.
_LEAST_ROWS = 5
# Of other sorts it is so in so many of the batches, so that these differ from them; of most of those in so many of the latest ones.
_OFTEN, _LOOKED, _MOSTLY = 0.2, 10, 0.5
# A person reads each.
MOST = 6
# A sentence names so many sorts: with six of thirteen measures, each twice, readers did not understand it.
_NAMED = 4


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
        """The sorts to which together it happens in hardly any batch; none where it happens to no other one again and again."""
        happened = {value: self._happened(metric, column, self.where([value])) for value in self.values}
        known = {value: broken for value, broken in happened.items() if broken is not None and broken.mean() < _OFTEN}
        if len(known) == len(happened):
            return []
        # Most sorts may have had the one fault of all.
        ways = (self._together(metric, known, first) for first in sorted(known, key=lambda one: int(known[one].sum())))
        found = max(ways, key=len, default=[])
        # Where it happens to more of them now and then, those to which it did not yet are no sort of their own: of eighteen schools the one
        # whose classes never became fewer in 39 terms lost one a term later. Faults happen to any.
        between = sum(broken is not None for broken in happened.values()) - len(found)
        return found if metric.of_faults or between <= len(found) else []

    def _together(self, metric: Metric, known: Mapping[str, Mask], first: str) -> list[str]:
        """The first of these sorts and those that add nothing that is more than hardly ever."""
        every, some = np.zeros(len(self.pairs), dtype=bool), list[str]()
        for value in [first, *sorted((one for one in known if one != first), key=lambda one: int(known[one].sum()))]:
            both = every | known[value]
            if (episodes(both.tolist()) if metric.of_faults else both.sum()) <= SUSPECTS * len(self.pairs):
                every = both
                some.append(value)
        return sorted(some)

    def _happened(self, metric: Metric, column: str, where: str) -> Mask | None:
        """In which batches it happened to such rows; None where it did in most of the latest ones."""
        found = np.zeros(len(self.pairs), dtype=bool)
        for place, pair in enumerate(reversed(self.pairs), 1):
            if column in pair.ours.columns and column in pair.theirs.columns:
                ours, theirs = (Matched(rows_where(side, where), column) for side in (pair.ours, pair.theirs))
                found[-place] = metric.between(ours, theirs) > 0
            if place >= _LOOKED and found.sum() >= _MOSTLY * place:
                return None
        return found

    def without_worst(self, metric: Metric, column: str, some: Sequence[str]) -> list[str]:
        """The sorts without the one that it happens to most often beside the others: those in hospital and in its wards pass each other."""
        counts, where = Counter[str](), self.where(some)
        for pair in self.pairs:
            change = changes(*(Matched(rows_where(side, where), column) for side in (pair.ours, pair.theirs)))
            if change is not None and metric.rows_of is not None:
                group = change.joined.ours[metric.rows_of(change)]
                its = rows_where(pair.ours, where).column(self.group)
                counts.update({its.shown(int(at)) for at in group})
        worst = max(some, key=lambda value: counts[value])
        return [value for value in some if value != worst]


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
            # Of a long text a sample has its beginning and a hash, which nobody can read.
            if not any("\ufffd" in text or is_shortened(text) for text in texts):
                yield _Sorts(name, sorted(texts), pairs)


def _rules(
    sorts: _Sorts, column: str, said: set[tuple[str, tuple[str, ...]]], key: Sequence[str], budget: Budget, seed: int
) -> list[Proposal]:
    """That the rows of some sorts never fall, and that none of theirs is a mistake."""
    found = list[Proposal]()
    for metric in (FALLEN, SPOILED):
        some = [] if (metric.name, (column,)) in said else sorts.never(metric, column)
        some = some if len(some) <= _NAMED else []
        # Beside each other two may pass that by themselves do not.
        while some:
            measure = Measure(metric.name, (column,), sorts.where(some), (("key", tuple(key)),))
            issues = {f"{column} {name}": hit for name, hit in tried_within(metric, measure, sorts.pairs[-1], seed).items()}
            made = held(Law(metric, measure, issues, at=0.0), sorts.pairs, budget)
            if isinstance(made, Proposal):
                found.append(made)
                break
            some = sorts.without_worst(metric, column, some)
    return found
