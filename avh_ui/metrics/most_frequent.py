"""How many values are one and the same: `top_ratio`, the share of the most frequent value.

A default, a stuck sensor or a join that found one row gives many rows one value, which may lie within all that ever came: amounts of which
a fifth become the middle one keep their level, their limits and, where a batch is small, their distances. As many of them as that are never
the same by chance.
"""

from __future__ import annotations

from dataclasses import replace

from avh_ui.metrics.column import NUMBER_KINDS, TEXT_KINDS
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.wording import Wording

# Of numbers and nearly unique texts so frequent a value is a default or a stuck sensor; of few different texts one has such a share.
_DEFAULT, _DEFAULT_TEXT = 0.5, 0.15


def _of_numbers(state: DistributionState) -> float | None:
    """Of a sketch that of the value that most of its weight stands on; None without values."""
    shares = state.support()[1]
    return float(shares.max()) if len(shares) else None


def _of_texts(state: FrequencyState) -> float | None:
    """Of a table that is not complete it may be too low by `undercount` rows, which are less than one in a thousand."""
    return max(state.table.values(), default=0) / state.n if state.n else None


_SAYS = Wording(
    "How many of the values are the most frequent one, as a share.", "the share of the most frequent value of {column}",
    "The most frequent value of {column} makes up {low} to {high} of its values",
    "The most frequent value of {column} makes up at least {low} of its values",
    "No value of {column} makes up more than {high} of its values",
    "The most frequent value of {column} always makes up {low} of its values",
    {1.0: "All values of {column} in a batch are the same"},
    little="No one value, such as a filled-in default, makes up more than {high} of the values of {column}", slight=_DEFAULT,
)  # fmt: skip
TOP_RATIO = Metric(
    "top_ratio", NUMBER_KINDS, (DistributionState,), 1, "ratio", "share of the most frequent value", single=_of_numbers,
    lowest=0, highest=1, share_of="values", says=_SAYS,
)  # fmt: skip
TEXT_TOP_RATIO = replace(TOP_RATIO, kinds=TEXT_KINDS, needs=(FrequencyState,), single=_of_texts, says=replace(_SAYS, slight=_DEFAULT_TEXT))
