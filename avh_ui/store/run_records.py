"""The results of a run as JSON text for the database. ASCII only: whatever a column's values hold, any database keeps it."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import TypeAdapter

from avh_ui.constraints.codec import constraint_to_record
from avh_ui.constraints.constraint import Status, Verdict
from avh_ui.constraints.pattern_constraint import AnyConstraint
from avh_ui.constraints.plain_data import float_name, parse_json
from avh_ui.typed import Text, read
from avh_ui.validator.run import RuleResult

# JSON's numbers, and the names of the others: what is measured may be NaN.
_Measured = float | None


@dataclass(frozen=True)
class _VerdictRecord:
    status: Status
    message: Text
    constraint: AnyConstraint
    observed: _Measured
    lower: _Measured
    upper: _Measured
    samples: tuple[Text, ...]


_RULE, _VERDICT = TypeAdapter(RuleResult), TypeAdapter(_VerdictRecord)


def result_to_text(result: RuleResult | Verdict) -> str:
    """A rule or a verdict; `ConstraintError` when its provenance holds what JSON cannot."""
    record: dict[str, Any]
    if isinstance(result, RuleResult):
        record = asdict(result)
    else:
        numbers = {name: _number(getattr(result, name)) for name in ("observed", "lower", "upper")}
        record = {**vars(result), **numbers, "constraint": constraint_to_record(result.constraint)}
    return json.dumps(record, ensure_ascii=True, allow_nan=False)


def result_from_text(text: str) -> RuleResult | Verdict:
    """From `result_to_text`; `ConstraintError` names what is wrong."""
    record = parse_json(text, "A result in the review database")
    if isinstance(record, dict) and record.get("rule") is not None:
        return read(_RULE, record, "A result in the review database")
    return Verdict(**vars(read(_VERDICT, record, "A result in the review database")))


def _number(value: float | None) -> float | str | None:
    return value if value is None or math.isfinite(value) else float_name(value)
