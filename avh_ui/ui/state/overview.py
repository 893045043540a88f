"""The overview: how every pipeline fares, and the one looked at as columns over batches."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import param

from avh_ui.errors import AvhError
from avh_ui.review.feedback import standing_labels
from avh_ui.review.plain import plain
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.heatmap import Heatmap, MetricMove, heatmap, moved_metrics
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.pipeline_list import PipelineList
from avh_ui.ui.state.reading import count
from avh_ui.ui.state.session import SessionState
from avh_ui.ui.state.spoken import spoken
from avh_ui.ui.state.window import NameList
from avh_ui.validator.results import Outcome
from avh_ui.validator.run import RunSummary

# As many columns as are looked through by scrolling, and of batches what a canvas of two pixels each can draw: some give up at 16,384.
COLUMNS, BATCHES = 200, 1_000


class OverviewState(Observable):
    """`list` are the pipelines; `map` is of the one looked at, `column` and `batch` its cell ('' = none).

    `part` is what is shown of the map: the columns in the window `columns`, on the batches in the window `spans`, newest first; `alarms`
    are those of its cells, by column and batch.
    """

    map = param.Parameter(None)
    part = param.Parameter(None)
    alarms: Mapping[tuple[str, str], tuple[Outcome, ...]] = MappingProxyType({})
    column = param.String("")
    batch = param.String("")

    def __init__(self, session: SessionState, **params: Any) -> None:
        super().__init__(**params)
        self.session, self.list = session, PipelineList(session)
        self.columns, self.spans = NameList(COLUMNS), NameList(BATCHES)
        self._of: tuple[Any, ...] = ("",)
        self._filling = False
        self.param.watch(lambda *_: self._fill(), "map")
        for window in (self.columns, self.spans):
            window.param.watch(lambda *_: self._cut(), ["found", "shown"])

    def visit(self, address: Address | None = None) -> None:
        """The tab is shown: read what is not there yet."""
        of = (self.session.pipeline, self.session.loads, self.session.log)
        if of != self._of and self.session.pipeline:
            again, first = self._of[0] != of[0], not self._of[0]
            self._of = of
            if again:
                self.param.update(map=None, column="", batch="")
            self._read_map(address)
            self.list.follow = first and address is not None and not address.pipeline
            self.list.visit(anew=not again or first)
        elif address:
            self.look(address["column"], address["batch"])

    def _read_map(self, address: Address | None) -> None:
        session, pipeline, history, log = self.session, self.session.pipeline, self.session.history, self.session.log
        if history is None or not history.batches:
            self.map = None
            return

        def read() -> tuple[Heatmap, list[RunSummary]]:
            try:
                runs = session.services.runs.recent(pipeline)
            except AvhError:  # told by the pipeline's own line
                runs = []
            return heatmap(history, session.cadence, runs, standing_labels(log)), runs

        def adopt(found: tuple[Heatmap, list[RunSummary]]) -> None:
            if session.pipeline != pipeline:
                return
            by_cell: dict[tuple[str, str], tuple[Outcome, ...]] = {}
            for run in found[1]:
                for one in run.alarms:
                    by_cell[one.column, run.batch] = (*by_cell.get((one.column, run.batch), ()), one)
            self.alarms = by_cell
            self.map = found[0]
            if address and (address["column"] or address["batch"]):
                self.look(address["column"], address["batch"])

        session.run(read, adopt)

    def _fill(self) -> None:
        found = self.map
        self._filling = True
        try:
            self.columns.param.update(names=found.columns if found is not None else (), says=spoken(self.session))
            self.spans.names = found.batches[::-1] if found is not None else ()
        finally:
            self._filling = False
        self._cut()

    def _cut(self) -> None:
        if self._filling:
            return
        stop = len(self.spans.names) - self.spans.page * BATCHES
        self.part = self.map.cut(self.columns.shown, max(0, stop - BATCHES), stop) if self.map is not None else None

    # Moving

    def look(self, column: str, batch: str) -> None:
        """Look at a cell; what is not in the map is told and passed over."""
        found = self.map
        if found is None:
            return
        for what, name, known in (("column", column, found.places), ("batch", batch, found.batches)):
            if name and name not in known:
                self.session.tell("warning", f"There is no {what} {name!r} in the history of {self.session.pipeline}.")
        column, batch = column if column in found.places else "", batch if batch in found.batches else ""
        self.columns.reveal(column)
        self.spans.reveal(batch)
        self.param.update(column=column, batch=batch)

    def pick(self, row: int, column: int) -> None:
        """A cell of what is shown was chosen; of a row's name, its newest worst batch, wherever that is."""
        found, part = self.map, self.part
        if found is not None and part is not None:
            name = part.columns[row]
            self.look(name, found.batches[found.worst(found.places[name])] if column < 0 else part.batches[column])

    def move(self, rows: int, batches: int) -> None:
        """To the next column or batch; the first move goes to the worst cell of the first column."""
        found, names = self.map, self.columns.found
        if found is None or not names:
            return
        if not self.batch or self.column not in names:
            self.look(names[0], found.batches[found.worst(found.places[names[0]])])
            return
        row = min(max(names.index(self.column) + rows, 0), len(names) - 1)
        at = min(max(found.batches.index(self.batch) + batches, 0), len(found.batches) - 1)
        self.look(names[row], found.batches[at])

    def moved(self) -> list[MetricMove]:
        """The metrics of the cell looked at, the furthest moved first."""
        history = self.session.history
        return moved_metrics(history, self.session.cadence, self.column, self.batch) if history is not None and self.column else []

    def broken(self, column: str, batch: str) -> list[str]:
        """The rules that a cell breaks, each in a sentence; one that the live program has no more by its name."""
        live = self.session.live
        rules = {key: plain(one) for key, one in live.by_key.items()} if live is not None else {}
        return [rules.get(one.key, one.name.replace("_", " ")) for one in self.alarms.get((column, batch), ())]

    def unusual(self) -> list[tuple[str, list[str], str]]:
        """What stands out on the newest batch, in the order of the map: the column, the rules that it breaks, else what moved."""
        found, width = self.map, len(self.map.batches) if self.map is not None else 0
        newest = found.batches[-1] if width else ""
        told = []
        for row, name in enumerate(found.columns if width else ()):
            code, broken = found.cells[row * width + width - 1], self.broken(name, newest)
            if code in "1234" or broken:
                first = next(iter(moved_metrics(self.session.history, self.session.cadence, name, newest)), None) if not broken else None
                told.append((self.columns.called(name), broken, f"{first.words}: {first.rarity.far}" if first is not None else ""))
        return told

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
        history = self.session.history
        # What rules measure beside the columns, such as of rows matched by key, is no column of the table.
        asked = sum(column.asked for column in history.columns.values()) if history is not None else 0
        text = f"{count(width - missing, 'batch')} of {count(len(found.columns) - asked, 'column')}"
        unread = len(history.unread) if history is not None else 0
        missing = max(0, missing - unread)
        text += f", {missing:,} missing" if missing else ""
        text += f", {unread:,} unreadable" if unread else ""
        return f"{text} · {count(moved, 'column') if moved else 'no column'} unusual on {found.batches[-1]}" if width else text
