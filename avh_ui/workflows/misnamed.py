"""Columns that `rules:` and `segments:` of avh.yml name and the table has not: what cannot be judged is said, and never passes.

Deequ fails the check of such a constraint, and dbt ends with an error. Here it is as any other slip in avh.yml: everything else is done,
and the exit code is 3.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from avh_ui.config import CONFIG_NAME, Pipeline
from avh_ui.constraints.check import Check
from avh_ui.constraints.program import Program
from avh_ui.errors import NotFoundError, nearest
from avh_ui.metrics.column import Kind
from avh_ui.metrics.profile import BatchProfile
from avh_ui.scan.profiles import NOT_SPLIT
from avh_ui.validator.run import RuleResult
from avh_ui.workflows.measuring_rules import NOT_MEASURED
from avh_ui.workflows.stating import file_checks, kinds_of, with_its_columns

RULE, SEGMENTS = "stated_rules", "segments"


@dataclass(frozen=True)
class Misnamed:
    """Sentences on the rules and the segments of avh.yml that name a column which is not there; `checks` are these rules."""

    rules: tuple[str, ...] = ()
    segments: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()

    @property
    def said(self) -> tuple[str, ...]:
        """All of it."""
        return (*self.rules, *self.segments)

    def results(self) -> tuple[RuleResult, ...]:
        """What a validation says of them: rules are not evaluated, and a batch that is not split as avh.yml says warns."""
        rules = (RuleResult(RULE, "", "not_evaluated", "error", " ".join(self.rules)),) if self.rules else ()
        return (*rules, RuleResult(SEGMENTS, "", "warn", "warning", " ".join(self.segments))) if self.segments else rules

    def unsaid(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Of the notes of a batch and of what a suggestion leaves out, what does not say the same."""
        same = [f"{check.measure.subject}{NOT_MEASURED}" for check in self.checks]
        same += [f"{_titled(check)}: " for check in self.checks]
        same += [NOT_SPLIT] if self.segments else []
        return tuple(text for text in texts if not text.startswith(tuple(same)))


def misnamed(pipeline: Pipeline, table: BatchProfile, program: Program | None) -> Misnamed:
    """What avh.yml names and neither the batch nor the program has. Of a column that the program knows it says itself that it is gone, and
    of a rule that stands in it whether it holds.
    """
    known = {column.name: cast("Kind", column.kind) for column in program.schema.columns} if program else {}
    published = program.by_key if program else {}
    kinds = known | kinds_of(table)
    rules, checks = list[str](), list[Check]()
    for check in file_checks(pipeline):
        if check.constraint("rows").key in published:
            continue
        try:
            with_its_columns(check, table, kinds)
        except NotFoundError as error:
            said = f"{error.message} {error.hint}".strip()
            rules.append(f"T{_titled(check)[1:]} cannot be judged: {said[:1].lower()}{said[1:]}")
            checks.append(check)
    missing = [name for name in pipeline.segments if name not in kinds]
    split = [f"The batch is not split in `segments:` of {CONFIG_NAME}: {_no_column(name, kinds)}" for name in missing]
    return Misnamed(tuple(rules), tuple(split), tuple(checks))


def _titled(check: Check) -> str:
    return f"the rule `{check}` of {CONFIG_NAME}"


def _no_column(name: str, kinds: dict[str, Kind]) -> str:
    return f"there is no column {name!r}. {nearest(name, kinds)}".rstrip()
