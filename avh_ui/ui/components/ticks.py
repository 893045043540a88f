"""Axis ticks: how numbers are written along an axis, and which batches are named where they are no dates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.models import CustomJSTickFormatter

from avh_ui.ui.components.scripts import BROWSER, inlined

# More labels than this run into one another on a narrow screen.
LABELS = 6
# Characters of a batch id that fit below a tick.
LONGEST = 14


def tick_formatter() -> Any:
    """How the numbers of an axis are written, in a style that `write_ticks` chooses."""
    return CustomJSTickFormatter(args={"style": "plain"}, code=f"{inlined(BROWSER / 'ticks.js')}\nreturn written(style, tick, ticks)")


def write_ticks(axis: Any, style: str) -> None:
    """Have an axis with a `tick_formatter` write its numbers in one of the styles of `ticks.js`, `count_fall 1000` being of so many.

    The formatter stays: for another one Bokeh looks through all models of the page, which takes longer than drawing the chart.
    """
    axis.formatter.args = {"style": style}
    # A change of its formatter alone does not draw an axis anew.
    axis.tags = [style]


def position_ticks(batches: Sequence[str]) -> tuple[list[int], dict[int | float | str, str]]:
    """At which positions to put a tick, and the batch named there."""
    if not batches:
        return [], {}
    every = max(1, -(-len(batches) // LABELS))
    places = list(range(0, len(batches), every))
    return places, {at: batches[at] if len(batches[at]) <= LONGEST else f"{batches[at][: LONGEST - 1]}…" for at in places}
