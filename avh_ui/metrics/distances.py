"""Distances between two distributions, from their states alone (AVH, Tables 3 and 4).

All are 0 for equal distributions and larger the further apart they are; NaN when either side has no values. KS and chi-squared are
the statistics (D and Cramer's V), not p-values: an upper bound on a p-value can never catch drift (design, section 6).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import repeat
from typing import Any

import numpy as np

from avh_ui.metrics import distance_words as words
from avh_ui.metrics.column import NUMBER_KINDS, TEXT_KINDS, Floats, Kind
from avh_ui.metrics.distance_words import BELOW_ANY_VALUE, SLIGHT, changes_by, mix_moves, moves_by, moves_in_spreads, rows_moved
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.few_far import few_far
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.mix_words import percent, plain_number, told_mix, told_shapes
from avh_ui.metrics.moments import MomentsState
from avh_ui.metrics.remembering import remembered
from avh_ui.metrics.shapes import ShapeState
from avh_ui.metrics.state import State
from avh_ui.metrics.wording import Wording

_DECILES = np.arange(1, 10) / 10
# Of standard deviations what Cohen calls a small effect (Statistical Power Analysis, 1988, section 2.2.3).
_SMALL = 0.2


# Numbers


@remembered
def _cumulative(ours: DistributionState, theirs: DistributionState) -> tuple[Floats, Floats, Floats] | None:
    """The union of both supports and both cumulative shares on it; None when a side is empty."""
    (x, p), (y, q) = ours.support(), theirs.support()
    if not len(x) or not len(y):
        return None
    both = np.concatenate([x, y])
    # Of two runs in order, which this sorts in one pass.
    order = np.argsort(both, kind="stable")
    grid = both[order]
    last = np.flatnonzero(np.append(grid[1:] != grid[:-1], True))
    f = np.cumsum(np.concatenate([p, np.zeros(len(q))])[order])
    g = np.cumsum(np.concatenate([np.zeros(len(p)), q])[order])
    return grid[last], f[last], g[last]


def _emd(ours: DistributionState, theirs: DistributionState) -> float | None:
    """Area between the cumulative distributions (Wasserstein-1), in the column's unit."""
    found = _cumulative(ours, theirs)
    if found is None:
        return None
    grid, f, g = found
    gap = np.abs(f - g)[:-1]
    some = gap > 0
    with np.errstate(invalid="ignore"):
        return float(np.dot(gap[some], (grid[1:] - grid[:-1])[some]))


def _ks(ours: DistributionState, theirs: DistributionState) -> float | None:
    """Largest gap between the cumulative distributions."""
    found = _cumulative(ours, theirs)
    return None if found is None else float(np.abs(found[1] - found[2]).max())


def _told(ours: DistributionState, theirs: DistributionState) -> str:
    """`Values above 150 rose from 3% to 13% of all.`: where the cumulative distributions are farthest apart; '' where they are nowhere."""
    found = _cumulative(ours, theirs)
    if found is None:
        return ""
    at, now, before = found
    k = int(np.abs(now - before).argmax())
    if now[k] == before[k]:
        return ""
    more = bool(now[k] > before[k])
    # A share of rounding errors is none, and no `-0%`.
    then, there = (max(0.0, round(float(side[k] if more else 1 - side[k]), 9)) for side in (before, now))
    return f"values {'up to' if more else 'above'} {plain_number(float(at[k]))} rose from {percent(then)} to {percent(there)} of all."


def _told_area(ours: DistributionState, theirs: DistributionState) -> str:
    """The few values that make most of the area, where it is so; else what `_told` says."""
    return ("" if (found := _cumulative(ours, theirs)) is None else few_far(*found, rows=ours.n)) or _told(ours, theirs)


@remembered
def _cells(ours: DistributionState, theirs: DistributionState) -> tuple[Floats, Floats, float] | None:
    """Both distributions' shares of the cells between the baseline's deciles, each decile being a cell of its own; ends are open.

    Equal-width cells die on outliers and on a change of unit (design, section 6). The third value is the baseline's count.
    """
    (x, p), (y, q) = ours.support(), theirs.support()
    if not len(x) or not len(y):
        return None
    upto = np.cumsum(q)
    edges = y[np.minimum(np.searchsorted(upto, _DECILES - 1e-12), len(y) - 1)]
    # They ascend.
    edges = edges[np.append(True, edges[1:] != edges[:-1])]
    size = 2 * len(edges) + 1
    return _shares(x, p, edges, size), _shares(y, q, edges, size), float(theirs.n)


