"""One column is at most another in every row."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_relation.cells import Cells, Floats, Mask, Mined
from avh_ui.inference.by_relation.relation import Relation, numbers, unless_null, written
from avh_ui.inference.by_relation.screening import FIRST

# As much of the spread of the differences counts as near to none.
_NEAR = 0.1
# So many rows are near enough to break it if nothing kept them: a smooth density would have put about as many on the other side. With 20,
# 3 of 59 programs of Italy's regions had an order that soon broke (7 alarms in 1,710 batches), with 40 none, nor had those of nine other
# tables. Counts that rise together and are never far apart without being equal were tried too: of NYC's boroughs 14 % of batches alarmed.
NEAR_ROWS = 40

# Of fewer rows a hundredth is no tail. Of a normal distribution the least of 500 rows is 0.7 deviations below the hundredth: twice as far
# again, and 3 of a million rows would break it.
FAR_ROWS, _TIMES_AWAY = 500, 2.0
# In the logarithm: a quarter more. That fewer people die than recover is no order.
_NEARLY_SAME = 0.22
# What is so many times as large is not.
_SURELY_MORE = 1.25
# From the least to the most; names have them as words of theirs or as parts.
_WORDS = tuple(
    line.split()
    for line in (
        "minimum average maximum", "min avg max", "min mean max", "min median max", "lowest highest", "low mid high", "lower upper",
        "bid mid ask", "bid rate ask", "bid price ask", "low open high", "low close high", "low last high",
        "start end", "begin end", "from to", "first last", "earliest latest", "opened closed", "created updated", "created modified",
        "created closed", "ordered shipped delivered", "issued due", "p5 p10 p25 p50 p75 p90 p95 p99", "q1 q2 q3",
    )
)  # fmt: skip
# Words that a column of the same name without them is at least or at most: the wind of an hour and `wind_max`, `temp_min` and `temp`.
_LEAST, _MOST = (frozenset(line.split()) for line in ("min minimum lowest", "max maximum highest peak"))
_PARTS = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z])")
# One number that both columns have in a row says no more: "H2O is never above CO2" was said of two that are -9999 together; of `Mass` and
# `MassLower`, which are -1 together, two readers kept it.
_EQUAL = 2
# Days are no nearer to each other than this, in seconds.
_DAY = 86_400


def orders(mined: Mined, without: set[str]) -> Iterator[Relation]:
    """The orders that hold in all rows and stop where rows are; of a chain only its links."""
    for form in ("number", "time"):
        names = [name for name in mined.varied if mined.cells[name].form == form and name not in without]
        if len(names) < 2:
            continue
        table = np.stack([mined.numbers(name) for name in names])
        # A time of day and a day are no order, and a written time is none beside one that is not.
        like = np.array([mined.cells[name].written for name in names])
        below = np.zeros((len(names), len(names)), dtype=bool)
        for one, low in enumerate(table):
            able = np.flatnonzero(_never_below(table[:, :FIRST], low[:FIRST]) & (like == like[one]))
            highs = table[able]
            for other in able[_never_below(highs, low) & np.any(highs > low, axis=1)].tolist():
                below[one, other] = _kept((names[one], names[other]), low, table[other], mined.batch, times=form == "time")
        # What follows by way of a third column is not said again. BLAS counts ways, which are whole numbers, in floats.
        links = below & ~((below.astype(np.float32) @ below.astype(np.float32)) > 0)
        yield from (_order(mined, names[one], names[other]) for one, other in np.argwhere(links).tolist())


def _never_below(highs: Floats, low: Floats) -> Mask:
    """Which of some columns are at least as large as one in each of these rows, shape (columns,); NaN is neither."""
    return np.asarray(~np.any(highs < low, axis=1))


def _kept(names: tuple[str, str], low: Floats, high: Floats, batch: NDArray[np.int64], *, times: bool) -> bool:
    """Whether something keeps the order: it stops where rows are, or no row comes near, or the names say it."""
    if not times and _apart(low, high):
        return named(*names)
    alike = not {*_parts(names[0])}.isdisjoint(_parts(names[1]))
    return _stops(low, high, times=times, alike=alike) or _far(low, high, batch, times=times) or named(*names)


def _apart(low: Floats, high: Floats) -> bool:
    """Whether numbers are too far apart to stop where rows are, or to be nearly the same: seen at once of most pairs of many columns."""
    rows = np.count_nonzero(~np.isnan(low) & ~np.isnan(high))
    return bool(2 * np.count_nonzero(high > _SURELY_MORE * low) > rows + 1 and np.count_nonzero((low == high) & (low != 0)) < NEAR_ROWS)


def _far(low: Floats, high: Floats, batch: NDArray[np.int64], *, times: bool) -> bool:
    """Whether no row is near to breaking it: the shortest distance is far longer than what lies between it and the next hundredth, of
    numbers in proportion. These have to be nearly the same, as what is bid and asked, and come no nearer to each other with time.
    """
    both = ~np.isnan(low) & ~np.isnan(high)
    low, high, batch = low[both], high[both], batch[both]
    if len(low) < FAR_ROWS or times:
        return len(low) >= FAR_ROWS and _away(high - low) and not _closing(high - low, batch)
    if low.min() <= 0:
        return False
    ratios = np.log(high / low)
    return bool(np.median(ratios) <= _NEARLY_SAME) and _away(ratios) and not _closing(ratios, batch)


def _closing(apart: Floats, batch: NDArray[np.int64]) -> bool:
    """Whether the shortest distance of the later half of the batches is shorter than that of the earlier by so much that none is left when
    as many batches more have shortened it as they did. Jobs in services were fewer than those in industry until they were more.
    """
    later = batch > (batch[0] + batch[-1]) / 2
    if not later.any():
        return False
    before, now = apart[~later].min(), apart[later].min()
    return bool(now <= 2 * (before - now))


def _away(apart: Floats) -> bool:
    least, hundredth = apart.min(), np.percentile(apart, 1)
    return bool(least > 0 and least >= _TIMES_AWAY * (hundredth - least))


def named(low: str, high: str) -> bool:
    """Whether the names are the same but for words that have an order: `t_min` and `t_max`, `t_min` and `t`, `t` and `t_max`."""
    return high.lower() in _higher(low.lower()) or _parts(high) in _less_one(low, _LEAST) or _parts(low) in _less_one(high, _MOST)


@lru_cache(maxsize=1024)
def _parts(name: str) -> tuple[str, ...]:
    return tuple(part.lower() for part in _PARTS.split(name) if part)


def _less_one(name: str, words: Collection[str]) -> list[tuple[str, ...]]:
    """The parts of a name without one of these words, the other parts in their order; none of a name that is the word."""
    parts = _parts(name)
    return [parts[:k] + parts[k + 1 :] for k, part in enumerate(parts) if part in words and len(parts) > 1]


@lru_cache(maxsize=1024)
def _higher(low: str) -> frozenset[str]:
    """What a column above this one is called."""
    pairs = ((one, other) for words in _WORDS for place, one in enumerate(words) for other in words[place + 1 :])
    return frozenset(low.replace(one, other) for one, other in pairs if one in low)


def _stops(low: Floats, high: Floats, *, times: bool, alike: bool) -> bool:
    """Whether rows come near to breaking it, in amount and, of what is not negative, in proportion; of numbers some must be equal, and of
    columns whose names are not `alike` several different ones.

    Times of one row have to do with each other; that a latitude is above a longitude means nothing.
    """
    both = ~np.isnan(low) & ~np.isnan(high)
    low, high = low[both], high[both]
    # Where the higher is above nearly all that the lower ever is, its row could not break it.
    could = np.searchsorted(np.sort(low), high, side="right") < (1 - 0.05) * len(low)
    # Two counts of nothing are equal, whatever they count, and so are two that an instrument writes as -9999.
    equal = low[could & (low == high) & (low != 0)]
    if not times and (len(equal) < NEAR_ROWS or (len(np.unique(equal)) < _EQUAL and not alike)):
        return False
    scales = [high - low] + ([np.log1p(high) - np.log1p(low)] if not times and len(low) and low.min() >= 0 else [])
    # Of days the next is near: a stay of one night, of which half of the stays are between two and five.
    least = _DAY if times and not np.any(low % _DAY) and not np.any(high % _DAY) else 0.0
    for apart in scales:
        spread = np.subtract(*np.percentile(apart, [75, 25])) if len(apart) else 0.0
        if np.sum(could & (apart <= max(least, _NEAR * spread))) < NEAR_ROWS:
            return False
    return True


def _order(mined: Mined, low: str, high: str) -> Relation:
    def keeps(cells: Mapping[str, Cells]) -> Mask:
        return np.asarray(numbers(cells, low) <= numbers(cells, high))

    times = mined.cells[low].form == "time"
    said = f"{low} is never {'after' if times else 'above'} {high}"
    condition = f"{written(mined, low)} <= {written(mined, high)}"
    if not times and not mined.cells[high].integral:
        # NaN is above all numbers in SQL, and says nothing.
        condition = f"{condition} AND NOT isnan({written(mined, high)})"
    return Relation("order", (low, high), said, unless_null((low, high), condition), keeps)
