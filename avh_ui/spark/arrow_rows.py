"""Rows that Arrow reads in Spark's tasks, as a DataFrame: of what Spark's own reader refuses (Parquet files with times in nanoseconds), and
of what it cannot pass over (the first lines of CSV files).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from avh_ui.metrics.column import decoded
from avh_ui.metrics.declined import DeclinedError
from avh_ui.scan.planning import Planned
from avh_ui.scan.shares import Opener, RowReader, Share

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# What Spark says of a column of nanoseconds: pandas writes its times so, unless it is told otherwise.
_NANOS = "TIMESTAMP(NANOS"


@dataclass(frozen=True)
class _Rows:
    """The function for `mapInArrow` over the places of shares: their rows, and the file of each in a last column, if it has a name."""

    reader: RowReader
    opener: Opener
    shares: tuple[Share, ...]
    schema: pa.Schema
    file: str

    def __call__(self, places: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        every = range(len(self.reader.schema))
        for place in (place for batch in places for place in batch.column(0).to_pylist()):
            share = self.shares[place]
            for rows in self.reader.read(share, self.opener, every):
                arrays = [decoded(column) for column in rows.columns]
                if self.file:
                    arrays.append(pa.repeat(share.path, rows.num_rows))
                yield pa.RecordBatch.from_arrays(arrays, schema=self.schema)


def or_by_arrow(read: Callable[[], DataFrame], plan: Callable[[], Planned], spark: SparkSession, file: str = "") -> DataFrame:
    """The rows that `read` gives, or where Spark refuses their nanoseconds those of `plan`, with the path of each row's file in the column
    `file`, if it is named. What Spark says, where Arrow declines the files too.
    """
    try:
        rows = read()
        rows.schema.fieldNames()  # Spark Connect looks at a query only now
    except Exception as refused:
        if _NANOS not in str(refused):
            raise
        try:
            planned = plan()
        except DeclinedError as why:
            raise refused from why
        return rows_by_arrow(spark, planned, file)
    return rows


def rows_by_arrow(spark: SparkSession, planned: Planned, file: str = "", flag: str = "") -> DataFrame:
    """The rows that Arrow reads, then whether each line was malformed in the column `flag`, where they are flagged, and the path of its
    file in `file`, if it is named.
    """
    from pyspark.sql.pandas.types import from_arrow_schema

    flagged = [pa.field(flag, pa.bool_())] if planned.reader.flagged else []
    fields = [*planned.reader.schema, *flagged, *([pa.field(file, pa.string())] if file else [])]
    rows = _Rows(planned.reader, planned.opener, planned.shares, pa.schema(fields), file)
    # Spark's types have nothing but names and types of a schema's fields, as `Planned` has them.
    types = from_arrow_schema(rows.schema, prefer_timestamp_ntz=True)
    return spark.range(0, len(rows.shares), 1, max(len(rows.shares), 1)).mapInArrow(rows, types)
