"""What a column holds, in a sentence, told from its states alone: of a new one there is none before to be beside."""

from __future__ import annotations

import math

from avh_ui.metrics.column import NUMERIC
from avh_ui.metrics.counts import CountState
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import find
from avh_ui.metrics.mix_words import percent, plain_number, short_text
from avh_ui.metrics.profile import ColumnProfile

# So many values are read at a glance.
_NAMED = 3


def column_words(name: str, column: ColumnProfile) -> str:
    """`gate is null in 12% of the rows, and else 'A1' (40%), 'A2' (22%) or one of 7 others.`; '' of what was not measured."""
    counts = find(column.states, CountState)
    if counts is None or not counts.rows:
        return ""
    if counts.nulls == counts.rows:
        return f"{name} is null in all {counts.rows:,} rows."
    held = _numbers(column) if column.kind in NUMERIC else _texts(column)
    if not held:
        return ""
    return (
        f"{name} is null in {percent(counts.nulls / counts.rows)} of the rows, and else {held}." if counts.nulls else f"{name} is {held}."
    )


def _numbers(column: ColumnProfile) -> str:
    state = find(column.states, DistributionState)
    if state is None or not state.n:
        return ""
    low, middle, high = (state.quantile(at) for at in (0.0, 0.5, 1.0))
    if not all(map(math.isfinite, (low, middle, high))):
        return ""
    if low == high:
        return f"{plain_number(low)} in all rows that have a value"
    return f"from {plain_number(low)} to {plain_number(high)}, {plain_number(middle)} in the middle"


def _texts(column: ColumnProfile) -> str:
    state = find(column.states, FrequencyState)
    if state is None or not state.table:
        return ""
    most = sorted(state.table, key=lambda text: (-state.table[text], text))[:_NAMED]
    if state.exact and len(state.table) == 1:
        return f"{short_text(most[0])} in all rows that have a value"
    others = round(state.distinct()) - len(most)
    named = [f"{short_text(text)} ({percent(state.table[text] / state.n)})" for text in most]
    rest = "another one" if others == 1 else f"one of {others:,} others"
    *some, last = [*named, *([rest] if others > 0 else [])]
    return f"{', '.join(some)} or {last}"
