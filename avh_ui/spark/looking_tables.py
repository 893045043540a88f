"""A table of Spark's catalog that nobody described: which of its columns say the batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from avh_ui.config_places import BatchKey, KeyPart
from avh_ui.errors import AvhError, SourceError
from avh_ui.history.batch_dates import BatchDate
from avh_ui.history.series import sort_batches
from avh_ui.scan.looking_files import SeenTable
from avh_ui.spark.jobs import reason

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.catalog import Column

_TIMES = ("timestamp", "timestamp_ntz")
# A column of more values than ten years of days is none of batches, and nobody waits for all of its values.
_MOST = 3_660


def look_at_table(spark: SparkSession, name: str) -> SeenTable:
    """What a table looks like; `SourceError` where it cannot be read, or no column of it says the batch.

    Its partition columns come first (`year`, `month`, `day` together), then a date, then a time cut to its day; each must hold dates.
    """
    try:
        table = spark.table(name)
        columns = spark.catalog.listColumns(name)
        for batch in _candidates(columns):
            if ids := _ids(table, batch):
                return SeenTable(name.rpartition(".")[2], "table", name, ids, batch)
    except AvhError:
        raise
    except Exception as error:
        raise SourceError(f"The table {name!r} cannot be read: {reason(error).rstrip('.')}.", hint="Check its name and catalog.") from error
    raise SourceError(
        f"No column of the table {name!r} holds the dates of batches.",
        hint="Write its pipeline by hand: `batch: COLUMN`, `batch: date(COLUMN)`, or `batch: now` where it is overwritten each time.",
    )


def _candidates(columns: list[Column]) -> list[tuple[str, ...]]:
    parts = tuple(column.name for column in columns if column.isPartition)
    together = [parts] if BatchKey(tuple(map(KeyPart, parts))).calendar else []
    dates = [(column.name,) for column in columns if column.dataType == "date" and not column.isPartition]
    times = [(f"date({column.name})",) for column in columns if column.dataType in _TIMES]
    return [*together, *((name,) for name in parts), *dates, *times]


def _ids(table: DataFrame, batch: tuple[str, ...]) -> tuple[str, ...]:
    """The batches by these columns; none where some are no dates, or too many."""
    from pyspark.sql import functions as F

    key = BatchKey(tuple(map(KeyPart.of, batch)))
    found = table.select(F.expr(key.sql())).distinct().limit(_MOST + 1).collect()
    ids = sort_batches({row[0] for row in found if row[0] is not None})
    return tuple(ids) if ids and len(found) <= _MOST and all(map(BatchDate.of, ids)) else ()
