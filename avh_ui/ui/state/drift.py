"""Drift investigation: which batches are compared, which column is looked at, and rows from the source on demand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import param
import pyarrow as pa

from avh_ui.errors import AvhError, CancelledError
from avh_ui.history.series import batch_order
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.segment import Segment
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.comparison import ColumnShift, Comparison
from avh_ui.ui.state.exports import RARITY, csv_text, rarity_cells
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.session import SessionState
from avh_ui.ui.state.spoken import spoken
from avh_ui.ui.state.window import NameList
from avh_ui.workflows.calendar import seasons_of

# Rows of a batch that are fetched to be looked at.
ROWS = 20
# Among so many the rows of a segment are looked for.
SEARCHED = 20_000
# Columns that are listed at once: several screenfuls.
LISTED = 100
Compared = tuple[Comparison, tuple[ColumnShift, ...], tuple[str, ...]]
BEFORE, SEASON, MONTH = "before", "season", "month"


class DriftState(Observable):
    """`batch` and `against` are ids or spans `A..B` as typed, `part` and `against_part` labels of segments ('' = the whole batches);
    `comparison` is of them, None while it is made; `window` is the list of its columns.
    """

    batch = param.String("")
    against = param.String("")
    part = param.String("")
    against_part = param.String("")
    segments = param.Parameter((), doc="the labels of the segments that there are")
    column = param.String("")
    comparison = param.Parameter(None)
    columns = param.Parameter(())
    busy = param.Boolean(False)
    problem = param.String("")
    rows = param.Parameter(None, doc="a pyarrow table of rows, an AvhError, or None before they are asked for")
    fetching = param.Boolean(False)
    cancelling = param.Boolean(False)

    def __init__(self, session: SessionState, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self.window = NameList(LISTED)
        self._of: tuple[Any, ...] = ("",)
        self._watch = Watch()
        self.param.watch(lambda *_: self._list(), "columns")

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
            self._watch.cancelled.set()
            self.param.update(batch="", against="", part="", against_part="", segments=(), column="", comparison=None, rows=None)
        if address and (address["batch"] or address["column"] or address["against"]):
            self.param.update(part=address["part"], against_part=address["against_part"])
            self.investigate(address["batch"], address["column"], address["against"])
        elif not self.batch:
            self.investigate(self.batches[-1], "")
        elif self._of[-1] != self.session.loads:
            self.compare(self.batch, self.against)

    def investigate(self, batch: str, column: str, against: str = "") -> None:
        """Look at a column of a batch against another (the one before when none is named)."""
        batch = batch or (self.batches[-1] if self.batches else "")
        if column:
            self.column = column
        self.compare(batch, against or self.preset(BEFORE, batch))

    def preset(self, name: str, batch: str = "") -> str:
        """What a batch (or the first of a span) is usefully compared with; '' where there is nothing before."""
        first, earlier = self._before(batch)
        if not earlier:
            return ""
        if name == BEFORE and first in self.batches:
            # As the validator has it: the newest that did not fail.
            baselines = self.session.history.baselines if self.session.history is not None else ()
            return dict(zip(self.batches, baselines, strict=False)).get(first) or earlier[-1]
        if name == MONTH:
            return f"{earlier[-min(30, len(earlier))]}..{earlier[-1]}"
        lag = next(iter(seasons_of(self.batches, self.session.cadence)), 1) if name == SEASON else 1
        return earlier[-lag] if lag <= len(earlier) else earlier[0]

    def _before(self, batch: str = "") -> tuple[str, list[str]]:
        """A batch (or the first of a span), and those before it, in order."""
        first = (batch or self.batch).split("..")[0].strip()
        return first, [b for b in self.batches if batch_order(b) < batch_order(first)] if first else list(self.batches)

    @property
    def passed_over(self) -> int:
        """How many batches between this one and the one it is compared with failed or are labelled as wrong."""
        _, earlier = self._before()
        if self.against not in earlier or self.preset(BEFORE) != self.against:
            return 0
        return len(earlier) - 1 - earlier.index(self.against)

    def compare(self, batch: str, against: str) -> None:
        """Merge the states of both sides, away from the event loop."""
        batch, against, session = batch.strip(), against.strip(), self.session
        of = (session.pipeline, batch, against, self.part, self.against_part, session.loads)
        self.param.update(batch=batch, against=against)
        if not batch or not against:
            alone = "There is one batch so far: with the next one there is something to compare."
            problem = alone if len(self.batches) == 1 else "Name a batch, or a span as A..B, on both sides."
            self.param.update(problem=problem, comparison=None, columns=())
            return
        if of == self._of:
            return
        self._of = of
        self.param.update(busy=True, problem="", rows=None)
        services, history, part, against_part = session.services, session.history, self.part or None, self.against_part or None

        def merge() -> Compared:
            ours = services.batches.view(of[0], span=batch, segments=part)
            theirs = services.batches.view(of[0], span=against, segments=against_part)
            # What is usual of a segment is judged by its own past.
            made = Comparison(ours, theirs, history if part is None else services.batches.history(of[0], segment=part))
            return made, tuple(made.columns()), tuple(segment.label for segment in services.batches.segments(of[0]))

        session.attempt(merge, lambda found: self._adopt(of, found), lambda error: self._refused(of, error))

    def take(self, part: str, against_part: str) -> None:
        """Compare these segments of the same batches."""
        self.param.update(part=part, against_part=against_part)
        self.compare(self.batch, self.against)

    def _refused(self, of: tuple[Any, ...], error: AvhError) -> None:
        if of == self._of:
            self._of = (of[0], -1)
            self.param.update(busy=False, problem=str(error), comparison=None, columns=())

    def _adopt(self, of: tuple[Any, ...], found: Compared) -> None:
        if of != self._of:
            return
        comparison, columns, segments = found
        names = [c.name for c in columns]
        column = self.column if self.column in names else names[0] if names else ""
        self.param.update(busy=False, comparison=comparison, columns=columns, column=column, segments=segments)

    def _list(self) -> None:
        self.window.param.update(names=tuple(c.name for c in self.columns), says=spoken(self.session))
        self.window.reveal(self.column)

    @property
    def listed(self) -> list[ColumnShift]:
        """The columns on the page of the list."""
        names = set(self.window.shown)
        return [c for c in self.columns if c.name in names]

    def look(self, column: str) -> None:
        """Another column of the same comparison."""
        if column in self.window.names:
            self.window.reveal(column)
            self.column = column

    def move(self, step: int) -> None:
        """To the next column of those that the filter finds."""
        names = self.window.found
        if names:
            at = names.index(self.column) + step if self.column in names else 0
            self.look(names[min(max(at, 0), len(names) - 1)])

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
        """Rows of the batch (the last of a span) from its source, by Spark; of a segment, its own."""
        if self.comparison is None or self.fetching:
            return
        session, pipeline, batch, part = self.session, self.session.pipeline, self.comparison.ours.batches[-1], self.part
        watch = self._watch = Watch()
        self.param.update(fetching=True, cancelling=False, rows=None)

        def read() -> pa.Table:
            found = session.services.batches.sample(pipeline, batch, SEARCHED if part else ROWS, watch=watch)
            return rows_of(found, Segment.parse_many(part)).slice(0, ROWS) if part else found

        session.attempt(read, lambda found: self._fetched(watch, found), lambda error: self._fetched(watch, error))

    def cancel(self) -> None:
        """Stop fetching, on the cluster too."""
        if self.fetching:
            self._watch.cancelled.set()
            self.cancelling = True

    def _fetched(self, watch: Watch, found: Any) -> None:
        if watch is not self._watch:
            return
        stopped = isinstance(found, CancelledError) or watch.cancelled.is_set()
        self.param.update(fetching=False, cancelling=False, rows=None if stopped else found)

    @property
    def ours(self) -> str:
        """The side looked at, in words."""
        return f"{self.batch} · {self.part}" if self.part else self.batch

    @property
    def theirs(self) -> str:
        """The other side, in words."""
        return f"{self.against} · {self.against_part}" if self.against_part else self.against

    def table(self) -> str:
        """Every metric of every column as CSV: plain numbers, points in time as seconds since 1970; of a distance its usual value."""
        header = ("column", "change", "metric", self.ours, self.theirs, "usual", *RARITY)
        rows: list[tuple[Any, ...]] = []
        for shift in self.columns if self.comparison is not None else ():
            metrics = self.comparison.metrics(shift.name)
            for m in metrics:
                value, before = (number if math.isfinite(number) else None for number in m.numbers)
                sides = (value, None, before) if m.distance else (value, before, None)
                rows.append((shift.name, shift.change, m.name, *sides, *rarity_cells(m.rarity)))
            if not metrics:
                rows.append((shift.name, shift.change, *[None] * 7))
        return csv_text(header, rows)

    def rows_table(self) -> str:
        """The rows that were fetched as CSV, with every column whole."""
        found = self.rows if isinstance(self.rows, pa.Table) else pa.table({})
        return csv_text(found.column_names, zip(*(found.column(at).to_pylist() for at in range(found.num_columns)), strict=True))

    def distribution_table(self) -> str:
        """The distributions of the column looked at as CSV: shares per bin of a number, per value and shape of a text."""
        made, name = self.comparison, self.column
        numbers = made.numbers(name) if made is not None else None
        if numbers is not None:
            bins = zip(numbers.edges[:-1].tolist(), numbers.edges[1:].tolist(), numbers.ours.tolist(), numbers.theirs.tolist(), strict=True)
            return csv_text(("from", "to", self.ours, self.theirs), bins)
        found = [("value", made.categories(name)), ("shape", made.shapes(name))] if made is not None else []
        rows = [(what, s.name, s.ours, s.theirs, s.contribution) for what, shifts in found for s in shifts]
        return csv_text(("what", "value", self.ours, self.theirs, "share of the distance"), rows)


def rows_of(table: pa.Table, segments: Sequence[Segment]) -> pa.Table:
    """The rows that are in one of the segments, by the values of their columns as text; none where such a column is not there."""
    chosen = []
    texts = {name: [None if v is None else str(v) for v in table.column(name).to_pylist()] for name in _columns(table, segments)}
    for at in range(table.num_rows):
        row = {name: values[at] for name, values in texts.items()}
        if any(all(name in row and row[name] == value for name, value in segment.values) for segment in segments):
            chosen.append(at)
    return table.take(pa.array(chosen, pa.int64()))


def _columns(table: pa.Table, segments: Sequence[Segment]) -> set[str]:
    return {name for segment in segments for name, _ in segment.values} & set(table.column_names)
