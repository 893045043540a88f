"""The overview: how every pipeline fares, and the one looked at as columns over batches."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import numpy as np
import param

from avh_ui.errors import AvhError
from avh_ui.history.series import History
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.alarm_grid import alarm_grid
from avh_ui.ui.state.heatmap import Heatmap, Moved, heatmap, moved_metrics
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.reading import count
from avh_ui.ui.state.session import SessionState
from avh_ui.validator.run_store import RunSummary
from avh_ui.workflows.expected import is_late, next_batch

# What the sparklines show, and how many runs the health of a pipeline is judged by.
SPARK = 90
RECENT = 60
# A table that has been silent for a quarter is not late, it has ended.
ENDED = timedelta(days=91)

Health = Literal["good", "attention", "bad", "unknown"]


@dataclass(frozen=True)
class PipelineHealth:
    """One pipeline in brief; `rows` and `complete` are series of its last batches, NaN where unknown."""

    name: str
    batches: int = 0
    last: str = ""
    expected: str = ""
    late: bool = False
    run: RunSummary | None = None
    open_alarms: int = 0
    pending: int = 0
    version: int = 0
    rows: tuple[float, ...] = ()
    complete: tuple[float, ...] = ()
    problem: str = ""

    @property
    def health(self) -> Health:
        """`bad` when the last run failed or something cannot be read, `attention` when a person is asked for."""
        if self.problem or (self.run is not None and self.run.status == "fail" and self.open_alarms):
            return "bad"
        if self.open_alarms or self.late:
            return "attention"
        return "good" if self.run is not None else "unknown"


def pipeline_health(door: Any, name: str) -> PipelineHealth:
    """Read one pipeline; what cannot be read is its `problem`. Slow the first time: never on the event loop."""
    try:
        history, runs = door.history(name), door.runs(name, RECENT)
        draft, live = door.draft(name), door.live(name)
        last, now = history.batches[-1] if history.batches else "", datetime.now(UTC)
        expected = (next_batch(last, door.pipeline(name).cadence) or "") if last else ""
        return PipelineHealth(
            name,
            len(history.batches),
            last,
            expected,
            is_late(expected, now) and not is_late(expected, now - ENDED),
            runs[-1] if runs else None,
            alarm_grid(runs, door.feedback(name), now.isoformat(timespec="seconds")).open,
            draft.count("pending") if draft else 0,
            live.version if live else 0,
            tuple(history.rows[-SPARK:].tolist()),
            _complete(history),
        )
    except AvhError as error:
        return PipelineHealth(name, problem=str(error))


def _complete(history: History) -> tuple[float, ...]:
    """The mean share of values that are there, over the columns, per batch."""
    found = [c.values["complete_ratio"][-SPARK:] for c in history.columns.values() if "complete_ratio" in c.values]
    if not found:
        return ()
    table = np.stack(found)
    known = np.isfinite(table)
    sums, counts = np.where(known, table, 0.0).sum(axis=0), known.sum(axis=0)
    return tuple(np.where(counts > 0, sums / np.maximum(counts, 1), np.nan).tolist())


class OverviewState(Observable):
    """`pipelines` fill one after the other; `map` is of the pipeline looked at, `column` and `batch` its cell ('' = none)."""

    pipelines = param.Parameter(())
    map = param.Parameter(None)
    reading = param.Boolean(False)
    column = param.String("")
    batch = param.String("")

    def __init__(self, session: SessionState, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
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
            if not self.reading:
                self._read_pipelines(list(self.session.pipelines))
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

    def _read_pipelines(self, names: list[str]) -> None:
        known = {health.name: health for health in self.pipelines}
        self.param.update(reading=True, pipelines=tuple(known.get(name, PipelineHealth(name)) for name in names))

        def read(rest: list[str]) -> None:
            if not rest:
                self.reading = False
                return
            door, name = self.session.door, rest[0]
            self.session.run(lambda: pipeline_health(door, name), lambda health: adopt(health, rest[1:]))

        def adopt(health: PipelineHealth, rest: list[str]) -> None:
            self.pipelines = tuple(health if other.name == health.name else other for other in self.pipelines)
            read(rest)

        # The one looked at first.
        read(sorted(names, key=lambda name: name != self.session.pipeline))

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
        text += f", {missing:,} missing" if missing else ""
        return f"{text} · {count(moved, 'column') if moved else 'no column'} unusual on {found.batches[-1]}" if width else text
