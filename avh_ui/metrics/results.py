"""What measuring a table gives: a value of each measure, or why there is none (VLDB 2018, Table 2; ICDE 2019, section II)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from avh_ui.metrics.column import Kind
from avh_ui.metrics.measure import Measure

# Why a result has no value: no rows or values to measure (Deequ's EmptyState); no such column; its type; a parameter; a `where`,
# predicate or pattern that Spark refuses or that raises; a state that is not there or that cannot be merged.
Cause = Literal["empty", "column", "type", "parameter", "expression", "state"]


@dataclass(frozen=True)
class Histogram:
    """Amounts (rows, or sums) by label, in descending order, with their share of the whole (see the measure for of which whole).

    `number_of_bins` counts all labels, `tail` is the amount of those that are not named.
    """

    absolute: Mapping[str, float]
    ratio: Mapping[str, float]
    number_of_bins: int
    tail: float = 0.0


@dataclass(frozen=True)
class BinnedHistogram:
    """Rows in the bins between `edges`, each closed on the left, the last on both sides; `nulls` apart, rows outside dropped."""

    edges: tuple[float, ...]
    frequencies: tuple[int, ...]
    nulls: int


Value = float | Mapping[str, float] | Histogram | BinnedHistogram


@dataclass(frozen=True)
class MetricResult:
    """A value, or why there is none. `error`: of a quantile the error of its rank, as a share of the values; of a distinct count
    the relative standard error; None when the value is exact but for rounding. `kind` is that of the one column that was measured, `told`
    the counts behind the value, in a sentence.
    """

    measure: Measure
    value: Value | None
    failure: str | None = None
    cause: Cause | None = None
    error: float | None = None
    kind: Kind = "rows"
    told: str = ""


def failed(measure: Measure, cause: Cause, failure: str) -> MetricResult:
    """A result without a value."""
    return MetricResult(measure, None, failure, cause)
