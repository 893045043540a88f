"""Mistakes that people make in rows, seen beside the batch before: another row's number, 0, ten times as much, another sign."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from avh_ui.metrics.column import Floats
from avh_ui.metrics.matched_numbers import Mask, MatchedNumbers
from avh_ui.metrics.matching import MatchedChange
from avh_ui.metrics.ranks import quantile_of
from avh_ui.metrics.remembering import kept_beside
from avh_ui.metrics.scales import apart, logged, rooted

# Of fewer cases a day there may be none: 10 to 14 of a region of Italy became 0 on 10 days of 1,701. And what is small may change its sign:
# of sensors' temperatures 31 of 36 days alarmed from the first frost on, while any number below 0 was taken for a mistake.
FEW = 20.0
# A row times ten, which may have fallen by a fifth since. Where no row of numbers that are not the smallest did in 60 batches, one did in
# none of 17,244 and 1,782 columns and batches of New York's tables and of 6,500 of Italy's provinces without a documented fault, and in one
# of 29,055 of its regions more than the other mistakes do; of the documented faults 12 columns and batches more are noticed.
LEAP, _SMALLEST = 8.0, 0.1
# Where nearly all rows rise as far, one that does is no mistake: of the few cases of a Monday a region of Italy had 10 times as many on the
# Tuesday where the others had 3 to 5 times. Not the middle one, which may be times ten itself.
_PACE = 0.25
# Where many rows move as far, one that does is no mistake: its move, on the scale of square roots for counts, is so many times as far as
# that of nine in ten others. 28 cases of a region became 0 on a day on which four others had none, too. Of 32,409 columns and days of
# Italy's regions 66 have such a 0 and 192 such a leap, 118 and 385 without this, most of them of cases a day; of New York's and of Italy's
# provinces none is lost. Of 29,312 largest rows set to 0 99 % are told in the regions, and all 26,306 of the others.
_FARTHER, _OTHERS = 1.5, 0.9
# Around their middle lie evenly those whose tenths above and below are no more than so many times as far as each other.
_TAIL, _EVEN = 0.1, 2.0
# Where values are alike none is small: the row of a meter that was at 224 volts, of 222 to 237, may be at 2,300.
_SMALL = 0.25


@kept_beside
def wiped(change: MatchedChange) -> Mask:
    """Where a large number became 0, or changed its sign, and moved farther than others; of counts one below `FEW` does so by itself."""
    if not may_be_wiped(change.numbers)[change.at]:
        return np.zeros(change.rows, dtype=bool)
    gone = np.asarray(change.numbers.wiped[change.at])
    return _farther(change, gone & (np.abs(change.before) >= _large(change.numbers)[change.at]) & ~_through_zero(change, gone), gone)


def _through_zero(change: MatchedChange, gone: Mask) -> Mask:
    """Where a number changed its sign and moved no farther than others do, among numbers that lie evenly around their middle: a temperature
    that falls from 4 to -1 degrees has moved by 5, on a logarithm's scale farther than all.
    """
    turned = gone & (change.after != 0)
    if not turned.any():
        return np.asarray(turned)
    known = np.sort(change.before[change.both])
    low, middle, high = (quantile_of(known, share) for share in (_TAIL, 0.5, 1 - _TAIL))
    if high - middle > _EVEN * (middle - low) or middle - low > _EVEN * (high - middle):
        return np.zeros_like(turned)
    moves = apart(change.after, change.before)
    others = moves[change.both & ~turned]
    least = _FARTHER * quantile_of(np.sort(others), _OTHERS) if len(others) else 0.0
    return np.asarray(turned & (moves < least))


@kept_beside
def leapt(change: MatchedChange) -> Mask:
    """Where a number is `LEAP` times as large as before, and as far beyond what three quarters of the rows have risen by, moved farther
    than others, and was neither one of the smallest tenth that is below a quarter of the middle one, nor of counts one below `FEW`.
    """
    if not may_have_leapt(change.numbers)[change.at]:
        return np.zeros(change.rows, dtype=bool)
    then, now = np.abs(change.before), np.abs(change.after)
    there = change.both & (then > 0)
    grown = there & (now >= LEAP * then)
    pace = max(1.0, quantile_of(np.sort(now[there] / then[there]), _PACE))
    return _farther(change, grown & (now >= pace * LEAP * then) & (then >= not_small(change.numbers)[change.at]), grown)


@kept_beside
def may_be_wiped(numbers: MatchedNumbers) -> list[bool]:
    """Columns with a large number that became 0 or changed its sign: told of all at once, since most have none."""
    if not numbers.wiped.any():
        return [False] * len(numbers.wiped)
    return _any_row(numbers.wiped & (np.abs(numbers.before) >= _large(numbers)[:, None]))


@kept_beside
def may_have_leapt(numbers: MatchedNumbers) -> list[bool]:
    """Columns with a number that is `LEAP` times as large as before, which was not too small for that."""
    then = np.abs(numbers.before)
    grown = numbers.both & (then > 0) & (np.abs(numbers.after) >= LEAP * then)
    if not grown.any():
        return [False] * len(grown)
    return _any_row(grown & (then >= not_small(numbers)[:, None]))


def _any_row(rows: Mask) -> list[bool]:
    found: NDArray[np.bool_] = np.asarray(rows.any(axis=1))
    return [bool(some) for some in found.tolist()]


def _farther(change: MatchedChange, some: Mask, alike: Mask) -> Mask:
    """Those of some rows that moved farther than nearly all others did; what moved `alike` and is not few is none of the others."""
    if not some.any():
        return some
    whole = change.sizes[1]
    scale = rooted if whole else logged
    moves = apart(scale(change.after), scale(change.before))
    others = moves[change.both & ~(alike & (np.abs(change.before) >= (FEW if whole else 0.0)))]
    least = _FARTHER * quantile_of(np.sort(others), _OTHERS) if len(others) else 0.0
    return np.asarray(some & (moves >= least))


def spoiled(change: MatchedChange) -> Mask:
    """Where two keys have taken each other's numbers, a large number became 0 or changed its sign, or one is ten times as large."""
    return np.asarray(change.exchanged | wiped(change) | leapt(change))


