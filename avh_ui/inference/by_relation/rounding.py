"""By how much what is written may be off what it stands for: half of a column's last digit, or what a floating-point number leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from avh_ui.inference.by_relation.cells import Floats, Mined
from avh_ui.inference.by_relation.constants import RELATIVE

# Numbers in single precision are the nearest of 24 binary digits.
_SINGLE = 2.0**-24
# What products of doubles are off by, as a share of half the last digit: of 30,000,000 in cents as much.
_DOUBLES = 1e-6


@dataclass(frozen=True)
class Rounding:
    """That numbers are off by at most `half`, or by a `share` of themselves: one of the two is 0."""

    half: float = 0.0
    share: float = 0.0

    @classmethod
    def of(cls, mined: Mined, name: str) -> Rounding:
        """As a column is written."""
        places = mined.places[name]
        if places is not None:
            return cls(half=0.5 * 10.0**-places)
        values = mined.numbers(name)
        with np.errstate(over="ignore", invalid="ignore"):
            single = np.array_equal(values, values.astype(np.float32), equal_nan=True)
        return cls(share=_SINGLE if single else RELATIVE)

    @property
    def exact(self) -> Rounding:
        """Of the same numbers, where they are what they stand for."""
        return Rounding(half=_DOUBLES * self.half, share=min(self.share, RELATIVE))

    @property
    def loose(self) -> Rounding:
        """With what doubles are off by."""
        return Rounding((1 + _DOUBLES) * self.half, self.share * (1 + _DOUBLES))

    def slack(self, values: Floats) -> Floats:
        """By how much each of them may be off: their shape."""
        return np.asarray(self.half + self.share * np.abs(values))
