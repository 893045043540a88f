"""Validation results as one table for reports: a row per rule and batch, of the newest run of each batch."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from avh_ui.validator.results import RuleResult
from avh_ui.validator.run import Run

# The columns in their order; once published a name keeps its meaning. Numbers that are infinite or undefined stay so.
SCHEMA = pa.schema(
    [
        ("pipeline", pa.string()),
        ("batch", pa.string()),
        ("validated", pa.timestamp("us", "UTC")),
        ("run_status", pa.string()),
        ("program_version", pa.int32()),
        ("program_sha256", pa.string()),
        ("rows", pa.int64()),
        ("column", pa.string()),
        ("metric", pa.string()),
        ("rule", pa.string()),
        ("status", pa.string()),
        ("level", pa.string()),
        ("observed", pa.float64()),
        ("lower", pa.float64()),
        ("upper", pa.float64()),
        ("failing_rows", pa.int64()),
        ("message", pa.string()),
    ]
)


def results_table(runs: Iterable[Run]) -> pa.Table:
    """A row per result of each run. Of a constraint `metric` is set, of a rule about the whole batch (its schema, its delivery) `rule`;
    `column` is '' for the table. `observed`, `lower` and `upper` are null where nothing was computed or there is no bound.
    """
    return pa.Table.from_pylist([row for run in runs for row in _rows(run)], SCHEMA)


def _rows(run: Run) -> Iterable[dict[str, Any]]:
    moment = datetime.fromisoformat(run.started)
    whole = {
        "pipeline": run.pipeline,
        "batch": _text(run.batch),
        "validated": moment if moment.tzinfo else moment.replace(tzinfo=UTC),
        "run_status": run.status,
        "program_version": run.program_version,
        "program_sha256": run.program_sha256,
        "rows": run.row_count,
    }
    for result in run.results:
        row = {**whole, "status": result.status, "message": _text(result.message)}
        if isinstance(result, RuleResult):
            yield {**row, "column": _text(result.column), "rule": result.rule, "level": result.level}
            continue
        judged = {side: getattr(result, side) for side in ("observed", "lower", "upper")}
        of = result.constraint
        yield {**row, "column": _text(of.own_column), "metric": of.metric, "level": of.level, **judged, "failing_rows": result.failing}


def _text(text: str) -> str:
    """As Arrow takes it: names of columns may hold half a surrogate pair."""
    return text.encode("utf-8", "replace").decode()
