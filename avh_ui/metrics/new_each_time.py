"""Whether texts are new in each batch, as ids of sessions, tickets or requests are: how many of them the batch before had.

Rows of the batch before that come again under a new date keep every bound on how many, how long and how distinct their texts are.
"""

from __future__ import annotations

from avh_ui.metrics.column import TEXT_KINDS
from avh_ui.metrics.distinct import HLL_RELATIVE_ERROR
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.wording import Wording

# By so many errors of their union two sketches have something in common: of 660 pairs of 1,500 to 200,000 new texts each none had 2.4.
_ERRORS = 3.0


def _there_before(ours: FrequencyState, theirs: FrequencyState) -> float | None:
    """The share of our different values that they have; of sketches 0 where it is too small to be told. None when a side is empty."""
    if not ours.n or not theirs.n:
        return None
    own = ours.distinct()
    if ours.exact and theirs.exact:
        return len(ours.table.keys() & theirs.table.keys()) / own
    union = ours.merge(theirs).distinct()
    both = own + theirs.distinct() - union
    return min(1.0, both / own) if both > _ERRORS * HLL_RELATIVE_ERROR * union else 0.0


def _told(ours: FrequencyState, theirs: FrequencyState) -> str:
    """`1,749 of 1,749 values were in the batch before.`; '' where none was."""
    share = _there_before(ours, theirs)
    if not share:
        return ""
    about = "" if ours.exact and theirs.exact else "about "
    own = ours.distinct()
    return f"{about}{round(share * own):,} of {own:,.0f} values were in the batch before, too."


THERE_BEFORE = Metric(
    "there_before_ratio", TEXT_KINDS, (FrequencyState,), 2, "ratio", "share of the different values that the batch before had",
    pair=_there_before, tells=_told, lowest=0, highest=1, of_every_value=True, plain="constant", share_of="different values",
    says=Wording(
        "How many of the different values the batch before had, too, as a share: 0% where each batch brings new ones.",
        "the share of different values of {column} that the batch before had",
        "{low} to {high} of the different values of {column} were in the batch before",
        "At least {low} of the different values of {column} were in the batch before",
        "At most {high} of the different values of {column} were in the batch before",
        "{low} of the different values of {column} were in the batch before, always",
        {0.0: "No value of {column} was in the batch before", 1.0: "Every value of {column} was in the batch before"},
    ),
)  # fmt: skip
