"""Columns that `rules:`, `segments:` and `columns: exclude` of avh.yml name and the table has not: what cannot be judged is said, and never
passes; nor is a column measured in silence that somebody meant to leave out.

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
from avh_ui.metrics.asked import pipeline_measures
from avh_ui.metrics.catalogue import named
from avh_ui.metrics.column import Kind
from avh_ui.metrics.keys_matched import NEARLY_A_KEY
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.sampled_rows import sample_in
from avh_ui.scan.profiles import NOT_SPLIT
from avh_ui.validator.results import RuleResult
from avh_ui.validator.unmeasured import NOT_MEASURED
from avh_ui.workflows.stating import file_checks, kinds_of, with_its_columns

RULE, SEGMENTS, EXCLUDED = "stated_rules", "segments", "excluded"


@dataclass(frozen=True)
class Misnamed:
    """Sentences on the rules, the segments and the columns to leave out of avh.yml that name a column which is not there; `checks` are
    these rules, `slips` those of `excluded` that are written nearly as a column is that is measured.
    """

    rules: tuple[str, ...] = ()
    segments: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    slips: tuple[str, ...] = ()

    @property
    def said(self) -> tuple[str, ...]:
        """All of it."""
        return (*self.rules, *self.segments, *self.excluded)

    def results(self) -> tuple[RuleResult, ...]:
        """What a validation says of them: rules are not evaluated, and a batch warns that is not split as avh.yml says, or has a column
        that is measured by a slip. One that was left out and is gone is no news.
        """
        rules = (RuleResult(RULE, "", "not_evaluated", "error", " ".join(self.rules)),) if self.rules else ()
        others = {SEGMENTS: self.segments, EXCLUDED: self.slips}
        return (*rules, *(RuleResult(rule, "", "warn", "warning", " ".join(said)) for rule, said in others.items() if said))

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
    excluded = _kept_in(pipeline, table)
    slips = tuple(said for said in excluded if "Did you mean" in said)
    return Misnamed(tuple(rules), tuple(split), excluded, tuple(checks), slips)


def unmeasured(pipeline: Pipeline, table: BatchProfile | None) -> tuple[str, ...]:
    """Sentences on the measures of avh.yml that can never be: no metric has their name, or (as far as a table says) no column theirs."""
    said = []
    kinds = kinds_of(table) if table is not None else {}
    for measure in pipeline_measures(pipeline):
        try:
            named(measure.name)
        except NotFoundError as error:
            said.append(f"{measure.subject}{NOT_MEASURED}{error}")
            continue
        missing = [name for name in measure.columns if name not in kinds] if table is not None else []
        said += [f"{measure.subject}{NOT_MEASURED}{_no_column(name, kinds)}" for name in missing[:1]]
    return tuple(said)


def miskeyed(pipeline: Pipeline, table: BatchProfile) -> tuple[str, ...]:
    """Sentences on the key of avh.yml: which column of it the batch has not, else in how many rows its keys stand more than once."""
    there, key = table.columns, ", ".join(pipeline.key)
    if missing := [name for name in pipeline.key if name not in there]:
        where = f"in batch {table.batch!r}, or it is left out"
        return tuple(f"The key is {key}: there is no column {name!r} {where}. {nearest(name, there)}".rstrip() for name in missing)
    rows = sample_in(there, by=pipeline.key)
    share = float((rows.counts > 1).mean()) if rows is not None and len(rows.counts) else 0.0
    if share <= 1 - NEARLY_A_KEY:
        return ()
    return (f"The key is {key}: {100 * share:.3g}% of its values stand in several rows of batch {table.batch!r}, which are not matched.",)


def _kept_in(pipeline: Pipeline, table: BatchProfile) -> tuple[str, ...]:
    """Sentences on columns to leave out that are not there; none of a batch of which not all columns are known."""
    there = [*table.left_out, *table.columns] if table.covers_all else []
    gone = [name for name in pipeline.columns.exclude if there and not any(one == name or one.startswith(f"{name}.") for one in there)]
    what = f"is left out by `exclude:` of {CONFIG_NAME}"
    return tuple(f"No column {name!r} {what}: there is none. {nearest(name, kinds_of(table))}".rstrip() for name in gone)


def _titled(check: Check) -> str:
    return f"the rule `{check}` of {CONFIG_NAME}"


def _no_column(name: str, kinds: dict[str, Kind]) -> str:
    return f"there is no column {name!r}. {nearest(name, kinds)}".rstrip()
