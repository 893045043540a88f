"""Texts that are all numbers, as texts: their values with their counts alone.

A column of a source without types is measured as texts and as numbers, since its type is settled when all of a batch is known. Where all
texts are numbers it is seldom one of texts, and what else is measured of texts follows from the whole table of them: it is measured where
it is needed, to merge or to keep.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from avh_ui.metrics.column import EXACT, NONE_HELD, Column, Texts
from avh_ui.metrics.counts import CountState
from avh_ui.metrics.frequencies import KEY_LIMIT, FrequencyState
from avh_ui.metrics.metric import find
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.state import State
from avh_ui.metrics.text import TextState


def brief(column: Column, type_name: str) -> ColumnProfile | None:
    """The counts and frequencies of a column of texts; None where the frequencies do not hold all of it whole, or there is no text."""
    texts = column.texts
    if not 0 < len(texts.values) <= EXACT or texts.characters.lengths.max() > KEY_LIMIT:
        return None
    states: dict[str, State] = {CountState.key: CountState.of(column), FrequencyState.key: FrequencyState.of(column)}
    return ColumnProfile(column.name, column.kind, type_name, states)


def is_brief(profile: ColumnProfile) -> bool:
    """Whether it is the texts of numbers, of which not all states are there."""
    return profile.kind == "string" and TextState.key not in profile.states


def complete(profile: ColumnProfile) -> ColumnProfile:
    """A brief profile with all states of texts; another as it is."""
    counts, found = find(profile.states, CountState), find(profile.states, FrequencyState)
    if not is_brief(profile) or counts is None or found is None:
        return profile
    texts = Texts(pa.array(list(found.table), pa.large_string()), np.fromiter(found.table.values(), np.int64, len(found.table)))
    column = Column(profile.name, profile.kind, counts.rows, counts.nulls, NONE_HELD, texts)
    return replace(profile, states={**ColumnProfile.of(column).states, **profile.states})
