"""What Spark 3.5 and Spark 4 write differently, of what their Python or their JVM names: asked here and nowhere else.

Spark Connect is asked for what 4.0 has and 3.5 lacks (copies of a session).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from avh_ui.errors import SparkError
from avh_ui.spark.packages import require_fitting

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

# As pyproject.toml has it.
_OLDEST, _BELOW = (3, 5), (5, 0)
# PySpark 3.5 imports distutils, which later Pythons lack.
_PYTHON_OF_3_5 = (3, 11)
# Spark's own default (spark.sql.execution.arrow.maxRecordsPerBatch).
_ROWS_OF_A_BATCH = 10_000


def require_known(
    version: str, *, remote: bool = False, python: tuple[int, ...] = sys.version_info[:2], packages: Sequence[str] = ()
) -> None:
    """`SparkError` for a version of PySpark that is not supported, here or over Spark Connect (`remote`), and for `packages` of another."""
    number = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    if not _OLDEST <= number < _BELOW:
        raise SparkError(f"PySpark {version} is not supported.", hint="Install another: `pip install 'pyspark>=3.5,<5'`.")
    require_fitting(packages, version)
    if number >= (4, 0):
        return
    if remote:
        raise SparkError(
            f"PySpark {version} is not supported over Spark Connect.", hint="Use `master:` in avh.yml, or PySpark 4.0 or newer."
        )
    if python > _PYTHON_OF_3_5:
        said = f"PySpark {version} does not run on Python {'.'.join(map(str, python))}."
        raise SparkError(said, hint="Use Python 3.11, or PySpark 4.0 or newer.")


def copies(df: DataFrame) -> bool:
    """Whether there can be a copy of the frame's session: over Spark Connect since 4.1."""
    return "connect" not in type(df).__module__ or hasattr(df.sparkSession, "cloneSession")


def classic(plan_of: DataFrame, session: Any, python_session: SparkSession) -> DataFrame:
    """What a frame of classic Spark computes, as a frame of another session (`session` is the JVM's)."""
    try:
        from pyspark.sql.classic.dataframe import DataFrame as Frame
    except ImportError:
        from pyspark.sql import DataFrame as Frame  # type: ignore[assignment]

    spark: Any = python_session
    rows: Any = plan_of
    package = spark._jvm.org.apache.spark.sql
    # A name that the JVM lacks is a package to Py4J, and no error.
    dataset = package.Dataset if _is_before_4() else package.classic.Dataset
    found: DataFrame = Frame(dataset.ofRows(session, rows._jdf.queryExecution().analyzed()), spark)
    return found


@contextmanager
def reading_by(session: Any, spark: SparkSession) -> Iterator[None]:
    """Inside a `with` block expressions are read in the mode of this session of the JVM. Spark 3.5 reads them at once, in the mode of the
    thread's active session, Spark 4 when the frame is made, in the mode of its own.
    """
    if not _is_before_4():
        yield
        return
    jvm: Any = spark
    sessions = jvm._jvm.org.apache.spark.sql.SparkSession
    before = sessions.getActiveSession()
    sessions.setActiveSession(session)
    try:
        yield
    finally:
        sessions.setActiveSession(before.get()) if before.isDefined() else sessions.clearActiveSession()


def arrow_of(frame: DataFrame) -> pa.Table:
    """The frame as an Arrow table."""
    if hasattr(frame, "toArrow"):
        table: pa.Table = frame.toArrow()
        return table
    from pyspark.sql.pandas.types import to_arrow_schema

    rows: Any = frame
    batches, schema = rows._collect_as_arrow(), to_arrow_schema(frame.schema)
    # Times come in the zone of the session.
    return pa.Table.from_batches(batches).cast(schema) if batches else schema.empty_table()


def frame_of(spark: SparkSession, table: pa.Table) -> DataFrame:
    """An Arrow table as a frame, its times without a zone read in the zone of the session, as Spark 4 has it."""
    if not _is_before_4():
        return spark.createDataFrame(table)
    from pyspark.sql import DataFrame as Frame
    from pyspark.sql.functions import col
    from pyspark.sql.pandas.serializers import ArrowStreamSerializer
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

    # What Spark 3.5 does with a pandas table, and Spark 4 with one of Arrow's.
    classic_session: Any = spark
    jvm, context = classic_session._jvm, classic_session.sparkContext
    given = from_arrow_schema(table.schema, prefer_timestamp_ntz=True)
    batches = table.cast(to_arrow_schema(given)).to_batches(max_chunksize=_ROWS_OF_A_BATCH)
    read, serve = jvm.PythonSQLUtils.readArrowStreamFromFile, jvm.ArrowIteratorServer
    sent = context._serialize_to_jvm(batches, ArrowStreamSerializer(), read, serve)
    frame: Any = Frame(jvm.PythonSQLUtils.toDataFrame(sent, given.json(), classic_session._jsparkSession), classic_session)
    wanted = from_arrow_schema(table.schema)
    if wanted != given:
        names = [name.replace("`", "``") for name in frame.columns]
        frame = frame.select(*(col(f"`{name}`").cast(kind.dataType).alias(kind.name) for name, kind in zip(names, wanted, strict=True)))
    found: DataFrame = frame
    return found


def tag_jobs(spark: SparkSession, tag: str) -> None:
    """Name the jobs of this thread, so that they can be cancelled."""
    # Spark 3.5 has `addTag` too, and refuses it without Spark Connect.
    spark.sparkContext.addJobTag(tag) if _is_before_4() else spark.addTag(tag)


def cancel_jobs(spark: SparkSession, tag: str) -> None:
    """Stop the jobs of that name."""
    spark.sparkContext.cancelJobsWithTag(tag) if _is_before_4() else spark.interruptTag(tag)


def number_or_null(column: Column) -> Column:
    """A text as a double, null where it is none; in Spark 3.5 in a session without ANSI mode, as copies of ours are."""
    # Of the class: an instance of Spark 3.5 takes every name for a field of a struct.
    return column.try_cast("double") if hasattr(type(column), "try_cast") else column.cast("double")


def _is_before_4() -> bool:
    """Of the installed PySpark, which is that of the JVM too; Spark Connect is asked nothing for it."""
    import pyspark

    return int(pyspark.__version__.partition(".")[0]) < 4