def _shares(x: Floats, p: Floats, edges: Floats, size: int) -> Floats:
    # Below edge i: cell 2i; on it: 2i + 1.
    cell = np.searchsorted(edges, x, side="left") + np.searchsorted(edges, x, side="right")
    return np.bincount(cell, weights=p, minlength=size).astype(np.float64)


def _cohen_d(a: MomentsState, b: MomentsState) -> float | None:
    """Difference of means in pooled standard deviations, without sign; infinite when constants differ."""
    if not a.n or not b.n or a.nans or b.nans:
        return None
    gap = abs(a.mean - b.mean)
    if gap == 0:
        return 0.0
    pooled = (a.m2 + b.m2) / max(a.n + b.n - 2, 1)
    return gap / math.sqrt(pooled) if pooled > 0 else math.inf


# Shares, of cells or of categories


def _l1(p: Floats, q: Floats, _: float) -> float:
    return float(np.abs(p - q).sum())


def _linf(p: Floats, q: Floats, _: float) -> float:
    return float(np.abs(p - q).max())


def _cosine(p: Floats, q: Floats, _: float) -> float:
    norm = math.sqrt(np.dot(p, p)) * math.sqrt(np.dot(q, q))
    return max(0.0, 1.0 - float(np.dot(p, q)) / norm) if norm else math.nan


def _kl(p: Floats, q: Floats, baseline_count: float) -> float:
    """Relative entropy in nats; a cell new to the baseline counts as half an observation there, since it would be infinite."""
    some = p > 0
    floor = 0.5 / max(baseline_count, 1.0)
    return max(0.0, float(np.sum(p[some] * np.log(p[some] / np.where(q[some] > 0, q[some], floor)))))


def _js(p: Floats, q: Floats, _: float) -> float:
    """Jensen-Shannon divergence in nats, 0 to ln 2."""
    middle = (p + q) / 2
    terms = 0.0
    for side in (p, q):
        some = side > 0
        known = side[some]
        terms += float((known * np.log(known / middle[some])).sum())
    return max(0.0, terms / 2)


Shared = Callable[[Floats, Floats, float], float]


def _on_cells(distance: Shared) -> Callable[[DistributionState, DistributionState], float | None]:
    def pair(ours: DistributionState, theirs: DistributionState) -> float | None:
        found = _cells(ours, theirs)
        return None if found is None else distance(*found)

    return pair


@remembered
def align(ours: FrequencyState, theirs: FrequencyState) -> tuple[list[str], Floats, Floats] | None:
    """The categories of either side and both sides' shares of them; the last is what an inexact table does not name.

    None when a side has no values.
    """
    if not ours.n or not theirs.n:
        return None
    new = [name for name in theirs.table if name not in ours.table]
    names = [*ours.table, *new]
    now, then = [*ours.table.values(), *repeat(0, len(new))], [*map(theirs.table.get, names, repeat(0))]
    p = np.array([*now, ours.n - sum(now)], dtype=np.float64) / ours.n
    q = np.array([*then, theirs.n - sum(then)], dtype=np.float64) / theirs.n
    return names, p, q


@remembered
def _same(ours: FrequencyState, theirs: FrequencyState) -> bool:
    """Whether both sides have the same counts, as most texts of a dimension table: then they are not apart, and nothing is aligned."""
    return 0 < ours.n == theirs.n and ours.table == theirs.table


def _on_table(distance: Shared) -> Callable[[FrequencyState, FrequencyState], float | None]:
    def pair(ours: FrequencyState, theirs: FrequencyState) -> float | None:
        if _same(ours, theirs):
            return 0.0
        found = align(ours, theirs)
        return None if found is None else distance(found[1], found[2], float(theirs.n))

    return pair


