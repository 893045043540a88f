"""Two columns multiply to a constant: an exchange rate and its inverse, the speed and the pace, within what both are rounded to."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np

from avh_ui.inference.by_relation.cells import Cells, Floats, Mask, Mined
from avh_ui.inference.by_relation.constants import constant_between
from avh_ui.inference.by_relation.relation import Relation, numbers, reckoned, unless_null
from avh_ui.inference.by_relation.rounding import Rounding
from avh_ui.inference.by_relation.screening import spread

# Fewer rows tell nothing, nor do few different numbers: those of two prices multiply to few constants.
LEAST_ROWS, DIFFERENT = 20, 10
# Of a product known no better than this any constant fits.
_KNOWN = 0.02
# So many times as far from the middle as rounding may move it a factor has to be.
_AWAY = 5.0
# Rows that rule out nearly all pairs of columns.
_SCREENED = 16


def inverses(mined: Mined, without: set[str], told: Collection[frozenset[str]]) -> Iterator[Relation]:
    """Pairs of columns that make a constant, but for those `told` to make each other."""
    names = [name for name in mined.numeric if name not in without and _tells(mined.numbers(name))]
    if len(names) < 2:
        return
    table = np.stack([mined.numbers(name) for name in names])
    rounded = [Rounding.of(mined, name) for name in names]
    few = spread(table, _SCREENED)
    slack = np.stack([one.loose.slack(row) for one, row in zip(rounded, table[:, few], strict=True)])
    for place, one in enumerate(names[:-1]):
        for other in _perhaps(table[:, few], slack, place):
            if frozenset((one, names[other])) not in told:
                found = _relation(mined, (one, names[other]), (rounded[place], rounded[other]))
                if found is not None:
                    yield found


def _tells(values: Floats) -> bool:
    known = values[np.isfinite(values) & (values != 0)]
    return len(known) >= LEAST_ROWS and len(np.unique(known)) >= DIFFERENT


def _perhaps(table: Floats, slack: Floats, place: int) -> list[int]:
    """The columns after this one with which it may have one product in few rows; where a value is missing, it may."""
    with np.errstate(all="ignore"):
        made, off = table[place] * table[place + 1 :], _off(table[place], table[place + 1 :], slack[place], slack[place + 1 :])
        least, most = np.fmin.reduce(made + off, axis=1), np.fmax.reduce(made - off, axis=1)
    return (np.flatnonzero(~(least < most)) + place + 1).tolist()


def _off(one: Floats, other: Floats, slack: Floats, others: Floats) -> Floats:
    return np.asarray(slack * np.abs(other) + others * np.abs(one) + slack * others)


def _relation(mined: Mined, names: tuple[str, str], rounded: tuple[Rounding, Rounding]) -> Relation | None:
    """What two columns multiply to; one of them rounded before both."""
    there = mined.there(*names)
    one, other = (mined.numbers(name)[there] for name in names)
    if not (np.isfinite(one).all() and np.isfinite(other).all()):
        return None
    loose = (rounded[0].loose, rounded[1].loose)
    for ways in ((rounded[0].exact, loose[1]), (loose[0], rounded[1].exact), loose):
        off = _off(one, other, ways[0].slack(one), ways[1].slack(other))
        constant = _constant(one, other, off)
        if constant is not None:
            return _told(mined, names, ways, constant, exact=bool(np.all(np.abs(one * other - constant) <= 1e-9 * abs(constant))))
    return None


def _constant(one: Floats, other: Floats, off: Floats) -> float | None:
    """The product of all rows; None where there is none that few digits write, or where too few rows tell it."""
    made = one * other
    low, high = float(np.max(made - off, initial=-np.inf)), float(np.min(made + off, initial=np.inf))
    if not low <= high or low <= 0 <= high or not np.isfinite(high - low):
        return None
    fitting = constant_between(*((low, high) if low > 0 else (-high, -low)))
    if fitting is None or not fitting.sure:
        return None
    telling = off < _KNOWN * abs(made)
    for values in (one, other):
        telling &= np.abs(values / np.median(values) - 1) * np.abs(made) >= _AWAY * off
    several = all(len(np.unique(values[telling])) >= DIFFERENT for values in (one, other))
    return float(np.sign(low) * fitting.constant.times) if several and telling.sum() >= LEAST_ROWS else None


def _told(mined: Mined, names: tuple[str, str], ways: tuple[Rounding, Rounding], constant: float, *, exact: bool) -> Relation:
    one, other = ways
    # What depends on the values stands on the left, where NaN and infinity keep nothing.
    fixed = one.half * other.half + (one.share + other.share) * abs(constant)

    def keeps(cells: Mapping[str, Cells]) -> Mask:
        left, right = (numbers(cells, name) for name in names)
        apart = np.abs(left * right - constant)
        for half, values in ((one.half, right), (other.half, left)):
            apart = apart - half * np.abs(values) if half else apart
        return np.asarray(apart <= fixed)

    left, right = (reckoned(mined, name) for name in names)
    condition = f"abs({left} * {right} {'+' if constant < 0 else '-'} {abs(constant)!r}D)"
    for half, values in ((one.half, right), (other.half, left)):
        condition += f" - {half!r}D * abs({values})" if half else ""
    said = f"{names[0]} times {names[1]} is {constant:,.12g}{'' if exact else ', rounded'}"
    return Relation("inverse", names, said, unless_null(names, f"{condition} <= {fixed!r}D"), keeps)
