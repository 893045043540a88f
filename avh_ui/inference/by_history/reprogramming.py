"""Choosing a program from what is kept of a column, in milliseconds and without data (AVH, section 4.3, Algorithm 1)."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import Proposal
from avh_ui.errors import UsageError
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.bounds import Method
from avh_ui.inference.by_history.burdens import is_readable, means_something
from avh_ui.inference.by_history.candidates import Candidates, Unconstrained, fit_metrics
from avh_ui.inference.by_history.choosing import ChoicePool, choose
from avh_ui.inference.by_history.first_noticed import PROMISED
from avh_ui.inference.by_history.lists import by_rows, grows
from avh_ui.inference.by_history.measured import PreparedColumn
from avh_ui.inference.by_history.own_ends import by_factors
from avh_ui.inference.by_history.proposing import proposal_at
from avh_ui.inference.by_history.seasons import MIDDLE, NEARLY
from avh_ui.inference.by_history.usual import noticed_clearly, usual_noticed
from avh_ui.issues.catching import Mask
from avh_ui.issues.prose import PROSE
from avh_ui.metrics.counts import ROW_COUNT
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric

# The number of rows is the same whatever the column.
VOLUME_METRIC = ROW_COUNT.name
# Its budget is a column's, up to this. One odd day is odd in every column; and from 0.55 % on (`tails.rule` after 30 batches) a number
# that never changed may not change at all. On 2,344 windows of seven tables a target of 1 % gave 1.45 % of false alarms without this limit
# and 0.81 % with it, for .004 of recall on synthetic issues.
MOST_FOR_VOLUME = 0.005
# It may cost as much as so many columns where half of the rows, or all of them twice, is noticed for that and not for less: the rule is one
# of the table. After 40 days of 300 rows, of 220 at weekends, half of them was left open in two tables of three; it takes a false alarm in
# about a year.
VOLUME_COLUMNS = 3
# So it is where bounds for less are far above the most that ever came: readers kept up to 1.43 times as many, and called 1.46 times too
# loose twice ("between 650 and 1,800 rows" of 938 to 1,230).
_FAR_ABOVE = 1.44
# And as so many of a list that grows: nearer bounds on that alarm hardly more often (`lists`).
_LIST_COLUMNS = 5


@dataclass(frozen=True)
class ColumnResult:
    """The program suggested for a column, the metrics left out with their reasons, how many synthetic issues were tried, and what
    `reprogram` needs. The number of rows was tried on the changes of volume alone, all others on the column's other issues.
    """

    column: str
    suggestions: tuple[Proposal, ...]
    left_out: tuple[Unconstrained, ...]
    variants: int
    prepared: PreparedColumn | None = field(default=None, compare=False, repr=False)

    @property
    def fpr(self) -> float:
        """The summed bound on the program's false-positive rate."""
        return math.fsum(s.constraint.fpr for s in self.suggestions)

    @property
    def reasons(self) -> list[dict[str, str]]:
        """What was left out, as a suggestion run keeps it."""
        told = (
            {"column": "" if out.of_table else self.column, "metric": out.metric, "reason": out.reason, "issue": out.issue}
            for out in self.left_out
        )
        return [{name: text for name, text in one.items() if text or name != "issue"} for one in told]


def reprogram(
    prepared: PreparedColumn,
    fpr: float = 0.001,
    *,
    max_clauses: int | None = 5,
    excluded_metrics: Collection[str] = (),
    volume: bool = True,
) -> ColumnResult:
    """Algorithm 1 on what was learned, without reading data: for any budget, number of clauses or set of metrics.

    Without `volume` the number of rows is none of this column's business: `row_count` is no candidate, and changes of volume are no
    issues to catch. See `reprogram_volume`.
    """
    check_rate(fpr)
    out = set(excluded_metrics) | (set() if volume else {VOLUME_METRIC})
    calibrated = prepared.method == "calibrated"
    prose = any(name.startswith(PROSE) for name in prepared.variants)
    grids = [(grid, hits) for grid, hits in prepared.grids if grid.model.metric.name not in out]
    if calibrated:
        readable = [(grid, hits) for grid, hits in grids if is_readable(grid.model, prose=prose)]
        grids = [(grid, hits & means_something(grid)[:, None]) for grid, hits in readable]
    return _programmed(prepared, grids, [volume or not _is_volume(name) for name in prepared.variants], fpr, max_clauses)


