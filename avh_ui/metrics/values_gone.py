"""Whether a value that was frequent in the batch before is gone: `gone_ratio`, the share that the most frequent of them had.

A mix of values is held to how far it moves from day to day, within which one of 3 % may vanish. That it vanishes at all never happens by
chance: a value of which the batch before had c rows is in none of as many rows again with the probability 2 ** -c, where it is as likely as
before. So it is counted where that is less than one in a million, from 20 rows on; values that come and go in bursts, or on some days of
the week, have done so in the history, and raise its bound.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from avh_ui.metrics.column import NUMERIC, TEXT_KINDS
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.mix_words import percent, plain_number
from avh_ui.metrics.remembering import remembered
from avh_ui.metrics.wording import Wording

# A column of a hundred values in a hundred columns has one gone by chance in a hundred batches.
_CHANCE = 1e-6
# Of what a table that is not complete may hide a value had so many times as much, or is not called gone.
_HIDDEN = 4
# Of a long value its beginning tells it apart in a sentence.
_LONGEST = 40


def least_told(rows: float) -> float:
    """The least share of so many rows that a value needs to be called gone, 0 to 1: what fewer had may be left out by chance."""
    return min(by_chance(1, 1) / rows, 1.0) if rows > 0 else 1.0


def by_chance(before: int, now: int) -> float:
    """The most rows of a value in a batch of so many values `before` with which it may be in none of so many `now` by chance."""
    return math.log(1 / _CHANCE) / math.log1p(now / before)


@remembered
def _texts_gone(ours: FrequencyState, theirs: FrequencyState) -> tuple[str, int] | None:
    """The most frequent text of theirs that is not among ours, and its rows; None where there is none that is no matter of chance.

    A table that is not complete names no text of `undercount` rows or fewer, so that as many may be there.
    """
    # As many in a batch of the other size.
    hidden = ours.undercount * theirs.n / ours.n
    least = _HIDDEN * hidden + by_chance(theirs.n, ours.n)
    gone = [(count, value) for value, count in theirs.table.items() if count > least and value not in ours.table]
    count, value = max(gone, default=(0, ""))
    return (value, count) if count else None


@remembered
def _numbers_gone(ours: DistributionState, theirs: DistributionState) -> tuple[float, int] | None:
    """The same of numbers; of sketches, which do not name them, none."""
    if not (ours.exact and theirs.exact):
        return None
    gone = ~np.isin(theirs.values, ours.values) & (theirs.counts > by_chance(theirs.n, ours.n))
    if not gone.any():
        return None
    at = int(np.argmax(np.where(gone, theirs.counts, 0)))
    return float(theirs.values[at]), int(theirs.counts[at])


def _share(ours: FrequencyState | DistributionState, theirs: FrequencyState | DistributionState) -> float | None:
    """What share of theirs had the value that is gone; None when a side is empty."""
    if not ours.n or not theirs.n:
        return None
    found = _gone(ours, theirs)
    return 0.0 if found is None else found[1] / theirs.n


def _gone(ours: FrequencyState | DistributionState, theirs: FrequencyState | DistributionState) -> tuple[str | float, int] | None:
    if isinstance(ours, FrequencyState) and isinstance(theirs, FrequencyState):
        return _texts_gone(ours, theirs)
    assert isinstance(ours, DistributionState)
    assert isinstance(theirs, DistributionState)
    return _numbers_gone(ours, theirs)


def _told(ours: FrequencyState | DistributionState, theirs: FrequencyState | DistributionState) -> str:
    """`'HA' is gone: it was 3% of the values (31 of 1,020).`; '' where none is."""
    found = _gone(ours, theirs) if ours.n and theirs.n else None
    if found is None:
        return ""
    value, count = found
    named = repr(value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…") if isinstance(value, str) else plain_number(value)
    return f"{named} is gone: it was {percent(count / theirs.n)} of the values ({count:,} of {theirs.n:,})."


GONE = Metric(
    "gone_ratio", TEXT_KINDS, (FrequencyState,), 2, "ratio", "share that the most frequent value had that is gone", pair=_share,
    tells=_told, lowest=0, highest=1, share_of="values of the batch before",
    says=Wording(
        "How large a share of the batch before the most frequent value had that is gone now: 0% where none is gone, or so rare ones alone "
        "that chance may leave them out.",
        "the share, in the batch before, of a value of {column} that is gone now",
        "Between {low} and {high} of the values of {column} are one that is gone in the next batch",
        "At least {low} of the values of {column} are one that is gone in the next batch",
        "Every value of {column} that more than {high} of the rows of the batch before had comes again",
        "{low} of the values of {column} are one that is gone in the next batch",
        {0.0: "Every value of {column} that some 20 rows or more had in the batch before comes again"},
    ),
)  # fmt: skip
NUMBER_GONE = replace(GONE, kinds=NUMERIC, needs=(DistributionState,))
