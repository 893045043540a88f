"""Numbers that rows exchanged since the batch before: each of two rows has the other's old one, and no chance explains that; or most of
them have some other row's, as where a column is shifted by a row.

Of two rows that exchange their numbers one falls and one rises, as far as they were apart. Small counts take each other's values every day
(5 becomes 6 where 6 becomes 5), and where most rows move far some take another's. So the two have to move much farther than nearly all
others do, be it in one direction alone: of a window of days the newest rise by a fifth, and none falls. What nearly all rows move by
together, as a year's figures of countries do, is taken off before.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from avh_ui.metrics.column import Floats
from avh_ui.metrics.matched_numbers import MatchedNumbers
from avh_ui.metrics.scales import logged, rooted
from avh_ui.metrics.seldom_exchanged import (
    CHANCE,
    FAR,
    FEW,
    FINENESS,
    FINER,
    FIRST,
    LESS,
    MOST,
    NEAR,
    NEARER,
    OTHERS,
    WIDER,
    few_move_far,
    may_be_exchanged,
    may_be_shifted,
)  # fmt: skip

Places = NDArray[np.int64]
# They are apart by so many of the steps that single rows take: of one for counts, of the smallest of today for others. Without it
# weekly rates of New York, which move by one case at a time, had pairs on 3 of 222 days, each one case apart.
STEPS = 5.0
# Farther than the first distances nobody counts the others. On the scale of square roots a count errs by 0.5 (Poisson): two that are so
# far from each other are different.
APART = 2.0
# Nor may more of a pair be expected that comes so near each other's old values, among rows of which so many fall and rise half as far. Of
# countries' figures of a year, of which nearly all rise and a few fall, one that fell and one that rose passed each other in 9 of 147
# columns and years (2 with it), so that no rule held that there are none; of 1,547 pairs that were exchanged in columns of seven other
# tables 1,169 were told before and 1,146 with it.
PASSED, _HALF = 0.005, 2.0
# So many rows that fell much are compared with as many that rose, those of the smallest hashes: 90,000 pairs where all have one value.
_COMPARED = 300
# Of those of a shifted column that have another's old number, so many standard errors more do than have one a step beside such a number: of
# small counts every third has another's by chance, whatever it is. Of 61,800 columns and days of Italy's and New York's tables none is; by
# twice as many alone two were, of counts below 30 in 21 rows.
_SURE, _STEPS_BESIDE = 5.0, (-2, -1, 1, 2)
_FINEST, _PLACES = 1e-9, 4


# Of what two infinities are apart nothing is told.
@np.errstate(invalid="ignore")
def exchanged_numbers(numbers: MatchedNumbers, at: int = 0) -> NDArray[np.bool_]:
    """Which rows took each other's numbers, of the column `at` this place; shape (rows,)."""
    found = np.zeros(numbers.after.shape[1], dtype=bool)
    if not may_be_exchanged(numbers)[at]:
        return found
    together = float(numbers.together[at, 0])
    now, then, steps = numbers.logs[0][at] - together, numbers.logs[1][at], numbers.step[at] - together
    least, most = (side[at] - together for side in numbers.farthest)
    old: tuple[Floats, Floats] | None = None
    for finer in FINENESS:
        if not (least < -finer * FAR and most > finer * FAR) or (finer > FINER and not few_move_far(numbers)[at]):
            continue
        fell, rose = steps < -finer * FAR, steps > finer * FAR
        count = numbers.known[at]
        # The least chance of so many rows, of which there are more at the next levels; then by those with the very same old value.
        if np.count_nonzero(fell) * np.count_nonzero(rose) * (0.5 / count) ** 2 > CHANCE:
            break
        fallen, risen = np.flatnonzero(fell), np.flatnonzero(rose)
        old = old or (then[numbers.order[at, :count]], (numbers.alike[at] - 0.5) / count)
        known, same = old
        if same[fallen].sum() * same[risen].sum() > CHANCE:
            break
        near = finer * NEAR
        likely = _likely(known, then[np.concatenate([fallen, risen])], near)
        if likely[: len(fallen)].sum() * likely[len(fallen) :].sum() > CHANCE:
            continue
        pairs = _close(now, then, fallen[:_COMPARED], risen[:_COMPARED], near)
        if finer > 1:
            pairs = _of_sizes(then, pairs)
        if len(pairs[0]):
            after = numbers.after[at] * np.exp(-together)
            sure = _beyond_others(after, numbers.before[at], pairs, first=finer == 1, whole=_whole(numbers.after[at]))
            sure &= _passing(now, then, pairs) <= PASSED
            found[pairs[0][sure]] = found[pairs[1][sure]] = True
    return found


