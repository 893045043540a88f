"""Rules on nulls and repeats: CompleteIfComplete, RetainCompleteness and UniqueIfApproximatelyUnique."""

from __future__ import annotations

from avh_ui.constraints.constraint import number
from avh_ui.inference.by_snapshot.intervals import Interval, wald
from avh_ui.inference.by_snapshot.rule import Finding, Rule, quoted
from avh_ui.inference.by_snapshot.snapshot import Snapshot

# Deequ's: an approximate count of distinct values may be off by so much of the rows.
_NEARLY_UNIQUE = 0.08


def _complete(s: Snapshot) -> Finding | None:
    if s.completeness != 1:
        return None
    return Finding("complete_ratio", 1.0, 1.0, f".isComplete({quoted(s.column)})", "no value is null", "Completeness: 1.0")


def retain_completeness(s: Snapshot, least: float = 0.2, most: float = 1.0, interval: Interval = wald) -> Finding | None:
    """A share of nulls that is neither negligible nor overwhelming, within sampling error of what it was."""
    if not least < s.completeness < most:
        return None
    bound = interval(s.completeness, s.rows)[0]
    code = f'.hasCompleteness({quoted(s.column)}, _ >= {bound}, Some("It should be above {bound}!"))'
    words = f"at most {number(100 * (1 - bound))}% of the values are null"
    return Finding("complete_ratio", bound, None, code, words, f"Completeness: {s.completeness}")


def _unique(s: Snapshot) -> Finding | None:
    # In floating point |1 - 0.92| is within the bound and |1 - 1.08| is not: as Deequ has it.
    if s.completeness != 1 or not s.rows or abs(1 - s.distinct / s.rows) > _NEARLY_UNIQUE:
        return None
    words = "no value occurs twice"
    if s.distinct_error:
        words += f" (by a sketch: a share of distinct values from {number(100 * s.surely_distinct)}% on cannot be told from all)"
    upper = 1.0 if not s.distinct_error else None
    current = f"ApproxDistinctness: {s.distinct / s.rows}"
    return Finding("unique_ratio", s.surely_distinct, upper, f".isUnique({quoted(s.column)})", words, current)


COMPLETE_IF_COMPLETE = Rule("CompleteIfComplete", "a column that is complete in the batch stays so", _complete)
RETAIN_COMPLETENESS = Rule("RetainCompleteness", "a column's share of nulls does not rise beyond sampling error", retain_completeness)
UNIQUE_IF_APPROXIMATELY_UNIQUE = Rule(
    "UniqueIfApproximatelyUnique", "a column whose number of distinct values is about that of its rows is a key", _unique
)
