"""Which bounds say something: those that a table's owner would not call too wide to matter.

Of 388 rules of eleven tables that four readers judged as the owners of these would, each line by two of them, 76 were called too loose by
both: lines beyond three times what ever was, middles wider than all values together, shares that half of the rows may leave. A candidate
that is so is none, so that nearer bounds come where the budget allows them; where it does not, coverage says what is not noticed, and for
which price it would be.

Of 307 rules of nine more tables 67 were still called too loose: 20 of 28 levels, 11 of 13 moves from batch to batch. Of levels 6 of the 8
that were kept lie within 2.7 of their largest deviations, of the 20 that were not 2; of moves those of less than twice the largest ever.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_history.capitals import in_no_case, is_cased, is_of_codes
from avh_ui.inference.by_history.lists import by_rows, grows, growth_of_list, held_to_losses, lowest_of_list, of_list, some_null
from avh_ui.inference.by_history.modelled import Modelled
from avh_ui.inference.by_history.of_late import as_it_goes
from avh_ui.inference.by_history.one_value import MORE_SELDOM, more_of_one, most_of_one
from avh_ui.inference.by_history.own_ends import by_factors
from avh_ui.inference.by_history.room_of_moves import MOVED, room_of_moves
from avh_ui.inference.by_history.room_of_values import room_of_values
from avh_ui.inference.by_history.written import held_to_limits
from avh_ui.metrics.by_key import COUNT_FALL, COUNT_RISE, LARGEST_FALL, LARGEST_RISE, RANK_CHANGE, SUM_FALLEN, UNCHANGED
from avh_ui.metrics.counts import COMPLETE_RATIO
from avh_ui.metrics.keys_matched import KEYS_GONE
from avh_ui.metrics.moments import SUM
from avh_ui.metrics.most_frequent import TEXT_TOP_RATIO, TOP_RATIO
from avh_ui.metrics.text import CAPITAL_RATIO, STR_LEN
from avh_ui.metrics.uniqueness import DIST_VAL_COUNT
from avh_ui.metrics.whole_numbers import WHOLE_RATIO

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Of how far a mix can be from another at all this part is as far as a bound that a reader keeps.
_LOOSE = 4
# Of numbers so many more are whole: 25 % after none to 3 % and 50 % after 25 % were kept, 40 % after none was too loose.
_MORE_WHOLE = 0.3
# And of a divergence, which has no end: it is 0.288 where a quarter of the values are gone.
_LOOSE_DIVERGENCE = -math.log(0.75)
# What lets two thirds of them pass, and half as many again, bounds no number of different values ("92 to 358" of 230); nor lengths what is
# twice as long.
_SO_MANY, _TWICE = 1.5, 2.0
# Beyond this an order is another one: of counts of murders, most of them 0, it was said that it changes by at most 0.82 of 1.
_OTHER_ORDER = 0.7
# So many times what ever was is too loose of shares that hardly ever are any: the readers kept twice as much, called four times too loose,
# and were of two minds between. Of numbers of rows they kept 1.2 to 1.8 times the most that came, and called 2.1 times and more too loose
# in 5 of 6 cases; those that never are half or twice the usual one have a lower end, too.
_EVER, _ROWS, _EVEN_ROWS = 3.0, 1.9, 2.25
# Against the batch a season before, on the scale of logarithms: "0.62 to 1.61 times" was said of 0.93 to 1.06. After 24 batches and more
# the next lay .15 beyond all in 8, .2 in 7 and .4 in 4 of 1,635 cases of a season of 12.
_SEASONAL, _SEASONAL_MORE = 2.5, 0.25
# Where nearly all batches have about as many rows, a cap alone is to notice twice as many: "at most 6,263" was said of 2,300, because
# 5,009 came once. Readers kept none of 4 such bounds that let twice the usual number pass, and 12 of 13 where that is nothing special.
_NEARLY_ALL, _ABOUT, _TWICE_THE_ROWS = 0.95, 1.4, 2.05
# A share that matters is within so many times what ever was, and so much more of the rest: 12 % null were too loose after 2.4 %, 3.8 %
# after 0.4 %; 40 % after 24 % were not, and notice half.
_MORE, _LEAST_MORE = 0.22, 0.01
# Of rows matched by key what befalls so many times as many as ever, and more than a few, is too loose: 8.6 % after 2.4 %, 16 % after 1.9 %,
# 30 % of keys gone after 7 %; and how far rows move, or fall together, so many times as far: a fall by 16 % after 2.9 %, by 21 of 60 after
# 4 of 73, and all falls together 2 % after 0.34 % were too loose.
_BY_KEY, _FEW_ROWS, _FEW_KEYS, _FAR_ROWS, _LITTLE_FAR, _LITTLE_ROOT = 3.0, 0.05, 0.06, 3.0, 0.05, 1.0
# Of rows that stay as they were readers kept 30 to 45 % after 0 to 18 %, and called 90 to 96 % too loose after 0 to 29 %. Where nearly all
# may stay, it is no fault that all do: 99 % of the planned arrivals of flights.
_STALE, _MOST_STALE = 0.35, 0.9
# Nor may a sum be as many times what it ever was.
_TOTAL = 1.5
# "At least 70% of id are different" was too loose of what was unique in 53 batches, and 20 % of capitals of texts that never had one: names
# with a capital each have 15 %.
_REPEATED, _CAPITALS = 0.05, 0.1
# Texts that are so long on average in every batch are said to be, since whole ones are told from cut ones: of texts of 10 to 134 characters
# readers kept 4 of 14 such ends, of those of 900 the one.
_LONG_TEXTS = 200
# Of values of which nearly all differ so many times as many repeat another one, or so much of all: of nearer bounds readers kept 18 of
# 27, of farther ones ("at least 78 %" after 93 to 98) none of 5.
_REPEATS, _MORE_REPEATS = 2.75, 0.045
# Half of what a share never was may not be within its bounds.
_HALF = 0.5
# What is rounded outwards is so much farther.
_ROUNDED = 1.25
# A share above none.
_SOME = 1e-6
# Days beside a batch's date are bounded so many times as far as they ever were, or two weeks beyond that: readers kept both of 1.5 times
# (770 days after 502), and called 2.1 to 2.6 times too loose (6,480 days after 3,098). So many are no time that anybody means.
_DAYS, _WEEKS, _CENTURY = 1.6, 14.0, 36_525.0


def saying_something(model: Modelled, lower: Floats, upper: Floats) -> tuple[Floats, Floats, Mask]:
    """The bounds in the transform's space, shapes (Q,), without sides that are too loose to matter, and which still say something."""
    metric, forward, lower = model.metric, model.transform.forward, held_to_losses(model, lower)
    some = _in_its_century(model, lower, upper) & ~np.array(is_of_codes(model))
    if not model.transform.relative:
        some &= (lower > forward(metric.lowest)) | (upper < forward(metric.highest))
        if metric.extreme == "spread":
            # Those that reach to 0 may be kept above it.
            some |= lower <= 0
        some &= _as_wide(model, lower, upper)
    if metric.scale is not None:
        some &= ~np.array([metric.scale.says_nothing(end) for end in upper.tolist()], dtype=bool)
    if metric is RANK_CHANGE:
        some &= upper <= _OTHER_ORDER
    # A last day that never changed is held to: one of another century is told by that.
    constant = model.sigma == 0 and not _in_the_unit(model)
    if model.alone or constant or held_to_limits(model):
        return lower, upper, some & _near_what_it_was(model, lower, upper)
    if metric.by_key:
        return lower, upper, some & ((upper <= _of_matched_rows(model)) | (lower > 0))
    if metric.volume and not by_rows(model):
        return lower, upper, some & _of_rows(model, lower, upper)
    least, most = _room_of(model)
    low, high = np.isfinite(lower) & (lower >= least), np.isfinite(upper) & (upper <= most)
    some &= upper >= growth_of_list(model)[0] if metric.volume else True
    if metric.two_distribution:
        return lower, upper, some & high
    # What such values can be at all says more than how small or large they are; so does that nothing is negative, unless they sink to 0.
    limits = model.limits if metric.extreme and model.transform.is_identity else (math.nan, math.nan)
    zero = (lower == 0) & (metric.extreme == "least")
    low = (low | (zero & (least < math.inf) & (model.ever[0] >= 0))) & ~(zero & model.signed)
    low |= np.isfinite(lower) & (lower == limits[0])
    high |= np.isfinite(upper) & (upper == limits[1])
    high &= np.where(low, some_null(model, lower, upper), upper < _most_alone(model))
    # How long texts are at most on average readers did not ask: of "35.25 to 35.321 characters" and others they kept 2 of 8, both of days.
    high &= metric is not STR_LEN
    low &= metric is not STR_LEN or float(model.observed.min(initial=math.inf)) >= _LONG_TEXTS
    ends = np.where(low, lower, -np.inf), np.where(high, upper, np.inf)
    return *(in_no_case(model, *ends) if is_cased(model) else ends), some & (low | high)


