"""The run of a batch of which nothing could be judged, and of one that may be empty."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from avh_ui.config import Severity
from avh_ui.constraints.constraint import Status
from avh_ui.constraints.program import Program
from avh_ui.validator.results import RuleResult
from avh_ui.validator.run import Run
from avh_ui.validator.unmeasured import not_evaluated

EMPTY = "empty_batch"
_REJECTED = {
    EMPTY: "the batch is empty",
    "batch_not_found": "the batch is not at its source",
    "unreadable_batch": "the batch cannot be read",
    "unfinished_delivery": "the batch is still being written",
}


def rejected(program: Program, batch: str, rule: str, message: str, *, rows: int | None = None) -> Run:
    """The run of a batch of which no constraint could be judged: it fails when it is empty (`rows` 0), else is not evaluated."""
    status = "fail" if rows == 0 else "not_evaluated"
    why = _REJECTED.get(rule, "the batch was rejected")
    verdicts = tuple(not_evaluated(c, f"{c.alarmed} was not measured: {why}.") for c in program.judged)
    return Run(
        pipeline=program.pipeline,
        batch=batch,
        program_version=program.version,
        program_sha256=program.sha256,
        started=datetime.now(UTC).isoformat(timespec="milliseconds"),
        seconds=0.0,
        row_count=rows,
        rules=(RuleResult(rule, "", status, "error", message),),  # type: ignore[arg-type]
        verdicts=verdicts,
    )


def with_empty(run: Run, severity: Severity) -> Run:
    """The run as avh.yml says of batches without rows (`severities: {empty: ...}`): one that may be empty warns or passes, and its
    constraints have nothing to judge. One that fails is told how to say that it may. Other runs are as they were.
    """
    found = next((result for result in run.rules if result.rule == EMPTY), None)
    if found is None:
        return run
    if severity == "error":
        one = f"`avh label {run.pipeline} false-alarm --batch {run.batch}`"
        hint = f"Where batches may be empty, `severities: {{empty: warning}}` (or `off`) in avh.yml says so; of this one alone {one}."
        return replace(run, rules=tuple(replace(r, message=f"{r.message} {hint}") if r is found else r for r in run.rules))
    status: Status = "warn" if severity == "warning" else "pass"
    return replace(run, rules=(replace(found, status=status, level="warning"),), verdicts=())


def empty_status(run: Run) -> Status | None:
    """How a batch without rows was judged; None of another."""
    return next((result.status for result in run.rules if result.rule == EMPTY), None)
