"""Which lasting change a label of an alarm speaks of: of what, and since which batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from avh_ui.history.regimes import TABLE
from avh_ui.history.series import batch_order
from avh_ui.review.feedback import CHANGE, EXCLUDING, Feedback, LastingChange, standing_labels
from avh_ui.validator.run import Outcome, Run, RunStore, RunSummary
from avh_ui.workflows.incidents import LOOKS_BACK


def change_of(
    runs: Sequence[RunSummary], log: Iterable[Feedback], batch: str, key: str, load: Callable[[int], Run]
) -> LastingChange | None:
    """What the alarm of `key` on a batch says has changed: since the first of the runs before it that alarmed one after the other of the
    same, and are not labelled as wrong. None where the alarm is of no column and not of the number of rows. `runs` are in order.
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
    wrong = {entry.batch for entry in standing_labels(log).values() if entry.action in EXCLUDING}
    first = at
    while first > 0 and _alarm(runs[first - 1], key) is not None and runs[first - 1].batch not in wrong:
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


def _alarm(run: RunSummary, key: str) -> Outcome | None:
    return next((o for o in run.outcomes if o.key == key and o.status in ("fail", "warn")), None)


def _column(alarm: Outcome, load: Callable[[], Run]) -> str | None:
    if alarm.is_rule:
        return alarm.column or None
    constraint = next((v.constraint for v in load().verdicts if v.constraint.key == alarm.key), None)
    return None if constraint is None else TABLE if constraint.of_table else constraint.column
