"""The what-if page: settings of the suggestions on one side, what they would change on the other, before anything is changed."""

from __future__ import annotations

from typing import Any

import panel_material_ui as pmui

from avh_ui.ui.components.choice_bar import ChoiceBar
from avh_ui.ui.components.markup import Markup, empty, fact, join, tag
from avh_ui.ui.components.panes import PaneView, button, card, column, field, html, row, withhold
from avh_ui.ui.components.saving import csv_download
from avh_ui.ui.state.budget import at_most
from avh_ui.ui.state.exports import changes_csv
from avh_ui.ui.state.reading import count, rate
from avh_ui.ui.state.what_if import COLUMN, MOST_CLAUSES, SETTINGS, TABLE, TARGETS, Summary, WhatIfOutcome, WhatIfState
from avh_ui.ui.views.difference_text import groups
from avh_ui.ui.views.page import Page
from avh_ui.workflows.promise import Promise

_PAD = "16px 20px 20px"
ALL = "All columns"
OTHERS = "as the others"
_TITLES = {"added": "Enter", "changed": "Move", "removed": "Leave"}


class WhatIfView(PaneView):
    """Draws the settings and their outcome; every change of a setting is programmed at once."""

    def __init__(self, state: WhatIfState) -> None:
        super().__init__()
        self.state = state
        self._filling = False
        self.facts, self.changes = html(), html()
        self.alert, self.note, self.labelled, self.owned = (html(visible=False) for _ in range(4))
        self.adopt = button("Make it the draft", state.adopt, color="primary", variant="contained")
        self._form()
        self._layout()
        state.param.watch(lambda *_: self._settings(), [*SETTINGS, "column"])
        state.param.watch(lambda *_: self._show(), ["outcome", "problem", "busy", "adopting", "column", "promise"])
        state.session.param.watch(lambda *_: self._settings(), ["draft", "loads", "excluded"])
        self._settings()
        self._show()

    def _form(self) -> None:
        state = self.state
        scopes = [{"value": COLUMN, "label": "Each column"}, {"value": TABLE, "label": "Whole table"}]
        self.scope = ChoiceBar(lambda name: setattr(state, "scope", name), choices=scopes, label="What the target is for")
        wide: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": (0, 8)}
        self.target = pmui.DiscreteSlider(label="False alarms per batch", options={rate(t): t for t in TARGETS}, **wide)
        self.own = pmui.DiscreteSlider(label="Its own target", options={OTHERS: 0.0}, visible=False, **wide)
        self.own.param.watch(lambda event: self._aimed(event.new), "value")
        self.clauses = pmui.IntSlider(label="Rules of a column at most", start=1, end=MOST_CLAUSES, **wide)
        text: dict[str, Any] = {"sizing_mode": "stretch_width"}
        self.since = field("Data since", placeholder="a batch", **text)
        self.exclude = field("Leave out", placeholder="batches, or spans A..B", **text)
        self.span = html()
        self.column = pmui.Select(label="Look at", options={ALL: ""}, size="small", margin=0, **text)
        for name, setting in (
            ("fpr", self.target),
            ("clauses", self.clauses),
            ("since", self.since),
            ("exclude", self.exclude),
            ("column", self.column),
        ):
            setting.param.watch(lambda event, name=name: self._typed(name, event.new), "value")

    def _layout(self) -> None:
        form = card(
            tag_html("Settings", "What other settings would suggest, from what was measured already: no data are read."),
            self.scope, self.target, self.owned, self.clauses, self.since, self.exclude, self.span, self.labelled, self.alert,
            row(self.adopt, self.note),
            gap=18, padding=_PAD, flex="1 1 320px",
        )  # fmt: skip
        self.csv = csv_download("what-if.csv", lambda: changes_csv(self.state.outcome.difference.changes if self.state.outcome else ()))
        right = card(
            row(self.column, self.csv, flex_wrap="nowrap"), self.own, self.facts, self.changes, gap=14, padding=_PAD, flex="1.9 1 460px"
        )
        self.body = column(row(form, right, gap=12, align_items="flex-start"), sizing_mode="stretch_both", overflow_y="auto")

    def _typed(self, name: str, value: Any) -> None:
        if not self._filling and value is not None:
            setattr(self.state, name, value)

    def _aimed(self, target: float) -> None:
        if not self._filling:
            self.state.aim(target)

    def _settings(self) -> None:
        state = self.state
        self._filling = True
        try:
            self.scope.value = state.scope
            # The draft's own target may be between those offered.
            self.target.param.update(options=state.offered, value=state.fpr)
            offered = {OTHERS: 0.0, **{rate(t): t for t in sorted({*TARGETS, state.target} - {0.0})}}
            self.own.param.update(options=offered, value=state.target, visible=bool(state.column))
            self.clauses.value, self.since.value, self.exclude.value = state.clauses, state.since, state.exclude
            self.column.param.update(options={ALL: "", **{name: name for name in state.columns}}, value=state.column)
        finally:
            self._filling = False
        about = "; ".join(_own_words(state))
        self.owned.param.update(object=tag("p", about, cls="quiet wrap"), visible=bool(about))
        run = state.session.draft.run if state.session.draft else None
        span = f"The draft was learned from {run.first_batch} to {run.last_batch}. Leave out several with commas between." if run else ""
        self.span.object = tag("p", span, cls="quiet wrap")
        wrong = ", ".join(state.session.excluded[:5]) + (" …" if len(state.session.excluded) > 5 else "")
        text = f"Left out in any case, since labelled a known error or a real issue: {wrong}." if wrong else ""
        self.labelled.param.update(object=tag("p", text, cls="quiet wrap"), visible=bool(wrong))

    def _show(self) -> None:
        state = self.state
        alert = tag("div", "⚠ ", state.problem, cls="problem wrap", role="alert")
        self.alert.param.update(object=alert, visible=bool(state.problem))
        withhold(self.adopt, state.refusal, disabled=not state.changed or state.adopting or state.elsewhere)
        self.adopt.loading = state.adopting
        alone = (
            "These settings change other columns, too: look at all of them to make it the draft."
            if state.changed and state.elsewhere
            else ""
        )
        self.note.param.update(object=tag("p", alone, cls="quiet"), visible=bool(alone))
        if state.outcome is None:
            self.facts.object = tag("p", "Programming …" if state.busy else "", cls="quiet")
            self.changes.object = ""
            return
        self.facts.object, self.changes.object = _facts(state.outcome, state.promise), _changes(state.outcome)


