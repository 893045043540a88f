"""Where a value is, beside its bounds, as verdicts say it."""

from __future__ import annotations

from collections.abc import Callable

_Read = Callable[[float | None], str]


def within_bounds(lower: float | None, upper: float | None, read: _Read) -> str:
    """Of a value that keeps its bounds."""
    if lower is not None and upper is not None:
        return f"exactly {read(lower)} as always" if lower == upper else f"within {read(lower)} to {read(upper)}"
    return f"at most {read(upper)}" if upper is not None else f"at least {read(lower)}" if lower is not None else "unbounded"


def beyond_bounds(observed: float, lower: float | None, upper: float | None, read: _Read) -> str:
    """Of one that does not."""
    if lower is not None and lower == upper:
        return f"not {read(lower)} as in every batch before"
    if upper is not None and observed > upper:
        return f"above the upper bound {read(upper)}"
    return f"below the lower bound {read(lower)}"
