"""A profile without texts of the data, for pipelines with `samples: off`: what metrics need of them are their identities alone."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from avh_ui.metrics.conformance import ConformanceState
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.state import State
from avh_ui.metrics.together import ReferenceState

# 64 bits: among the 1,000 values of a table two share a hash in one of 10^13 batches.
_DIGITS = 16


def without_texts(profile: BatchProfile) -> BatchProfile:
    """The profile with each text value replaced by a hash, the same in every batch, and without samples; numbers stay.

    Metrics of the batch and distances to others are the same as before. The number of distinct values of several batches together is too
    high by up to 1,000 where only some of them have more than 1,000, since their sketches are of the values themselves.
    """
    columns = {name: _column(column) for name, column in profile.columns.items()}
    return replace(profile, columns=columns, segments={segment: without_texts(part) for segment, part in profile.segments.items()})


def hashed_text(value: str) -> str:
    """What stands for a value. Whoever guesses a value can check the guess: it hides what cannot be guessed."""
    return f"#{hashlib.sha256(value.encode('utf-8', 'surrogatepass')).hexdigest()[:_DIGITS]}"


def _column(column: ColumnProfile) -> ColumnProfile:
    return replace(column, states={key: _state(state) for key, state in column.states.items()})


def _state(state: State) -> State:
    if isinstance(state, FrequencyState):
        return replace(state, table={hashed_text(value): count for value, count in state.table.items()}, days=state.named)
    if isinstance(state, RowSample):
        return state.without_texts()
    if isinstance(state, ConformanceState):
        return replace(state, by_regex={regex: replace(found, samples=()) for regex, found in state.by_regex.items()})
    if isinstance(state, ReferenceState):
        return replace(state, commonest=())
    return state
