"""What the numbers of a column are where it has some, of one that may have none in a batch: `wind_gust is between 10 and 140`.

The largest of no numbers is nothing, and a bound on it is broken by every batch without them: of a column that had none on one day in
fifteen no level, spread or extreme was bounded, and gusts a thousand times as high passed. A condition of rows lets null pass.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from avh_ui.constraints.constraint import Constraint, number
from avh_ui.constraints.evidence import FromRelation, Proposal, Record
from avh_ui.constraints.provenance import Provenance
from avh_ui.constraints.sql_text import quoted
from avh_ui.constraints.transforms import IDENTITY
from avh_ui.errors import NotEnoughHistoryError
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.above_zero import ABOVE
from avh_ui.inference.by_history.bounds import Method
from avh_ui.inference.by_history.candidates import MetricModel, candidates_of, fit_metrics
from avh_ui.inference.by_history.measured import MeasuredColumn, without
from avh_ui.inference.by_history.room_of_values import SELDOM_NEGATIVE
from avh_ui.inference.emptiness import chance_of_no_values
from avh_ui.inference.ranges import FAMILY
from avh_ui.inference.source import Budget, Window
from avh_ui.metrics import analyzers
from avh_ui.metrics.moments import MAX, MIN

_ENDS = (MIN, MAX)
# So many ranges beyond all values: readers kept 0.6 and 0.8, and called 2.1 too loose.
_RANGES = 1.5
# Of a column that is mostly empty nobody knows what it may be.
_MOSTLY = 0.5


def suggest(window: Window, columns: Sequence[MeasuredColumn], budget: Budget) -> list[Proposal]:
    """A condition for each column of numbers that has none in some batches, or may have none in the next, within a column's budget."""
    bounded = [column for column in columns if all(end.name in column.metrics for end in _ENDS)]
    return [found for column in bounded if (found := _limits(window, column, budget)) is not None]


def _limits(window: Window, column: MeasuredColumn, budget: Budget) -> Proposal | None:
    history = without(column.history, window.exclude, column.untaught)
    filled = np.isfinite(history.values[MIN.name]) & np.isfinite(history.values[MAX.name])
    if not filled[-1:].all() or np.mean(filled) < _MOSTLY or (filled.all() and chance_of_no_values(history) <= budget.fpr):
        return None
    known = without(history, np.array(history.batches)[~filled].tolist())
    try:
        models, _ = fit_metrics(known, method=cast(Method, budget.method), metrics=_ENDS, limits=column.limits)
    except NotEnoughHistoryError:
        return None
    found = {model.metric.name: end for model in models if (end := _end(model, column, budget.fpr / len(_ENDS))) is not None}
    (low, rate), (high, other) = (found.get(end.name, (None, 0.0)) for end in _ENDS)
    if low is None and high is None:
        return None
    least, greatest = (column.values[column.metrics.index(end.name)] for end in _ENDS)
    # Of no numbers nothing is said.
    with np.errstate(invalid="ignore"):
        outside = (least < (-np.inf if low is None else low)) | (greatest > (np.inf if high is None else high))
    caught = tuple(np.array(column.variants)[outside].tolist())
    return _condition(known, column, (low, high), rate + other, caught) if caught else None


def _end(model: MetricModel, column: MeasuredColumn, fpr: float) -> tuple[float, float] | None:
    """The nearest bound within the budget, with what it costs; None where there is none, or where it follows the history. That a batch may
    have no value costs nothing.
    """
    first, last = model.ever
    if model.metric is MIN and first < 0 and np.mean(model.observed < 0) < SELDOM_NEGATIVE:
        return None
    # No level stands beside them, so that wider ends are better than none.
    grid = candidates_of(replace(model, undefined=0.0, ever=(math.nan, math.nan)), rows=column.rows)
    bounds = grid.lower if model.metric is MIN else grid.upper
    room = _RANGES * (last - first)
    least = first - room if first < 0 else min(first - room, 0.0)
    within = (grid.fpr <= fpr) & (bounds >= least) & (bounds <= last + room)
    if model.transform != IDENTITY or not within.any():
        return None
    nearest = int(np.flatnonzero(within)[np.argmin(np.abs(bounds[within] - model.mu))])
    return float(bounds[nearest]), float(grid.fpr[nearest])


def _condition(
    known: ColumnHistory, column: MeasuredColumn, ends: tuple[float | None, float | None], fpr: float, caught: tuple[str, ...]
) -> Proposal:
    (low, high), name = ends, quoted(known.column)
    value = f"cast({name} AS DOUBLE)"
    asked = [_test(value, low)] * (low is not None) + [f"{value} <= {high!r}D"] * (high is not None)
    measure = analyzers.compliance(f"{name} IS NULL OR ({' AND '.join(asked)})")
    batches = known.batches
    says = f"{known.column} is {_words(low, high)}"
    learned = Provenance(method="relation", first_batch=batches[0], last_batch=batches[-1], batches=len(batches), says=says)
    made = Constraint(
        column=measure.subject, metric=measure.name, measure=measure, kind="boolean", lower=1.0, upper=None, fpr=fpr, origin="relation",
        provenance=learned.to_record(),
    )  # fmt: skip
    least, greatest = (known.values[end.name] for end in _ENDS)
    broke = (least < (-np.inf if low is None else low)) | (greatest > (np.inf if high is None else high))
    record = Record(len(batches), tuple(np.array(batches)[broke].tolist()))
    # Issues of a column, as other columns have issues of these names.
    tried, noticed = (tuple(f"{known.column} {issue}" for issue in some) for some in (column.variants, caught))
    told = FromRelation(
        method="relation", batches=len(batches), backtest=record, tried=tried, caught=noticed, only_caught=noticed, family=FAMILY,
        of=(known.column,), broken=0, exact=True,
    )  # fmt: skip
    return Proposal(made, told)


def _test(value: str, low: float | None) -> str:
    return f"{value} > 0.0D" if low == ABOVE else f"{value} >= {low!r}D"


def _words(low: float | None, high: float | None) -> str:
    above = low == ABOVE
    if low is not None and high is not None:
        return f"above 0 and at most {number(high)}" if above else f"between {number(low)} and {number(high)}"
    if low is None:
        return f"never above {number(cast(float, high))}"
    return "always above 0" if above else f"never below {number(low)}"
