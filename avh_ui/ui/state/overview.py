"""The overview: how every pipeline fares, and the one looked at as columns over batches."""

from __future__ import annotations

from typing import Any

import param

from avh_ui.errors import AvhError
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.heatmap import Heatmap, Moved, heatmap, moved_metrics
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.pipeline_list import PipelineList
from avh_ui.ui.state.reading import count
from avh_ui.ui.state.session import SessionState


class OverviewState(Observable):
    """`list` are the pipelines; `map` is of the one looked at, `column` and `batch` its cell ('' = none)."""

    map = param.Parameter(None)
    column = param.String("")
    batch = param.String("")

    def __init__(self, session: SessionState, **params: Any) -> None:
        super().__init__(**params)
        self.session, self.list = session, PipelineList(session)
        self._of: tuple[str, int] = ("", -1)

    def visit(self, address: Address | None = None) -> None:
        """The tab is shown: read what is not there yet."""
        of = (self.session.pipeline, self.session.loads)
        if of != self._of and self.session.pipeline:
            again = self._of[0] != of[0]
            self._of = of
            if again:
                self.param.update(map=None, column="", batch="")
            self._read_map(address)
            self.list.visit()
        elif address:
            self.look(address.column, address.batch)

    def _read_map(self, address: Address | None) -> None:
        session, pipeline, history = self.session, self.session.pipeline, self.session.history
        if history is None or not history.batches:
            self.map = None
            return

        def read() -> Heatmap:
            try:
                runs = session.door.runs(pipeline)
            except AvhError:  # told by the pipeline's own line
                runs = []
            return heatmap(history, session.cadence, runs)

        def adopt(found: Heatmap) -> None:
            if session.pipeline != pipeline:
                return
            self.map = found
            if address and (address.column or address.batch):
                self.look(address.column, address.batch)

        session.run(read, adopt)

    # Moving

    def look(self, column: str, batch: str) -> None:
        """Look at a cell; what is not in the map is told and passed over."""
        found = self.map
        if found is None:
            return
        if column and column not in found.places:
            self.session.tell("warning", f"There is no column {column!r} in the history of {self.session.pipeline}.")
            column = ""
        if batch and batch not in found.batches:
            self.session.tell("warning", f"There is no batch {batch!r} in the history of {self.session.pipeline}.")
            batch = ""
        self.param.update(column=column, batch=batch)

    def pick(self, row: int, column: int) -> None:
        """A cell of the map was chosen; of a row's name, its newest worst batch."""
        found = self.map
        if found is not None:
            self.look(found.columns[row], found.batches[found.worst(row) if column < 0 else column])

    def move(self, rows: int, batches: int) -> None:
        """To the next column or batch; the first move goes to the worst cell of the first column."""
        found = self.map
        if found is None or not found.columns:
            return
        if not self.column or not self.batch:
            self.pick(0, -1)
            return
        row = min(max(found.places[self.column] + rows, 0), len(found.columns) - 1)
        at = min(max(found.batches.index(self.batch) + batches, 0), len(found.batches) - 1)
        self.look(found.columns[row], found.batches[at])

    def moved(self) -> list[Moved]:
        """The metrics of the cell looked at, the furthest moved first."""
        history = self.session.history
        return moved_metrics(history, self.session.cadence, self.column, self.batch) if history is not None and self.column else []

    @property
    def summary(self) -> str:
        """`365 batches of 19 columns, 2 missing; 3 columns moved on the newest`."""
        found = self.map
        if found is None:
            return ""
        width = len(found.batches)
        missing = found.cells[:width].count("-") if found.columns else 0
        last = [found.cells[row * width + width - 1] for row in range(len(found.columns))]
        moved = sum(code in "1234f" for code in last)
        text = f"{count(width - missing, 'batch')} of {count(len(found.columns), 'column')}"
        unread = len(self.session.history.unread) if self.session.history is not None else 0
        missing = max(0, missing - unread)
        text += f", {missing:,} missing" if missing else ""
        text += f", {unread:,} unreadable" if unread else ""
        return f"{text} · {count(moved, 'column') if moved else 'no column'} unusual on {found.batches[-1]}" if width else text
