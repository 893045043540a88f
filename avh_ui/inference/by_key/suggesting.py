"""Suggesting by rows matched by key: from the histories of a sample's measures and D(C) for rows to a few constraints of each column."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from avh_ui.constraints.evidence import Proposal
from avh_ui.errors import NotEnoughHistoryError
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.series import ColumnHistory, History, Series
from avh_ui.inference.by_history.bounds import Method
from avh_ui.inference.by_history.candidates import MetricModel, fit_metrics
from avh_ui.inference.by_history.measured import PreparedColumn, without
from avh_ui.inference.by_history.reprogramming import ColumnResult
from avh_ui.inference.by_history.steps import FEW, moves_by_factors
from avh_ui.inference.by_key.moving import growing, moving
from avh_ui.inference.by_key.nearer import nearer, varies
from avh_ui.inference.by_key.own_issues import with_shown
from avh_ui.inference.by_key.row_issues import NOTHING, column_issues, farther_issues, has_few, key_issues, no_issue
from avh_ui.inference.by_key.sharing import shared
from avh_ui.inference.by_key.suspects import habits, record_of, seen, without_suspects
from avh_ui.inference.by_key.telling import lets_much, telling, with_size
from avh_ui.inference.by_key.tried_values import tried_values
from avh_ui.inference.kinds.declarations import declaration_of, means
from avh_ui.inference.source import Budget, LeftOut, Proposed, Window
from avh_ui.issues.sample import neighbour_of
from avh_ui.metrics.by_key import BEYOND, OF_MOVING, SUGGESTED
from avh_ui.metrics.column import Floats
from avh_ui.metrics.counts import COMPLETE_RATIO
from avh_ui.metrics.keys_matched import OF_KEYS
from avh_ui.metrics.matching import Matched
from avh_ui.metrics.measure import Measure, host_of, subject_by
from avh_ui.metrics.metric import Metric, States
from avh_ui.metrics.moments import MIN
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.ranks import ends_of
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.sampled_rows import column_in
from avh_ui.metrics.scales import plain_sizes
from avh_ui.metrics.type_names import SAMPLED

# So much all that is matched by key may cost a table: 27 columns at 0.1 % each alarmed by themselves on 45 of 1,300 quiet batches (3.5 %)
# of Italy's regions, on which this was found; 9 columns on 11 of 1,722 (0.6 %) of its provinces.
MOST_OF_TABLE = 0.01
# That no new row was ever beyond all others does not say that none will be: of 18 numbers that wander one fell below its lowest of 60
# months, and a bound at 0 alarmed in 29 of the next 60. So much of what lies between the smallest and the largest is no fault.
_SPAN = 0.5
# The columns of the latest batch and of the one before it.
_Both = tuple[Mapping[str, ColumnProfile], Mapping[str, ColumnProfile]]


def suggest(window: Window, key: Sequence[str], budget: Budget, watch: Watch, seed: int = 0) -> Proposed:
    """Constraints on the keys and on each column's matched rows, all within the budgets of the columns; none that compares batches where
    the budget has no pairs, and none where the latest batch or the one before it has no sample by this key.
    """
    host = host_of(key)
    if not window.matched or not budget.pairs:
        return Proposed()
    ours = window.repository.load(window.history.pipeline, window.latest, [host]).columns
    theirs = window.repository.load(window.history.pipeline, window.baseline.batch, [host]).columns
    if host not in ours or host not in theirs:
        return Proposed(left_out=[{"column": host, "metric": "", "reason": "its rows were not sampled in the latest two batches"}])
    fresh = window.moving or _is_series(window, ours[host].states, theirs[host].states)
    prepared: list[_Prepared] = []
    left_out: list[LeftOut] = []
    for column in window.matched:
        watch.check()
        try:
            made = _prepared(window, column, key, (ours, theirs), budget, seed, fresh=fresh)
        except NotEnoughHistoryError as error:
            made = str(error)
        if isinstance(made, _Prepared):
            prepared.append(made)
        elif made:
            left_out.append({"column": column.column, "metric": "", "reason": made})
    programs = shared([one.column for one in prepared], min(budget.fpr, MOST_OF_TABLE / max(len(prepared), 1)))
    proposals: list[Proposal] = []
    most = MOST_OF_TABLE / max(1, sum(varies(p) for program in programs for p in program.suggestions))
    for column_of, program in zip(prepared, programs, strict=True):
        proposals += _with_own_issues(window, column_of, column_of.told(program, key, most), key, (ours, theirs), seed)
    return Proposed(proposals, left_out)


def _with_own_issues(
    window: Window, column: _Prepared, found: Sequence[Proposal], key: Sequence[str], columns: _Both, seed: int
) -> Sequence[Proposal]:
    """The rules on a column's matched rows with those of its own issues that they show."""
    name = column.column.column.removesuffix(subject_by("", key))
    if name not in window.sample.column_names:
        return found
    sides = [column_in(side, column.column.column) for side in columns]
    ours, theirs = ({} if one is None else one.states for one in sides)
    return with_shown(column.column, found, (ours, theirs), neighbour_of(window.sample, name), seed)


