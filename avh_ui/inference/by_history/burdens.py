"""How hard a metric is to judge for a person, and whether one can tell what a bound on it means at all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_history.candidates import Candidates, MetricModel
from avh_ui.metrics.distance_words import TOLD_IN_ROWS
from avh_ui.metrics.distances import COHEN_D, NUMBER_DISTANCES, SHAPE_DISTANCES, TEXT_DISTANCES
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.most_frequent import TOP_RATIO
from avh_ui.metrics.text import CAPITAL_RATIO, DIGIT_LEN, PUNC_LEN, STR_LEN
from avh_ui.metrics.uniqueness import TEXT_UNIQUE_RATIO

Mask = NDArray[np.bool_]

# Nearer to a whole number an average of lengths is one.
_STILL = 1e-9
# A mean that moves by three times the spread of the values leaves nearly all that they were. "Moves by at most 80 of the spread" was said
# of a column that one value became, to be broken by nothing that anybody means.
_SPREADS = 3.0
# Of near-equal candidates plain metrics win: another must catch that many times more per cost. Between no burdens and burdens of 2 and 3,
# recall on unseen magnitudes changed by .003 and false alarms not at all (6 tables).
BURDEN = 1.25
_IN_NATS = frozenset(m.name for m in (*NUMBER_DISTANCES, *TEXT_DISTANCES, *SHAPE_DISTANCES) if not m.of_quantities) - TOLD_IN_ROWS
BURDEN_OF_DISTANCE = 1.5
# Of how far values move in their own unit readers kept 2 of 18 rules: it is near to how far they are from 0.
BURDEN_OF_MOVES = 3.0
# Of two distances the one that is told in rows comes first: "barely changes (at most 0.05)" is a divergence, of which nobody has an idea.
# Of 212 rules that a reader judged as their owner would 12 were left for that alone. Without them two renamed regions of 39 documented
# faults passed.
BURDEN_OF_DIVERGENCE = 4.0
# A default that all rows but one have leaves values apart: how many are the same says more, where that can be said.
BURDEN_OF_RANGE = 4.0
# That nothing is null is said by how much is filled, and not by how many different values there are.
BURDEN_OF_NUMBER = 1.01
# What grows with the number of rows repeats the constraint that this has of its own.
BURDEN_OF_SIZE = 2.0
# Nobody has in their head how many letters are capitals, or how long texts are on average: of those that say such the last to come.
BURDEN_OF_LETTERS = 4.0
_OF_LETTERS = frozenset({CAPITAL_RATIO.name, STR_LEN.name})
# That a key is unique, or belongs to its batch, is worth more than the synthetic issues say: none repeats a row or is another day's.
BURDEN_OF_KEY = 0.5


def burden_of(model: MetricModel) -> float:
    """How much harder the metric is to judge than a plain one."""
    metric = model.metric
    if model.sigma == 0 and (model.transform.part or (metric.tells_keys and model.mu == 1)):
        return BURDEN_OF_KEY
    if metric.name in _OF_LETTERS and model.sigma > 0:
        return BURDEN_OF_LETTERS
    if metric.plain == "always":
        return 1.0
    if metric.plain == "constant" and model.sigma == 0:
        return BURDEN_OF_NUMBER
    if metric.grows and not metric.extreme and metric.plain == "never":
        return BURDEN_OF_SIZE
    if in_nats(metric):
        return BURDEN_OF_DIVERGENCE
    if metric.two_distribution:
        return BURDEN_OF_MOVES if metric.of_quantities and not metric.by_key else BURDEN_OF_DISTANCE
    return BURDEN_OF_RANGE if metric.extreme == "spread" else BURDEN


def in_nats(metric: Metric) -> bool:
    """Whether it is a distance between shares that is not told in rows: a divergence, a cosine, Cramer's V."""
    return metric.name in _IN_NATS and metric.two_distribution


def is_readable(model: MetricModel, *, prose: bool = False) -> bool:
    """Whether a person can tell what a bound on it means: not on the change of a distance, nor on how many values are distinct unless all
    are, nor that texts have 8.55 characters on average, or 8.08 to 8.1: this says that the values are the same, in a number that says
    nothing of them; nor, of numbers, on a divergence: "changes by at most 0.11, which is at most 47% of its rows" was said of times of the
    day, where how many rows have other values is told, too. Of `prose` how long it is and how many texts differ is what there is to say.
    """
    if prose and model.metric in (STR_LEN, TEXT_UNIQUE_RATIO):
        return not model.transform.relative
    if model.metric in (DIGIT_LEN, PUNC_LEN) and not model.mu:
        # What has no digits has a form that says of what it is.
        return False
    if model.metric.unit == "characters" and not model.metric.extreme:
        return model.sigma == 0 and not model.transform.relative and abs(model.mu - round(model.mu)) <= _STILL
    if model.metric.tells_keys:
        return bool(model.sigma == 0 and model.mu == 1)
    if model.metric.name == TOP_RATIO.name and model.transform.relative:
        # "The share of the most frequent value rises by at most 0.0044 pt" is said of no value that anybody names.
        return False
    if in_nats(model.metric) and (model.metric not in SHAPE_DISTANCES or model.observed.max() > 0):
        return False
    return not (model.metric.two_distribution and model.transform.relative)


def means_something(grid: Candidates) -> Mask:
    """Which bounds of a readable metric a person would set at all, of shape (B,): none on a move of the mean beyond `_SPREADS`."""
    return np.asarray((grid.upper <= _SPREADS) | (grid.model.metric is not COHEN_D))
