"""Labelling alarms: what people say of them, and what the next suggestion makes of it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import get_args

from avh_ui.config import Pipeline, Role
from avh_ui.errors import UsageError
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.standings import Said
from avh_ui.review.feedback import EXCLUDING, Feedback, FeedbackAction, FeedbackRepository, excluded_batches, standing_labels
from avh_ui.validator.run_store import RunStore
from avh_ui.workflows.roles import require


def give_feedback(
    repository: FeedbackRepository,
    people: Mapping[str, Role],
    pipeline: Pipeline,
    entry: Feedback,
    *,
    days: float = 0,
    expected: int | None = None,
) -> Feedback:
    """Append an entry, stamped with the time; a snooze holds for `days` from now.

    `ConflictError` when somebody said otherwise meanwhile (`expected`), `NotPermittedError` unless its author is reviewer or approver,
    `UsageError` for an unknown action, and a snooze that would end before it begins or be longer than the pipeline's `longest_snooze`.
    """
    require(entry.by, "reviewer", people, "label alarms")
    if entry.action not in get_args(FeedbackAction):
        raise UsageError(f"There is no label {entry.action!r}.", hint=f"Labels are {', '.join(get_args(FeedbackAction))}.")
    if entry.action == "snooze" and days <= 0:
        raise UsageError(f"A snooze of {days:g} days would be over already.", hint="Give a number of days above 0.")
    if entry.action == "snooze" and not days <= pipeline.longest_snooze:
        longest = f"{pipeline.longest_snooze:g} days, the longest_snooze of {pipeline.name!r} in avh.yml"
        raise UsageError(f"A snooze of {days:g} days is longer than {longest}.", hint="Snooze it again when it ends.")
    now = datetime.now(UTC)
    until = (now + timedelta(days=days)).isoformat(timespec="seconds") if entry.action == "snooze" else ""
    stamped = Feedback(entry.batch, entry.key, entry.action, entry.by, now.isoformat(timespec="seconds"), entry.why.strip(), until)
    return repository.give(pipeline.name, stamped, expected)


def words_of(snoozes: Mapping[str, Feedback]) -> dict[str, str]:
    """Snoozes by what alarmed as the end of a sentence: `until 2026-02-08 06:00 UTC by ann: vendor knows`."""

    def words(entry: Feedback) -> str:
        until = datetime.fromisoformat(entry.until).astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
        return f"until {until} by {entry.by}{f': {entry.why}' if entry.why else ''}"

    return {key: words(entry) for key, entry in snoozes.items()}


def tell_history(repository: FeedbackRepository, history: HistoryRepository, pipeline: str) -> None:
    """Keep in the history what people said of its batches: the validator reads no database, and compares with no batch that is wrong.

    Where either cannot be reached all stays as it was: the next label or validation does it.
    """
    with contextlib.suppress(Exception):
        history.tell(pipeline, said_of(repository.feedback(pipeline)))


def said_of(log: Iterable[Feedback]) -> dict[str, Said]:
    """What people say of each batch that has a label: one label that its data are wrong outweighs all others."""
    found: dict[str, Said] = {}
    for (batch, _), entry in standing_labels(log).items():
        if found.get(batch) != "wrong":
            found[batch] = "wrong" if entry.action in EXCLUDING else "right"
    return found


def batches_to_exclude(runs: RunStore, repository: FeedbackRepository, pipeline: str) -> list[str]:
    """The batches that the next suggestion must not learn from, in the order they were labelled.

    Those with an alarm labelled known error or real issue, unless what alarmed passed when the batch was last validated: then the
    data were mended.
    """
    log = repository.feedback(pipeline)
    batches = sorted({batch for (batch, _), entry in standing_labels(log).items() if entry.action in EXCLUDING})
    if not batches:
        return []
    latest = runs.recent(pipeline, len(batches), batches)
    return excluded_batches(log, ((run.batch, o.key) for run in latest for o in run.outcomes if not o.alarm))
