"""A run as plain data and as JSON: of `run.Run`, which gives it by `to_json`, and so is not named here."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from avh_ui.constraints.constraint import Verdict
from avh_ui.constraints.plain_data import json_number
from avh_ui.validator.results import Outcome, RuleResult


def json_of(run: Any) -> str:
    """One object; ASCII, so that no terminal or log can break it."""
    return json.dumps(run_to_record(run), indent=1, allow_nan=False) + "\n"


def head_of(run: Any) -> dict[str, Any]:
    """Which run it is, and what it came to."""
    return {
        "pipeline": run.pipeline,
        "batch": run.batch,
        "status": run.status,
        "program": {"version": run.program_version, "sha256": run.program_sha256},
        "started": run.started,
    }


def run_to_record(run: Any) -> dict[str, Any]:
    """The run as plain data. A number that is not finite is one of the texts `NaN`, `Infinity`, `-Infinity`; null is "not computed"."""
    return {
        **head_of(run),
        "seconds": run.seconds,
        "rows": run.row_count,
        **({"partition": run.partition} if run.partition else {}),
        **({"baseline": {"batch": run.baseline.batch, "batches_ago": run.baseline.steps}} if run.baseline else {}),
        "delivery": None if run.delivery is None else run.delivery.to_record(),
        "notes": list(run.notes),
        **({"incidents": [incident.to_record() for incident in run.incidents]} if run.incidents else {}),
        **contacts_of(run),
        "results": [{**_result_record(result), **_incident_of(run, result)} for result in run.results],
    }


def contacts_of(run: Any) -> dict[str, Any]:
    """Whom to ask of what did not pass, where avh.yml names somebody."""
    named = run.asks.to_record()
    return {"contacts": named} if named else {}


def named(result: RuleResult | Verdict) -> tuple[str, str]:
    """The column of a result, and its metric or rule."""
    if isinstance(result, RuleResult):
        return result.column, result.rule
    return result.constraint.column, result.constraint.metric


def _incident_of(run: Any, result: RuleResult | Verdict) -> dict[str, str]:
    """The id of the incident that an alarm is of; nothing of what passed."""
    key = Outcome.of(result).key if run.incidents and result.status != "pass" else ""
    return next(({"incident": incident.id} for incident in run.incidents if key in incident.keys), {})


def _result_record(result: RuleResult | Verdict) -> dict[str, Any]:
    column, name = named(result)
    record: dict[str, Any] = {"column": column, "rule" if isinstance(result, RuleResult) else "metric": name, "status": result.status}
    if isinstance(result, RuleResult):
        judged = {"level": result.level, **dict.fromkeys(("observed", "lower", "upper", "transform", "fpr"))}
    else:
        numbers = {side: json_number(getattr(result, side)) for side in ("observed", "lower", "upper")}
        constraint = result.constraint
        judged = {"level": constraint.level, **numbers, "transform": constraint.transform.record, "fpr": constraint.fpr}
    if isinstance(result, RuleResult):
        return {**record, **judged, "message": result.message, "samples": []}
    rows = {"failing_rows": result.failing, "kept": result.kept, "fact": result.fact}
    known: dict[str, Any] = {name: value for name, value in rows.items() if value not in (None, "")}
    known |= {"learned_from": asdict(result.learned)} if result.learned else {}
    known |= {"columns": list(result.columns)} if result.columns else {}
    known |= {"shared": [asdict(one) for one in result.shared]} if result.shared else {}
    known |= {"moved": result.moved.to_record()} if result.moved else {}
    return {**record, **judged, "message": result.message, "samples": list(result.samples), **known}
