"""Rulesets of AWS Glue's Data Quality Definition Language as checks (docs.aws.amazon.com/glue/latest/dg/dqdl-rule-types.html).

Meanings are those of Glue's pages, and where they are silent those of awslabs/deequ, which runs the rules: `between` leaves out its ends,
ColumnValues fails rows without a value (but for `!=` and `not in`), `matches` is of the whole text, lengths take null as an empty text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.importing import dqdl_tables as tables
from avh_ui.constraints.importing import dqdl_values
from avh_ui.constraints.importing.dqdl_bounds import bounded, bounds, dynamic, each_of_bounds
from avh_ui.constraints.importing.dqdl_grammar import Condition, DqdlRule, Duration, composite, document, rule
from avh_ui.constraints.importing.either import one_of
from avh_ui.constraints.importing.imported import FoundRules, Imported, UnreadError, check_size
from avh_ui.constraints.importing.own_sql import check_of_query, measure_of_query
from avh_ui.constraints.sql_text import quoted
from avh_ui.errors import nearest
from avh_ui.metrics import analyzers as of
from avh_ui.metrics.measure import Measure

_FILES = "it is of files and not of their rows, and avh tells of a batch's delivery by itself"
# Rule types without a check here, and why.
_CANNOT = {
    **dict.fromkeys(("FileFreshness", "FileMatch", "FileUniqueness", "FileSize"), _FILES),
    "DetectAnomalies": "its bounds come from a model of Glue's own, which is not published: state a strategy (has_no_anomalies)",
    "JobStatus": "it is of a job and not of a table",
    "AllStatistics": "it states nothing: it only measures",
}
# Rule types that bound a number of a set of columns, and of one column or of two.
_OF_SEVERAL: dict[str, Callable[..., Measure]] = {"Uniqueness": of.uniqueness, "UniqueValueRatio": of.unique_value_ratio}
_NUMBERS: dict[str, Callable[..., Measure]] = {
    "Completeness": of.completeness, "DistinctValuesCount": of.distinct_with_null, "Entropy": of.entropy, "Mean": of.mean, "Sum": of.sum_,
    "StandardDeviation": of.standard_deviation, "Range": of.range_, "Variance": of.variance, "Skewness": of.skewness,
    "Kurtosis": of.kurtosis, "InterquartileRange": of.interquartile_range, "ZerosCount": of.zeros_count,
    "ColumnCorrelation": of.correlation,
}  # fmt: skip
# Glue's types as Spark SQL calls them.
_TYPES = {
    "boolean": "boolean", "date": "date", "timestamp": "timestamp", "integer": "int", "double": "double", "float": "float",
    "long": "bigint", "string": "string", "byte": "tinyint", "short": "smallint",
}  # fmt: skip
# Rule types by what may stand behind them.
_WITH_THRESHOLD = ("ColumnValues", "ColumnDataType", "CustomSql")
_WITHOUT_CONDITION = ("ColumnExists", "IsComplete", "IsUnique", "IsPrimaryKey", "ColumnNamesMatchPattern")
_OF_THE_WHOLE = (
    "ColumnCount", "ColumnExists", "ColumnNamesMatchPattern", "RowCountMatch", "SchemaMatch", "DatasetMatch", "AggregateMatch", "CustomSql",
)  # fmt: skip


def read(text: str) -> Imported:
    """The rules of a document; `ConstraintError` where it is no DQDL."""
    check_size(text)
    read_as, found = document(text), FoundRules()
    for what, line, tokens in read_as.entries:
        _entry(f"line {line}: {what}" if what else "an empty rule", tokens, read_as.text, found)
    if read_as.analyzers:
        found.note(f"The {read_as.analyzers} entries of `Analyzers` measure and state nothing: none is a rule.")
    return found.imported("DQDL")


def _entry(what: str, tokens: Sequence[Any], text: str, found: FoundRules) -> None:
    place = what.split(":", maxsplit=1)[0]
    try:
        operator, parts = composite(tokens)
        if operator == "or":
            found.add(what, lambda: [_one_of(what.partition(": ")[2], parts, text, found)])
        elif not operator:
            found.add(what, lambda: _checks(_rule(tokens, text), found))
        elif all(part and part[0].value != "(" for part in parts):
            rules = joined([_rule(part, text) for part in parts])
            for one in rules:
                found.add(what if len(rules) == 1 else f"{place}: {one.text}", partial(_checks, one, found))
        else:
            for part in parts:
                _entry(f"{place}: {text[part[0].start : part[-1].end]}" if part else what, part, text, found)
    except UnreadError as error:
        found.leave(what, str(error))


def _one_of(what: str, parts: Sequence[Sequence[Any]], text: str, found: FoundRules) -> Check:
    found.note("`or` is of the whole table, as Glue takes it unless told otherwise: one query says whether one of the rules holds.")
    return one_of([_all_of(part, text, found) for part in parts], " ".join(what.split()))


def _all_of(tokens: Sequence[Any], text: str, found: FoundRules) -> list[Check]:
    """All rules of a part, of which one may be that one of several holds."""
    operator, parts = composite(tokens)
    if operator == "or":
        return [one_of([_all_of(part, text, found) for part in parts], "one of them")]
    if operator:
        return [check for part in parts for check in _all_of(part, text, found)]
    return _checks(_rule(tokens, text), found)


def _rule(tokens: Sequence[Any], text: str) -> DqdlRule:
    """A single rule; the type is looked at first, since what has no check here may be written in any way. Columns stand in quotes, so that
    the name of another type without them begins a rule of its own.
    """
    if tokens and tokens[0].value in _CANNOT:
        raise UnreadError(_CANNOT[tokens[0].value])
    missed = next((token.value for token in tokens[1:] if token.kind == "word" and token.value in RULE_TYPES), None)
    if missed is not None:
        raise UnreadError(f"a comma was expected before {missed}")
    return rule(tokens, text)


def joined(rules: Sequence[DqdlRule]) -> list[DqdlRule]:
    """Two bounds of one thing as one rule: `(Mean "x" >= 1) and (Mean "x" <= 3)`."""
    if len(rules) == 2:
        one, other = rules
        same = all(getattr(one, name) == getattr(other, name) for name in ("type", "parameters", "where", "threshold"))
        if (
            same
            and not dynamic(one)
            and not dynamic(other)
            and one.condition
            and other.condition
            and one.condition.operator in (">", ">=")
            and other.condition.operator in ("<", "<=")
        ):
            both = Condition(f"{one.condition.operator} {other.condition.operator}", one.condition.operands + other.condition.operands)
            return [DqdlRule(one.type, one.parameters, both, one.where, one.threshold, f"{one.text} and {other.text}")]
    return list(rules)


def _checks(rule: DqdlRule, found: FoundRules) -> list[Check]:
    _require_known(rule)
    if rule.type in _OF_SEVERAL:
        return bounded(_OF_SEVERAL[rule.type](rule.parameters, where=rule.where), rule, found)
    if rule.type in _NUMBERS:
        return bounded(_NUMBERS[rule.type](*rule.parameters, where=rule.where), rule, found)
    return _READERS[rule.type](rule, found)


def _require_known(rule: DqdlRule) -> None:
    """`UnreadError` for a type that is none, and for what its rules do not take: it would be left out without a word."""
    if rule.type not in RULE_TYPES:
        raise UnreadError(f"there is no rule type {rule.type}. {nearest(rule.type, RULE_TYPES)}".strip().rstrip("."))
    if rule.threshold is not None and rule.type not in _WITH_THRESHOLD:
        raise UnreadError(f"{rule.type} takes no threshold")
    if rule.condition is not None and rule.type in _WITHOUT_CONDITION:
        raise UnreadError(f"{rule.type} compares with no number")
    if rule.where is not None and rule.type in _OF_THE_WHOLE:
        raise UnreadError(f"{rule.type} is of the whole table and takes no `where`")
    if rule.parameters and rule.type in ("RowCount", "ColumnCount"):
        raise UnreadError(f"{rule.type} is of the table and names no column")


def _size(rule: DqdlRule, found: FoundRules) -> list[Check]:
    return bounded(of.size(where=rule.where), rule, found)


def _column_count(rule: DqdlRule, _: FoundRules) -> list[Check]:
    if dynamic(rule):
        raise UnreadError("no history is kept of the number of columns: give it a number")
    return [c.has_column_count(**given) for given in each_of_bounds(rule.condition)]


def _column_exists(rule: DqdlRule, _: FoundRules) -> list[Check]:
    (column,) = rule.parameters
    return [c.has_column(column)]


def _is_complete(rule: DqdlRule, _: FoundRules) -> list[Check]:
    return [c.is_complete(*rule.parameters, where=rule.where)]


def _is_unique(rule: DqdlRule, _: FoundRules) -> list[Check]:
    return [c.is_unique(rule.parameters, where=rule.where)]


def _is_primary_key(rule: DqdlRule, found: FoundRules) -> list[Check]:
    if len(rule.parameters) > 1:
        found.note("IsPrimaryKey of several columns: each is complete and all together are unique, as Glue's pages say.")
    return [c.is_complete(*rule.parameters, where=rule.where), c.is_unique(rule.parameters, where=rule.where)]


def _duplicates(rule: DqdlRule, found: FoundRules) -> list[Check]:
    return bounded(of.duplicate_row_count(rule.parameters, where=rule.where), rule, found)


def _data_type(rule: DqdlRule, _: FoundRules) -> list[Check]:
    (column,), condition = rule.parameters, rule.condition
    if condition is None or condition.operator not in ("=", "!=", "in", "not in"):
        raise UnreadError("it compares with the name of a type by =, !=, in or not in")
    kinds = [_type(name) for name in condition.operands]
    right = condition.operator in ("=", "in")
    tests = [f"cast({quoted(column)} AS {kind}) IS {'NOT ' if right else ''}NULL" for kind in kinds]
    test = (" OR " if right else " AND ").join(tests)
    return dqdl_values.share(test, f"{column} is {'' if right else 'not '}of type {' or '.join(kinds)}", rule, bounds)


def _type(name: Any) -> str:
    """What Spark SQL calls a type of Glue's; `UnreadError` for what is none."""
    lower = name.lower() if isinstance(name, str) else ""
    kind = lower if lower.startswith("decimal(") else _TYPES.get(lower)
    if kind is None:
        raise UnreadError(f"{name!r} is no type. {nearest(lower, _TYPES)}".strip().rstrip("."))
    return kind


