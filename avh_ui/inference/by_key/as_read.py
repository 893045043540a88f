"""Of which columns a sentence on matched rows is true as it reads: in hardly any batch of the history was it broken, whatever else moved.

What is checked may be more careful, as that most rows barely move: an alarm is then one more careful than the sentence. Readers who knew
that a temperature changes its sign in 29 of 59 batches, and who read that none does, threw the rule away, and so did those who had to read
the conditions in it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from avh_ui.inference.by_key.laws import Pair, Question, told
from avh_ui.inference.by_key.suspects import episodes
from avh_ui.inference.by_relation.holding import SUSPECTS
from avh_ui.metrics.matching import MatchedChange
from avh_ui.metrics.ranks import ranks
from avh_ui.metrics.standing_still import LEAST_ROWS

# A clock is one in so many of the batches.
_MARCHES = 0.9
# Numbers of one key go on from those of the batch before where their order is alike in the latest pairs: of cases and prices it is by 0.5
# to 1; of winds matched by the day of the month, and of rounds of golf, by 0 to 0.3: no row is mistaken there beside what it was. Where all
# are alike, the largest no more than so many times the smallest, 0 is a mistake whatever it was: of 300 to 900 cars of a garage.
_LATEST, _IN_ORDER, _ALIKE_ALL = 10, 0.4, 4.0


def true_of(pairs: Sequence[Pair], names: Sequence[str], broken: Question) -> list[str]:
    """The columns of which hardly any pair of batches has `broken` the sentence: a fault and its mending are one."""
    return [name for name, had in told(pairs, names, broken).items() if episodes(had) <= SUSPECTS * len(had)]


def clocks(pairs: Sequence[Pair], names: Sequence[str]) -> set[str]:
    """The columns that are as far on in each row as in all others, as a number of days or of rows is: what the batch says of them says
    it of each row.
    """
    found = {name: [pair.changed[name].marches for pair in pairs if name in pair.changed] for name in names}
    return {name for name, had in found.items() if had and sum(had) >= _MARCHES * len(had)}


def keep_order(pairs: Sequence[Pair], names: Sequence[str]) -> list[str]:
    """The columns of which a row's number tells what it will be: large ones stay large, in the middle of the latest pairs."""
    found = told(pairs[-_LATEST:], names, _in_order)
    return [name for name, alike in found.items() if alike and float(np.median(alike)) >= _IN_ORDER]


def _in_order(change: MatchedChange) -> float | None:
    """Spearman's correlation of the numbers of both batches; 1 of too few rows, of one value, and of values that are all alike; None of
    texts.
    """
    if not change.numeric:
        return None
    before, after = change.before[change.both], change.after[change.both]
    if len(before) < LEAST_ROWS or not (np.ptp(before) and np.ptp(after)) or 0 < before.max() <= _ALIKE_ALL * before.min():
        return 1.0
    return float(np.corrcoef(ranks(before), ranks(after))[0, 1])
