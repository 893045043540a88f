"""Numbers that are none: NaN or infinities in a column that had neither, as a division by 0 leaves them.

Judged by any program once there is a batch before: an infinite number moves no median, is above no smallest value, and would pass.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from avh_ui.config import Severity
from avh_ui.constraints.constraint import Status
from avh_ui.errors import UNREADABLE_BATCH, AvhError
from avh_ui.history.repository import HistoryRepository
from avh_ui.metrics.moments import MomentsState
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.validator.run import RuleResult

RULE = "not_finite"
# So many earlier batches say what is usual, as of a delivery (`delivery_rules`).
_RECENT = 10


def finite_results(
    profile: BatchProfile, severity: Severity, history: HistoryRepository, before: Callable[[], Sequence[str]]
) -> tuple[RuleResult, ...]:
    """One result for each column of numbers that has NaN or an infinity and had none in the latest sound batches, of those that `before`
    gives in their order; none where nothing is known of these. A failure of the history is not evaluated.
    """
    found = {name: told for name, column in profile.columns.items() if (told := _told(column))}
    if severity == "off" or not found:
        return ()
    try:
        known = _recent(profile, history, before()[-_RECENT:], found)
    except AvhError as error:
        return tuple(
            RuleResult(RULE, name, "not_evaluated", severity, f"Whether {name} always has {told} is not known: {error}")
            for name, told in found.items()
        )
    status: Status = "fail" if severity == "error" else "warn"
    results = []
    for name, told in found.items():
        columns = [one.columns[name] for one in known if name in one.columns]
        if columns and not any(_told(one) for one in columns):
            usual = f"none of the last {len(columns):,} batches had" if len(columns) > 1 else "the batch before had none"
            results.append(RuleResult(RULE, name, status, severity, f"{name} has {told}; {usual}. Was something divided by 0?"))
    return tuple(results)


def _recent(profile: BatchProfile, history: HistoryRepository, batches: Sequence[str], columns: Mapping[str, str]) -> list[BatchProfile]:
    """Those of the batches that are sound and can be read, with these columns."""
    sound = [s.batch for s in history.standings(profile.pipeline, list(batches)) if s.sound]
    found = []
    for batch in sound:
        try:
            found.append(history.load(profile.pipeline, batch, list(columns)))
        except UNREADABLE_BATCH:
            continue
    return found


def _told(column: ColumnProfile) -> str:
    """What a column has that is no number; '' where all are."""
    state = column.states.get(MomentsState.key)
    if not isinstance(state, MomentsState):
        return ""
    infinite = ["infinite numbers"] if state.n and (math.isinf(state.low) or math.isinf(state.high)) else []
    nans = [f"{state.nans:,} value{'' if state.nans == 1 else 's'} that {'is' if state.nans == 1 else 'are'} NaN"] if state.nans else []
    return " and ".join([*nans, *infinite])
