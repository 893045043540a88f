"""Metrics of how often each combination of values occurs: exact, by a pass that groups the rows (Deequ's grouping analyzers)."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

from avh_ui.metrics.column import NUMERIC, OF_ROWS, SINGLE_KINDS
from avh_ui.metrics.counts import CountState
from avh_ui.metrics.groups import TOP, GroupState, GroupSummary, PairState, SumState
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric, Unit
from avh_ui.metrics.moments import MomentsState
from avh_ui.metrics.parameters import Parameter
from avh_ui.metrics.results import Histogram
from avh_ui.metrics.row_forms import RowForm, once
from avh_ui.metrics.rows import Need

NULL_LABEL = "NullValue"
_ANY = SINGLE_KINDS | OF_ROWS
_Groups = GroupState | GroupSummary


def _summary(state: _Groups) -> GroupSummary:
    return state.summary() if isinstance(state, GroupState) else state


def _together(state: type[GroupState]) -> Callable[[Measure], tuple[Need, ...]]:
    """One state of all columns, whatever their order."""
    return lambda m: (Need(state, tuple(sorted(set(m.columns))), m.where),)


def _of_groups(of: Callable[[GroupSummary], float], *, zero: bool = False) -> Callable[[_Groups], float | None]:
    """A number of a summary; without groups None, or 0."""

    def value(state: _Groups) -> float | None:
        summary = _summary(state)
        return float(of(summary)) if summary.groups or zero else None

    return value


def _answers(state: _Groups) -> tuple[int, int]:
    """How many rows share their combination with others, and how many do not."""
    summary = _summary(state)
    return summary.repeated, int(summary.n) - summary.repeated + int(summary.nulls)


_ONCE = RowForm(once, "lower", _answers)


def _histogram_wanted(measure: Measure) -> tuple[Need, ...]:
    column, *summed = measure.columns
    own = Need(SumState, measure.columns, measure.where) if summed else Need(GroupState, (column,), measure.where)
    if measure.where is None:
        return (own,)
    # The share is of the whole table (Deequ).
    return own, Need(MomentsState, tuple(summed)) if summed else Need(CountState)


def _histogram(state: _Groups, table: CountState | MomentsState | None = None, max_bins: int = TOP) -> Histogram | None:
    summary = _summary(state)
    if not summary.groups and not summary.null_group:
        return None
    whole = amount = summary.n + summary.nulls
    if table is not None:
        whole = table.rows if isinstance(table, CountState) else table.total
    absolute: dict[str, float] = {}
    for key, count in summary.top[:max_bins]:
        label = NULL_LABEL if key is None else key
        absolute[label] = absolute.get(label, 0.0) + count
    ratio = {label: count / whole if whole else math.nan for label, count in absolute.items()}
    return Histogram(absolute, ratio, summary.groups + summary.null_group, amount - sum(absolute.values()))


def _grouped(name: str, unit: Unit, description: str, single: Callable[[_Groups], float | None], **traits: Any) -> Metric:
    """A metric of the groups of any columns."""
    declared: dict[str, Any] = {"kinds": _ANY, "most": sys.maxsize, "lowest": 0, **traits}
    return Metric(
        name, needs=(GroupState,), proposition=1, unit=unit, description=description, single=single, wants=_together(GroupState),
        of=(SINGLE_KINDS,), asked=True, **declared,
    )  # fmt: skip


COUNT_DISTINCT = _grouped(
    "count_distinct", "values", "number of distinct combinations", _of_groups(lambda s: s.groups, zero=True), whole=True, total=True,
    grows=True, always_defined=True,
    forms={"great-expectations": "expect_column_unique_value_count_to_be_between", "soda": "distinct_count({column})"},
)  # fmt: skip
DISTINCT_WITH_NULL = _grouped(
    "distinct_with_null", "values", "number of distinct values, null among them", _of_groups(lambda s: s.groups + s.null_group, zero=True),
    kinds=SINGLE_KINDS, most=1, whole=True, total=True, grows=True, always_defined=True,
    forms={"deequ": "hasNumberOfDistinctValues({column}, {bound})", "dqdl": "DistinctValuesCount {column}"},
)  # fmt: skip
UNIQUENESS = _grouped(
    "uniqueness", "ratio", "share of the rows whose combination occurs once", _of_groups(lambda s: s.singles / s.n), highest=1,
    plain="always", row_form=_ONCE,
    forms={
        "deequ": "hasUniqueness(Seq({columns}), {bound})", "dqdl": "Uniqueness {column}", "soda": "duplicate_count({columns}) = 0{whole}",
        "great-expectations": "expect_column_values_to_be_unique{whole}",
    },
)  # fmt: skip
DISTINCTNESS = _grouped(
    "distinctness", "ratio", "distinct combinations per row", _of_groups(lambda s: s.groups / s.n), highest=1, grows=True, plain="always",
    row_form=_ONCE,
    forms={
        "deequ": "hasDistinctness(Seq({columns}), {bound})",
        "great-expectations": "expect_column_proportion_of_unique_values_to_be_between",
    },
)  # fmt: skip
UNIQUE_VALUE_RATIO = _grouped(
    "unique_value_ratio", "ratio", "share of the distinct combinations that occur once", _of_groups(lambda s: s.singles / s.groups),
    highest=1, plain="always", row_form=_ONCE,
    forms={"deequ": "hasUniqueValueRatio(Seq({columns}), {bound})", "dqdl": "UniqueValueRatio {column}"},
)  # fmt: skip
ENTROPY = _grouped(
    "entropy", "value", "entropy of the values, in nats", lambda state: _summary(state).entropy, kinds=SINGLE_KINDS, most=1,
    forms={"deequ": "hasEntropy({column}, {bound})", "dqdl": "Entropy {column}"},
)  # fmt: skip
DUPLICATE_ROW_COUNT = _grouped(
    "duplicate_row_count", "rows", "rows whose combination occurs more than once", _of_groups(lambda s: s.repeated, zero=True), least=0,
    whole=True, always_defined=True, plain="always", row_form=RowForm(once, "upper", _answers),
)  # fmt: skip
MUTUAL_INFORMATION = Metric(
    "mutual_information", OF_ROWS, (PairState,), 1, "value", "what one column tells of the other, in nats",
    single=lambda state: _summary(state).mutual, wants=_together(PairState), least=2, most=2, of=(SINGLE_KINDS,), asked=True, lowest=0,
    forms={"deequ": "hasMutualInformation({a}, {b}, {bound})"},
)  # fmt: skip
HISTOGRAM = Metric(
    "histogram", _ANY, (GroupState,), 1, "rows", "rows by value", single=_histogram, wants=_histogram_wanted, most=2,
    of=(SINGLE_KINDS, NUMERIC), asked=True, number=False,
    parameters=(
        Parameter("max_bins", f"from 1 to {TOP}", lambda v: isinstance(v, int) and 1 <= v <= TOP, optional=True, of_value=True),
    ),
)  # fmt: skip
