"""Rules on what values are: RetainType, CategoricalRange, FractionalCategoricalRange and NonNegativeNumbers."""

from __future__ import annotations

import itertools

from avh_ui.constraints.constraint import number
from avh_ui.constraints.pattern_constraint import METRIC, Pattern
from avh_ui.inference.by_snapshot.intervals import Interval, wald
from avh_ui.inference.by_snapshot.rule import Finding, Rule, quoted
from avh_ui.inference.by_snapshot.snapshot import GRAMMAR, Snapshot
from avh_ui.metrics.conformance import conformance_of
from avh_ui.metrics.regexes import anchored, listed

# Deequ's: of the distinct values at most so many occur once only, else more of them are to be expected.
_SINGLES, _SINGLES_FRACTIONAL = 0.1, 0.4
_NOT_NEGATIVE = anchored(r"\+? ?[0-9]+(?:\.[0-9]+)?(?:[eE][+\-]?[0-9]+)?|-0+(?:\.0+)?")
# Of a longer value in a list its beginning is shown; the regex holds the whole.
_SHOWN = 200


def _retained_type(s: Snapshot) -> Finding | None:
    if not s.inferred or s.data_type not in GRAMMAR:
        return None
    code = f".hasDataType({quoted(s.column)}, ConstrainableDataTypes.{s.data_type})"
    pattern = Pattern(s.data_type.lower(), GRAMMAR[s.data_type], s.values, 0, "type")
    return Finding(METRIC, None, 0.0, code, f"every value is of the type {s.data_type.lower()}", f"DataType: {s.data_type}", pattern)


def _categorical_range(s: Snapshot) -> Finding | None:
    table = _categories(s, _SINGLES)
    if table is None:
        return None
    chosen = [value for value, _ in table]
    code = f".isContainedIn({quoted(s.column)}, Array({', '.join(map(quoted, chosen))}))"
    return Finding(METRIC, None, 0.0, code, f"every value is one of {len(chosen)}", "Compliance: 1", _list(s, chosen))


def fractional_categorical_range(s: Snapshot, target: float = 0.9, interval: Interval = wald) -> Finding | None:
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
    bound = max(interval(inside, s.values)[0], 0.0)
    values = ", ".join(map(quoted, chosen))
    code = f'.isContainedIn({quoted(s.column)}, Array({values}), _ >= {bound}, Some("It should be above {bound}!"))'
    words = f"at least {number(100 * bound)}% of the values are one of {len(chosen)}"
    return Finding(METRIC, None, 1 - bound, code, words, f"Compliance: {inside}", _list(s, chosen))


def _categories(s: Snapshot, most_singles: float) -> list[tuple[str, int]] | None:
    """Values by descending count, of a column of few values; None where so many occur once that others are to be expected."""
    if not s.histogram or s.data_type not in ("String", "Integral"):
        return None
    counts = [*s.histogram.values(), *([s.nulls] if s.nulls else [])]
    if sum(count == 1 for count in counts) / len(counts) > most_singles:
        return None
    return sorted(s.histogram.items(), key=lambda pair: (-pair[1], pair[0]))


def _list(s: Snapshot, chosen: list[str]) -> Pattern:
    regex = listed(chosen)
    found = conformance_of(s.histogram or {}, regex)
    text = " | ".join(v if len(v) <= _SHOWN else f"{v[:_SHOWN]}…" for v in chosen)
    return Pattern(text, regex, found.values, found.bad, "dictionary")


def _non_negative(s: Snapshot) -> Finding | None:
    if not s.numeric or s.minimum is None or s.minimum < 0:
        return None
    code, words, current = f".isNonNegative({quoted(s.column)})", "no value is negative", f"Minimum: {s.minimum}"
    if s.inferred:
        pattern = Pattern("number that is not negative", _NOT_NEGATIVE, s.values, 0, "type")
        return Finding(METRIC, None, 0.0, code, words, current, pattern)
    return Finding("min", 0.0, None, code, words, current)


RETAIN_TYPE = Rule("RetainType", "texts that are all numbers, or all booleans, stay such", _retained_type)
CATEGORICAL_RANGE = Rule("CategoricalRange", "few values, nearly all seen often: there are no others", _categorical_range)
FRACTIONAL_CATEGORICAL_RANGE = Rule(
    "FractionalCategoricalRange", "the most frequent values make up nine tenths of the rows", fractional_categorical_range
)
NON_NEGATIVE_NUMBERS = Rule("NonNegativeNumbers", "numbers none of which is negative stay such", _non_negative)
