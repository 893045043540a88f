"""The evidence of the suggestion under the cursor: its history judged by the bounds in the form, and the form itself."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import param
from numpy.typing import NDArray

from avh_ui.constraints.backtest import backtest
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.reading import Reader, same
from avh_ui.history.series import ColumnHistory, Series
from avh_ui.metrics.catalogue import known_of
from avh_ui.review.draft import DraftItem
from avh_ui.ui.state.axis import BatchAxis, batch_axis
from avh_ui.ui.state.bounds_input import parse_bound, rounded
from avh_ui.ui.state.decisions import Decisions
from avh_ui.ui.state.marks import Mark, marks, missing, untold
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.patterns import TypedSeries, series_of
from avh_ui.ui.state.queue import QueueState
from avh_ui.ui.state.session import SessionState
from avh_ui.ui.state.tried_bounds import TriedBounds
from avh_ui.workflows.repricing import repriced_item

# Beyond any history.
EVER = 10**9
Bounds = tuple[float | None, float | None]


class EvidenceState(Observable):
    """`item` is the one looked at; `bounds` are those in the form, in the constraint's space; `measured` draws the metric's own unit."""

    item = param.Parameter(None)
    bounds = param.Parameter((None, None))
    measured = param.Boolean(False, doc="draw the metric as measured, instead of what is compared with the bounds")
    problem = param.String("", doc="what is wrong with the numbers in the form")
    seen = param.Tuple((0, EVER), doc="the first and the last batch that are drawn, as positions")

    def __init__(self, session: SessionState, queue: QueueState, decisions: Decisions, **params: Any) -> None:
        super().__init__(**params)
        self.session, self.queue, self.decisions = session, queue, decisions
        self._unsaved: dict[str, tuple[Bounds, int]] = {}  # with the revision that the item had when the edit began
        self._axis: BatchAxis = batch_axis(())
        self._typed = TypedSeries(session)
        self._warned: tuple[str, Bounds] = "", (None, None)
        self._gaps: list[Mark] = []
        session.param.watch(lambda *_: self._unsaved.clear(), "pipeline")
        queue.param.watch(self._look, ["cursor", "visible"])
        session.param.watch(self._look, ["draft", "history", "loads"])
        self._look()

    def _look(self, *_: Any) -> None:
        item = self.queue.item
        if item is None:
            self.item = None
            return
        history = self.session.history
        if history is not None and history.batches != self._axis.batches:
            self._axis = batch_axis(history.batches)
            self._gaps = missing(self._axis, self.session.cadence)
            self.seen = (0, EVER)
        current: Bounds = (item.current.lower, item.current.upper)
        # Somebody else's decision on another item takes no words away that are to be read.
        problem = self.problem if item == self.item else ""
        self.param.update(item=item, bounds=self._unsaved.get(item.suggestion.id, (current, 0))[0], problem=problem)

    @property
    def reader(self) -> Reader:
        """How the item's numbers read."""
        if self.item is None:
            raise LookupError("nothing is looked at")
        return Reader.of(self.item.current)

    @property
    def column(self) -> ColumnHistory | None:
        """The column's history; None where it could not be read or no longer has the column."""
        history = self.session.history
        return None if history is None or self.item is None else history.of(self.item.current.measure)

    @property
    def series(self) -> Series | None:
        """The metric's history; None where there is none."""
        column = self.column
        if column is None or self.item is None:
            return None
        series = column.values.get(self.item.current.metric)
        if series is None:
            series = series_of(self.item, column.batches)
        return self._typed.of(self.item, column.batches) if series is None else series

    @property
    def can_measure(self) -> bool:
        """Whether what is compared differs from what is measured, so that both can be drawn."""
        return self.item is not None and not self.item.current.transform.is_identity

    @property
    def dirty(self) -> bool:
        """Whether the form holds bounds that are not recorded."""
        return self.item is not None and self.bounds != (self.item.current.lower, self.item.current.upper)

    @property
    def form_unit(self) -> str:
        """In what the form's numbers are: those of the space of the bounds."""
        return "" if self.item is None else self.reader.form_unit

    @property
    def suggested(self) -> Bounds:
        """The bounds as they were suggested."""
        found = self.item.suggestion.constraint if self.item else None
        return (found.lower, found.upper) if found else (None, None)

    def priced(self) -> DraftItem | None:
        """The item as it would be with the form's bounds: what they cost and catch, where that can be told."""
        item: DraftItem | None = self.item
        if item is None or not self.dirty:
            return item
        if self.bounds == self.suggested:
            return replace(item, constraint=None, caught_now=None)
        session, tried = self.session, replace(item, constraint=item.current.with_bounds(*self.bounds), caught_now=None)
        return repriced_item(tried, session.draft, lambda c: session.services.suggestions.price(session.pipeline, c))

    def live_constraint(self) -> Constraint | None:
        """What the live version enforces of the same column and metric."""
        live = self.session.live
        if live is None or self.item is None:
            return None
        return live.by_key.get(self.item.current.key)

    def trial(self) -> TriedBounds | None:
        """The form's bounds on the whole history."""
        return self.trial_of(self.bounds)

    def trial_of(self, bounds: Bounds) -> TriedBounds | None:
        """Bounds of the item on the whole history."""
        series = self.series
        if series is None or self.item is None or self.session.draft is None:
            return None
        run, batches = self.session.draft.run, self._axis.batches
        learned = np.zeros(len(batches), dtype=bool)
        if run.first_batch in batches and run.last_batch in batches:
            learned[batches.index(run.first_batch) : batches.index(run.last_batch) + 1] = True
            learned[[batches.index(batch) for batch in run.excluded if batch in batches]] = False
        # Edited bounds stand in a strategy's place, which these ask for again.
        again = self.item.suggestion.constraint.strategy if bounds == self.suggested else None
        constraint = replace(self.item.current.with_bounds(*bounds), strategy=again)
        return TriedBounds(constraint, self._axis, backtest(constraint, series, self.errors(), batches), learned)

    def marks(self) -> list[Mark]:
        """What happened along the history: missing, labelled and excluded batches, and versions."""
        session, item = self.session, self.item
        if item is None:
            return []
        excluded = {*session.excluded, *(session.draft.run.excluded if session.draft is not None else ())}
        key = item.current.key
        found = self._gaps + untold(self._axis, self.column, item.current.metric)
        return found + marks(self._axis, key, log=session.log, excluded=excluded, versions=session.versions)

    def seen_range(self) -> tuple[float, float] | None:
        """The part of the axis that is drawn; None for all of it."""
        x, (first, last) = self._axis.x, self.seen
        if not len(x) or (first <= 0 and last >= len(x) - 1):
            return None
        first = min(first, len(x) - 1)
        return float(x[first]), float(x[min(max(last, first), len(x) - 1)])

    def errors(self) -> NDArray[np.float64] | None:
        """How far each batch's value may be off, shape (K,): see `ColumnHistory.errors`; None where nothing is known of it."""
        item, column = self.item, self.column
        if item is None or column is None or item.current.metric not in column.values or known_of(item.current.measure):
            return None
        return column.errors(item.current.metric)

    def drag(self, lower: float | None, upper: float | None) -> None:
        """The band's edges were moved: crossed edges swap, and the digits that a mouse cannot mean are dropped."""
        if lower is not None and upper is not None and lower > upper:
            lower, upper = upper, lower
        span = self._span(lower, upper)
        self._keep((self._moved(lower, span), self._moved(upper, span)))

    def type_bounds(self, lower: str, upper: str, *, of: str) -> bool:
        """Read what was typed in both inputs while they showed the item `of`; `problem` says what is wrong. Whether it makes bounds.

        Where another item is looked at meanwhile, nothing is changed.
        """
        if self.item is None or of != self.item.suggestion.id:
            self.session.said = "The bounds were typed for another suggestion, and are dropped"
            return False
        old = (self.form_text(0), self.form_text(1))
        try:
            share, transform = self.reader.of_share, self.item.current.transform
            new = [
                self.bounds[side] if text.strip() == old[side] else parse_bound(text, transform, of_share=share)
                for side, text in enumerate((lower, upper))
            ]
            self.item.current.with_bounds(new[0], new[1])
        except ValueError as error:
            same_ends = "no number is" in str(error)
            crossed = "The lower bound is above the upper one." if "the lower bound" in str(error) else str(error)
            self.problem = "No number is above and below one and the same bound." if same_ends else crossed
            return False
        if new[0] is None and new[1] is None and self.item.suggestion.constraint.strategy is None:
            self.problem = "With both sides open it would never alarm: give one bound, or reject the suggestion."
            return False
        self._keep((new[0], new[1]))
        return True

    def form_text(self, side: int) -> str:
        """The number in one input, with the digits that matter; '' for an open side."""
        value = self.bounds[side]
        if value is None or not math.isfinite(value):
            return ""
        lower, upper = self.bounds
        if lower is not None and upper is not None and same(lower, upper):
            return f"{float(f'{(lower + upper) / 2:.9g}'):.12g}"  # a constant, with the noise of its sums around it
        return f"{rounded(value, self._span(*self.bounds)):.12g}"

    def reset(self) -> None:
        """The suggested bounds into the form; saving them makes the suggestion accepted as it was."""
        self._keep(self.suggested)

    def discard(self) -> None:
        """The recorded bounds into the form."""
        if self.item is not None:
            self._keep((self.item.current.lower, self.item.current.upper))

    def save(self, *, stay: bool = False) -> None:
        """Record the form's bounds as an edit; of those that today's normal is outside of, the first time only say so. `stay` as in
        `Decisions.edit`.
        """
        if self.item is None or not self.dirty:
            self.session.said = "There is no edit to save"
            return
        tried, asked = self.trial(), (self.item.suggestion.id, self.bounds)
        if self._warned != asked and self.bounds != self.suggested and tried is not None and (warning := tried.warning):
            self._warned, self.problem = asked, f"{warning} Save again to keep them so."
            return
        item, suggestion_id, (lower, upper) = self.item, self.item.suggestion.id, self.bounds
        _, began = self._unsaved.get(suggestion_id, (self.bounds, item.revision))
        # What somebody else decided since the edit began is a conflict, though the page shows it by now. It is told once.
        self._unsaved[suggestion_id] = (lower, upper), item.revision
        seen = item.revision if item.decided_by == self.session.actor else began
        if self.decisions.edit(suggestion_id, lower, upper, seen, stay=stay):
            self._unsaved.pop(suggestion_id, None)

    def accept(self, of: str = "", form: str | None = None) -> None:
        """Accept what is seen: the ticked items, else the item or group `of` (by default that looked at) with the bounds in its form.

        `form` is the item whose form the person had before them, None where that is not known. Bounds in another form are not saved: the
        item is looked at instead, and the person told. Nothing is accepted past a problem of the form: whoever types fast has not read it
        yet.
        """
        if of and not self.queue.checked:
            self.queue.go(of)
            if self.queue.cursor != of:
                self.session.tell("warning", "What was to be accepted is not in the list any more; look again and decide.")
                return
        if self.problem and not self.queue.checked:
            self.session.said = f"Nothing was accepted. {self.problem}"
        elif not self.dirty or self.queue.checked:
            self.decisions.accept()
        elif self.item is not None and form not in (None, self.item.suggestion.id):
            self.session.tell("warning", f"{self.item.current.title} has bounds that are not saved: look at them, then accept.")
        else:
            self.save()

    def _keep(self, bounds: Bounds) -> None:
        if self.item is None:
            return
        if bounds == (self.item.current.lower, self.item.current.upper):
            self._unsaved.pop(self.item.suggestion.id, None)
        else:
            _, began = self._unsaved.get(self.item.suggestion.id, (bounds, self.item.revision))
            self._unsaved[self.item.suggestion.id] = bounds, began
        self.param.update(problem="", bounds=bounds)

    def _moved(self, edge: float | None, span: float) -> float | None:
        """The digits that a mouse can mean; an edge that was not moved (but by the rounding of pixels) keeps all of its own."""
        if edge is None:
            return None
        moved = rounded(edge, span)
        if moved is not None and self.reader.of_share:  # a chart of shares shows a little below nothing and above all
            moved = min(max(moved, self.reader.lowest), self.reader.highest)
        return next((old for old in self.bounds if old is not None and abs(edge - old) <= 1e-6 * span), moved)

    def _span(self, lower: float | None, upper: float | None) -> float:
        """The size against which digits are dropped: the band's width, else the spread of what is compared."""
        if lower is not None and upper is not None and upper > lower:
            return upper - lower
        known = [abs(bound) for bound in (lower, upper) if bound]
        return max(known, default=1.0)