@dataclass(frozen=True)
class _Prepared:
    """A column that is ready to be programmed, its history with the batches that look like faults, and the `sizes` of its numbers."""

    column: PreparedColumn
    history: ColumnHistory
    sizes: tuple[float, ...]

    def told(self, found: ColumnResult, key: Sequence[str], most: float) -> list[Proposal]:
        """The proposals of its program, each with its measure by the key and what all batches say of it; nearer ones cost at `most` so
        much.
        """
        made = (self._told(nearer(self.column, p, most), key) for p in found.suggestions)
        return [one for one in made if not lets_much(one.constraint, self.column.models, self.sizes)]

    def _told(self, found: Proposal, key: Sequence[str]) -> Proposal:
        record, sized = record_of(found.constraint, self.history), with_size(found.constraint, self.column.models, self.sizes)
        broken = [batch in record.fired for batch in self.history.batches] if record is not None else []
        of_faults = any(model.metric.of_faults for model in self.column.models if model.metric.name == sized.metric)
        fpr = max(sized.fpr, seen(record.judged, broken, of_faults=of_faults)) if record is not None else sized.fpr
        return Proposal(replace(sized, measure=_measure(found, key), fpr=fpr), replace(found.evidence, backtest=record))


def is_moving(repository: HistoryRepository, history: History, rows: Sequence[ColumnHistory], before: str) -> bool:
    """Whether a table is a window that moves, by the histories of its matched `rows` (none: no key is known) and the samples of its latest
    batch and the one `before`.
    """
    keys = next((one for one in rows if one.type == SAMPLED), None)
    if keys is None or not before:
        return False
    both = (history.batches[-1], before)
    found = [repository.load(history.pipeline, batch, [keys.column]).columns.get(keys.column) for batch in both]
    ours, theirs = (None if one is None else one.states.get(RowSample.key) for one in found)
    return isinstance(ours, RowSample) and isinstance(theirs, RowSample) and moving(keys, ours, theirs)


def _is_series(window: Window, ours: States, theirs: States) -> bool:
    """Whether the table is a series that is delivered whole each time."""
    keys = next((one for one in window.matched if one.type == SAMPLED), None)
    now, then = ours.get(RowSample.key), theirs.get(RowSample.key)
    return keys is not None and isinstance(now, RowSample) and isinstance(then, RowSample) and growing(keys, now, then)


def _prepared(
    window: Window, column: ColumnHistory, key: Sequence[str], columns: _Both, budget: Budget, seed: int, *, fresh: bool
) -> _Prepared | str:
    """The column with its history and D(C) for rows; else why it is left out, '' where its own metrics say all of it. `fresh` rows come at
    one end of the table.
    """
    ours, theirs = (column_in(side, column.column) for side in columns)
    if ours is None or theirs is None:
        return "it is not in the latest two batches"
    if _restates_the_batch(ours.states) and _restates_the_batch(theirs.states):
        return ""
    of_keys = column.column == host_of(key)
    metrics: Sequence[Metric] = OF_KEYS if of_keys else OF_MOVING if fresh else SUGGESTED
    known = window.kinds.get(column.column.removesuffix(subject_by("", key)))
    if (of := declaration_of(known)) is not None and not of_keys:
        metrics = [m for m in metrics if means(of, m)]
    method = cast(Method, budget.method)
    history = without(column, window.exclude, window.untaught.get(column.column, ()))
    filled = np.ones(1) if of_keys else _filled(window, column.column.removesuffix(subject_by("", key)))
    if not of_keys:
        metrics = telling(metrics, history, _numbers_of(ours.states), filled)
    usual = habits(window, column, metrics)
    metrics = [m for m in metrics if m.name not in {out.metric for out in usual}]
    calm = without_suspects(history, metrics)
    models, left_out = fit_metrics(calm, method=method, season_lags=window.season_lags, metrics=metrics)
    left_out, models = [*left_out, *usual], as_rows_move(models, ours.states)
    # Few rows have no bounds of their own that say what leaves them.
    issues = _issues(ours.states, theirs.states, seed, within=not (fresh or has_few(_sample_of(ours.states))))
    farther = _farther(ours.states, theirs.states, seed)
    if not of_keys:
        issues = {name: states for name, states in issues.items() if not no_issue(name, filled)}
    if not of_keys and _was_zero(window, column.column.removesuffix(subject_by("", key))):
        issues.pop(NOTHING, None)
    if not models or not issues:
        return ""
    tried = {name: (states, farther.get(name, states)) for name, states in issues.items()}
    values = tried_values([m.metric for m in models], tried, (ours, theirs))
    prepared = PreparedColumn(
        column.column, column.kind, history.batches, sampled(ours.states), method, tuple(models), tuple(left_out), tuple(issues), values
    )
    return _Prepared(prepared, history, plain_sizes(_numbers_of(ours.states)))


def _was_zero(window: Window, name: str) -> bool:
    """Whether a column had a 0, or less, in a batch that is learned from."""
    return bool(np.any(_own(window, name, MIN) <= 0))


