"""Deequ's suggestion rules: one declaration each, and one line of `RULES`, in Deequ's order (`Rules.EXTENDED`).

Confidence intervals of a share are as Deequ's rules use them: 95 %, cut to two decimals.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable
from dataclasses import dataclass

from avh_ui.constraints.constraint import number
from avh_ui.constraints.pattern_constraint import METRIC, Pattern
from avh_ui.inference.by_snapshot.snapshot import GRAMMAR, Snapshot
from avh_ui.metrics.conformance import conformance_of
from avh_ui.metrics.counts import COMPLETE_RATIO
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.moments import MAX, MEAN, MIN, STANDARD_DEVIATION
from avh_ui.metrics.regexes import anchored, listed
from avh_ui.metrics.text import MAX_LENGTH, MIN_LENGTH
from avh_ui.metrics.uniqueness import UNIQUE_RATIO


@dataclass(frozen=True)
class SnapshotFinding:
    """What a rule suggests of one column: bounds on a metric, or with `pattern` on the share of values that do not conform to it.

    `code` is the constraint in Deequ's own language, `words` what it says, `current` what the batch had.
    """

    metric: str
    lower: float | None
    upper: float | None
    code: str
    words: str
    current: str
    pattern: Pattern | None = None


@dataclass(frozen=True)
class SnapshotRule:
    """`name` is Deequ's, `words` when it applies; `find` gives None where it does not. One that `repeats` a statistic of the batch says of
    it that it stays as it is, which a single row can end.
    """

    name: str
    words: str
    find: Callable[[Snapshot], SnapshotFinding | None]
    repeats: bool = False


def quoted(text: str) -> str:
    """A text as a literal of Scala."""
    return json.dumps(text)


# The 97.5 % quantile of the normal distribution: two sides of a 95 % interval.
_Z = 1.959963984540054


def wald(share: float, n: int) -> tuple[float, float]:
    """The normal approximation, Deequ's default; a share of 0 or 1 has no width."""
    half = _Z * math.sqrt(share * (1 - share) / n)
    return _cut(share - half, share + half)


def _cut(lower: float, upper: float) -> tuple[float, float]:
    # Rounding noise must not push a bound that is a multiple of 0.01 to the next one.
    return math.floor(round(100 * lower, 9)) / 100, math.ceil(round(100 * upper, 9)) / 100


# Deequ's: an approximate count of distinct values may be off by so much of the rows.
_NEARLY_UNIQUE = 0.08


def _complete(s: Snapshot) -> SnapshotFinding | None:
    if s.completeness != 1:
        return None
    return SnapshotFinding(COMPLETE_RATIO.name, 1.0, 1.0, f".isComplete({quoted(s.column)})", "no value is null", "Completeness: 1.0")


def retain_completeness(s: Snapshot, least: float = 0.2, most: float = 1.0) -> SnapshotFinding | None:
    """A share of nulls that is neither negligible nor overwhelming, within sampling error of what it was."""
    if not least < s.completeness < most:
        return None
    bound = wald(s.completeness, s.rows)[0]
    code = f'.hasCompleteness({quoted(s.column)}, _ >= {bound}, Some("It should be above {bound}!"))'
    words = f"at most {number(100 * (1 - bound))}% of the values are null"
    return SnapshotFinding(COMPLETE_RATIO.name, bound, None, code, words, f"Completeness: {s.completeness}")


def _unique(s: Snapshot) -> SnapshotFinding | None:
    # In floating point |1 - 0.92| is within the bound and |1 - 1.08| is not: as Deequ has it.
    # Of one row any value is unique.
    if s.completeness != 1 or s.rows < 2 or abs(1 - s.distinct / s.rows) > _NEARLY_UNIQUE:
        return None
    words = f"about {s.distinct:,.0f} of {s.values:,} values are distinct" if s.distinct_error else "no value occurs twice"
    current = f"ApproxDistinctness: {s.distinct / s.rows}"
    return SnapshotFinding(UNIQUE_RATIO.name, 1.0, 1.0, f".isUnique({quoted(s.column)})", words, current)


