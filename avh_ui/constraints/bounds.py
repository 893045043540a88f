"""Bounds of a number as people say them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from avh_ui.errors import UsageError
from avh_ui.history.anomalies import Strategy

# The bounds that do not belong to what they bound.
Strict = Literal["", "lower", "upper", "both"]
# A number; of dates and times the moment, of a length of time the length: in seconds, as their measures are.
Limit = float | date | timedelta
# A clause that a share behind it would be read as part of.
_CLAUSE = re.compile(r" where(ver)? ")


@dataclass(frozen=True)
class Bounds:
    """What a number must be: `lower <= number <= upper`, None leaves a side open. An end that is `strict` does not belong to it, and with
    `outside` the number must not be in it. With a `strategy` both are open: the bounds of each batch follow from the history.
    """

    lower: float | None = None
    upper: float | None = None
    strict: Strict = ""
    outside: bool = False
    strategy: Strategy | None = None

    def __post_init__(self) -> None:
        given: tuple[tuple[str, object], ...] = (("lower", self.lower), ("upper", self.upper))
        for name, bound in given:
            if bound is not None and (isinstance(bound, bool) or not isinstance(bound, int | float) or math.isnan(bound)):
                raise UsageError(f"The {name} bound {bound!r} is not a number.", hint="Give a number, or leave the bound out.")
        if self.lower is None and self.upper is None and self.strategy is None:
            hint = "Say what must hold: at_least, at_most, above, below, exactly, other_than, not_between or outside."
            raise UsageError("The rule has no bound.", hint=hint)
        if self.lower is not None and self.upper is not None:
            nothing = self.lower > self.upper or (self.lower == self.upper and bool(self.strict))
            if nothing and not self.outside:
                raise UsageError(f"No number is {self.words}.", hint="Let the lower bound be below the upper one.")

    @classmethod
    def of(
        cls,
        at_least: Limit | None = None,
        at_most: Limit | None = None,
        above: Limit | None = None,
        below: Limit | None = None,
        exactly: Limit | None = None,
        other_than: Limit | None = None,
        *,
        not_between: Sequence[Limit] | None = None,
        outside: Sequence[Limit] | None = None,
    ) -> Bounds:
        """As people say them; dates and times are seconds since 1970 (in UTC where they have no zone). The two of `not_between` are allowed
        themselves, those of `outside` are not. `UsageError` for two of one side.
        """
        given: list[Any] = [seconds_of(limit) for limit in (at_least, at_most, above, below, exactly, other_than)]
        least, most, over, under, *alone = given
        alone = [bound for bound in (*alone, not_between, outside) if bound is not None]
        if len(alone) + any(bound is not None for bound in given[:4]) > 1:
            raise UsageError("`exactly`, `other_than`, `not_between` and `outside` stand alone.", hint="Leave out the other bounds.")
        if not_between is not None:
            return cls(*_two(not_between, "not_between"), "both", outside=True)
        if outside is not None:
            return cls(*_two(outside, "outside"), outside=True)
        if alone:
            return cls(alone[0], alone[0], outside=other_than is not None)
        for one, other, names in ((least, over, "`at_least` and `above`"), (most, under, "`at_most` and `below`")):
            if one is not None and other is not None:
                raise UsageError(f"{names} are two bounds of one side.", hint="Give one of them.")
        strict: Strict = "both" if None not in (over, under) else "lower" if over is not None else "upper" if under is not None else ""
        return cls(over if least is None else least, under if most is None else most, strict)

    def holds(self, number: float) -> bool:
        """Whether the number is as it must be; NaN is not."""
        above = self.lower is None or (number > self.lower if self.strict in ("lower", "both") else number >= self.lower)
        below = self.upper is None or (number < self.upper if self.strict in ("upper", "both") else number <= self.upper)
        return not math.isnan(number) and (above and below) != self.outside

    def held(self, numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
        """`holds` of each number, shape (K,)."""
        above = np.ones(len(numbers), dtype=bool)
        if self.lower is not None:
            above &= numbers > self.lower if self.strict in ("lower", "both") else numbers >= self.lower
        if self.upper is not None:
            above &= numbers < self.upper if self.strict in ("upper", "both") else numbers <= self.upper
        found: NDArray[np.bool_] = ~np.isnan(numbers) & (above != self.outside)
        return found

    def of_share(self, says: str) -> str:
        """What rows keep, with the share of rows that must keep it: `x is never null in at least 99% of the rows`, and behind a clause
        with a comma, `y is the same wherever x is, in at least 90% of the rows`.
        """
        if (self.lower, self.upper, self.strict, self.outside) in ((1, None, "", False), (1, 1, "", False)):
            return says
        lower, upper = (None if bound is None else 100 * bound for bound in (self.lower, self.upper))
        percents = Bounds(lower, upper, self.strict, self.outside)
        comma = "," if _CLAUSE.search(says) else ""
        return f"{says}{comma} in {percents.words.replace(' and', '% and')}% of the rows"

    @property
    def words(self) -> str:
        """As the end of a sentence: `above 100 and below 3,000`, `exactly 1`."""
        return self.read()

    def read(self, read: Callable[[float], str] | None = None) -> str:
        """The same, each number as `read` has it."""
        said = read or _said
        if self.strategy is not None:
            return f"no anomaly by {self.strategy.words}"
        if self.lower is not None and self.lower == self.upper and not self.strict:
            return f"{'other than' if self.outside else 'exactly'} {said(self.lower)}"
        if self.outside and self.lower is not None and self.upper is not None and self.strict in ("", "both"):
            return (
                f"{'not between' if self.strict else 'outside of'} {said(self.lower)} {'and' if self.strict else 'to'} {said(self.upper)}"
            )
        low = "" if self.lower is None else f"{'above' if self.strict in ('lower', 'both') else 'at least'} {said(self.lower)}"
        high = "" if self.upper is None else f"{'below' if self.strict in ('upper', 'both') else 'at most'} {said(self.upper)}"
        return ("not " if self.outside else "") + " and ".join(filter(None, (low, high)))


def seconds_of(limit: Any) -> Any:
    """A date, time or length of time in seconds; a number of NumPy as Python's; all else as it is."""
    if isinstance(limit, np.generic):
        limit = limit.item()
    match limit:
        case datetime():
            return (limit if limit.tzinfo else limit.replace(tzinfo=UTC)).timestamp()
        case date():
            return datetime.combine(limit, time(), UTC).timestamp()
        case timedelta():
            return limit.total_seconds()
    return limit


def _two(limits: Any, name: str) -> tuple[Any, Any]:
    given = [seconds_of(limit) for limit in limits] if isinstance(limits, list | tuple) else []
    if len(given) != 2 or None in given:
        raise UsageError(f"{name}={limits!r} is no pair of bounds.", hint=f"Give two numbers: {name}=(4, 5).")
    low, high = given
    if isinstance(low, int | float) and isinstance(high, int | float) and low > high:
        raise UsageError(f"Nothing is between {low} and {high}.", hint="Let the first bound be below the second.")
    return low, high


def _said(number: float) -> str:
    return f"{number:,.10g}"
