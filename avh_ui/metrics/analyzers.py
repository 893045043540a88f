"""Deequ's analyzers, each as a function that gives a measure. Nothing is measured here: see `avh_ui.measure`.

All take `where`, a Spark SQL condition: only rows for which it is true are measured (null is not true). The case of a column's name does
not matter, as in Spark, unless its session says so (`spark.sql.caseSensitive`). Names, ranges and nulls are
Deequ's, except where a docstring says otherwise. "Empty" results have no value, with cause `empty`: Deequ's EmptyState. A wrong
column, type or parameter gives a failed result of that measure alone; no function here raises. Any other metric of one batch can be
measured too: `Measure.of("median", "x")`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from avh_ui.metrics import together_analyzers as together
from avh_ui.metrics.groups import TOP
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.quantiles import RELATIVE_ERROR
from avh_ui.metrics.text import Nulls


def _of(name: str, columns: str | Iterable[str], where: str | None, **parameters: object) -> Measure:
    named: Any = _listed(columns)
    given = tuple((key, value) for key, value in parameters.items() if value is not None)
    return Measure(name, named if isinstance(named, tuple) else (named,), where, given)


def _unless(value: Any, usual: Any) -> Any:
    """None for what is so anyway, so that a measure is the same whether that was said or not."""
    return None if type(value) is type(usual) and value == usual else value


def _listed(values: object) -> object:
    """Several values as a tuple; what is none is told of by its measure's result."""
    return tuple(values) if isinstance(values, Iterable) and not isinstance(values, str) else values


def size(*, where: str | None = None) -> Measure:
    """Number of rows. With `where`: of those for which it is true; empty when it is null for all of them."""
    return _of("size", (), where)


def column_count() -> Measure:
    """Number of the table's columns. No row is read. Of merged states: where all parts have as many."""
    return _of("column_count", (), None)


def column_exists(column: str, *, place: int | None = None) -> Measure:
    """1 where the table (of merged states: each part) has the column, or a struct with the field (`geo.lat`), else 0. No row is read.

    The case of the name does not matter, unless Spark's session says so. `place` is where it must stand, counted from 1.
    """
    return _of("column_exists", (), None, column=column, place=place)


def column_type(column: str, types: str | Iterable[str]) -> Measure:
    """1 where the column has one of these types, by Spark's names (`bigint`, `string`, `decimal(10,2)`), else 0. No row is read.

    Numbers of CSV are of every type of numbers, and a column without any value is of every type.
    """
    return _of("column_type", (), None, column=column, types=(types,) if isinstance(types, str) else _listed(types))


def column_names(pattern: str) -> Measure:
    """Share of the table's columns in whose names a match of the pattern is found, 0 to 1. No row is read."""
    return _of("column_names", (), None, pattern=pattern)


def completeness(column: str, *, where: str | None = None) -> Measure:
    """Share of rows that are not null, 0 to 1, of a column of any type. NaN and the empty string are values. Empty without rows."""
    return _of("completeness", column, where)


def compliance(predicate: str, name: str = "", *, where: str | None = None) -> Measure:
    """Share of rows for which a Spark SQL predicate is true, 0 to 1; null is not, and stays in the denominator.

    Empty without rows, and when the predicate is null for all. `name` is for display. SQL is read as before Spark 4, without ANSI
    mode: a cast that fails, a division by zero and a date that is none are null. A number that overflows fails the analyzer.
    """
    return _of("compliance", (), where, predicate=predicate, label=name or None)


def pattern_match(column: str, pattern: str, *, where: str | None = None) -> Measure:
    """Share of rows whose text has a match of the regular expression anywhere, 0 to 1; null and an empty match are none.

    Java's syntax on Spark, Python's (with ASCII classes, as Java's) off Spark. The first match counts. Empty without rows.
    """
    return _of("pattern_match", column, where, pattern=pattern)


def minimum(column: str, *, where: str | None = None) -> Measure:
    """Smallest number, or date or time in seconds since 1970; nulls skipped. NaN sorts above all numbers: NaN only when there is nothing
    else. Empty without values.
    """
    return _of("minimum", column, where)


def maximum(column: str, *, where: str | None = None) -> Measure:
    """Largest number, or date or time in seconds since 1970; nulls skipped; NaN when any is NaN. Empty without values."""
    return _of("maximum", column, where)


def mean(column: str, *, where: str | None = None) -> Measure:
    """Arithmetic mean, of dates and times in seconds since 1970; nulls skipped; NaN when any is NaN. Empty without values."""
    return _of("mean", column, where)


