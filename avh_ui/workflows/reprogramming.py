"""What if: other budgets, bounds, spans of history and excluded batches, from what the last suggestion run measured; no Spark, no data."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from avh_ui.config import Pipeline
from avh_ui.constraints.constraint import Constraint
from avh_ui.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from avh_ui.inference.by_history.measured import MeasuredColumn, MeasuredRepository, PreparedColumn
    from avh_ui.inference.by_history.reprogramming import ColumnResult

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

    def measured(self, pipeline: Pipeline, column: str) -> MeasuredColumn:
        """What is kept of one column; `NotFoundError` for one that was not in the run."""
        fits = self._of(pipeline.name, frozenset(), None)
        return fits.measured[fits.names.index(fits.known(column))]

    def batches(self, pipeline: Pipeline) -> tuple[str, ...]:
        """The batches that the last suggestion run measured, whether it learned from them or not."""
        return max((c.history.batches for c in self._of(pipeline.name, frozenset(), None).measured), key=len)

    def caught(self, pipeline: Pipeline, constraints: Sequence[Constraint]) -> list[tuple[str, ...]]:
        """The synthetic issues that each constraint catches, whatever its bounds."""
        fits = self._of(pipeline.name, frozenset(), None)
        return [fits.column(fits.known(c.column)).catches(c) for c in constraints]

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
