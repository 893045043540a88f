"""What is said of a Spark error: one line that tells, whoever raised it."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PythonException

from avh_ui.errors import ServerGoneError, SparkError
from avh_ui.metrics.profiler import Watch
from avh_ui.spark.jobs import collect, reason, spark_errors
from avh_ui.spark.packages import package_of_avro

IN_A_WORKER = """
An exception was thrown from the Python worker: Traceback (most recent call last):
  File "kernel.py", line 9, in <module>
    raise ValueError("Error: a text of the code")
ModuleNotFoundError: No module named 'datasketches'

During handling of the above exception, another exception occurred:
RuntimeError: later
\tat org.apache.spark.Exception.here(Here.scala:1)
"""


# As Spark 4 words them, stacks cut short.
STACK = "\n\tat a.B.c(D.scala:1)\n"
AWAITED = "An error occurred while calling o1.getResult.\n: org.apache.spark.SparkException: Exception thrown in awaitResult: " + STACK
READING = (
    "Caused by: org.apache.spark.SparkException: [FAILED_READ_FILE.NO_HINT] Encountered error while reading file {}.  SQLSTATE: 1" + STACK
)
CUT = f"{AWAITED}{READING.format('file:///data/1.csv.gz')}Caused by: java.io.EOFException: Unexpected end of input stream\n\t... 9 more\n"
VANISHED = f"""{AWAITED}Caused by: org.apache.spark.SparkException: [FAILED_READ_FILE.FILE_NOT_EXIST] Encountered error while reading file \
s3://b/a b.parquet. File does not exist. It is possible the underlying files have been updated.
You can explicitly invalidate the cache. SQLSTATE: KD001
\tat a.B.c(D.scala:1)
Caused by: java.io.FileNotFoundException: File s3://b/a b.parquet does not exist
"""
DENIED = VANISHED.replace("File s3://b/a b.parquet does not exist", "/b/a b.parquet (Permission denied)")
MALFORMED = f"""{AWAITED}{READING.format("file:///d/m.csv")}Caused by: org.apache.spark.SparkException: \
[MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION] Malformed records are detected in record parsing: [secret,null].
Parse Mode: FAILFAST.
Caused by: org.apache.spark.SparkRuntimeException: [MALFORMED_CSV_RECORD] Malformed CSV record: secret SQLSTATE: KD000
"""
XML = f"""An error occurred while calling o66.load.
: org.apache.spark.SparkException: [MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION] Malformed records are detected: _corrupt_record.
Parse Mode: FAILFAST. To process malformed records as null result, try setting the option 'mode' as 'PERMISSIVE'.  SQLSTATE: 22023{STACK}\
Caused by: org.apache.hadoop.shaded.com.ctc.wstx.exc.WstxEOFException: Unexpected EOF; was expecting a close tag for element <ok>
 at [row,col {{unknown-source}}]: [52,99]
\tat org.apache.spark.sql.catalyst.xml.StaxXMLRecordReader.nextEvent(StaxXMLRecordReader.scala:127)
"""
FOOTER = """An error occurred while calling o46.parquet.
: org.apache.spark.SparkException: [FAILED_READ_FILE.CANNOT_READ_FILE_FOOTER] Encountered error while reading file \
file:/d/1.parquet. Could not read footer. Please ensure that the file is in either ORC or Parquet format.
If not, please convert it to a valid format. SQLSTATE: KD001
\tat a.B.c(D.scala:1)
\tSuppressed: org.apache.spark.SparkException: Exception thrown in awaitResult
\t\tat a.B.c(D.scala:1)
Caused by: java.lang.RuntimeException: file:/d/1.parquet is not a Parquet file
"""
DIED = f"""{AWAITED}Caused by: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 11.0 failed 1 times: \
org.apache.spark.SparkException: Python worker exited unexpectedly (crashed). Consider setting 'faulthandler'.
Caused by: java.io.EOFException
"""
# Of the process that workers are forked from, where their Python lacks avh_ui.
NOT_LOADED = f"""{AWAITED}Caused by: org.apache.spark.SparkException: EOFException occurred while reading the port number from \
avh_ui.spark.worker_daemon's stdout.
"""
CAST = """[CAST_INVALID_INPUT] The value 'sec
ret' of the type "STRING" cannot be cast to "INT" because it is malformed. SQLSTATE: 22018
== SQL (line 1, position 8) ==
select cast(s as int)
       ^^^^^^^^^^^^^^
