"""How seldom a usual value loses rows beside the others: the bounds above `value_loss`, and what they cost.

It is 0 in most batches, chance being taken off, so that no multiple of what was says what may be. In how many of the next batches it lay
so far above the largest so far, in %, and what the law says, of 27 columns: flights (whole, by airport, by time of day), earthquakes, and
lists that packages bring.

| batches | the largest | windows | any, .02, .05, .1, .2 and .3 above | the law |
|---|---|---|---|---|
| 14 | 0 | 4,366 | .64, .50, .39, .37, .27, .21 | .80, .44, .27, .16, .09, .06 |
| 30 | 0 | 3,762 | .37, .24, .16, .16, .11, .05 | .39, .22, .13, .08, .04, .03 |
| 60 | 0 | 3,179 | .19, .13, .06, .06, .00, .00 | .20, .11, .07, .04, .02, .02 |
| 120 | 0 | 2,422 | .12, .12, .04, .04, .00, .00 | .10, .06, .03, .02, .01, .01 |
| 60 | up to .1 | 422 | 2.1, .71, .00, .00, .00, .00 | 2.0, .72, .25, .07, .02, .01 |
| 120 | up to .1 | 422 | 2.1, .47, .00, .00, .00, .00 | .99, .36, .12, .04, .01, .00 |
| 30 | more, or up to .1 | 888 | 2.0, 1.6, 1.1, 1.0, .45, .11 | 3.9, 2.2, 1.3, .77, .43, .30 |
| 60 | more | 563 | 1.6, 1.6, 1.2, 1.2, .53, .00 | 2.0, 1.1, .66, .39, .22, .15 |
| 120 | more | 480 | .83, .83, .62, .42, .21, .00 | .99, .55, .33, .20, .11, .08 |

A twentieth is too near, though flights keep it: where values are drawn at random 0.24 % of the batches lie more than that above 0, whatever
the history, and none of 1,262 by a tenth.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_history.bounds import LEAST_RATE
from avh_ui.inference.by_history.tails import LONG, NEAREST
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.values_thinned import VALUE_LOSS

Floats = NDArray[np.float64]

# The law: in `_NONE` or `_SOME` of n + 1 batches it is above the largest, which is 0 or more; half as often by `_SCALE`.
_NONE, _SOME, _SCALE = 0.12, 1.2, 0.025
# After long histories of small losses it has an end.
_SMALL, _SMALL_SCALE, _SMALL_INDEX = 0.1, 0.05, 3.0
# Bounds as a person writes them; above the last half of a value of hundreds of rows passes.
_STEP, _FIRST, _LAST = 0.05, 0.1, 0.4


def tells_losses(metric: Metric) -> bool:
    """Whether it is how many of a value's rows are missing, of texts or of numbers."""
    return metric.name == VALUE_LOSS.name


def bounds_of_losses(values: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """As `Candidates` has them: in no multiples of a deviation (NaN) and as far as bounds may be tightened, which by this law all are, 0
    below, above from the largest of a history, shape (n,), on, the tightest first, and what they cost; none where that lets halves pass.
    """
    largest, count = float(values.max()), len(values)
    first = max(math.ceil(largest / _STEP - 1e-9), round(_FIRST / _STEP))
    upper = np.round(_STEP * np.arange(first, round(_LAST / _STEP) + 1), 2)
    small = 0 < largest <= _SMALL and count >= LONG
    beyond = (1 + (upper - largest) / _SMALL_SCALE) ** -_SMALL_INDEX if small else 1 / (1 + (upper - largest) / _SCALE)
    rate: Floats = np.maximum(LEAST_RATE, min((_SOME if largest else _NONE) / (count + 1), 1.0) * beyond)
    return np.full(len(upper), np.nan), np.full(len(upper), NEAREST), np.zeros(len(upper)), upper, rate
