"""Drift investigation: which batches are compared, which column is looked at, and rows from the source on demand."""

from __future__ import annotations

from typing import Any

import param

from avh_ui.errors import AvhError
from avh_ui.history.series import batch_order
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.comparison import ColumnShift, Comparison
from avh_ui.ui.state.exports import csv_text
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.session import SessionState
from avh_ui.workflows.cadence import season_lags

# Rows of a batch that are fetched to be looked at.
ROWS = 20
BEFORE, SEASON, MONTH = "before", "season", "month"


class DriftState(Observable):
    """`batch` and `against` are ids or spans `A..B` as typed; `comparison` is of them, None while it is made."""

    batch = param.String("")
    against = param.String("")
    column = param.String("")
    comparison = param.Parameter(None)
    columns = param.Parameter(())
    busy = param.Boolean(False)
    problem = param.String("")
    rows = param.Parameter(None, doc="a pyarrow table of rows, an AvhError, or None before they are asked for")
    fetching = param.Boolean(False)

    def __init__(self, session: SessionState, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self._of: tuple[str, str, str, int] = ("", "", "", -1)

    @property
    def batches(self) -> tuple[str, ...]:
        """The batches that can be compared."""
        return self.session.history.batches if self.session.history is not None else ()

    def visit(self, address: Address | None = None) -> None:
        """The tab is shown: compare what an address names, else the newest batch with the one before."""
        if not self.batches:
            self.param.update(comparison=None, columns=(), problem="")
            return
        if self._of[0] != self.session.pipeline:
            self.param.update(batch="", against="", column="", comparison=None, rows=None)
        if address and (address.batch or address.column or address.against):
            self.investigate(address.batch, address.column, address.against)
        elif not self.batch:
            self.investigate(self.batches[-1], "")
        elif self._of[3] != self.session.loads:
            self.compare(self.batch, self.against)

    def investigate(self, batch: str, column: str, against: str = "") -> None:
        """Look at a column of a batch against another (the one before when none is named)."""
        batch = batch or (self.batches[-1] if self.batches else "")
        if column:
            self.column = column
        self.compare(batch, against or self.preset(BEFORE, batch))

    def preset(self, name: str, batch: str = "") -> str:
        """What a batch (or the first of a span) is usefully compared with; '' where there is nothing before."""
        first = (batch or self.batch).split("..")[0].strip()
        earlier = [b for b in self.batches if batch_order(b) < batch_order(first)] if first else list(self.batches)
        if not earlier:
            return ""
        if name == MONTH:
            return f"{earlier[-min(30, len(earlier))]}..{earlier[-1]}"
        lag = next(iter(season_lags(self.session.cadence)), 1) if name == SEASON else 1
        return earlier[-lag] if lag <= len(earlier) else earlier[0]

    def compare(self, batch: str, against: str) -> None:
        """Merge the states of both sides, away from the event loop."""
        batch, against, session = batch.strip(), against.strip(), self.session
        of = (session.pipeline, batch, against, session.loads)
        self.param.update(batch=batch, against=against)
        if not batch or not against:
            self.param.update(problem="Name a batch, or a span as A..B, on both sides.", comparison=None, columns=())
            return
        if of == self._of:
            return
        self._of = of
        self.param.update(busy=True, problem="", rows=None)
        door, history = session.door, session.history

        def merge() -> tuple[Comparison, tuple[ColumnShift, ...]] | AvhError:
            try:
                made = Comparison(door.view(of[0], span=batch), door.view(of[0], span=against), history)
                return made, tuple(made.columns())
            except AvhError as error:
                return error

        session.run(merge, lambda found: self._adopt(of, found))

    def _adopt(self, of: tuple[str, str, str, int], found: Any) -> None:
        if of != self._of:
            return
        if isinstance(found, AvhError):
            self._of = (of[0], "", "", -1)
            self.param.update(busy=False, problem=str(found), comparison=None, columns=())
            return
        comparison, columns = found
        names = [c.name for c in columns]
        column = self.column if self.column in names else names[0] if names else ""
        self.param.update(busy=False, comparison=comparison, columns=columns, column=column)

    def look(self, column: str) -> None:
        """Another column of the same comparison."""
        if any(c.name == column for c in self.columns):
            self.column = column

    def move(self, step: int) -> None:
        """To the next column."""
        names = [c.name for c in self.columns]
        if self.column in names:
            self.column = names[min(max(names.index(self.column) + step, 0), len(names) - 1)]

    def turn(self, step: int) -> None:
        """To the next batch, against what was before it."""
        if self.batch in self.batches:
            at = min(max(self.batches.index(self.batch) + step, 0), len(self.batches) - 1)
            following = self.batches[at]
            self.compare(following, self.preset(BEFORE, following))

    @property
    def shift(self) -> ColumnShift | None:
        """The column looked at."""
        return next((c for c in self.columns if c.name == self.column), None)

    def fetch(self) -> None:
        """Rows of the batch (the last of a span) from its source, by Spark."""
        if self.comparison is None or self.fetching:
            return
        session, pipeline, batch = self.session, self.session.pipeline, self.comparison.ours.batches[-1]
        self.param.update(fetching=True, rows=None)

        def read() -> Any:
            try:
                return session.door.sample(pipeline, batch, ROWS)
            except AvhError as error:
                return error

        session.run(read, lambda found: self.param.update(fetching=False, rows=found))

    def table(self) -> str:
        """Every metric of every column as CSV."""
        header = ("column", "change", "metric", self.batch, self.against, "moved (sigma)")
        rows: list[tuple[Any, ...]] = []
        for shift in self.columns if self.comparison is not None else ():
            metrics = self.comparison.metrics(shift.name)
            rows += [(shift.name, shift.change, m.name, m.ours, "" if m.distance else m.theirs, round(m.sigmas, 4)) for m in metrics]
            if not metrics:
                rows.append((shift.name, shift.change, "", "", "", ""))
        return csv_text(header, rows)
