"""An anomaly strategy that compares with one number of the last batches: their mean, median, least, greatest, sum or standard deviation
(Glue's `last(k)`), or the first of them (Soda's same day last week).
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
DEVIATION = "standard_deviation"


def _first(values: Series) -> Any:
    return values[0]


def _deviation(values: Series) -> Any:
    """Of a sample, as of the batches that are yet to come."""
    return np.std(values, ddof=1)


OF: Mapping[str, Callable[[Series], Any]] = {
    "mean": np.mean,
    "median": np.median,
    "min": np.min,
    "max": np.max,
    "sum": np.sum,
    FIRST: _first,
    DEVIATION: _deviation,
}
_ENDS = ("", "lower", "upper", "both")


@dataclass(frozen=True)
class Recent(Strategy):
    """`lower` and `upper` times a number `of` the last `batches` values (of as many as there are, one at least; of the first of them all
    must be there), `plus` an amount; `deviations` widens both sides by so many standard deviations of the same batches (two at least).

    Literally so: of a negative number 0.8 times it is more than it, unless it is `absolute`, taken without its sign. Ends that are `strict`
    do not belong to what is allowed.
    """

    name: ClassVar[str] = "recent"
    lower: float | None = None
    upper: float | None = None
    of: str = "mean"
    batches: int = 1
    plus: float = 0.0
    strict: str = ""
    deviations: float = 0.0
    absolute: bool = False

    def __post_init__(self) -> None:
        if self.lower is None and self.upper is None:
            raise UsageError(f"{self.name} has no bound.", hint="Give lower, upper or both, as multiples.")
        require_numbers(self, "lower", "upper", "plus", "deviations")
        if self.of not in OF:
            raise UsageError(f"There is no {self.of!r} of batches.", hint=nearest(str(self.of), OF))
        given: object = self.batches
        if isinstance(given, bool) or not isinstance(given, int) or given < 1:
            raise UsageError(f"batches={given!r} is no number of batches.", hint="Give a whole number, 1 or more.")
        if self._spread and self.batches == 1:
            raise UsageError("One batch has no standard deviation.", hint="Give batches=2 or more.")
        if self.strict not in _ENDS:
            raise UsageError(f"strict={self.strict!r} is no end.", hint="Give lower, upper or both, or leave it out.")

    @property
    def least(self) -> int:
        """One batch, or two of which there is a deviation; those up to the one that is compared with."""
        return self.batches if self.of == FIRST else 2 if self._spread else 1

    @property
    def _spread(self) -> bool:
        return self.of == DEVIATION or bool(self.deviations)

    @property
    def words(self) -> str:
        """It in words."""
        which = "the batch before" if self.batches == 1 else f"the {self.of.replace('_', ' ')} of the last {self.batches} batches"
        which = f"the batch {self.batches} before" if self.of == FIRST and self.batches > 1 else which
        which += " without its sign" if self.absolute else ""
        whose = f"the standard deviation of the last {self.batches} batches" if self.of == FIRST else "their standard deviation"
        ends = []
        for end, limit, within, beyond in (("lower", self.lower, "at least", "above"), ("upper", self.upper, "at most", "below")):
            if limit is not None:
                times = "" if limit == 1 else f"{limit:,g} times "
                spread = _more(self.deviations if end == "upper" else -self.deviations, f" times {whose}")
                ends.append(f"{beyond if self.strict in (end, 'both') else within} {times}{which}{spread}{_more(self.plus)}")
        return f"recent, {' and '.join(ends)}"

    def band(self, values: Series, start: int, stop: int) -> Band:
        """By the values before each; NaN before the first."""
        known = [some if len(some := values[max(0, k - self.batches) : k]) >= self.least else None for k in range(start, stop)]
        reference, spread = (
            np.array([np.nan if some is None else of(some) for some in known], dtype=np.float64) for of in (OF[self.of], self._width)
        )
        reference = np.abs(reference) if self.absolute else reference
        lower, upper = (np.full(stop - start, end) for end in (-np.inf, np.inf))
        if self.lower is not None:
            lower = self.lower * reference - spread + self.plus
        if self.upper is not None:
            upper = self.upper * reference + spread + self.plus
        # What does not belong to the band is beyond the next number within.
        lower = np.nextafter(lower, np.inf) if self.strict in ("lower", "both") and self.lower is not None else lower
        upper = np.nextafter(upper, -np.inf) if self.strict in ("upper", "both") and self.upper is not None else upper
        unknown = np.isnan(reference)
        return np.where(unknown, np.nan, lower), np.where(unknown, np.nan, upper)

    def _width(self, values: Series) -> Any:
        return self.deviations * _deviation(values) if self.deviations else 0.0


def _more(amount: float, of: str = "") -> str:
    return f" {'plus' if amount > 0 else 'minus'} {abs(amount):,g}{of}" if amount else ""
