"""An anomaly strategy that compares with one number of the last batches: their mean, median, least, greatest or sum (Glue's `last(k)`), or
the first of them (Soda's same day last week).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from avh_ui.errors import UsageError, nearest
from avh_ui.history.anomalies import Band, Strategy, require_numbers
from avh_ui.history.series import Series

FIRST = "first"


def _first(values: Series) -> Any:
    return values[0]


OF: Mapping[str, Callable[[Series], Any]] = {
    "mean": np.mean,
    "median": np.median,
    "min": np.min,
    "max": np.max,
    "sum": np.sum,
    FIRST: _first,
}
_ENDS = ("", "lower", "upper", "both")


@dataclass(frozen=True)
class Recent(Strategy):
    """`lower` and `upper` times a number `of` the last `batches` values (of as many as there are, one at least; of the first of them all
    must be there), `plus` an amount.

    Literally so: of a negative number 0.8 times it is more than it. Ends that are `strict` do not belong to what is allowed.
    """

    name: ClassVar[str] = "recent"
    lower: float | None = None
    upper: float | None = None
    of: str = "mean"
    batches: int = 1
    plus: float = 0.0
    strict: str = ""

    def __post_init__(self) -> None:
        if self.lower is None and self.upper is None:
            raise UsageError(f"{self.name} has no bound.", hint="Give lower, upper or both, as multiples.")
        require_numbers(self, "lower", "upper", "plus")
        if self.of not in OF:
            raise UsageError(f"There is no {self.of!r} of batches.", hint=nearest(str(self.of), OF))
        given: object = self.batches
        if isinstance(given, bool) or not isinstance(given, int) or given < 1:
            raise UsageError(f"batches={given!r} is no number of batches.", hint="Give a whole number, 1 or more.")
        if self.strict not in _ENDS:
            raise UsageError(f"strict={self.strict!r} is no end.", hint="Give lower, upper or both, or leave it out.")

    @property
    def least(self) -> int:
        """One batch; those up to the one that is compared with."""
        return self.batches if self.of == FIRST else 1

    @property
    def words(self) -> str:
        """It in words."""
        which = "the batch before" if self.batches == 1 else f"the {self.of} of the last {self.batches} batches"
        which = f"the batch {self.batches} before" if self.of == FIRST and self.batches > 1 else which
        more = f" {'plus' if self.plus > 0 else 'minus'} {abs(self.plus):,g}" if self.plus else ""
        ends = []
        for end, limit, within, beyond in (("lower", self.lower, "at least", "above"), ("upper", self.upper, "at most", "below")):
            if limit is not None:
                ends.append(
                    f"{beyond if self.strict in (end, 'both') else within} {'' if limit == 1 else f'{limit:,g} times '}{which}{more}"
                )
        return f"recent, {' and '.join(ends)}"

    def band(self, values: Series, start: int, stop: int) -> Band:
        """By the values before each; NaN before the first."""
        known = [values[max(0, place - self.batches) : place] for place in range(start, stop)]
        reference = np.array([OF[self.of](some) if len(some) >= self.least else np.nan for some in known], dtype=np.float64)
        lower, upper = (np.full(stop - start, end) for end in (-np.inf, np.inf))
        if self.lower is not None:
            lower = self.lower * reference + self.plus
        if self.upper is not None:
            upper = self.upper * reference + self.plus
        # What does not belong to the band is beyond the next number within.
        lower = np.nextafter(lower, np.inf) if self.strict in ("lower", "both") and self.lower is not None else lower
        upper = np.nextafter(upper, -np.inf) if self.strict in ("upper", "both") and self.upper is not None else upper
        unknown = np.isnan(reference)
        return np.where(unknown, np.nan, lower), np.where(unknown, np.nan, upper)
