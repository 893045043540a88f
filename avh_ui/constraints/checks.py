"""The vocabulary of checks: what people say of a table, each a function that gives a `Check` (VLDB 2018, Table 1; Deequ's `Check`).

`has` bounds any measure of `analyzers`. Most others are conditions that each row keeps or not; what is bounded is the share of rows, all of
them unless `at_least` says otherwise. All take `where` (a Spark SQL condition: only its rows count), `level` ("error" or "warning") and
`hint`. Nulls are as in Deequ: what speaks of a column's values lets null pass, what compares two columns does not; each docstring says
which. Nothing is read here, so that a column that is not there is told by the run.
What compares two columns of texts does so as numbers where both are (`metrics.compared`).
In conditions `a.b` is the field of a struct; where no column is called `a` it is the column of that whole name, with backticks or without.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Unpack, get_args

from avh_ui.constraints import anomaly_checks, column_checks, table_checks
from avh_ui.constraints.bounds import Bounds, Strict
from avh_ui.constraints.check import Check, stated
from avh_ui.constraints.constraint import Level
from avh_ui.constraints.content_checks import (
    contains_credit_card,
    contains_email,
    contains_social_security_number,
    contains_url,
    has_data_type,
)
from avh_ui.constraints.sql_text import end_of_range, literal, quoted, worded
from avh_ui.constraints.stating import ConditionManner, Limits, bounded, is_text, names, share
from avh_ui.errors import UsageError
from avh_ui.metrics import analyzers
from avh_ui.metrics.compared import Operator, marked
from avh_ui.metrics.measure import Measure

__all__ = [
    "VOCABULARY",
    "contains_credit_card",
    "contains_email",
    "contains_social_security_number",
    "contains_url",
    "has",
    "has_data_type",
    "has_pattern",
    "is_any_complete",
    "is_at_least",
    "is_at_most",
    "is_complete",
    "is_contained_in",
    "is_equal_to",
    "is_greater_than",
    "is_in_range",
    "is_less_than",
    "is_non_negative",
    "is_positive",
    "is_unique",
    "satisfies",
]


@stated
def has(measure: Measure, *, level: Level = "error", hint: str = "", **limits: Unpack[Limits]) -> Check:
    """Any measure within limits: Deequ's hasSize, hasMean, hasEntropy, hasCompleteness, ... in one. `analyzers` has the measures."""
    if not isinstance(measure, Measure):
        raise UsageError(f"{measure!r} is no measure.", hint="Take one of avh.analyzers: has(of.mean('x'), at_least=1).")
    return Check(measure, Bounds.of(**limits), level, hint)


@stated
def is_complete(*columns: str, **manner: Unpack[ConditionManner]) -> Check:
    """No null in the column, or in none of the columns (Deequ: isComplete, hasCompleteness, areComplete, haveCompleteness)."""
    some = names(columns, "is_complete")
    if len(some) > 1:
        return share(" AND ".join(f"{quoted(c)} IS NOT NULL" for c in some), f"{', '.join(some)} are not null", manner)
    return bounded(analyzers.completeness(some[0], where=manner.get("where")), f"{some[0]} is not null", manner)


@stated
def is_any_complete(*columns: str, **manner: Unpack[ConditionManner]) -> Check:
    """At least one of the columns is not null (Deequ: areAnyComplete, haveAnyCompleteness)."""
    some = names(columns, "is_any_complete")
    return share(" OR ".join(f"{quoted(c)} IS NOT NULL" for c in some), f"one of {', '.join(some)} is there", manner)


@stated
def is_unique(columns: str | Sequence[str], **manner: Unpack[ConditionManner]) -> Check:
    """No combination of the columns' values occurs twice, counted exactly; rows that are null in all of them do not count (Deequ: isUnique,
    areUnique, isPrimaryKey, hasUniqueness).
    """
    some = names((columns,) if isinstance(columns, str) else tuple(columns), "is_unique")
    return bounded(analyzers.uniqueness(some, where=manner.get("where")), f"{', '.join(some)} is unique", manner)


@stated
def is_contained_in(column: str, values: Iterable[Any], **manner: Unpack[ConditionManner]) -> Check:
    """Every value is one of these; null passes (Deequ: isContainedIn)."""
    some = [values] if isinstance(values, str) else list(values)
    if not some or any(value is None for value in some):
        raise UsageError(f"{column!r} cannot be one of {some!r}.", hint="Give at least one value, and none that is null: null passes.")
    said = ", ".join(map(worded, some[:5])) + (f" and {len(some) - 5} others" if len(some) > 5 else "")
    return share(f"{quoted(column)} IS NULL OR {quoted(column)} IN ({', '.join(map(literal, some))})", f"{column} is one of {said}", manner)


