"""The form of a new rule, beside the queue: what it is of, what must hold, and how that would have fared, drawn while it is typed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel_material_ui as pmui

from avh_ui.constraints.reading import Reader
from avh_ui.metrics.catalogue import known_of
from avh_ui.ui.components import icons
from avh_ui.ui.components.action_bar import ActionBar, action, withheld
from avh_ui.ui.components.history_chart import HistoryChart
from avh_ui.ui.components.markup import Markup, fact, join, tag
from avh_ui.ui.components.panes import GROWING, PaneView, card, column, field, html, row
from avh_ui.ui.components.text_fields import TextLine
from avh_ui.ui.state.budget import alarms_per_year
from avh_ui.ui.state.new_rule import TYPED, NewRuleState, TryingState
from avh_ui.ui.state.reading import count
from avh_ui.ui.state.rule_form import BY_NAME, LABELS
from avh_ui.ui.views.chart_data import rule_chart
from avh_ui.workflows.stating import Weighed

_WIDE: dict[str, Any] = {"sizing_mode": "stretch_width"}
# Narrow fields stand side by side.
_HALF: dict[str, Any] = {"sizing_mode": "stretch_width", "styles": {"flex": "1 1 150px", "min-width": "120px"}}
# A metric's name beside its words, and what to do, are cut off in half of a telephone.
_LONG: dict[str, Any] = {"sizing_mode": "stretch_width", "styles": {"flex": "2 1 300px", "min-width": "0"}}
_HINTS = {
    "lower": "open, 100 or > 100", "upper": "open, 200 or < 200", "values": 'DE, FR, "a, b"', "pattern": "^[A-Z]{3}$",
    "to": "code", "condition": "sched_dep < sched_arr", "where": "all rows", "share": "100%", "hint": "ask the airline",
}  # fmt: skip


class NewRuleView(PaneView):
    """Draws the form; its widgets persist, and those that a choice does not ask for are hidden."""

    def __init__(self, state: NewRuleState, trying: TryingState) -> None:
        super().__init__()
        self.state, self.trying = state, trying
        self._filling = False
        self.chart = HistoryChart(None, height=190, name="rule-history")
        self.sentence, self.facts, self.told = html(), html(), html()
        self.actions = ActionBar(self._act, label="New rule")
        self.measuring = ActionBar(self._act, label="Measure")
        self._form()
        self._layout()
        state.param.watch(lambda *_: self._fill(), ["opened", "columns", "choice", "known", "level", "typed"])
        state.param.watch(lambda *_: self._show(), ["found", "problem", "missing", "busy", "saving", "opened"])
        trying.param.watch(lambda *_: self._show(), ["busy", "done", "total", "note", "cancelling"])
        state.session.param.watch(lambda *_: self._show(), "loads")
        state.param.watch(lambda *_: self._summon(), "opened")
        self._fill()
        self._show()
        self._summon()

    def _form(self) -> None:
        state = self.state
        self.columns = pmui.MultiChoice(label="Columns (none: the table)", options=[], description="", searchable=True, margin=0, **_WIDE)
        self.columns.param.watch(lambda event: self._picked(tuple(event.new)), "value")
        self.choice = self._select("What must hold", state.say, **_WIDE)
        self.level = self._select("When it is broken", state.set_level, **_HALF)
        self.level.options = {"the batch fails": "error", "the batch warns": "warning"}
        self.metric = self._select(LABELS["metric"], lambda name: state.type("metric", name), **_LONG)
        self.other = self._select(LABELS["other"], lambda name: state.type("other", name), **_HALF)
        self.table = self._select(LABELS["table"], lambda name: state.type("table", name), **_HALF)
        self.fields: dict[str, Any] = {"metric": self.metric, "other": self.other, "table": self.table}
        for name in TYPED:
            if name not in self.fields:
                wide = _WIDE if name in ("values", "pattern", "condition") else _LONG if name == "hint" else _HALF
                self.fields[name] = field(LABELS[name], self._writer(name), placeholder=_HINTS.get(name, ""), **wide)

    def _select(self, label: str, chosen: Callable[[str], object], **look: Any) -> Any:
        made = pmui.Select(label=label, options={}, size="small", description="", margin=0, **look)
        made.param.watch(lambda event: None if self._filling or event.new is None else chosen(event.new), "value")
        return made

    def _writer(self, name: str) -> Callable[[str], object]:
        return lambda text: None if self._filling else self.state.type(name, text)

    def _picked(self, columns: tuple[str, ...]) -> None:
        if not self._filling:
            self.state.pick(columns)

    def _layout(self) -> None:
        fields = self.fields
        pairs = (("metric", "other"), ("table", "to"), ("lower", "upper"))
        self.pairs = {pair: row(*(fields[name] for name in pair), gap=10) for pair in pairs}
        self.bounds = column(*self.pairs.values(), gap=12)
        own = [fields[name] for name in ("values", "pattern", "condition")]
        head = tag(
            "div", tag("h2", "New rule", style="font-size: 17px"), tag("p", "It waits in the queue, as suggestions do.", cls="quiet")
        )
        self.parts = column(
            row(html(head, styles={"flex": "1 1 200px", "min-width": "0"}), self.actions, align_items="flex-start"),
            self.columns,
            self.choice,
            *own,
            self.bounds,
            row(fields["share"], fields["where"], gap=10),
            row(self.level, fields["hint"], gap=10),
            self.sentence,
            self.facts,
            self.chart,
            row(self.told, self.measuring),
            gap=12,
            padding="12px 16px 20px",
            **GROWING,
        )
        self.body = card(self.parts, sizing_mode="stretch_both", overflow_y="auto")

    def _act(self, name: str) -> None:
        state, trying = self.state, self.trying
        if name == "measure" and state.check is not None:
            trying.begin(state.check)
        does: dict[str, Callable[[], object]] = {"save": state.save, "close": state.close, "cancel": trying.cancel}
        if name in does:
            does[name]()

    def _summon(self) -> None:
        """Who opens the form by a key goes on in it: it stands behind the whole list."""
        self.actions.summons += self.state.opened

    def _fill(self) -> None:
        """The widgets as the state has them."""
        state = self.state
        if not state.opened:
            return
        self._filling = True
        try:
            if self.columns.options != list(state.known):
                self.columns.options = list(state.known)
            self.columns.value = list(state.columns)
            self.choice.param.update(options={choice.words: choice.name for choice in state.choices()}, value=state.choice)
            self.level.value = state.level
            choice, typed = BY_NAME[state.choice], state.typed
            self.metric.param.update(options={f"{words} ({name})": name for name, words in state.metrics().items()})
            self.other.param.update(options={"": "", **{name: name for name in state.known if name not in state.columns}})
            self.table.param.update(options={"": "", **{name: name for name in state.tables}})
            for pair, line in self.pairs.items():  # a line of hidden fields would still have its gap
                line.visible = bool(set(pair) & set(choice.fields))
            self.bounds.visible = any(line.visible for line in self.pairs.values())
            for name, widget in self.fields.items():
                text = typed.get(name, "")
                widget.visible = name in choice.fields
                if isinstance(widget, TextLine):
                    widget.show(text)
                else:
                    widget.value = text
        finally:
            self._filling = False

    def _show(self) -> None:
        """What came of what is typed."""
        state = self.state
        if not state.opened:
            return
        found = state.found
        save = action("save", "Add rule", icon=icons.SAVE, filled=True, tone="primary", disabled=not state.ready)
        self.actions.actions = [*withheld([save], state.refusal), action("close", "Close", title="Close ( Esc )")]
        self.sentence.object = _sentence(state, found)
        self.facts.object = _facts(state, found) if found is not None else ""
        history = state.session.history
        data = rule_chart(found, history) if found is not None and history is not None else None
        self.chart.pane.visible = data is not None
        if data is not None:
            self.chart.show(data)
        self._offer(found)

    def _offer(self, found: Weighed | None) -> None:
        """Measuring of what no batch was measured for."""
        trying = self.trying
        if trying.busy:
            done = f" {trying.done:,} of {trying.total:,}" if trying.total else ""
            self.told.object = tag("p", f"Measuring …{done} {trying.note}", cls="quiet wrap", role="status")
            self.measuring.actions = [action("cancel", "Cancel", tone="error", outlined=True, disabled=trying.cancelling)]
            return
        lacking = found is not None and found.measured < found.batches and not known_of(found.constraint.measure)
        text = _lacking(found) if found is not None and lacking else ""
        self.told.object = tag("p", text, cls="quiet wrap")
        measure = action("measure", "Measure the last 30 batches", outlined=True, title="At their source; this may start Spark")
        self.measuring.actions = withheld([measure], trying.refusal) if lacking else []


def _sentence(state: NewRuleState, found: Weighed | None) -> Markup:
    """The rule in words; what is wrong comes first."""
    if state.problem:
        return tag("div", "⚠ ", state.problem, cls="verdict problem wrap", role="alert")
    if found is None:
        return tag("div", state.missing or ("Trying it on the history …" if state.busy else ""), cls="verdict quiet wrap", role="status")
    remark = tag("p", "⚠ ", found.remark, cls="quiet wrap") if found.remark else Markup()
    return join(tag("div", tag("b", found.constraint.title), cls="verdict wrap", role="status"), remark)


def _facts(state: NewRuleState, found: Weighed) -> Markup:
    """How it would have fared: what it is now, which batches would have alarmed, and what that lets one expect."""
    record, reader = found.evidence.backtest, Reader.of(found.constraint)
    if record is None:
        return Markup()
    fired = record.fired
    named = ", ".join(fired[-3:][::-1]) + (f" and {count(len(fired) - 3, 'other')}" if len(fired) > 3 else "")
    yearly = alarms_per_year((found.constraint,), state.session.cadence)
    latest = reader.value(found.latest)
    made = [
        fact(
            "Would have alarmed",
            f"on {len(fired) or 'none'} of {count(record.judged, 'batch')}",
            named or None,
            title=", ".join(fired[-40:]),
        ),
        fact("Alarms a year", yearly, "estimated from these batches", title="expected at this cadence, were the next batches like these"),
        fact("Latest", latest, None, title="of the newest batch that was measured for it"),
    ]
    return join(tag("dl", *made, cls="facts"))


def _lacking(found: Weighed) -> str:
    """Of how many batches nothing is known."""
    if not found.measured:
        return f"None of the {count(found.batches, 'batch')} of the history was measured for it; each new one will be, once it is added."
    missing = found.batches - found.measured
    verb = "was" if missing == 1 else "were"
    return f"{count(missing, 'batch')} of {found.batches:,} {verb} not measured for it, or had nothing to measure."
