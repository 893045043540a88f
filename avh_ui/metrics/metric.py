"""What a metric is: a declaration over states, with all that the rest of the program may know of it.

Adding one touches its family's file and one line of the catalogue. Nothing outside `metrics/` asks for a metric's name to know how it
behaves: what there is to know is a trait here, what a tool calls it a form.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from avh_ui.metrics.column import Kind
from avh_ui.metrics.state import State

States = Mapping[str, State]
Proposition = Literal[1, 2, 3]
Unit = Literal["rows", "ratio", "value", "values", "characters", "distance"]
# Which end of the values a metric is: one value decides it alone. The spread is the length between both.
Extreme = Literal["", "least", "greatest", "spread"]
# Whether an engineer can check its bounds in the head: also while it varies, only where it never changed, or not at all.
Plain = Literal["always", "constant", "never"]
# Why a metric has no value on states of an older release, as the end of a sentence.
NOT_MEASURED = "not measured by that release"
S = TypeVar("S", bound=State)


class Cannot(str):
    """In the place of a tool's form: why it cannot say the metric, as the end of a sentence."""

    __slots__ = ()


@dataclass(frozen=True)
class Metric:
    """A number measured of a column (single-distribution) or between a column and its baseline (two-distribution).

    `needs` are the states it follows from; `single` takes them in this order, `pair` those of the batch and then of the baseline. None
    stands for undefined on this column: there is nothing to be measured. `proposition` is the bound on the false-positive rate that
    holds for it (AVH, Propositions 1 to 3). `unit` is `value` for the column's own unit. `lowest` and `highest` are the values it can
    take at all; whole when it counts. `error` is of a metric from sketches: how far a value may be off, in its own unit, 0 where the
    states are exact; `relative_error` is that as a share of the value where it is the same of all sketches, else NaN.

    Traits: `volume` is the number of rows, the same whatever the column. A `total` doubles when every row comes twice. What `grows` takes
    other values on a month than on its days. What is `always_defined` is so without a single value. `of_every_value` says that every
    value has to keep it, so that it changes by rule or not at all; `outbreaks` that it stays away from its usual value in bursts.
    `tells_keys` is 1 where every value is unique.

    `sql` is an aggregate of Spark SQL, '' where there is none; `forms` are what other tools call it (see each exporter), by tool; not
    there where a tool has no word of its own for it. In both `{column}` is the column as the tool quotes it.
    """

    name: str
    kinds: frozenset[Kind]
    needs: tuple[type[State], ...]
    proposition: Proposition
    unit: Unit
    description: str
    single: Callable[..., float | None] | None = None
    pair: Callable[..., float | None] | None = None
    lowest: float = -math.inf
    highest: float = math.inf
    whole: bool = False
    error: Callable[..., float] | None = None
    relative_error: float = math.nan
    volume: bool = False
    total: bool = False
    grows: bool = False
    extreme: Extreme = ""
    always_defined: bool = False
    of_every_value: bool = False
    outbreaks: bool = False
    tells_keys: bool = False
    plain: Plain = "never"
    sql: str = ""
    forms: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.single is None) == (self.pair is None):
            raise ValueError(f"metric {self.name} declares either `single` or `pair`")

    @property
    def two_distribution(self) -> bool:
        """Whether it compares with a baseline."""
        return self.pair is not None

    @property
    def sketched(self) -> bool:
        """Whether it comes from sketches, once more values are distinct than a table keeps."""
        return self.error is not None

    def lacks(self, states: States) -> bool:
        """Whether a state it needs is not there: the release that profiled the batch did not measure it."""
        return any(state.key not in states for state in self.needs)

    def error_of(self, states: States, value: float) -> float:
        """How far a single-distribution metric's value may be off by its sketch, in the metric's unit; 0 when it is exact or undefined."""
        if self.error is None or not math.isfinite(value) or self.lacks(states):
            return 0.0
        return float(self.error(*self._of(states), value))

    def value(self, states: States, baseline: States | None = None) -> float:
        """The metric; NaN when undefined, when it `lacks` a state, and for a two-distribution metric without a baseline."""
        if self.lacks(states):
            return math.nan
        if self.single is not None:
            return _number(self.single(*self._of(states)))
        if baseline is None or self.pair is None or self.lacks(baseline):
            return math.nan
        return _number(self.pair(*self._of(states), *self._of(baseline)))

    def _of(self, states: States) -> tuple[State, ...]:
        return tuple(states[state.key] for state in self.needs)


def find(states: States, wanted: type[S]) -> S | None:
    """A state among a column's; None where the batch was profiled without."""
    found = states.get(wanted.key)
    return found if isinstance(found, wanted) else None


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)
