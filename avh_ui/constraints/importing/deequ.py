"""Deequ's rules as checks: its suggestions (JSON), and suites in Scala or Python (PyDeequ), of which the calls are read and not run."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.importing import deequ_anomalies, deequ_histograms, deequ_suggestions
from avh_ui.constraints.importing.deequ_assertions import bounds
from avh_ui.constraints.importing.deequ_constants import with_constants
from avh_ui.constraints.importing.deequ_loops import without_loops
from avh_ui.constraints.importing.deequ_source import Hint, MethodCall, Name, calls, pairs_of
from avh_ui.constraints.importing.imported import FoundRules, Imported, UnreadError, check_size, from_json
from avh_ui.constraints.importing.own_sql import of_batch
from avh_ui.errors import ConstraintError
from avh_ui.metrics import analyzers as of
from avh_ui.metrics.measure import Measure

# Methods that bound a number: how many columns come first, and its measure.
_NUMBERS: dict[str, tuple[int, Callable[..., Measure]]] = {
    "hasSize": (0, of.size), "hasCompleteness": (1, of.completeness), "hasMin": (1, of.minimum), "hasMax": (1, of.maximum),
    "hasMean": (1, of.mean), "hasSum": (1, of.sum_), "hasStandardDeviation": (1, of.standard_deviation), "hasVariance": (1, of.variance),
    "hasSkewness": (1, of.skewness), "hasKurtosis": (1, of.kurtosis), "hasRange": (1, of.range_),
    "hasInterquartileRange": (1, of.interquartile_range), "hasZerosCount": (1, of.zeros_count), "hasEntropy": (1, of.entropy),
    "hasApproxCountDistinct": (1, of.approx_count_distinct), "hasNumberOfDistinctValues": (1, of.distinct_with_null),
    "hasMinLength": (1, of.min_length), "hasMaxLength": (1, of.max_length), "hasCorrelation": (2, of.correlation),
    "hasMutualInformation": (2, of.mutual_information), "hasUniqueness": (1, of.uniqueness), "hasDistinctness": (1, of.distinctness),
    "hasUniqueValueRatio": (1, of.unique_value_ratio), "hasDuplicateRowCount": (1, of.duplicate_row_count),
    "hasApproxQuantile": (2, of.approx_quantile), "hasExactQuantile": (2, of.exact_quantile),
}  # fmt: skip
_PATTERNS = {
    "EMAIL": c.contains_email, "URL": c.contains_url, "CREDITCARD": c.contains_credit_card,
    "SOCIAL_SECURITY_NUMBER_US": c.contains_social_security_number,
}  # fmt: skip
_LENGTHS = ("hasMinLength", "hasMaxLength")
_OF_BINS = ("hasNumberOfDistinctValues", "hasHistogramValues")
_NOTHING = ("None", "lambda x: x")
_ANOMALIES = ("addAnomalyCheck", "isNewestPointNonAnomalous")
_NULL_BEHAVIOR = re.compile(r"\bNullBehavior\.(Ignore|EmptyString|Fail)\b")
# Scala's and Python's texts with values in them.
_MADE_TEXT = re.compile(r"(?:s|f|raw)(?:\"|')")
_Reader = Callable[[list[Any], MethodCall, dict[str, Any]], list[Check]]
_CODE = "its assertion is code over a whole distribution: bound its numbers one by one (of.compliance, of.histogram)"
_CANNOT = dict.fromkeys(("hasHistogramBinnedValues", "hasHistogramBinnedBins", "kllSketchSatisfies"), _CODE)
# Arguments as they may be named, in their order, which stand behind those that are not.
_BY_NAME = (
    "column", "columns", "columnA", "columnB", "pattern", "quantile", "datatype", "dataType", "allowed_values", "allowedValues",
    "lowerBound", "upperBound",
)  # fmt: skip
# Others that are understood where they stand.
_ELSEWHERE = frozenset((
    *_BY_NAME, "hint", "assertion", "includeLowerBound", "includeUpperBound", "columnCondition", "constraintName", "name",
    "analyzerOptions",    "sqlExpression", "otherDataFrame", "keyColumnMappings", "matchColumnMappings", "other",
))  # fmt: skip
_NULLS = {"Ignore": "ignore", "EmptyString": "empty_string", "Fail": "fail"}
# Calls around a suite, which state nothing.
_AROUND = frozenset((
    "onData", "run", "addCheck", "addChecks", "addRequiredAnalyzer", "addRequiredAnalyzers", "useRepository", "saveOrAppendResult",
    "builder", "getOrCreate", "config", "appName", "read", "parquet", "csv", "show", "withColumn", "select", "toDF", "createDataFrame",
    "format", "load", "checkResultsAsDataFrame", "successMetricsAsDataFrame", "checkResultsAsJson", "useSparkSession",
    "reuseExistingResultsForKey", "master",
))  # fmt: skip


def read(text: str) -> Imported:
    """The rules of suggestions or results as JSON (results hold no bound), or of a suite's source; `ConstraintError` for all else."""
    check_size(text)
    found = FoundRules()
    if text.lstrip()[:1] in ("{", "["):
        deequ_suggestions.add(from_json(text, "Deequ"), found, _checks)
    else:
        _of_source(text, found)
    return found.imported("Deequ")


