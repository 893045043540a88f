"""The page of incidents: alarms of one cause as one event, what happened and to which rows, and what people do with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import panel_material_ui as pmui

from avh_ui.constraints.constraint import Verdict
from avh_ui.constraints.reading import Reader
from avh_ui.review.feedback import LABELS, Feedback, Label
from avh_ui.ui.components.distribution_charts import DistributionCharts
from avh_ui.ui.components.markup import Markup, tag
from avh_ui.ui.components.moved_table import MovedTable
from avh_ui.ui.components.panes import FILLING, GROWING, LOW, PaneView, button, card, column, field, html, row, side_by_side, withhold
from avh_ui.ui.components.pick_list import PickList
from avh_ui.ui.state.bad_rows import BadRowsState
from avh_ui.ui.state.incidents import IncidentsState
from avh_ui.ui.state.runs_words import LABEL_WORDS, effect
from avh_ui.ui.state.spoken import spoken
from avh_ui.ui.views import drift_text
from avh_ui.ui.views import incident_text as text
from avh_ui.ui.views.contributions_text import averages, contributions
from avh_ui.ui.views.incident_timeline import timeline
from avh_ui.ui.views.no_runs import AGAIN, NoRunsView
from avh_ui.ui.views.page import LINES, OPEN, Page, Shortcut
from avh_ui.ui.views.what_now import WhatNow
from avh_ui.validator.plain_facts import columns_of

# Turns to another page.
Lead = Callable[[], object]


class IncidentsView(PaneView):
    """Draws the state of incidents; `on_drift`, `on_runs` and `on_rule` lead on to the drift of the batch that tells of it, to the run of
    its last and to the suggestion of the rule that it begins with.
    """

    def __init__(
        self, state: IncidentsState, on_drift: Callable[[], object], on_runs: Callable[[], object], on_rule: Callable[[], object]
    ) -> None:
        super().__init__()
        self.state, self.session = state, state.session
        self.heading, self.about, self.told, self.carried = html(), html(), html(), html()
        self.timeline, self.learning, self.bars, self.whole = html(), html(), html(), html()
        self.blank = NoRunsView(self.session)
        self.sides = html(sizing_mode=None)
        self.list = PickList(state.look, label="Incidents", empty="No incident is open.", moved=True, **FILLING)
        self.moved, self.charts = MovedTable(), DistributionCharts(height=190)
        self.bad, self.bad_rows = MovedTable(), BadRowsState(self.session)
        self.column = pmui.Select(label="Column", options={"": ""}, size="small", width=260, margin=0)
        self.column.param.watch(lambda event: setattr(state, "column", event.new or ""), "value")
        self.drift, self.runs = button("Investigate drift", on_drift), button("Open its run", on_runs, variant="text")
        self.rule, self.now = button("Open its rule", on_rule, variant="text"), WhatNow(state)
        self.like = button("", self._to_like, variant="text")
        self.again = button(AGAIN, self._again, variant="text")
        self.who = button("Who carries it?", state.ask_rows)
        self.who.description = "Reads the rows of both batches at their source, and says whose average changed."
        self._form()
        self._layout()
        state.param.watch(lambda *_: self._fill(), ["incidents", "phase", "problem", "unresolved"])
        state.param.watch(lambda *_: self.list.param.update(lines=text.lines(state)), "begun")
        state.param.watch(lambda *_: self._show(), ["story", "chosen"])
        self.bad_rows.param.watch(lambda *_: self._told(), ["shown", "problem"])
        state.param.watch(lambda *_: self._distribution(), "column")
        state.param.watch(lambda *_: self._carried(), ["carried", "reading", "column"])
        self.session.param.watch(lambda *_: self._fill(), ["versions", "history"])
        self._fill()

    def _form(self) -> None:
        self.unresolved = pmui.Checkbox(label="Only what is not resolved", value=self.state.unresolved, margin=0, size="small")
        self.unresolved.param.watch(lambda event: setattr(self.state, "unresolved", event.new), "value")
        self.why = field("Why, or a comment", sizing_mode="stretch_width", styles={"flex": "1 1 220px"})
        self.labels = {name: button(LABEL_WORDS[name], partial(self._label, name)) for name in LABELS}
        self.back = button("Take back", self._take_back, variant="text")
        self.take = button("Take it", partial(self._tell, "It is yours", own=self.session.actor))
        self.resolve = button("Resolve", self._resolve)
        self.comment = button("Comment", self._comment)
        self.other = field("Another batch", width=170)
        self.known = button("Its data are wrong", partial(self._label_batch, "known_error"))
        self.right = button("Its data are right", partial(self._label_batch, "false_alarm"))
        self.none = button("No label", partial(self._label_batch, None), variant="text")
        refusal = self.session.refusal("reviewer", "label alarms")
        for name, pressed in self.labels.items():
            pressed.description = effect(Feedback("", "", name, "", ""))
        more = (self.back, self.take, self.resolve, self.comment, self.known, self.right, self.none, self.again)
        for pressed in (*(self.labels.values() if refusal else ()), *more):
            withhold(pressed, refusal)
        self.why.disabled = self.other.disabled = bool(refusal)

    def _layout(self) -> None:
        head = column(self.heading, self.unresolved, padding="10px 14px 6px", gap=4)
        left = card(head, self.list, sizing_mode="stretch_both", flex="1 1 250px", overflow="hidden", min_height="200px")
        asked = html(tag("span", "What was it?"), sizing_mode=None)
        says = column(
            row(asked, *self.labels.values(), self.back), row(self.why, self.take, self.comment, self.resolve), self.learning, gap=10
        )
        another = row(
            html(tag("span", "Label a batch that nobody validated:"), sizing_mode=None), self.other, self.known, self.right, self.none
        )
        self.shapes = column(row(self.column, self.sides), self.charts, self.bars, gap=10)
        leads = row(self.drift, self.who, self.runs, self.rule, self.again, self.like)
        self.detail = column(
            self.about, self.told, self.carried, self.bad, self.moved, leads, self.now.body, says, self.shapes, self.timeline, another,
            self.whole,
            gap=14, padding="12px 16px 20px", **GROWING,
        )  # fmt: skip
        right = card(self.detail, sizing_mode="stretch_both", overflow_y="auto", flex="3 1 500px", min_height="400px")
        # On a narrow screen the list stands above, and leaves the page to the incident.
        left.stylesheets = [*left.stylesheets, LOW]
        self.panes = side_by_side(left, right, **{"flex-wrap": "wrap", "overflow-y": "auto"})
        self.note = self.blank.body
        self.body = column(self.panes, self.note, sizing_mode="stretch_both")

    def _words(self) -> str:
        return str(self.why.value_input)

    def _cleared(self, kept: bool) -> None:
        if kept:
            self.why.show("")

    def _label(self, name: Label) -> None:
        self._cleared(self.state.say(name, self._words()))

    def _take_back(self) -> None:
        self._cleared(self.state.take_back(self._words()))

    def _label_batch(self, name: Label | None) -> None:
        if self.state.say_of_batch(str(self.other.value_input), name, self._words()):
            self.other.show("")
            self._cleared(True)

    def _tell(self, done: str, **said: Any) -> None:
        self._cleared(self.state.tell(done, **{"comment": self._words(), **said}))

    def _resolve(self) -> None:
        found = self.state.incident
        if found is not None and found.state == "resolved":
            self._tell("Opened again", reopen=True)
        else:
            self._tell("Resolved", resolve=True)

    def _comment(self) -> None:
        if self._words().strip():
            self._tell("Said")
        else:
            self.session.tell("info", "Write the comment first.")

    def _again(self) -> None:
        found = self.state.incident
        if found is not None:
            self.blank.validating.again(found.last)

    def _to_like(self) -> None:
        story = self.state.story
        if story is not None and story.told.like is not None:
            self.state.look(story.told.like.id)

    def _fill(self) -> None:
        state, ready = self.state, self.state.phase == "ready"
        self.panes.visible, self.note.visible = ready, not ready
        if not ready:
            # Before a program is published it leads to the review; later a validation is begun on the page of runs.
            self.blank.say(text.blank_page(state), begins=state.phase == "nothing" and self.session.live is None)
            return
        self.heading.object = text.heading(state)
        self.list.param.update(lines=text.lines(state), value=state.chosen)
        self._show()

    def _show(self) -> None:
        state, incident, story = self.state, self.state.incident, self.state.story
        self.list.param.update(lines=text.lines(state), value=state.chosen)
        if incident is None:
            return
        self.about.object = text.about(incident, story, untold=state.untold(incident), contacts=self.session.contacts)
        first = story.clusters[0].result if story is not None and story.clusters else None
        self.bad_rows.look(first if isinstance(first, Verdict) else None)
        self._told()
        kept = self._kept()
        self.drift.disabled = not kept
        self.learning.object = text.learning(state, kept=kept)
        self.again.label = AGAIN if incident.since == incident.last else f"Validate {incident.last} again"
        self.resolve.label = "Open again" if incident.state == "resolved" else "Resolve"
        self.take.visible, self.back.visible = incident.owner != self.session.actor, bool(state.standing)
        for pressed in self.labels.values():
            pressed.disabled = not state.unlabelled or bool(self.session.refusal("reviewer", "label alarms"))
        self.now.show()
        self.rule.visible = state.ruled
        self._carried()
        self.whole.object = text.labelled(state)
        self.timeline.object = timeline(story) if story is not None else Markup()
        self.moved.param.update(shown=state.moved, visible=bool(state.moved))
        like = story.told.like if story is not None else None
        self.like.param.update(visible=like is not None, label=f"Open {text.span_of(like)}, which is like it" if like is not None else "")
        self._distribution()

    def _kept(self) -> bool:
        """Whether the batch that tells of it can be compared with others."""
        found, history = self.state.incident, self.session.history
        return found is not None and not found.mended and history is not None and found.told_by in history.batches

    def _told(self) -> None:
        shown = self.bad_rows.shown
        self.bad.param.update(shown=shown, visible=bool(shown))
        self.told.object = text.told(self.state.story, listed=bool(shown), problem=self.bad_rows.problem)

    def _carried(self) -> None:
        state, story = self.state, self.state.story
        asked = state.carried is not None
        found = averages(state.carried, state.column) if asked else contributions(story.contributions) if story else Markup()
        self.carried.param.update(object=found, visible=bool(found))
        self.who.param.update(visible=state.askable, loading=state.reading, disabled=state.reading)

    def _distribution(self) -> None:
        story = self.state.story
        comparison = story.comparison if story is not None else None
        there = comparison.ours.columns if comparison is not None else {}
        # Of a rule on several columns they are these: a profile has its sentence, too, as a column that has no values.
        alarms = story.incident.alarms if story is not None else ()
        named = [one for a in alarms for one in ([name for name in a.of if name in there] or columns_of(a.column, there))]
        names = [name for name in dict.fromkeys(named) if name in there]
        column = self.state.column.partition(" by ")[0]
        # Of a new column, and of one number in all rows, there is nothing to draw.
        asked = [column, *names] if column in names else names
        name = next((one for one in asked if comparison and (comparison.numbers(one) or drift_text.categories(comparison, one))), "")
        self.shapes.visible = bool(name)
        if comparison is None or not name:
            return
        says = spoken(self.session)
        self.column.param.update(options={says.get(one, one): one for one in names}, value=name)
        numbers, kind = comparison.numbers(name), there[name].kind
        self.charts.body.visible = numbers is not None
        self.sides.object = drift_text.legend(comparison.ours.name, comparison.theirs.name)
        if numbers is not None:
            self.charts.draw(numbers, kind == "temporal", Reader.of_values(kind).value)
        self.bars.object = drift_text.categories(comparison, name)


class IncidentsPage(Page):
    """From an incident it leads on to the drift of the batch that tells of it, and to the run of its last."""

    name = "incidents"
    made_of, drawn_by = IncidentsState, IncidentsView
    address = {"incident": "chosen"}
    keys = (
        *(*LINES, OPEN),
        Shortcut(("F",), "label-false_alarm", "label the alarm a false alarm"),
        Shortcut(("C",), "label-expected_change", "label it an expected change"),
        Shortcut(("K",), "label-known_error", "label it a known error"),
        Shortcut(("I",), "label-real_issue", "label it a real issue"),
    )
    counted_on = ("incidents",)

    def view(self) -> IncidentsView:
        """Its parts lead on to other pages."""
        return IncidentsView(self.state, self._to_drift, self._to_runs, lambda: self.go("review", suggestion=self.state.first_key))

    def commands(self) -> Mapping[str, Callable[[], object]]:
        """What the keys do."""
        state = self.state
        labels = {f"label-{label}": partial(state.say, label) for label in LABELS}
        return {"next": lambda: state.move(1), "previous": lambda: state.move(-1), "open": self._to_drift, **labels}

    def count(self) -> tuple[int, str]:
        """As on its tab."""
        return self.state.open, "incidents that are not resolved"

    def _to_drift(self) -> None:
        found, history = self.state.incident, self.session.history
        if found is None or history is None or found.told_by not in history.batches:
            self.session.tell("info", "The profile of this batch was not kept: it cannot be compared with others.")
            return
        self.go("drift", batch=found.told_by, column=self.state.column)

    def _to_runs(self) -> None:
        found = self.state.incident
        if found is not None:
            self.go("runs", batch=found.last, alarm=found.on(found.last)[0].key)