def _near_what_it_was(model: Modelled, lower: Floats, upper: Floats) -> Mask:
    """Which are as near to what never changed as people ask: of values that all differ, of texts without a capital, and of how far values
    move.
    """
    if model.sigma == 0 and model.metric.tells_keys and model.mu == 1:
        return np.asarray(lower >= 1 - _REPEATED)
    if model.metric.two_distribution and model.metric.amount and model.transform.is_identity:
        return np.asarray(upper <= room_of_moves(model))
    return (
        np.asarray(upper <= _CAPITALS)
        if model.metric is CAPITAL_RATIO and model.sigma == 0 == model.mu
        else np.ones(len(lower), dtype=bool)
    )


def _most_alone(model: Modelled) -> float:
    """Below which an upper end says something without a lower one: that a quarter is null at least does not, nor "up to all of them"."""
    if model.metric is COMPLETE_RATIO:
        return _HALF
    return math.inf if model.transform.relative else model.transform.forward(model.metric.highest)


def _in_its_century(model: Modelled, lower: Floats, upper: Floats) -> Mask:
    """Which do not speak of days in another century than the batch's, as the year 15 for 2015: of these nothing is said."""
    some: Mask = np.ones(len(lower), dtype=bool)
    for end in (lower, upper) if model.transform.part and model.metric.dated else ():
        some &= ~np.isfinite(end) | (np.abs(end) < _CENTURY)
    return some


