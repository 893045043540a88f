"""What the rules look at: the facts of one column in one batch, as Deequ's column profile holds them, read from its states.

Of a text column the type is inferred from its values, which are known whole up to 1,000 distinct ones. Beyond that it stays unknown, since
no data is read again: what such texts look like is the question of the patterns (`by_corpus`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from avh_ui.metrics.conformance import conformance_of, whole_table
from avh_ui.metrics.counts import CountState
from avh_ui.metrics.distinct import HLL_RELATIVE_ERROR
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import States, find
from avh_ui.metrics.moments import MAX, MEAN, MIN, STANDARD_DEVIATION
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.regexes import anchored
from avh_ui.metrics.text import MAX_LENGTH, MIN_LENGTH

DataType = Literal["Unknown", "Fractional", "Integral", "Boolean", "String"]
# Deequ's grammar of typed texts, on the whole value: a sign, at most one blank, ASCII digits, no bare point. Whole numbers are numbers.
GRAMMAR: dict[DataType, str] = {
    "Boolean": anchored("true|false"),
    "Integral": anchored(r"[+\-]? ?[0-9]+"),
    "Fractional": anchored(r"[+\-]? ?[0-9]+(?:\.[0-9]+)?(?:[eE][+\-]?[0-9]+)?"),
}
# Deequ's lowCardinalityHistogramThreshold: beyond so many distinct values there is no histogram.
MOST_CATEGORIES = 120
_WHOLE_TYPES = re.compile(r"(?:tiny|small|big)?int(?:eger)?|byte|short|long|u?int\d+|decimal\(\d+, ?0\)")


@dataclass(frozen=True)
class Snapshot:
    """One column of one batch. `histogram` has the non-null values with their counts where there are few; None for a statistic that the
    column has not. `distinct` may be an estimate, `distinct_error` is then its relative standard error.
    """

    column: str
    kind: str
    rows: int
    completeness: float
    distinct: float
    data_type: DataType
    inferred: bool = False
    nulls: int = 0
    distinct_error: float = 0.0
    histogram: Mapping[str, int] | None = None
    minimum: float | None = None
    maximum: float | None = None
    mean: float | None = None
    deviation: float | None = None
    shortest: float | None = None
    longest: float | None = None

    @property
    def numeric(self) -> bool:
        """Whether its values are numbers, be they written as texts."""
        return self.data_type in ("Integral", "Fractional")

    @property
    def values(self) -> int:
        """How many values are not null."""
        return self.rows - self.nulls

    @classmethod
    def of(cls, profile: ColumnProfile) -> Snapshot:
        """The facts of a column's profile."""
        count = find(profile.states, CountState) or CountState()
        distinct, error = _distinct(profile.states)
        table = whole_table(profile.states)
        data_type, inferred = _type(profile, table)
        known = {name: value for name, value in profile.single_metrics().items() if math.isfinite(value)}
        if inferred and data_type != "Boolean" and table is not None:
            read = [float(value.replace(" ", "")) for value in table]
            known |= {MIN.name: min(read), MAX.name: max(read)}
        elif profile.kind != "numeric":
            known = {name: value for name, value in known.items() if name in (MIN_LENGTH.name, MAX_LENGTH.name)}
        return cls(
            column=profile.name,
            kind=profile.kind,
            rows=count.rows,
            completeness=(count.rows - count.nulls) / count.rows if count.rows else math.nan,
            distinct=distinct,
            data_type=data_type,
            inferred=inferred,
            nulls=count.nulls,
            distinct_error=error,
            histogram=table if table is not None and len(table) <= MOST_CATEGORIES else None,
            minimum=known.get(MIN.name),
            maximum=known.get(MAX.name),
            mean=known.get(MEAN.name),
            deviation=known.get(STANDARD_DEVIATION.name),
            shortest=known.get(MIN_LENGTH.name),
            longest=known.get(MAX_LENGTH.name),
        )


def _distinct(states: States) -> tuple[float, float]:
    """The number of distinct values and its relative error; NaN of a column that is not measured."""
    for state in (find(states, FrequencyState), find(states, DistributionState)):
        if state is not None:
            return state.distinct(), 0.0 if state.counted else HLL_RELATIVE_ERROR
    return math.nan, 0.0


def _type(profile: ColumnProfile, table: Mapping[str, int] | None) -> tuple[DataType, bool]:
    """The type, and whether it was inferred from texts."""
    if profile.kind == "numeric":
        return ("Integral" if _WHOLE_TYPES.fullmatch(profile.type.lower()) else "Fractional"), False
    if profile.kind == "boolean":
        return "Boolean", False
    if profile.kind != "string" or not table:
        return "Unknown", False
    if "" not in table:  # to Deequ the empty text is a text, and no number
        for name, regex in GRAMMAR.items():
            if not conformance_of(table, regex).bad:
                return name, True
    return "String", False
