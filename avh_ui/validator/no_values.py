"""Values that are none, in a column that had none such: NaN and infinities as a division by 0 leaves them, and empty texts.

Judged by any program once there is a batch before. An infinite number moves no median and is above any smallest value; an empty text is not
null, and conforms to every pattern and list, since it is no value of these: half of a column could be lost so, and pass.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from avh_ui.config import Severity
from avh_ui.constraints.constraint import Level, Status
from avh_ui.errors import UNREADABLE_BATCH, AvhError
from avh_ui.history.repository import HistoryRepository
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import find
from avh_ui.metrics.moments import MomentsState
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.validator.results import RuleResult

NOT_FINITE, EMPTY_TEXTS = "not_finite", "empty_texts"
# A month of a daily table says what is usual. After n batches without, the next has some by chance once in n + 1 where it was any of them:
# of texts that share of the values is let pass, since a form that somebody left empty is no fault of the batch.
_RECENT = 30
# A week says whether a column of numbers has a NaN now and then; before it the same share of them is let pass.
_YOUNG = 7
# The rule that a column is a matter of, what it has that is no value, and the share of such texts or NaN (of infinities 1).
_Odd = tuple[str, str, float]


def no_value_results(
    profile: BatchProfile, severity: Severity, history: HistoryRepository, before: Callable[[], Sequence[str]]
) -> tuple[RuleResult, ...]:
    """One result for each column that has NaN, infinities or empty texts and had none in the latest sound batches, of those that `before`
    gives in their order; none where nothing is known of these. A failure of the history is not evaluated.
    """
    if severity == "off":
        return ()
    found = {name: told for name, column in profile.columns.items() if (told := _odd(column)) is not None}
    if not found:
        return ()
    try:
        without = _without(profile, history, before()[-_RECENT:], found)
    except AvhError as error:
        return tuple(
            RuleResult(rule, name, "not_evaluated", severity, f"Whether {name} always has {told} is not known: {error}")
            for name, (rule, told, _) in found.items()
        )
    results = (_judged(name, found[name], batches, severity) for name, batches in without.items() if batches)
    return tuple(result for result in results if result is not None)


def _judged(name: str, odd: _Odd, batches: int, severity: Level) -> RuleResult | None:
    rule, told, share = odd
    if share <= 1 / (batches + 1) and (rule == EMPTY_TEXTS or batches < _YOUNG):
        return None
    usual = f"none of the last {batches:,} batches had" if batches > 1 else "the batch before had none"
    why = " Was something divided by 0?" if rule == NOT_FINITE else " They are not null, and no pattern or list tells them."
    status: Status = "fail" if severity == "error" else "warn"
    return RuleResult(rule, name, status, severity, f"{name} has {told}; {usual}.{why}")


def _without(profile: BatchProfile, history: HistoryRepository, batches: Iterable[str], columns: Mapping[str, _Odd]) -> dict[str, int]:
    """How many of the batches that are sound and can be read have each of these columns, of those that never had such values there. The
    newest is read first: where a column always has some, it is the only one.
    """
    found = dict.fromkeys(columns, 0)
    for standing in reversed(history.standings(profile.pipeline, list(batches))):
        if found and standing.sound:
            with contextlib.suppress(*UNREADABLE_BATCH):
                known = history.load(profile.pipeline, standing.batch, list(found)).columns
                odd = {name: _odd(known[name]) for name in found if name in known}
                found = {name: count + (name in odd) for name, count in found.items() if (odd.get(name) or ("",))[0] != columns[name][0]}
    return found


def _odd(column: ColumnProfile) -> _Odd | None:
    """What of a column is no value; None where all are values."""
    numbers, texts = find(column.states, MomentsState), find(column.states, FrequencyState)
    if numbers is not None:
        infinite = ["infinite numbers"] if numbers.n and (math.isinf(numbers.low) or math.isinf(numbers.high)) else []
        nans = [f"{_many(numbers.nans, 'value')} that {'is' if numbers.nans == 1 else 'are'} NaN"] if numbers.nans else []
        share = 1.0 if infinite else numbers.nans / max(numbers.n + numbers.nans, 1)
        return (NOT_FINITE, " and ".join([*nans, *infinite]), share) if share else None
    if texts is None or column.kind != "string" or not (empty := texts.table.get("", 0)):
        return None
    return EMPTY_TEXTS, f"{_many(empty, 'empty text')} among its {texts.n:,} values", empty / texts.n


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