def freshness(column: str, at: str | None = None, *, where: str | None = None) -> Measure:
    """Seconds from the newest date or time to the moment `at` (ISO 8601 with its zone; None: when it is told). Empty without values."""
    return _of("freshness", column, where, at=at)


def sum_(column: str, *, where: str | None = None) -> Measure:
    """Sum as a double; nulls skipped; NaN when any is NaN. Empty without values."""
    return _of("sum", column, where)


def standard_deviation(column: str, *, where: str | None = None) -> Measure:
    """Standard deviation of the population (divided by n), in the column's unit. Empty without values."""
    return _of("standard_deviation", column, where)


def variance(column: str, *, where: str | None = None) -> Measure:
    """Variance of the population (divided by n). Empty without values."""
    return _of("variance", column, where)


def skewness(column: str, *, where: str | None = None) -> Measure:
    """sqrt(n) M3 / M2^1.5; 0 for a constant column. Empty without values."""
    return _of("skewness", column, where)


def kurtosis(column: str, *, where: str | None = None) -> Measure:
    """Excess kurtosis, n M4 / M2^2 - 3; 0 for a constant column. Empty without values."""
    return _of("kurtosis", column, where)


def range_(column: str, *, where: str | None = None) -> Measure:
    """Largest less smallest number; NaN when any is NaN. Empty without values."""
    return _of("range", column, where)


def zeros_count(column: str, *, where: str | None = None) -> Measure:
    """Rows that are 0. Null is not, so that a column of nulls (or a `where` that is true nowhere) has 0; empty without rows."""
    return _of("zeros_count", column, where)


def ratio_of_sums(numerator: str, denominator: str, *, where: str | None = None) -> Measure:
    """Sum of one column by that of another, each over its own non-null values; may be infinite, and NaN for 0 / 0.

    Empty when either has no values. Deequ reads the wrong sums when it shares a scan with others.
    """
    return _of("ratio_of_sums", (numerator, denominator), where)


def correlation(a: str, b: str, *, where: str | None = None) -> Measure:
    """Pearson's, -1 to 1, over rows in which both are there; NaN when one is constant. Empty without such rows."""
    return _of("correlation", (a, b), where)


def approx_quantile(column: str, quantile: float, *, relative_error: float = RELATIVE_ERROR, where: str | None = None) -> Measure:
    """An observed value of about that rank (0 to 1), by a mergeable sketch that keeps `relative_error` in the rank.

    The bound is in the result (`error`); exact up to some hundred values. NaN sorts above all numbers. Empty without values.
    Errors below 1e-4 need more memory than a state should take: the largest sketch is used and its bound reported.
    """
    return _of("approx_quantile", column, where, quantile=quantile, relative_error=_unless(relative_error, RELATIVE_ERROR))


def approx_quantiles(
    column: str, quantiles: Iterable[float], *, relative_error: float = RELATIVE_ERROR, where: str | None = None
) -> Measure:
    """Several quantiles of one sketch: a mapping from `str(quantile)`. Deequ's takes no `where`; this one does."""
    return _of("approx_quantiles", column, where, quantiles=_listed(quantiles), relative_error=_unless(relative_error, RELATIVE_ERROR))


def exact_quantile(column: str, quantile: float, *, where: str | None = None) -> Measure:
    """The quantile (0 to 1) interpolated between the two nearest values, by a pass of its own. Empty without values.

    Its state would be the column itself: it is refused on merged states. (Deequ's claims to merge and cannot.)
    """
    return _of("exact_quantile", column, where, quantile=quantile)


def interquartile_range(column: str, *, where: str | None = None) -> Measure:
    """Exact 75 % less exact 25 % quantile, in the column's unit; as `exact_quantile`, refused on merged states."""
    return _of("interquartile_range", column, where)


def min_length(column: str, *, nulls: Nulls = "ignore", where: str | None = None) -> Measure:
    """Shortest text, in code points. Nulls are ignored, taken as empty texts, or (`fail`) as minus the largest double.

    Empty without texts (with `ignore`) or rows.
    """
    return _of("min_length", column, where, nulls=_unless(nulls, "ignore"))


def max_length(column: str, *, nulls: Nulls = "ignore", where: str | None = None) -> Measure:
    """Longest text, in code points. Nulls are ignored, taken as empty texts, or (`fail`) as the largest double."""
    return _of("max_length", column, where, nulls=_unless(nulls, "ignore"))


