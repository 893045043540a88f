"""All metrics: one line each. The order is that of AVH's Tables 3 and 4 and breaks ties in Algorithm 1; Deequ's follow."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from avh_ui.errors import NotFoundError
from avh_ui.metrics import (
    bins,
    by_key,
    cardinality,
    carried,
    changed_rows,
    clocks,
    comoments,
    conditions,
    copied_rows,
    counts,
    dates,
    determining,
    distances,
    distribution,
    exchanged_rows,
    fallen_counters,
    filled_columns,
    frequencies,
    going_on,
    grouping,
    groups,
    jumped_rows,
    keys_matched,
    leapt_rows,
    lowest_columns,
    mistaken_rows,
    moments,
    most_frequent,
    narrowest_columns,
    net_rise,
    new_each_time,
    predicting,
    quantiles,
    repeated_columns,
    same_rate,
    standing_still,
    table_columns,
    text,
    together,
    uniqueness,
    value_types,
    values_gone,
    values_thinned,
    whole_numbers,
    zeros,
)  # fmt: skip
from avh_ui.metrics.column import NUMBER_KINDS, TEXT_KINDS, Kind
from avh_ui.metrics.conformance import ConformanceState
from avh_ui.metrics.decimal_points import PointState
from avh_ui.metrics.groups import GroupSummary
from avh_ui.metrics.measure import ALIASES, Measure, canonical
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.shapes import ShapeState
from avh_ui.metrics.state import ColumnState, State

CATALOGUE: tuple[Metric, ...] = (
    moments.MIN,
    moments.MAX,
    moments.MEAN,
    distribution.MEDIAN,
    moments.SUM,
    moments.RANGE,
    text.STR_LEN,
    text.CHAR_LEN,
    text.DIGIT_LEN,
    text.PUNC_LEN,
    dates.FIRST_DATE,
    dates.LAST_DATE,
    *dates.DAY_FIRST,
    *dates.MONTH_FIRST,
    counts.ROW_COUNT,
    uniqueness.UNIQUE_RATIO,
    uniqueness.TEXT_UNIQUE_RATIO,
    counts.COMPLETE_RATIO,
    uniqueness.DIST_VAL_COUNT,
    *distances.NUMBER_DISTANCES,
    *distances.TEXT_DISTANCES,
    *distances.SHAPE_DISTANCES,
    going_on.NOT_ABOVE,
    new_each_time.THERE_BEFORE,
    values_gone.GONE,
    values_gone.NUMBER_GONE,
    values_thinned.VALUE_LOSS,
    values_thinned.NUMBER_LOSS,
    text.CAPITAL_RATIO,
    clocks.CLOCK_DIST,
    clocks.MOMENT_CLOCK_DIST,
    whole_numbers.WHOLE_RATIO,
    most_frequent.TOP_RATIO,
    most_frequent.TEXT_TOP_RATIO,
)
# Deequ's, measured for its rules. Programs by history are not made of them: there they only repeat what the metrics above see.
BESIDE: tuple[Metric, ...] = (
    moments.STANDARD_DEVIATION,
    text.MIN_LENGTH,
    text.MAX_LENGTH,
    conditions.COMPLIANCE,
)
# Deequ's again, measured where somebody asks for them (`metric.asked`).
ASKED: tuple[Metric, ...] = (
    conditions.PATTERN_MATCH,
    zeros.ZEROS_COUNT,
    moments.VARIANCE,
    moments.SKEWNESS,
    moments.KURTOSIS,
    moments.RATIO_OF_SUMS,
    moments.FRESHNESS,
    comoments.CORRELATION,
    cardinality.APPROX_COUNT_DISTINCT,
    quantiles.APPROX_QUANTILE,
    quantiles.APPROX_QUANTILES,
    quantiles.EXACT_QUANTILE,
    quantiles.INTERQUARTILE_RANGE,
    filled_columns.LEAST_COMPLETE,
    filled_columns.LEAST_FILLED,
    lowest_columns.LOWEST,
    narrowest_columns.NARROWEST,
    repeated_columns.MOST_REPEATED,
    grouping.COUNT_DISTINCT,
    grouping.DISTINCT_WITH_NULL,
    grouping.UNIQUENESS,
    grouping.DISTINCTNESS,
    grouping.UNIQUE_VALUE_RATIO,
    grouping.ENTROPY,
    grouping.DUPLICATE_ROW_COUNT,
    grouping.MUTUAL_INFORMATION,
    grouping.HISTOGRAM,
    bins.HISTOGRAM_BINNED,
    value_types.DATA_TYPE,
    value_types.TYPE_RATIO,
    *table_columns.OF_SCHEMA,
    *keys_matched.OF_KEYS,
    *by_key.OF_VALUES,
    *carried.OF_CARRIED,
    carried.MISTAKEN_RISE,
    net_rise.NET_RISE,
    same_rate.SAME_RATE,
    *standing_still.OF_STANDING,
    mistaken_rows.MISTAKEN_ROWS,
    leapt_rows.LEAPT_ROWS,
    exchanged_rows.EXCHANGED_ROWS,
    fallen_counters.FALLEN_COUNTERS,
    changed_rows.CHANGED_ROWS,
    changed_rows.MOST_CHANGED,
    changed_rows.MOST_EMPTIED,
    changed_rows.MOST_UNCHANGED,
    jumped_rows.JUMPED_ROWS,
    together.REFERS_TO,
    together.MATCH_RATIO,
    together.ROW_COUNT_RATIO,
    together.SCHEMA_MATCH,
    together.CUSTOM_SQL,
    predicting.PREDICTABILITY,
    determining.DETERMINED_RATIO,
    copied_rows.COPIED_ROWS,
)
ASKED_NAMES = frozenset(m.name for m in ASKED)
# Of each column the metrics that tell the most in one line, in the order in which they are read.
SUMMARY: tuple[Metric, ...] = (
    counts.COMPLETE_RATIO,
    uniqueness.UNIQUE_RATIO,
    uniqueness.DIST_VAL_COUNT,
    moments.MIN,
    moments.MEAN,
    moments.MAX,
    text.STR_LEN,
)

_NUMBER_STATES: tuple[type[ColumnState], ...] = (counts.CountState, moments.MomentsState, distribution.DistributionState)
_TEXT_STATES: tuple[type[ColumnState], ...] = (counts.CountState, frequencies.FrequencyState)
# The states kept of a column of each kind.
STATES: dict[Kind, tuple[type[ColumnState], ...]] = {
    **dict.fromkeys(NUMBER_KINDS, _NUMBER_STATES),
    **dict.fromkeys(TEXT_KINDS, _TEXT_STATES),
    "string": (*_TEXT_STATES, text.TextState, ShapeState),
    "binary": (*_TEXT_STATES, text.TextState),
    "skipped": (counts.CountState,),
    "rows": (),
}
EVERY = (*CATALOGUE, *BESIDE, *ASKED)
# The states that measuring gives, by their keys.
_MEASURED: list[type[State]] = [
    *(state for states in STATES.values() for state in states), *(state for m in EVERY for state in m.needs), groups.SumState,
    bins.EqualBins,
]  # fmt: skip
MEASURED = {state.key: state for state in _MEASURED}
# Those of a profile: of groups their summary; and what is measured on demand, or of numbers that are texts.
STATE_TYPES: dict[str, type[State]] = {
    **MEASURED, **dict.fromkeys((s.key for s in MEASURED.values() if issubclass(s, groups.GroupState)), GroupSummary),
    ConformanceState.key: ConformanceState, PointState.key: PointState,
}  # fmt: skip

_BY_KIND: dict[tuple[str, str], Metric] = {(m.name, kind): m for m in EVERY for kind in m.kinds}
_BY_NAME: dict[str, tuple[Metric, ...]] = {m.name: tuple(other for other in EVERY if other.name == m.name) for m in EVERY}


def state_type(key: str) -> type[State] | None:
    """The type of a state of a profile by its key (`metric.key_in`); None for one that this release does not know."""
    return STATE_TYPES.get(key.split(" ", maxsplit=1)[0])


def stored_states(type_name: str, records: Iterable[tuple[str, bytes]]) -> dict[str, State]:
    """The states of a stored column of this type by their keys; one that this release does not know is passed over: nothing needs it."""
    states = {key: known.from_record(record) for key, record in records if (known := state_type(key))}
    if isinstance(found := states.get(distribution.DistributionState.key), distribution.DistributionState):
        states[found.key] = found.upgraded(type_name)
    return states


def counts_rows(measure: Measure) -> bool:
    """Whether it is the number of rows of the table itself, which every profile has whatever its columns."""
    return (
        not measure.columns and not measure.parameters and measure.where is None and any(m.volume for m in _BY_NAME.get(measure.name, ()))
    )


def of_schema(measure: Measure) -> bool:
    """Whether it is of the table's columns themselves, which every profile tells."""
    return any(m.of_schema for m in _BY_NAME.get(measure.name, ()))


