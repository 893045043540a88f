"""Suggestions, runs and results as JSON text for the database. ASCII only: whatever a column's values hold, any database keeps it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from avh_ui.constraints.codec import constraint_to_record
from avh_ui.constraints.constraint import Status, Verdict
from avh_ui.constraints.evidence_records import evidence_from_record, evidence_to_record
from avh_ui.constraints.pattern_constraint import AnyConstraint, Pattern
from avh_ui.constraints.plain_data import Free, json_number, parse_json, to_plain
from avh_ui.constraints.recipe import LearnedFrom
from avh_ui.metrics.shared_values import Shared
from avh_ui.review.suggestion import Suggestion, SuggestionRun
from avh_ui.typed import Adapter, Text, Whole, read, write
from avh_ui.validator.results import RuleResult

# JSON's numbers, and the names of the others: what is measured may be NaN.
_Measured = float | None


@dataclass(frozen=True)
class _SuggestionRecord:
    """Earlier releases kept the issues beside an explanation, whose sentences may say otherwise."""

    id: Text
    constraint: AnyConstraint
    evidence: Free = field(default_factory=dict)
    explanation: Free = field(default_factory=dict)
    caught: tuple[Text, ...] = ()
    only_caught: tuple[Text, ...] = ()
    variants: Whole = 0


_SUGGESTION: Adapter[_SuggestionRecord] = Adapter(_SuggestionRecord)
_RUN: Adapter[SuggestionRun] = Adapter(SuggestionRun)
_PATTERN: Adapter[Pattern] = Adapter(Pattern)


def suggestion_to_text(suggestion: Suggestion) -> str:
    """A suggestion without its pipeline; `ConstraintError` when its provenance holds what JSON cannot."""
    evidence = to_plain(evidence_to_record(suggestion.evidence), "evidence")
    return _dump({"id": suggestion.id, "constraint": constraint_to_record(suggestion.constraint), "evidence": evidence})


def suggestion_from_text(pipeline: str, text: str) -> Suggestion:
    """From `suggestion_to_text`; `ConstraintError` names what is wrong."""
    kept = read(_SUGGESTION, parse_json(text, "A suggestion in the review database"), "A suggestion in the review database")
    earlier = {"caught": list(kept.caught), "only_caught": list(kept.only_caught), "variants": kept.variants}
    told = kept.evidence or {**kept.explanation, **earlier}
    return Suggestion(kept.id, pipeline, kept.constraint, evidence_from_record(kept.constraint, told))


def run_to_text(run: SuggestionRun) -> str:
    """A run without its pipeline and suggestions."""
    return _dump(write(_RUN, run))


def run_from_text(pipeline: str, text: str, suggestions: tuple[Suggestion, ...]) -> SuggestionRun:
    """From `run_to_text`; `ConstraintError` names what is wrong."""
    record = parse_json(text, "A run in the review database")
    whole = {**record, "pipeline": pipeline, "suggestions": suggestions} if isinstance(record, dict) else record
    return read(_RUN, whole, "A run in the review database")


def pattern_to_text(pattern: Pattern | None) -> str | None:
    """The pattern of a decision; None where it has none."""
    return None if pattern is None else _dump(write(_PATTERN, pattern))


def pattern_from_text(text: str | None) -> Pattern | None:
    """From `pattern_to_text`; `ConstraintError` names what is wrong."""
    return None if text is None else read(_PATTERN, parse_json(text, "A pattern in the review database"), "The pattern", "pattern")


def _dump(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=True, allow_nan=False)


@dataclass(frozen=True)
class _VerdictRecord:
    status: Status
    message: Text
    constraint: AnyConstraint
    observed: _Measured
    lower: _Measured
    upper: _Measured
    samples: tuple[Text, ...]
    failing: Whole | None = None
    kept: Text = ""
    learned: LearnedFrom | None = None
    shared: tuple[Shared, ...] = ()
    fact: Text = ""
    columns: tuple[Text, ...] = ()


# What records of before have not.
_LATER = ("failing", "kept", "learned", "shared", "fact", "columns")
_RULE: Adapter[RuleResult] = Adapter(RuleResult)
_VERDICT: Adapter[_VerdictRecord] = Adapter(_VerdictRecord)


def result_to_text(result: RuleResult | Verdict) -> str:
    """A rule or a verdict; `ConstraintError` when its provenance holds what JSON cannot."""
    if isinstance(result, RuleResult):
        return _dump(asdict(result))
    numbers = {name: json_number(getattr(result, name)) for name in ("observed", "lower", "upper")}
    # What is not known is left out, as in records of before it was.
    known = {name: value for name, value in vars(result).items() if name not in ("moved", "told")}
    own = {name: value for name, value in known.items() if name not in _LATER or value not in (None, "", ())}
    own |= {"learned": asdict(result.learned)} if result.learned else {}
    own |= {"shared": [asdict(one) for one in result.shared]} if result.shared else {}
    return _dump({**own, **numbers, "constraint": constraint_to_record(result.constraint)})


def result_from_text(text: str) -> RuleResult | Verdict:
    """From `result_to_text`; `ConstraintError` names what is wrong."""
    record = parse_json(text, "A result in the review database")
    if isinstance(record, dict) and record.get("rule") is not None:
        return read(_RULE, record, "A result in the review database")
    return Verdict(**vars(read(_VERDICT, record, "A result in the review database")))
