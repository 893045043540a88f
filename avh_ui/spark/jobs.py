"""Running one Spark job so that its progress is seen and it can be cancelled, and saying in one sentence what a failed one says.

The sentence names the file and the cause: no stack of the JVM, no "Exception thrown in awaitResult".
"""

from __future__ import annotations

import re
import sys
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from avh_ui.errors import ServerGoneError, SparkError
from avh_ui.metrics.profiler import Watch
from avh_ui.spark.known_errors import SERVER_GONE, answer_of_database, known_sentence
from avh_ui.spark.remote import wait_less
from avh_ui.spark.versions import arrow_of, cancel_jobs, tag_jobs

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Often enough for a progress bar to move smoothly, seldom enough to cost nothing.
_POLL_SECONDS = 0.2
# As long as a sentence of a report may be.
_LONGEST = 500
# What Java says where a disk, or Hadoop's own file system, refuses.
_DENIED = "Permission denied"
_TRACEBACK = "Traceback (most recent call last):"
_PYTHON_ERROR = re.compile(r"[A-Za-z_][\w.]*(Error|Exception)\b")
# What is no part of a message: frames of the JVM's stack and how many more there are, a query and its plan.
_FRAME = re.compile(r"\s*(at [\w.$/<>]+(?:\(|$)|\.\.\. \d+ more|Suppressed: )|(Driver|JVM) stacktrace:|== SQL|'|[+:]- ")
# Where the message of an error begins: the first by Py4J or Spark Connect, the others by the JVM; the class comes first.
_BEGINS = re.compile(r"(?:Caused by: |: |\()?((?:[a-z]\w*\.)+[A-Z]\w*(?:\$\w+)*|ERROR \w+)(?:\)|: |$)\s*")
# These say only that there is a cause.
_WRAPPERS = ("An error occurred while calling", "Exception thrown in awaitResult", "Job aborted due to stage failure")
# Of a failed write the innermost cause tells; a close that failed as well stands between.
_WRITING = "[TASK_WRITE_FAILED]"
# A cause's own cause, where its message is no other.
_CLASS = re.compile(r"^(?:[a-z]\w*\.)+[A-Z]\w*: ")
# What a write says of the rows and not of the place.
_OF_ROWS = re.compile(r"\[(?!PATH_)|The file .* cannot be read")
_NOT_THE_PLACE = "The fault is in the rows or their types, not in the place."
# Since Spark 4.1 this stands alone in the text of an error: why there is no connection, only its stack of causes says.
_NO_CONNECTION = "[FAILED_JDBC.CONNECTION]"
_FILE = re.compile(r"\[FAILED_READ_FILE[\w.]*\] Encountered error while reading file (.+?)\.(?:\s|$)")
_STATE = re.compile(r"\s*SQLSTATE: .*", re.DOTALL)
# Spark quotes the value that it could not cast.
_CAST = re.compile(r"The value .* of the type", re.DOTALL)


def collect(frame: DataFrame, watch: Watch, on_share: Callable[[float], None] = lambda _: None) -> pa.Table:
    """The frame as an Arrow table. `on_share` hears the share of tasks done; a cancel or Ctrl-C stops the job on the cluster too."""
    spark = frame.sparkSession
    tag = f"avh-{uuid.uuid4().hex}"
    outcome: dict[str, pa.Table | BaseException] = {}

    def run() -> None:
        try:
            tag_jobs(spark, tag)
            outcome["table"] = arrow_of(frame)
        except BaseException as error:  # noqa: BLE001  whatever it is, the caller raises it
            outcome["error"] = error

    worker = threading.Thread(target=run, name=tag, daemon=True)
    with _shares(spark) as share_now:
        worker.start()
        try:
            while worker.is_alive():
                worker.join(_POLL_SECONDS)
                watch.check()
                if (share := share_now()) is not None:
                    on_share(share)
        except BaseException:
            # A cancel, or Ctrl-C. Python aborts at its exit where Arrow's stream is still read, or kept by the error's traceback.
            cancel_jobs(spark, tag)
            worker.join()
            outcome.clear()
            raise
    error = outcome.get("error")
    if isinstance(error, BaseException):
        why = reason(error)
        require_there(why, error)
        hint = _of_workers(spark) if "ModuleNotFound" in why else ""
        raise SparkError(f"A Spark job failed: {why.rstrip('.')}.", hint=hint) from error
    return outcome["table"]


def _of_workers(spark: SparkSession) -> str:
    """What to do where the workers' Python lacks a module: on this machine it is often another than the one that runs this."""
    said = "The Python of Spark's workers needs avh_ui and its packages: "
    if str(spark.conf.get("spark.master", "")).startswith("local"):
        return f"{said}set the environment variable PYSPARK_PYTHON to {sys.executable} before Spark starts."
    return f"{said}install it there, or name one that has them: spark.pyspark.python in avh.yml."


@contextmanager
def _shares(spark: SparkSession) -> Iterator[Callable[[], float | None]]:
    """What tells the share of the active stages' tasks that are done; None before the first stage and where Spark does not say."""
    if "connect" not in type(spark).__module__:
        yield lambda: _tracked(spark)
        return
    heard: list[float] = []

    def hear(stages: Iterable[Any] | None, **_: object) -> None:
        if share := _done((stage.num_completed_tasks, stage.num_tasks) for stage in stages or ()):
            heard[:] = [share]

    # Any function will do, which PySpark's types do not say.
    spark.registerProgressHandler(hear)  # type: ignore[arg-type]
    try:
        yield lambda: heard[0] if heard else None
    finally:
        spark.removeProgressHandler(hear)  # type: ignore[arg-type]