def _as_wide(model: Modelled, lower: Floats, upper: Floats) -> Mask:
    """Which are not as wide as what the metric is of allows at all."""
    metric, some = model.metric, np.ones(len(lower), dtype=bool)
    if metric.two_distribution and not metric.of_quantities and (not metric.by_key or metric.of_any_change):
        # A quarter of the rows with other values are within what lies beyond: "the mix changes by at most 0.52 of 2" says nothing.
        far = metric.highest / _LOOSE if math.isfinite(metric.highest) else _LOOSE_DIVERGENCE
        some &= np.round(upper / model.transform.forward(far), 6) <= 1
    if metric in (COUNT_FALL, COUNT_RISE) and model.sigma == 0:
        # "Falls by at most 13 of 100,000" of what never fell no reader understood.
        some &= upper <= 0
    elif metric in (COUNT_FALL, COUNT_RISE) and math.isfinite(model.ever[1]):
        # Nor that a million may fall by half, or rise to twice as much: "by at most 16,900,000 of 20,000,000".
        half = math.sqrt(_HALF) if metric is COUNT_FALL else math.sqrt(1 / _HALF)
        some &= upper <= abs(1 - half) * math.sqrt(max(map(abs, model.ever)))
    if metric is COMPLETE_RATIO:
        # All of it may be null, and most of it filled: "at least 20% of supports_vision are null".
        some &= (lower > 0) | (upper < _HALF)
    if metric is WHOLE_RATIO:
        some &= upper <= float(model.values.max()) + _MORE_WHOLE
    if metric is DIST_VAL_COUNT:
        # Neither a third fewer nor half as many again would be noticed.
        some &= (lower > model.mu / _SO_MANY) | (upper < model.mu * _SO_MANY)
    return some


def _of_matched_rows(model: Modelled) -> float:
    """The highest bound that matters on what befalls matched rows, of which most are as they were."""
    metric, most = model.metric, float(model.values.max())
    if model.transform.relative or metric.of_faults:
        return math.inf
    if metric is UNCHANGED:
        return min(most + _STALE * (1 - most), _MOST_STALE)
    if metric is SUM_FALLEN:
        return _FAR_ROWS * most
    if metric.unit == "ratio":
        return max(_BY_KEY * most, most + (_FEW_KEYS if metric is KEYS_GONE else _FEW_ROWS))
    least = _LITTLE_FAR if metric in (LARGEST_FALL, LARGEST_RISE) else _LITTLE_ROOT if metric in (COUNT_FALL, COUNT_RISE) else math.inf
    return max(_FAR_ROWS * most, least)


