"""Passes that group the rows: how often each combination of values occurs, and how many values of a column are distinct, exactly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import pyarrow as pa

from avh_ui.metrics.column import NUMBER_KINDS
from avh_ui.metrics.groups import GroupState, GroupSummary, SumState
from avh_ui.metrics.profiler import Watch
from avh_ui.spark.jobs import collect
from avh_ui.spark.kernel import KernelColumn

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# Texts of numbers up to this length are told apart by their doubles, which hold 15 digits beside sign and point.
_SHORT = 17
# Whole doubles below this are written without an exponent, and none of them is two whole numbers.
_WHOLE_BELOW = 2.0**53

_SCHEMA = pa.schema([("place", pa.int32()), ("record", pa.binary())])
# The same in Spark's words: of the counts or of which sums, and its state.
_DDL = "place int, record binary"


def group(rows: DataFrame, by: Sequence[Column], summed: Sequence[Column], watch: Watch, *, keep: bool) -> list[GroupState | GroupSummary]:
    """The rows of each combination of `by`, then the sums of the columns `summed` in each: by one job. Their summaries, unless the groups
    are to be kept and come to the driver, as many as there are.
    """
    from pyspark.sql import functions as F

    groups = rows.groupBy(*by).agg(F.count(F.lit(1)), *(F.sum(column.cast("double")) for column in summed))
    kernel = _GroupKernel(len(by), len(summed), keep)
    partials = groups.toDF(*(f"g{i}" for i in range(len(groups.columns)))).mapInArrow(kernel, _DDL)
    return kernel.merged(collect(partials, watch))


@dataclass(frozen=True)
class _GroupKernel:
    """Takes groups, each once in the whole frame: `width` keys, the count, then `sums`. Summaries out, or (`keep`) the groups."""

    width: int
    sums: int
    keep: bool

    def __call__(self, arrow_batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The function for `mapInArrow`."""
        summaries: list[GroupSummary] = []
        for batch in arrow_batches:
            if not batch.num_rows:
                continue
            keys, amounts = batch.columns[: self.width], batch.columns[self.width :]
            parts = [self.state(place).of(keys, amount) for place, amount in enumerate(amounts)]
            if self.keep:
                yield _partials((place, part.to_record()) for place, part in enumerate(parts))
                continue
            found = [part.summary() for part in parts]
            summaries = [a.merge(b) for a, b in zip(summaries, found, strict=True)] if summaries else found
        if summaries:
            yield _partials((place, summary.to_record()) for place, summary in enumerate(summaries))

    @staticmethod
    def state(place: int) -> type[GroupState]:
        """The state at a place: the counts, then the sums."""
        return SumState if place else GroupState

    def merged(self, partials: pa.Table) -> list[GroupState | GroupSummary]:
        """The counts, then the sums, of all tasks."""
        records: list[list[bytes]] = [[] for _ in range(1 + self.sums)]
        for row in partials.to_pylist():
            records[row["place"]].append(row["record"])
        if self.keep:
            return [self.state(i).merged([self.state(i).from_record(r) for r in found]) for i, found in enumerate(records)]
        return [reduce(GroupSummary.merge, map(GroupSummary.from_record, found), GroupSummary()) for found in records]


def _partials(rows: Iterable[tuple[int, bytes]]) -> pa.RecordBatch:
    places, records = zip(*rows, strict=True)
    return pa.RecordBatch.from_arrays([pa.array(places, pa.int32()), pa.array(records, pa.binary())], schema=_SCHEMA)


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
    return column if kind in NUMBER_KINDS or not column.untyped else KernelColumn(column.name, column.type, values=column.values)
