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
from avh_ui.scan.kernel import batch_finder, split_by_last
from avh_ui.scan.kernel_column import KernelColumn
from avh_ui.spark.jobs import collect
from avh_ui.spark.versions import number_or_null

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# Texts of numbers up to this length are told apart by their doubles, which hold 15 digits beside sign and point.
_SHORT = 17
# Whole doubles below this are written without an exponent, and none of them is two whole numbers.
_WHOLE_BELOW = 2.0**53

_SCHEMA = pa.schema([("batch", pa.string()), ("place", pa.int32()), ("record", pa.binary())])
# The same in Spark's words: of which batch, of the counts or of which sums, and its state.
_DDL = "batch string, place int, record binary"
Groups = GroupState | GroupSummary


@dataclass(frozen=True)
class Grouping:
    """Groups of rows: the columns `by`, then those `summed` in each group. Their summaries, unless the groups are to be kept and come to
    the driver, as many as there are.
    """

    by: Sequence[Column]
    summed: Sequence[Column] = ()
    keep: bool = False

    def whole(self, rows: DataFrame, watch: Watch) -> list[Groups]:
        """The counts, then the sums, of all rows: by one job."""
        from pyspark.sql import functions as F

        found = self.batches(rows, F.lit(""), (), watch)
        return found.get("") or [GroupState.identity() if self.keep else GroupSummary() for _ in range(1 + len(self.summed))]

    def batches(self, rows: DataFrame, marker: Column, files: Sequence[tuple[str, str]], watch: Watch) -> dict[str, list[Groups]]:
        """The same of each batch that has rows, found by its marker or by `files` (see `Kernel`), of which a batch has one: by one job."""
        from pyspark.sql import functions as F

        groups = rows.groupBy(marker, *self.by).agg(F.count(F.lit(1)), *(F.sum(column.cast("double")) for column in self.summed))
        named = groups.toDF(*(f"g{i}" for i in range(len(groups.columns))))
        kernel = _GroupKernel(len(self.by), self.keep, tuple(files))
        return kernel.merged(collect(named.select(*named.columns[1:], named.columns[0]).mapInArrow(kernel, _DDL), watch))


@dataclass(frozen=True)
class _GroupKernel:
    """Takes groups, each once in the whole frame: `width` keys, the count, the sums, and the marker of the batch."""

    width: int
    keep: bool
    files: tuple[tuple[str, str], ...]

    def __call__(self, arrow_batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The function for `mapInArrow`."""
        summaries: dict[str, list[GroupSummary]] = {}
        batch_of = batch_finder(self.files)
        for arrow_batch in arrow_batches:
            for marker, groups in split_by_last(arrow_batch):
                batch, _ = batch_of(marker)
                keys, amounts = groups.columns[: self.width], groups.columns[self.width :]
                parts = [self.state(place).of(keys, amount) for place, amount in enumerate(amounts)]
                if self.keep:
                    yield _partials(batch, parts)
                    continue
                found = [part.summary() for part in parts]
                before = summaries.get(batch)
                summaries[batch] = [a.merge(b) for a, b in zip(before, found, strict=True)] if before else found
        for batch, parts_of_batch in summaries.items():
            yield _partials(batch, parts_of_batch)

    @staticmethod
    def state(place: int) -> type[GroupState]:
        """The state at a place: the counts, then the sums."""
        return SumState if place else GroupState

    def merged(self, partials: pa.Table) -> dict[str, list[Groups]]:
        """By batch the counts, then the sums, of all tasks."""
        records: dict[str, dict[int, list[bytes]]] = {}
        for batch, place, record in zip(*(column.to_pylist() for column in partials.columns), strict=True):
            records.setdefault(batch, {}).setdefault(place, []).append(record)
        return {batch: [self._merged(place, found[place]) for place in sorted(found)] for batch, found in records.items()}

    def _merged(self, place: int, records: Sequence[bytes]) -> Groups:
        if self.keep:
            return self.state(place).merged([self.state(place).from_record(record) for record in records])
        return reduce(GroupSummary.merge, map(GroupSummary.from_record, records))


def _partials(batch: str, states: Sequence[Groups]) -> pa.RecordBatch:
    arrays = [
        pa.array([batch] * len(states)),
        pa.array(range(len(states)), pa.int32()),
        pa.array([s.to_record() for s in states], pa.binary()),
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=_SCHEMA)


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

    number = number_or_null(text)
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