def data_type(column: str, *, where: str | None = None) -> Measure:
    """Histogram of what the values look like: Unknown (null), Fractional, Integral, Boolean, String; ratio of all rows.

    By Deequ's grammar on Spark's text of the value. Rows outside `where` are not counted; Deequ counts them as Unknown. Empty
    without rows.
    """
    return _of("data_type", column, where)


def type_ratio(column: str, type: str, *, where: str | None = None) -> Measure:  # noqa: A002 (the word that people use)
    """Share of the non-null values whose text looks like a type, 0 to 1: Fractional, Integral, Boolean, String, or Numeric (both numbers);
    of `Null` the share of all rows. By the grammar of `data_type`. 0 for a column of nulls; empty without rows.
    """
    return _of("type_ratio", column, where, type=type)


def approx_count_distinct(column: str, *, where: str | None = None) -> Measure:
    """About how many distinct non-null values, by a mergeable sketch (1.6 % standard error; Deequ's has 5 %).

    0 for a column of nulls and for a `where` that is true nowhere; empty without rows.
    """
    return _of("approx_count_distinct", column, where)


def count_distinct(columns: str | Iterable[str], *, where: str | None = None) -> Measure:
    """Number of distinct combinations; the one of nulls alone is none. 0 without rows.

    This and all below are exact and need the rows grouped. With several columns null equals null; rows that are null in all of
    them are left out, of the denominators too.
    """
    return _of("count_distinct", columns, where)


def distinct_with_null(column: str, *, where: str | None = None) -> Measure:
    """Number of distinct values of a column, null among them: the bins of Deequ's Histogram (hasNumberOfDistinctValues). 0 without rows."""
    return _of("distinct_with_null", column, where)


def uniqueness(columns: str | Iterable[str], *, where: str | None = None) -> Measure:
    """Combinations that occur once, by rows, 0 to 1. Empty without combinations.

    As Deequ's code has it; what the VLDB 2018 paper calls Uniqueness is `unique_value_ratio`. AVH's `unique_ratio` is a metric of
    its own: distinct non-null values by non-null values, here `distinctness`.
    """
    return _of("uniqueness", columns, where)


def distinctness(columns: str | Iterable[str], *, where: str | None = None) -> Measure:
    """Distinct combinations by rows, 0 to 1. Empty without combinations."""
    return _of("distinctness", columns, where)


def unique_value_ratio(columns: str | Iterable[str], *, where: str | None = None) -> Measure:
    """Combinations that occur once by distinct combinations, 0 to 1. Empty without combinations (Deequ fails otherwise)."""
    return _of("unique_value_ratio", columns, where)


def entropy(column: str, *, where: str | None = None) -> Measure:
    """Entropy of the distribution of the non-null values, in nats. Empty without values."""
    return _of("entropy", column, where)


def mutual_information(a: str, b: str, *, where: str | None = None) -> Measure:
    """Sum of p_ab ln(p_ab / (p_a p_b)), in nats, over pairs without null; rows with one null stay in N and in the marginals.

    Of a column with itself its entropy. The table of pairs comes to the driver: meant for categories, not for identifiers. Empty without
    pairs.
    """
    return _of("mutual_information", (a, b), where)


def duplicate_row_count(columns: str | Iterable[str] = (), *, where: str | None = None) -> Measure:
    """Rows whose combination occurs more than once; no columns stand for all of the table's. 0 without rows."""
    return _of("duplicate_row_count", columns, where)


def histogram(column: str, max_bins: int = TOP, *, sum_of: str | None = None, where: str | None = None) -> Measure:
    """Rows by value (or the sum of the number column `sum_of`), the `max_bins` largest; null is the label `NullValue`.

    Values as Spark writes them as text (times in UTC); ties in the order of the labels. As in Deequ, `ratio` is of the whole table,
    also with `where`. At most 1,000 bins are named; all are counted. Empty without rows.
    """
    return _of("histogram", (column,) if sum_of is None else (column, sum_of), where, max_bins=_unless(max_bins, TOP))


def histogram_binned(column: str, bins: int | Iterable[float] = 10, *, where: str | None = None) -> Measure:
    """Rows by bins of equal width from the smallest to the largest number, or by bins between given ascending edges.

    Nulls are counted apart; numbers outside the edges and NaN are dropped; a constant column has one bin. Empty without values
    unless edges are given. Equal widths need a second pass, and are refused on merged states; given edges merge.
    """
    return _of("histogram_binned", column, where, bins=_listed(bins))


refers_to, match_ratio = together.refers_to, together.match_ratio
row_count_ratio, schema_match = together.row_count_ratio, together.schema_match
custom_sql, predictability, determined_ratio = together.custom_sql, together.predictability, together.determined_ratio
