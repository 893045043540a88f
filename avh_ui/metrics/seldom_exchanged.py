"""In which columns of matched rows numbers may be exchanged or shifted: told of all columns at once, since in most of a small batch none
are, and looking at each column by itself took most of what matched rows cost.

Each condition is one that `exchanges` asks, of all columns: those that fail it have none. Of the others `exchanges` tells which rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from avh_ui.metrics.column import Counts
from avh_ui.metrics.matched_numbers import Mask, MatchedNumbers, runs
from avh_ui.metrics.remembering import kept_beside

# Two keys have exchanged their values where each has the other's old one but for so much, and its own has changed by five times that:
# counters go on while rows are mixed up. Both on the log scale.
NEAR, FAR = 0.02, 0.1
# Both are tried at 0.45 (a root of a fifth) of the ones before, down to coordinates that are 0.00003 apart on the log scale, and first at
# 25 times as much: where all rows move on by some percent nobody has another's old number. With what nearly all rows move by together
# (`MatchedNumbers.together`) taken off, of the pairs that were exchanged in each column of each day of Italy's regions 36,416 of 47,602 are
# told (without `few_move_far`), and 34,475 while it was not, by steps of fifths from 5 times as much; of five tables of years and months
# 1,110 of 2,752, and 778. Of 81,077 columns and days of 23 tables as they came 22 have a pair, and 21 before.
FINER, LEVELS = 5.0, 6
FINENESS = tuple(FINER ** (-level / 2) for level in range(-4, 2 * LEVELS + 1))
# Of the others that changed so many may fall, or so many rise, by a quarter of what the two are apart. Farther from each other's old
# numbers than `FINER` times the first distance they may be where so few do by a quarter of what such a pair is apart at least: where all
# move far, as what players do in a year, 5 of 20 columns had to be looked at one by one, for none.
OTHERS, LESS = 0.05, 4.0
_COARSE = FINENESS[1] * FAR / LESS
# So many pairs at most may be expected among the rows that moved, were each as likely to come near an old value as others lie there.
CHANCE = 0.01
# What is near is looked for a little wider, since sums are rounded.
WIDER = 1.0001
# Of so few pairs it is seen at once that none came near each other's old value, as on most days, before all distances are tried.
AT_SIGHT = 10_000
# A column is shifted where so many of its rows have another's old number.
MOST = 0.5
# Of so many rows that moved first, which are any, as rows lie in the order of their keys' hashes, such a part has: of a shifted column
# fewer of them have another's number once in 500 times.
FIRST, FEW = 16, 0.2
# Of fewer rows most are two or three.
LEAST_SHIFTED = 6
# Where numbers repeat, those of the rows that moved are as often there as before, so many deviations nearer than chance leaves them. Of
# 60,497 columns and days of the same tables none is by chance; of 6,704 of them that were shifted by a row 2,853 are told, and 2,134 by
# numbers that one row had alone (of the others most have too few different numbers, or so many rows move on that all is seen otherwise).
NEARER = 4.0
# Farther apart than any two numbers on the log scale, which ends at 710.
_APART = 2000.0
# Sums of many numbers are rounded by less.
_SLACK = 1e-6
# Of more numbers the first rows beside all of their columns would be a table of 100 MB.
_CELLS = 200_000


@kept_beside
def may_be_exchanged(numbers: MatchedNumbers) -> list[bool]:
    """Columns of which two rows may have taken each other's numbers."""
    limits = np.array([finer * FAR for finer in FINENESS])
    together = numbers.together
    least, most = (np.array(side) - together[:, 0] for side in numbers.farthest)
    # As far as some fell and some rose: where all rise, as counts of all cases so far do, none fell as far as another rose.
    reached = np.minimum(-least, most)[None] > limits[:, None]
    found: Mask = np.asarray(reached.any(axis=0))
    if found.any():
        limit = limits[reached.argmax(axis=0)][:, None]
        known = np.maximum(np.array(numbers.known), 1)
        weights = (numbers.alike - 0.5) / known[:, None]
        fell, rose = numbers.step < together - limit, numbers.step > together + limit
        # The least chance of so many rows, of which there are more at the finer distances; then by those with the very same old value.
        found &= fell.sum(axis=1) * rose.sum(axis=1) * (0.5 / known) ** 2 <= CHANCE * (1 + _SLACK)
        found &= np.where(fell, weights, 0.0).sum(axis=1) * np.where(rose, weights, 0.0).sum(axis=1) <= CHANCE * (1 + _SLACK)
    if found.any():
        some = np.flatnonzero(found)
        found[some] = _close(numbers, some)
    told: list[bool] = found.tolist()
    return told


@kept_beside
def few_move_far(numbers: MatchedNumbers) -> Mask:
    """In which columns few enough rows fall, or rise, that two that are farther from each other's old numbers may have taken these."""
    steps = numbers.step - numbers.together
    fell, rose = (steps < -_COARSE).sum(axis=1), (steps > _COARSE).sum(axis=1)
    return np.asarray(np.minimum(fell, rose) <= OTHERS * np.array(numbers.pairs))


