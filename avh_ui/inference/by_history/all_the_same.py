"""How seldom many values become one and the same, where never many were: the cost of the bound above `top_ratio`.

Where it is not far from what was, the law of `tails` holds: beyond 1, 1.5, 2, 3, 5 and 8 times the largest deviation lay 3.2, 1.4, 0.62,
0.11, 0.05 and 0.03 % of the next shares of 38,972 windows of 30 batches of six tables, and 1.1, 0.39, 0.15, 0.04, 0.03 and 0.02 % of 36,292
of 120. Then it ends: beyond 3 times the largest share and a tenth of the values lay 9 of 83,870, 82,039, 78,854 and 72,644 next ones after
14, 30, 60 and 120 batches, 6 of them of one day whose counts of tens and hundreds were 0.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from avh_ui.inference.by_history.modelled import Modelled
from avh_ui.metrics.most_frequent import TEXT_TOP_RATIO, TOP_RATIO

B = TypeVar("B", bound=Any)

_BATCHES, _TIMES, _SHARE = 14, 3.0, 0.1
# The 3 others are of a table's notes and of two columns that it was about to give up: 3 of 82,039 and of 72,644.
RATE = 4e-5


def tells_defaults(model: Modelled) -> bool:
    """Whether it is the share of the most frequent value as it is."""
    return model.metric in (TOP_RATIO, TEXT_TOP_RATIO) and model.transform.is_identity


def all_the_same(model: Modelled, found: B) -> B:
    """Bounds of which those that are so far above what ever was cost what was seen."""
    if not tells_defaults(model) or len(model.observed) < _BATCHES:
        return found
    far = (found.upper >= max(_TIMES * float(model.observed.max()), _SHARE)) & (found.lower <= 0)
    return replace(found, fpr=np.where(far, np.minimum(found.fpr, RATE), found.fpr))
