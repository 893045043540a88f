"""How far rows moved, so that those that moved farthest are named first."""

from __future__ import annotations

import numpy as np

from avh_ui.metrics.column import Floats
from avh_ui.metrics.joining import Places
from avh_ui.metrics.matching import MatchedChange

# How far a row has moved whose text was one that is gone now: farther than one that lost its value, or has one now, which is one step. One
# whose text is new has moved a step farther.
NEWS = 2.0
# A value that came has moved a step of the log scale: nearly three times as much.
_CAME = 1.0


def how_far(change: MatchedChange, which: Places, steps: Floats | None) -> Floats:
    """How far these rows moved: numbers on the log scale or by `steps`, texts by whether they are news."""
    if change.numeric:
        far = np.abs(change.step if steps is None else steps)[which]
        # What is gone has moved farthest; where as many came neither is news, as of flights that were cancelled the day before.
        once = np.inf if change.filled_rows < change.emptied_rows else _CAME
        return np.nan_to_num(np.where((change.emptied | change.filled)[which], once, far), nan=np.inf, posinf=np.inf)
    lost, unheard, lapsed = (mask[which] for mask in (change.emptied | change.filled, change.unheard, change.lapsed))
    if (unheard | lapsed).all():
        # Where all texts are another one each day, none of them is news.
        return np.asarray(lost.astype(float))
    return np.asarray(np.maximum(lost + NEWS * lapsed, (NEWS + 1) * unheard))
