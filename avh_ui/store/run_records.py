"""The results of a run as JSON text for the database. ASCII only: whatever a column's values hold, any database keeps it."""

from __future__ import annotations

import json
import math
from typing import Any, cast, get_args

from avh_ui.constraints.codec import constraint_from_record, constraint_to_record
from avh_ui.constraints.constraint import Level, Status, Verdict
from avh_ui.constraints.plain_data import Node, float_name, parse_json
from avh_ui.validator.run import RuleResult


def result_to_text(result: RuleResult | Verdict) -> str:
    """A rule or a verdict; `ConstraintError` when its provenance holds what JSON cannot."""
    record: dict[str, Any]
    if isinstance(result, RuleResult):
        record = {"rule": result.rule, "column": result.column, "level": result.level}
    else:
        record = {
            "constraint": constraint_to_record(result.constraint),
            "observed": _number(result.observed),
            "lower": _number(result.lower),
            "upper": _number(result.upper),
            "samples": list(result.samples),
        }
    return json.dumps({**record, "status": result.status, "message": result.message}, ensure_ascii=True, allow_nan=False)


def result_from_text(text: str) -> RuleResult | Verdict:
    """From `result_to_text`; `ConstraintError` names what is wrong."""
    root = Node(parse_json(text, "A result in the review database"))
    status, message = cast(Status, root.get("status").text(get_args(Status))), root.get("message").text()
    if root.find("rule", None).value is not None:
        level = cast(Level, root.get("level").text(get_args(Level)))
        return RuleResult(root.get("rule").text(), root.get("column").text(), status, level, message)
    observed, lower, upper = (_read(root.get(name).value) for name in ("observed", "lower", "upper"))
    samples = tuple(n.text() for n in root.get("samples").items())
    return Verdict(constraint_from_record(root.get("constraint").mapping()), status, observed, lower, upper, message, samples)


def _number(value: float | None) -> float | str | None:
    return value if value is None or math.isfinite(value) else float_name(value)


def _read(value: Any) -> float | None:
    return None if value is None else float(value)
