"""Whose rows a fact speaks of, where its rule asks nothing of single rows: `age is 0 in 131 of 256 rows. These are all rows of one clinic.`

The rows are looked at together with those that break rules (`workflows.bad_rows`); what they share is found in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from avh_ui.constraints.constraint import Verdict
from avh_ui.constraints.row_rules import RowRule
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.regexes import anchored
from avh_ui.metrics.row_forms import Conforms, Question
from avh_ui.metrics.shared_values import Shared, ValueCounts, shared_values, shared_words
from avh_ui.metrics.written_numbers import NUMBER
from avh_ui.validator.results import RuleResult
from avh_ui.validator.row_table import BrokenRows, Failing
from avh_ui.validator.run import Run

# So much more or less than the fact tells may be found: what a sketch counts is near.
_NEAR = 0.05


@dataclass(frozen=True)
class Asked:
    """Of which rule or verdict (by its place among these) which rows are asked for."""

    place: int
    of_rule: bool
    rule: RowRule


def asked_rows(run: Run, columns: Mapping[str, ColumnProfile]) -> tuple[Asked, ...]:
    """The rows that the facts of a run speak of, each as a rule whose place is behind those of all verdicts: no bad rows of anybody."""
    found: list[tuple[int, bool, Question, bool]] = []
    for place, verdict in enumerate(run.verdicts):
        # What the rows that moved have in common is told with them.
        if verdict.told is not None and (verdict.moved is None or verdict.moved.group is None):
            found.append((place, False, verdict.told.test, True))
    for place, rule in enumerate(run.rules):
        column = columns.get(rule.column) if rule.rule == "type_changed" and rule.status in ("fail", "warn") else None
        if column is not None and column.kind == "string":
            found.append((place, True, Conforms(rule.column, anchored(NUMBER)), False))
    after = len(run.verdicts)
    return tuple(
        Asked(place, of_rule, RowRule(after + at, "", "", "warning", question, reverse=reverse, broken=True))
        for at, (place, of_rule, question, reverse) in enumerate(found)
    )


def with_whose(run: Run, asked: Sequence[Asked], found: BrokenRows, there: Mapping[str, ValueCounts]) -> Run:
    """The run whose facts say whose rows they speak of, where these share something that few of the others have."""
    rules, verdicts = list(run.rules), list(run.verdicts)
    # Below one of several verdicts with the same fact it is said already: reports tell the fact once.
    known = {verdict.fact for verdict in verdicts if verdict.shared}
    for one in asked:
        rows = found.by_place.get(one.rule.place, Failing())
        shared = shared_values(rows.rows, rows.values, there) if rows.rows else ()
        if not shared or (not one.of_rule and verdicts[one.place].fact in known):
            continue
        said = _sentence(shared, rows.rows, run.row_count)
        if one.of_rule:
            rules[one.place] = _rule_told(rules[one.place], rows.rows, said)
        else:
            verdicts[one.place] = _told(verdicts[one.place], rows.rows, shared, said)
    return replace(run, rules=tuple(rules), verdicts=tuple(verdicts))


def _sentence(shared: Sequence[Shared], count: int, rows: int | None) -> str:
    said = "; ".join(shared_words(one, count, rows, "these") for one in shared)
    return f"{said[:1].upper()}{said[1:]}."


def _rule_told(rule: RuleResult, count: int, said: str) -> RuleResult:
    # What is told of other texts, or of some of them, is not told of these rows.
    return replace(rule, message=f"{rule.message} {said}") if f": {count:,} of " in rule.message else rule


def _told(verdict: Verdict, count: int, shared: tuple[Shared, ...], said: str) -> Verdict:
    near = verdict.told is not None and abs(count - verdict.told.count) <= _NEAR * count
    if not near or not verdict.message.startswith(verdict.fact):
        return verdict
    fact = f"{verdict.fact} {said}"
    known = shared if verdict.failing is None else ()
    return replace(verdict, message=f"{fact}{verdict.message.removeprefix(verdict.fact)}", fact=fact, shared=known)
