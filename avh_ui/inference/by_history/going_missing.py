"""That no frequent value is gone: only where the rows of a batch tell it, and no nearer than they do.

A value is called gone from some 20 rows on, as what fewer had may be left out by chance (`metrics.values_gone`). "No value is gone that
more than 20 % of the rows had" was said of months of 30 days, of which 7 had a match of the Bulls and in May none had: it is true of 66
%. Nor where no value was as frequent lately: "every team that some 20 rows had comes again" was said of a table whose teams had 12 at
most for years.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from avh_ui.history.series import ColumnHistory
from avh_ui.metrics.counts import COMPLETE_RATIO
from avh_ui.metrics.most_frequent import TOP_RATIO
from avh_ui.metrics.values_gone import GONE, by_chance, least_told

B = TypeVar("B", bound=Any)
# Where a value that fewer than so many of the rows have may go unnoticed the rule says too little.
_RARE = 0.25
# Half a hundredth is as fine as such a share is read.
_STEPS = 200


# Where small batches have so many times fewer values, a share is true of larger ones alone: "more than 19 % of the rows" was 20 rows of the
# last month of orders, and 4 of one of 24, in which a segment of 35 % of the month before was gone by chance; and "more than 17 %" had been
# gone in 6 of 28 months.
_FEWER, _SOME = 1.5, 0.05
# So many batches say how frequent values are by now.
_LATELY = 10


def frequent(history: ColumnHistory) -> tuple[float, float]:
    """How many rows, and how large a share of a batch's values, the most frequent value had in half of the latest batches; infinite where
    that is not known.
    """
    share, there = history.values.get(TOP_RATIO.name), history.values_there()
    if share is None or there is None or len(share) != len(there):
        return math.inf, math.inf
    lately, rows = share[-_LATELY:], share[-_LATELY:] * there[-_LATELY:]
    known = np.isfinite(rows)
    return (float(np.median(rows[known])), float(np.median(lately[known]))) if known.any() else (math.inf, math.inf)


def told_by(found: B, rows: int) -> B:
    """Candidates of which a batch of so many `rows` tells what they say; those of other metrics as they are."""
    if found.model.metric.name != GONE.name or not rows:
        return found
    most, share = found.model.frequent
    usual, filled = (found.model.usual.get(metric.name) for metric in (TOP_RATIO, COMPLETE_RATIO))
    # Of a column that is mostly null its values tell it.
    least = least_told(rows * filled.most if filled is not None else rows)
    told = math.ceil(least * _STEPS - 1e-9) / _STEPS
    upper = np.where((found.upper > 0) & (found.upper < told), told, found.upper)
    if usual is not None and told >= _SOME and least_told(usual.few) >= _FEWER * least:
        # That none is gone of so many rows says the same of the latest batch, and is true of all.
        upper = np.where(upper <= told, 0.0, upper)
    kept = np.flatnonzero((upper < share) & (least <= _RARE) & (most > by_chance(1, 1)))
    return replace(found, upper=upper[kept], **{name: getattr(found, name)[kept] for name in ("k", "width", "lower", "fpr")})
