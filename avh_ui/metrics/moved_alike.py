"""What rows that moved did all alike: a factor, a number that all have now, one text for another. It says more than that they changed."""

from __future__ import annotations

from collections import Counter

import numpy as np

from avh_ui.metrics.joining import Places
from avh_ui.metrics.matched_numbers import Mask
from avh_ui.metrics.matching import MatchedChange

# Nearly all: a few rows may have changed by themselves on the same day.
_MOST = 0.9
# Of fewer rows anything may be alike.
_LEAST = 3
# Rounded to cents 1.08 times 1,000 is as much within this share.
_SAME = 0.01


_NOTHING: Mask = np.zeros(0, dtype=bool)


def alike(change: MatchedChange, rows: Mask) -> tuple[str, Mask]:
    """What most of these rows did, as the end of a sentence: `are 1,000 times what they were`, `are 0 now`, `changed from a to b`; and
    which of them did it. '' where they have nothing in common.
    """
    which = np.flatnonzero(rows)
    if len(which) < _LEAST:
        return "", _NOTHING
    return _numbers(change, which) if change.numeric else _texts(change, which)


def _numbers(change: MatchedChange, which: Places) -> tuple[str, Mask]:
    before, after = change.before[which], change.after[which]
    ends, counts = np.unique(after[np.isfinite(after)], return_counts=True)
    if len(ends) and counts.max() >= _MOST * len(which):
        end = float(ends[counts.argmax()])
        return f"are {change.ours.number(end)} now", after == end
    known = np.isfinite(before) & np.isfinite(after) & (before != 0)
    if known.sum() < _MOST * len(which):
        return "", _NOTHING
    factors = np.full(len(which), np.nan)
    factors[known] = after[known] / before[known]
    factor = float(np.median(factors[known]))
    did = np.abs(factors - factor) <= _SAME * abs(factor)
    # Of one old number any new one is a factor.
    if len(np.unique(before[known])) < _LEAST or np.count_nonzero(did) < _MOST * len(which) or abs(factor - 1) <= 2 * _SAME:
        return "", _NOTHING
    return _times(factor), did


def _times(factor: float) -> str:
    if abs(factor + 1) <= _SAME:
        return "changed their sign"
    return f"are {factor:,.4g} times what they were" if factor >= 1 or factor < 0 else f"are 1/{1 / factor:,.4g} of what they were"


def _texts(change: MatchedChange, which: Places) -> tuple[str, Mask]:
    before = change.theirs.codes[change.joined.theirs[which]]
    after = change.ours.codes[change.joined.ours[which]]
    (then, now), count = Counter(zip(before.tolist(), after.tolist(), strict=True)).most_common(1)[0]
    if min(then, now) < 0 or count < _MOST * len(which):
        return "", _NOTHING
    names = [side.names[code].as_py().decode("utf-8", "replace") for side, code in ((change.theirs, then), (change.ours, now))]
    return (f"changed from {names[0]} to {names[1]}", (before == then) & (after == now)) if names[0] != names[1] else ("", _NOTHING)
