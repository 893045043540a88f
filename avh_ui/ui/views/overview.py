"""The overview page: every pipeline in a line, the one looked at as columns over batches, and the cell looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from avh_ui.ui.components.markup import Markup, empty, failure, join, loading, parted, table, tag
from avh_ui.ui.components.panes import FILLING, PaneView, button, card, column, html, row, side_by_side
from avh_ui.ui.components.saving import csv_download
from avh_ui.ui.components.status_grid import StatusGrid
from avh_ui.ui.state.exports import cell_csv, pipelines_csv
from avh_ui.ui.state.heatmap import ALARM, MARKS
from avh_ui.ui.state.jobs import ProfilingState
from avh_ui.ui.state.overview import OverviewState
from avh_ui.ui.state.session import SessionState
from avh_ui.ui.state.spoken import named_line
from avh_ui.ui.state.validating import ValidatingState
from avh_ui.ui.views.drift_text import SCALE
from avh_ui.ui.views.finder import Finder
from avh_ui.ui.views.job_bar import JobBar
from avh_ui.ui.views.no_runs import JUDGE
from avh_ui.ui.views.page import BATCHES, LINES, OPEN, SEARCH, Go, Page, Shortcut
from avh_ui.ui.views.pipeline_list import PipelineListView

# Metrics of a cell that are listed; the others moved less.
LISTED = 14


class OverviewView(PaneView):
    """Draws the state of the overview and of profiling; `on_drift`, `on_review` and `on_incident` lead on from the cell looked
    at, `go` from a pipeline.
    """

    def __init__(
        self,
        overview: OverviewState,
        profiling: ProfilingState,
        on_drift: Any,
        on_review: Any,
        on_incident: Any,
        go: Callable[..., object] = lambda *_, **__: None,
    ) -> None:
        super().__init__()
        self.overview, self.profiling, self.session = overview, profiling, overview.session
        self.pipelines = PipelineListView(overview.list, go)
        self.grid = StatusGrid(
            overview.pick, marks=list(MARKS), label="Columns over batches", empty="No column has this in its name.", **FILLING
        )
        self.heading, self.about, self.detail = html(styles={"flex": "1 1 240px", "min-width": "0"}), html(), html()
        self.drift = button("Investigate drift", on_drift)
        self.review = button("Review its suggestions", on_review, variant="text")
        self.event = button("Open its incident", on_incident, variant="text")
        self.job = JobBar(profiling, "Profile now", width="auto", flex="none")
        # What is profiled is not new any more: where a program judges batches, that comes first.
        self.judge = JobBar(ValidatingState(self.session), JUDGE, width="auto", flex="none")
        self._layout()
        overview.param.watch(lambda *_: self._map(), "part")
        overview.param.watch(lambda *_: self._cell(), ["column", "batch"])
        self.session.param.watch(lambda *_: self._map(), ["phase", "loads", "progress", "versions"])
        overview.list.open()
        self._map()

    def _layout(self) -> None:
        top = card(self.pipelines, overflow="hidden", flex="0 0 auto")
        self.csv = csv_download("pipelines.csv", lambda: pipelines_csv(self.overview.list.shown), "Pipelines CSV")
        tools = row(self.heading, self.csv, self.judge.body, self.job.body, padding="8px 14px", gap=12)
        self.blank = html()
        self.columns = Finder(self.overview.columns, "column")
        batches = Finder(self.overview.spans, "batch", ("Newer", "Older"), search=False)
        self.finders = row(self.columns.body, batches.body, gap=0)
        left = card(tools, self.finders, self.blank, self.grid, sizing_mode="stretch_both", flex="2.6 1 0", overflow="hidden")
        self.actions = row(self.drift, self.event, self.review, csv_download("cell.csv", lambda: cell_csv(self.overview), "Cell CSV"))
        right = card(
            column(self.about, self.actions, self.detail, gap=10, padding="12px 16px"),
            sizing_mode="stretch_both",
            overflow_y="auto",
            flex="1 0 0",
            min_width="350px",
        )
        bottom = side_by_side(left, right)
        self.body = column(top, bottom, sizing_mode="stretch_both", gap=12)

    def _map(self) -> None:
        found, session = self.overview.part, self.session
        there = found is not None and bool(self.overview.columns.names)
        self.heading.object = tag(
            "div",
            tag("h2", session.pipeline, cls="clip", style="font-size: 15px; display: inline; margin-right: 10px"),
            tag("span", self.overview.summary, cls="quiet"),
        )
        if there:
            called = self.overview.columns.called
            lines = [(*named_line(name, called(name), kind), called(name)) for name, kind in zip(found.columns, found.kinds, strict=True)]
            rows = [dict(zip(("label", "note", "title"), line, strict=True)) for line in lines]
            self.grid.param.update(rows=rows, columns=list(found.batches), cells=found.cells)
        else:
            self.blank.object = blank_page(self.overview)
        self.judge.body.visible = session.live is not None
        self.job.start.variant = "outlined" if session.live is not None else "contained"
        self.grid.visible = self.finders.visible = there
        self.blank.visible = not there
        self._cell()

    def _cell(self) -> None:
        overview, found = self.overview, self.overview.part
        if found is not None:
            at = found.batches.index(overview.batch) if overview.batch in found.batches else -1
            self.grid.cursor = [found.places.get(overview.column, -1), at]
        self.actions.visible = bool(overview.column and overview.batch)
        draft = self.session.draft
        self.event.visible = overview.map is not None and overview.map.code(overview.column, overview.batch) == ALARM
        self.review.visible = draft is not None and any(item.current.column == overview.column for item in draft.items)
        self.about.object, self.detail.object = cell_title(overview), cell_text(overview)


def cell_text(overview: OverviewState) -> Markup:
    """The cell looked at: its metrics, the furthest moved first."""
    if not overview.column:
        return newest_text(overview)
    broken = [_alarm(words) for words in overview.broken(overview.column, overview.batch)]
    title = join(*broken)
    found = overview.moved()
    if not found:
        history = overview.session.history
        if history is not None and overview.batch in history.unread:
            return join(title, tag("p", history.unread[overview.batch], cls="prose wrap", style="margin-top: 10px"))
        text = "This batch was expected and is not in the history." if _missing(overview) else "Nothing is known of this cell."
        return join(title, tag("p", text, cls="prose", style="margin-top: 10px"))
    # Of those that tell the same the one that moved the furthest; Drift has all.
    told = [m for at, m in enumerate(found) if m.words not in {before.words for before in found[:at]}]
    rows = [
        tag(
            "tr",
            # Broken between words alone: in a narrow card what may break anywhere stood in five lines of four letters.
            tag("td", f"{m.words[:1].upper()}{m.words[1:]}", title=m.metric),
            tag("td", m.value, cls="num"),
            tag("td", m.usual, cls="num quiet"),
            tag("td", tag("b", m.rarity.words) if m.rarity.marked else m.rarity.words, cls="num"),
        )
        for m in told[:LISTED]
    ]
    more = tag("p", f"and {len(told) - LISTED} more", cls="quiet") if len(told) > LISTED else None
    note = tag("p", f"Usual is the median of the 30 batches before. {SCALE}", cls="legend")
    return join(title, table(("Metric", "Value", "Usual", "Moved"), rows, "plain tight", "margin-top: 10px; width: 100%"), more, note)


def cell_title(overview: OverviewState) -> Markup:
    """What is looked at: a cell, else the newest batch."""
    if overview.map is None or not overview.map.batches:
        return Markup()
    name = overview.columns.called(overview.column) if overview.column else overview.map.batches[-1]
    heads = tag("h2", name, cls="clip", title=overview.column or None, style="font-size: 16px")
    return join(heads, tag("p", overview.batch if overview.column else "the newest batch", cls="quiet"))


def newest_text(overview: OverviewState) -> Markup:
    """What stands out on the newest batch, before a cell is chosen."""
    if overview.map is None:
        return Markup()
    found = overview.unusual()
    how = tag("p", "Choose a cell to see its metrics, or a column's name for its worst batch.", cls="legend", style="margin-top: 10px")
    if not found:
        return join(tag("p", "Nothing is unusual: no rule is broken, and every column moved as it usually does.", cls="prose wrap"), how)
    rows = [
        tag(
            "tr",
            tag("td", tag("b", parted(name)), cls="wrap", style="min-width: 104px; max-width: 150px; vertical-align: top"),
            tag("td", *(map(_alarm, broken) if broken else (moved,)), cls="wrap"),
        )
        for name, broken, moved in found[:LISTED]
    ]
    more = tag("p", f"and {len(found) - LISTED} more", cls="quiet") if len(found) > LISTED else None
    return join(table(("Column", "What stands out"), rows, "plain tight", "width: 100%"), more, how)


def _alarm(words: str) -> Markup:
    return tag("p", tag("span", "✖", cls="outcome outcome-fail", aria_hidden="true"), " Broken: ", words, cls="wrap")


def _missing(overview: OverviewState) -> bool:
    return overview.map is not None and overview.map.code(overview.column, overview.batch) == "-"


def blank_page(overview: OverviewState) -> Markup:
    """Why there is no map."""
    session = overview.session
    problem = session.problems.get("history")
    if problem is not None:
        return failure("The history cannot be read", problem, session.place)
    if session.phase == "loading" or (session.history is not None and session.history.batches):
        return loading(session.reading)
    text = "Nothing of this pipeline was profiled yet. “Profile now” reads every batch at its source, once."
    return empty("No history yet", tag("p", text), tag("code", session.command("profile", session.pipeline)))


class OverviewPage(Page):
    """From a cell it leads on to its drift and to the suggestions for its column."""

    name = "overview"
    made_of, drawn_by = OverviewState, OverviewView
    address = {"column": "column", "batch": "batch"}
    keys = (*LINES, *BATCHES, OPEN, SEARCH, Shortcut(("P",), "profile", "profile new batches now, or cancel that"))

    def __init__(self, session: SessionState, go: Go) -> None:
        super().__init__(session, go)
        self.profiling = ProfilingState(session)
        self.drawn: OverviewView | None = None

    def view(self) -> OverviewView:
        """Its parts lead on to other pages."""
        self.drawn = OverviewView(self.state, self.profiling, self._to_drift, self._to_column, self._to_incident, self.go)
        return self.drawn

    def commands(self) -> Mapping[str, Callable[[], object]]:
        """What the keys do."""
        move = self.state.move
        return {
            "next": lambda: move(1, 0),
            "previous": lambda: move(-1, 0),
            "earlier": lambda: move(0, -1),
            "later": lambda: move(0, 1),
            "open": lambda: self._to_drift() if self.state.batch else None,
            "search": self._search,
            "profile": self.profiling.toggle,
        }

    def _to_drift(self) -> None:
        history = self.session.history
        known = history is not None and self.state.batch in history.batches
        self.go("drift", **({"batch": self.state.batch, "column": self.state.column} if known else {}))

    def _search(self) -> None:
        """Into the filter of the pipelines, or of the columns where the pipelines are few."""
        finders = (self.drawn.pipelines.finder, self.drawn.columns) if self.drawn is not None else ()
        field = next((finder.search for finder in finders if finder.window.long), None)
        if field is not None:
            field.focus()

    def _to_incident(self) -> None:
        self.go("incidents", batch=self.state.batch, column=self.state.column)

    def _to_column(self) -> None:
        self.go("review", column=self.state.column)
