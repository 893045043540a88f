"""The ladder in the evidence pane: what else the values could be held to, and a regex of one's own, tried on the history at once."""

from __future__ import annotations

from collections.abc import Callable
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


class _Line:
    """One rung: its words and the button that takes it."""

    def __init__(self, at: int, choose: Callable[[int], None]) -> None:
        self.text = html(styles={"flex": "1 1 220px", "min-width": "0"})
        self.take = pmui.Button(label="Use", variant="outlined", size="small", margin=0, width=72, on_click=lambda _: choose(at))
        self.body = row(self.text, self.take, flex_wrap="nowrap")

    def fill(self, rung: LadderRung | None, regex: str) -> None:
        """Show a rung, marked where its regex is the one in use; nothing for None."""
        self.body.visible = rung is not None
        if rung is not None:
            self.text.object = rung_text(rung)
            chosen = rung.pattern.regex == regex
            self.take.param.update(label="In use" if chosen else "Use", disabled=chosen)


class LadderView(Viewer):
    """One line per rung with a button that takes it; below, the regex to edit. Hidden for what is no pattern."""

    def __init__(self, ladder: LadderState, **params: Any) -> None:
        super().__init__(**params)
        self.ladder = ladder
        self._filling = False
        self.rungs = column(gap=4)
        self.lines: list[_Line] = []
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
        current, rungs = self.ladder.current, self.ladder.rungs
        self.body.visible = current is not None
        if current is None:
            return  # what is hidden costs nothing to keep
        # Lines are filled anew and never made anew: making their buttons took three times as long as all the rest of a selection.
        if len(rungs) > len(self.lines):
            self.lines += [_Line(at, self.ladder.choose) for at in range(len(self.lines), len(rungs))]
            self.rungs.objects = [line.body for line in self.lines]
        for at, line in enumerate(self.lines):
            line.fill(rungs[at] if at < len(rungs) else None, current.regex)
        self._tell()

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
