"""The review queue: filter, counts, table and the bar for several suggestions at once."""

from __future__ import annotations

from typing import Any

import panel_material_ui as pmui
from panel.viewable import Viewer

from avh_ui.history.series import History
from avh_ui.review.draft import DraftItem
from avh_ui.ui.components import icons
from avh_ui.ui.components.choice_bar import ChoiceBar
from avh_ui.ui.components.markup import Markup, tag
from avh_ui.ui.components.panes import card, csv_download, html, row
from avh_ui.ui.components.queue_table import QueueTable
from avh_ui.ui.state.decisions import Decisions
from avh_ui.ui.state.exports import suggestions_csv
from avh_ui.ui.state.publishing import alarms_per_year
from avh_ui.ui.state.queue import FILTERS, PAGE_SIZE, QueueState
from avh_ui.ui.state.reading import count
from avh_ui.ui.state.rows import table_row
from avh_ui.ui.theme import GLYPHS


class QueueView(Viewer):
    """Gives the table the visible page and takes what the person does there back to the state."""

    def __init__(self, queue: QueueState, decisions: Decisions, **params: Any) -> None:
        super().__init__(**params)
        self.queue, self.decisions, self.session = queue, decisions, queue.session
        self._rows: dict[str, tuple[DraftItem, History | None, dict[str, Any]]] = {}
        self._budget: tuple[Any, Any, Markup] = (None, None, Markup())
        self.table = QueueTable(self._on_event, page_size=PAGE_SIZE, sizing_mode="stretch_both", styles={"min-height": "0", "flex": "1"})
        self.summary = html(styles={"flex": "1", "min-width": "0"})
        self._toolbar()
        self._bulk_bar()
        self._layout()
        queue.param.watch(lambda *_: self._fill(), ["visible", "page"])
        queue.param.watch(lambda *_: self._mark(), ["cursor", "checked"])
        queue.param.watch(lambda *_: self._head(), ["query", "status", "sort", "descending"])
        self.session.param.watch(lambda *_: self._fill(), ["draft", "versions", "history", "loads"])
        self.session.param.watch(lambda event: setattr(self.table, "note", event.new), "said")
        self._fill()

    def _toolbar(self) -> None:
        queue = self.queue
        self.search = pmui.TextInput(
            label="",
            placeholder="Search column or metric  ( / )",
            size="small",
            margin=0,
            sizing_mode="stretch_width",
            styles={"flex": "1 1 170px"},
        )
        self.search.param.watch(lambda event: setattr(queue, "query", event.new), "value_input")
        self.csv = csv_download("suggestions.csv", lambda: suggestions_csv(queue.shown, self.session.history))
        self.filter = ChoiceBar(lambda value: setattr(queue, "status", value), label="Status")

    def _bulk_bar(self) -> None:
        decisions = self.decisions
        self.bulk_accept = pmui.Button(icon=icons.ACCEPT, color="success", variant="contained", margin=0)
        self.bulk_accept.on_click(lambda _: decisions.accept())
        self.bulk_reject = pmui.Button(icon=icons.REJECT, color="error", variant="outlined", margin=0)
        self.bulk_reject.on_click(lambda _: decisions.reject())
        self.bulk_reopen = pmui.Button(label="Reopen", variant="text", margin=0)
        self.bulk_reopen.on_click(lambda _: decisions.reopen())
        clear = pmui.Button(label="Clear selection", variant="text", color="secondary", margin=0)
        clear.on_click(lambda _: setattr(self.queue, "checked", ()))
        self.bulk = [self.bulk_accept, self.bulk_reject, self.bulk_reopen, clear]
        self.undo = pmui.Button(label="Undo", icon=icons.UNDO, variant="text", margin=0, disabled=True)
        self.undo.on_click(lambda _: decisions.undo())
        decisions.param.watch(lambda event: setattr(self.undo, "disabled", not event.new), "can_undo")

    def _layout(self) -> None:
        tools = row(self.search, self.filter, self.csv, padding="10px 12px 0")
        line = row(self.summary, *self.bulk, self.undo, padding="6px 12px", min_height="46px", flex_wrap="nowrap")
        self.card = card(tools, line, self.table, sizing_mode="stretch_both", overflow="hidden")

    def __panel__(self) -> Any:
        return self.card

    def _on_event(self, event: dict[str, Any]) -> None:
        queue, do = self.queue, event.get("do")
        if do == "look":
            queue.go(str(event.get("id")))
        elif do == "check":
            queue.check(str(event.get("id")), through=bool(event.get("through")))
        elif do == "check_all":
            queue.check_all()
        elif do == "sort" and event.get("name") in QueueState.param.sort.objects:
            queue.sort_by(str(event["name"]))
        elif do == "turn":
            queue.turn(int(event.get("page", 0)))
        elif do == "clear":
            queue.clear()

    def _fill(self) -> None:
        queue, history = self.queue, self.session.history
        shown = queue.items
        rows = [self._row(item, history) for item in shown]
        self._rows = {item.suggestion.id: self._rows[item.suggestion.id] for item in shown}  # a page's worth: a session stays small
        self.table.param.update(
            rows=rows, cursor=queue.cursor, checked=list(queue.checked), page=queue.page, pages=queue.pages, total=len(queue.visible)
        )
        self._head()
        self._mark()

    def _row(self, item: DraftItem, history: History | None) -> dict[str, Any]:
        """The item's row, kept until it is decided anew: drawing the history of fifty rows costs more than all the rest."""
        known = self._rows.get(item.suggestion.id)
        if known is None or known[1] is not history or (known[0] is not item and known[0] != item):
            known = self._rows[item.suggestion.id] = (item, history, table_row(item, history))
        return known[2]

    def _head(self) -> None:
        """Filter, order and what to say when nothing matches."""
        queue, draft = self.queue, self.session.draft
        counts = {status: draft.count(status) if draft else 0 for status in FILTERS[1:]}
        choices: list[dict[str, Any]] = [{"value": "all", "label": "All", "count": len(draft.items) if draft else 0}]
        choices += [{"value": name, "glyph": GLYPHS[name], "label": name.capitalize(), "count": number} for name, number in counts.items()]
        self.filter.param.update(choices=choices, value=queue.status)
        if self.search.value != queue.query:
            self.search.value = queue.query
        self.table.param.update(sort=queue.sort, descending=queue.descending, empty=self._nothing())

    def _nothing(self) -> str:
        draft = self.session.draft
        if draft is not None and not draft.items:
            return "Nothing could be suggested from this history."
        what = f" “{self.queue.query}”" if self.queue.query else ""
        which = "" if self.queue.status == "all" else f"{self.queue.status} "
        return f"No {which}suggestion matches{what}." if what else f"No suggestion is {self.queue.status}."

    def _mark(self) -> None:
        queue, ticked = self.queue, len(self.queue.checked)
        draft, live = self.session.draft, self.session.live
        if self._budget[0] is not draft or self._budget[1] is not live:  # counting thousands at every step would be felt
            self._budget = (draft, live, self._alarms())
        self.table.param.update(cursor=queue.cursor, checked=list(queue.checked))
        for button in self.bulk:
            button.visible = bool(ticked)
        self.bulk_accept.label, self.bulk_reject.label = f"Accept {ticked:,}", f"Reject {ticked:,}"
        self.undo.visible = not ticked
        self.summary.object = tag("b", f"{ticked:,} selected") if ticked else self._budget[2]

    def _alarms(self) -> Markup:
        """The false-alarm budget as a number that people understand."""
        draft, live = self.session.draft, self.session.live
        if draft is None:
            return Markup()
        accepted = draft.accepted()
        expected = alarms_per_year(accepted, self.session.cadence)
        parts = [tag("b", f"{count(len(accepted), 'constraint')} in the program"), " · ", tag("b", expected), " false alarms a year"]
        if live is not None:
            parts.append(f" · live v{live.version}: {alarms_per_year(live.constraints, self.session.cadence)}")
        return tag("div", *parts, cls="num", title="expected at most, at the pipeline's cadence")