def shifted_numbers(numbers: MatchedNumbers, at: int = 0) -> NDArray[np.bool_]:
    """Which rows have the old number of another row, of the column `at` this place, where most have one that one other row had alone, or
    where the numbers are the old ones dealt out anew; shape (rows,).
    """
    after, before = numbers.after[at], numbers.before[at]
    rows, nothing = numbers.pairs[at], np.zeros(len(after), dtype=bool)
    if not may_be_shifted(numbers)[at]:
        return nothing
    moved = numbers.both[at] & numbers.changed[at]
    first = np.flatnonzero(moved)[:FIRST]
    if np.count_nonzero((after[first, None] == before).any(axis=1)) < FEW * len(first):
        return nothing
    # In order, with a number behind them that none is: which have the same before and behind them.
    known = np.append(before[numbers.order[at, : numbers.known[at]]], np.inf)
    place = np.searchsorted(known[:-1], after)
    taken = moved & (known[place] == after)
    if np.count_nonzero(taken) < MOST * rows:
        return nothing
    alone = taken & (known[np.minimum(place + 1, len(known) - 1)] != after)
    # Where all are 0, they did not take it from the one row that had been.
    few = len(np.unique(after[alone])) < MOST * rows
    if not few and np.count_nonzero(alone) > _by_chance(after[moved], known[:-1]):
        return np.asarray(alone)
    return np.asarray(taken) if _dealt_out(after[moved], before[moved]) else nothing


def _dealt_out(after: Floats, before: Floats) -> bool:
    """Whether the numbers of the rows that moved are those before, dealt out anew: each is there as often, but for fewer than by chance.

    A number that c of the rows had is had by as many the next time but for sqrt(c / 2) at least: so far from it are counts that go one up
    or one down, and others farther.
    """
    values, then = np.unique(before, return_counts=True)
    ordered = np.sort(after)
    now = np.searchsorted(ordered, values, side="right") - np.searchsorted(ordered, values)
    # Half the sum of the distances of normal deviates from 0: each is sqrt(2 / pi) of its deviation in the mean.
    spread = np.sqrt(then / 2)
    mean, deviation = np.sqrt(2 / np.pi) * spread.sum() / 2, np.sqrt((1 - 2 / np.pi) * (spread**2).sum()) / 2
    return bool(len(after) - np.minimum(now, then).sum() < mean - NEARER * deviation)


def _by_chance(after: Floats, known: Floats) -> float:
    """How many of the numbers would be an old one at most by chance, as many have one a step beside an old one."""
    step = np.diff(np.unique(np.concatenate([known, after]))).min()
    # Of numbers that are no multiples of a step none is beside another, and sums are rounded.
    step = max(float(step), _FINEST * float(np.abs(known).max()))
    old, new = (np.round(numbers / step, _PLACES) for numbers in (known, after))
    beside = float(np.mean([np.isin(np.round(new + by, _PLACES), old) for by in _STEPS_BESIDE]))
    likely = (beside * len(after) + 1) / (len(after) + 2)
    return float(len(after) * likely + _SURE * np.sqrt(len(after) * likely * (1 - likely)))


