"""That no frequent value is gone: only where the rows of a batch tell it, and no nearer than they do.

A value is called gone from some 20 rows on, as what fewer had may be left out by chance (`metrics.values_gone`). "No value is gone that
more than 20 % of the rows had" was said of months of 30 days, of which 7 had a match of the Bulls and in May none had: it is true of 66
%.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from avh_ui.metrics.values_gone import GONE, least_told

B = TypeVar("B", bound=Any)
# Where a value that fewer than so many of the rows have may go unnoticed the rule says too little.
_RARE = 0.25
# Half a hundredth is as fine as such a share is read.
_STEPS = 200


def told_by(found: B, rows: int) -> B:
    """Candidates of which a batch of so many `rows` tells what they say; those of other metrics as they are."""
    if found.model.metric.name != GONE.name or not rows:
        return found
    least = least_told(rows)
    if least > _RARE:
        return replace(found, **{name: getattr(found, name)[:0] for name in ("k", "width", "lower", "upper", "fpr")})
    told = math.ceil(least * _STEPS - 1e-9) / _STEPS
    return replace(found, upper=np.where((found.upper > 0) & (found.upper < told), told, found.upper))
