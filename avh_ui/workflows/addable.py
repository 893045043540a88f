"""Which rules of another tool's suite a draft can take: one by one, so that one table that is not there costs no other rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from avh_ui.config import Pipeline
from avh_ui.constraints.check import Check
from avh_ui.constraints.contradictions import refuse_contradictions, refuse_idle
from avh_ui.errors import AvhError
from avh_ui.metrics.asked import kept_kind
from avh_ui.metrics.profile import BatchProfile
from avh_ui.review.draft import Draft
from avh_ui.workflows.stated_drafts import rules_of
from avh_ui.workflows.stating import file_checks, fitted, kinds_of


@dataclass(frozen=True)
class Addable:
    """The rules that a draft can take, those that it or avh.yml has already, and those that it cannot take, with the reason."""

    rules: tuple[Check, ...]
    there: tuple[Check, ...]
    refused: tuple[tuple[Check, str], ...]


def addable(checks: Sequence[Check], pipeline: Pipeline, table: BatchProfile, draft: Draft | None) -> Addable:
    """The checks in their order, each tried alone: whether it fits the table, is new, and contradicts none of those before it."""
    kinds = kinds_of(table)
    items = rules_of(draft)
    known = {item.suggestion.id for item in items}
    standing = [item.current for item in items if item.status != "rejected"]
    for check in fitted(file_checks(pipeline), pipeline, table):
        filed = check.constraint(kept_kind(check.measure, kinds))
        known.add(filed.key)
        standing.append(filed)
    rules, there, refused = list[Check](), list[Check](), list[tuple[Check, str]]()
    for given in checks:
        try:
            (check,) = fitted([given], pipeline, table)
            constraint = check.constraint(kept_kind(check.measure, kinds))
            if constraint.key in known:
                there.append(given)
                continue
            refuse_idle(constraint)
            refuse_contradictions([check], standing)
        except AvhError as error:
            refused.append((given, str(error).strip().rstrip(".")))
            continue
        rules.append(given)
        known.add(constraint.key)
        standing.append(constraint)
    return Addable(tuple(rules), tuple(there), tuple(refused))
