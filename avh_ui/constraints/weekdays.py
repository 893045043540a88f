"""What a table usually has on each weekday, so that a bound moves with the week and with growth: a Sunday is held to Sundays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from avh_ui.constraints.plain_data import Number
from avh_ui.history.series import Series
from avh_ui.typed import CLOSED, LEFT_OUT, Whole

NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
# Beyond this exponential there are no doubles.
_LARGEST_LOG = 700.0
# What was a whole number is one within float noise.
_NOISE = 1e-6
# The first day of 1970 was a Thursday.
_THURSDAY = 3


@dataclass(frozen=True)
class Weekdays:
    """By weekday, Monday first, the `usual` number and its `spread`, how far the logarithm of others of that weekday usually is from it.

    A number of a weekday (1 to 7, as `isoweekday`) is compared by how many of its spreads it is away from what is usual there. Where that
    grows, by `growth` of its logarithm a day, it is what is usual on the day `since`, and numbers are compared by their day: both in days
    since 1970. Later on whatever lies between that and what has grown on is usual: growth ends unannounced.
    """

    __pydantic_config__ = CLOSED
    usual: tuple[Number, ...]
    spread: tuple[Number, ...]
    growth: Annotated[Number, LEFT_OUT] = 0.0
    since: Annotated[Whole, LEFT_OUT] = 0

    def __post_init__(self) -> None:
        if len(self.usual) != len(NAMES) or len(self.spread) != len(NAMES):
            raise ValueError(f"a week has {len(NAMES)} days, and not {len(self.usual)} usual numbers and {len(self.spread)} spreads")
        if min(self.usual) < 0 or min(self.spread) <= 0:
            raise ValueError(f"usual numbers are not below 0 and spreads are above it: {list(self.usual)}, {list(self.spread)}")
        if not abs(self.growth) < 1:
            raise ValueError(f"what is usual grows by less than a logarithm of 1 a day, and not by {self.growth}")

    @property
    def record(self) -> dict[str, object]:
        """As plain data, as a document has it."""
        grows: dict[str, object] = {"growth": self.growth, "since": self.since} if self.growth else {}
        return {"usual": list(self.usual), "spread": list(self.spread)} | grows

    @property
    def part(self) -> str:
        """The part of a batch's id that says what is usual."""
        return "date" if self.growth else "weekday"

    @property
    def growing(self) -> str:
        """How what is usual grows, as the end of a sentence: `, up to 4.4% more a week`; '' where it stays."""
        more = 100 * math.expm1(7 * self.growth)
        return f", up to {float(f'{abs(more):.2g}'):g}% {'more' if more > 0 else 'less'} a week" if more else ""

    def name(self, told: float) -> str:
        """The weekday of what a batch's id says: its number, or a day where what is usual grows."""
        return NAMES[int(self._places(np.array(told)))]

    def apart(self, values: Series, told: Series) -> Series:
        """How many spreads values are away from what is usual, both of any one shape; NaN below 0 and where no day is told."""
        known = np.isfinite(told) & (values >= 0)
        days = np.where(known, told, 1)
        spread = np.array(self.spread)[self._places(days)]
        logs, (low, high) = np.log1p(np.where(known, values, 0.0)), self._ends(days)
        found: Series = np.where(known, (logs - np.clip(logs, low, high)) / spread, np.nan)
        return found

    def number(self, apart: float, told: float) -> float:
        """The whole number that is so many spreads away on a day, or within them."""
        day = np.array(told)
        low, high = self._ends(day)
        log = float(low if apart < 0 else high) + apart * self.spread[int(self._places(day))]
        if log >= _LARGEST_LOG:
            return math.inf
        found = math.expm1(log)
        return float(math.ceil(found - _NOISE) if apart < 0 else math.floor(found + _NOISE))

    def busiest_and_quietest(self) -> Sequence[int]:
        """The days with the most and with the least, as a batch's id tells them; the one where all are alike. Of what grows those of the
        week that comes.
        """
        order = [self.usual.index(end) for end in (max(self.usual), min(self.usual))]
        places = order[:1] if order[0] == order[1] else order
        return [self.since + 1 + (place - self.since - 1 - _THURSDAY) % len(NAMES) if self.growth else place + 1 for place in places]

    def _places(self, told: Series) -> Series:
        """Which weekday each is, Monday 0."""
        found: Series = ((told + _THURSDAY) % len(NAMES) if self.growth else told - 1).astype(np.int64)
        return found

    def _ends(self, told: Series) -> tuple[Series, Series]:
        """The logarithms of the least and the most that is usual then: they differ once it may have grown on."""
        level, days = np.log1p(np.array(self.usual))[self._places(told)], told - self.since
        grown = level + self.growth * days
        ended = np.where(days > 0, level, grown)
        return np.minimum(ended, grown), np.maximum(ended, grown)
