"""What is kept of a validated batch in the history: its profile, with what became of it, which decides what later batches learn from."""

from __future__ import annotations

from dataclasses import replace

from avh_ui.history.repository import HistoryRepository
from avh_ui.history.standings import outcome
from avh_ui.metrics.catalogue import counts_rows
from avh_ui.metrics.profile import BatchProfile
from avh_ui.validator.results import Outcome
from avh_ui.validator.run import Run
from avh_ui.validator.stale import RULE as STALE


def keep(profile: BatchProfile, run: Run, history: HistoryRepository) -> None:
    """Store a validated profile with its outcome: the next batch compares with it."""
    # A snoozed failure warns, and is no batch to compare with either.
    rules = any(_failed(r.status, r.level) for r in run.rules)
    bad = [v.constraint for v in run.verdicts if _failed(v.status, v.constraint.level)]
    # What is said of all rows, or of no single column, is said of every column.
    columns = {c.column for c in bad} if not rules and all(c.measure.standard and not counts_rows(c.measure) for c in bad) else set()
    failed = [Outcome.of(r).key for r in run.rules if _failed(r.status, r.level)] + [c.key for c in bad]
    stale = any(r.rule == STALE and r.status in ("fail", "warn") for r in run.rules)
    kept = outcome("fail" if rules or bad else run.status, stale=stale, failed_in=columns, failed_by=failed)
    history.save(replace(profile.kept(), extra={**profile.extra, **kept, "program": str(run.program_version)}))


def _failed(status: str, level: str) -> bool:
    return status == "fail" or (status, level) == ("warn", "error")
