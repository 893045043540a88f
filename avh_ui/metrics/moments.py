"""Sum, extremes and central moments: `min`, `max`, `mean`, `sum`, `range` (AVH, Table 3) and the others of Deequ's numbers.

Moments are kept as (n, mean, M2, M3, M4) and merged pairwise (Chan, Golub and LeVeque 1979; Pebay 2008, eq. 3.1), which does not
lose digits as sums of powers do. A NaN makes every metric but `min` NaN, and sorts above all numbers, as in Deequ.

Values are doubles: a whole number beyond 2**53, or a decimal of more than 15 digits, is off by at most 1.1e-16 of itself, in `min` and
`max` too; a sum of n values by rounding, about that times log2(n) where all have one sign.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import ClassVar

import numpy as np

from avh_ui.metrics.column import NUMBER_KINDS, NUMERIC, OF_ROWS, Column, Counts, Floats
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.parameters import Cannot, Parameter
from avh_ui.metrics.row_forms import RowForm, amount
from avh_ui.metrics.rows import Need
from avh_ui.metrics.state import InFields
from avh_ui.metrics.wording import Wording


@dataclass(frozen=True)
class MomentsState(InFields):
    """`n` non-null, non-NaN values with their extremes, sum and central moment sums, and the number of NaNs."""

    key: ClassVar[str] = "moments"
    n: int = 0
    nans: int = 0
    low: float = math.inf
    high: float = -math.inf
    total: float = 0.0
    mean: float = 0.0
    m2: float = 0.0
    m3: float = 0.0
    m4: float = 0.0

    @classmethod
    def identity(cls) -> MomentsState:
        """No values."""
        return cls()

    @classmethod
    def of(cls, column: Column) -> MomentsState:
        """Moments of a number column's values; where few are distinct, the powers are taken once for each."""
        counted = column.held.counted
        if counted is not None:
            values, counts = counted
            return cls._of(values, counts, len(column.held) - int(counts.sum()))
        nan = np.isnan(column.numbers)
        values = column.numbers[~nan] if nan.any() else column.numbers
        return cls._of(values, np.ones(len(values), dtype=np.int64), len(column.numbers) - len(values))

    @classmethod
    def _of(cls, values: Floats, weights: Counts, nans: int) -> MomentsState:
        n = int(weights.sum())
        if not n:
            return cls(nans=nans)
        # Infinities and values near the end of the double range make moments infinite or NaN: undefined, not an error.
        with np.errstate(invalid="ignore", over="ignore"):
            # Not `np.dot`: its threads would fight with Spark's.
            total = float((values * weights).sum())
            mean = total / n
            d = values - mean
            d2 = d * d
            w2 = d2 * weights
            return cls(
                n, nans, float(values.min()), float(values.max()), total, mean,
                float(w2.sum()), float((w2 * d).sum()), float((w2 * d2).sum()),
            )  # fmt: skip

    def merge(self, other: MomentsState) -> MomentsState:
        """Pairwise merge of central moments."""
        if not self.n or not other.n:
            some, nans = (self if self.n else other), self.nans + other.nans
            return replace(some, nans=nans)
        # Python floats raise on overflow where NumPy's do not.
        a, b = np.float64(self.n), np.float64(other.n)
        n = a + b
        with np.errstate(invalid="ignore", over="ignore"):
            delta = np.float64(other.mean) - np.float64(self.mean)
            m2 = self.m2 + other.m2 + delta**2 * a * b / n
            m3 = self.m3 + other.m3 + delta**3 * a * b * (a - b) / n**2 + 3 * delta * (a * other.m2 - b * self.m2) / n
            m4 = (
                self.m4 + other.m4 + delta**4 * a * b * (a * a - a * b + b * b) / n**3
                + 6 * delta**2 * (a * a * other.m2 + b * b * self.m2) / n**2 + 4 * delta * (a * other.m3 - b * self.m3) / n
            )  # fmt: skip
            total = float(np.float64(self.total) + other.total)
        return MomentsState(
            self.n + other.n, self.nans + other.nans, min(self.low, other.low), max(self.high, other.high),
            total, total / (self.n + other.n), float(m2), float(m3), float(m4),
        )  # fmt: skip

    @property
    def variance(self) -> float:
        """Population variance; NaN without values."""
        if self.nans or not self.n:
            return math.nan
        # Rounding must not give a constant column a spread.
        return 0.0 if self.low == self.high and math.isfinite(self.low) else self.m2 / self.n


