"""The distributions of columns as plots with one pair of axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from avh_ui import plots
from avh_ui.errors import UsageError
from avh_ui.metrics.binning import bin_edges, binned
from avh_ui.metrics.column import NUMBER_KINDS, TEXT_KINDS
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import NOT_MEASURED, S, find
from avh_ui.metrics.profile import ColumnProfile

# Bars with names that can be read beside one another.
_BARS = 20


def distributions(profiles: Sequence[ColumnProfile], titles: Sequence[str]) -> list[Any]:
    """A HoloViews object of each, all with the same bins or values; see `View.plot` for what is refused."""
    first = profiles[0]
    if any(profile.kind != first.kind for profile in profiles):
        kinds = " and ".join(profile.kind for profile in profiles)
        raise UsageError(f"Column {first.name!r} is {kinds}: there are no axes for both.")
    if first.kind in NUMBER_KINDS:
        return _histograms(profiles, titles)
    if first.kind in TEXT_KINDS:
        return _bars(profiles, titles)
    raise UsageError(f"Column {first.name!r} is {first.kind}, of which no values are kept.")


def _histograms(profiles: Sequence[ColumnProfile], titles: Sequence[str]) -> list[Any]:
    supports = [_state(profile, DistributionState).support() for profile in profiles]
    for profile, (values, _) in zip(profiles, supports, strict=True):
        _require(profile, len(values))
    edges = bin_edges(supports)
    pairs = zip(supports, titles, strict=True)
    return [plots.histogram(edges, binned(support, edges), profiles[0].name, title) for support, title in pairs]


def _bars(profiles: Sequence[ColumnProfile], titles: Sequence[str]) -> list[Any]:
    tables = [_state(profile, FrequencyState) for profile in profiles]
    for profile, table in zip(profiles, tables, strict=True):
        _require(profile, table.n)
    named = list(dict.fromkeys(value for table in tables for value, _ in table.top(_BARS)))[:_BARS]
    shares = [np.array([table.table.get(value, 0) / table.n for value in named]) for table in tables]
    return [plots.bars(named, side, profiles[0].name, title) for side, title in zip(shares, titles, strict=True)]


def _state(profile: ColumnProfile, wanted: type[S]) -> S:
    state = find(profile.states, wanted)
    if state is None:
        raise UsageError(f"The values of column {profile.name!r} were {NOT_MEASURED}.")
    return state


def _require(profile: ColumnProfile, values: int) -> None:
    if not values:
        raise UsageError(f"Column {profile.name!r} has no values to draw.")
