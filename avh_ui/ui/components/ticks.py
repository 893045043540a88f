"""Axis ticks: how numbers are written along an axis, and which batches are named where they are no dates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.models import CustomJSTickFormatter

from avh_ui.ui.components.scripts import BROWSER, inlined

STYLES = ("plain", "percent", "factor", "log", "log_percent", "moment", "duration")
# More labels than this run into one another on a narrow screen.
LABELS = 6
# Characters of a batch id that fit below a tick.
LONGEST = 14


def tick_formatters() -> dict[str, Any]:
    """A formatter per style of number, made once per figure and exchanged."""
    script = inlined(BROWSER / "ticks.js")
    return {style: CustomJSTickFormatter(code=f"{script}\nreturn STYLES.{style}(tick, ticks)") for style in STYLES}


def position_ticks(batches: Sequence[str]) -> tuple[list[int], dict[int | float | str, str]]:
    """At which positions to put a tick, and the batch named there."""
    if not batches:
        return [], {}
    every = max(1, -(-len(batches) // LABELS))
    places = list(range(0, len(batches), every))
    return places, {at: batches[at] if len(batches[at]) <= LONGEST else f"{batches[at][: LONGEST - 1]}…" for at in places}
