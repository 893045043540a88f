"""What a metric is: a declaration over states. Adding one touches its family's file and one line of the catalogue."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from avh_ui.metrics.column import Kind
from avh_ui.metrics.state import State

States = Mapping[str, State]
Proposition = Literal[1, 2, 3]


@dataclass(frozen=True)
class Metric:
    """A number measured of a column (single-distribution) or between a column and its baseline (two-distribution).

    `proposition` is the bound on the false-positive rate that holds for it (AVH, Propositions 1 to 3). `unit` is `rows`, `ratio`,
    `value` (the column's own unit), `characters`, `distance`. `lowest` and `highest` are the values it can take at all; whole when
    it counts. NaN means undefined on this column. `error` is of a metric from sketches: how far a value may be off, in its own unit,
    0 where the states are exact.
    """

    name: str
    kinds: frozenset[Kind]
    proposition: Proposition
    unit: str
    description: str
    single: Callable[[States], float] | None = None
    pair: Callable[[States, States], float] | None = None
    lowest: float = -math.inf
    highest: float = math.inf
    whole: bool = False
    error: Callable[[States, float], float] | None = None

    def __post_init__(self) -> None:
        if (self.single is None) == (self.pair is None):
            raise ValueError(f"metric {self.name} declares either `single` or `pair`")

    @property
    def two_distribution(self) -> bool:
        """Whether it compares with a baseline."""
        return self.pair is not None

    def error_of(self, states: States, value: float) -> float:
        """How far a single-distribution metric's value may be off by its sketch, in the metric's unit; 0 when it is exact or undefined."""
        return float(self.error(states, value)) if self.error is not None and math.isfinite(value) else 0.0

    def value(self, states: States, baseline: States | None = None) -> float:
        """The metric; NaN when undefined, and for a two-distribution metric without a baseline."""
        if self.single is not None:
            return float(self.single(states))
        if baseline is None or self.pair is None:
            return math.nan
        return float(self.pair(states, baseline))
