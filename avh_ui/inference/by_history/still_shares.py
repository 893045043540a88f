"""Shares and distances that mostly stand still: how far they move when they move.

What mostly has one value moves in bursts, and the next burst is as large as it likes (`tails.STILL_INDEX`): so do extremes and levels.
Shares and distances that have an end do not. They are told on a scale of `STILL_LEAST` at least (divergences, which grow with the square
of a share, of `STILL_NATS`), since from next to nothing even a small one is many times as much. Of 30 tables (releases of lists, cases,
flights, pizzas, births, houses, weather, shops), in windows of 23, 34, 69 and 114 batches, the next five lay where this says .05 and .02
%, of shares of values in .05 to .07 and .02 to .03 % of 258,000, of distances told in rows in .04 to .06 and .02 to .05 % of 115,000, of
divergences and shapes in .00 to .09 and .00 to .04 % of 239,000, of cosines and Cramer's V in .02 to .13 and .02 to .08 % of 50,000, of
values that are gone in .01 to .02 and .00 to .01 % of 243,000. Of what index 1 says of shares fewer than a third came: "at most 30 % are
null" was said of a column of which .6 % ever were.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from avh_ui.metrics.distance_words import TOLD_IN_ROWS
from avh_ui.metrics.metric import Metric

Floats = NDArray[np.float64]

STILL_RATIO_INDEX, STILL_NATS_INDEX = 2.5, 2.0
STILL_LEAST, STILL_NATS = 0.01, 0.001


def is_share(metric: Metric) -> bool:
    """Whether it is a share, or a distance between shares, of what a batch holds."""
    return not metric.by_key and (metric.unit == "ratio" or (metric.unit == "distance" and not metric.of_quantities))


def share_index(metric: Metric) -> float:
    """The power of such a share's tail. Odd shapes come in outbreaks."""
    return STILL_RATIO_INDEX if _in_rows(metric) and not (metric.outbreaks and metric.two_distribution) else STILL_NATS_INDEX


def times_as_large(metric: Metric, r: Floats, values: Floats) -> Floats:
    """How far `r` largest deviations of such values, shape (n,), are: beyond the largest in the least scale at least; shape of `r`."""
    gap = values - values.mean()
    largest = float(gap.max() if metric.two_distribution else np.abs(gap).max())
    return 1 + (r - 1) * (largest / max(largest, STILL_LEAST if _in_rows(metric) else STILL_NATS))


def _in_rows(metric: Metric) -> bool:
    return metric.unit == "ratio" or metric.name in TOLD_IN_ROWS