@stated
def is_in_range(column: str, lower: Any = None, upper: Any = None, *, strict: Strict = "", **manner: Unpack[ConditionManner]) -> Check:
    """Every value lies from `lower` to `upper` (None: open); null passes. `strict` ends do not belong to it: "lower", "upper" or "both".

    Numbers, texts, dates and times (Deequ: isContainedIn with bounds).
    """
    ends = [("lower", (">", "above"), (">=", "at least"), lower), ("upper", ("<", "below"), ("<=", "at most"), upper)]
    given = [(*(out if strict in (end, "both") else within), value) for end, out, within, value in ends if value is not None]
    if not given or strict not in get_args(Strict):
        raise UsageError(f"The range of {column!r} has no bound.", hint="Give lower, upper or both; strict is lower, upper or both.")
    if len(given) == 2 and _beyond(lower, upper, bool(strict)):
        raise UsageError(f"No value is {' and '.join(f'{word} {v}' for _, word, v in given)}.", hint="Let lower be below upper.")
    tests = " AND ".join(f"{quoted(column)} {op} {end_of_range(v)}" for op, _, v in given)
    said = f"{column} is {' and '.join(f'{word} {v}' for _, word, v in given)}"
    return share(f"{quoted(column)} IS NULL OR ({tests})", said, manner)


@stated
def is_non_negative(column: str, **manner: Unpack[ConditionManner]) -> Check:
    """No number is below 0; null passes (Deequ: isNonNegative)."""
    return share(f"coalesce(cast({quoted(column)} AS DOUBLE), 0.0) >= 0", f"{column} is not negative", manner)


@stated
def is_positive(column: str, **manner: Unpack[ConditionManner]) -> Check:
    """Every number is above 0; null passes (Deequ: isPositive)."""
    return share(f"coalesce(cast({quoted(column)} AS DOUBLE), 1.0) > 0", f"{column} is positive", manner)


@stated
def is_less_than(column: str, other: str, **manner: Unpack[ConditionManner]) -> Check:
    """In every row the one is less than the other; a null of either fails (Deequ: isLessThan)."""
    return _compared(column, "<", "less than", other, manner)


@stated
def is_at_most(column: str, other: str, **manner: Unpack[ConditionManner]) -> Check:
    """In every row the one is at most the other; a null of either fails (Deequ: isLessThanOrEqualTo)."""
    return _compared(column, "<=", "at most", other, manner)


@stated
def is_greater_than(column: str, other: str, **manner: Unpack[ConditionManner]) -> Check:
    """In every row the one is greater than the other; a null of either fails (Deequ: isGreaterThan)."""
    return _compared(column, ">", "greater than", other, manner)


@stated
def is_at_least(column: str, other: str, **manner: Unpack[ConditionManner]) -> Check:
    """In every row the one is at least the other; a null of either fails (Deequ: isGreaterThanOrEqualTo)."""
    return _compared(column, ">=", "at least", other, manner)


@stated
def is_equal_to(column: str, other: str, **manner: Unpack[ConditionManner]) -> Check:
    """In every row both are the same; a null of either fails."""
    return _compared(column, "=", "equal to", other, manner)


@stated
def satisfies(condition: str, *, says: str = "", **manner: Unpack[ConditionManner]) -> Check:
    """Every row satisfies a Spark SQL condition; where it is null it does not (Deequ: satisfies). `says` is the rule in words."""
    if not is_text(condition):
        raise UsageError(f"{condition!r} is no condition.", hint="Write one in Spark SQL, such as `a < b`.")
    return share(condition, says or condition, manner)


@stated
def has_pattern(column: str, pattern: str, *, says: str = "", **manner: Unpack[ConditionManner]) -> Check:
    """A match of the regular expression is found in every text, and is not empty; null fails (Deequ: hasPattern)."""
    measure = analyzers.pattern_match(column, pattern, where=manner.get("where"))
    return bounded(measure, says or f"{column} has a match of {pattern}", manner)


def _compared(column: str, operator: Operator, words: str, other: str, manner: ConditionManner) -> Check:
    some = names((column, other), "a comparison")
    return share(marked(quoted(some[0]), operator, quoted(some[1])), f"{column} is {words} {other}", manner)


def _beyond(lower: Any, upper: Any, strict: bool) -> bool:
    try:
        return bool(lower > upper or (lower == upper and strict))
    except TypeError:
        raise UsageError(f"{lower!r} and {upper!r} cannot be compared.", hint="Give both bounds in one type.") from None


has_column, has_column_count = column_checks.has_column, column_checks.has_column_count
has_column_type, has_column_names = column_checks.has_column_type, column_checks.has_column_names
has_no_anomalies = anomaly_checks.has_no_anomalies
threshold, absolute_change = anomaly_checks.threshold, anomaly_checks.absolute_change
relative_rate_of_change, holt_winters = anomaly_checks.relative_rate_of_change, anomaly_checks.holt_winters
recent = anomaly_checks.recent
online_normal, batch_normal = anomaly_checks.online_normal, anomaly_checks.batch_normal
refers_to, matches, has_row_count_of = table_checks.refers_to, table_checks.matches, table_checks.has_row_count_of
has_schema_of, custom_sql = table_checks.has_schema_of, table_checks.custom_sql
has_predictability, is_determined_by = table_checks.has_predictability, table_checks.is_determined_by

VOCABULARY = {
    check.__name__: check
    for check in (
        has, is_complete, is_any_complete, is_unique, is_contained_in, is_in_range, is_non_negative, is_positive, is_less_than, is_at_most,
        is_greater_than, is_at_least, is_equal_to, satisfies, has_pattern, contains_email, contains_url, contains_credit_card,
        contains_social_security_number, has_data_type, has_column, has_column_type, has_column_names, has_column_count,
        has_no_anomalies,
        refers_to, matches, has_row_count_of, has_schema_of, custom_sql, has_predictability, is_determined_by,
    )
}  # fmt: skip
