"""A DataFrame in a session of its own: what is set there (ANSI mode, adaptive queries) no one else sees, and nothing must be set back.

The copy has the settings, functions and temporary views of the session it comes from, at that moment.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@contextmanager
def apart(df: DataFrame) -> Iterator[DataFrame]:
    """The same rows in a copy of their session, for the time of a `with` block.

    What the frame itself computes keeps the meaning that it has in its own session.
    """
    if "connect" in type(df).__module__:
        from pyspark.sql.connect.dataframe import DataFrame as Remote

        # Neither the plan nor `cloneSession` is in the API that classic Spark and Connect share.
        plan: Any = df._plan
        spark: Any = df.sparkSession
        copied: Any = spark.cloneSession()
        try:
            yield Remote(plan, copied)
        finally:
            # Else the server keeps it for an hour, and Python waits for its channel at its exit, for ever.
            with suppress(Exception):
                copied.client.release_session()
            copied.client.close()
        return
    from pyspark.sql import SparkSession
    from pyspark.sql.classic.dataframe import DataFrame as Classic

    spark = df.sparkSession
    copy = spark._jsparkSession.cloneSession()
    # Scala's `newSession` starts from the defaults, without the functions that a condition may call; a copy is not in Python's API.
    rows = spark._jvm.org.apache.spark.sql.classic.Dataset.ofRows(copy, df._jdf.queryExecution().analyzed())
    yield Classic(rows, SparkSession(spark.sparkContext, copy))
