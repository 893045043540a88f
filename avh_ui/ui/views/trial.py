"""The trial page: a batch is broken and judged by the published program, and what it says is shown; nothing of it is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import panel_material_ui as pmui

from avh_ui.ui.components.choice_bar import ChoiceBar
from avh_ui.ui.components.markup import Markup, empty, failure, join, loading, outcome_mark, tag
from avh_ui.ui.components.panes import GROWING, PaneView, button, card, column, html, row, side_by_side, withhold
from avh_ui.ui.state.reading import count
from avh_ui.ui.state.runs_words import OUTCOME_WORDS
from avh_ui.ui.state.trial import TrialState
from avh_ui.ui.views.page import Page, Shortcut
from avh_ui.workflows.trials import Trial

ROWS = "whole rows"
# More alarms of one fault say the same: the first are those that are most out of line.
SHOWN = 12


class TrialView(PaneView):
    """Draws the choice and what came of it; `on_coverage` leads to the cell of the fault, `on_publish` to where a program is published."""

    def __init__(self, state: TrialState, on_coverage: Callable[[], None], on_publish: Callable[[], None]) -> None:
        super().__init__()
        self.state, self._filling = state, False
        self.batch, self.column, self.fault = (self._select(name) for name in ("batch", "column", "fault"))
        shares = [{"value": share, "label": f"{100 * float(share):g} %"} for share in state.shares]
        self.share = ChoiceBar(lambda share: state.choose(share=share), choices=shares, label="Share of the rows", value=state.share)
        self.start = button("Break it and judge", state.start, variant="contained", color="primary")
        self.cancel = button("Cancel", state.job.cancel, color="error")
        self.note, self.told = html(sizing_mode=None), html()
        self.cell, self.publish = button("See it in the coverage", on_coverage), button("Publish first", on_publish, variant="contained")
        self._layout()
        state.param.watch(lambda *_: self._fill(), ["batch", "column", "fault", "share"])
        state.param.watch(lambda *_: self._show(), ["trial", "problem"])
        state.job.param.watch(lambda *_: self._show(), ["busy", "done", "note", "cancelling"])
        state.session.param.watch(lambda *_: self._show(), ["versions", "loads"])
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
        inner = column(self.told, row(self.cell), row(self.publish, justify_content="center"), gap=14, padding="16px 20px 20px", **GROWING)
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
        self.publish.visible = not live
        self.cell.visible = state.trial is not None and live and not job.busy
        self.told.object = trial_text(state)


def trial_text(state: TrialState) -> Markup:
    """What came of the last trial, or what there is to do for one."""
    if state.session.live is None:
        return empty("Nothing is published yet", tag("p", "A trial asks the published program. Accept some suggestions and publish them."))
    if state.job.busy:
        return loading(f"A trial: {state.job.note} …")
    if state.problem is not None:
        return failure("The trial could not be made", state.problem)
    if state.trial is None:
        return empty("No trial yet", tag("p", "Choose a fault and press “Break it and judge”: you see the alarms as they would come."))
    return outcome_text(state.trial)


def outcome_text(found: Trial) -> Markup:
    """The verdict on the fault, and the alarms that it makes."""
    alarms = found.alarms
    verdict = f"Caught by {count(len(alarms), 'rule')}" if alarms else "Not caught: no rule alarms because of it"
    status = found.run.status if alarms else "not_evaluated"
    title = tag(
        "div", tag("h2", verdict, style="font-size: 18px"), outcome_mark(status, OUTCOME_WORDS[status]) if alarms else None, cls="title"
    )
    what = tag(
        "p", tag("b", f"Trial on {found.batch}"), f" ({count(found.rows, 'row')}), version {found.run.program_version}: {found.words}."
    )
    lines = [
        tag("li", outcome_mark(result.status, OUTCOME_WORDS[result.status]), " ", tag("span", result.message, cls="wrap"))
        for result in alarms[:SHOWN]
    ]
    more = tag("p", f"and {len(alarms) - SHOWN} more", cls="quiet") if len(alarms) > SHOWN else None
    clean = sum(result.status in ("fail", "warn") for result in found.clean.results)
    anyway = tag("p", f"Without the fault {count(clean, 'rule')} of this batch alarm too; they are not counted.", cls="quiet wrap")
    advice = tag("p", "The coverage says which rule would notice it, and its price.", cls="wrap")
    body = (
        tag("ul", *lines, cls="alarms", style="display: grid; gap: 8px; margin: 10px 0; padding: 0; list-style: none") if lines else advice
    )
    kept = tag("p", "Nothing of this is kept: no run, no profile, and nothing is learned from it.", cls="legend")
    name = found.pipeline
    daily = tag("p", "Batches that come are judged alike, and what fails opens an incident: ", tag("code", f"avh watch {name}"), ", or ",
        tag("code", f"avh validate {name} --new"), " from a scheduler.", cls="wrap", style="margin-top: 10px")  # fmt: skip
    return join(title, what, body, more, anyway if clean else None, kept, daily)


class TrialPage(Page):
    """A batch broken on trial; from what is not caught it leads to the coverage."""

    name = "trial"
    made_of, drawn_by = TrialState, TrialView
    address = {"batch": "batch", "column": "column", "fault": "fault", "share": "share"}
    keys = (Shortcut(("B",), "break", "break the batch and judge it"),)
    needs_draft = True

    def view(self) -> TrialView:
        """What it finds leads on."""
        return TrialView(self.state, self._to_coverage, lambda: self.go("publish"))

    def commands(self) -> Mapping[str, Callable[[], object]]:
        """What the keys do."""
        return {"break": self.state.start}

    def _to_coverage(self) -> None:
        found = self.state.trial
        if found is not None:
            self.go("coverage", of="published", column=found.fault.column, fault=found.fault.cls)