COMPLETE_IF_COMPLETE = SnapshotRule("CompleteIfComplete", "a column that is complete in the batch stays so", _complete)
RETAIN_COMPLETENESS = SnapshotRule(
    "RetainCompleteness", "a column's share of nulls does not rise beyond sampling error", retain_completeness
)
UNIQUE_IF_APPROXIMATELY_UNIQUE = SnapshotRule(
    "UniqueIfApproximatelyUnique", "a column whose number of distinct values is about that of its rows is a key", _unique
)


# Deequ's: of the distinct values at most so many occur once only, else more of them are to be expected.
_SINGLES, _SINGLES_FRACTIONAL = 0.1, 0.4
_NOT_NEGATIVE = anchored(r"\+? ?[0-9]+(?:\.[0-9]+)?(?:[eE][+\-]?[0-9]+)?|-0+(?:\.0+)?")
# Of a longer value in a list its beginning is shown; the regex holds the whole.
_SHOWN = 200


def _retained_type(s: Snapshot) -> SnapshotFinding | None:
    if not s.inferred or s.data_type not in GRAMMAR:
        return None
    code = f".hasDataType({quoted(s.column)}, ConstrainableDataTypes.{s.data_type})"
    pattern = Pattern(s.data_type.lower(), GRAMMAR[s.data_type], s.values, 0, "type")
    return SnapshotFinding(
        METRIC, None, 0.0, code, f"every value is of the type {s.data_type.lower()}", f"DataType: {s.data_type}", pattern
    )


def _categorical_range(s: Snapshot) -> SnapshotFinding | None:
    table = _categories(s, _SINGLES)
    if table is None:
        return None
    chosen = [value for value, _ in table]
    code = f".isContainedIn({quoted(s.column)}, Array({', '.join(map(quoted, chosen))}))"
    return SnapshotFinding(METRIC, None, 0.0, code, f"every value is one of {len(chosen)}", "Compliance: 1", _list(s, chosen))


def fractional_categorical_range(s: Snapshot, target: float = 0.9) -> SnapshotFinding | None:
    """The most frequent values make up `target` of the rows, and do so again within sampling error."""
    table = _categories(s, _SINGLES_FRACTIONAL)
    if table is None or not s.rows:
        return None
    ranked = sorted([*table, *([(None, s.nulls)] if s.nulls else [])], key=lambda pair: -pair[1])
    upto = itertools.accumulate(count for _, count in ranked)
    taken = 1 + sum(total < target * s.rows for total in upto)
    share = sum(count for _, count in ranked[:taken]) / s.rows
    chosen = [value for value, _ in ranked[:taken] if value is not None]
    if share >= 1 or not chosen:
        return None
    # Deequ counts nulls as contained; here they are no values, and the share is of those that there are.
    inside = sum(count for value, count in ranked[:taken] if value is not None) / s.values
    bound = max(wald(inside, s.values)[0], 0.0)
    values = ", ".join(map(quoted, chosen))
    code = f'.isContainedIn({quoted(s.column)}, Array({values}), _ >= {bound}, Some("It should be above {bound}!"))'
    words = f"at least {number(100 * bound)}% of the values are one of {len(chosen)}"
    return SnapshotFinding(METRIC, None, 1 - bound, code, words, f"Compliance: {inside}", _list(s, chosen))


def _categories(s: Snapshot, most_singles: float) -> list[tuple[str, int]] | None:
    """Values by descending count, of a column of few values; None where so many occur once that others are to be expected."""
    if not s.histogram or s.data_type not in ("String", "Integral"):
        return None
    counts = [*s.histogram.values(), *([s.nulls] if s.nulls else [])]
    if sum(count == 1 for count in counts) / len(counts) > most_singles:
        return None
    return sorted(s.histogram.items(), key=lambda pair: (-pair[1], pair[0]))


def _in_order(values: list[str]) -> list[str]:
    """Numbers as they follow one another; others, by how often they come, as they are."""
    try:
        return sorted(values, key=int)
    except ValueError:
        return values


def _list(s: Snapshot, chosen: list[str]) -> Pattern:
    regex = listed(chosen)
    found = conformance_of(s.histogram or {}, regex)
    text = " | ".join(v if len(v) <= _SHOWN else f"{v[:_SHOWN]}…" for v in _in_order(chosen))
    return Pattern(text, regex, found.values, found.bad, "dictionary")


