"""The run of a batch of which nothing could be judged."""

from __future__ import annotations

from datetime import UTC, datetime

from avh_ui.constraints.program import Program
from avh_ui.validator.results import RuleResult
from avh_ui.validator.run import Run
from avh_ui.validator.unmeasured import not_evaluated

_REJECTED = {
    "empty_batch": "the batch is empty",
    "batch_not_found": "the batch is not at its source",
    "unreadable_batch": "the batch cannot be read",
    "unfinished_delivery": "the batch is still being written",
}


def rejected(program: Program, batch: str, rule: str, message: str, *, rows: int | None = None) -> Run:
    """The run of a batch of which no constraint could be judged: it fails when it is empty (`rows` 0), else is not evaluated."""
    status = "fail" if rows == 0 else "not_evaluated"
    why = _REJECTED.get(rule, "the batch was rejected")
    verdicts = tuple(not_evaluated(c, f"{c.alarmed} was not measured: {why}.") for c in program.constraints)
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