def reprogram_volume(prepared: PreparedColumn, fpr: float = 0.001, *, columns: int = VOLUME_COLUMNS) -> ColumnResult:
    """The number of rows, which all columns share: one constraint of the table, learned from any of its columns.

    Spends at most `MOST_FOR_VOLUME`, whatever the budget, and as much as so many `columns` do where what is promised takes that.
    """
    check_rate(fpr)
    grids = [(grid, hits) for grid, hits in prepared.grids if grid.model.metric.name == VOLUME_METRIC]
    volume = [_is_volume(name) for name in prepared.variants]
    found = _programmed(prepared, grids, volume, min(fpr, MOST_FOR_VOLUME), 1)
    if prepared.method == "calibrated" and columns > 1 and _is_far(found, grids):
        found = _programmed(prepared, grids, volume, min(columns * fpr, MOST_FOR_VOLUME), 1)
    if prepared.method == "calibrated" and columns > 1 and (still := _left_open(found))[0]:
        columns = max(columns, _LIST_COLUMNS) if any(by_rows(grid.model) or grows(grid.model) for grid, _ in grids) else columns
        more = _programmed(prepared, grids, volume, min(columns * fpr, MOST_FOR_VOLUME), 1)
        found = more if _left_open(more) < still else found
    return replace(found, suggestions=tuple(replace(s, constraint=_of_table(s.constraint)) for s in found.suggestions))


def _is_far(found: ColumnResult, grids: Sequence[tuple[Candidates, Mask]]) -> bool:
    """Whether numbers of rows that never are half or twice the usual one are bounded far above the most that ever came."""
    most = max((float(grid.model.observed.max()) for grid, _ in grids if by_factors(grid.model)), default=math.inf)
    return any(one.constraint.upper is not None and one.constraint.upper > _FAR_ABOVE * most for one in found.suggestions)


def _left_open(found: ColumnResult) -> tuple[int, int]:
    """How much of what is promised is not noticed of every batch, and of the latest one."""
    noticed = {issue for one in found.suggestions for issue in one.evidence.caught}
    asked = [issue for issue in PROMISED if _is_volume(issue)]
    return sum(out.issue in asked for out in found.left_out), sum(issue not in noticed for issue in asked)


def _of_table(constraint: Constraint) -> Constraint:
    """The same bounds on the number of the table's rows."""
    measure = Measure(constraint.metric)
    return replace(constraint, column=measure.subject, measure=measure)


def within_budget(
    history: ColumnHistory, metrics: Sequence[Metric], fpr: float, *, method: Method, season_lags: Sequence[int] = (), rows: int = 0
) -> ColumnResult:
    """The tightest constraint of each of these metrics within an even share of the budget, whatever it catches: somebody asked for them.

    `NotEnoughHistoryError` below `LEAST_BATCHES` batches.
    """
    models, left_out = fit_metrics(history, method=method, season_lags=season_lags, metrics=metrics)
    nothing = np.empty((len(models), 0))
    prepared = PreparedColumn(history.column, history.kind, history.batches, rows, method, tuple(models), (), (), nothing)
    made = []
    for grid, _ in prepared.grids:
        # Costs fall as the bounds widen.
        at = next((i for i, cost in enumerate(grid.fpr.tolist()) if cost <= fpr / len(metrics)), None)
        if at is None:
            left_out.append(Unconstrained(grid.model.metric.name, f"no bounds of it cost at most {fpr / len(metrics):g}"))
            continue
        made.append(proposal_at(prepared, grid, at, fpr))
    return ColumnResult(history.column, tuple(made), tuple(left_out), 0, prepared)


def _is_volume(variant: str) -> bool:
    return variant.startswith("volume_change")


