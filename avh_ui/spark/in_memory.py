"""Tables in memory on Spark: for conditions that only Spark evaluates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa

from avh_ui.config import SparkSettings
from avh_ui.constraints.row_rules import RowRule
from avh_ui.metrics.analysis import Analysis
from avh_ui.metrics.column import decoded
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.profiler import KnownTypes, Watch
from avh_ui.metrics.sql import types
from avh_ui.metrics.values import whole
from avh_ui.spark.analysis import analyze
from avh_ui.spark.failing_rows import SparkRows
from avh_ui.spark.jobs import spark_errors
from avh_ui.spark.profiler import profile_frame
from avh_ui.spark.session import apart, get_spark
from avh_ui.spark.versions import frame_of
from avh_ui.validator.row_table import added_names

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# As conditions are read without Spark.
_AS_IN_MEMORY = {"spark.sql.caseSensitive": "false", "spark.sql.session.timeZone": "UTC"}


def analyze_in_memory(
    table: pa.Table, measures: Sequence[Measure], watch: Watch | None = None, tables: Mapping[str, pa.Table] | None = None
) -> Analysis:
    """The measures of a table, beside `tables` by name, by the running session or a new one on this machine; `JavaNotFoundError`,
    `SparkError`.
    """
    with on_spark(table) as rows:
        return analyze(rows, measures, watch, tables=tables)


def profile_in_memory(table: pa.Table, measures: Sequence[Measure]) -> dict[str, ColumnProfile]:
    """What the measures are of, as columns of a profile, likewise."""
    with on_spark(table) as rows:
        found = profile_frame(rows, "-", "-", KnownTypes(measures=tuple(measures)))
    return {name: found.columns[name] for name in found.asked if name in found.columns}


def broken_in_memory(table: pa.Table, rules: Sequence[RowRule]) -> list[pa.Array]:
    """Of each rule whether each row of the table breaks it, likewise."""
    (place,) = added_names(("place",), table.column_names)
    with on_spark(table.append_column(place, pa.array(range(table.num_rows), pa.int64()))) as rows:
        found = SparkRows(rows).broken(rules).sort_by("place")
    return [whole(found.column(1 + k)) for k in range(len(rules))]


@contextmanager
def on_spark(table: pa.Table) -> Iterator[DataFrame]:
    """The table's rows as a DataFrame of a session of its own."""
    spark = get_spark(SparkSettings())
    with spark_errors("The table in memory"):
        # Spark takes Arrow's tables since 4.0, and not every type of Arrow's.
        rows = frame_of(spark, pa.table([_plain(column) for column in table.columns], names=table.column_names))
    with apart(rows) as own:
        for key, value in _AS_IN_MEMORY.items():
            own.sparkSession.conf.set(key, value)
        yield own


def _plain(column: pa.ChunkedArray) -> pa.Array:
    """The values in the type that Spark has for them; times without a zone as UTC's."""
    values = decoded(whole(column)) if column.num_chunks else pa.array([], column.type)
    kind = types.spark_type(values.type)
    kind = types.TIMESTAMP if kind == types.TIMESTAMP_NTZ else kind
    return values.cast(kind, safe=False) if types.single(kind) and values.type != kind else values
