"""Where a value is, beside its bounds, as verdicts say it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

_Read = Callable[[float | None], str]
# A share of more decimals is no longer told by three of its digits.
_DECIMALS = 6
# Of what was observed so many digits are read; six of them say no more. Large numbers are told whole, for people compare them.
_DIGITS, _LARGE = 4, 1e6


def brief(read: _Read, shares: Iterable[float | None]) -> _Read:
    """Of shares with three digits of what is there or of what is missing, whichever is less (`76.3%`, `99.964%`), where these tell all of
    them apart; else as `read` does.
    """
    given = {share for share in shares if share is not None and math.isfinite(share)}
    texts = {_brief(share) for share in given if 0 <= share <= 1}
    # Neither nearly none nor nearly all of them is none or all.
    if len(texts) < len(given) or len(texts & {"0%", "100%"}) > len(given & {0.0, 1.0}):
        return read
    return lambda share: read(share) if share is None or not 0 <= share <= 1 else _brief(share)


def _brief(share: float) -> str:
    less = 100 * min(share, 1 - share)
    decimals = _DECIMALS if less <= 0 else min(_DECIMALS, max(0, 2 - math.floor(math.log10(less))))
    text = f"{100 * share:.{decimals}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text}%"


def rounded(read: _Read, observed: float | None, *others: float | None) -> _Read:
    """Of what was observed four digits, where it is no whole number and these stand to the bounds as it does; of all others as `read` does:
    a bound is told as it was approved.
    """
    if observed is None or not math.isfinite(observed) or observed == int(observed) or abs(observed) >= _LARGE:
        return read
    short = float(f"{observed:.{_DIGITS}g}")
    known = [other for other in others if other is not None]
    if any(short == other or (short > other) != (observed > other) for other in known):
        return read
    return lambda value: read(short if value == observed else value)


def within_bounds(lower: float | None, upper: float | None, read: _Read) -> str:
    """Of a value that keeps its bounds."""
    if lower is not None and upper is not None:
        return f"exactly {read(lower)} as it should be" if lower == upper else f"within {read(lower)} to {read(upper)}"
    return f"at most {read(upper)}" if upper is not None else f"at least {read(lower)}" if lower is not None else "unbounded"


def beyond_bounds(observed: float, lower: float | None, upper: float | None, read: _Read) -> str:
    """Of one that does not; on a bound itself where that is none of the values it lets pass."""
    if lower is not None and lower == upper:
        return f"not {read(lower)} as it should be"
    if observed == lower:
        return f"not above {read(lower)}"
    if upper is not None and observed >= upper:
        return f"not below {read(upper)}" if observed == upper else f"above the upper bound {read(upper)}"
    return f"below the lower bound {read(lower)}"