def _of_source(text: str, found: FoundRules) -> None:
    try:
        made = list(calls(without_loops(with_constants(text))))
    except UnreadError as error:
        raise ConstraintError(f"The source cannot be read: {error}.", hint="Is it whole?") from None
    for name in re.findall(r"\.\s*addConstraints?\s*\(\s*([A-Za-z_]\w*)\s*\)", text):
        if not re.search(rf"\b{name}\s*(?::[^=\n]*)?=(?!=)", text):
            found.leave(f"addConstraint({name})", "the constraint is made elsewhere, and code is not run")
    for call in made:
        if call.method in METHODS or (call.of_check and call.method not in _AROUND):
            found.add(call.text, partial(_checks, call))
            if call.level is None:
                found.note("A check has a level that is code: its rules are taken as errors.")
            if call.method not in _LENGTHS and (match := _NULL_BEHAVIOR.search(call.text)) and match[1] != "Ignore":
                found.note("nullBehavior is of lengths alone here: of other values null breaks no rule, which `isComplete` says.")


def _checks(call: MethodCall) -> list[Check]:
    manner: dict[str, Any] = {"level": call.level} if call.level == "warning" else {}
    if isinstance(hint := call.named.get("hint"), str):
        manner["hint"] = str(hint)
    arguments = [argument for argument in call.arguments if not isinstance(argument, Name) or argument.text not in _NOTHING]
    arguments += [call.named[name] for name in _BY_NAME if name in call.named]
    method = call.method
    if method in _OF_BINS:  # of how many are shown none is left out of what is counted
        arguments = [argument for argument in arguments if not str(argument).endswith("MaximumAllowedDetailBins")]
    if method in _CANNOT:
        raise UnreadError(_CANNOT[method])
    _refuse_code(call)
    if method in _NUMBERS:
        return [_number(method, arguments, call, manner)]
    if method not in _RULES:
        raise UnreadError(f"there is no method {method} of a Check that is known")
    return _RULES[method](arguments, call, {**manner, "where": call.where})


def _refuse_code(call: MethodCall) -> None:
    """`UnreadError` for a condition or text that is made when the suite runs, and for arguments that are not understood."""
    if isinstance(call.where, Name):
        raise UnreadError(f"its condition `{call.where}` is code, and is not run")
    texts = (one for one in (*call.arguments, *call.named.values()) if isinstance(one, Name))
    if made := next((one for one in texts if _MADE_TEXT.match(one.text)), None):
        raise UnreadError(f"its text {made} is made when it runs, and is not run")
    shown = {name for name in call.named if call.method in _OF_BINS and (name == "maxBins" or call.named[name] is None)}
    if call.method not in _ANOMALIES and (strange := sorted(call.named.keys() - _ELSEWHERE - shown)):
        raise UnreadError(f"its argument {strange[0]!r} is not understood")