def of_any_kind(metric: Metric | None) -> bool:
    """Whether it counts rows or nulls, of texts as of numbers: a column that turns from the one to the other keeps it."""
    return metric is not None and bool(metric.needs) and all(need is counts.CountState for need in metric.needs)


def of_whole_rows(measure: Measure) -> bool:
    """Whether it is of the rows of a sample with as many columns as it names, and not of a column of theirs."""
    return bool(measure.key) and any(m.of_several for m in _BY_NAME.get(measure.name, ()))


def each_alone(measure: Measure) -> str | None:
    """What it says of each of its columns, where that is what each tells by itself: the name of that metric; None of any other."""
    if measure.key or measure.where is not None:
        return None
    return next((m.each for m in _BY_NAME.get(measure.name, ()) if m.each), None)


def known_of(measure: Measure) -> bool:
    """Whether every profile tells it, so that nothing is measured for it: the number of rows, and what is of the columns themselves."""
    return counts_rows(measure) or of_schema(measure)


@cache
def metrics_for(kind: Kind) -> tuple[Metric, ...]:
    """The metrics that programs are made of, for a kind, in catalogue order; none for skipped columns."""
    return tuple(m for m in CATALOGUE if kind in m.kinds)


@cache
def measured_for(kind: Kind) -> tuple[Metric, ...]:
    """All metrics measured of every column of a kind: those of `metrics_for`, and Deequ's beside them."""
    return tuple(m for m in (*CATALOGUE, *BESIDE) if kind in m.kinds)


@cache
def asked_for(kind: Kind) -> tuple[Metric, ...]:
    """The metrics that are measured of columns of a kind where somebody asks for them."""
    return tuple(m for m in ASKED if kind in m.kinds)


def metric(name: str, kind: Kind) -> Metric:
    """The metric of that name, or of that alias, for a kind; `NotFoundError` names the nearest."""
    found = metric_or_none(name, kind)
    if found is None:
        raise NotFoundError(f"metric for {kind} columns", name, (m.name for m in measured_for(kind)))
    return found


def metric_or_none(name: str, kind: str) -> Metric | None:
    """The same; None where there is none, which takes no search for the nearest."""
    return _BY_KIND.get((canonical(name), kind))


def named(name: str) -> tuple[Metric, ...]:
    """The metrics of that name, or of that alias, each of other kinds of columns; `NotFoundError` names the nearest."""
    if canonical(name) not in _BY_NAME:
        raise NotFoundError("metric", name, (*_BY_NAME, *ALIASES))
    return _BY_NAME[canonical(name)]