def _close(numbers: MatchedNumbers, columns: Counts) -> Mask:
    """Whether a row that fell and one that rose came near each other's old value, or there are too many to see it at once."""
    together = numbers.together[columns]
    now, then, steps = numbers.logs[0][columns] - together, numbers.logs[1][columns], numbers.step[columns] - together
    fell, rose = steps < -FINENESS[-1] * FAR, steps > FINENESS[-1] * FAR
    found = fell.sum(axis=1) * rose.sum(axis=1) > AT_SIGHT
    (a, one), (b, other) = (np.nonzero(moved & ~found[:, None]) for moved in (fell, rose))
    # On one scale all columns, each far from the next.
    places = _APART * b + then[b, other]
    order = np.argsort(places)
    b, other, places = b[order], other[order], places[order]
    # At each distance a pair is near by a part of it, and both have moved by all of it.
    widest = np.where(few_move_far(numbers)[columns], FINENESS[0], FINER) * NEAR
    near = WIDER * np.minimum(widest[a], -steps[a, one] * (NEAR / FAR))
    low, high = (np.searchsorted(places, _APART * a + now[a, one] + far) for far in (-near, near))
    counts = high - low
    at = np.repeat(np.arange(len(a)), counts)
    beside = np.repeat(low - np.cumsum(counts) + counts, counts) + np.arange(len(at))
    fallen, risen = (a[at], one[at]), (b[beside], other[beside])
    with np.errstate(invalid="ignore"):
        apart = np.maximum(np.abs(now[fallen] - then[risen]), np.abs(then[fallen] - now[risen]))
        close = apart <= np.minimum(near[at], WIDER * steps[risen] * (NEAR / FAR))
        # Farther from each other than the first distance only what is no 0.
        close &= (apart <= WIDER * NEAR) | ((then[fallen] != 0) & (then[risen] != 0))
    found[a[at[close]]] = True
    return np.asarray(found)


@kept_beside
def may_be_shifted(numbers: MatchedNumbers) -> list[bool]:
    """Columns of which most rows may have the old number of another row."""
    moved, rows = numbers.both & numbers.changed, np.array(numbers.pairs)
    found = (rows >= LEAST_SHIFTED) & (moved.sum(axis=1) >= MOST * rows)
    if found.any() and moved.size <= _CELLS:
        for some_pass in (_first_pass, _dealt_out):
            some = np.flatnonzero(found)
            found[some] = some_pass(numbers, some, moved[some])
    told: list[bool] = found.tolist()
    return told


def _first_pass(numbers: MatchedNumbers, columns: Counts, moved: Mask) -> Mask:
    """Of which columns enough of the first rows that moved have an old number."""
    after, before = numbers.after[columns], numbers.before[columns]
    column, row = np.nonzero(moved & (np.cumsum(moved, axis=1) <= FIRST))
    heard = (after[column, row][:, None] == before[column]).any(axis=1)
    had = np.bincount(column[heard], minlength=len(columns))
    return np.asarray(had >= FEW * np.bincount(column, minlength=len(columns)))


def _dealt_out(numbers: MatchedNumbers, columns: Counts, moved: Mask) -> Mask:
    """Of which columns most rows have an old number, and either many have one that one row had alone, or the numbers of the rows that moved
    are about as often there as before.
    """
    rows = np.array(numbers.pairs)[columns]
    values = np.concatenate([numbers.before[columns], numbers.after[columns]], axis=1)
    among = np.concatenate([np.isfinite(numbers.before[columns]), moved], axis=1)
    width = moved.shape[1]
    places, bounds = runs(values, np.argsort(np.where(among, values, np.nan), axis=1), among)
    if not len(places):
        return np.zeros(len(columns), dtype=bool)
    own, at = places // (2 * width), places % (2 * width)
    is_now = at >= width
    had_then = ~is_now & moved[own, np.where(is_now, 0, at)]
    begins, column = bounds[:-1], own[bounds[:-1]]
    now, known, then = (np.add.reduceat(one.astype(np.int64), begins) for one in (is_now, ~is_now, had_then))

    def summed(of_runs: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.float64]:
        return np.bincount(column, of_runs, len(columns)).astype(np.float64)

    alone = summed((now > 0) & (known == 1))
    spread, spreads = summed(np.sqrt(then / 2)), summed(then / 2)
    mean, deviation = np.sqrt(2 / np.pi) * spread / 2, np.sqrt((1 - 2 / np.pi) * spreads) / 2
    alike = moved.sum(axis=1) - summed(np.minimum(now, then)) < mean - NEARER * deviation + _SLACK * (1 + mean)
    return np.asarray((summed(now * (known > 0)) >= MOST * rows) & ((alone >= MOST * rows) | alike))
