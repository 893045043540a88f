"""The rows that moved between two batches, for the pages that show them: a rule of matched rows, an alarm, a column that drifted."""

from __future__ import annotations

from typing import Any

import param

from avh_ui.constraints.constraint import Verdict
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.readable import MINUS, duration
from avh_ui.constraints.reading import declaration_of
from avh_ui.metrics.moved import Moved
from avh_ui.ui.state.drift import DriftState
from avh_ui.ui.state.evidence import EvidenceState
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.runs import RunsState
from avh_ui.ui.state.session import SessionState

# So many answers are kept: a person goes back and forth between a few.
_KEPT = 50


class MovedState(Observable):
    """`shown` is what the table shows (`components.moved_table`), empty while it is read and where there is nothing.

    Read away from the event loop, once for each pair of batches, column and metric.
    """

    shown = param.Dict(default={})

    def __init__(self, session: SessionState, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self._wanted: tuple[Any, ...] = ()
        self._known: dict[tuple[Any, ...], dict[str, Any]] = {}

    def look(self, batch: str, against: str | None, column: str, metric: str = "") -> None:
        """At the rows behind a metric of a column on a batch; `against` None is the batch that its distances compare with."""
        session, history = self.session, self.session.history
        if not against and history is not None:
            # A history of which nobody asked what its batches are compared with names no baselines.
            against = dict(zip(history.batches, history.baselines, strict=False)).get(batch)
        if not batch or not against:
            self._wanted, self.shown = (), {}
            return
        of = self._wanted = (session.pipeline, session.loads, batch, against, column, metric)
        if of in self._known:
            self.shown = self._known[of]
            return
        self.shown = {}

        def adopt(found: Any) -> None:
            # What cannot be read is told where the page reads its own.
            drawn_now = drawn(found, batch, against) if isinstance(found, Moved) else {}
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[of] = drawn_now
            if self._wanted == of:
                self.shown = drawn_now

        batches = session.services.batches
        session.attempt(lambda: batches.moved_rows(of[0], batch, against, column=column, metric=metric), adopt, adopt)

    def of_rule(self, evidence: EvidenceState) -> None:
        """Of a rule of matched rows: on the newest batch that it would have alarmed on, else on the newest."""
        item = evidence.item
        declared = None if item is None else declaration_of(item.current.metric, item.current.kind)
        history = self.session.history
        if item is None or declared is None or not declared.by_key or history is None or not history.batches:
            self.look("", None, "")
            return
        trial = evidence.trial()
        fired = [] if trial is None else trial.fired_places().tolist()
        self.look(history.batches[fired[0] if fired else -1], None, item.current.column, item.current.metric)

    def of_alarm(self, runs: RunsState) -> None:
        """Of the alarm that is looked at, where its batch is in the history."""
        result, history = runs.result, self.session.history
        alarms = isinstance(result, Verdict) and result.status in ("fail", "warn") and not isinstance(result.constraint, PatternConstraint)
        if not alarms or not isinstance(result, Verdict) or history is None or runs.batch not in history.batches:
            self.look("", None, "")
            return
        baseline = runs.run.baseline.batch if runs.run is not None and runs.run.baseline is not None else None
        self.look(runs.batch, baseline, result.constraint.column, result.constraint.metric)

    def of_drift(self, drift: DriftState) -> None:
        """Of the column of two whole batches; of spans and segments no rows are matched."""
        single = {drift.batch, drift.against} <= set(drift.batches) and not drift.part and not drift.against_part
        if drift.comparison is None or not single:
            self.look("", None, "")
            return
        self.look(drift.batch, drift.against, drift.column)


def drawn(moved: Moved | None, batch: str, against: str) -> dict[str, Any]:
    """What the table shows of rows that moved from one batch to another; nothing of none."""
    if moved is None or not moved.rows:
        return {}
    values = moved.what == "rows"
    title = moved.counted if values else f"{moved.what[:1].upper()}{moved.what[1:]}: {moved.among_words}"
    more = moved.count - len(moved.rows)
    numeric = any(row.by is not None for row in moved.rows)
    # Texts that differ are no farther or nearer, and of numbers 121 of 26,521 is more than 93 of a million.
    first = ", the largest change for its size first" if numeric and not moved.moments else ""
    notes = [
        f"From batch {against} to {batch}{first}." if values else f"Batch {batch} beside {against}.",
        f"{more:,} more are not listed." if more else "",
        "No other column tells them from the rest." if moved.group is None and 1 < moved.count < moved.among else "",
        "Counted in the sample of rows that both batches keep." if moved.sampled else "",
    ]
    heads = [", ".join(moved.by) or "Key", *(("Before", "After", *(["Change"] if numeric else [])) if values else ())]
    rows = [
        [row.key, *((row.before, row.after, *([_signed(row.by, moved.moments)] if numeric else [])) if values else ())]
        for row in moved.rows
    ]
    numbers = [[None, *((row.was, row.now, row.by) if numeric else ())] for row in moved.rows]
    return {
        "title": title,
        "said": moved.said,
        "note": " ".join(note for note in notes if note),
        "heads": heads,
        "rows": rows,
        "numbers": numbers if numeric else [],
    }


def _signed(by: float | None, moments: bool) -> str:
    """A change with its sign; between points in time it is a length of time."""
    if by is None:
        return ""
    text = duration(abs(by)) if moments else f"{abs(by):,.0f}" if by == int(by) and abs(by) < 1e15 else f"{abs(by):,.6g}"
    sign = "+" if by > 0 else MINUS if by < 0 else ""
    return f"{sign}{text}"
