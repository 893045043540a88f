"""Delta tables, where a session has Delta: its jar and its extension are the user's, `spark:` of avh.yml configures both."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from avh_ui.errors import UsageError
from avh_ui.spark.refused import told_by_us

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FORMAT = "delta"
# What Spark says where no package has the format.
_UNKNOWN = ("DATA_SOURCE_NOT_FOUND", "Failed to find the data source", "Failed to find data source")


def require_delta(spark: SparkSession) -> None:
    """`UsageError` where the session has no Delta. Nothing runs, and nothing is written."""
    try:
        # The schema is asked for, since Spark Connect looks up nothing before it is.
        with told_by_us():
            _ = spark.read.format(FORMAT).load(f"/{uuid.uuid4().hex}").schema
    except Exception as error:
        # That no table is there says that the format is known.
        if any(words in str(error) for words in _UNKNOWN):
            hint = f"Give the session the package io.delta:delta-spark of Spark {spark.version}, or a path without `delta:` for Parquet."
            raise UsageError("The Spark session has no Delta, in which bad rows were to be kept.", hint=hint) from error


def append(rows: DataFrame, path: str, once: Mapping[str, str]) -> None:
    """Append to a Delta table, which is made where there is none, in one commit; a column that it lacks is added. What was written under
    the same values of `once` is not written again.
    """
    spark = rows.sparkSession
    local = "://" not in path and str(spark.conf.get("spark.master", "local")).startswith("local")
    target = f"file://{Path(path).expanduser().absolute()}" if local else path
    writer = rows.write.format(FORMAT).mode("append").option("mergeSchema", "true")
    writer.option("txnAppId", "/".join(once.values())).option("txnVersion", "1").save(target)
