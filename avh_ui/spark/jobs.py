"""Running one Spark job so that its progress is seen and it can be cancelled."""

from __future__ import annotations

import sys
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from avh_ui.errors import SparkError
from avh_ui.metrics.profiler import Watch
from avh_ui.spark.reasons import reason

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Often enough for a progress bar to move smoothly, seldom enough to cost nothing.
_POLL_SECONDS = 0.2


def collect(frame: DataFrame, watch: Watch, on_share: Callable[[float], None] = lambda _: None) -> pa.Table:
    """The frame as an Arrow table. `on_share` hears the share of tasks done; a cancel or Ctrl-C stops the job on the cluster too."""
    spark = frame.sparkSession
    tag = f"avh-{uuid.uuid4().hex}"
    outcome: dict[str, pa.Table | BaseException] = {}

    def run() -> None:
        try:
            spark.addTag(tag)
            outcome["table"] = frame.toArrow()
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
            spark.interruptTag(tag)
            worker.join()
            outcome.clear()
            raise
    error = outcome.get("error")
    if isinstance(error, BaseException):
        why = reason(error)
        hint = _of_workers(spark) if "ModuleNotFound" in why else ""
        raise SparkError(f"A Spark job failed: {why}", hint=hint) from error
    return outcome["table"]


def _of_workers(spark: SparkSession) -> str:
    """What to do where the workers' Python lacks a module: on this machine it is often another than the one that runs this."""
    said = "The Python of Spark's workers needs avh_ui and its packages: "
    if str(spark.conf.get("spark.master", "")).startswith("local"):
        return f"{said}set the environment variable PYSPARK_PYTHON to {sys.executable} before Spark starts."
    return f"{said}install it there, or name one that has them in PYSPARK_PYTHON (spark.pyspark.python)."


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
