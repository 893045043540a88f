"""Suggesting that no row of several counters falls by a tenth: of columns that nearly always rise where they change."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from avh_ui.constraints.column_kind import KnownKind
from avh_ui.inference.by_key.laws import LEAST_BATCHES, Pair
from avh_ui.inference.by_key.mistaken import Looking, noticed, suggested
from avh_ui.inference.by_key.nearly_carried import numbered
from avh_ui.inference.by_key.suspects import episodes
from avh_ui.inference.by_relation.holding import SUSPECTS
from avh_ui.inference.kinds.declarations import declaration_of, means
from avh_ui.inference.source import Budget, Proposed
from avh_ui.metrics.fallen_counters import FALLEN, FALLEN_COUNTERS, fell_far
from avh_ui.metrics.matching import Matched, changes

# Of all that changed in a counter's rows so few fell: in the counters of Italy's regions and provinces 0.05 to 3.3 %, in all their other
# numbers 7.5 to 58 %. And some row rose in so many of the batches: what changes once a year says it by itself.
_FALL, _RISE = 0.05, 0.5


def suggest(
    pairs: Sequence[Pair], key: Sequence[str], kinds: Mapping[str, KnownKind], budget: Budget, seed: int, *, but: Collection[str] = ()
) -> Proposed:
    """The rules on the counters of which hardly any of the `pairs` of batches had such a fall, none of those in `but`; of a young table
    none.
    """
    if len(pairs) < LEAST_BATCHES:
        return Proposed()
    able = [n for n in numbered(pairs[-1].ours) if n not in but]
    names = [n for n in able if (of := declaration_of(kinds.get(n))) is None or means(of, FALLEN_COUNTERS)]
    broken = {name: had for name in names if (had := _broken(pairs, name)) is not None}
    tried = {name: found for name in broken if any((found := noticed(FALLEN, name, pairs[-1], seed)).values())}
    return suggested(Looking(FALLEN_COUNTERS, pairs, key, budget, broken, tried, {}))


def _broken(pairs: Sequence[Pair], name: str) -> list[bool] | None:
    """Of a counter whether each pair of batches had such a fall; None of another column, and where too many had."""
    fallen = risen = days = 0
    broken: list[bool] = []
    # The latest first: most columns fall there.
    for seen, pair in enumerate(reversed(pairs), 1):
        change = changes(Matched(pair.ours, name), Matched(pair.theirs, name))
        if change is None or not change.numeric:
            return None
        fallen, risen = fallen + int(change.fallen.sum()), risen + int(change.risen.sum())
        days += bool(change.risen.any())
        broken.append(bool(fell_far(change).any()))
        if seen >= LEAST_BATCHES and fallen > 2 * _FALL * (fallen + risen):
            return None
    few = fallen <= _FALL * (fallen + risen) and days >= _RISE * len(pairs)
    broken.reverse()
    return broken if few and episodes(broken) <= SUSPECTS * len(broken) else None