def _tracked(spark: SparkSession) -> float | None:
    try:
        tracker = spark.sparkContext.statusTracker()
        stages = [info for stage in tracker.getActiveStageIds() if (info := tracker.getStageInfo(stage))]
    except Exception:  # noqa: BLE001  a stopping session has no tracker that answers
        return None
    return _done((stage.numCompletedTasks, stage.numTasks) for stage in stages)


def _done(stages: Iterable[tuple[int, int]]) -> float | None:
    """The share of tasks done, of pairs of done and all."""
    counts = list(stages)
    tasks = sum(all_of for _, all_of in counts)
    return sum(done for done, _ in counts) / tasks if tasks else None


def reason(error: BaseException) -> str:
    """The sentence that says what happened; of a chain of errors the cause, with the file that was read when it happened."""
    text = str(error)
    if _NO_CONNECTION in text:
        text = f"{text}\n{_stack(error)}"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if any(line.endswith(_TRACEBACK) for line in lines):
        # Of a chain of Python errors the first is the cause.
        after = lines[next(i for i, line in enumerate(lines) if line.endswith(_TRACEBACK)) :]
        if raised := [line for line in after if _PYTHON_ERROR.match(line)]:
            return raised[0][:_LONGEST]
    messages = _messages(text)
    if file := next((match[1] for match in map(_FILE.search, messages) if match), ""):
        return f"The file {file} cannot be read: {_of_file(messages)}"[:_LONGEST]
    if answer := next(filter(None, map(answer_of_database, messages)), ""):
        return answer[:_LONGEST]
    if sentence := known_sentence(f"{type(error).__name__}: {text}"):
        return sentence[:_LONGEST]
    if _NO_CONNECTION in text:
        return _of_database(messages)[:_LONGEST]
    telling = [message for message in messages if not message.startswith((*_WRAPPERS, _WRITING))] or [type(error).__name__]
    return _short(_CLASS.sub("", telling[-1]) if any(message.startswith(_WRITING) for message in messages) else telling[0])


def require_there(why: str, error: BaseException) -> None:
    """`ServerGoneError` where that is the reason of an error."""
    if why == SERVER_GONE:
        from pyspark.sql import SparkSession

        # At its exit PySpark lets go of the session at the server, and would wait for it once more.
        if (active := SparkSession.getActiveSession()) is not None:
            wait_less(active, tries=0)
        raise ServerGoneError(why, hint="Start it, and run this again.") from error


@contextmanager
def spark_errors(what: str) -> Iterator[None]:
    """What Spark or its bridge to Java raises inside, as a `SparkError` that begins with `what`; a fault of ours goes on as it is. With
    nothing of which to say that it cannot be read (''), where a place is written to and named elsewhere, it says why alone.
    """
    try:
        yield
    except Exception as error:
        if not type(error).__module__.startswith(("pyspark", "py4j", "grpc")) and not isinstance(error, ConnectionError):
            raise
        why = reason(error)
        require_there(why, error)
        if what:
            raise SparkError(f"{what} cannot be read: {why}") from error
        raise SparkError(why, hint=_NOT_THE_PLACE if _OF_ROWS.match(why) or _PYTHON_ERROR.match(why) else "") from error


def _of_file(messages: list[str]) -> str:
    """Why a file cannot be read; of malformed lines not what they hold."""
    # To Java a file that may not be read is not found either.
    if any(_DENIED in message for message in messages):
        return "the user of Spark's workers may not read it (permission denied)."
    if any("[FAILED_READ_FILE.FILE_NOT_EXIST]" in message for message in messages):
        return "it vanished while it was read."
    if any("[MALFORMED_" in message for message in messages):
        return "lines in it are malformed (mode FAILFAST)."
    told = [message for message in messages if not message.startswith(_WRAPPERS)]
    cause = told[-1]
    return _short(_FILE.sub("", cause).strip() or cause)


def _stack(error: BaseException) -> str:
    """The stack of Java with its causes, which PySpark keeps beside the text, classic by one name and Connect by another."""
    return str(getattr(error, "_stackTrace", None) or getattr(error, "_stacktrace", None) or "")


def _of_database(messages: list[str]) -> str:
    """Why a database does not let Spark in: what its driver says, and where that is only that it failed, the innermost cause."""
    causes = [message for message in messages if _NO_CONNECTION not in message]
    if not causes:
        return "Spark cannot connect to the database."
    # Scala's own words before Spark's, of a driver that does not know the URL.
    first, last = (cause.removeprefix("requirement failed: ").rstrip(".") for cause in (causes[0], causes[-1]))
    # A refused connection is told by both in other words.
    more = "" if last.split()[-1].lower() in first.lower() else f" ({last})"
    return f"Spark cannot connect to the database: {first}{more}."


def _messages(text: str) -> list[str]:
    """The messages of an error and its causes, outermost first, without class names; of an error without message its class."""
    found: list[str] = []
    over = False
    for line in filter(str.strip, text.splitlines()):
        if begins := _BEGINS.match(line):
            found.append(line[begins.end() :].strip() or re.split(r"[.$]", begins[1])[-1])
            over = False
        elif not found:
            found.append(line.strip())
        else:
            # A message goes on until a stack begins, or what Spark prints of the query.
            over = over or bool(_FRAME.match(line))
            found[-1] += "" if over else f" {line.strip()}"
    return found


def _short(message: str) -> str:
    """One sentence without what Spark appends for programs."""
    return _CAST.sub("A value of the type", _STATE.sub("", message)).strip()[:_LONGEST]
