"""The evidence pane: everything that speaks for or against the suggestion under the cursor, and the form for its bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel_material_ui as pmui

from avh_ui.constraints.check_records import check_of
from avh_ui.constraints.evidence import FromPerson
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.several import each_of
from avh_ui.review.draft import DraftItem
from avh_ui.ui.components import icons
from avh_ui.ui.components.action_bar import ActionBar, action, withheld
from avh_ui.ui.components.bounds_form import BoundsForm
from avh_ui.ui.components.choice_bar import ChoiceBar
from avh_ui.ui.components.component import once
from avh_ui.ui.components.history_chart import HistoryChart
from avh_ui.ui.components.markup import empty, join, tag
from avh_ui.ui.components.moved_table import MovedTable
from avh_ui.ui.components.panes import GROWING, PaneView, card, column, html, row
from avh_ui.ui.components.range_strip import RangeStrip
from avh_ui.ui.components.saving import csv_download, png_button
from avh_ui.ui.state.column_kind import ColumnKindState
from avh_ui.ui.state.evidence import EvidenceState
from avh_ui.ui.state.exports import history_csv, issues_csv
from avh_ui.ui.state.ladder import LadderState
from avh_ui.ui.state.limits import LimitsState
from avh_ui.ui.state.moved_rows import MovedState
from avh_ui.ui.state.new_rule import TryingState
from avh_ui.ui.state.strategies import StrategiesState
from avh_ui.ui.state.values import ValuesState
from avh_ui.ui.views import evidence_text as text
from avh_ui.ui.views.chart_data import chart_data, chart_words, range_texts
from avh_ui.ui.views.columns_out import ColumnsOutView
from avh_ui.ui.views.evidence_facts import facts, worth
from avh_ui.ui.views.ladder import LadderView
from avh_ui.ui.views.limits import LimitsView
from avh_ui.ui.views.strategies import StrategiesView

_LIMITS = action("limits", "Limits", title="Say how far bounds that follow the history may go")
_STRATEGY = action("strategy", "Strategy", title="See on which batches an anomaly strategy would have alarmed")
COMPARED, MEASURED = "compared", "measured"


class EvidenceView(PaneView):
    """Draws the state; the chart's figure and the panes persist, and only their contents are exchanged."""

    def __init__(self, evidence: EvidenceState, trying: TryingState) -> None:
        super().__init__()
        self.evidence, self.trying = evidence, trying
        self._filling = False
        self.refusal = evidence.session.refusal("reviewer", "decide")
        self.chart = HistoryChart(evidence.drag)
        self.head = html(styles={"min-width": "0", "flex": "1 1 220px"})
        self.facts, self.verdict = html(), html()
        self.legend = html(styles={"flex": "1 1 280px", "min-width": "0"})
        self.ladder = LadderView(LadderState(evidence))
        self.story, self.values = html(), html()
        self.samples, self.strategies = ValuesState(evidence), StrategiesState(evidence)
        self.strategy: StrategiesView | None = None
        self.limits: LimitsView | None = None
        self.kind = ColumnKindState(evidence)
        self.picker = pmui.Select(label="The column is", options={}, size="small", description="", margin=0, width=200, visible=False)
        self.picker.param.watch(lambda event: None if self._filling else self.kind.pick(event.new), "value")
        self.moved, self.moved_rows = MovedTable(), MovedState(evidence.session)
        self.range = RangeStrip(lambda seen: setattr(evidence, "seen", seen))
        self.csv, self.png = csv_download("history.csv", lambda: history_csv(evidence), "History CSV"), png_button(self.chart.figure)
        self.issues_csv = csv_download("issues.csv", lambda: issues_csv(evidence), "Issues CSV")
        self.blank = html(visible=False)
        self.actions = ActionBar(self._act, label="Decide")
        self._form()
        self._layout()
        evidence.param.watch(self._changed, ["item", "measured", "bounds", "problem"])
        evidence.param.watch(lambda *_: self._draw(), "seen")
        self.strategies.param.watch(lambda *_: self._try(), "found")
        evidence.session.param.watch(lambda *_: once(self._show), ["versions", "history", "loads", "log", "excluded"])
        self.moved_rows.param.watch(lambda event: setattr(self.moved, "shown", event.new), "shown")
        self.samples.param.watch(lambda event: setattr(self.values, "object", text.values(event.new)), "values")
        self.values.object = text.values(self.samples.values)
        self._show()

    def _form(self) -> None:
        evidence = self.evidence
        self.bounds = BoundsForm(self._typed, follows=self.chart.band.id, sizing_mode=None)
        self.form_actions = ActionBar(self._act, label="Edit of the bounds", align="end")
        choices = [{"value": COMPARED, "label": "As compared"}, {"value": MEASURED, "label": "As measured"}]
        self.space = ChoiceBar(lambda value: setattr(evidence, "measured", value == MEASURED), choices=choices, label="Draw", visible=False)

    def _act(self, name: str) -> None:
        evidence, decisions, item = self.evidence, self.evidence.decisions, [self.evidence.queue.cursor]
        does: dict[str, Callable[[], object]] = {
            "accept": self._accept,
            "reject": lambda: decisions.reject(item),
            "reopen": lambda: decisions.reopen(item),
            "remove": lambda: decisions.remove(*item),
            "measure": self._measure,
            "save": evidence.save,
            "reset": evidence.reset,
            "strategy": self._open_strategies,
            "limits": self._open_limits,
        }
        does[name]()

    def _offer(self, item: DraftItem) -> None:
        """The buttons, as far as they would change anything."""
        evidence = self.evidence
        accepted, rejected = item.in_program and not evidence.dirty, item.status == "rejected"
        offered = [
            action("accept", "Accept", icon=icons.ACCEPT, tone="success", filled=True, disabled=accepted),
            action("reject", "Reject", icon=icons.REJECT, tone="error", outlined=True, disabled=rejected),
        ]
        if item.status != "pending":
            offered.append(action("reopen", "Reopen"))
        known = item.suggestion.evidence
        if isinstance(known, FromPerson):
            if evidence.trial() is None or known.backtest is None:
                offered.append(action("measure", "Measure", disabled=self.trying.busy, title="The last 30 batches, at their source"))
            if not known.file:
                offered.append(action("remove", "Remove", title="Take the rule out of the draft"))
        self.actions.actions = withheld(offered, self.refusal)
        save = action("save", "Save edit", icon=icons.SAVE, filled=True, disabled=not evidence.dirty)
        # Other bounds can be tried by anybody.
        self.form_actions.actions = [
            *withheld([save], self.refusal),
            action("reset", "Reset", disabled=evidence.bounds == evidence.suggested),
            *([_LIMITS] if self.limits is None and item.suggestion.constraint.recipe is not None else []),
            *([] if self.strategy is not None or not self.strategies.offered else [_STRATEGY]),
        ]

    def _open_strategies(self) -> None:
        """The line of the strategies is there once it is asked for: the page opens sooner without."""
        self.strategy = StrategiesView(self.strategies)
        self._below_form(self.strategy)

    def _open_limits(self) -> None:
        """As the line of the strategies."""
        self.limits = LimitsView(LimitsState(self.evidence))
        self._below_form(self.limits)

    def _below_form(self, view: PaneView) -> None:
        self.parts.insert(list(self.parts).index(self.form) + 1, view)
        self._tell()

    def _measure(self) -> None:
        """Of a rule that no batch was measured for, what it would have alarmed on."""
        item = self.evidence.item
        if item is not None and isinstance(item.suggestion.evidence, FromPerson) and item.suggestion.evidence.check:
            self.trying.begin(check_of(item.suggestion.evidence.check))

    def _accept(self) -> None:
        """The button stands beside one item and means that one, whatever is ticked."""
        if self.evidence.dirty:
            self.evidence.save()
        else:
            self.evidence.decisions.accept([self.evidence.queue.cursor])

    def _layout(self) -> None:
        top = row(self.head, self.actions, align_items="flex-start")
        tools = row(self.legend, self.csv, self.png, self.space)
        self.form = row(self.bounds, self.form_actions, padding_top="4px", align_items="flex-end")
        self.parts = column(
            top,
            self.facts,
            self.picker,
            # Above the chart: what is typed, a strategy and what both do to the chart are seen together, without a scroll.
            self.form,
            self.verdict,
            self.chart,
            self.range,
            tools,
            self.moved,
            ColumnsOutView(self.evidence),
            self.ladder,
            self.story,
            row(self.issues_csv, justify_content="flex-end"),
            self.values,
            gap=10,
            padding="12px 16px 20px",
            **GROWING,
        )
        self.body = card(self.parts, self.blank, sizing_mode="stretch_both", overflow_y="auto")

    def focus_form(self) -> None:
        """Into the form, by the keyboard; the band is shown where it can be dragged, too."""
        if self.evidence.item is not None:
            self.evidence.measured = False
            self.bounds.focus("upper" if self.evidence.bounds[0] is None else "lower")

    def _typed(self, item: str, lower: str, upper: str, entered: bool) -> None:
        # Anybody may try other bounds; by Enter, who may decide saves them.
        if self.evidence.type_bounds(lower, upper, of=item) and entered and self.evidence.dirty and not self.refusal:
            self.evidence.save(stay=True)

    def _changed(self, *events: Any) -> None:
        if {"item", "measured"} & {event.name for event in events}:
            once(self._show)
        else:
            once(self._try)

    def _show(self) -> None:
        """Another item, or another way to see it."""
        evidence, item = self.evidence, self.evidence.item
        self.parts.visible, self.blank.visible = item is not None, item is None
        if item is None:
            self.blank.object = empty("Nothing selected", tag("p", "Choose a suggestion to see its evidence."))
            return
        self.space.visible = evidence.can_measure
        self.space.value = MEASURED if evidence.measured else COMPARED
        self.head.object = text.head(item)
        self._offer_kind()
        self._draw()
        self.moved_rows.of_rule(evidence)
        self._tell()

    def _offer_kind(self) -> None:
        """What the column is, to be put right by picking."""
        known, fixed = self.kind.known, self.kind.fixed
        self._filling = True
        try:
            value = known.kind if known is not None and known.kind in self.kind.choices.values() else None
            self.picker.param.update(
                options=self.kind.choices, value=value, visible=known is not None, disabled=bool(fixed), description=fixed
            )
        finally:
            self._filling = False

    def _draw(self) -> None:
        data = chart_data(self.evidence, self.strategies.found)
        if data is not None:
            self.range.cover(data.batches)
        self.chart.show(data, self.range, self.csv, self.png)

    def _try(self) -> None:
        """Other bounds in the form: by typing, dragging or reset."""
        if self.evidence.item is None:
            return
        self._tell()
        data = chart_data(self.evidence, self.strategies.found)
        if data is None or self.chart.data is None:
            return
        trial = self.evidence.trial()
        if self.chart.dragging and trial is not None:
            self.chart.update_fired(trial.result.fired, range_texts(self.evidence.reader, trial), chart_words(trial, trial.result.fired))
        else:
            self.chart.draw(data)

    def _tell(self) -> None:
        """Everything that depends on the bounds in the form."""
        evidence = self.evidence
        trial = evidence.trial()
        item = evidence.item
        if item is None:
            return
        self._fill()
        self.facts.object = join(worth(evidence), facts(evidence))
        self.verdict.object = text.verdict(evidence, trial)
        self.legend.object = text.legend(evidence, trial, self.strategies.found) if trial else self._no_history()
        self._offer(item)
        parts = (text.why(evidence), text.arrivals(evidence), text.issues(evidence), text.fired(evidence, trial), text.left_out(evidence))
        self.issues_csv.visible = item.suggestion.variants > 0
        self.story.object = tag("div", *parts, style="display: grid; gap: 14px")

    def _no_history(self) -> Any:
        item, problem = self.evidence.item, self.evidence.session.problems.get("history")
        if item is not None and isinstance(item.current, PatternConstraint) and not problem:
            return tag("p", "A regex typed by hand has no series here; its counts over the history are below.", cls="legend")
        if item is not None and item.current.origin == "manual" and not problem:
            text = (
                "No batch of the history was measured for this rule; each new one is. Measure the last 30 to see what it would have done."
            )
            return empty("Not measured yet", tag("p", text))
        if item is not None and item.current.origin == "relation" and not problem:
            measured = "Each validation compares them." if item.current.measure.key else "Once it is published each batch is measured."
            text = f"No history yet: it was looked for in samples of rows. {measured}"
            return tag("p", text, cls="legend wrap")
        if item is not None and each_of(item.current) and not problem:
            text = "A history is kept of each column, not of all of them together: each validation compares them."
            return tag("p", text, cls="legend wrap")
        lines = [tag("p", str(problem))] if problem else [tag("p", "The history has no such column or metric any more.")]
        return join(empty("The history cannot be shown", *lines, glyph="⚠", role="alert"))

    def _fill(self) -> None:
        evidence = self.evidence
        if evidence.item is not None and not evidence.problem:  # what was typed stays to be mended
            texts, of = (evidence.form_text(0), evidence.form_text(1), evidence.form_unit), evidence.item.current.title
            self.bounds.fill(evidence.item.suggestion.id, *texts, of=of, dragged=self.chart.held)
