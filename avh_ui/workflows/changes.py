"""Which lasting change a label of an alarm speaks of: of what, and since which batch."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import cache

from avh_ui.history.regimes import TABLE
from avh_ui.history.series import batch_order
from avh_ui.review.feedback import CHANGE, EXCLUDING, Feedback, LastingChange, standing_labels
from avh_ui.validator.alarms import Judged, judged
from avh_ui.validator.results import Outcome
from avh_ui.validator.run import Run, RunStore, RunSummary
from avh_ui.workflows.incidents import LOOKS_BACK


def change_of(
    runs: Sequence[RunSummary], log: Iterable[Feedback], batch: str, key: str, load: Callable[[int], Run]
) -> LastingChange | None:
    """What the alarm of `key` on a batch says has changed: since the first of the runs before it that alarmed one after the other of the
    same, and are not labelled: not as wrong, and this alarm not as something else, such as an earlier change. None where the alarm is of
    no column and not of the number of rows. `runs` are in order.
    """
    if key.startswith(f"{CHANGE}/"):
        return LastingChange(key.removeprefix(f"{CHANGE}/"), batch)
    at = next((k for k, run in enumerate(runs) if run.batch == batch), None)
    alarm = None if at is None else _alarm(runs[at], key)
    if at is None or alarm is None:
        return None
    column = _column(alarm, lambda: load(runs[at].id))
    if column is None:
        return None
    labels = standing_labels(log)
    wrong = {entry.batch for entry in labels.values() if entry.action in EXCLUDING}
    told = {one for one, name in labels if name == key}
    first = at
    while first > 0 and _alarm(runs[first - 1], key) is not None and runs[first - 1].batch not in wrong | told:
        first -= 1
    return LastingChange(column, runs[first].batch)


def changes_told(
    runs: RunStore, pipeline: str, batches: Sequence[str], log: Sequence[Feedback]
) -> Callable[[str, str], LastingChange | None]:
    """`change_of` for many alarms, by batch and key, from the kept runs of the `LOOKS_BACK` batches before each, however old it is. Each
    run is loaded once; `batches` are those of the history.
    """
    loaded = cache(lambda run: runs.load(pipeline, run))

    @cache
    def upto(batch: str) -> list[RunSummary]:
        before = [one for one in batches if batch_order(one) < batch_order(batch)][-LOOKS_BACK:]
        return runs.recent(pipeline, LOOKS_BACK + 1, [*before, batch])

    return lambda batch, key: change_of([] if key.startswith(f"{CHANGE}/") else upto(batch), log, batch, key, loaded)


def whole_changes(
    runs: RunStore, pipeline: str, log: Sequence[Feedback], alarms: Sequence[tuple[str, str]], action: str
) -> list[tuple[str, str]]:
    """The alarms, (batch, key) each, and after them those that a label is of too: an expected change is one event over all batches that
    alarm of it, and taken back it is taken back of all.
    """
    labels, found = standing_labels(log), dict[tuple[str, str], None]()
    if action == "expected_change":
        judges = [judged(one.batch, one.rows, one.results) for one in runs.unpassed(pipeline, LOOKS_BACK)]
        for batch, key in alarms:
            found |= dict.fromkeys((one, key) for one in _goes_on(judges, labels, batch, key))
    elif action == "unlabel":
        changes = {(key, label.change) for batch, key in alarms if (label := labels.get((batch, key))) is not None and label.change}
        found |= dict.fromkeys(one for one, entry in labels.items() if (one[1], entry.change) in changes)
    return [*alarms, *(one for one in found if one not in alarms)]


def _goes_on(judges: Sequence[Judged], labels: Container[tuple[str, str]], batch: str, key: str) -> Iterator[str]:
    """The batches after one that alarm of the same to the same side, one after the other, up to the first that has a label."""
    sides = {one.batch: {alarm.key: alarm.sign for alarm in one.alarms} for one in judges}
    side = sides.get(batch, {}).get(key)
    later = [one for one in sides if batch_order(one) > batch_order(batch)]
    for one in later if side is not None else ():
        if sides[one].get(key) != side or (one, key) in labels:
            return
        yield one


def judged_since(runs: Iterable[RunSummary], entry: Feedback) -> list[str]:
    """The batches that were judged after an expected change was said, by what it made normal, and raised no alarm of what it is of."""
    change = entry.change
    if change is None:
        return []
    later = (run for run in runs if run.started > entry.at and batch_order(run.batch) > batch_order(change.since))
    return [run.batch for run in later if _alarm(run, entry.key) is None]


def _alarm(run: RunSummary, key: str) -> Outcome | None:
    return next((o for o in run.outcomes if o.key == key and o.status in ("fail", "warn")), None)


def _column(alarm: Outcome, load: Callable[[], Run]) -> str | None:
    if alarm.is_rule:
        return alarm.column or None
    constraint = next((v.constraint for v in load().verdicts if v.constraint.key == alarm.key), None)
    return None if constraint is None else TABLE if constraint.of_table else constraint.column
