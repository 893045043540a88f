"""Suggesting in how many rows a text changes, of columns of which no other rule notices that half of them are written otherwise.

Of such columns a distance between shares of forms said that they are "written as in the batch before in nearly all rows": readers of four
tables asked which rows, how many, and written how. What changes in the rows that are matched by key they kept 15 times of 18.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from avh_ui.constraints.evidence import FromHistory, Proposal
from avh_ui.errors import NotEnoughHistoryError
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.candidates import fit_metrics
from avh_ui.inference.by_history.measured import PreparedColumn, without
from avh_ui.inference.by_history.proposing import proposal_at
from avh_ui.inference.by_history.tails import NEAREST
from avh_ui.inference.by_key.own_issues import with_shown
from avh_ui.inference.by_key.suggesting import as_rows_move, sampled
from avh_ui.inference.by_key.unbroken import LEAST
from avh_ui.inference.source import Budget, Proposed, Window
from avh_ui.issues.sample import neighbour_of
from avh_ui.metrics.by_key import CHANGED
from avh_ui.metrics.measure import Measure, host_of, subject_in
from avh_ui.metrics.metric import States
from avh_ui.metrics.sampled_rows import column_in

# What half of the texts, written otherwise, are tried as.
WRITTEN = ("padding 50% leading", "padding 50% trailing")
# That a text changes in more of its rows says little of what it is (as in `lean`).
_FEW = 0.1
# One false alarm in 200 batches at most.
_DEAREST = 0.005
# All of a table: most of its columns are told as one.
_MOST = 0.015


def suggest(window: Window, key: Sequence[str], rules: Sequence[Proposal], budget: Budget, seed: int = 0) -> Proposed:
    """The rules on texts of which the other `rules` do not notice it, near to what ever changed, the cheapest first; none where the latest
    two batches have no sample by this key.
    """
    host = host_of(key)
    both = [window.repository.load(window.history.pipeline, batch, [host]).columns for batch in (window.latest, window.baseline.batch)]
    left = [name for name in window.texts if name not in key and not _is_noticed(name, rules)]
    histories, found = {column.column: column for column in window.matched}, list[Proposal]()
    for name in left:
        history = histories.get(subject_in(name, host))
        ours, theirs = (column_in(side, subject_in(name, host)) for side in both)
        if history is not None and ours is not None and theirs is not None:
            made = _seldom(window, history, (ours.states, theirs.states), budget, neighbour_of(window.sample, name), seed)
            measure = Measure(CHANGED.name, (name,), parameters=(("key", tuple(key)),))
            found += [replace(p, constraint=replace(p.constraint, measure=measure)) for p in made]
    by_price = sorted(found, key=lambda p: p.constraint.fpr)
    paid = np.cumsum([p.constraint.fpr for p in by_price])
    kept = [p for p, price in zip(by_price, paid.tolist(), strict=True) if price <= _MOST]
    return Proposed([p for p in found if p in kept])


def _is_noticed(name: str, rules: Sequence[Proposal]) -> bool:
    """Whether a rule notices that half of a column's texts have a blank beside them."""
    wanted = {issue for written in WRITTEN for issue in (written, f"{name} {written}")}
    return any(wanted & {*_issues_of(rule)} for rule in rules if name in (rule.constraint.column, *rule.constraint.measure.columns))


def _issues_of(rule: Proposal) -> tuple[str, ...]:
    shown = rule.evidence.shown if isinstance(rule.evidence, FromHistory) else ()
    return (*rule.evidence.caught, *shown)


def _seldom(
    window: Window, column: ColumnHistory, states: tuple[States, States], budget: Budget, neighbour: pa.ChunkedArray | None, seed: int
) -> Sequence[Proposal]:
    """The nearest rule on a column, where that is near, cheap, and notices texts that are written otherwise; none that a batch broke."""
    history = without(column, window.exclude, window.untaught.get(column.column, ()))
    try:
        models, left_out = fit_metrics(history, season_lags=window.season_lags, metrics=[CHANGED])
    except NotEnoughHistoryError:
        return []
    models = [model for model in as_rows_move(models, states[0]) if model.transform.is_identity]
    now = np.array([[model.observed[-1]] for model in models]).reshape(len(models), 1)
    prepared = PreparedColumn(
        history.column, history.kind, history.batches, sampled(states[0]), "calibrated", tuple(models), tuple(left_out), ("",), now
    )
    for grid, _ in prepared.grids:
        near = (grid.fpr <= _DEAREST) & (grid.upper <= _FEW) & (grid.upper >= grid.model.values.max())
        able = np.flatnonzero(near & ((grid.width >= NEAREST) | (grid.model.sigma == 0)))
        # Less than the latter it costs in no case; where nothing near costs as little, the cheapest.
        cheap = able[grid.fpr[able] <= max(budget.fpr, LEAST / len(history.batches))]
        if len(able):
            made = proposal_at(prepared, grid, int(cheap[0] if len(cheap) else able[-1]), budget.fpr)
            return _noticing(made, prepared, states, neighbour, seed)
    return []


def _noticing(
    made: Proposal, prepared: PreparedColumn, states: tuple[States, States], neighbour: pa.ChunkedArray | None, seed: int
) -> Sequence[Proposal]:
    """The rule with what it notices, where texts that are written otherwise are among that."""
    (found,) = with_shown(prepared, [made], states, neighbour, seed)
    caught = found.evidence.shown if isinstance(found.evidence, FromHistory) else ()
    only = tuple(name for name in caught if name in WRITTEN)
    return [replace(found, evidence=replace(found.evidence, tried=caught, caught=caught, only_caught=only))] if only else []