def _freshness(rule: DqdlRule, _: FoundRules) -> list[Check]:
    (column,), condition = rule.parameters, rule.condition
    if condition is None or not all(isinstance(value, Duration) for value in condition.operands):
        raise UnreadError("it compares with a number of days, hours or minutes")
    age = f"(unix_timestamp(current_timestamp()) - unix_timestamp(to_timestamp({quoted(column)})))"
    spans = [value.seconds for value in condition.operands if isinstance(value, Duration)]
    tests = dqdl_values.compared(age, condition.operator, [str(span) for span in spans])
    return [c.satisfies(tests, says=f"the age of {column} is {dqdl_values.said(condition)}", where=rule.where)]


def _lengths(rule: DqdlRule, found: FoundRules) -> list[Check]:
    (column,) = rule.parameters
    found.note("ColumnLength takes null as an empty text, as Deequ does.")
    shortest = of.min_length(column, nulls="empty_string", where=rule.where)
    longest = of.max_length(column, nulls="empty_string", where=rule.where)
    operator = "" if rule.condition is None else rule.condition.operator
    if operator in ("!=", "in", "not in", "not between"):
        assert rule.condition is not None
        length = f"length(coalesce({quoted(column)}, ''))"
        numbers = [str(value) for value in rule.condition.operands if isinstance(value, int | float)]
        says = f"the length of {column} is {dqdl_values.said(rule.condition)}"
        return [c.satisfies(dqdl_values.compared(length, operator, numbers), says=says, where=rule.where)]
    if dynamic(rule):
        raise UnreadError("lengths are those of the shortest and the longest text: state which of both is compared with the last runs")
    given = bounds(rule.condition)
    if "exactly" in given:
        return [c.has(shortest, **given), c.has(longest, **given)]
    sides = [(shortest, ("at_least", "above")), (longest, ("at_most", "below"))]
    return [c.has(measure, **{name: given[name]}) for measure, names in sides for name in names if name in given]


