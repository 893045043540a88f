"""The scales on which numbers of all sizes move alike; both keep signs, and NaN."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from avh_ui.metrics.column import Floats

# Beyond this exponential there are no doubles.
_LARGEST_LOG = 700.0
# Nearer than this nothing reads.
_NOTHING = 1e-9
# So much float noise is no reason for the next step.
_SLACK = 1e-6
# Numbers from here on are read by their exponent.
_COUNTED = 1e15
# A factor nearer to 1 reads as a part: of `÷1.0005` nobody sees whether it is much. Of falls all do down to a tenth: "falls by more than
# ÷1.822" is 45 %.
_PARTS_BELOW = {True: 1.5, False: 10.0}
_LOG_TEN = math.log(10)


def logged(numbers: Floats) -> Floats:
    """Of factors: log1p of the size, one for one, keeping signs."""
    return np.sign(numbers) * np.log1p(np.abs(numbers))


def rooted(numbers: Floats) -> Floats:
    """Of counts: the square root of the size (Anscombe, 1948)."""
    return np.sign(numbers) * np.sqrt(np.abs(numbers))


def apart(one: Floats, other: Floats) -> Floats:
    """How far numbers lie from each other, one for one: 0 where both are the same infinity, of which NumPy makes NaN and a warning."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(one == other, 0.0, np.abs(one - other)))


@dataclass(frozen=True)
class RowScale:
    """On which a row's number moves `up` or down, by square `roots` or by logarithms, and how people read how far: `×2.2` and `÷22` of
    factors, `0.05 %` of those near 1, `206 from 1,000` of counts; of a column's own `size` where that is known.
    """

    up: bool
    roots: bool = False
    size: float | None = None

    @property
    def name(self) -> str:
        """What the plain numbers are of."""
        return "difference of square roots" if self.roots else "difference of logarithms"

    def limit(self, before: float, far: float) -> float:
        """The number that is so far from the one before."""
        sign = 1 if self.up else -1
        if self.roots:
            root = float(rooted(np.array([before]))[0]) + sign * far
            return math.copysign(root * root, root)
        log = float(logged(np.array([before]))[0]) + sign * far
        return math.copysign(math.expm1(min(abs(log), _LARGEST_LOG)), log)

    def read(self, far: float, *, beside: float | None = None) -> str:
        """How far in words; of a count it is of so many as make it a part of them, or as fits what it stands `beside`."""
        if not far or math.isinf(far):
            return "∞" if far else "0"
        if not self.roots:
            factor = math.exp(min(far, _LARGEST_LOG))
            if self._in_parts(far):
                part = 100 * abs(math.expm1(far if self.up else -far))
                return f"{_digits(part, part)}%"
            sign = "×" if self.up else "÷"
            return f"{sign}{_digits(factor, factor - 1)}" if factor < 1000 else f"{sign}{_digits(factor, factor)}"
        whole = self.whole(far if beside is None else beside)
        part = abs(self.limit(whole, far) - whole)
        if self.up:
            return f"{_digits(part, part)} from {whole:,.0f}"
        return f"all of {whole:,.0f}" if part >= whole else f"{_digits(part, part)} from {whole:,.0f}"

    def says_nothing(self, far: float) -> bool:
        """Whether a row may move so far that nobody would write it: to ten times as much, or to a tenth."""
        return not self.roots and far >= _LOG_TEN * (1 - _SLACK)

    def rounded(self, far: float) -> float:
        """The next distance that reads as a person would write it: "600 from 1,000" for 538, "15%" for 14.8 %."""
        if not _NOTHING < far < _LARGEST_LOG:
            return far
        # The count that it is of may be a larger one then.
        return self._next(self._next(far))

    def _next(self, far: float) -> float:
        if self.roots:
            whole = self.whole(far)
            part = abs(self.limit(whole, far) - whole)
            if self.up:
                return max(far, math.sqrt(whole + _plain(part)) - math.sqrt(whole))
            return far if part >= whole else max(far, math.sqrt(whole) - math.sqrt(max(whole - _plain(part), 0.0)))
        if not self._in_parts(far):
            return max(far, math.log1p(_plain(math.expm1(far))))
        return max(far, math.log1p(_plain(math.expm1(far))) if self.up else -math.log1p(-_plain(-math.expm1(-far))))

    def _in_parts(self, far: float) -> bool:
        return math.exp(min(far, _LARGEST_LOG)) < _PARTS_BELOW[self.up] * (1 - _SLACK)

    @staticmethod
    def told_of(size: float, far: float) -> bool:
        """Whether a step so far, of square roots, is one of a count of this size at least, and leaves some of it."""
        return 2 * far * math.sqrt(size) >= 1 and far < math.sqrt(size)

    def whole(self, far: float) -> float:
        """The count that a step so far is told of: the column's own `size` where that says it. Else a power of ten of which it
        is a part that a reader can picture: its root is a quarter of it at most, and the part at least 1 where that takes no more than a
        million.
        """
        if self.size is not None and self.told_of(self.size, far):
            return self.size
        if far <= 0:
            return 100.0
        most, least = math.log10(16 * far * far), -math.log10(4 * far * far)
        return 10.0 ** max(2, math.ceil(most), min(6, math.ceil(least)))


def plain_sizes(numbers: Floats) -> tuple[float, ...]:
    """How large a column's numbers are, for sentences: the middle one of those that are not 0, and the largest, to their first digits.

    Falls of large amounts were told as 19,800,000,000 of 100,000,000,000, whatever the column held.
    """
    sizes = np.abs(numbers[np.isfinite(numbers) & (numbers != 0)])
    found = (float(np.median(sizes)), float(sizes.max())) if len(sizes) else ()
    return tuple(float(f"{size:.0e}") for size in found)


def _plain(number: float) -> float:
    """The number up to ones, twos or fives of the digit that is a tenth of it."""
    place = math.floor(math.log10(number)) - 1
    leading = number / 10.0 ** (place + 1)
    step = (5.0 if leading >= 5 else 2.0 if leading >= 2 else 1.0) * 10.0**place
    return math.ceil(number / step - _SLACK) * step


def _digits(number: float, matters: float) -> str:
    """With three digits of what matters."""
    if number >= _COUNTED:
        return f"{number:.3g}"
    size = math.floor(math.log10(matters)) if matters > 0 else 0
    text = f"{round(number, 2 - size):,.{max(0, 2 - size)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
