"""Names that are handed out: numbers are not negative where none ever was. Those that all have as many digits keep them, the eight of a
bank code, and codes have no more digits than the longest that came, where these use a good part of them.

Other ends they have none: of ranges such as "between 0 and 20,000,000,000" readers of six tables called those of seven of eight
identifiers and of postal codes meaningless or too loose, and one of a seventh kept eight of nine.

Where each batch has numbers that no batch had before, as orders have, they go on from its last: no number ends them. So have texts, as
sessions: none comes again.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.kinds.declarations import KindDeclaration, says
from avh_ui.metrics.column import Floats
from avh_ui.metrics.going_on import NOT_ABOVE
from avh_ui.metrics.moments import MAX, MEAN, MIN
from avh_ui.metrics.new_each_time import THERE_BEFORE
from avh_ui.metrics.ranks import ranks
from avh_ui.metrics.values_gone import GONE

# Numbers that doubled within the history may have doubled again soon, and have no such end.
_GROWN = 2.0
# Of fewer digits all have as many by chance, as years and small counts do; and where the greatest number grew, the digits have to last for
# so many times as long as the history.
_DIGITS, _LASTS = 5, 20.0
# It grew where it goes with time, and the average does: of more rows that are drawn the greatest is nearer to their end, and no other one.
_GOES = 0.5
# Codes of several sizes have as many digits as the greatest: of fewer than three, and of those that use less than half of these numbers,
# nobody says so.
_SHORT, _USED = 3, 0.45
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
        return _of_sign(declared, least)
    growing = _grows(greatest) and _grows(history.values.get(MEAN.name, greatest))
    ends = _of_digits(float(least.min()), greatest, several=says(declared, GONE.name), growing=growing)
    if ends is not None:
        metrics = {**declared.metrics, MIN.name: _SIZE, MAX.name: _SIZE}
        return replace(declared, metrics=metrics, lowest=ends[0], highest=ends[1])
    return _of_sign(declared, least)


def _of_sign(declared: KindDeclaration, least: Floats) -> KindDeclaration:
    """With the sign that its numbers keep, but of what names the rows of a list, of which the first always is the same: "id is never below
    291,000" was said after 302,811.
    """
    of_list = not says(declared, GONE.name) and 1 < float(least.min()) == float(least.max())
    return declared if of_list else replace(declared, metrics={**declared.metrics, MIN.name: _SIGN}, lowest=0)


def _of_digits(least: float, greatest: Floats, *, several: bool, growing: bool) -> tuple[float, float] | None:
    """The smallest and the largest number of as many digits as all have, or from 0 on as the greatest has where they may have `several`
    numbers of digits; None where they have not, will not for long, or are no more than a part of these numbers.
    """
    same, digits = len(str(int(least))), len(str(int(greatest.max())))
    most = 10.0**digits - 1
    # What is handed out in order is spread over no more than a part of them.
    if greatest.max() < _GROWN * least or (growing and most - greatest.max() < _LASTS * (greatest.max() - greatest.min())):
        return None
    if same == digits >= _DIGITS:
        return 10.0 ** (digits - 1), most
    return (0.0, most) if several and digits >= _SHORT and greatest.max() >= _USED * most else None


def _grows(numbers: Floats) -> bool:
    """Whether a series goes with time."""
    return bool(np.ptp(numbers)) and bool(np.corrcoef(ranks(numbers), np.arange(len(numbers)))[0, 1] >= _GOES)
