"""Bounds that follow from the history: what is approved is a recipe, and each batch's bounds are computed from the sound batches before it.

The function is pure and the same wherever it runs: it takes values in the order of their batches, adds them by `math.fsum` (which is
exact, so that no order of summation or processor counts), and rounds the bounds outwards, so that the last bit of a logarithm does not
show. Inference takes the bounds that a reviewer sees from it, the validator those of a batch.

Of one regime of n values the bounds are `width` times their largest deviation away from their mean, and no narrower than those that were
approved. Where n is less than when the width was chosen, it grows by the tail's law (`inference.by_history.tails`): the next value is
further than `r` times the largest deviation of n with the probability `r ** -index / (n + 1)`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from avh_ui.constraints.isolated import isolated
from avh_ui.constraints.plain_data import Number
from avh_ui.constraints.written import rounded
from avh_ui.history.series import Series
from avh_ui.history.standings import REACH
from avh_ui.typed import CLOSED, LEFT_OUT, Text, Truth, Whole

Mask = NDArray[np.bool_]
Interval = tuple[float, float]

# Beyond this exponential there are no doubles.
_LARGEST_LOG = 700.0
# From fewer values nothing follows (the shortest history the paper tries: Appendix J, Figure 6); then the bounds are those approved.
LEAST = 7
_OPEN: Interval = (-math.inf, math.inf)


@dataclass(frozen=True)
class Recipe:
    """How a constraint's bounds follow: from the values, in the transform's space, of at most the last `window` sound batches.

    `width` is how many largest deviations the bounds are away from the mean, chosen from `batches` values with the largest deviation
    `deviation`, whose tail has the power `index`. Where it goes by `factor` all this is of logarithms; `above` says that deviations are
    those above the mean, `alone` that single batches of twice or half the rows teach nothing (`isolated`). `lowest` and `highest` are the
    envelope: what is beyond them is for a person to review, and is not learned. By nature values are not below `least` or above `most`.
    None is no limit. They are no further than `past_ends` beyond the smallest and the largest of the values, each on its side.
    """

    __pydantic_config__ = CLOSED
    window: Whole
    width: Number
    batches: Whole
    deviation: Number
    index: Number
    factor: Annotated[Truth, LEFT_OUT] = False
    above: Annotated[Truth, LEFT_OUT] = False
    alone: Annotated[Truth, LEFT_OUT] = False
    whole: Annotated[Truth, LEFT_OUT] = False
    past_ends: Annotated[Number | None, LEFT_OUT] = None
    lowest: Number | None = None
    highest: Number | None = None
    least: Number | None = None
    most: Number | None = None

    @property
    def envelope(self) -> Interval:
        """Both limits, infinite where there is none."""
        return _limits(self.lowest, self.highest)

    def width_of(self, count: int) -> float:
        """How many largest deviations of so many values are as rarely exceeded as `width` of `batches` are."""
        return self.width * math.pow(max(1.0, (self.batches + 1) / (count + 1)), 1 / self.index)


# Of a constraint: not written where its bounds stay as they are.
RecipeField = Annotated[Recipe | None, Field(exclude_if=lambda recipe: recipe is None)]


@dataclass(frozen=True)
class LearnedFrom:
    """The batches that bounds followed from: how many, the first and the last, and a hash of their ids and values (12 digits)."""

    batches: Whole
    first: Text
    last: Text
    sha256: Text


@dataclass(frozen=True)
class Past:
    """The values of a measure in the batches before one, in the transform's space and in the order of their batches, shape (K,).

    `sound` are those that may be learned from, `accepted` those of them that a person called right. A value that is neither sound nor
    there any more (called wrong, not measured) is left out before. `begins` is the place where somebody said that a new regime begins;
    `prior` is from where to where the values of the regime before are (None: all before it). With `renewed` it began before all values.
    `doubtful` are those of a new regime that failed by the bounds of the old one: they are learned where those before them expect them.
    """

    values: Series
    sound: Mask
    accepted: Mask
    begins: int = 0
    prior: tuple[int, int] | None = None
    renewed: bool = False
    doubtful: Mask | None = None

    @property
    def now(self) -> Mask:
        """What may be learned from of the regime that lasts."""
        return self.sound & (np.arange(len(self.values)) >= self.begins)

    @property
    def before(self) -> Mask:
        """What may be learned from of the regime before."""
        places, (first, end) = np.arange(len(self.values)), self.prior or (0, self.begins)
        return self.sound & (places >= first) & (places < end)


@dataclass(frozen=True)
class Followed:
    """The bounds of one batch in the transform's space, infinite where open, and the places in `Past` of what they were learned from (none:
    they are those approved).

    `unlimited` are the bounds without the envelope. After a step that nobody has answered for `REACH` batches, `step` is the place
    of its first batch and `beyond` are the bounds of the values since.
    """

    bounds: Interval
    learned: tuple[int, ...] = ()
    unlimited: Interval = _OPEN
    step: int | None = None
    beyond: Interval | None = None


def follow(recipe: Recipe, approved: Interval, past: Past) -> Followed:
    """The bounds of the batch after `past`; `approved` are those of the constraint, infinite where a side is open, which stays open."""
    new_regime = past.begins > 0 or past.renewed
    now = past.now
    if new_regime and not now.any():
        # Nothing is known of it yet.
        new_regime, now = False, past.before
    if new_regime and past.doubtful is not None:
        now = _expected(recipe, past, now)
    low, high = _moved(recipe, past.values[now]) if new_regime else recipe.envelope
    within = ((past.values >= low) & (past.values <= high)) | past.accepted
    known = np.flatnonzero(now & within)[-recipe.window :]
    if recipe.alone and not new_regime:
        known = known[~isolated(np.array(_own_space(recipe, past.values[known].tolist())), changes=not recipe.factor)]
    if len(known) < (1 if new_regime else LEAST):
        found = Followed(approved, (), approved)
    else:
        values = past.values[known].tolist()
        before = past.values[past.before][-recipe.window :].tolist() if new_regime else []
        even = _bounds(recipe, values, before, new_regime=new_regime)
        ends = even if new_regime else _by_own_ends(recipe, approved, values, even)
        unlimited = _as_open(ends, approved, recipe)
        # What a person called right moves the envelope.
        low, high = min(low, *values), max(high, *values)
        bounds = _as_open((max(unlimited[0], low), min(unlimited[1], high)), approved, recipe)
        found = Followed(bounds, tuple(known.tolist()), unlimited)
    return _after_a_step(recipe, approved, past, found)


def _expected(recipe: Recipe, past: Past, now: Mask) -> Mask:
    """What is learned of a new regime, without the doubtful values that those before them do not expect: a fault, or the next change."""
    kept, before = now.copy(), past.values[past.before][-recipe.window :].tolist()
    assert past.doubtful is not None
    for place in np.flatnonzero(now & past.doubtful).tolist():
        known = past.values[:place][kept[:place]][-recipe.window :].tolist()
        if known:
            low, high = _bounds(recipe, known, before, new_regime=True)
            kept[place] = low <= past.values[place] <= high
    return kept


def _moved(recipe: Recipe, values: Series) -> Interval:
    """The envelope around a level that a person expects, in the middle of the first values of the new regime: as wide as it was, and wider
    where they vary more, or are so few that their middle is not known well. A side without a limit stays without.
    """
    low, high = recipe.envelope
    if (math.isinf(low) and math.isinf(high)) or not len(values):
        return low, high
    first = _own_space(recipe, values[:LEAST].tolist())
    middle, deviation = _spread(recipe, first)
    usual = recipe.width * recipe.deviation
    reach = usual
    if math.isfinite(low) and math.isfinite(high):
        ends = _own_space(recipe, [low, high])
        reach = (ends[1] - ends[0]) / 2
    half = reach * math.sqrt(1 + 1 / len(first)) * max(1.0, recipe.width_of(len(first)) * deviation / usual)
    moved = (middle - half, middle + half)
    lower, upper = (_exp(moved[0]), _exp(moved[1])) if recipe.factor else moved
    return low if math.isinf(low) else lower, high if math.isinf(high) else upper


def _bounds(recipe: Recipe, values: Sequence[float], before: Sequence[float], *, new_regime: bool) -> Interval:
    """Of the values of one regime; of a new one with the spread of the values `before` it as what is known at first."""
    known, earlier = (_own_space(recipe, series) for series in (values, before))
    mean, deviation = _spread(recipe, known)
    # What stands still for a while is not held to that: else 11 instead of 3 of 859 column-batches of airports' regions failed.
    half = recipe.width_of(len(known)) * (deviation if new_regime else max(deviation, recipe.deviation))
    if new_regime:
        # What stood still before says nothing of how the new values vary, and neither do new ones that stand still.
        usual = recipe.width * ((_spread(recipe, earlier)[1] if len(earlier) >= LEAST else 0.0) or recipe.deviation)
        if len(known) < LEAST:
            # Wide first: the mean of n values is off by as much as its own error.
            half = max(usual * math.sqrt(1 + 1 / len(known)), recipe.width * deviation)
        elif not deviation:
            half = usual
        elif deviation <= usual / recipe.width:
            # What varies no more than before keeps the width that a long history has.
            half = min(half, usual)
    lower, upper = mean - half, mean + half
    if recipe.factor:
        return _exp(lower), _exp(upper)
    return lower, upper


def _by_own_ends(recipe: Recipe, approved: Interval, values: Sequence[float], bounds: Interval) -> Interval:
    """The bounds, each no further beyond the farthest of the values on its side than `past_ends`; but no narrower than those approved."""
    if not recipe.past_ends:
        return bounds
    known = _own_space(recipe, values)
    past = recipe.past_ends * recipe.width_of(len(known)) / recipe.width
    lower, upper = min(known) - past, max(known) + past
    if recipe.factor:
        lower, upper = _exp(lower), _exp(upper)
    return max(bounds[0], min(lower, approved[0])), min(bounds[1], max(upper, approved[1]))


def _own_space(recipe: Recipe, values: Sequence[float]) -> Sequence[float]:
    # Where one is not positive there is no factor to the others: the smallest that is stands for it.
    if not recipe.factor:
        return values
    least = min((value for value in values if value > 0), default=1.0)
    return [math.log(max(value, least)) for value in values]


def _exp(logarithm: float) -> float:
    return math.exp(min(logarithm, _LARGEST_LOG))


def _spread(recipe: Recipe, values: Sequence[float]) -> Interval:
    """Mean and largest deviation."""
    mean = math.fsum(values) / len(values)
    return mean, max(max(values) - mean, 0.0 if recipe.above else mean - min(values))


def _as_open(bounds: Interval, approved: Interval, recipe: Recipe) -> Interval:
    """Bounds open where those approved are, not beyond what values are by nature, and written outwards to the digits that matter. What
    deviates above the mean alone may always be less.
    """
    least, most = _limits(recipe.least, recipe.most)
    lower, upper = rounded(*bounds, max(abs(bounds[0]), abs(bounds[1])), whole=recipe.whole)
    low = approved[0] if recipe.above or math.isinf(approved[0]) else min(max(lower, least), most)
    high = math.inf if math.isinf(approved[1]) else max(min(upper, most), least)
    return low, high


def _after_a_step(recipe: Recipe, approved: Interval, past: Past, found: Followed) -> Followed:
    """With the bounds of what lies on one side, unanswered, in all of the last `REACH` batches or more."""
    if past.sound[-REACH:].any() or len(past.values) < REACH:
        return found
    low, high = found.bounds
    for outside in (past.values < low, past.values > high):
        beyond = outside & ~past.sound
        count = int(np.argmin(beyond[::-1])) if not beyond.all() else len(beyond)
        if count >= REACH:
            first = len(beyond) - count
            since = replace(past, sound=past.sound | (np.arange(len(beyond)) >= first), begins=first, prior=(past.begins, first))
            return replace(found, step=first, beyond=_as_open(_of_new(recipe, since), approved, recipe))
    return found


def _of_new(recipe: Recipe, past: Past) -> Interval:
    new = past.values[past.begins :]
    return _bounds(recipe, new[-recipe.window :].tolist(), past.values[past.before][-recipe.window :].tolist(), new_regime=True)


def _limits(low: float | None, high: float | None) -> Interval:
    return -math.inf if low is None else low, math.inf if high is None else high
