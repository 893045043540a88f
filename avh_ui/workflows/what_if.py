"""What if: other budgets, bounds, spans of history and excluded batches, from what the last suggestion run measured; no Spark, no data."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from avh_ui.config import Pipeline
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromRelation, Proposal
from avh_ui.constraints.several import parts_of
from avh_ui.errors import NotFoundError, UsageError
from avh_ui.history.series import ColumnHistory
from avh_ui.metrics.lowest_columns import LOWEST
from avh_ui.review.draft import Draft, DraftItem
from avh_ui.review.suggestion import RunSettings, SuggestionRun
from avh_ui.workflows.eligible import LEAST_BATCHES
from avh_ui.workflows.refusing import decided, refused
from avh_ui.workflows.suggesting import WINDOW, budget, suggestions_of

if TYPE_CHECKING:
    from avh_ui.inference.by_history.measured import MeasuredColumn, MeasuredRepository, PreparedColumn
    from avh_ui.inference.by_history.reprogramming import ColumnResult

Programmed: TypeAlias = "ColumnResult"
# Spans and exclusions whose fits are kept: the one in use and some to go back to. 200 columns take some 10 MB.
_FITS = 4


@dataclass(frozen=True)
class WhatIf:
    """What to change: `fpr` per column and batch or `table_fpr` for all columns together (both None take the pipeline's), at most so many
    clauses, batches to leave out of the history beside those before `since`, and metrics not to use. Columns in `own` have a target of
    their own, which is taken off the table's.
    """

    fpr: float | None = None
    table_fpr: float | None = None
    max_clauses: int | None = 5
    exclude: frozenset[str] = frozenset()
    since: str | None = None
    excluded_metrics: frozenset[str] = frozenset()
    own: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Priced:
    """The false-positive rate of a constraint whose bounds a person chose, and the synthetic issues that it catches (None: not known)."""

    fpr: float
    caught: tuple[str, ...] | None


class Reprogrammer:
    """Keeps the fits between calls. `UsageError` where no suggestion run was kept, `NotFoundError` for a column that is not in it."""

    def __init__(self, repository: MeasuredRepository) -> None:
        self._repository = repository
        self._fits: OrderedDict[tuple[str, frozenset[str], str | None], _Fits] = OrderedDict()

    def reprogram(self, pipeline: Pipeline, columns: Sequence[str] | None, change: WhatIf, spent: float = 0.0) -> tuple[ColumnResult, ...]:
        """The programs of these columns (None = all), in the run's order; `spent` is what others take of the table's budget."""
        from avh_ui.inference.by_history.reprogramming import reprogram_table

        fits = self._of(pipeline.name, change.exclude, change.since)
        wanted = fits.names if columns is None else [fits.known(name) for name in columns]
        fpr, table = change.fpr, change.table_fpr
        if fpr is None and table is None:
            fpr, table = pipeline.fpr, pipeline.table_fpr
        for name in change.own:
            fits.known(name)
        # One budget for the table can only be shared out among all columns.
        among = fits.names if table is not None else [name for name in fits.names if name in set(wanted)]
        found = reprogram_table(
            [fits.column(name) for name in among],
            pipeline.fpr if fpr is None else fpr,
            table_fpr=None if table is None else max(0.0, table - spent),
            max_clauses=change.max_clauses,
            excluded_metrics=change.excluded_metrics,
            carrier=fits.carrier(),
            own=change.own,
        )
        return tuple(result for result in found if result.column in set(wanted))

    def measured(self, pipeline: Pipeline, constraint: Constraint) -> MeasuredColumn:
        """What is kept of a constraint's column, of the table's of any that has it; `NotFoundError` for one that was not in the run."""
        fits = self._of(pipeline.name, frozenset(), None)
        return fits.measured[fits.names.index(fits.known(self._host(fits, constraint)))]

    def batches(self, pipeline: Pipeline) -> tuple[str, ...]:
        """The batches that the last suggestion run measured, whether it learned from them or not."""
        return max((c.history.batches for c in self._of(pipeline.name, frozenset(), None).measured), key=len)

    def caught(self, pipeline: Pipeline, constraints: Sequence[Constraint]) -> list[tuple[str, ...]]:
        """The synthetic issues that each constraint catches, whatever its bounds."""
        fits = self._of(pipeline.name, frozenset(), None)
        found = [(c, [(one, fits.column(fits.known(self._host(fits, one))).catches(one)) for one in parts_of(c)]) for c in constraints]
        return [tuple(f"{one.column} {n}" if c.of_each else n for one, names in each for n in names) for c, each in found]

    def price(self, pipeline: Pipeline, constraint: Constraint) -> Priced | None:
        """What a constraint costs and catches with the bounds that it has; None where nothing is kept that would tell."""
        if constraint.of_each:
            told = [(one.column, self.price(pipeline, one)) for one in parts_of(constraint)]
            known = [(name, one) for name, one in told if one is not None]
            caught = tuple(f"{name} {issue}" for name, one in known for issue in one.caught or ())
            return Priced(math.fsum(one.fpr for _, one in known), caught) if len(known) == len(told) else None
        try:
            fits = self._of(pipeline.name, frozenset(), None)
            column = fits.column(fits.known(self._host(fits, constraint)))
        except (UsageError, NotFoundError):
            return None
        rate = column.rate(constraint)
        return None if rate is None else Priced(rate, column.catches(constraint))

    def _host(self, fits: _Fits, constraint: Constraint) -> str:
        """The column by whose history a constraint was learned: of the table's any that has it."""
        return (fits.carrier() or constraint.column) if constraint.of_table else constraint.column

    def _of(self, pipeline: str, exclude: frozenset[str], since: str | None) -> _Fits:
        measured = self._repository.load(pipeline)
        if not measured:
            raise UsageError(f"Nothing is kept of a suggestion run for {pipeline!r}.", hint=f"Run `avh suggest {pipeline}` first.")
        key = pipeline, exclude, since
        kept = self._fits.pop(key, None)
        if kept is None or kept.measured is not measured:
            kept = _Fits(measured, exclude, since)
        self._fits[key] = kept
        while len(self._fits) > _FITS:
            self._fits.popitem(last=False)
        return kept


class _Fits:
    """The columns of one run fitted to one span of history, each when it is first asked for."""

    def __init__(self, measured: tuple[MeasuredColumn, ...], exclude: Collection[str], since: str | None) -> None:
        self.measured, self._exclude, self._since = measured, exclude, since
        self.names = [c.history.column for c in measured]
        self._place = {name: i for i, name in enumerate(self.names)}
        self._columns: dict[str, PreparedColumn] = {}

    def known(self, name: str) -> str:
        """The name, if there is such a column."""
        if name not in self._place:
            raise NotFoundError("column in the kept suggestion run", name, self.names)
        return name

    def column(self, name: str) -> PreparedColumn:
        if name not in self._columns:
            self._columns[name] = self.measured[self._place[name]].fitted_or_empty(exclude=self._exclude, since=self._since)
        return self._columns[name]

    def carrier(self) -> str | None:
        """The column that the number of rows is constrained with, without fitting all of them: longest histories come first."""
        from avh_ui.inference.by_history.reprogramming import carrier_of

        for c in sorted(self.measured, key=lambda c: -len(c.history.batches)):
            if (name := carrier_of([self.column(c.history.column)])) is not None:
                return name
        return None


def pattern_share(draft: Draft) -> float:
    """What a draft's patterns, and the measures that were asked for, take of a table's budget, as a share of batches."""
    constraints = [item.suggestion.constraint for item in draft.items]
    return math.fsum(c.fpr for c in constraints if c.origin in ("corpus", "relation") or (c.origin == "history" and not programmed(c)))


def leaned(results: Sequence[ColumnResult], draft: Draft) -> tuple[ColumnResult, ...]:
    """The results without what they and the draft's other suggestions say twice, as `suggest` leaves it out."""
    from avh_ui.inference.as_one import one_by_one, stays_above
    from avh_ui.inference.by_history.first_noticed import FIRST
    from avh_ui.inference.lean import lean
    from avh_ui.inference.lean_rule import rule_of
    from avh_ui.inference.ranges import FAMILY, FILLED, is_end

    others = [s for s in (item.suggestion for item in draft.items) if not programmed(s.constraint)]
    # A range is made anew of its two ends, and what is filled besides of that, which would stand beside it.
    as_one = {s.id: s.evidence for s in others if isinstance(s.evidence, FromRelation) and s.evidence.family in (FAMILY, FILLED)}
    others = [s for s in others if s.id not in as_one]
    said, filled = ({one.of[0] for one in as_one.values() if one.family in which} for which in ((FAMILY, FILLED), (FILLED,)))
    proposals = [p for result in results for p in result.suggestions]
    beside = one_by_one(Proposal(s.constraint, s.evidence) for s in others if not s.evidence.later)
    made = lean([*proposals, *beside], FIRST, draft.run.kinds, refused(draft)).proposals
    # One of which a part was learned from the latest batch alone cannot be made anew: it stays, and with it what its other parts say.
    made = [p for p in made if p.constraint.column not in said or not is_end(rule_of(p, draft.run.kinds))]
    # What is never below 0 is one rule of several columns, which stays as it is.
    lowest = {name for s in others if s.constraint.metric == LOWEST.name for name in s.constraint.measure.columns}
    made = [p for p in made if p.constraint.column not in lowest or p.constraint.metric != LOWEST.each or not stays_above(p.constraint)]
    made = [p for p in made if p.constraint.column not in filled or not rule_of(p, draft.run.kinds).never_null]
    before = {item.suggestion.id: item.suggestion.evidence.also for item in draft.items}
    kept = {p.constraint.key: _also(p, before.get(p.constraint.key, ())) for p in made}
    return tuple(replace(r, suggestions=tuple(kept[k] for p in r.suggestions if (k := p.constraint.key) in kept)) for r in results)


def _also(proposal: Proposal, before: Sequence[str]) -> Proposal:
    """With what the run before named under it, too: patterns and rules on the latest batch are not programmed anew."""
    named = tuple(dict.fromkeys((*before, *proposal.evidence.also)))
    return replace(proposal, evidence=replace(proposal.evidence, also=named))


def programmed(constraint: Constraint) -> bool:
    """Whether it is programmed anew: what the history says of a column or of the number of rows. Measures that somebody asked for, rows
    matched by key, what several columns cannot be by nature and other sources stay as they are.
    """
    of_each = constraint.of_each and constraint.metric != LOWEST.name
    return constraint.origin == "history" and (constraint.measure.standard or constraint.of_table or of_each)


def lines_of(draft: Draft, results: Iterable[ColumnResult]) -> list[Proposal]:
    """What these results put in the place of what the draft has of theirs, with one rule on the columns of which the same is said. A column
    that somebody took out of one, or whose rule the draft leaves out since it was rejected before, does not come back.
    """
    from avh_ui.inference.as_one import as_one

    no, found = refused(draft), (one for result in results for one in result.suggestions)
    return as_one([one for one in found if one.constraint.key in draft.by_id or not no(one.constraint)], no, decided(draft))


def told_alone(items: Iterable[DraftItem]) -> list[Proposal]:
    """What these suggestions say of each column alone, with what stands behind it."""
    from avh_ui.inference.as_one import one_by_one

    return list(one_by_one(Proposal(item.suggestion.constraint, item.suggestion.evidence) for item in items))


def run_of(
    pipeline: Pipeline, draft: Draft, results: Sequence[ColumnResult], change: WhatIf, by: str, measured: Sequence[str]
) -> SuggestionRun:
    """The run that the results of all columns make: suggestions by history are theirs, the others stay those of the draft, measures that
    were asked for among them.

    What was changed, by whom, and which of the batches `measured` were left out, is kept with it.
    """
    left_out = [out for out in draft.run.left_out if out["column"] not in {r.column for r in results}]
    left_out += [out for result in results for out in result.reasons]
    kept = [item.suggestion for item in draft.items]
    others = [s for s in kept if not programmed(s.constraint)]
    longest = max((r.prepared.batches for r in results if r.prepared is not None), key=len, default=())
    share = change.table_fpr / max(len(results), 1) if change.table_fpr is not None else budget(pipeline, change.fpr, len(results))
    return SuggestionRun(
        pipeline=pipeline.name,
        suggestions=tuple(suggestions_of(pipeline, lines_of(draft, results), others)),
        left_out=tuple(left_out),
        fpr=share,
        first_batch=longest[0] if longest else draft.run.first_batch,
        last_batch=longest[-1] if longest else draft.run.last_batch,
        batches=len(longest) or draft.run.batches,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        excluded=tuple(batch for batch in measured if batch in change.exclude),
        settings=RunSettings(change.fpr, change.table_fpr, change.max_clauses, change.since or "", dict(change.own)),
        adopted_by=by,
        kinds=draft.run.kinds,
    )


@dataclass(frozen=True)
class NextBounds:
    """A constraint with the bounds it would have next at the same false-alarm cost: learned from the batch, and not.

    None where the history allows none of that cost.
    """

    learned: Constraint | None
    left_out: Constraint | None


def next_bounds(
    measured: MeasuredColumn, history: ColumnHistory, constraint: Constraint, batch: str, excluded: Collection[str]
) -> NextBounds:
    """The bounds of a constraint's metric from the newest window of its history; `excluded` are left out in any case.

    A new suggestion run may choose another metric of the column; what this one would be is what a label of an alarm changes.
    """
    without, known = set(excluded) | {batch}, set(excluded) - {batch}
    return NextBounds(_next(measured, history, constraint, known), _next(measured, history, constraint, without))


def _next(measured: MeasuredColumn, history: ColumnHistory, constraint: Constraint, out: Collection[str]) -> Constraint | None:
    clean = [k for k, name in enumerate(history.batches) if name not in out and history.present[k]]
    if len(clean) < LEAST_BATCHES or history.kind != measured.history.kind:
        return None
    window = history.window(clean[-min(WINDOW, len(clean))], clean[-1] + 1)
    for grid, _ in replace(measured, history=window).fitted_or_empty(exclude=out).grids:
        affordable = np.flatnonzero(grid.fpr <= constraint.fpr)
        if grid.model.metric.name == constraint.metric and len(affordable):
            at = affordable[np.argmax(grid.fpr[affordable])]  # the tightest of them
            lower = None if constraint.lower is None else float(grid.lower[at])
            upper = None if constraint.upper is None else float(grid.upper[at])
            return replace(constraint, lower=lower, upper=upper, transform=grid.model.transform, fpr=float(grid.fpr[at]))
    return None
