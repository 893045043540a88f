"""Moving the bounds of a suggestion that a person called too loose or too tight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from avh_ui.constraints.backtest import backtest
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import Record
from avh_ui.history.repository import HistoryRepository
from avh_ui.review.suggestion import Lesson, Suggestion
from avh_ui.workflows.refusing import movable
from avh_ui.workflows.what_if import Priced

# How far: half way to the outermost value that came, which still lets all of them pass; and half as far again from their middle.
_NEARER, _WIDER = 0.5, 1.5


def mover(
    pipeline: str, batches: int, history: HistoryRepository, price: Callable[[Constraint], Priced | None]
) -> Callable[[Suggestion, Lesson], Suggestion | None]:
    """Moves the bounds of a suggestion by the values of the last `batches`, and says anew what it costs and catches.

    None for a pattern, a fact (bounds that are one value), and what no batch was measured for.
    """

    def move(one: Suggestion, lesson: Lesson) -> Suggestion | None:
        constraint = one.constraint
        column = history.history(pipeline, [constraint.column]).of(constraint.measure)
        series = None if column is None else column.values.get(constraint.metric)
        if column is None or series is None or not movable(constraint):
            return None
        tried = backtest(constraint, series, None, column.batches)
        values = tried.transformed[-batches:]
        values = values[np.isfinite(values)]
        if not len(values):
            return None
        moved = constraint
        for _ in range(lesson.times):
            moved = moved.with_bounds(*_moved(moved, values, looser=lesson.reason == "too_tight"))
        found = price(moved)
        judged = backtest(moved, series, None, column.batches)
        fired = tuple(b for b, f in zip(column.batches[-batches:], judged.fired[-batches:], strict=True) if f)
        evidence = replace(one.evidence, backtest=Record(int(judged.judged[-batches:].sum()), fired))
        if found is not None:
            moved = replace(moved, fpr=found.fpr)
            evidence = evidence if found.caught is None else replace(evidence, caught=found.caught)
        return replace(one, constraint=moved, evidence=evidence)

    return move


def _moved(constraint: Constraint, values: np.ndarray, *, looser: bool) -> tuple[float | None, float | None]:
    """Both bounds nearer to the outermost values, or further from their middle."""
    middle = float(np.median(values))

    def one(bound: float | None, outermost: float) -> float | None:
        if bound is None:
            return None
        if looser:
            return middle + _WIDER * (bound - middle)
        # What is beyond a bound already cannot pull it out.
        inside = outermost if (bound - outermost) * (bound - middle) > 0 else middle
        return bound + _NEARER * (inside - bound)

    return one(constraint.lower, float(values.min())), one(constraint.upper, float(values.max()))
