"""All metrics by name: one line each. The order is that of AVH's Tables 3 and 4 and breaks ties in Algorithm 1; Deequ's follow."""

from __future__ import annotations

from collections.abc import Iterable

from avh_ui.errors import NotFoundError
from avh_ui.metrics import conditions, counts, distances, distribution, frequencies, moments, text, uniqueness
from avh_ui.metrics.column import NUMBER_KINDS, TEXT_KINDS, Kind
from avh_ui.metrics.conformance import ConformanceState
from avh_ui.metrics.measure import canonical
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.shapes import ShapeState
from avh_ui.metrics.state import State

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
    counts.ROW_COUNT,
    uniqueness.UNIQUE_RATIO,
    uniqueness.TEXT_UNIQUE_RATIO,
    counts.COMPLETE_RATIO,
    uniqueness.DIST_VAL_COUNT,
    *distances.NUMBER_DISTANCES,
    *distances.TEXT_DISTANCES,
    *distances.SHAPE_DISTANCES,
)
# Deequ's, measured for its rules. Programs by history are not made of them: there they only repeat what the metrics above see.
BESIDE: tuple[Metric, ...] = (
    moments.STANDARD_DEVIATION,
    text.MIN_LENGTH,
    text.MAX_LENGTH,
    conditions.COMPLIANCE,
)
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

_NUMBER_STATES: tuple[type[State], ...] = (counts.CountState, moments.MomentsState, distribution.DistributionState)
_TEXT_STATES: tuple[type[State], ...] = (counts.CountState, frequencies.FrequencyState)
# The states kept of a column of each kind.
STATES: dict[Kind, tuple[type[State], ...]] = {
    **dict.fromkeys(NUMBER_KINDS, _NUMBER_STATES),
    **dict.fromkeys(TEXT_KINDS, _TEXT_STATES),
    "string": (*_TEXT_STATES, text.TextState, ShapeState),
    "binary": (*_TEXT_STATES, text.TextState),
    "skipped": (counts.CountState,),
}
STATE_TYPES: dict[str, type[State]] = {state.key: state for states in STATES.values() for state in states}
# Measured on demand.
STATE_TYPES[ConformanceState.key] = ConformanceState

_BY_KIND: dict[tuple[str, Kind], Metric] = {(m.name, kind): m for m in (*CATALOGUE, *BESIDE) for kind in m.kinds}


def stored_states(type_name: str, records: Iterable[tuple[str, bytes]]) -> dict[str, State]:
    """The states of a stored column of this type by their keys; one that this release does not know is passed over: nothing needs it."""
    states = {key: STATE_TYPES[key].from_record(record) for key, record in records if key in STATE_TYPES}
    if isinstance(found := states.get(distribution.DistributionState.key), distribution.DistributionState):
        states[found.key] = found.upgraded(type_name)
    return states


def metrics_for(kind: Kind) -> tuple[Metric, ...]:
    """The metrics that programs are made of, for a kind, in catalogue order; none for skipped columns."""
    return tuple(m for m in CATALOGUE if kind in m.kinds)


def measured_for(kind: Kind) -> tuple[Metric, ...]:
    """All metrics measured of a kind: those of `metrics_for`, and Deequ's beside them."""
    return tuple(m for m in (*CATALOGUE, *BESIDE) if kind in m.kinds)


def metric(name: str, kind: Kind) -> Metric:
    """The metric of that name, or of that alias, for a kind; `NotFoundError` names the nearest."""
    try:
        return _BY_KIND[canonical(name), kind]
    except KeyError:
        raise NotFoundError(f"metric for {kind} columns", name, (m.name for m in measured_for(kind))) from None
