"""What shares were in batches of the usual size: of a few rows any share is chance, and bounds that it sets say nothing of the others.

No vote of films made up more than 6 % of months of 17 films and more, and 20 % of one of 5: "no one value makes up more than 35 %" was
said. Of 114 judged lines on the most frequent value of 28 tables the ten called too loose went to 1.4 to 12.3 times the largest share of
batches of at least half as many values as usual, eight of them to more than 2.6 times; of the 101 that were kept 19 did, eight of these of
24 rows that are all different.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from avh_ui.history.series import ColumnHistory, Series
from avh_ui.metrics.counts import COMPLETE_RATIO, ROW_COUNT
from avh_ui.metrics.most_frequent import TOP_RATIO

# Of so many of the values of a batch in the middle a batch is of the usual size.
_PART = 0.5
# So many of the batches are small ones.
_SMALL = 0.1
# A value that is the most frequent one makes up no more than so many times its largest share then; where that is small, so much more, or so
# many rows of a batch in the middle.
_TIMES, _MORE, _ROWS = 2.5, 0.04, 6.5
# What is missing is no more than so many times as much, or so much more: of usual batches 12.5 and 17.2 % of distributors and genres of
# films were null, and 30 and 40 % were too loose; twice as much after 19 and 21 % was not.
_TIMES_NULL, _MORE_NULL = 2.25, 0.065
# Nor is it more than a tenth of the rows more, or 1.2 times as much as it varied ("at most 43 %" after 23 to 28), which held 6 of the 27
# verdicts too loose and none of the 74 of lines kept; nor half as much again of what is beyond a quarter ("40 %" after 26: 9 and 6); nor
# nearly twice as much where that is many rows ("5 %" after 1.9 % of 1,200 rows: 11 and 2).
_MORE_ROWS, _TIMES_VARIED, _HALF_AGAIN, _QUARTER = 0.1, 1.2, 1.5, 0.36
_TWICE_NULL, _SOME_ROWS, _LEAST_MORE = 1.9, 15, 0.005


@dataclass(frozen=True)
class UsualShares:
    """The `least` and the `most` of a share in batches of the usual size, of which the one in the middle has so many `rows`; one in ten of
    all has no more than `few`.
    """

    least: float
    most: float
    rows: float
    few: float

    @property
    def most_frequent(self) -> float:
        """The largest share of one value that still says something."""
        return max(_TIMES * self.most, self.most + max(_MORE, _ROWS / self.rows))

    @property
    def least_there(self) -> float:
        """The smallest share of values that are there which still says something."""
        missing, varied = 1 - self.least, self.most - self.least
        usual = max(_TIMES_NULL * missing, missing + _MORE_NULL)
        varying = missing + max(_MORE_ROWS, _TIMES_VARIED * varied)
        twice = max(_TWICE_NULL * missing, missing + max(_SOME_ROWS / self.rows, _LEAST_MORE))
        return 1 - min(usual, varying, max(_QUARTER, _HALF_AGAIN * missing), twice)


def of_usual_size(history: ColumnHistory) -> Mapping[str, UsualShares]:
    """The shares of usual batches by the names of their metrics: of the most frequent value, and of the values that are there."""
    rows, there = history.values.get(ROW_COUNT.name), history.values_there()
    found = {TOP_RATIO.name: _usual(history, TOP_RATIO.name, there), COMPLETE_RATIO.name: _usual(history, COMPLETE_RATIO.name, rows)}
    return {name: one for name, one in found.items() if one is not None}


def _usual(history: ColumnHistory, name: str, sizes: Series | None) -> UsualShares | None:
    shares = history.values.get(name)
    if shares is None or sizes is None or len(shares) != len(sizes):
        return None
    known = np.isfinite(shares) & np.isfinite(sizes) & (sizes > 0)
    if not known.any():
        return None
    middle = float(np.median(sizes[known]))
    usual = shares[known & (sizes >= _PART * middle)]
    return UsualShares(float(usual.min()), float(usual.max()), middle, float(np.quantile(sizes[known], _SMALL)))
