"""Which line two columns lie on, in all rows, within what they are rounded to; and whether it is no chance that they do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_relation.cells import Floats
from avh_ui.inference.by_relation.constants import RELATIVE, Constant, Fitting, constant_between, fewest_digits
from avh_ui.inference.by_relation.lines import Line
from avh_ui.inference.by_relation.rounding import Rounding
from avh_ui.inference.by_relation.straight_lines import Points

# As of products: fewer rows tell nothing, nor do few different numbers.
LEAST_ROWS, DIFFERENT, TOTALS = 20, 10, 5
# Of a number known no better than this any rate fits.
_KNOWN = 0.02
# Where both are rounded, a row tells something that is so many times as far from the middle as rounding may move it.
_AWAY = 5.0
# What is added is told by the rows once more, so that it may be twice as likely by chance as not.
_ADDED_BY_CHANCE = 0.5
# In so many rows that share the coarser number the finer one has to differ: 100 x age is near age x age for people of 70 to 90.
_SHARING = 40
# A tenth of what rounding may do is nearly exact.
_NEAR = 0.1
# So many of the steps from row to row go up where rows are sorted: then each number is near the one before, and so is its error.
_SORTED = 0.9
Ways = Mapping[str, Rounding]


@dataclass(frozen=True, eq=False)
class Pair:
    """Two columns in the rows that have both: their values and how each is rounded, by name; which `batch` each row is of."""

    values: Mapping[str, Floats]
    rounded: Ways
    batch: NDArray[np.int64]

    def line(self) -> Line | None:
        """The line that they lie on: a multiple before what begins elsewhere, one of them rounded before both, fewer digits before more."""
        if not all(np.isfinite(its).all() for its in self.values.values()) or not self._straight():
            return None
        loose, exact = {name: its.loose for name, its in self.rounded.items()}, {name: its.exact for name, its in self.rounded.items()}
        one, other = self.values
        several: list[Ways] = [exact, {one: exact[one], other: loose[other]}, {one: loose[one], other: exact[other]}, loose]
        for ways in several:
            lines = [self._cut_off(line) for line in self._both_ways(ways, strict=ways is loose)]
            if lines:
                return self._usual(min(lines, key=lambda one: (not one.shift, self._order(one))))
        found = self._best(self._cut(exact, loose))
        for ways in several:
            found = found or self._best(self._both_ways(ways, strict=True, begins=True))
        return None if found is None else self._usual(found)

    def _usual(self, line: Line) -> Line:
        """With what is told as rounded as it is written."""
        its = self.rounded[line.y]
        return replace(line, of_y=its.loose) if line.of_y == its.exact and line.of_x == self.rounded[line.x].exact else line

    def _best(self, lines: Iterator[Line]) -> Line | None:
        return min(lines, key=self._order, default=None)

    def _order(self, line: Line) -> tuple[int, bool, bool]:
        """What is read most easily comes first, and what is rounded before what it is rounded from."""
        return line.digits, self._loses(line.x, line.of_x) and not self._loses(line.y, line.of_y), line.slope.divides

    def _loses(self, name: str, way: Rounding) -> bool:
        """Whether it is taken for rounded."""
        return way.half > self.rounded[name].exact.half

    def _both_ways(self, ways: Ways, *, strict: bool, begins: bool = False) -> Iterator[Line]:
        for x, y in (tuple(self.values), tuple(self.values)[::-1]):
            found = self._fitted(y, x, ways, begins=begins, strict=strict)
            if found is not None:
                yield found

    def _cut(self, exact: Ways, loose: Ways) -> Iterator[Line]:
        """Multiples of which the digits after the last are cut off, or which are rounded up."""
        for x, y in (tuple(self.values), tuple(self.values)[::-1]):
            for shift in (self.rounded[y].half, -self.rounded[y].half) if self.rounded[y].half else ():
                found = self._fitted(y, x, {x: exact[x], y: loose[y]}, strict=True, shift=shift)
                if found is not None:
                    yield found

    def _straight(self) -> bool:
        """Whether rows lie between the two that are farthest apart, twice as far off as they may: it is seen at once that most do not."""
        (x, dx), (y, dy) = ((its, 2 * float(self.rounded[name].slack(its).max(initial=0.0))) for name, its in self.values.items())
        if len(x) < LEAST_ROWS:
            return False
        left, right = int(np.argmin(x)), int(np.argmax(x))
        wide, high = float(x[right] - x[left]), float(y[right] - y[left])
        if wide <= 2 * dx:
            return False
        # A cut number is off by all of its last digit.
        steepest = (abs(high) + 2 * dy) / (wide - 2 * dx)
        return bool(np.all(np.abs(y - (y[left] + high / wide * (x - x[left]))) <= 2 * (dy + steepest * dx)))

    def _fitted(self, y: str, x: str, ways: Ways, *, strict: bool, begins: bool = False, shift: float = 0.0) -> Line | None:
        tops, base = self.values[y] + shift, self.values[x]
        low, middle = (base.mean(), tops.mean()) if begins else (0.0, 0.0)
        rising = bool(np.dot(base - low, tops - middle) > 0)
        points = Points(base, tops if rising else -tops, ways[x].slack(base), ways[y].slack(self.values[y]))
        ends = points.slopes() if begins else points.through_zero()
        slope = constant_between(*ends) if ends is not None and ends[0] > 0 else None
        begin = _begin(points, slope.constant, rising=rising) if begins and slope is not None else Fitting(Constant(0.0), 0, 0.0)
        if ends is None or slope is None or begin is None or (strict and not slope.sure):
            return None
        times = slope.constant.times
        made = Line(
            y, x, slope.constant, begin.constant.value, rising, ways[y], ways[x], slope.digits + begin.digits, shift,
            0.0 if slope.sure else max(times - ends[0], ends[1] - times),
        )  # fmt: skip
        return made if self._evident(made, strict=strict) else None

    def _evident(self, line: Line, *, strict: bool) -> bool:
        """Whether rows enough tell it, which are not 0, not all near one another, and not each near the row before."""
        y, x = self.values[line.y], self.values[line.x]
        if not np.all(line.apart(y, x) <= line.half):
            return False
        slack = line.of_y.slack(y) + line.slope.times * line.of_x.slack(x)
        telling = (x != 0) & (slack < _KNOWN * np.abs(y))
        if strict:
            telling = np.abs(y - np.median(y)) >= _AWAY * slack
        if telling.sum() < LEAST_ROWS or len(np.unique(x[telling])) < DIFFERENT or len(np.unique(y[telling])) < TOTALS:
            return False
        if line.slope.value == 1 and not line.begin and self._loses(line.x, line.of_x):
            # Two columns that are nearly the same are measured twice.
            return False
        if line.exact(y, x):
            return True
        uncertain = line.open > 0 or line.begin != 0
        return not (uncertain and self._sorted) and self._rounds(line)

    @cached_property
    def _sorted(self) -> bool:
        """Whether nearly all steps from row to row go one way."""
        steps = np.sign(np.diff(next(iter(self.values.values()))))
        steps = steps[steps != 0]
        return bool(abs(steps.sum()) >= (2 * _SORTED - 1) * len(steps))

    def _rounds(self, line: Line) -> bool:
        """Whether rounding is seen to lose something, where it is said to: rows that share the coarser number have several finer ones."""
        units = {line.y: self.rounded[line.y].half, line.x: line.slope.times * self.rounded[line.x].half}
        loses = {name: self._loses(name, its) for name, its in ((line.y, line.of_y), (line.x, line.of_x))}
        coarse, fine = sorted(units, key=lambda name: -units[name])
        steps = units[coarse] / units[fine] if units[fine] else 0.5
        if abs(steps - round(steps)) < RELATIVE * steps and (not loses[coarse] or (steps < 2 and not all(loses.values()))):
            # Each step of the one is some whole steps of the other, so that nothing is left to be rounded.
            return False
        # What is nearly exact is no chance, and that two columns are of about the same unit says nothing of either.
        near = np.all(np.abs(line.apart(self.values[line.y], self.values[line.x])) <= _NEAR * line.half)
        if near or not loses[coarse] or units[coarse] < 2 * units[fine]:
            return True
        rows = np.stack([self.batch, self.values[coarse], self.values[fine]])
        shared, different = (len(np.unique(some, axis=1).T) for some in (rows[:2], rows))
        return different > shared or len(self.batch) - shared < _SHARING

    def _cut_off(self, line: Line) -> Line:
        """The same where no row is rounded one of both ways: then digits are cut off."""
        if (
            line.open
            or line.of_y.half <= self.rounded[line.y].exact.half
            or line.of_x.half > self.rounded[line.x].exact.half
            or not line.rising
        ):
            return line
        left = self.values[line.y] - line.slope.times * self.values[line.x]
        some = np.abs(left) > self.rounded[line.y].exact.half
        for sign in (-1, 1):
            if some.sum() >= LEAST_ROWS and np.all(sign * left[some] > 0):
                return replace(line, shift=-sign * self.rounded[line.y].half)
        return line


def _begin(points: Points, slope: Constant, *, rising: bool) -> Fitting | None:
    """What a line of this slope begins at, with its sign; None where that is not told."""
    ends = points.begins(slope.times)
    low, high = ends if rising else (-ends[1], -ends[0])
    if low > high or low <= 0 <= high:
        return None
    found = fewest_digits(low, high) if low > 0 else fewest_digits(-high, -low)
    if found is None or found.constant.divides or found.chance > _ADDED_BY_CHANCE:
        return None
    return found if low > 0 else Fitting(Constant(-found.constant.value), found.digits, found.chance)
