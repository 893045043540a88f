"""The trial page: a batch is broken and judged by the published program, and what it says is shown; nothing of it is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import panel_material_ui as pmui

from avh_ui.ui.components.choice_bar import ChoiceBar
from avh_ui.ui.components.markup import Markup, join, tag
from avh_ui.ui.components.moved_table import MovedTable
from avh_ui.ui.components.panes import FITTING, GROWING, PaneView, button, card, column, html, row, side_by_side, withhold
from avh_ui.ui.state.trial import TrialState
from avh_ui.ui.views.page import Page, Shortcut
from avh_ui.ui.views.trial_text import now_text, trial_text

ROWS = "whole rows"


class TrialView(PaneView):
    """Draws the choice and what came of it; `on_coverage` leads to the cell of the fault, `on_publish` to where a program is published, and
    `on_review` to what is accepted for one.
    """

    def __init__(
        self, state: TrialState, on_coverage: Callable[[], None], on_publish: Callable[[], None], on_review: Callable[[], None]
    ) -> None:
        super().__init__()
        self.state, self._filling = state, False
        self.batch, self.column, self.fault = (self._select(name) for name in ("batch", "column", "fault"))
        shares = [{"value": share, "label": f"{100 * float(share):g}%"} for share in state.shares]
        self.share = ChoiceBar(lambda share: state.choose(share=share), choices=shares, label="Share of the rows", value=state.share)
        self.start = button("Break it and judge", state.start, variant="contained", color="primary")
        self.cancel = button("Cancel", state.job.cancel, color="error")
        self.note, self.told, self.moved, self.now = html(sizing_mode=None), html(), MovedTable(), html()
        self.cell, self.publish = button("See it in the coverage", on_coverage), button("Publish first", on_publish, variant="contained")
        self.review = button("Review the suggestions", on_review, variant="contained")
        self._layout()
        state.param.watch(lambda *_: self._fill(), ["batch", "column", "fault", "share"])
        state.param.watch(lambda *_: self._show(), ["trial", "problem"])
        state.job.param.watch(lambda *_: self._show(), ["busy", "done", "note", "cancelling"])
        state.session.param.watch(lambda *_: self._show(), ["versions", "loads", "draft"])
        self._fill()
        self._show()

    def _select(self, name: str) -> pmui.Select:
        made = pmui.Select(label=name.capitalize(), options={"": ""}, size="small", margin=0, sizing_mode="stretch_width")
        made.param.watch(lambda event: self._chosen(name, event.new or ""), "value")
        return made

    def _chosen(self, name: str, value: str) -> None:
        if not self._filling:
            self.state.choose(**{name: value})

    def _layout(self) -> None:
        about = tag(
            "p",
            "A copy of a batch gets one fault and is judged by the published program. It is a trial: no run is kept, nobody is told, and "
            "nothing is learned from it.",
            cls="quiet wrap",
        )
        share = column(html(tag("p", "In this share of the rows", cls="quiet")), self.share, gap=6)
        form = card(
            html(join(tag("h2", "Break a batch, see it caught", style="font-size: 16px"), about)),
            self.batch, self.column, self.fault, share, row(self.start, self.cancel, self.note),
            gap=18, padding="16px 20px 20px", flex="1 1 0",
        )  # fmt: skip
        form.stylesheets = [*form.stylesheets, FITTING]
        publish = row(self.review, self.publish, justify_content="center")
        inner = column(self.told, self.moved, self.now, row(self.cell), publish, gap=14, padding="16px 20px 20px", **GROWING)
        right = card(inner, sizing_mode="stretch_both", overflow_y="auto", flex="1.9 1 0")
        self.body = side_by_side(form, right, align_items="flex-start")

    def _fill(self) -> None:
        state = self.state
        self._filling = True
        try:
            self.batch.param.update(options={name: name for name in state.batches} or {"": ""}, value=state.batch)
            self.column.param.update(options={name or ROWS: name for name in state.columns}, value=state.column)
            self.fault.param.update(options={name: name for name in state.faults}, value=state.fault)
            self.share.value = state.share
        finally:
            self._filling = False

    def _show(self) -> None:
        state, job = self.state, self.state.job
        live = state.session.live is not None
        withhold(self.start, job.refusal, disabled=job.busy or not live or not state.batch)
        self.cancel.visible = job.busy
        withhold(self.cancel, job.refusal, disabled=job.cancelling)
        self.note.param.update(visible=job.busy, object=tag("span", job.note, cls="quiet", role="status"))
        # Without anything accepted, the page to publish would only lead to the review.
        accepted = state.session.draft is not None and bool(state.session.draft.accepted())
        self.publish.visible, self.review.visible = not live and accepted, not live and not accepted
        found = state.trial if live and not job.busy and state.problem is None else None
        self.cell.visible = found is not None
        self.told.object = trial_text(state)
        self.moved.shown = state.moved if found is not None else {}
        self.now.object = now_text(found, state.session) if found is not None else Markup()


class TrialPage(Page):
    """A batch broken on trial; from what is not caught it leads to the coverage."""

    name = "trial"
    made_of, drawn_by = TrialState, TrialView
    address = {"batch": "batch", "column": "column", "fault": "fault", "share": "share"}
    keys = (Shortcut(("B",), "break", "break the batch and judge it"),)
    needs_draft = True

    def view(self) -> TrialView:
        """What it finds leads on."""
        return TrialView(self.state, self._to_coverage, lambda: self.go("publish"), lambda: self.go("review"))

    def commands(self) -> Mapping[str, Callable[[], object]]:
        """What the keys do."""
        return {"break": self.state.start}

    def _to_coverage(self) -> None:
        found = self.state.trial
        if found is not None:
            self.go("coverage", of="published", column=found.fault.column, fault=found.fault.cls)
