"""Of which columns a sentence on matched rows is true as it reads: in hardly any batch of the history was it broken, whatever else moved.

What is checked may be more careful, as that most rows barely move: an alarm is then one more careful than the sentence. Readers who knew
that a temperature changes its sign in 29 of 59 batches, and who read that none does, threw the rule away, and so did those who had to read
the conditions in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from avh_ui.inference.by_key.laws import Pair
from avh_ui.inference.by_key.suspects import episodes
from avh_ui.inference.by_relation.holding import SUSPECTS
from avh_ui.metrics.matching import Matched, MatchedChange, changes
from avh_ui.metrics.ranks import ranks
from avh_ui.metrics.standing_still import LEAST_ROWS

# In so many of the batches all rows of a clock rise by about as much: the most by so many times the least, as months have 28 to 31 days, or
# by one more. Meters of which each used 5 to 9 since yesterday are none.
_MARCHES, _ALIKE = 0.9, 1.25
# Numbers of one key go on from those of the batch before where their order is alike in the latest pairs: of cases and prices it is by 0.5
# to 1; of winds matched by the day of the month, and of rounds of golf, by 0 to 0.3: no row is mistaken there beside what it was. Where all
# are alike, the largest no more than so many times the smallest, 0 is a mistake whatever it was: of 300 to 900 cars of a garage.
_LATEST, _IN_ORDER, _ALIKE_ALL = 10, 0.4, 4.0
_Broken = Callable[[MatchedChange], bool]


def true_of(pairs: Sequence[Pair], names: Sequence[str], broken: _Broken) -> list[str]:
    """The columns of which hardly any pair of batches has `broken` the sentence: a fault and its mending are one."""
    found = _by_pair(pairs, names, broken)
    return [name for name, had in found.items() if episodes(had) <= SUSPECTS * len(had)]


def clocks(pairs: Sequence[Pair], names: Sequence[str]) -> set[str]:
    """The columns that are as far on in each row as in all others, as a number of days or of rows is: what the batch says of them says
    it of each row.
    """
    found = _by_pair(pairs, names, _marches)
    return {name for name, had in found.items() if had and sum(had) >= _MARCHES * len(had)}


def keep_order(pairs: Sequence[Pair], names: Sequence[str]) -> list[str]:
    """The columns of which a row's number tells what it will be: large ones stay large, in the middle of the latest pairs."""
    found: dict[str, list[float]] = {name: [] for name in names}
    for pair in pairs[-_LATEST:]:
        for name, alike in found.items():
            change = changes(Matched(pair.ours, name), Matched(pair.theirs, name))
            if change is not None and change.numeric:
                alike.append(_in_order(change))
    return [name for name, alike in found.items() if alike and float(np.median(alike)) >= _IN_ORDER]


def _in_order(change: MatchedChange) -> float:
    """Spearman's correlation of the numbers of both batches; 1 of too few rows, of one value, and of values that are all alike."""
    before, after = change.before[change.both], change.after[change.both]
    if len(before) < LEAST_ROWS or not (np.ptp(before) and np.ptp(after)) or 0 < before.max() <= _ALIKE_ALL * before.min():
        return 1.0
    return float(np.corrcoef(ranks(before), ranks(after))[0, 1])


def _marches(change: MatchedChange) -> bool:
    moved = change.after[change.both] - change.before[change.both] if change.numeric else np.empty(0)
    if len(moved) < LEAST_ROWS or moved.min() <= 0:
        return False
    return bool(moved.max() <= _ALIKE * moved.min() or (moved.max() - moved.min() <= 1 and np.all(moved == np.round(moved))))


def _by_pair(pairs: Sequence[Pair], names: Sequence[str], of: _Broken) -> dict[str, list[bool]]:
    """By column what is so in each pair: pair by pair, since how two batches match is remembered of the latest."""
    found: dict[str, list[bool]] = {name: [] for name in names}
    for pair in pairs:
        for name, had in found.items():
            if (change := changes(Matched(pair.ours, name), Matched(pair.theirs, name))) is not None:
                had.append(of(change))
    return found
