"""What quartiles tell of numbers beside those of another batch: all are ten times as large, or two columns were exchanged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

from avh_ui.metrics.column import Floats
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.metric import States, find
from avh_ui.metrics.profile import ColumnProfile

_AT = (0.25, 0.5, 0.75)
# Of fewer numbers chance makes a factor.
_LEAST = 5
# What people do to units: shifts of the point, and miles for kilometres; in words, with how far a quartile may be from it. From a day to
# the next a level moves by some percent by itself, so that only what is near enough to 1.6 may be of miles.
_MILES = "(miles and kilometres?)"
_FACTORS = (
    (1_000.0, "1,000 times", 1.3), (100.0, "100 times", 1.3), (10.0, "ten times", 1.3), (0.1, "a tenth", 1.3), (0.01, "a hundredth", 1.3),
    (0.001, "a thousandth", 1.3), (1.609, "1.6 times", 1.06), (1 / 1.609, "0.62 times", 1.06),
)  # fmt: skip
# Quartiles of one column are as near from a day to the next, and those of two columns that could be told apart farther.
_NEAR, _APART = 1.25, 1.5


def level_words(ours: States, theirs: States) -> str:
    """`about 1,000 times as large`, where each quartile is about so many times what it was; '' for any other factor."""
    now, then = _quartiles(ours), _quartiles(theirs)
    if now is None or then is None:
        return ""
    told = next((one for one in _FACTORS if _near(now, [one[0] * value for value in then], one[2])), None)
    if told is None:
        return ""
    return f"about {told[1]} as large{f' {_MILES}' if 0.5 < told[0] < 2 else ''}"


def exchanged(names: Sequence[str], ours: Mapping[str, ColumnProfile], theirs: Mapping[str, ColumnProfile]) -> tuple[str, str] | None:
    """Two of these columns of which each is as the other one was, and not as it was itself; None where there are none."""
    there = [name for name in names if name in ours and name in theirs]
    now, then = ({name: _quartiles(side[name].states) for name in there} for side in (ours, theirs))
    for one, other in combinations(there, 2):
        a, b, was_a, was_b = now[one], now[other], then[one], then[other]
        if a is None or b is None or was_a is None or was_b is None or ours[one].kind != ours[other].kind:
            continue
        if _near(a, was_b, _NEAR) and _near(b, was_a, _NEAR) and not (_near(a, was_a, _APART) or _near(b, was_b, _APART)):
            return one, other
    return None


def _quartiles(states: States) -> list[float] | None:
    """None of few numbers, and of what are none."""
    found = find(states, DistributionState)
    if found is None or found.n < _LEAST:
        return None
    values = [found.quantile(at) for at in _AT]
    return values if all(map(math.isfinite, values)) and any(values) else None


def _near(one: Sequence[float] | Floats, other: Sequence[float], times: float) -> bool:
    """Whether each is the other one, within so many times; 0 is near to 0 alone."""
    return all(a == b or (a * b > 0 and 1 / times < a / b < times) for a, b in zip(one, other, strict=True))