def _custom_sql(rule: DqdlRule, found: FoundRules) -> list[Check]:
    (query,) = rule.parameters
    if dynamic(rule):
        return bounded(measure_of_query(query), rule, found)
    return check_of_query(query, bounds(rule.condition) if rule.condition else {}, bounds(rule.threshold) if rule.threshold else {})


def _values(rule: DqdlRule, found: FoundRules) -> list[Check]:
    if not dynamic(rule):
        return dqdl_values.checks(rule, bounds)
    assert rule.condition is not None
    (column,), operands, signs = rule.parameters, rule.condition.operands, rule.condition.operator.split()
    extremes = {">": of.minimum, ">=": of.minimum, "<": of.maximum, "<=": of.maximum}
    signs = [">", "<"] if signs == ["between"] else signs
    if rule.threshold is not None or not set(signs) <= set(extremes):
        raise UnreadError("of the last runs the smallest and the largest value are known: compare by >, >=, <, <= or between")
    found.note("ColumnValues compares the smallest or the largest value with those of the batches before.")
    sides = [(extremes[s](column, where=rule.where), Condition(s, (one,))) for s, one in zip(signs, operands, strict=True)]
    made = [check for measure, side in sides for check in bounded(measure, replace(rule, condition=side), found)]
    return [*made, c.is_complete(column, where=rule.where)]


_READERS: dict[str, Callable[[DqdlRule, FoundRules], list[Check]]] = {
    "RowCount": _size, "ColumnCount": _column_count, "ColumnExists": _column_exists, "IsComplete": _is_complete, "IsUnique": _is_unique,
    "IsPrimaryKey": _is_primary_key, "DuplicateRowCount": _duplicates, "ColumnDataType": _data_type, "DataFreshness": _freshness,
    "ColumnLength": _lengths, "ColumnValues": _values, "CustomSql": _custom_sql,
    "ReferentialIntegrity": tables.reference, "RowCountMatch": tables.row_count_match, "SchemaMatch": tables.schema_match,
    "DatasetMatch": tables.dataset_match,
    "ColumnNamesMatchPattern": tables.column_names, "AggregateMatch": tables.aggregates,
}  # fmt: skip
RULE_TYPES = (*_READERS, *_OF_SEVERAL, *_NUMBERS, *_CANNOT)
