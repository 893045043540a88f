"""Into how many parts a grouping shuffles the rows of somebody's frame: as many as they need, and never more than the session says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PARTITIONS = "spark.sql.shuffle.partitions"
# Spark's own for a task that reads files (`spark.sql.files.maxPartitionBytes`).
_BYTES = 128 * 2**20


def partitions_of(df: DataFrame) -> int | None:
    """How many parts serve; None on Spark Connect, where only an adaptive query can tell.

    Spark's 200 take 9 s for a file of 776 rows on two cores, and 2 take 0.3 s. Nothing is run to find out: the parts that are read say it,
    and where the frame shuffles itself, its estimated size.
    """
    if "connect" in type(df).__module__:
        return None
    asked = int(df.sparkSession.conf.get(PARTITIONS) or 1)
    # `_jdf` has the plan, which Python's API does not.
    plan: Any = df._jdf.queryExecution()
    if "Exchange" in plan.executedPlan().toString():
        # Its parts are known once its stages have run, as those of a broadcast and of a sort do at once.
        parts = -(-int(str(plan.optimizedPlan().stats().sizeInBytes())) // _BYTES)
    else:
        parts = plan.toRdd().getNumPartitions()
    return max(1, min(asked, max(parts, df.sparkSession.sparkContext.defaultParallelism)))