def _number(method: str, arguments: list[Any], call: MethodCall, manner: dict[str, Any]) -> Check:
    count, measure = _NUMBERS[method]
    options = call.named.get("analyzerOptions", next((one for one in arguments if isinstance(one, Name) and "Options" in one.text), None))
    code = [one for one in arguments if isinstance(one, Name) and one is not options]
    assertion = call.named.get("assertion", code[0] if code else None)
    if assertion is None:
        raise UnreadError("it has no assertion")
    if more := next((one for one in code if one is not assertion), None):
        raise UnreadError(f"its argument `{more}` is code, and is not run")
    plain = [argument for argument in arguments if not isinstance(argument, Name)]
    nulls = {"nulls": _nulls(options)} if method in _LENGTHS and options is not None else {}
    manner = {**manner, **({"hint": str(hint)} if (hint := next((text for text in plain[count:] if isinstance(text, str)), None)) else {})}
    return c.has(measure(*plain[:count], where=call.where, **nulls), **bounds(assertion), **manner)


def _nulls(options: Any) -> str:
    """What a null counts as, of `AnalyzerOptions(NullBehavior.Fail)`."""
    found = _NULL_BEHAVIOR.search(str(options))
    if found is None and "AnalyzerOptions" not in str(options):
        raise UnreadError(f"its analyzerOptions `{options}` are code, and are not run")
    return _NULLS[found[1]] if found else "ignore"


def _held(make: Callable[..., Check], of_what: list[Any], rest: list[Any], call: MethodCall, manner: dict[str, Any]) -> list[Check]:
    """The check with the share that an assertion asks for, all where there is none; and the hint behind it."""
    assertion = call.named.get("assertion", next((argument for argument in rest if isinstance(argument, Name)), None))
    behind = rest[rest.index(assertion) + 1 :] if assertion in rest else rest
    if hint := _hint([text for text in behind if isinstance(text, str)]):
        manner = {**manner, "hint": hint}
    given = {} if assertion is None else bounds(assertion)
    if given in ({}, {"exactly": 1}):
        return [make(*of_what, **manner)]
    if set(given) == {"at_least"}:
        return [make(*of_what, **given, **manner)]
    check = make(*of_what, **manner)
    return [c.has(check.measure, level=check.level, hint=check.hint, **given)]


def _hint(texts: list[str]) -> str:
    """What stands behind the others; a second text would be left out without a word."""
    if len(texts) > 1:
        raise UnreadError(f"its argument {texts[1]!r} is not understood: several columns are one list, as in areComplete")
    return "".join(map(str, texts))


def _complete(arguments: list[Any], call: MethodCall, manner: dict[str, Any]) -> list[Check]:
    columns = arguments[0] if isinstance(arguments[0], list) else [arguments[0]]
    return _held(c.is_any_complete if "Any" in call.method else c.is_complete, columns, arguments[1:], call, manner)


def _unique(arguments: list[Any], call: MethodCall, manner: dict[str, Any]) -> list[Check]:
    first, *rest = arguments
    columns, hints = (first if isinstance(first, list) else [first]), [text for text in rest if isinstance(text, str)]
    if call.method == "isPrimaryKey":
        columns, hints = [*columns, *(text for text in hints if not isinstance(text, Hint))], [t for t in hints if isinstance(t, Hint)]
    return [c.is_unique(columns, **{**manner, **({"hint": _hint(hints)} if hints else {})})]


def _contained(arguments: list[Any], call: MethodCall, manner: dict[str, Any]) -> list[Check]:
    column, values, *rest = arguments
    if isinstance(values, Name):
        raise UnreadError(f"its values `{values}` are code, and are not run")
    if isinstance(values, list):
        return _held(c.is_contained_in, [column, values], rest, call, manner)
    upper, *more = rest
    flags = [call.named.get(name, True) for name in ("includeLowerBound", "includeUpperBound")]
    for place, flag in enumerate([value for value in more if isinstance(value, bool)][:2]):
        flags[place] = flag
    strict: Any = {(True, True): "", (False, True): "lower", (True, False): "upper", (False, False): "both"}[flags[0], flags[1]]
    return [c.is_in_range(column, values, upper, strict=strict, **manner)]


def _one_column(make: Callable[..., Check]) -> _Reader:
    return lambda arguments, call, manner: _held(make, arguments[:1], arguments[1:], call, manner)