def _number(of: Callable[[MomentsState], float]) -> Callable[[MomentsState], float | None]:
    """A number that is NaN where any value is, and undefined without values."""

    def value(state: MomentsState) -> float | None:
        if state.nans:
            return math.nan
        return of(state) if state.n else None

    return value


def _minimum(state: MomentsState) -> float | None:
    return state.low if state.n else math.nan if state.nans else None


def _range(state: MomentsState) -> float:
    # Two equal infinities have no range.
    return state.high - state.low if math.isfinite(state.low) or math.isfinite(state.high) else math.nan


_NEEDS = (MomentsState,)
MIN = Metric(
    "min", NUMBER_KINDS, _NEEDS, 1, "value", "smallest value", single=_minimum, grows=True, extreme="least", plain="always",
    row_form=RowForm(amount(), "lower"),
    sql="MIN({column})",
    forms={
        "deequ": "hasMin({column}, {bound})", "dqx": "min {column}", "soda": "min({column})",
        "great-expectations": "expect_column_min_to_be_between",
    },
    says=Wording(
        "The smallest value of a batch.", "the smallest {column}", "The smallest {column} is between {low} and {high}",
        "{column} is never below {low}", "The smallest {column} is {high} or less", "The smallest {column} is always {low}",
        above={0.0: "{column} is always above 0"},
    ),
)  # fmt: skip
MAX = Metric(
    "max", NUMBER_KINDS, _NEEDS, 1, "value", "largest value", single=_number(lambda s: s.high), grows=True, extreme="greatest",
    plain="always", row_form=RowForm(amount(), "upper"), sql="MAX({column})",
    forms={
        "deequ": "hasMax({column}, {bound})", "dqx": "max {column}", "soda": "max({column})",
        "great-expectations": "expect_column_max_to_be_between",
    },
    says=Wording(
        "The largest value of a batch.", "the largest {column}", "The largest {column} is between {low} and {high}",
        "The largest {column} is {low} or more", "{column} is never above {high}", "The largest {column} is always {low}",
    ),
)  # fmt: skip
MEAN = Metric(
    "mean", NUMBER_KINDS, _NEEDS, 3, "value", "average", single=_number(lambda s: s.mean), plain="always", sql="AVG({column})",
    forms={
        "deequ": "hasMean({column}, {bound})", "dqdl": "Mean {column}", "dqx": "avg {column}", "soda": "avg({column})",
        "great-expectations": "expect_column_mean_to_be_between",
    },
    says=Wording(
        "The average: all values together, divided by how many there are.", "the average {column}",
        "{column} is {low} to {high} on average", "{column} is {low} or more on average", "{column} is {high} or less on average",
        "{column} is always {low} on average", alike="{column}",
    ),
)  # fmt: skip
SUM = Metric(
    "sum", NUMBER_KINDS, _NEEDS, 1, "value", "sum of the values", single=_number(lambda s: s.total), total=True, grows=True,
    sql="SUM({column})",
    forms={
        "deequ": "hasSum({column}, {bound})", "dqdl": "Sum {column}", "dqx": "sum {column}", "soda": "sum({column})",
        "great-expectations": "expect_column_sum_to_be_between",
    },
    says=Wording(
        "All values of a batch together.", "the sum of {column}", "All {column} together make {low} to {high}",
        "All {column} together make {low} or more", "All {column} together make {high} or less", "All {column} together always make {low}",
    ),
)  # fmt: skip
RANGE = Metric(
    "range", NUMBER_KINDS, _NEEDS, 1, "value", "largest less smallest value", single=_number(_range), lowest=0, grows=True,
    extreme="spread", sql="MAX({column}) - MIN({column})",
    says=Wording(
        "How far the smallest and the largest value of a batch are apart.", "the span of {column}",
        "The largest {column} is {low} to {high} above the smallest",
        "The largest {column} is {low} or more above the smallest",
        "The largest {column} is {high} or less above the smallest",
        "The largest {column} is always {low} above the smallest",
        {0.0: "All rows of a batch have the same {column}"},
        above={0.0: "{column} is never one and the same value in all rows of a batch"},
    ),
)  # fmt: skip
STANDARD_DEVIATION = Metric(
    "standard_deviation", NUMERIC, _NEEDS, 1, "value", "standard deviation of the values (population)",
    single=_number(lambda s: math.sqrt(s.variance)), lowest=0, sql="STDDEV_POP({column})",
    forms={
        "deequ": "hasStandardDeviation({column}, {bound})",
        "great-expectations": Cannot("its deviation is that of a sample, avh's that of all values"),
    },
    says=Wording(
        "How far values usually are from their average.", "the usual distance of {column} from its average",
    ),
)  # fmt: skip