def _of_rows(model: Modelled, lower: Floats, upper: Floats) -> Mask:
    """Which say something of how many rows come: not what lets any number pass that was usual, twice and more."""
    if grows(model):
        near, far = growth_of_list(model)
        return np.asarray((upper >= near) & (upper <= far))
    if model.transform.lag > 1 and model.transform.log and model.sigma:
        far = float(np.abs(model.values).max())
        return np.asarray(upper <= max(_SEASONAL * far, far + _SEASONAL_MORE))
    if model.transform.relative or not model.sigma:
        return np.ones(len(upper), dtype=bool)
    late = as_it_goes(model.observed)
    most = model.transform.forward((_EVEN_ROWS if by_factors(model) else _ROWS) * float(late.max()))
    usual = float(np.median(late))
    if len(late) < len(model.observed) or np.quantile(late, _NEARLY_ALL) >= _ABOUT * usual:
        return np.asarray(upper <= most)
    twice = model.transform.forward(_TWICE_THE_ROWS * usual)
    return np.asarray(upper <= np.where(lower > 0, most, np.minimum(most, twice)))


def _in_the_unit(model: Modelled) -> bool:
    """Whether it is a level or an extreme as it is, in the unit of the column's values."""
    metric = model.metric
    return metric.unit == "value" and not (
        model.transform.relative or metric.two_distribution or metric.dated or metric.extreme == "spread"
    )


def _room_of(model: Modelled) -> tuple[float, float]:
    """What matters, but that what few rows move is let pass at any time."""
    least, most = _mattering(model)
    if model.metric.unit != "ratio" or model.metric.two_distribution:
        return least, most
    return min(least, model.mu - _ROUNDED * model.reach), max(most, model.mu + _ROUNDED * model.reach)


def _mattering(model: Modelled) -> tuple[float, float]:
    """The lowest lower and the highest upper bound that matter beside what ever was, infinite where any does."""
    metric, least, most = model.metric, float(model.values.min()), float(model.values.max())
    if metric.volume:
        # Half of a list gone, or as much again, is within what says nothing.
        rows, far = float(model.observed[-1]), growth_of_list(model)[1]
        return max(-_HALF * rows, -far), min(rows, far)
    if metric.dated:
        return _among_days(model, least, most)
    if model.transform.relative:
        far = MOVED * max(-least, most) if metric.unit in ("value", "values") else math.inf
        return -far, far
    if metric.two_distribution:
        return -math.inf, room_of_moves(model)
    if metric.unit == "ratio":
        low, high = _of_shares(model, least, most)
        return max(low, lowest_of_list(model)) if of_list(model) else low, high
    times = _TOTAL if metric is SUM and least >= 0 else _TWICE if metric.unit == "characters" else 0.0
    if times:
        return least / times, most * times
    return room_of_values(model) if metric.unit == "value" and all(map(math.isfinite, model.ever)) else (-math.inf, math.inf)


def _of_shares(model: Modelled, least: float, most: float) -> tuple[float, float]:
    metric, usual = model.metric, model.usual.get(model.metric.name)
    if metric in (TOP_RATIO, TEXT_TOP_RATIO):
        return 1 - more_of_one(1 - least, MORE_SELDOM), most_of_one(model)
    if metric is COMPLETE_RATIO and usual is not None:
        return max(_lowest(least), usual.least_there), more_of_one(most, MORE_SELDOM)
    if metric.tells_keys:
        return max(_lowest(least), 1 - max(_REPEATS * (1 - least), 1 - least + _MORE_REPEATS)), more_of_one(most, MORE_SELDOM)
    # Without any capitals texts are in small letters.
    return _SOME if metric is CAPITAL_RATIO else _lowest(least), more_of_one(most, MORE_SELDOM)


def _among_days(model: Modelled, least: float, most: float) -> tuple[float, float]:
    """Of days beside the batch's date; of others no later one than any before was so until it comes."""
    if model.transform.part:
        far = max(0.0, -least, most)
        days = max(_DAYS * far, far + _WEEKS)
        return -days, days
    if model.transform.log:
        # No day is so many times another.
        return math.inf, -math.inf
    late = model.metric.extreme == "greatest" and not model.transform.relative
    return -math.inf, -math.inf if late else math.inf


def _lowest(least: float) -> float:
    """The lowest bound on a share that matters: half of what is always there is not gone, and no more is missing than three times what was
    missing at most.
    """
    never = 1 - least
    return max(least * _HALF, 1 - max(min(_EVER * never, never + _MORE * least), never + _LEAST_MORE))