def _programmed(
    prepared: PreparedColumn, grids: Sequence[tuple[Candidates, Mask]], wanted: Sequence[bool], fpr: float, max_clauses: int | None
) -> ColumnResult:
    """The choice among these grids for the wanted variants."""
    names = np.array(prepared.variants)[np.array(wanted, dtype=bool)]
    nothing = ColumnResult(prepared.column, (), prepared.left_out, len(names), prepared)
    if not grids or not len(names):
        return nothing
    groups = np.repeat(np.arange(len(grids)), [len(grid.fpr) for grid, _ in grids])
    within = np.concatenate([np.arange(len(grid.fpr)) for grid, _ in grids])
    costs, matrix = np.concatenate([grid.fpr for grid, _ in grids]), np.concatenate([hits for _, hits in grids])[:, wanted]
    models = [grid.model for grid, _ in grids]
    volume = len(models) == 1 and models[0].metric.volume
    usual = [usual_noticed(grids[0][0], names.tolist(), prepared.season_lags, share) for share in (NEARLY, MIDDLE) if volume]
    if not volume:
        rows = {id(model): row for model, row in zip(prepared.models, prepared.values, strict=True)}
        usual = [np.concatenate([noticed_clearly(grid, rows[id(grid.model)][list(wanted)]) for grid, _ in grids])]
    widths = np.concatenate([grid.width for grid, _ in grids])
    candidates = ChoicePool(models, groups, costs, matrix, names.tolist(), usual, widths)
    chosen, left_out = choose(candidates, fpr, max_clauses, calibrated=prepared.method == "calibrated")
    made = []
    for i in chosen:
        by_others = matrix[[j for j in chosen if j != i]].any(axis=0)
        hits, only = (tuple(names[mask].tolist()) for mask in (matrix[i], matrix[i] & ~by_others))
        proposal = proposal_at(prepared, grids[groups[i]][0], int(within[i]), fpr)
        known = replace(proposal.evidence, tried=tuple(names.tolist()), caught=hits, only_caught=only)
        made.append(replace(proposal, evidence=known))
    return ColumnResult(prepared.column, tuple(made), (*prepared.left_out, *left_out), len(names), prepared)


def reprogram_table(
    columns: Sequence[PreparedColumn],
    fpr: float = 0.001,
    *,
    table_fpr: float | None = None,
    max_clauses: int | None = 5,
    excluded_metrics: Collection[str] = (),
    carrier: str | None = None,
    own: Mapping[str, float] = MappingProxyType({}),
) -> tuple[ColumnResult, ...]:
    """The programs of a table's columns, each within `fpr`; or all together within `table_fpr`: an even share for each column, and what
    some leave unspent shared out evenly once more. Columns in `own` have a budget of theirs, which is taken off the table's.

    Under `calibrated` the number of rows is constrained once, as the table's: by the history of the column `carrier` (by default
    `carrier_of`), with whose result it comes, and for a budget of its own as large as a column's.
    """
    rate = fpr if table_fpr is None else table_fpr
    check_rate(rate)
    if not columns:
        return ()
    shared = columns[0].method == "calibrated" and VOLUME_METRIC not in excluded_metrics
    others = sum(c.column not in own for c in columns)
    if table_fpr is not None:
        rate = _left_of(rate, math.fsum(own.get(c.column, 0.0) for c in columns))
    share = rate if table_fpr is None else rate / max(others + shared, 1)

    def program(column: PreparedColumn, budget: float) -> ColumnResult:
        return reprogram(column, budget, max_clauses=max_clauses, excluded_metrics=excluded_metrics, volume=not shared)

    results = [program(column, own.get(column.column, share)) for column in columns]
    name = (carrier_of(columns) if carrier is None else carrier) if shared else None
    # A table's budget is what it is.
    most = VOLUME_COLUMNS if table_fpr is None else 1
    of_rows = {c.column: reprogram_volume(c, share, columns=most) for c in columns if c.column == name}
    rows = {column: found.suggestions for column, found in of_rows.items()}
    if table_fpr is not None:
        theirs = [r.suggestions for r in results if r.column not in own]
        more = max(0.0, rate - math.fsum(s.constraint.fpr for r in (*theirs, *rows.values()) for s in r)) / max(others, 1)
        results = [r if r.column in own else program(c, r.fpr + more) for c, r in zip(columns, results, strict=True)]
    made = (replace(r, suggestions=(*rows.get(r.column, ()), *r.suggestions)) for r in results)
    # What nobody notices of the number of rows is the table's, as its rule is.
    uncovered = {column: tuple(replace(out, of_table=True) for out in found.left_out if out.issue) for column, found in of_rows.items()}
    return tuple(replace(r, left_out=(*r.left_out, *uncovered.get(r.column, ()))) for r in made)


def carrier_of(columns: Iterable[PreparedColumn]) -> str | None:
    """The column to constrain the number of rows with: the first of those of the longest history; None when none has a model of it."""
    able = [c for c in columns if c.variants and any(m.metric.name == VOLUME_METRIC for m in c.models)]
    return max(able, key=lambda c: len(c.batches)).column if able else None


def _left_of(rate: float, own: float) -> float:
    if own > rate:
        hint = "Give the table more, or some columns less."
        raise UsageError(f"The columns' own targets are {own:g} together, more than the {rate:g} that the table has for them.", hint=hint)
    return rate - own


def check_rate(fpr: float) -> None:
    """`UsageError` for what is no share."""
    if not 0 <= fpr <= 1:
        raise UsageError(f"The false-positive rate is a share, and {fpr:g} is not.", hint="Give a number from 0 to 1, as 0.001.")
