"""A column that is a line of another one: how far rows may be from it, as a test and in SQL, and in words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from avh_ui.inference.by_relation.cells import Floats
from avh_ui.inference.by_relation.constants import RELATIVE, Constant
from avh_ui.inference.by_relation.rounding import Rounding


@dataclass(frozen=True)
class Line:
    """That `y` is a line of `x`: how each may be rounded, what has to be added to y for what is cut off (`shift`), and how far the slope is
    uncertain (`open`).
    """

    y: str
    x: str
    slope: Constant
    begin: float
    rising: bool
    of_y: Rounding
    of_x: Rounding
    digits: int
    shift: float = 0.0
    open: float = 0.0

    @cached_property
    def half(self) -> float:
        """How far y may be from it, whatever its values are."""
        return self.of_y.half + self.slope.times * self.of_x.half

    def apart(self, y: Floats, x: Floats) -> Floats:
        """How far each row is from it beyond what its values allow, reckoned as in SQL: at most `half` where it keeps it."""
        times = self._times(x)
        found = np.abs(y + self.shift - (times + self.begin))
        for share, values in ((self.of_y.share, y), (self.of_x.share, times), (self.open, x)):
            found = found - share * np.abs(values) if share else found
        return np.asarray(found)

    def exact(self, y: Floats, x: Floats) -> bool:
        """Whether all rows are on it but for what doubles are off by."""
        times = self._times(x)
        largest = np.maximum(np.maximum(np.abs(y), np.abs(times)), abs(self.begin))
        return bool(np.all(np.abs(y - (times + self.begin)) <= RELATIVE * largest))

    def _times(self, x: Floats) -> Floats:
        times = x / self.slope.value if self.slope.divides else self.slope.value * x
        return times if self.rising else -times

    def condition(self, y: str, x: str) -> str:
        """The same in SQL; what depends on the values stands on the left, where NaN and infinity keep nothing."""
        times = self.slope.sql(x)
        made = times if self.rising else f"-({times})"
        made = f"{made} {'-' if self.begin < 0 else '+'} {abs(self.begin)!r}D" if self.begin else made
        shifted = f"{y} {'+' if self.shift > 0 else '-'} {abs(self.shift)!r}D" if self.shift else y
        found = f"abs({shifted} - ({made}))"
        for share, values in ((self.of_y.share, y), (self.of_x.share, times), (self.open, x)):
            found += f" - {share!r}D * abs({values})" if share else ""
        return f"{found} <= {self.half!r}D"

    def words(self, *, exact: bool) -> str:
        """`fahrenheit is 1.8 times celsius plus 32, rounded`."""
        rounded = "" if exact and not self.shift else ", rounded"
        return f"{self.y} is {self._made()}{rounded}{'' if not self.shift else ' down' if self.shift > 0 else ' up'}"

    def _made(self) -> str:
        value = _said(self.slope.value)
        times = self.x if self.slope.value == 1 else f"{self.x} / {value}" if self.slope.divides else f"{value} times {self.x}"
        if not self.rising:
            return f"{_said(self.begin)} minus {times}" if self.begin else f"minus {times}"
        if not self.begin:
            return times
        return f"{times} {'plus' if self.begin > 0 else 'minus'} {_said(abs(self.begin))}"


def _said(value: float) -> str:
    """All digits of a constant that is known by all of them."""
    return f"{value:,.12g}"
