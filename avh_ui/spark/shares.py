"""Shares of files as a Spark job: Spark schedules, each task reads its portion by Arrow, and only partial profiles travel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from avh_ui.scan.partials import PARTIAL_DDL
from avh_ui.scan.shares import Share
from avh_ui.scan.task import Task, largest_first

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Tasks for each core: one that has the dearer files does not keep the others waiting for long.
_PER_CORE = 3
# Spark Connect does not say how many cores there are.
_CORES = 16
# Of large tables a task reads about so much: a lost one is soon read again, and there is progress to see.
_TASK_BYTES = 256 * 1024**2


@dataclass(frozen=True)
class _Portions:
    """The function for `mapInArrow` over the numbers of portions."""

    task: Task
    portions: tuple[tuple[Share, ...], ...]

    def __call__(self, numbers: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for found in numbers:
            for number in found.column(0).to_pylist():
                yield from self.task(self.portions[number])


def partials_of(spark: SparkSession, task: Task, shares: Sequence[Share]) -> DataFrame:
    """The partial profiles of these shares."""
    tasks = max(_PER_CORE * _cores(spark), sum(share.size for share in shares) // _TASK_BYTES)
    found = largest_first(shares, tasks)
    return spark.range(0, len(found), 1, max(len(found), 1)).mapInArrow(_Portions(task, tuple(found)), PARTIAL_DDL)


def _cores(spark: SparkSession) -> int:
    return _CORES if "connect" in type(spark).__module__ else int(spark.sparkContext.defaultParallelism)
