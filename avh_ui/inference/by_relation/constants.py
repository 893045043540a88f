"""The number that a relation is written with: of all that rounding leaves open the one of the fewest digits, or a unit in another one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from avh_ui.constraints.constraint import number

# A constant of more digits is what some rows happened to have, as the exchange rate of a day.
_DIGITS = 5
# A number of more places than people write is the nearest double: a product of doubles is off by a few of these.
RELATIVE: Final = 1e-9
# Of ten intervals as wide as this one has a number of so few digits in it by chance.
_BY_CHANCE = 0.1
# There are 65 units in a decade for each natural logarithm: of intervals so wide, in proportion, one in thirty has one in it by chance.
_KNOWN_WIDTH = 5e-4
# What people agreed on, of more digits than rows tell: miles, pounds, feet, knots, acres, gallons, ounces, calories, pascals; light, years,
# degrees, angles, mebibytes; the currencies that became the euro.
_UNITS = (
    1.609344, 0.45359237, 0.09290304, 0.83612736, 0.40468564224, 4046.8564224, 2.589988110336, 1.852, 1852 / 3600, 0.44704,
    3.785411784, 0.473176473, 0.946352946, 4.54609, 0.56826125, 28.349523125, 31.1034768, 6.35029318, 28.316846592, 0.028316846592,
    16.387064, 0.158987294928, 4.1868, 1055.05585262, 745.69987158227022, 735.49875, 6.894757293168, 101.325, 133.322387415, 33.8638866667,
    9.80665, 235.214583, 282.480936, 299792.458, 299792458.0, 1239.841984, 149597870.7, 206264.806247, 3.261563777, 365.25, 30.436875,
    365.2425, 273.15, 459.67, 2 * math.pi, math.pi / 180, math.pi / 4, math.sqrt(2), math.log(10), math.log(2), 2.0**20, 2.0**30, 2.0**40,
    13.7603, 40.3399, 1.95583, 5.94573, 6.55957, 340.75, 0.787564, 1936.27, 2.20371, 200.482, 166.386, 239.64, 0.585274, 0.4293, 30.126,
    15.6466, 0.702804, 3.4528, 7.5345,
)  # fmt: skip


@dataclass(frozen=True)
class Constant:
    """A number, or what is divided by it."""

    value: float
    divides: bool = False

    @property
    def times(self) -> float:
        """What it multiplies with."""
        return 1 / self.value if self.divides else self.value

    def words(self, product: str) -> str:
        """A product with it, in words."""
        if self.value == 1:
            return product
        return f"{product} / {number(self.value)}" if self.divides else f"{number(self.value)} x {product}"

    def sql(self, product: str) -> str:
        """A product with it, in SQL."""
        if self.value == 1:
            return product
        return f"{product} / {self.value!r}D" if self.divides else f"{self.value!r}D * {product}"


@dataclass(frozen=True)
class Fitting:
    """A constant, of so many digits, and how likely one as short is there by `chance`."""

    constant: Constant
    digits: int
    chance: float

    @property
    def sure(self) -> bool:
        """Whether it is no chance that rows leave so short a number."""
        return self.chance <= _BY_CHANCE


def roundest(low: float, high: float) -> Constant | None:
    """The number between two of the fewest digits, or what divides by such a one; None where all have many."""
    found = fewest_digits(low, high)
    return None if found is None else found.constant


def constant_between(low: float, high: float) -> Fitting | None:
    """What a column is multiplied with: a number that has fewer digits than chance would give it, else what a unit is in another, else the
    number of the fewest digits; of numbers above 0.
    """
    found = fewest_digits(low, high)
    if found is not None and found.sure:
        return found
    if high - low <= _KNOWN_WIDTH * low:
        for divides, (least, most) in ((False, (low, high)), (True, (1 / high, 1 / low))):
            for unit in _UNITS:
                # Meters and kilometers, cents and euros.
                shifted = [unit * 10.0**power for power in range(-6, 7)]
                fits = [value for value in shifted if least * (1 - RELATIVE) <= value <= most * (1 + RELATIVE)]
                if fits:
                    return Fitting(Constant(float(f"{fits[0]:.15g}"), divides), _DIGITS, 0.0)
    return found


def fewest_digits(low: float, high: float) -> Fitting | None:
    """The number between two, both above 0, of the fewest digits; None where all have many."""
    for digits in range(1, _DIGITS + 1):
        # 1 / 5,000 is read more easily than 0.0002.
        for divides, (least, most) in sorted([(False, (low, high)), (True, (1 / high, 1 / low))], key=lambda way: way[1][1] < 1):
            step = 10.0 ** (math.floor(math.log10(most)) - digits + 1)
            found = float(f"{math.floor(most / step * (1 + RELATIVE)) * step:.{digits}g}")
            if least * (1 - RELATIVE) <= found <= most * (1 + RELATIVE):
                return Fitting(Constant(found, divides), digits, (most - least) / step)
    return None
