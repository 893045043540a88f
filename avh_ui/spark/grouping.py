"""How many values of a column are distinct, exactly: a pass over that column that groups its values, where a sketch would not do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from avh_ui.metrics.column import NUMBER_KINDS
from avh_ui.metrics.profiler import Watch
from avh_ui.spark.jobs import collect
from avh_ui.spark.kernel import KernelColumn

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# Texts of numbers up to this length are told apart by their doubles, which hold 15 digits beside sign and point.
_SHORT = 17
# Whole doubles below this are written without an exponent, and none of them is two whole numbers.
_WHOLE_BELOW = 2.0**53


def distinct_values(rows: DataFrame, columns: Iterable[tuple[int, KernelColumn]], watch: Watch) -> dict[str, int]:
    """By name how many non-null values are distinct, of the columns at these places of `rows`; NaN is none, as in a profile.

    One job for each: to count several by one, Spark would repeat every row for each of them. Only the column is read, where the format
    lets it, and Spark spills to disk what does not fit.
    """
    from pyspark.sql import functions as F

    found = {}
    for place, column in columns:
        value = rows[rows.columns[place]]
        if column.untyped:
            value = _number(value)
        elif dict(rows.dtypes)[rows.columns[place]] in ("double", "float"):
            value = F.nullif(value, F.lit(float("nan")))
        (counted,) = collect(rows.select(value.alias("v")).agg(F.count_distinct("v").alias("n")), watch).to_pylist()
        found[column.name] = int(counted["n"])
    return found


def _number(text: Column) -> Column:
    """One text for each number that a text is (`metrics.numerals`): `1`, `1.0` and `+1` are one. Long ones keep their digits."""
    from pyspark.sql import functions as F

    number = text.try_cast("double")
    whole = (number == F.floor(number)) & (F.abs(number) < _WHOLE_BELOW)
    plain = F.regexp_replace(text, r"^\+", "")
    return (
        F.when(whole, number.cast("bigint").cast("string"))
        .when(text.rlike("^[+-]?[0-9]+$") | (F.length(text) > _SHORT), plain)
        .otherwise(number.cast("string"))
    )


def untold(kind: str, column: KernelColumn) -> KernelColumn:
    """The column as it was found to be: texts of a source without types are numbers only where all of them are."""
    return column if kind in NUMBER_KINDS or not column.untyped else KernelColumn(column.name, column.type, untyped=False)