def _of_spread(of: Callable[[MomentsState], float]) -> Callable[[MomentsState], float | None]:
    """A number that is 0 where nothing varies."""

    def value(state: MomentsState) -> float:
        with np.errstate(all="ignore"):
            return float(of(state)) if state.variance else 0.0

    return _number(value)


VARIANCE = Metric(
    "variance", NUMERIC, _NEEDS, 1, "value", "variance of the values (population)", single=_number(lambda s: s.variance), lowest=0,
    asked=True, sql="VAR_POP({column})",
)  # fmt: skip
SKEWNESS = Metric(
    "skewness", NUMERIC, _NEEDS, 1, "value", "skewness, sqrt(n) M3 / M2^1.5",
    single=_of_spread(lambda s: math.sqrt(s.n) * s.m3 / np.float64(s.m2) ** 1.5), asked=True, sql="SKEWNESS({column})",
)  # fmt: skip
KURTOSIS = Metric(
    "kurtosis", NUMERIC, _NEEDS, 1, "value", "excess kurtosis, n M4 / M2^2 - 3",
    single=_of_spread(lambda s: s.n * np.float64(s.m4) / np.float64(s.m2) ** 2 - 3), asked=True, sql="KURTOSIS({column})",
)  # fmt: skip


def moments_of_each(measure: Measure) -> tuple[Need, ...]:
    """The moments of each column of a measure."""
    return tuple(Need(MomentsState, (column,), measure.where) for column in measure.columns)


def _ratio_of_sums(above: MomentsState, below: MomentsState) -> float | None:
    numerator, denominator = SUM.value({MomentsState.key: above}), SUM.value({MomentsState.key: below})
    if not all(state.n or state.nans for state in (above, below)):
        return None
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.float64(numerator) / np.float64(denominator))


RATIO_OF_SUMS = Metric(
    "ratio_of_sums", OF_ROWS, _NEEDS, 1, "value", "sum of one column by that of another", single=_ratio_of_sums, wants=moments_of_each,
    least=2, most=2, of=(NUMERIC,), asked=True,
)  # fmt: skip


def _moment(value: object) -> bool:
    try:
        return isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def _freshness(state: MomentsState, at: str | None = None) -> float | None:
    moment = datetime.now(UTC) if at is None else datetime.fromisoformat(at)
    return moment.timestamp() - state.high if state.n else None


FRESHNESS = Metric(
    "freshness", frozenset({"temporal"}), _NEEDS, 1, "value", "seconds from the newest value to a moment", single=_freshness, asked=True,
    # Of a moment in time, so no history is kept of it.
    number=False, parameters=(Parameter("at", "a moment with its zone as ISO 8601 writes it", _moment, optional=True, of_value=True),),
    extreme="spread",
)  # fmt: skip
