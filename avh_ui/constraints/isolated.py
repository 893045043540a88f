"""Single batches of twice or half the rows: a delivery that came twice or was cut short says nothing of how the number of rows varies.

One such batch among 91 widened the bounds of the number of rows to a factor of 3 either way for as long as it was in the window, and half
of the rows of any day lay within. A person leaves it out. What is left out still counts as an alarm that the bounds would have raised.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from avh_ui.history.series import Series

# About two thirds or half as many again: a batch that is nearer is none of these faults.
_FAR = math.log(1.5)
# One batch in a month at most; what is more frequent is how the table is.
_EVERY = 28
# It stands alone where it is so many times as far away as the farthest of the others.
_ALONE = 2.0


def isolated(logs: Series, *, changes: bool = False) -> NDArray[np.bool_]:
    """Which logarithms of numbers of rows, finite and of shape (K,), are those of such batches; of their `changes` against an earlier
    batch each has two. None of fewer than 28, and none where two follow each other: that is the begin of a step.
    """
    alone = np.zeros(len(logs), dtype=bool)
    most = len(logs) // _EVERY * (2 if changes else 1)
    if not most:
        return alone
    far = np.abs(logs - np.median(logs))
    order = np.argsort(-far, kind="stable")
    for count in range(most, 0, -1):
        odd, next_one = far[order[:count]], float(far[order[count]])
        if odd.min() >= _FAR and odd.min() > _ALONE * next_one:
            alone[order[:count]] = True
            break
    if not changes and (alone[1:] & alone[:-1]).any():
        return np.zeros(len(logs), dtype=bool)
    return alone
