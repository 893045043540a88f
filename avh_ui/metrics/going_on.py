"""Whether numbers go on from those of the batch before, as those that are handed out one after the other do: orders, tickets, events.

Rows of the batch before that come again under a new date keep every bound on how many, how large and how distinct they are; what they do
not is begin above its largest number.
"""

from __future__ import annotations

import numpy as np

from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.mix_words import plain_number
from avh_ui.metrics.rank_sketches import read
from avh_ui.metrics.wording import Wording


def _not_above(ours: DistributionState, theirs: DistributionState) -> float | None:
    """The share of our values that are not above their largest one; exact of a sketch where it is 0 or 1. None when a side is empty."""
    if not ours.n or not theirs.n:
        return None
    least, most = _ends(ours)
    top = _ends(theirs)[1]
    if not least <= top < most:
        return float(least <= top)
    values, shares = ours.support()
    return float(np.clip(shares[values <= top].sum(), 0.0, 1.0))


def _ends(state: DistributionState) -> tuple[float, float]:
    """The smallest and the largest value, exact of a sketch too."""
    if state.exact:
        return float(state.values[0]), float(state.values[-1])
    sketch = read(state.kll)
    return float(sketch.get_min_value()), float(sketch.get_max_value())


def _told(ours: DistributionState, theirs: DistributionState) -> str:
    """`the smallest is 1, and the batch before ended at 5,108,089.`; '' where numbers go on."""
    if not _not_above(ours, theirs):
        return ""
    return f"the smallest is {plain_number(_ends(ours)[0])}, and the batch before ended at {plain_number(_ends(theirs)[1])}."


NOT_ABOVE = Metric(
    "not_above_ratio", frozenset({"numeric"}), (DistributionState,), 2, "ratio", "share of values up to the largest of the batch before",
    pair=_not_above, tells=_told, lowest=0, highest=1, of_every_value=True, plain="constant",
    says=Wording(
        "How many of the values are not larger than the largest one of the batch before, as a share: 0% where numbers go on from it.",
        "the share of {column} that is not above all of the batch before",
        "{low} to {high} of the values of {column} are not above all of the batch before",
        "At least {low} of the values of {column} are not above all of the batch before",
        "At most {high} of the values of {column} are not above all of the batch before",
        "{low} of the values of {column} are not above all of the batch before, always",
        {0.0: "Every {column} is above all of the batch before"},
    ),
)  # fmt: skip