def _cramers_v(ours: FrequencyState, theirs: FrequencyState) -> float | None:
    """Chi-squared of the two-row contingency table as Cramer's V, 0 to 1: it does not grow with the number of rows."""
    if _same(ours, theirs):
        return 0.0
    found = align(ours, theirs)
    if found is None:
        return None
    observed = np.stack([found[1] * ours.n, found[2] * theirs.n])
    observed = observed[:, observed.sum(axis=0) > 0]
    total = observed.sum()
    expected = observed.sum(axis=1, keepdims=True) * observed.sum(axis=0, keepdims=True) / total
    return math.sqrt(max(0.0, float(((observed - expected) ** 2 / expected).sum()) / float(total)))


Pair = Callable[..., float | None]


def _of_numbers(
    name: str,
    description: str,
    pair: Pair,
    highest: float,
    needs: type[State] = DistributionState,
    slight: float | None = None,
    *,
    says: Wording | None = None,
    **declared: Any,
) -> Metric:
    slight = SLIGHT * highest if slight is None else slight
    return Metric(
        name,
        NUMBER_KINDS,
        (needs,),
        2,
        "distance",
        description,
        pair=pair,
        lowest=0,
        highest=highest,
        says=says or changes_by("the distribution of {column}", description, highest, slight, rows_moved(name)),
        **declared,
    )


def _of_texts(
    prefix: str, what: str, mix: str, kinds: frozenset[Kind], needs: type[State], *, tells: Callable[..., str], of_every_value: bool = False
) -> list[Metric]:
    declared: list[tuple[str, str, Pair, float]] = [
        ("l1", f"L1 distance of {what}", _on_table(_l1), 2),
        ("linf", f"largest change of one share of {what}", _on_table(_linf), 1),
        ("cosine", f"cosine distance of {what}", _on_table(_cosine), 1),
        ("chi_squared", f"Cramer's V of {what}", _cramers_v, 1),
        ("js_div", f"Jensen-Shannon divergence of {what}", _on_table(_js), math.log(2)),
        ("kl_div", f"Kullback-Leibler divergence of {what}", _on_table(_kl), math.inf),
    ]
    return [
        Metric(
            f"{prefix}{name}", kinds, (needs,), 2, "distance", text, pair=pair, lowest=0, highest=highest,
            of_every_value=of_every_value, outbreaks=of_every_value, tells=tells,
            says=mix_moves(name, mix, text, highest),
        )
        for name, text, pair, highest in declared
    ]  # fmt: skip


COHEN_D = _of_numbers(
    "cohen_d", "difference of means in pooled standard deviations", _cohen_d, math.inf, MomentsState, of_quantities=True,
    says=moves_in_spreads("difference of means in pooled standard deviations", _SMALL),
)  # fmt: skip
KS_DIST = _of_numbers("ks_dist", "Kolmogorov-Smirnov statistic", _ks, 1, tells=_told, says=BELOW_ANY_VALUE)
NUMBER_DISTANCES: list[Metric] = [
    # In the column's unit, of which nobody knows what is little.
    _of_numbers(
        "emd", "earth mover's distance", _emd, math.inf,
        says=moves_by("earth mover's distance"), of_quantities=True, amount=True, tells=_told_area,
    ),
    # In rows: of values that few are each of, as codes have, every one is a cell.
    _of_numbers("l1", "L1 distance over the baseline's deciles", _on_cells(_l1), 2, tells=_told, says=words.SHARES_MOVE),
    _of_numbers("js_div", "Jensen-Shannon divergence over the baseline's deciles", _on_cells(_js), math.log(2), tells=_told),
    _of_numbers("kl_div", "Kullback-Leibler divergence over the baseline's deciles", _on_cells(_kl), math.inf, slight=SLIGHT, tells=_told),
    KS_DIST,
    COHEN_D,
]  # fmt: skip
TEXT_DISTANCES: list[Metric] = _of_texts("", "value shares", "the mix of {column}", TEXT_KINDS, FrequencyState, tells=told_mix)
# Every value has a shape, and odd ones come in outbreaks.
SHAPE_DISTANCES: list[Metric] = _of_texts(
    "pat_", "shape shares", "the mix of ways of writing {column}", frozenset({"string"}), ShapeState, tells=told_shapes, of_every_value=True
)
# How far values moved: by the share of rows that have another value, twice.
VALUES_MOVED = TEXT_DISTANCES[0]
# How far what texts look like moved: by the share of texts that have another shape, twice.
SHAPES_MOVED = SHAPE_DISTANCES[0]
