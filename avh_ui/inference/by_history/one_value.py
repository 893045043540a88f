"""How large a share of one value says something: of no more rows than a reader would keep, by what it made up so far."""

from __future__ import annotations

from avh_ui.inference.by_history.modelled import Modelled

# A value that is the most frequent one makes up so much more of the rows at most, less of seldom ones and of those that so many have, and
# no half of the others become it: readers kept 25 % after 8 %, 40 % after 24 % and 55 % after 37 %, and called 35 % after 12 %, 65 % after
# 41 % and "21 to 56 %" after 35 to 42 % too loose.
_MORE_TOP, MORE_SELDOM, _OFTEN = 0.195, 0.1, 0.4
# Half of the others.
_HALF = 0.5


def most_of_one(model: Modelled) -> float:
    """The largest share of one value that says something by what it made up so far, and in batches of the usual size."""
    usual, highest = model.usual.get(model.metric.name), more_of_one(float(model.observed.max()))
    return highest if usual is None else min(highest, usual.most_frequent)


def more_of_one(most: float, more: float = _MORE_TOP) -> float:
    """The largest share of one value that says something, which made up so much at most."""
    more = min(more, max(MORE_SELDOM, 2 * most)) if most <= _OFTEN else MORE_SELDOM
    return most + min(more, (1 - most) * _HALF)
