"""Suggestions and runs as JSON text for the database. ASCII only: whatever a column's values hold, any database keeps it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TypeVar

from avh_ui.constraints.codec import constraint_from_record, constraint_to_record, pattern_from_record, pattern_to_record
from avh_ui.constraints.evidence_records import evidence_from_record, evidence_to_record
from avh_ui.constraints.pattern_constraint import Pattern
from avh_ui.constraints.plain_data import Node, from_plain, parse_json, to_plain
from avh_ui.review.suggestion import RunSettings, Suggestion, SuggestionRun

_T = TypeVar("_T")
_TEXTS = ("first_batch", "last_batch", "created_at")


def suggestion_to_text(suggestion: Suggestion) -> str:
    """A suggestion without its pipeline; `ConstraintError` when its provenance holds what JSON cannot."""
    return _dump(
        {
            "id": suggestion.id,
            "constraint": constraint_to_record(suggestion.constraint),
            "evidence": to_plain(evidence_to_record(suggestion.evidence), "evidence"),
        }
    )


def suggestion_from_text(pipeline: str, text: str) -> Suggestion:
    """From `suggestion_to_text`; `ConstraintError` names what is wrong."""
    root = Node(parse_json(text, "A suggestion in the review database"))
    constraint = constraint_from_record(root.get("constraint").mapping())
    if "evidence" in root.mapping():
        told = from_plain(root.get("evidence").mapping())
    else:  # earlier releases kept the issues beside an explanation, whose sentences may say otherwise
        told = from_plain(root.find("explanation", {}).mapping())
        told |= {name: [n.text() for n in root.get(name).items()] for name in ("caught", "only_caught")}
        told["variants"] = root.get("variants").whole()
    return Suggestion(root.get("id").text(), pipeline, constraint, evidence_from_record(constraint, told))


def run_to_text(run: SuggestionRun) -> str:
    """A run without its pipeline and suggestions."""
    left_out = [to_plain(entry, f"left_out[{k}]") for k, entry in enumerate(run.left_out)]
    record = {name: getattr(run, name) for name in _TEXTS} | {"fpr": run.fpr, "batches": run.batches, "left_out": left_out}
    whose = {"adopted_by": run.adopted_by, "suggested_by": run.suggested_by}
    return _dump(record | {"excluded": list(run.excluded), "settings": run.settings and asdict(run.settings)} | whose)


def run_from_text(pipeline: str, text: str, suggestions: tuple[Suggestion, ...]) -> SuggestionRun:
    """From `run_to_text`; `ConstraintError` names what is wrong."""
    root = Node(parse_json(text, "A run in the review database"))
    return SuggestionRun(
        pipeline,
        suggestions,
        left_out=tuple(from_plain(n.mapping()) for n in root.get("left_out").items()),
        fpr=root.get("fpr").number(),
        batches=root.get("batches").whole(),
        **{name: root.get(name).text() for name in _TEXTS},
        # Earlier releases did not keep these.
        excluded=tuple(n.text() for n in root.find("excluded", []).items()),
        settings=None if root.find("settings", None).value is None else _settings(root.get("settings")),
        adopted_by=root.find("adopted_by", "").text(),
        suggested_by=root.find("suggested_by", "").text(),
    )


def _settings(node: Node) -> RunSettings:
    return RunSettings(
        fpr=_optional(node.find("fpr", None), Node.number),
        table_fpr=_optional(node.find("table_fpr", None), Node.number),
        max_clauses=_optional(node.find("max_clauses", None), Node.whole),
        since=node.find("since", "").text(),
        own={name: node.get("own").get(name).number() for name in node.find("own", {}).mapping()},
    )


def _optional(node: Node, read: Callable[[Node], _T]) -> _T | None:
    return None if node.value is None else read(node)


def pattern_to_text(pattern: Pattern | None) -> str | None:
    """The pattern of a decision; None where it has none."""
    return None if pattern is None else _dump(pattern_to_record(pattern))


def pattern_from_text(text: str | None) -> Pattern | None:
    """From `pattern_to_text`; `ConstraintError` names what is wrong."""
    return None if text is None else pattern_from_record(parse_json(text, "A pattern in the review database"))


def _dump(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=True, allow_nan=False)
