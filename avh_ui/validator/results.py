"""What a run found of one rule that is no constraint, and any result in brief."""

from __future__ import annotations

from dataclasses import dataclass

from avh_ui.constraints.constraint import Level, Status, Verdict
from avh_ui.typed import Text


@dataclass(frozen=True)
class RuleResult:
    """A rule that is no constraint over a metric, named by `rule`.

    `schema` (the columns agree), `missing_column`, `extra_column`, `type_changed`, `empty_batch`, `batch_not_found`, `unreadable_batch` and
    `unfinished_delivery`; of the delivery (`validator/delivery_rules.py`) `malformed_rows`, `files_differ`, `file_count`,
    `empty_files`, `unread_files`, `undecodable_text` and `how_read`; `not_finite` and `empty_texts` (NaN, infinities, empty texts where
    there were none) and `long_texts` (far longer than any before); `stale` (a content that was delivered before); and `stated_rules`,
    `segments` and `excluded` (columns that avh.yml names there and the table has not). `column` is '' when it is about the table.
    """

    rule: Text
    column: Text
    status: Status
    level: Level
    message: Text


@dataclass(frozen=True)
class Outcome:
    """One result of a run in brief. `key` says what was judged, the same over runs and versions; `name` is the metric or the rule."""

    key: str
    column: str
    name: str
    status: Status

    @classmethod
    def of(cls, result: RuleResult | Verdict) -> Outcome:
        """Of a rule (keyed by its name and column) or a verdict (keyed as its constraint is)."""
        if isinstance(result, RuleResult):
            return cls(f"{result.rule}/{result.column}", result.column, result.rule, result.status)
        return cls(result.constraint.key, result.constraint.column, result.constraint.metric, result.status)

    @property
    def is_rule(self) -> bool:
        """Whether a rule was judged, not a constraint."""
        return "/" in self.key

    def alarms(self, rows: int | None) -> bool:
        """Whether it alarms in a run of so many rows: it failed or warned. Of a batch that was not measured only the reason alarms."""
        return self.status in ("fail", "warn") if rows else self.is_rule and self.status != "pass"