def _likely(known: Floats, then: Floats, near: float) -> Floats:
    """Of rows with the old values `then` how likely another comes near each: by how many others of all have one as near, and a half."""
    others = np.searchsorted(known, then + near, side="right") - np.searchsorted(known, then - near, side="left") - 1
    return np.asarray((others + 0.5) / len(known))


def _close(now: Floats, then: Floats, fallen: Places, risen: Places, near: float) -> tuple[Places, Places]:
    """The pairs of a row that fell and one that rose of which each came near the other's old value."""
    ordered = risen[np.argsort(then[risen])]
    # A little wider, since sums are rounded; what is near is told below.
    low, high = (np.searchsorted(then[ordered], now[fallen] + far) for far in (-WIDER * near, WIDER * near))
    counts = high - low
    one = np.repeat(fallen, counts)
    other = ordered[np.repeat(low - np.cumsum(counts) + counts, counts) + np.arange(len(one))]
    close = (np.abs(now[one] - then[other]) <= near) & (np.abs(then[one] - now[other]) <= near)
    return one[close], other[close]


def _of_sizes(then: Floats, pairs: tuple[Places, Places]) -> tuple[Places, Places]:
    """The pairs of which neither had 0: one of two flights is late today, and none of the other's, as it was the other way yesterday."""
    both = (then[pairs[0]] != 0) & (then[pairs[1]] != 0)
    return pairs[0][both], pairs[1][both]


def _beyond_others(after: Floats, before: Floats, pairs: tuple[Places, Places], *, first: bool, whole: bool) -> NDArray[np.bool_]:
    """Which of the pairs are so far apart that no chance explains them; those of the `first` distances by these alone, but for counts."""
    scale, counts = (rooted, True) if whole and _whole(before) else (logged, False)
    one, other = (before[places] for places in pairs)
    size, apart = np.abs(scale(one) - scale(other)), np.abs(one - other)
    others = np.isfinite(after) & np.isfinite(before) & (after != before)
    others[np.concatenate(pairs)] = False
    moves = scale(after[others]) - scale(before[others])
    as_far = np.minimum(*(_at_least(sign * moves[sign * moves > 0], size / LESS) for sign in (-1.0, 1.0)))
    step = 1.0 if counts else float(np.abs(after[others] - before[others]).min()) if len(moves) else 0.0
    sure = (as_far <= OTHERS * len(moves)) & (apart >= STEPS * step)
    return np.asarray(sure | (size >= APART if counts else True)) if first else np.asarray(sure)


def _passing(now: Floats, then: Floats, pairs: tuple[Places, Places]) -> Floats:
    """How many pairs may be expected to come as near each other's old values as these, by chance: by the rows that fall half as far, the
    others that lie on their way, and the share of rows that rise half as far.
    """
    one, other = pairs
    near = np.maximum(np.abs(now[one] - then[other]), np.abs(then[one] - now[other]))
    apart = np.abs(then[one] - then[other])
    others = np.isfinite(now) & np.isfinite(then)
    others[np.concatenate(pairs)] = False
    moves = (now - then)[others & (now != then)]
    fall, rise = (_at_least(sign * moves[sign * moves > 0], apart / _HALF) + 0.5 for sign in (-1.0, 1.0))
    known = np.sort(then[others])
    sides = [np.searchsorted(known, then[p] + apart, side="right") - np.searchsorted(known, then[p] - apart) for p in pairs]
    beside = (np.maximum(*sides) + 0.5) * near / apart
    return np.asarray(fall * beside * rise / max(len(moves), 1) * 2 * near / apart)


def _whole(numbers: Floats) -> bool:
    known = numbers[np.isfinite(numbers)]
    return bool(np.all(known == np.round(known)))


def _at_least(moves: Floats, limits: Floats) -> Places:
    """How many of the moves are as large as each limit."""
    return np.asarray(len(moves) - np.searchsorted(np.sort(moves), limits))
