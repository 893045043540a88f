"""Which metrics of matched rows say something of a column, by what its rows do on ordinary days: start anew, or fall as often as not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from avh_ui.constraints.constraint import Constraint
from avh_ui.history.series import ColumnHistory, Series
from avh_ui.inference.by_history.candidates import MetricModel
from avh_ui.metrics.by_key import (
    BEYOND,
    CHANGED,
    COUNT_FALL,
    COUNT_RISE,
    EMPTIED,
    FALLEN,
    FILLED,
    LARGEST_FALL,
    LARGEST_RISE,
    RANK_CHANGE,
    RISEN,
    SUM_FALLEN,
)
from avh_ui.metrics.column import Floats
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.scales import rooted

# On so many days a row fell by half of what the largest is, on the scale of roots: from a quarter of it or more to nearly nothing. Seconds
# since a start do; cases of a region, which on Mondays are a third of Sunday's, do not.
_DAYS, _FALL = 0.1, 0.5
# Where so many of the rows fall on half of the days, falls are what these rows do.
_OFTEN = 0.25
_FLAGS = 2
# One way goes what moves the other way in so few of the rows that move, and that way in so many of the batches. That a width, a code or a
# rank never falls, or in at most 2.5 % of the rows, meant nothing to any of 8 readers of 3 tables: what is put right may go either way.
_OTHER_WAY, _MOVES_ON = 0.1, 0.1
# What moves in fewer of the batches is no sum: "all falls of federal_circuit make at most 0.2 % of it" readers kept none of 4 times, of
# codes, frequencies and rates of which some row moved in 2 to 4 % of the batches; of counts by region some do in nearly all.
_MOVE = 0.1
# "Falls by at most 16,900,000 of 20,000,000", "rises by at most 16,100,000 on 10,000,000": too loose, said readers of all four such rules.
_LESS, _MORE = 0.25, 2.0
_MOVES = (FALLEN, RISEN, RANK_CHANGE)
_STEPS = {m.name for m in (LARGEST_FALL, LARGEST_RISE, COUNT_FALL, COUNT_RISE)}


def telling(metrics: Sequence[Metric], history: ColumnHistory, numbers: Floats, filled: Series) -> list[Metric]:
    """Of the metrics those that say something of a column with this history and these `numbers` in the latest batch, shape (rows,), NaN
    for none, which was `filled` to these shares in the batches, shape (batches,).

    Of rows that start anew nobody says how far one may rise or fall: after a start any factor is usual, and "uptime_s rises by at most
    3,120,000 on 10,000,000" was suggested of what rises by 86,400 a day. Of rows that fall as often as not the falls together say nothing.
    Nor does how far a number moved that is one of two: a flag of runways, 1 of those that are closed, fell "by 1.43 % of all". Of a column
    without a null ever its own rule says it: emissions spent 7 tenths of their budget on that no row becomes null. Of numbers that never
    moved it is said that they do not change: "statefips falls by at most 1 of 100" was suggested of the states of counties. Nor do the
    falls together say anything of numbers that hardly ever move, as codes, heights and rates do.
    """
    if len(filled) and np.all(filled == 1):
        metrics = [m for m in metrics if m not in (EMPTIED, FILLED)]
    known, changed = numbers[np.isfinite(numbers)], _known(history, CHANGED)
    if len(changed) and not changed.any():
        metrics = [m for m in metrics if m is BEYOND or not (m.of_farthest or m in _MOVES)]
    if len(np.unique(known)) <= _FLAGS:
        metrics = [m for m in metrics if not m.of_farthest]
    sizes = np.abs(known)
    no_way = _one_way(history)
    metrics = [m for m in metrics if m.name not in no_way]
    falls, often = _known(history, COUNT_FALL), _known(history, FALLEN)
    anew = bool(len(sizes) and len(falls)) and float(np.mean(falls >= _FALL * rooted(sizes.max()))) >= _DAYS
    freely = bool(len(often)) and float(np.median(often)) >= _OFTEN
    seldom = bool(len(changed)) and float(np.mean(changed > 0)) < _MOVE
    return [m for m in metrics if not (anew and m.name in _STEPS) and not ((freely or seldom) and m is SUM_FALLEN)]


def _one_way(history: ColumnHistory) -> set[str]:
    """What says nothing of a column that does not move one way: in how many rows it falls, or rises, and that it never does."""
    fell, rose = (_known(history, metric) for metric in (FALLEN, RISEN))
    out = set[str]()
    for own, other, steps in ((fell, rose, (FALLEN, LARGEST_FALL, COUNT_FALL)), (rose, fell, (RISEN, LARGEST_RISE, COUNT_RISE))):
        if len(own) and len(other) and (own.sum() > _OTHER_WAY * (own.sum() + other.sum()) or np.mean(other > 0) < _MOVES_ON):
            out |= {metric.name for metric in (steps[:1] if own.any() else steps)}
    return out


def lets_much(rule: Constraint, models: Sequence[MetricModel], sizes: Sequence[float]) -> bool:
    """Whether a bound on how far a count may move lets the middle one, the first of these `sizes`, lose most of itself, or double."""
    scale, far = next(m.metric.scale for m in models if m.metric.name == rule.metric), rule.upper
    if scale is None or not scale.roots or not far or not sizes:
        return False
    limit = scale.limit(sizes[0], far)
    return limit >= _MORE * sizes[0] if scale.up else limit <= _LESS * sizes[0]


def with_size(rule: Constraint, models: Sequence[MetricModel], sizes: Sequence[float]) -> Constraint:
    """The rule with the first of these `sizes` of which its bound is a part that people can picture, where it is on the scale of roots."""
    scale, far = next(m.metric.scale for m in models if m.metric.name == rule.metric), rule.upper
    some = [size for size in sizes if far and scale is not None and scale.roots and scale.told_of(size, far)]
    return replace(rule, provenance={**rule.provenance, "size": some[0]}) if some else rule


def _known(history: ColumnHistory, metric: Metric) -> Series:
    found = history.values.get(metric.name, np.empty(0))
    known: Series = found[np.isfinite(found)]
    return known
