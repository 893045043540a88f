"""How many values are distinct: `unique_ratio` and `dist_val_count` (AVH, Tables 3 and 4).

Exact up to `EXACT` distinct values, else from a HyperLogLog sketch; exact too where all values were grouped, as they are of a column that a
program calls unique.
"""

from __future__ import annotations

from dataclasses import replace

from avh_ui.metrics.column import NUMBER_KINDS, TEXT_KINDS
from avh_ui.metrics.distinct import HLL_RELATIVE_ERROR
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import Metric, States, find
from avh_ui.metrics.row_forms import RowForm, once
from avh_ui.metrics.state import State
from avh_ui.metrics.wording import Wording

_Distinct = DistributionState | FrequencyState


def sketched(states: States) -> bool:
    """Whether the number of distinct values among a column's states is an estimate."""
    state = find(states, DistributionState) or find(states, FrequencyState)
    return state is not None and not state.counted


def grouped(states: States, distinct: int) -> dict[str, State]:
    """The states with the number of distinct values that grouping all of them gave."""
    return {key: replace(s, grouped=distinct) if isinstance(s, _Distinct) else s for key, s in states.items()}


def _unique_ratio(state: _Distinct) -> float | None:
    return state.distinct() / state.n if state.n else None


def _error(state: _Distinct, value: float) -> float:
    """One standard error of the sketch, of a count or of a ratio that has it above."""
    return 0.0 if state.counted else HLL_RELATIVE_ERROR * value


UNIQUE_RATIO = Metric(
    "unique_ratio", NUMBER_KINDS, (DistributionState,), 1, "ratio", "distinct values per non-null value", single=_unique_ratio,
    lowest=0, highest=1, error=_error, relative_error=HLL_RELATIVE_ERROR,
    grows=True, tells_keys=True, row_form=RowForm(once, "lower"), sql="COUNT(DISTINCT {column}) * 1E0 / COUNT({column})",
    forms={
        "deequ": "hasDistinctness(Seq({column}), {bound})", "odcs": "uniqueness",
        "great-expectations": "expect_column_proportion_of_unique_values_to_be_between",
    },
    says=Wording(
        "How many of the values are different, as a share: 100% where no value occurs twice.", "the share of different values of {column}",
        "Between {low} and {high} of the values of {column} are different", "At least {low} of the values of {column} are different",
        "At most {high} of the values of {column} are different", "{low} of the values of {column} are different, always",
        {1.0: "No value of {column} occurs twice"},
    ),
)  # fmt: skip
TEXT_UNIQUE_RATIO = replace(UNIQUE_RATIO, kinds=TEXT_KINDS, needs=(FrequencyState,))
DIST_VAL_COUNT = Metric(
    "dist_val_count", TEXT_KINDS, (FrequencyState,), 1, "values", "number of distinct values", single=lambda s: s.distinct(),
    lowest=0, whole=True, error=_error, relative_error=HLL_RELATIVE_ERROR,
    total=True, grows=True, always_defined=True, of_every_value=True, plain="constant",
    sql="COUNT(DISTINCT {column})",
    forms={
        "deequ": "hasApproxCountDistinct({column}, {bound})", "dqx": "count_distinct {column}", "odcs": "uniqueness",
        "great-expectations": "expect_column_unique_value_count_to_be_between",
    },
    says=Wording(
        "How many different values there are.", "the number of different values of {column}",
        "{column} has {low} to {high} different values",
        "{column} has at least {low} different values", "{column} has at most {high} different values",
        "{column} always has {low} different values", {1.0: "{column} has one and the same value in all rows of a batch"},
        each="Each of the {low} values of {column} comes in every batch",
    ),
)  # fmt: skip
