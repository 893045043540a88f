"""The page of drift investigation: two sets of batches side by side, column by column."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import panel_material_ui as pmui
import pyarrow as pa

from avh_ui.constraints.reading import Reader
from avh_ui.ui.components.choice_bar import ChoiceBar
from avh_ui.ui.components.distribution_charts import DistributionCharts
from avh_ui.ui.components.markup import Markup, empty, failure, loading, tag
from avh_ui.ui.components.moved_table import MovedTable
from avh_ui.ui.components.panes import FILLING, GROWING, LOW, PaneView, button, card, column, field, html, row, side_by_side
from avh_ui.ui.components.pick_list import PickList
from avh_ui.ui.components.saving import csv_download, html_png_button, png_button
from avh_ui.ui.state.drift import BEFORE, MONTH, SEASON, DriftState
from avh_ui.ui.state.moved_rows import MovedState
from avh_ui.ui.state.spoken import named_line
from avh_ui.ui.views import drift_text as text
from avh_ui.ui.views.finder import Finder
from avh_ui.ui.views.page import BATCHES, LINES, Page

_CHANGES = {
    "same": ("", ""),
    "appeared": ("+", "sign-added"),
    "vanished": ("\N{MINUS SIGN}", "sign-removed"),
    "retyped": ("~", "sign-changed"),
}


class DriftView(PaneView):
    """Draws the state of a comparison; the charts persist and only their data are exchanged."""

    def __init__(self, drift: DriftState) -> None:
        super().__init__()
        self.drift, self.session = drift, drift.session
        self._filling = False
        self.columns = PickList(drift.look, label="Columns", moved=True, **FILLING)
        self.heading, self.metrics, self.bars, self.rows = html(), html(), html(), html()
        self.legend = html(styles={"flex": "1 1 240px", "min-width": "0"})
        self.summary = html(styles={"flex": "1 1 200px", "min-width": "0"})
        self.charts = DistributionCharts()
        self.moved, self.moved_rows = MovedTable(), MovedState(self.session)
        self._form()
        self._layout()
        drift.param.watch(lambda *_: self._fields(), ["batch", "against", "part", "against_part", "segments"])
        drift.param.watch(lambda *_: self._list(), ["columns", "busy", "problem"])
        drift.window.param.watch(lambda *_: self._list(), ["found", "shown"])
        drift.param.watch(lambda *_: self._column(), ["column", "comparison"])
        drift.param.watch(lambda *_: self._sample(), ["rows", "fetching", "cancelling"])
        self.session.param.watch(lambda *_: self._list(), ["phase", "loads"])
        self.moved_rows.param.watch(lambda event: setattr(self.moved, "shown", event.new), "shown")
        self._fields()
        self._list()

    def _form(self) -> None:
        drift = self.drift
        self.batch = field("Batch or span A..B", width=208)
        self.against = field("Against", width=208)
        for side in (self.batch, self.against):
            side.param.watch(self._typed, "value")
        presets = [
            {"value": BEFORE, "label": "Batch before"},
            {"value": SEASON, "label": "A season before"},
            {"value": MONTH, "label": "30 before"},
        ]
        self.presets = ChoiceBar(lambda name: drift.compare(drift.batch, drift.preset(name)), choices=presets, label="Compare with")
        self.parts = [
            pmui.Select(label=label, options={"All rows": ""}, size="small", margin=0, width=160) for label in ("Segment", "Its segment")
        ]
        for select in self.parts:
            select.param.watch(self._split, "value")
        self.stop = button("Cancel", drift.cancel, color="error")
        self.fetch = button("Fetch rows from the source", drift.fetch)
        self.csv = csv_download("drift.csv", drift.table, "Metrics CSV")
        self.png, self.bars_png = png_button(*self.charts.figures), html_png_button(self.bars)
        self.distribution = csv_download("distribution.csv", drift.distribution_table, "Distribution CSV")
        self.saves = row(self.csv, self.distribution, self.png, self.bars_png, flex="0 1 auto", width="auto")
        self.rows_csv = csv_download("rows.csv", drift.rows_table, "Rows CSV")

    def _layout(self) -> None:
        ours, theirs = self.parts
        top = card(row(self.batch, ours, self.against, theirs, self.presets, self.summary, padding="10px 14px", gap=10))
        left = card(Finder(self.drift.window, "column").body, self.columns, sizing_mode="stretch_both", flex="1 1 0", overflow="hidden")
        left.stylesheets = [*left.stylesheets, LOW]
        self.detail = column(
            self.heading,
            row(self.legend, self.saves),
            self.charts,
            self.bars,
            self.moved,
            self.metrics,
            row(self.fetch, self.stop, self.rows_csv),
            self.rows,
            gap=12,
            padding="12px 16px 20px",
            **GROWING,
        )
        right = card(self.detail, sizing_mode="stretch_both", overflow_y="auto", flex="3 1 0")
        self.panes = side_by_side(left, right)
        self.note = html()
        self.blank = card(self.note, padding_bottom="36px")
        self.body = column(top, self.panes, self.blank, sizing_mode="stretch_both", gap=12)

    def _typed(self, _: Any) -> None:
        if not self._filling:
            self.drift.compare(self.batch.value, self.against.value)

    def _split(self, _: Any) -> None:
        if not self._filling:
            ours, theirs = (str(select.value or "") for select in self.parts)
            self.drift.take(ours, theirs)

    def _fields(self) -> None:
        self._filling = True
        try:
            self.batch.value, self.against.value = self.drift.batch, self.drift.against
            for select, part in zip(self.parts, (self.drift.part, self.drift.against_part), strict=True):
                labels = dict.fromkeys([*self.drift.segments, *([part] if part else [])])
                select.param.update(options={"All rows": "", **{label: label for label in labels}}, value=part, visible=bool(labels))
        finally:
            self._filling = False
        drift = self.drift
        self.presets.value = next((name for name in (BEFORE, SEASON, MONTH) if drift.batch and drift.preset(name) == drift.against), "")

    def _list(self) -> None:
        drift = self.drift
        ready = drift.comparison is not None and not drift.problem
        self.summary.object = text.summary(drift)
        if not ready:
            self.note.object = self._blank()
            self.panes.visible, self.blank.visible = False, True
            return
        lines = []
        for c in drift.listed:
            glyph, tone = _CHANGES[c.change]
            moved = c.change == "same" and c.rarity.marked
            about = {"glyph": glyph or ("▲" if moved else ""), "tone": tone, "note": c.note, "title": c.name}
            label, kind = named_line(c.name, drift.window.called(c.name), drift.comparison.sort(c))
            lines.append({"value": c.name, "label": label, "tag": kind, **about})
        self.columns.param.update(lines=lines, value=drift.column)
        self._column()
        self.panes.visible, self.blank.visible = True, False

    def _blank(self) -> Markup:
        drift = self.drift
        if drift.problem:
            return failure("These cannot be compared", drift.problem, self.session.place)
        if drift.busy or self.session.phase == "loading":
            return loading("Comparing the batches …")
        problem = self.session.problems.get("history")
        if problem is not None:
            return failure("The history cannot be read", problem, self.session.place)
        return empty(
            "Nothing to compare yet",
            tag("p", "Two profiled batches are needed."),
            tag("code", self.session.command("profile", self.session.pipeline)),
        )

    def _column(self) -> None:
        drift, comparison = self.drift, self.drift.comparison
        self.columns.value = drift.column
        shift = drift.shift
        if comparison is None or shift is None:
            return
        self.heading.object, self.legend.object = text.heading(drift, shift), text.legend(drift.ours, drift.theirs)
        numbers = comparison.numbers(shift.name)
        self.charts.body.visible = self.png.visible = numbers is not None
        if numbers is not None:
            self.charts.draw(numbers, shift.kind == "temporal", Reader.of_values(shift.kind).value)
        self.bars.object = text.categories(comparison, shift.name)
        self.bars_png.visible = bool(self.bars.object)
        self.distribution.visible = self.png.visible or self.bars_png.visible
        self.moved_rows.of_drift(drift)
        # Of a rule it is told above how many rows keep it.
        told = comparison.rule(shift.name) and bool(self.bars.object)
        self.metrics.object = text.metrics(drift, [] if told else comparison.metrics(shift.name))
        self._sample()

    def _sample(self) -> None:
        drift = self.drift
        self.fetch.param.update(disabled=drift.fetching, loading=drift.fetching)
        self.stop.param.update(visible=drift.fetching, disabled=drift.cancelling, label="Cancelling …" if drift.cancelling else "Cancel")
        self.rows.object = text.rows(drift)
        self.rows_csv.visible = isinstance(drift.rows, pa.Table)


class DriftPage(Page):
    """Two batches or spans, column by column."""

    name = "drift"
    made_of, drawn_by = DriftState, DriftView
    address = {"column": "column", "batch": "batch", "against": "against", "part": "part", "against_part": "against_part"}
    keys = (*LINES, *BATCHES)

    def commands(self) -> Mapping[str, Callable[[], object]]:
        """What the keys do."""
        move, turn = self.state.move, self.state.turn
        return {"next": lambda: move(1), "previous": lambda: move(-1), "later": lambda: turn(1), "earlier": lambda: turn(-1)}
