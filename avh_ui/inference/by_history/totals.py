"""The one value of a table of one row a batch that grows, such as a country's cases to date: how it changes, and that it never falls.

What grows by 1 % a day in summer and by 8 % in autumn is not stationary, and no differencing makes it so. Of the days of a country and five
regions (12 counts, 330 to 1,781 days) the windows of which that is so and which grow or shrink were walked: how far the next logarithm is
from the mean of the changes, in largest deviations of the window. The law of `tails` with its factor for changes says (in brackets)

| beyond | 1.5 | 2 | 3 | 5 | 8 |
|---|---|---|---|---|---|
| of 10,193 windows of 30 | 1.6 % (2.5) | 0.64 (1.21) | 0.27 (0.46) | 0.14 (0.14) | 0.09 (0.05) |
| of 12,068 of 120 | 0.41 (0.51) | 0.18 (0.22) | 0.11 (0.07) | 0.04 (0.02) | 0.02 (0.01) |

of which some are mistakes that the publisher corrected. A total that had not fallen fell in 22 of 7,705 next days after 30, 17 of 9,129
after 60 and 8 of 9,098 after 120: 0.29, 0.19 and 0.09 %, of which `OF_ONE_ROW_RULE` says 0.55, 0.20 and 0.07.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from avh_ui.constraints.transforms import Transform
from avh_ui.history.series import Series
from avh_ui.inference.by_history.modelled import Modelled
from avh_ui.inference.by_history.seasons import USUAL_RATE
from avh_ui.inference.by_history.stationarity import LEAST_POINTS, STRONG_TREND, trend
from avh_ui.inference.by_history.tails import OF_ONE_ROW_RULE
from avh_ui.metrics.moments import MEAN, MIN

B = TypeVar("B", bound=Any)
# What is told of the one value of a table of one row a batch: what it is, and that it is above 0.
ALONE = (MEAN, MIN)


def changing(observed: Series, batches: Sequence[str]) -> tuple[Transform, Series] | None:
    """By which factor the value of each of these `batches` is that of the one before, where it grows or shrinks throughout; `observed`
    is of shape (K,), finite.
    """
    if observed.min() < 0 or abs(trend(observed)) < STRONG_TREND:
        return None
    form = Transform(1, log=True)
    changes = form.apply(observed, batches)
    changes = changes[np.isfinite(changes)]
    return (form, changes) if len(changes) >= LEAST_POINTS else None


def never_falling(model: Modelled, found: B) -> B:
    """Bounds that let no fall pass, of a total that never fell in so many batches that one more fall is as rare as a usual false alarm.

    What they cost above is half of what they cost on both sides.
    """
    rate = (len(model.values) + 2.0) ** -OF_ONE_ROW_RULE
    if not model.transform.lag or model.values.min() < 0 or not model.values.any() or rate > USUAL_RATE:
        return found
    low = found.lower < 0
    return replace(found, lower=np.where(low, 0.0, found.lower), fpr=np.where(low, found.fpr / 2 + rate, found.fpr))
