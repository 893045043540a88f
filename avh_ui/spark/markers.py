"""Which batch a row of Spark's is of, where columns of its table say it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from avh_ui.config import Pipeline
from avh_ui.config_places import BatchKey
from avh_ui.constraints.sql_text import backticked
from avh_ui.scan.markers import no_column

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def marker_of(pipeline: Pipeline, table: DataFrame, file: str = "") -> Column:
    """The batch of each row as text, null for rows of none; `SourceError` when the table, or a file of it, lacks a column."""
    from pyspark.sql import functions as F

    source = pipeline.source
    key, there = source.key or BatchKey(()), table.columns
    if missing := [name for name in key.columns if name not in there]:
        raise no_column(pipeline, missing[0], there, file)
    return F.expr(key.sql())


def within(table: DataFrame, key: BatchKey | None, batches: Sequence[str]) -> Column:
    """What rows of these batches, and of none, keep and Spark can tell of files before it reads them: from when to when they are, or null.

    Of a text true of every row: its order is not that of times.
    """
    from pyspark.sql import functions as F

    span = key.span(batches) if key else None
    if key is None or span is None:
        return F.lit(True)
    field = table.schema[key.columns[0]]
    kind = field.dataType.typeName()
    if kind not in ("date", "timestamp", "timestamp_ntz"):
        return F.lit(True)
    column = table[backticked(field.name)]
    low, high = (F.lit(text).cast(kind) for text in span)
    # A day is before the end of a span also where this is a time of that day. Without a time a row is of no batch, and counted.
    return column.isNull() | (column >= low) & ((column <= high) if kind == "date" else (column < high))
