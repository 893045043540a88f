"""The ladder in the evidence pane: what else the values could be held to, and a regex of one's own, tried on the history at once."""

from __future__ import annotations

from typing import Any

from avh_ui.constraints.evidence import Rung
from avh_ui.constraints.reading import percent
from avh_ui.metrics.regexes import body_of
from avh_ui.ui.components.ladder_table import LadderTable
from avh_ui.ui.components.panes import PaneView
from avh_ui.ui.state.exports import ladder_csv
from avh_ui.ui.state.ladder import LadderState
from avh_ui.ui.state.reading import count

Plain = dict[str, Any]


class LadderView(PaneView):
    """One line per rung with a button that takes it; below, the regex to edit. Nothing for what is no pattern."""

    def __init__(self, ladder: LadderState) -> None:
        super().__init__()
        self.ladder = ladder
        self.body = self.table = LadderTable(ladder.choose, ladder.type, ladder.save)
        ladder.param.watch(lambda *_: self._show(), ["rungs", "typed", "trial", "problem"])
        self._show()

    def _show(self) -> None:
        # The table hides itself where there is no ladder: to take it out of the pane would lay out the whole pane anew.
        self.table.shown = ladder_lines(self.ladder)


def ladder_lines(ladder: LadderState) -> Plain:
    """The ladder as `LadderTable` draws it: texts and flags alone; empty where the item is no pattern."""
    current, item = ladder.current, ladder.evidence.item
    if current is None or item is None:
        return {}
    return {
        "rungs": [_line(rung, current.regex) for rung in ladder.rungs],
        "item": item.suggestion.id,
        "typed": ladder.typed,
        "ready": ladder.trial is not None,
        "problem": ladder.problem,
        "refusal": ladder.evidence.session.refusal("reviewer", "decide"),
        "tried": _tried(ladder),
        "csv": ladder_csv(ladder),
    }


def _line(rung: Rung, regex: str) -> Plain:
    """A rung in words: the pattern, what the corpus says of it, and values of both kinds."""
    corpus = []
    if rung.coverage:
        corpus.append(f"measured on {rung.coverage:,} columns of other tables")
    if rung.fpr is not None:
        corpus.append(f"{percent(round(rung.fpr, 4))} of later values failed there")
    return {
        "text": _text(rung.pattern.text),
        "title": _text(body_of(rung.pattern.regex)),
        "mark": " ★ suggested" if rung.chosen else "",
        "facts": " · ".join([_counts(rung), *corpus]),
        "parts": [{"text": _text(text), "share": percent(n / max(rung.pattern.values, 1), 2)} for text, n in rung.parts],
        "samples": _samples(rung),
        "used": rung.pattern.regex == regex,
    }


def _tried(ladder: LadderState) -> Plain | None:
    trial = ladder.trial
    if trial is None:
        return None
    found = Rung(trial.pattern, matching=trial.matching, deviating=trial.deviating)
    where = "" if trial.whole else " (of the most frequent values; the history does not hold them all)"
    return {"facts": _counts(found), "where": where, "samples": _samples(found)}


def _counts(rung: Rung) -> str:
    pattern = rung.pattern
    share = f"{percent(round(rung.matched, 6))} of {count(pattern.values, 'value')}"
    return f"{share} conform" + (f", {pattern.bad:,} do not" if pattern.bad else "")


def _samples(rung: Rung) -> list[Plain]:
    kinds = (("✔", "conform", rung.matching), ("✖", "do not", rung.deviating))
    return [{"glyph": glyph, "name": name, "values": [_text(v) for v in values[:3]]} for glyph, name, values in kinds if values]


def _text(value: str) -> str:
    """A lone surrogate cannot be sent to a browser."""
    return value.encode("utf-8", "replace").decode("utf-8")
