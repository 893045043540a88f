"""The list of pipelines on the overview: a page of lines, and what it takes to find one among many."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from avh_ui.constraints.readable import readable_number
from avh_ui.constraints.reading import percent
from avh_ui.ui.components.choice_bar import ChoiceBar
from avh_ui.ui.components.markup import tag
from avh_ui.ui.components.panes import PaneView, column, html, row
from avh_ui.ui.components.pick_list import PickList
from avh_ui.ui.state.alarm_grid import unevaluated
from avh_ui.ui.state.pipeline_health import PipelineHealth
from avh_ui.ui.state.pipeline_list import PipelineList
from avh_ui.ui.state.reading import count, when
from avh_ui.ui.state.runs_words import OUTCOME_WORDS
from avh_ui.ui.views.finder import Finder
from avh_ui.validator.run import RunSummary

_HEALTH = {
    "good": ("✔", "outcome-pass", "healthy"),
    "attention": ("!", "outcome-warn", "needs a look"),
    "bad": ("✖", "outcome-fail", "failing"),
    "unknown": ("○", "outcome-not_evaluated", "not validated yet"),
}


# So many are seen without scrolling: more can be sorted.
SEEN = 5
# A third of the window, and never less than two pipelines at a zoom of 200 %.
_AS_HIGH = "max(36vh, 350px)"
# On a telephone, where a pipeline has up to ten lines, a few scroll with the page: a scroll of their own would cut the second's button.
_WHOLE = "@container (max-width: 640px) { :host { max-height: none !important; } }"
_ORDERS = {
    "worst": ("Worst first", "What asks for somebody most urgently first"),
    "": ("As listed", "In the order of avh.yml"),
    "alarms": ("Alarms", "Most open alarms first"),
    "run": ("Last run", "Newest validation first"),
    "pending": ("To review", "Most waiting suggestions first"),
    "name": ("Name", "By name"),
}


class PipelineListView(PaneView):
    """Draws the list; `go` turns to what is to be done next for a pipeline."""

    def __init__(self, listed: PipelineList, go: Callable[..., object] = lambda *_, **__: None) -> None:
        super().__init__()
        self.listed, self.session = listed, listed.session
        self._go = go
        self.lines = PickList(listed.choose, self._lead, label="Pipelines", sizing_mode="stretch_width", styles={"max-height": _AS_HIGH})
        self.lines.empty = "No pipeline has this in its name."
        self.finder = Finder(listed.window, "pipeline")
        choices = [{"value": name, "label": label, "title": title} for name, (label, title) in _ORDERS.items()]
        self.orders = ChoiceBar(listed.sort, choices=choices, label="Sort pipelines", value=listed.order)
        self.sorting = html(sizing_mode=None)
        self.finder.body.styles = {**self.finder.body.styles, "padding": "0", "width": "auto"}
        self.tools = row(self.orders, self.sorting, self.finder.body, gap=10)
        self.tools.styles = {**self.tools.styles, "padding": "8px 14px 4px"}
        self.body = column(self.tools, self.lines, sizing_mode="stretch_width")
        listed.param.watch(lambda *_: self._fill(), "shown")
        listed.param.watch(lambda *_: self._order(), ["order", "sorting"])
        listed.window.param.watch(lambda *_: self._order(), "names")
        self.session.param.watch(lambda event: setattr(self.lines, "value", event.new), "pipeline")
        self._order()
        self._fill()

    def _order(self) -> None:
        few = len(self.listed.window.names) <= SEEN
        self.tools.visible = not few
        self.lines.stylesheets = [_WHOLE] if few else []
        self.orders.value = self.listed.order
        self.sorting.object = tag("span", "Reading how all of them stand …", cls="quiet", role="status") if self.listed.sorting else ""
        self.sorting.visible = self.listed.sorting

    def _lead(self, name: str) -> None:
        """To what is to be done next for a pipeline."""
        health = next((one for one in self.listed.shown if one.name == name), None)
        if health is not None and health.lead is not None:
            self.listed.choose(name)
            self._go(health.lead.page, pipeline=name, **health.lead.about)

    def _fill(self) -> None:
        self.lines.param.update(lines=[pipeline_line(health) for health in self.listed.shown], value=self.session.pipeline)


def pipeline_line(health: PipelineHealth) -> dict[str, Any]:
    """One pipeline as a line of the list."""
    if not health.read:
        return {"value": health.name, "label": health.name, "glyph": "", "tag": "", "note": "Reading …"}
    glyph, tone, word = _HEALTH[health.health]
    asked = health.contacts
    parts = [
        *_newest(health),
        f"next {health.expected}{' (late)' if health.late else ''}" if health.expected else "",
        f"{count(health.open_alarms, 'alarm')} open" if health.open_alarms else "",
        f"{health.pending:,} to review" if health.pending else "",
        f"version {health.version} live" if health.version else "nothing published",
        *(f"{what} {who}" for what, who in (("delivered by", asked.delivered_by), ("rules answered for by", asked.owner)) if who),
    ]
    sparks = [_spark("rows", health.rows, readable_number), _spark("complete", health.complete, percent)]
    return {
        "value": health.name,
        "label": health.name,
        "glyph": glyph,
        "tone": tone,
        "tag": word,
        "note": health.problem or " · ".join(part for part in parts if part),
        "news": f"New since yesterday: {', '.join(health.news)}" if health.news else "",
        "lead": health.lead.words if health.lead is not None else "",
        "sparks": [spark for spark in sparks if spark],
    }


def _newest(health: PipelineHealth) -> list[str]:
    """The newest batch, and the last run: in one where that judged it."""
    last, run = health.last, health.run
    if run is not None and run.batch == last:
        return [f"last batch {_ran(run)}"]
    return [f"last batch {last}" if last else "no batch yet", *([_ran(run)] if run is not None else [])]


def _ran(run: RunSummary) -> str:
    """`2026-03-04 failed at 2026-03-04 10:41 UTC, 2 results not evaluated`."""
    skipped = f", {count(unevaluated(run), 'result')} not evaluated" if unevaluated(run) else ""
    return f"{run.batch} {OUTCOME_WORDS[run.status]} at {when(run.started)}{skipped}"


def _spark(name: str, series: Sequence[float], read: Any) -> dict[str, Any] | None:
    """A sparkline: heights 0 to 100 (None = unknown), and the newest value in words."""
    known = [value for value in series if math.isfinite(value)]
    if len(known) < 2:
        return None
    low, high = min(known), max(known)
    span = (high - low) or 1.0
    heights = [round(100 * (v - low) / span, 1) if math.isfinite(v) else None for v in series]
    return {"name": name, "y": heights if high > low else [50.0 for _ in series], "last": read(known[-1])}