def _two_columns(make: Callable[..., Check]) -> _Reader:
    return lambda arguments, call, manner: _held(make, arguments[:2], arguments[2:], call, manner)


def _satisfies(arguments: list[Any], call: MethodCall, manner: dict[str, Any]) -> list[Check]:
    condition, name, *rest = [*arguments, *(call.named[key] for key in ("columnCondition", "constraintName") if key in call.named)]
    return _held(c.satisfies, [condition], rest, call, {**manner, "says": name})


def _pattern(arguments: list[Any], call: MethodCall, manner: dict[str, Any]) -> list[Check]:
    column, pattern, *rest = arguments
    if isinstance(pattern, Name):
        known = _PATTERNS.get(pattern.text.rpartition(".")[2])
        if known is None:
            raise UnreadError(f"the pattern {pattern.text} is code, and is not run")
        return _held(known, [column], rest, call, manner)
    return _held(c.has_pattern, [column, pattern], rest, call, manner)


def _data_type(arguments: list[Any], call: MethodCall, manner: dict[str, Any]) -> list[Check]:
    column, kind, *rest = arguments
    return _held(c.has_data_type, [column, kind.text.rpartition(".")[2]], rest, call, manner)


def _query(arguments: list[Any], call: MethodCall, manner: dict[str, Any]) -> list[Check]:
    manner.pop("where")
    return [c.custom_sql(of_batch(arguments[0]), **bounds(call.named.get("assertion", arguments[1] if arguments[1:] else None)), **manner)]


def _dataset(arguments: list[Any], call: MethodCall, manner: dict[str, Any]) -> list[Check]:
    manner.pop("where")
    other, *maps = arguments[:2]
    behind = arguments[2:]
    pairs = next((one for one in behind if isinstance(one, Name) and "->" in one.text and "=>" not in one.text), None)
    more = call.named.get("matchColumnMappings", pairs)
    assertion, *rest = [one for one in behind if one is not more] or [Name("IsOne")]
    keys = pairs_of(maps[0].text)
    compared = pairs_of(more.text) if more is not None else []
    by, values = ([a for a, _ in some] if all(a == b for a, b in some) else dict(some) for some in (keys, compared))
    make = partial(c.matches, other.text, by, values)
    return _held(make, [], [assertion, *rest], call, manner)


def _column(arguments: list[Any], _: MethodCall, manner: dict[str, Any]) -> list[Check]:
    manner.pop("where")
    return [c.has_column(arguments[0], **manner)]


def _column_count(arguments: list[Any], _: MethodCall, manner: dict[str, Any]) -> list[Check]:
    manner.pop("where")
    return [c.has_column_count(**bounds(arguments[0]), **manner)]


_RULES: dict[str, _Reader] = {
    **dict.fromkeys(("isComplete", "areComplete", "haveCompleteness", "areAnyComplete", "haveAnyCompleteness"), _complete),
    **dict.fromkeys(("isUnique", "areUnique", "isPrimaryKey"), _unique),
    "isContainedIn": _contained,
    "isNonNegative": _one_column(c.is_non_negative),
    "isPositive": _one_column(c.is_positive),
    "isLessThan": _two_columns(c.is_less_than),
    "isLessThanOrEqualTo": _two_columns(c.is_at_most),
    "isGreaterThan": _two_columns(c.is_greater_than),
    "isGreaterThanOrEqualTo": _two_columns(c.is_at_least),
    "satisfies": _satisfies,
    "hasPattern": _pattern,
    "containsEmail": _one_column(c.contains_email),
    "containsURL": _one_column(c.contains_url),
    "containsCreditCardNumber": _one_column(c.contains_credit_card),
    "containsSocialSecurityNumber": _one_column(c.contains_social_security_number),
    "hasDataType": _data_type,
    "customSql": _query,
    "hasColumn": _column,
    "hasColumnCount": _column_count,
    "doesDatasetMatch": _dataset,
    "hasHistogramValues": deequ_histograms.checks,
    **dict.fromkeys(_ANOMALIES, lambda arguments, call, _: deequ_anomalies.checks(arguments, call)),
}
METHODS = (*_RULES, *_NUMBERS, *_CANNOT)
