"""Names that are handed out: numbers are not negative where none ever was, and do not become ten times as long overnight. Those that all
have as many digits keep them: the eight of a bank code.

Where each batch has numbers that no batch had before, as orders have, they go on from its last: no number ends them. So have texts, as
sessions: none comes again.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.kinds.declarations import KindDeclaration
from avh_ui.metrics.column import Floats
from avh_ui.metrics.going_on import NOT_ABOVE
from avh_ui.metrics.moments import MAX, MIN
from avh_ui.metrics.new_each_time import THERE_BEFORE

# Ten times as large is beyond this many times the greatest, rounded up to 1, 2 or 5 of its first digit: 5 times at most.
_TIMES = 2.0
# Numbers that doubled within the history may have doubled again soon, and have no such end.
_GROWN = 2.0
# Of fewer digits all have as many by chance, as years and small counts do; and where the greatest number grew, the digits have to last for
# so many times as long as the history.
_DIGITS, _LASTS = 5, 20.0
# From here on doubles, by which numbers are compared, are no single whole numbers any more.
_EXACT = 2.0**53
_SIGN, _SIZE = "it keeps its sign", "it keeps its sign and its number of digits"
_ON = "its numbers go on from those of the batch before"
_NEW = "each batch brings new ones"


def numbered(declared: KindDeclaration, history: ColumnHistory) -> KindDeclaration:
    """The declaration of an identifier with the limits that its numbers keep by their `history`; the same where these are no positive
    numbers, but that texts are new where they always were. Those that grow fast have no end, and those that go on from batch to batch no
    limit but the batch before. What is between the limits is free: numbers count up.
    """
    again = history.values.get(THERE_BEFORE.name, np.empty(0))
    if np.isfinite(again).any() and not np.any(again > 0):
        return replace(declared, metrics={**declared.metrics, THERE_BEFORE.name: _NEW})
    least, greatest = (history.values.get(metric.name, np.empty(0)) for metric in (MIN, MAX))
    if history.kind != "numeric" or not len(greatest) or not (np.all(np.isfinite(least)) and np.all(np.isfinite(greatest))):
        return declared
    if least.min() < 0 or greatest.min() <= 0:
        return declared
    if len(least) > 1 and np.all(least[1:] > greatest[:-1]):
        # By how much these rise is no number that anybody reads: "the largest rises by at most 4.3e+15".
        last = {MAX.name: _ON} if greatest.max() < _EXACT else {}
        return replace(declared, metrics={**declared.metrics, MIN.name: _SIGN, **last, NOT_ABOVE.name: _ON}, lowest=0)
    if greatest.max() > _GROWN * greatest.min():
        return replace(declared, metrics={**declared.metrics, MIN.name: _SIGN}, lowest=0)
    metrics = {**declared.metrics, MIN.name: _SIZE, MAX.name: _SIZE}
    if (ends := _of_digits(float(least.min()), greatest)) is not None:
        return replace(declared, metrics=metrics, lowest=ends[0], highest=ends[1])
    return replace(declared, metrics=metrics, lowest=0, highest=_round(_TIMES * float(greatest.max())))


def _of_digits(least: float, greatest: Floats) -> tuple[float, float] | None:
    """The smallest and the largest number of as many digits as all have; None where they have not, or will not for long."""
    digits = len(str(int(least)))
    most = 10.0**digits - 1
    if digits < _DIGITS or greatest.max() > most or most - greatest.max() < _LASTS * (greatest.max() - greatest.min()):
        return None
    # What is handed out in order is spread over no more than a part of them.
    return (10.0 ** (digits - 1), most) if greatest.max() >= _GROWN * least else None


def _round(number: float) -> float:
    """The number, up to 1, 2 or 5 of its first digit."""
    unit = 10.0 ** np.floor(np.log10(number))
    return float(next(step * unit for step in (1, 2, 5, 10) if step * unit >= number))
