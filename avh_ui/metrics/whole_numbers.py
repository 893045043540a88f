"""How many numbers are whole: `whole_ratio`. Amounts that are rounded on their way keep their level, their spread and their limits."""

from __future__ import annotations

import numpy as np

from avh_ui.metrics.column import NUMERIC
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.wording import Wording


def _share(state: DistributionState) -> float | None:
    """Of the values, of a sketch of those that it keeps; None without values."""
    values, shares = state.support()
    if not len(values):
        return None
    return float(np.clip(shares[values == np.rint(values)].sum(), 0.0, 1.0))


WHOLE_RATIO = Metric(
    "whole_ratio", NUMERIC, (DistributionState,), 1, "ratio", "share of whole numbers", single=_share, lowest=0, highest=1,
    says=Wording(
        "How many of the numbers are whole, as a share.", "the share of whole numbers in {column}",
        "Between {low} and {high} of {column} are whole numbers", "At least {low} of {column} are whole numbers",
        "At most {high} of {column} are whole numbers", "{low} of {column} are whole numbers, always",
        {0.0: "No {column} is a whole number", 1.0: "Every {column} is a whole number"},
    ),
)  # fmt: skip
