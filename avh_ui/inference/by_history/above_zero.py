"""That the least of values which were never 0 stays above it: amounts that became 0 in some of the rows kept every other bound.

Bounds on a least value are as many of its largest deviations wide as they must not alarm. Where it varies by half this leads to 0, and
an amount of 0 passes: 27 % of a day's amounts at 0 were within all 34 rules of a table of orders. What varies by factors is bounded by
factors: the law of `tails` is taken of the logarithms, and the bound is 1, or the power of ten below where they cost no more than the least
that is claimed.

Walked over five tables (flights, earthquakes, two of New York's cases, regions of Italy) where the other bound is 0: the next least value
was below this one in none of 4,705, 4,493, 3,954, 5,601 and 5,132 windows of 7, 14, 30, 60 and 120 batches, beside the one day of New York
whose counts of tens and hundreds were 0. Of numbers written in hundredths that were .01 the next one down is 0 (8 of 355 windows of 7
batches of earthquakes): the bound must be a number that the column can hold.

The one value of a table of one row a batch, a day's total, is its own least. Of 36 such tables made of flights, cases and earthquakes the
next one was below the bound in 11 of 35,538, 7 of 34,299, 3 of 31,296, 8 of 32,296 and 3 of 25,704 windows of 7, 14, 30, 60 and 120 batches
that had one; 20 of these 32 are of an average delay, which may be negative. Where it varies so much that there is no bound, and was 10 or
more, the next one was 0 or less in 11 of 15,591, 4 of 10,206 and none of 8,149 windows of 30, 60 and 120 batches.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from avh_ui.history.series import Series
from avh_ui.inference.by_history.bounds import LEAST_RATE
from avh_ui.inference.by_history.modelled import Modelled
from avh_ui.inference.by_history.stationarity import trend
from avh_ui.inference.by_history.tails import STILL, beyond, modal_share
from avh_ui.metrics.most_frequent import TOP_RATIO

Floats = NDArray[np.float64]
B = TypeVar("B", bound=Any)

# Below its bound the one value of a table was in 0.01 to 0.03 % of the windows.
_ALONE_RATE = 3e-4
# And 0 or less, where how it varies does not tell: after so many batches of so much, by Jeffreys' rule for laws, but not less than seen.
_LONG, _MUCH, _SEEN, _LAW = 30, 10.0, 4e-4, 2.0

# Where no value made up more of the rows, that they are not all one says too little: readers kept "never one and the same value" of the
# three columns of 59 to 99 %, and called it too loose of all four of 20 to 36 %, of one of which another reader kept it.
_MANY = 0.4

# What has fallen most of the time on its way to 0 does not stop there: dew points from 12 to 2 degrees within an autumn.
FALLING = -0.5
# Numbers with more decimals are measured, not written: any small number is one of theirs.
_DECIMALS = 6
# As a lower bound it lets all pass that is above 0, and 0 not.
ABOVE = math.ulp(0.0)


def kept_above_zero(model: Modelled, found: B) -> B:
    """Bounds of which those that let a least value be 0 keep it above, where it always was: a fact, which follows no history."""
    zero = found.lower <= 0
    if model.metric.extreme == "spread":
        # That values differ is asked; by how much nobody says: "the largest g_factor is 10.2 or more above the smallest".
        zero = np.ones(len(found.lower), dtype=bool)
        if _apart(model):
            return _without(found, zero)
    bound = above_zero(model) if zero.any() else 0.0
    if not bound and zero.any() and model.metric.extreme == "spread":
        return _never_one_value(model, found, zero)
    bound = ABOVE if bound and _is_end(model) else bound
    return replace(found, lower=np.where(zero, bound, found.lower), width=np.where(zero, np.nan, found.width)) if bound else found


def _never_one_value(model: Modelled, found: B, zero: NDArray[np.bool_]) -> B:
    """Bounds of which those that let values span nothing (`zero`) ask that they differ, where they always spanned many: that they become
    one costs what breaking a law does. Where they did not, those are left out.
    """
    if model.transform.is_identity and _spans_many(model):
        rate = max(LEAST_RATE, (len(model.observed) + 2.0) ** -_LAW)
        return replace(found, lower=np.where(zero, ABOVE, found.lower), fpr=np.where(zero, rate, found.fpr))
    return _without(found, zero)


def _without(found: B, out: NDArray[np.bool_]) -> B:
    return replace(found, **{name: getattr(found, name)[~out] for name in ("k", "width", "lower", "upper", "fpr")})


def _apart(model: Modelled) -> bool:
    """Whether no value ever was so many of the rows that all of them might be it one day."""
    top = model.usual.get(TOP_RATIO.name)
    return top is not None and top.most <= _MANY


def is_above(model: Modelled, lower: float) -> bool:
    """Whether a lower bound says that all numbers are above 0, or of what they span that they differ, and not how far."""
    return lower == ABOVE and _is_end(model)


def _is_end(model: Modelled) -> bool:
    """Whether it is the least of numbers, or what they span, of which people say that it is above 0; of a text that is how short it is."""
    return model.metric.unit == "value" and model.metric.extreme in ("least", "spread")


def held_above_zero(model: Modelled, found: B) -> B:
    """Of the bounds one, of what is `alone`: above 0 where it always was, whatever it was else; none where it may be 0."""
    bound, rate = above_zero(model), _ALONE_RATE
    count = len(model.observed)
    if not bound and count >= _LONG and model.observed.min() >= _MUCH:
        bound, rate = 1.0, max(_SEEN, (count + 2.0) ** -_LAW)
    one = {"lower": np.full(1, ABOVE), "upper": np.full(1, np.inf), "fpr": np.full(1, rate), "k": np.full(1, np.nan)}
    kept = replace(found, **one, width=np.full(1, np.nan))
    return kept if bound else replace(kept, **{name: values[:0] for name, values in one.items()}, width=np.empty(0))


def above_zero(model: Modelled) -> float:
    """The plain number above 0 that the next least value stays above as surely as is ever claimed; 0 where there is none."""
    values = model.observed
    if (
        not (model.alone or model.metric.extreme in ("least", "spread"))
        or not model.transform.is_identity
        or values.min() <= 0
        or modal_share(values) >= STILL
        or (len(values) >= _LONG and trend(values) <= FALLING)
    ):
        return 0.0
    logs = np.log(values)
    mean, far = float(logs.mean()), float(np.abs(logs - logs.mean()).max())
    widths = np.geomspace(1.0, 1e3, 200)
    costs = beyond(model.metric, widths, widths * far / float(logs.std(ddof=1)), logs, lagged=False)
    sure = widths[costs <= LEAST_RATE]
    if not len(sure):
        return 0.0
    lowest = (mean - float(sure[0]) * far) / math.log(10)
    # A larger one would say how small they may be, which is not asked: of what counts up it would grow with it.
    bound = 10.0 ** min(math.floor(lowest), 0) if lowest > -300 else 0.0
    return bound if bound >= _grain(values) else 0.0


def _spans_many(model: Modelled) -> bool:
    """Whether numbers spanned many of their smallest steps in each of many batches."""
    values = model.observed
    return bool(len(values) >= _LONG and values.min() > 0 and values.min() >= _MUCH * _grain(values))


def _grain(values: Series) -> float:
    """The smallest step between numbers as these are written: 0.01 of prices, 1 of counts."""
    for decimals in range(_DECIMALS):
        if np.all(np.abs(values - np.round(values, decimals)) < 1e-9 * np.abs(values)):
            return 10.0**-decimals
    return 10.0**-_DECIMALS