def _filled(window: Window, name: str) -> Series:
    """How much of a column was filled in each batch that is learned from."""
    found = _own(window, name, COMPLETE_RATIO)
    return found[np.isfinite(found)]


def _own(window: Window, name: str, metric: Metric) -> Series:
    """A metric of the column itself in the batches that are learned from; empty where it is not known."""
    own = next((column for column in window.columns if column.column == name), None)
    none = np.empty(0)
    return none if own is None else without(own, window.exclude, window.untaught.get(name, ())).values.get(metric.name, none)


def _sample_of(states: States) -> RowSample:
    rows, column = states.get(RowSample.key), states.get(Matched.key)
    found = column.rows if isinstance(column, Matched) else rows
    return found if isinstance(found, RowSample) else RowSample()


def _numbers_of(states: States) -> Floats:
    found = states.get(Matched.key)
    return found.rows.columns[found.column].numbers if isinstance(found, Matched) else np.empty(0)


def as_rows_move(models: Sequence[MetricModel], states: States) -> list[MetricModel]:
    """With what their numbers are, the least that a row moves, how far a new extreme may lie, and what rows that are left out let pass."""
    numbers = _numbers_of(states)
    least, farther = _least_move(numbers), _SPAN * _span_of(numbers)
    moved = [replace(m, ever=ends_of(numbers), step=max(m.step, least * moves_by_factors(m.metric))) for m in models]
    moved = [replace(m, reach=max(m.reach, farther)) if m.metric is BEYOND and m.sigma == 0 else m for m in moved]
    return [_let_few_pass(m) for m in moved if m.sigma > 0 or m.metric.unit == "ratio"] if _is_sampled(states) else moved


def _least_move(numbers: Floats) -> float:
    """How far whole numbers move at least where they move, on the scale of factors: counts up to 40 by one of 40, and that one falls by at
    most 0.2% is said of none of them. 0 of others.
    """
    there = np.abs(numbers[np.isfinite(numbers)])
    most = float(there.max(initial=0.0))
    return math.log1p(1 / most) if most >= 1 and bool(np.all(there == np.round(there))) else 0.0


def _span_of(numbers: Floats) -> float:
    """How far the largest number is from the smallest, on the scale of factors; 0 of none."""
    there = numbers[np.isfinite(numbers)]
    return float(np.ptp(np.sign(there) * np.log1p(np.abs(there)))) if len(there) else 0.0


def sampled(states: States) -> int:
    """How many rows are compared: those of the sample, of which one is a larger share than of the table."""
    return _sample_of(states).keys


def _is_sampled(states: States) -> bool:
    """Whether there are rows that are not compared. That none of the others ever moved says little of how far the next one moves: on 33
    days of 11,009 beacons, of which few are corrected on a day, such bounds alarmed on one clean day of two.
    """
    return _sample_of(states).more


def _let_few_pass(model: MetricModel) -> MetricModel:
    """A share of rows that never moved, with bounds that let `FEW` of them move: that none of 4,096 rows was edited in 45 batches is no
    reason to call somebody for the first of 46,000. What only faults do, and keys, stay as they are.
    """
    single = model.sigma == 0 and not (model.metric.of_faults or model.metric in OF_KEYS)
    return replace(model, reach=max(model.reach, FEW)) if single else model


def _restates_the_batch(states: States) -> bool:
    """Whether a column has one value in all rows, as its date: its own metrics say all of it."""
    found = states.get(Matched.key)
    if not isinstance(found, Matched):
        return False
    values = found.rows.columns[found.column]
    return len(np.unique(values.numbers[~np.isnan(values.numbers)])) + len(values.used) <= 1 and not values.is_null.any()


def _measure(proposal: Proposal, key: Sequence[str]) -> Measure:
    name, constraint = host_of(key), proposal.constraint
    columns = () if constraint.column == name else (constraint.column.removesuffix(subject_by("", key)),)
    return Measure(constraint.metric, columns, parameters=(("key", tuple(key)),))


def _issues(ours: States, theirs: States, seed: int, *, within: bool) -> dict[str, States]:
    """By name the states of the latest batch with a fault of rows, with numbers `within` those of the batch or not."""
    rows, column = ours.get(RowSample.key), ours.get(Matched.key)
    other = theirs.get(Matched.key)
    if isinstance(rows, RowSample):
        return {name: {RowSample.key: sample} for name, sample in key_issues(rows, seed).items()}
    if isinstance(column, Matched) and isinstance(other, Matched):
        return {name: {Matched.key: sample} for name, sample in column_issues(column, other, seed, within=within).items()}
    return {}


def _farther(ours: States, theirs: States, seed: int) -> dict[str, States]:
    """Those of rows times ten, wherever that leads."""
    column, other = ours.get(Matched.key), theirs.get(Matched.key)
    if isinstance(column, Matched) and isinstance(other, Matched):
        return {name: {Matched.key: sample} for name, sample in farther_issues(column, other, seed).items()}
    return {}
