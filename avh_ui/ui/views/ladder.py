"""The ladder in the evidence pane: what else the values could be held to, and a regex of one's own, tried on the history at once."""

from __future__ import annotations

from typing import Any

import panel_material_ui as pmui
from panel.viewable import Viewer

from avh_ui.constraints.reading import percent
from avh_ui.metrics.regexes import body_of
from avh_ui.ui.components import icons
from avh_ui.ui.components.markup import Markup, join, tag
from avh_ui.ui.components.panes import column, html, row, section
from avh_ui.ui.state.ladder import LadderRung, LadderState
from avh_ui.ui.state.reading import count


class LadderView(Viewer):
    """One line per rung with a button that takes it; below, the regex to edit. Hidden for what is no pattern."""

    def __init__(self, ladder: LadderState, **params: Any) -> None:
        super().__init__(**params)
        self.ladder = ladder
        self._filling = False
        self.rungs = column(gap=4)
        self.regex = pmui.TextInput(label="Regex for whole values", size="small", margin=0, sizing_mode="stretch_width")
        self.regex.param.watch(self._typed, "value")
        self.save = pmui.Button(label="Use this regex", icon=icons.SAVE, variant="outlined", margin=0, on_click=lambda _: ladder.save())
        self.tried = html()
        heading = html(section("Alternatives, from the most specific to the most general"))
        self.body = column(heading, self.rungs, row(self.regex, self.save, padding_top="6px"), self.tried, gap=8)
        ladder.param.watch(lambda *_: self._show(), "rungs")
        ladder.param.watch(lambda *_: self._tell(), ["typed", "trial", "problem"])
        self._show()

    def __panel__(self) -> Any:
        return self.body

    def _typed(self, _: Any) -> None:
        if not self._filling:
            self.ladder.type(self.regex.value)

    def _show(self) -> None:
        current = self.ladder.current
        self.body.visible = current is not None
        chosen = "" if current is None else current.regex
        self.rungs.objects = [self._rung(at, rung, rung.pattern.regex == chosen) for at, rung in enumerate(self.ladder.rungs)]
        self._tell()

    def _rung(self, at: int, rung: LadderRung, chosen: bool) -> Any:
        take = pmui.Button(
            label="In use" if chosen else "Use", disabled=chosen, variant="outlined", size="small", margin=0, width=72,
            on_click=lambda _: self.ladder.choose(at),
        )  # fmt: skip
        return row(html(rung_text(rung), styles={"flex": "1 1 220px", "min-width": "0"}), take, flex_wrap="nowrap")

    def _tell(self) -> None:
        ladder = self.ladder
        self._filling = True
        try:
            self.regex.value = ladder.typed
        finally:
            self._filling = False
        self.save.disabled = ladder.trial is None
        if ladder.problem:
            self.tried.object = tag("div", "⚠ ", ladder.problem, cls="verdict problem", role="alert")
        elif ladder.trial is not None:
            trial = ladder.trial
            found = LadderRung(trial.pattern, None, None, trial.matching, trial.deviating)
            where = "" if trial.whole else " (of the most frequent values; the history does not hold them all)"
            self.tried.object = tag("div", tag("b", _counts(found), where), _samples(found), cls="verdict")
        else:
            self.tried.object = ""


def rung_text(rung: LadderRung) -> Markup:
    """A rung in words: the pattern, what the corpus says of it, and values of both kinds."""
    corpus = []
    if rung.coverage:
        corpus.append(f"seen in {rung.coverage:,} table families")
    if rung.fpr is not None:
        corpus.append(f"{percent(round(rung.fpr, 4))} of later values failed in the corpus")
    mark = " ★ suggested" if rung.suggested else ""
    head = tag("div", tag("b", rung.pattern.text, cls="wrap"), mark, title=body_of(rung.pattern.regex))
    facts = tag("div", " · ".join([_counts(rung), *corpus]), cls="legend")
    return join(head, facts, _samples(rung))


def _counts(rung: LadderRung) -> str:
    pattern = rung.pattern
    share = f"{percent(round(rung.matched, 6))} of {count(pattern.values, 'value')}"
    return f"{share} conform" + (f", {pattern.bad:,} do not" if pattern.bad else "")


def _samples(rung: LadderRung) -> Markup:
    lines = []
    for glyph, name, values in (("✔", "conform", rung.matching), ("✖", "do not", rung.deviating)):
        if values:
            lines.append(tag("div", f"{glyph} {name}: ", *(tag("code", value, " ") for value in values[:3]), cls="legend wrap"))
    return join(*lines)