def wiped_rows(change: MatchedChange) -> int:
    """How many rows are `wiped`, where the change is one of numbers."""
    return int(np.count_nonzero(wiped(change))) if may_be_wiped(change.numbers)[change.at] else 0


def spoiled_rows(change: MatchedChange, exchanged: int) -> int:
    """How many rows are `spoiled`, of which so many are `exchanged`, likewise."""
    numbers, at = change.numbers, change.at
    if not may_be_wiped(numbers)[at] and not may_have_leapt(numbers)[at]:
        return exchanged
    return int(np.count_nonzero(spoiled(change)))


def mistakes(change: MatchedChange, rows: Mask) -> str:
    """Which of these mistakes the rows have, as the end of a sentence: `took each other's values or are 8 times as much or more`."""
    kinds = (
        ("took each other's values", change.exchanged),
        ("became 0", change.after == 0),
        (f"are {LEAP:g} times as much or more", leapt(change)),
        ("changed sign", wiped(change)),
    )
    said: list[str] = []
    left = rows
    for words, there in kinds:
        if (left & there).any():
            said.append(words)
            left = left & ~there
    return " or ".join(said)


@kept_beside
def _large(numbers: MatchedNumbers) -> Floats:
    """By column how large a large number is: as the middle one, and of counts `FEW` at least."""
    return numbers.size(0.5, 1.0, FEW)


@kept_beside
def not_small(numbers: MatchedNumbers) -> Floats:
    """By column, shape (columns,), how large a number is that is not small."""
    return numbers.size(_SMALLEST, _SMALL, FEW)
