"""Which straight lines pass all points, each of which may be off by some amount in both directions: their slopes, and where they begin."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from avh_ui.inference.by_relation.cells import Floats

# The interval is cut to two thirds so often that a double has no digit left.
_STEPS = 90


@dataclass(frozen=True, eq=False)
class Points:
    """Points of shape (m,), `x` off by up to `dx` and `y` by up to `dy`."""

    x: Floats
    y: Floats
    dx: Floats
    dy: Floats

    def through_zero(self) -> tuple[float, float] | None:
        """Between which slopes above 0 a line through 0 passes all of them."""
        low, high = 0.0, math.inf
        with np.errstate(all="ignore"):
            # The slope times the lesser end is at most the greater one of y, and the other way round.
            for x, y, below in ((self.x - self.dx, self.y + self.dy, True), (self.x + self.dx, self.y - self.dy, False)):
                ends = y / x
                if np.any((x == 0) & ((y < 0) if below else (y > 0))):
                    return None
                most, least = (x > 0, x < 0) if below else (x < 0, x > 0)
                high = min(high, float(np.min(ends, where=most, initial=math.inf)))
                low = max(low, float(np.max(ends, where=least, initial=-math.inf)))
        return (low, high) if 0 < low <= high < math.inf else None

    def begins(self, slope: float) -> tuple[float, float]:
        """Between what lines of this slope begin: the lower end is above the upper one where none passes."""
        left, off = self.y - slope * self.x, self.dy + abs(slope) * self.dx
        return float((left - off).max()), float((left + off).min())

    def slopes(self) -> tuple[float, float] | None:
        """Between which slopes a line passes all of them; None where none does, or where it may rise as well as fall."""
        found = self._within()
        if found is None:
            return None
        # How far apart the ends are that a slope leaves is concave: it has one peak, and falls to 0 on both sides.
        low, high = found
        for _ in range(_STEPS):
            one, other = low + (high - low) / 3, high - (high - low) / 3
            low, high = (one, high) if self._open(one) < self._open(other) else (low, other)
        peak = (low + high) / 2
        if self._open(peak) < 0:
            return None
        return self._end(found[0], peak), self._end(found[1], peak)

    def _within(self) -> tuple[float, float] | None:
        """Slopes that the points farthest to the left and to the right leave."""
        left, right = int(np.argmin(self.x)), int(np.argmax(self.x))
        wide, high = float(self.x[right] - self.x[left]), float(self.y[right] - self.y[left])
        off, up = float(self.dx[left] + self.dx[right]), float(self.dy[left] + self.dy[right])
        if wide <= off or abs(high) <= up:
            return None
        ends = [h / w for h in (high - up, high + up) for w in (wide - off, wide + off)]
        return min(ends), max(ends)

    def _open(self, slope: float) -> float:
        low, high = self.begins(slope)
        return high - low

    def _end(self, outside: float, inside: float) -> float:
        for _ in range(_STEPS):
            middle = (outside + inside) / 2
            outside, inside = (outside, middle) if self._open(middle) >= 0 else (middle, inside)
        return inside
