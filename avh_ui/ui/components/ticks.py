"""Axis ticks: how numbers are written along an axis, and which batches are named where they are no dates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.models import CustomJSTickFormatter

_NUMBER = "const n = (v) => v.toLocaleString('en', {maximumSignificantDigits: 5, notation: Math.abs(v) >= 1e6 ? 'compact' : 'standard'});"
_SCRIPTS = {
    "plain": "return n(tick).replace('-', '\u2212');",
    "percent": "return n(100 * tick).replace('-', '\u2212') + '%';",
    "factor": "return '\u00d7' + n(Number(Math.exp(tick).toPrecision(3)));",
    "log": "return n(Number(Math.expm1(tick).toPrecision(4))).replace('-', '\u2212');",
    "log_percent": "return n(Number((100 * Math.expm1(tick)).toPrecision(4))) + '%';",
    "moment": "const d = new Date(1000 * tick); return isNaN(d) ? '' : d.toISOString().slice(0, 10);",
    "duration": "const a = Math.abs(tick); return a < 3600 ? n(tick) + ' s' : a < 86400 ? n(tick / 3600) + ' h' : n(tick / 86400) + ' d';",
}
# More labels than this run into one another on a narrow screen.
LABELS = 6
# Characters of a batch id that fit below a tick.
LONGEST = 14


def tick_formatters() -> dict[str, Any]:
    """A formatter per style of number, made once per figure and exchanged."""
    return {style: CustomJSTickFormatter(code=f"{_NUMBER} {script}") for style, script in _SCRIPTS.items()}


def position_ticks(batches: Sequence[str]) -> tuple[list[int], dict[int | float | str, str]]:
    """At which positions to put a tick, and the batch named there."""
    if not batches:
        return [], {}
    every = max(1, -(-len(batches) // LABELS))
    places = list(range(0, len(batches), every))
    return places, {at: batches[at] if len(batches[at]) <= LONGEST else f"{batches[at][: LONGEST - 1]}…" for at in places}
