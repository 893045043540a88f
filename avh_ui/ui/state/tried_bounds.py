"""Bounds as they stand in a form, tried on every batch of the history: what they would have alarmed on, and whether they fit today."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from avh_ui.constraints.backtest import Backtest
from avh_ui.constraints.constraint import Constraint
from avh_ui.ui.state.axis import BatchAxis
from avh_ui.ui.state.reading import count, rate

# What is normal today is what most of so many batches are: two weeks of a daily table have two of each weekday.
NEWEST = 14


@dataclass(frozen=True)
class TriedBounds:
    """The bounds in the form tried on every batch. `learned` marks the batches the suggestion was learned from; shapes (K,)."""

    constraint: Constraint
    axis: BatchAxis
    result: Backtest
    learned: NDArray[np.bool_]

    @property
    def verdict(self) -> str:
        """`Would have alarmed on 3 of 365 batches (0.82%), on none of the 60 it was learned from`."""
        judged, fires = int(self.result.judged.sum()), self.result.fires
        if not judged:
            return "No batch of the history can be judged by these bounds."
        text = f"Would have alarmed on {fires or 'none'} of {count(judged, 'batch')}"
        text += f" ({rate(fires / judged)})" if fires else ""
        inside = int((self.result.fired & self.learned).sum())
        if fires and 0 < self.learned.sum() < judged:
            text += f", {inside or 'none'} of them among the {int(self.learned.sum())} it was learned from"
        return text + "."

    def fired_places(self) -> NDArray[np.int64]:
        """The places of the batches that would have alarmed, newest first."""
        return np.flatnonzero(self.result.fired)[::-1]

    @property
    def warning(self) -> str:
        """That most of the newest batches are outside, in a sentence; '' where they are not: such bounds alarm from tomorrow on."""
        newest = np.flatnonzero(self.result.judged)[-NEWEST:]
        outside = int(self.result.fired[newest].sum())
        if 2 * outside <= len(newest):
            return ""
        return f"{outside} of the newest {count(len(newest), 'batch')} are outside these bounds: they exclude what is normal today."