def _non_negative(s: Snapshot) -> SnapshotFinding | None:
    if not s.numeric or s.minimum is None or s.minimum < 0:
        return None
    code, words, current = f".isNonNegative({quoted(s.column)})", "no value is negative", f"Minimum: {s.minimum}"
    if s.inferred:
        pattern = Pattern("number that is not negative", _NOT_NEGATIVE, s.values, 0, "type")
        return SnapshotFinding(METRIC, None, 0.0, code, words, current, pattern)
    return SnapshotFinding(MIN.name, 0.0, None, code, words, current)


RETAIN_TYPE = SnapshotRule("RetainType", "texts that are all numbers, or all booleans, stay such", _retained_type)
CATEGORICAL_RANGE = SnapshotRule("CategoricalRange", "few values, nearly all seen often: there are no others", _categorical_range)
FRACTIONAL_CATEGORICAL_RANGE = SnapshotRule(
    "FractionalCategoricalRange", "the most frequent values make up nine tenths of the rows", fractional_categorical_range
)
NON_NEGATIVE_NUMBERS = SnapshotRule("NonNegativeNumbers", "numbers none of which is negative stay such", _non_negative)


# Values closer than this share of their size are the same value computed in another order of summation.
_NOISE = 1e-10


def _equal(name: str, metric: Metric, statistic: str, read: Callable[[Snapshot], float | None]) -> SnapshotRule:
    # Deequ's own HasMean states the maximum (a defect); here it is the mean.
    def find(s: Snapshot) -> SnapshotFinding | None:
        value = read(s)
        if s.kind != "numeric" or value is None:
            return None
        noise = 0.0 if metric.extreme else _NOISE * abs(value)  # extremes are not summed
        code = f".{name[0].lower()}{name[1:]}({quoted(s.column)}, _ == {value})"
        return SnapshotFinding(
            metric.name, value - noise, value + noise, code, f"the {statistic} is {number(value)}", f"{statistic}: {value}"
        )

    return SnapshotRule(name, f"the {statistic} stays as it is", find, repeats=True)


def _min_length(s: Snapshot) -> SnapshotFinding | None:
    # That a text has a character says nothing that is no null.
    if s.shortest is None or s.shortest <= 1:
        return None
    words, current = f"no value is shorter than {s.shortest:g} characters", f"MinLength: {s.shortest:g}"
    return SnapshotFinding(MIN_LENGTH.name, s.shortest, None, f".hasMinLength({quoted(s.column)}, _ >= {s.shortest})", words, current)


def _max_length(s: Snapshot) -> SnapshotFinding | None:
    if s.longest is None:
        return None
    words, current = f"no value is longer than {s.longest:g} characters", f"MaxLength: {s.longest:g}"
    return SnapshotFinding(MAX_LENGTH.name, None, s.longest, f".hasMaxLength({quoted(s.column)}, _ <= {s.longest})", words, current)


HAS_MIN = _equal("HasMin", MIN, "minimum", lambda s: s.minimum)
HAS_MAX = _equal("HasMax", MAX, "maximum", lambda s: s.maximum)
HAS_MEAN = _equal("HasMean", MEAN, "mean", lambda s: s.mean)
HAS_STANDARD_DEVIATION = _equal("HasStandardDeviation", STANDARD_DEVIATION, "standard deviation", lambda s: s.deviation)
HAS_MIN_LENGTH = SnapshotRule("HasMinLength", "no value is shorter than the shortest one", _min_length, repeats=True)
HAS_MAX_LENGTH = SnapshotRule("HasMaxLength", "no value is longer than the longest one", _max_length, repeats=True)


RULES: tuple[SnapshotRule, ...] = (
    COMPLETE_IF_COMPLETE,
    RETAIN_COMPLETENESS,
    RETAIN_TYPE,
    CATEGORICAL_RANGE,
    FRACTIONAL_CATEGORICAL_RANGE,
    NON_NEGATIVE_NUMBERS,
    UNIQUE_IF_APPROXIMATELY_UNIQUE,
    HAS_MIN,
    HAS_MAX,
    HAS_MEAN,
    HAS_STANDARD_DEVIATION,
    HAS_MIN_LENGTH,
    HAS_MAX_LENGTH,
)
