"""A batch that was delivered before: its content is that of one of the latest batches. Judged from the second batch on, by any program.

It is an error unless avh.yml says otherwise: who asks for a batch a day expects new rows, and the old ones loaded once more count twice
downstream. A table that rarely changes repeats itself among the batches it has, so that it does not alarm. That a change is often taken
back makes no habit of yesterday's file: of 33 deliveries of one table of airports three were those of two days before, and one the day's
before.

Yesterday's rows under today's date are told where that never happened in a week of batches: what is compared is all but the dates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from avh_ui.config import Severity
from avh_ui.constraints.constraint import Level, Status
from avh_ui.errors import AvhError
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.standings import Standing
from avh_ui.metrics.content import content_of, rewritten, same_sums, undated_content_of
from avh_ui.metrics.delivery import columns_named
from avh_ui.metrics.profile import BatchProfile
from avh_ui.validator.results import RuleResult

RULE = "stale"
# One repetition may be an accident that nobody noticed; two are a habit.
_HABIT = 2
# Of a younger table nobody knows whether its rows come again each day.
_WEEK = 7


def stale_results(
    profile: BatchProfile, severity: Severity, history: HistoryRepository, standings: Callable[[], Sequence[Standing]]
) -> tuple[RuleResult, ...]:
    """One result when the batch has the content of one of those before it, or all but its dates, which `standings` gives in their order;
    else none.

    Where the newest of them was kept by an older release, it is compared by its states. A failure of the history is not evaluated.
    """
    if severity == "off":
        return ()
    try:
        before = standings()
        found = repeated(profile, history, before)
        if not found:
            return _under_another_date(profile, severity, history, before)
        known = _with_contents(history, profile.pipeline, before)
    except AvhError as error:
        told = f"Whether the batch repeats an earlier one is not known: {error}"
        return (RuleResult(RULE, "", "not_evaluated", severity, told),)
    return (_result(profile, severity, found, known),)


def repeated(profile: BatchProfile, history: HistoryRepository, before: Sequence[Standing]) -> str | None:
    """The newest batch before with the same content; None where there is none. States are read only where contents agree."""
    content = content_of(profile)
    known = [*before[:-1], *_with_contents(history, profile.pipeline, before[-1:])]
    for standing in reversed(known):
        if standing.content == content and same_sums(profile, history.load(profile.pipeline, standing.batch)):
            return standing.batch
    return None


def _under_another_date(
    profile: BatchProfile, severity: Level, history: HistoryRepository, before: Sequence[Standing]
) -> tuple[RuleResult, ...]:
    """One result when it has all but the dates of the newest batch, which none of these did to another; else none. Of older ones a day may
    be made on purpose: who fills a gap, or tries a rule, takes the rows of two weeks ago.
    """
    undated = undated_content_of(profile) if profile.rows > 1 else ""
    newest = _undated(history, profile.pipeline, before[-1:]) if undated else []
    found = next((s.batch for s in newest if s.undated == undated), None)
    if found is None:
        return ()
    other = history.load(profile.pipeline, found)
    names = rewritten(profile, other)
    kept = [s for s in _undated(history, profile.pipeline, before) if s.undated]
    seen = [s.undated for s in kept]
    usual = any(s.accepted and s.undated in seen[:k] for k, s in enumerate(kept))
    if not names or usual or len(kept) < _WEEK or not same_sums(profile, other, names):
        return ()
    told = (
        f"The batch is stale: but for {columns_named(names)} it has the same content as {found}, the batch before; the same "
        f"{profile.rows:,} rows were delivered again, and none of the last {len(kept):,} deliveries did so."
    )
    return (RuleResult(RULE, "", "fail" if severity == "error" else "warn", severity, told),)


def _undated(history: HistoryRepository, pipeline: str, before: Sequence[Standing]) -> list[Standing]:
    return [s if s.undated or s.unread else replace(s, undated=undated_content_of(history.load(pipeline, s.batch))) for s in before]


def _ago(before: Sequence[Standing], found: str) -> str:
    steps = len(before) - next(k for k, s in enumerate(before) if s.batch == found)
    return "the batch before" if steps == 1 else f"{steps:,} batches before"


def _with_contents(history: HistoryRepository, pipeline: str, before: Sequence[Standing]) -> list[Standing]:
    return [s if s.content or s.unread else replace(s, content=content_of(history.load(pipeline, s.batch))) for s in before]


def _result(profile: BatchProfile, severity: Level, found: str, before: Sequence[Standing]) -> RuleResult:
    steps = len(before) - next(k for k, s in enumerate(before) if s.batch == found)
    habit = _repeated_alike(before, at_once=steps == 1)
    count, of = len(habit), f"the last {len(before):,} deliveries"
    if count >= _HABIT or any(s.said == "right" for s in habit):
        theirs = "the batch before them" if steps == 1 else "an earlier one"
        told = f"The batch has the same content as {found}, as {count:,} of {of} had that of {theirs}."
        return RuleResult(RULE, "", "pass", severity, told)
    where = _ago(before, found)
    # A single row may well be the same by chance.
    level: Level = "warning" if profile.rows == 1 else severity
    status: Status = "fail" if level == "error" else "warn"
    usual = f"{count:,} of {of} did so" if count else f"none of {of} did so"
    rows = "row was" if profile.rows == 1 else "rows were"
    told = (
        f"The batch is stale: it has the same content as {found}, {where}; the same {profile.rows:,} {rows} delivered again, and {usual}."
    )
    return RuleResult(RULE, "", status, level, told)


def _repeated_alike(before: Sequence[Standing], *, at_once: bool) -> list[Standing]:
    """The accepted batches that repeated the one before them, or (not `at_once`) one before that: a change that was taken back."""
    contents = [s.content for s in before]
    repeated = [(s, k > 0 and s.content == contents[k - 1]) for k, s in enumerate(before) if s.accepted and s.content in contents[:k]]
    return [s for s, followed in repeated if followed == at_once]
