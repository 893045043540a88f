"""Segments as conditions: the rows of `origin=EWR` are those where `origin = 'EWR'`, so that a rule on a segment is one with a `where`.

Who reads the history finds a rule's past in its segment (`in_segment`), which was profiled before anybody thought of the rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from avh_ui.constraints.sql_text import literal
from avh_ui.metrics.segment import Segment

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Names that begin something else in a condition, or a statement.
_WORDS = frozenset({
    "alter", "analyze", "and", "any", "as", "begin", "between", "cache", "call", "case", "cast", "comment", "commit", "copy",
    "create", "cross", "current_user", "date", "declare", "delete", "desc", "describe", "distinct", "drop", "else", "end",
    "except", "execute", "exists", "explain", "false", "fetch", "for", "from", "glob", "grant", "having", "if", "ilike", "in",
    "inner", "insert", "intersect", "interval", "into", "is", "join", "kill", "lateral", "like", "load", "merge", "minus", "not",
    "notnull", "null", "on", "optimize", "or", "outer", "partitioned_by", "pivot", "pragma", "prepare", "qualify", "refresh",
    "regexp", "rename", "returning", "revoke", "rlike", "rollback", "select", "serdeproperties", "session_user", "set", "show",
    "tablesample", "then", "timestamp", "true", "truncate", "uncache", "union", "unpivot", "update", "use", "using", "vacuum",
    "values", "when", "where", "with", "xor",
})  # fmt: skip
# Between what a measure is of and its condition, as `Measure.subject` has it.
WHERE = " where "
# What the rows of a condition are called there.
ROWS = "rows"


def condition_of(segment: Segment) -> str:
    """The condition that takes the rows of a segment; values are compared as texts. '' for the rest, which no condition takes."""
    return " AND ".join(f"{named(column)} {'IS NULL' if value is None else f'= {literal(value)}'}" for column, value in segment.values)


def in_segment(subject: str, segments: Iterable[Segment]) -> tuple[str, Segment] | None:
    """The column (`ROWS`: none) and the segment that a subject is of, such as `dep_time where origin = 'EWR'`; None for any other."""
    if WHERE not in subject:
        return None
    for segment in segments:
        ending = f"{WHERE}{condition_of(segment)}"
        if segment.values and subject.endswith(ending):
            return subject.removesuffix(ending), segment
    return None


def named(column: str) -> str:
    """A column in a condition, quoted where it is no plain word."""
    # Batches are split by columns of the table, so that a dot leads into no struct.
    whole = column.replace("`", "``")
    return column if _PLAIN.fullmatch(column) and column.lower() not in _WORDS else f"`{whole}`"
