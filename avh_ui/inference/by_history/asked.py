"""Bounds by history for what a pipeline asks to be measured (`measures` in avh.yml): each gets the tightest that its budget pays for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from avh_ui.constraints.evidence import Proposal
from avh_ui.errors import NotEnoughHistoryError, NotFoundError
from avh_ui.inference.by_history.bounds import Method
from avh_ui.inference.by_history.measured import without
from avh_ui.inference.by_history.reprogramming import within_budget
from avh_ui.inference.source import Budget, LeftOut, Proposed, Window
from avh_ui.metrics.catalogue import ASKED_NAMES, metric
from avh_ui.metrics.measure import Measure


def by_subject(measures: Iterable[Measure]) -> dict[str, list[Measure]]:
    """What measures are of (the names of their columns in the history), and for each the measures; those that every column has are none."""
    found: dict[str, list[Measure]] = {}
    for measure in dict.fromkeys(m for m in measures if not m.standard or m.name in ASKED_NAMES):
        found.setdefault(measure.subject, []).append(measure)
    return found


def suggest(window: Window, asked: Mapping[str, Sequence[Measure]], budget: Budget) -> Proposed:
    """A constraint for each measure of the window, those of one subject within the budget of a column; what has none is left out.

    No synthetic issue is tried on them: nobody knows which rows of a sample a condition takes.
    """
    proposals: list[Proposal] = []
    left_out: list[LeftOut] = []
    for column in window.asked:
        measures = {m.name: m for m in asked[column.column]}
        try:
            metrics = [metric(name, column.kind) for name in measures]
            history = without(column, window.exclude, window.untaught.get(column.column, ()))
            there = history.values_there()
            rows = 0 if there is None or not np.isfinite(there[-1:]).all() else int(there[-1])
            method = cast(Method, budget.method)
            result = within_budget(history, metrics, budget.fpr, method=method, season_lags=window.season_lags, rows=rows)
        except (NotFoundError, NotEnoughHistoryError) as error:
            left_out.append({"column": column.column, "metric": "", "reason": str(error)})
            continue
        left_out += result.reasons
        for made in result.suggestions:
            constraint = replace(made.constraint, measure=measures[made.constraint.metric])
            proposals.append(replace(made, constraint=constraint))
    return Proposed(proposals, left_out)