def tag_html(heading: str, text: str) -> Any:
    """A heading with a quiet line below it."""
    return html(tag("div", tag("h2", heading, style="font-size: 17px"), tag("p", text, cls="quiet")))


def _own_words(state: WhatIfState) -> list[str]:
    """What the target for all does not say: patterns that share it, and columns with a target of their own."""
    left = "" if state.patterns < state.fpr else ", which leaves nothing for the columns' other rules"
    words = next((words for words, target in state.offered.items() if target == state.fpr), "")
    filed = [f"In avh.yml it is `fpr: {words}`"] if state.scope == TABLE and words != rate(state.fpr) else []
    said = [f"The draft's patterns take {rate(state.patterns)} of it{left}"] if state.patterns else []
    if state.own:
        named = [f"{name} {rate(target)}" for name, target in state.own.items()]
        said.append(f"Own targets: {', '.join(named[:5])}{' …' if len(named) > 5 else ''}")
    return filed + said


def _facts(outcome: WhatIfOutcome, promise: Promise | None) -> Markup:
    before, after = outcome.before, outcome.after
    made = [
        fact("Rules", after.clauses, f"now {before.clauses}"),
        fact("False alarms a year", _alarms(after), f"now {_alarms(before)}", title="expected at most, at this cadence"),
        fact("Tried faults caught", _share(after), f"now {_share(before)}", title=f"of {after.tried:,} faults"),
        fact("Learned from", count(after.batches, "batch"), f"now {before.batches:,}"),
    ]
    if promise is not None:
        made.insert(2, _observed(promise))
    have = "has no target and stays as it is" if outcome.kept == 1 else "have no target and stay as they are"
    kept = f"{count(outcome.kept, 'other rule')} of the draft {have}: by keys, relations, patterns or by hand."
    return tag("div", tag("dl", *made, cls="facts"), tag("p", kept, cls="quiet wrap") if outcome.kept else "")


def _observed(promise: Promise) -> Markup:
    """What came of the live program, beside what is expected."""
    if not promise.batches:
        return fact("Observed", "nothing yet", "no batch judged by the live program", title=promise.expected_words)
    failed = f"{promise.alarmed - promise.true:,} of {promise.batches:,}"
    known = promise.untold_words or f"{promise.interval_words} false alarms a year (95%)"
    return fact("Observed", f"{failed} failed", known, title=promise.observed_words)


def _alarms(summary: Summary) -> str:
    return at_most(summary.alarms) if summary.clauses else "0"


def _share(summary: Summary) -> str:
    return f"{100 * summary.caught / summary.tried:.0f}%" if summary.tried else "none"


def _changes(outcome: WhatIfOutcome) -> Markup:
    found = outcome.difference
    if not found.total:
        return empty("Nothing would change", tag("p", "These settings suggest what the draft has: move a slider to see what others would."))
    same = tag("p", f"{count(found.unchanged, 'rule')} unchanged", cls="quiet", style="margin-top: 14px") if found.unchanged else None
    return join(tag("div", *groups(found, _TITLES)), same)


class WhatIfPage(Page):
    """Other settings of the suggestions."""

    name = "what-if"
    made_of, drawn_by = WhatIfState, WhatIfView
    address = {"column": "column", "since": "since", "exclude": "exclude"}
    needs_draft = True
