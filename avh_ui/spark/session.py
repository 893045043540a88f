"""The one Spark session of the process: classic by `master`, Spark Connect by `remote`."""

from __future__ import annotations

import logging
import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from avh_ui.config import SparkSettings
from avh_ui.errors import SparkError
from avh_ui.spark.java import prepare_environment

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Reasons: no web UI to keep ports free; Arrow batches large enough that the kernel's cost per call vanishes (10,000 by default
# was 1.4x slower on 19 columns); names that differ in case alone are different columns; times are UTC wherever the driver is.
_CONF = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",
    "spark.sql.shuffle.partitions": "8",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}
# On the driver's own machine nothing needs to be reached from outside, and the name of the machine need not resolve.
_LOCAL_CONF = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1", "spark.driver.memory": "2g"}


def get_spark(settings: SparkSettings) -> SparkSession:
    """The running session, or a new one by the settings; `JavaNotFoundError`, `SparkError` when it cannot start."""
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    builder = SparkSession.builder.appName("avh_ui")
    builder = builder.remote(settings.remote) if settings.remote else builder.master(settings.master)
    # `remote: local[*]` starts a Spark Connect server on this machine.
    if not settings.remote or settings.remote.startswith("local"):
        prepare_environment()
    for key, value in {**_conf(settings), **settings.conf}.items():
        builder = builder.config(key, value)
    # Py4J logs every cancelled call as an error of its own; ours says it better.
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    # Where Java dies it prints a stack for each of its connections, to the root logger.
    logging.root.addFilter(_not_py4j)
    # Spark Connect's client logs each refused query with the stack of the server.
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), _jvm_log():
            warnings.simplefilter("ignore")
            spark = builder.getOrCreate()
    except Exception as error:
        where = settings.remote or settings.master
        missing = settings.remote and isinstance(error, ImportError)
        hint = "Spark Connect needs more packages: `pip install 'pyspark[connect]>=4.0,<5'`." if missing else "See `avh doctor`."
        raise SparkError(f"Spark could not start at {where!r}: {_first_line(error)}", hint=hint) from error
    if not settings.remote:
        spark.sparkContext.setLogLevel("ERROR")
    return spark


def _not_py4j(record: logging.LogRecord) -> bool:
    return "py4j" not in Path(record.pathname).parts


def _conf(settings: SparkSettings) -> dict[str, str]:
    """The settings of a new session; those of a server elsewhere are its own, but for what a session may change."""
    place = settings.remote or settings.master
    if settings.remote and not place.startswith("local"):
        return {k: v for k, v in _CONF.items() if k.startswith("spark.sql.")}
    packages = {"spark.jars.packages": ",".join(settings.packages)} if settings.packages else {}
    return {**_CONF, **(_LOCAL_CONF if place.startswith("local") else {}), **packages}


@contextmanager
def _jvm_log() -> Iterator[Path]:
    """Lets the JVM that starts inside inherit a log file as its standard error.

    Its launcher and loggers write a dozen lines at every start that say nothing to the user; failures come as exceptions.
    """
    path = Path(tempfile.gettempdir()) / f"avh_ui-spark-{os.getpid()}.log"
    kept, log = os.dup(2), os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.dup2(log, 2)
        yield path
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(log)


def _first_line(error: BaseException) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