"""
CONNECT = """(org.apache.spark.SparkException) [FAILED_READ_FILE.NO_HINT] Encountered error while reading file file:///d/1.orc.  SQLSTATE: 1

JVM stacktrace:
org.apache.spark.SparkException
\tat a.B.c(D.scala:1)
Caused by: java.io.IOException: no ORC
"""
# What a Python that lacks avh_ui says when it is to run the kernel, frames cut.
NO_MODULE = """An exception was thrown from the Python worker:
Traceback (most recent call last):
  File "/spark/python/lib/pyspark.zip/pyspark/worker.py", line 4207, in invoke_udf
    func, profiler, deserializer, serializer = read_udfs(
                                               ^^^^^^^^^^
  File "/spark/python/lib/pyspark.zip/pyspark/serializers.py", line 483, in loads
    return cloudpickle.loads(obj, encoding=encoding)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
ModuleNotFoundError: No module named 'avh_ui'"""
# A write's own failure says only that it failed; of a full disk a close that failed as well stands before the cause.
FULL = f"""An error occurred while calling o33.parquet.
: org.apache.spark.SparkException: [TASK_WRITE_FAILED] Task failed while writing rows to file:/d/rows. SQLSTATE: 58030{STACK}\
Caused by: org.apache.parquet.util.AutoCloseables$ParquetCloseResourceException: Unable to close resource
\t... 1 more
Caused by: org.apache.hadoop.fs.FSError: java.io.IOException: No space left on device
\t... 29 more
\tSuppressed: org.apache.hadoop.fs.FSError: java.io.IOException: No space left on device
"""
REFUSED = f"""An error occurred while calling o59.parquet.
: java.net.ConnectException: Call From vm/127.0.0.1 to store:8020 failed on connection exception: \
java.net.ConnectException: Connection refused; For more details see:  http://wiki.apache.org/hadoop/ConnectionRefused{STACK}\
Caused by: java.net.ConnectException: Connection refused
"""
UNKNOWN_HOST = (
    f": java.lang.IllegalArgumentException: java.net.UnknownHostException: store{STACK}Caused by: java.net.UnknownHostException: store"
)
NO_FOLDER = f"""An error occurred while calling o1.parquet.
: org.apache.spark.SparkException: [TASK_WRITE_FAILED] Task failed while writing rows to file:/d a/b. SQLSTATE: 5{STACK}\
Caused by: java.io.IOException: Mkdirs failed to create file:/d a/.{"0123456789abcdef" * 2}.tmp/_temporary/0/_temporary/x \
(exists=false, cwd=file:/e)
"""
SPILL = f"""An error occurred while calling o1.parquet.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 2.0 failed 1 times: \
org.apache.spark.memory.SparkOutOfMemoryError: [SPILL_OUT_OF_MEMORY] Error while calling spill() on a.B@1 : \
No space left on device SQLSTATE: 82003{STACK}"""
DATABASE_REFUSED = f""": org.postgresql.util.PSQLException: Connection to db:5432 refused. Check that the hostname is correct.{STACK}\
Caused by: java.net.ConnectException: Connection refused
"""
NO_STORE = f""": java.lang.RuntimeException: java.lang.ClassNotFoundException: \
Class org.apache.hadoop.fs.s3a.S3AFileSystem not found{STACK}\
Caused by: java.lang.ClassNotFoundException: Class org.apache.hadoop.fs.s3a.S3AFileSystem not found
"""
EXCEL = (
    "Spark knows no data source 'excel'. Name its package under `spark: {packages: [...]}` in avh.yml. com.crealytics:spark-excel of your "
    "Spark is one; or save each delivery as CSV or Parquet, which takes no package."
)
# As Spark 4.3 says what PostgreSQL 15 answers, the stack cut short.
ANSWER = (
    "An error occurred while calling o37.load.\n: org.apache.spark.SparkException: "
    "[JDBC_EXTERNAL_ENGINE_SYNTAX_ERROR.DURING_OUTPUT_SCHEMA_RESOLUTION] JDBC external engine syntax error. The error was caused by the "
    "query SELECT * FROM {} WHERE 1=0. {}. The error occurred during output schema resolution. SQLSTATE: 42000{}" + STACK
)
NO_DELTA = (
    ": org.apache.spark.SparkClassNotFoundException: [DATA_SOURCE_NOT_FOUND] Failed to find the data source: delta. Make sure." + STACK
)


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (IN_A_WORKER, "ModuleNotFoundError: No module named 'datasketches'"),
        (
            "An error occurred while calling o1.load.\n: java.sql.SQLException: no such table\n\tat a.B",
            "no such table",
        ),
        ("[TABLE_OR_VIEW_NOT_FOUND] The table `x`.\n'Project [*]", "[TABLE_OR_VIEW_NOT_FOUND] The table `x`."),
        (CUT, "The file file:///data/1.csv.gz cannot be read: Unexpected end of input stream"),
        (VANISHED, "The file s3://b/a b.parquet cannot be read: it vanished while it was read."),
        (DENIED, "The file s3://b/a b.parquet cannot be read: the user of Spark's workers may not read it (permission denied)."),
        (MALFORMED, "The file file:///d/m.csv cannot be read: lines in it are malformed (mode FAILFAST)."),
        (XML, "The file ends in line 52 (column 99), in the middle of a row: it was cut off, or is still written."),
        # A reader of rows, as Spark had before, counts lines in the row.
        (XML.replace("StaxXMLRecordReader", "StaxXmlParser"), "A file ends in the middle of a row: it was cut off, or is still written."),
        (XML.replace("WstxEOF", "WstxParsing"), "The file is no XML from line 52 (column 99) on."),
        (XML[: XML.index("Caused by")], "A row of it is no XML."),
        (
            FOOTER,
            "The file file:/d/1.parquet cannot be read: file:/d/1.parquet is not a Parquet file",
        ),
        (DIED, "A Python worker of Spark died: it was killed, or the memory is too small."),
        (CAST, '[CAST_INVALID_INPUT] A value of the type "STRING" cannot be cast to "INT" because it is malformed.'),
        (CONNECT, "The file file:///d/1.orc cannot be read: no ORC"),
        (NO_DELTA, "Spark knows no data source 'delta'. Name its package under `spark: {packages: [...]}` in avh.yml."),
        (
            "\n: org.apache.spark.sql.AnalysisException: [AVRO_DATA_SOURCE_NOT_ENABLED] Failed to find data source: avro. Please deploy.",
            f"Spark reads Avro by a package. Name its package under `spark: {{packages: [...]}}` in avh.yml. It is {package_of_avro()}.",
        ),
        (
            "\n: java.sql.SQLException: No suitable driver\n\tat a.B.c(D)",
            "Spark has no JDBC driver for this URL. Name its package under `spark: {packages: [...]}` in avh.yml. Where it is there, say "
            "its class as `driver` among the options of the source.",
        ),
        (
            "\n: java.lang.ClassNotFoundException: org.sqlite.JDBC\n\tat a.B.c(D)",
            "Spark has no JDBC driver for this URL. Name its package under `spark: {packages: [...]}` in avh.yml, with its version: "
            "org.xerial:sqlite-jdbc.",
        ),
        (
            "\n: java.lang.ClassNotFoundException: org.h2.Driver\n\tat a.B.c(D)",
            "Spark has no JDBC driver for this URL. Name its package under `spark: {packages: [...]}` in avh.yml, the one with "
            "org.h2.Driver.",
        ),
        (NO_DELTA.replace("delta", "excel"), EXCEL),
        (NO_DELTA.replace("delta", "com.crealytics.spark.excel"), EXCEL),
        (
            NO_DELTA.replace("delta", "xml"),
            "Spark 3.5 reads no XML by itself. Name its package under `spark: {packages: [...]}` in avh.yml. It is "
            "com.databricks:spark-xml_2.12:0.18.0.",
        ),
        (
            ANSWER.format("ordrs", 'ERROR: relation "ordrs" does not exist\n  Position: 15', ""),
            'The database answers: relation "ordrs" does not exist.',
        ),
        (
            ANSWER.format("x", 'ERROR: column "dy" does not exist\n  Hint: Perhaps you meant "orders.day".\n  Position: 32', ""),
            'The database answers: column "dy" does not exist Hint: Perhaps you meant "orders.day".',
        ),
        (
            ANSWER.format("secret", "ERROR: permission denied for table secret", ""),
            "The database answers: permission denied for table secret. It takes GRANT SELECT for the user of the source.",
        ),
        (
            ANSWER.format("ordrs", "Table 'shop.ordrs' doesn't exist", ""),
            "The database answers: Table 'shop.ordrs' doesn't exist.",
        ),
        (
            "Error while sending or receiving",
            "Spark's Java process has ended: it was killed, or its memory (spark.driver.memory) is too small.",
        ),
        (
            "[UNSUPPORTED_TIME_TYPE] The data type TIME is not supported.",
            "Spark does not read times of day: name the Parquet files by `path`, with `reader: auto`, so that Arrow reads them, or let "
            'Spark read them by `spark: {conf: {spark.sql.timeType.enabled: "true"}}` in avh.yml.',
        ),
        (
            "[PARQUET_TYPE_ILLEGAL] Illegal Parquet type: INT32 (TIME(MILLIS,false)).",
            "Spark does not read times of day but in microseconds: name the Parquet files by `path`, with `reader: auto`, so that "
            "Arrow reads them.",
        ),
        (FULL, "No space left on device"),
        (UNKNOWN_HOST, "No machine is known by the name store."),
        (NO_FOLDER, "No folder can be made in /d a."),
        (SPILL, "Spark's folder spark.local.dir: No space left on device."),
        (REFUSED, "Nothing answers at store:8020."),
        (DATABASE_REFUSED, "Connection to db:5432 refused. Check that the hostname is correct."),
        (
            NO_STORE,
            "Spark has no class org.apache.hadoop.fs.s3a.S3AFileSystem. Name its package under `spark: {packages: [...]}` in avh.yml.",
        ),
        (": java.lang.OutOfMemoryError: Java heap space\n\tat a.B.c(D)", "The memory of Spark's Java (spark.driver.memory) is too small."),
        *(
            (
                f"An error occurred while calling o1.load.\n: java.io.IOException: {said}\n\tat a.B.c(D)",
                "Spark takes [ ] { } and * in the names of these files for a pattern: give them names without, or write Parquet.",
            )
            for said in (
                "Illegal file pattern: error parsing regexp: invalid character class range: `6-1`",
                "Input Pattern file:/d/orders [1].xml matches 0 files",
            )
        ),
        ("just this", "just this"),
        ("", "ValueError"),
    ],
)
def test_the_line_that_says_what_happened(message: str, told: str) -> None:
    assert reason(ValueError(message)) == told


def test_only_what_spark_raises_becomes_its_error() -> None:
    with pytest.raises(SparkError, match="Batch 'x' cannot be read: Spark's Java process has ended"), spark_errors("Batch 'x'"):
        raise ConnectionRefusedError(111, "Connection refused")
    with pytest.raises(ZeroDivisionError), spark_errors("Batch 'x'"):
        raise ZeroDivisionError


@pytest.mark.parametrize(("message", "hint"), [(IN_A_WORKER, "The fault is in the rows or their types, not in the place."), (FULL, "")])
def test_what_fails_in_a_worker_is_no_fault_of_the_place(message: str, hint: str) -> None:
    with pytest.raises(SparkError) as caught, spark_errors(""):
        raise PythonException(message)
    assert caught.value.hint == hint


def test_a_java_that_ended_says_nothing_of_it() -> None:
    assert reason(Py4JError("An error occurred while calling o60.getResult")).startswith("Spark's Java process has ended")


class CapturedError(Exception):
    """As PySpark 4 tells what Java raised: in the text no cause, beside it the stack with all."""

    def __init__(self, *causes: str) -> None:
        super().__init__("[FAILED_JDBC.CONNECTION] Failed JDBC jdbc:postgresql:***(redacted) on the operation: Couldn't connect")
        whole = (f"org.apache.spark.sql.AnalysisException: {self}", *(f"Caused by: {cause}" for cause in causes))
        self._stackTrace = "\n".join(f"{line}{STACK}\t... 9 more" for line in whole) if causes else ""


REFUSED_AT = "Connection to db:9 refused. Check that the hostname and port are correct"


@pytest.mark.parametrize(
    ("causes", "told"),
    [
        (['org.postgresql.util.PSQLException: FATAL: database "shpo" does not exist'], ': FATAL: database "shpo" does not exist.'),
        (['org.postgresql.util.PSQLException: FATAL: role "anne" does not exist'], ': FATAL: role "anne" does not exist.'),
        (
            [f"org.postgresql.util.PSQLException: {REFUSED_AT}.", "java.net.ConnectException: Connection refused"],
            f": {REFUSED_AT}.",
        ),
        (
            ["org.postgresql.util.PSQLException: The connection attempt failed.", "java.net.SocketTimeoutException: Connect timed out"],
            ": The connection attempt failed (Connect timed out).",
        ),
        (
            ["java.sql.SQLNonTransientConnectionException: Database 'memory:x' not found.", "ERROR XJ004: Database 'memory:x' not found."],
            ": Database 'memory:x' not found.",
        ),
        (["java.lang.IllegalArgumentException: requirement failed: No driver takes it."], ": No driver takes it."),
        ([], "."),
    ],
)
def test_why_there_is_no_connection_to_a_database(causes: list[str], told: str) -> None:
    assert reason(CapturedError(*causes)) == f"Spark cannot connect to the database{told}"


def test_of_a_database_at_an_unknown_machine_its_name_is_told() -> None:
    failed = CapturedError("org.postgresql.util.PSQLException: The connection attempt failed.", "java.net.UnknownHostException: bd.shop")
    assert reason(failed) == "No machine is known by the name bd.shop."


class FailingFrame:
    """A frame, and its session at `master`, whose job fails with a message."""

    def __init__(self, master: str, message: str) -> None:
        self.sparkSession, self.conf, self.message = self, {"spark.master": master}, message

    def addTag(self, tag: str) -> None:
        assert tag

    def toArrow(self) -> None:
        raise PythonException(self.message)


@pytest.mark.parametrize(
    ("master", "message", "hint"),
    [
        ("local[*]", NO_MODULE, f"set the environment variable PYSPARK_PYTHON to {sys.executable} before Spark starts."),
        (
            "spark://host:7077",
            NO_MODULE,
            "install it there, or name one that has them: spark.pyspark.python in avh.yml.",
        ),
        ("local[*]", DIED, None),
        ("local[*]", NOT_LOADED, f"set the environment variable PYSPARK_PYTHON to {sys.executable} before Spark starts."),
    ],
)
def test_workers_whose_python_lacks_a_module(master: str, message: str, hint: str | None) -> None:
    frame: Any = FailingFrame(master, message)
    with pytest.raises(SparkError) as caught:
        collect(frame, Watch())
    assert caught.value.hint == (f"The Python of Spark's workers needs avh_ui and its packages: {hint}" if hint else "")
    assert ("No module named 'avh_ui'" in str(caught.value)) is bool(hint)


class _InactiveRpcError(Exception):
    """As gRPC's own is named, which is made by a call alone."""


@pytest.mark.parametrize(
    ("error", "module"),
    [
        (_InactiveRpcError("<_InactiveRpcError of RPC that terminated with: status = StatusCode.INTERNAL"), "grpc._channel"),
        (ValueError("[RETRIES_EXCEEDED] The maximum number of retries has been exceeded."), "pyspark.errors"),
    ],
)
def test_a_server_that_went_away_is_not_asked_again(error: Exception, module: str) -> None:
    raised = type(type(error).__name__, (Exception,), {"__module__": module})(str(error))
    with (
        pytest.raises(ServerGoneError, match=r"^The server of Spark Connect went away, or ended. Start it, and run this again.$"),
        spark_errors("Batch 'd1'"),
    ):
        raise raised
