"""What a table usually has on each weekday, so that a bound moves with the week: a Sunday is held to Sundays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from avh_ui.constraints.plain_data import Number
from avh_ui.history.series import Series
from avh_ui.typed import CLOSED

NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
# Beyond this exponential there are no doubles.
_LARGEST_LOG = 700.0
# What was a whole number is one within float noise.
_NOISE = 1e-6


@dataclass(frozen=True)
class Weekdays:
    """By weekday, Monday first, the `usual` number and its `spread`, how far the logarithm of others of that weekday usually is from it.

    A number of a weekday (1 to 7, as `isoweekday`) is compared by how many of its spreads it is away from what is usual there.
    """

    __pydantic_config__ = CLOSED
    usual: tuple[Number, ...]
    spread: tuple[Number, ...]

    def __post_init__(self) -> None:
        if len(self.usual) != len(NAMES) or len(self.spread) != len(NAMES):
            raise ValueError(f"a week has {len(NAMES)} days, and not {len(self.usual)} usual numbers and {len(self.spread)} spreads")
        if min(self.usual) < 0 or min(self.spread) <= 0:
            raise ValueError(f"usual numbers are not below 0 and spreads are above it: {list(self.usual)}, {list(self.spread)}")

    @property
    def record(self) -> dict[str, object]:
        """As plain data, as a document has it."""
        return {"usual": list(self.usual), "spread": list(self.spread)}

    def apart(self, values: Series, weekdays: Series) -> Series:
        """How many spreads values are away from what is usual, both of any one shape; NaN below 0 and where the weekday is not known."""
        known = np.isfinite(weekdays) & (values >= 0)
        places = np.where(known, weekdays, 1).astype(np.int64) - 1
        usual, spread = np.log1p(np.array(self.usual))[places], np.array(self.spread)[places]
        found: Series = np.where(known, (np.log1p(np.where(known, values, 0.0)) - usual) / spread, np.nan)
        return found

    def number(self, apart: float, weekday: float) -> float:
        """The whole number that is so many spreads away on a weekday, or within them."""
        place = int(weekday) - 1
        log = math.log1p(self.usual[place]) + apart * self.spread[place]
        if log >= _LARGEST_LOG:
            return math.inf
        found = math.expm1(log)
        return float(math.ceil(found - _NOISE) if apart < 0 else math.floor(found + _NOISE))

    def busiest_and_quietest(self) -> Sequence[int]:
        """The weekdays with the most and with the least, 1 to 7; the one where all are alike."""
        order = [self.usual.index(end) + 1 for end in (max(self.usual), min(self.usual))]
        return order[:1] if order[0] == order[1] else order
