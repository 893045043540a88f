"""Rows of a batch drawn at random, by Spark."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.written_numbers import typed
from avh_ui.scan.kernel_column import KernelColumn
from avh_ui.spark.jobs import collect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# So many values a task holds and sorts in the JVM (20,000 rows of 250 columns): at 16 bytes and twice as many for the sort 160 MB of its
# heap. Larger samples are drawn by a threshold, which holds nothing and takes a count first.
_HELD_VALUES = 5_000_000
# A binomial number falls this many standard deviations below its mean once in a billion draws.
_DEVIATIONS = 6
_LEAST_HASH, _HASHES = -(2**63), 2**64


def draw(data: DataFrame, columns: Sequence[KernelColumn], rows: int, seed: int, watch: Watch, texts: Collection[str] = ()) -> pa.Table:
    """`rows` rows of `data`, drawn uniformly without replacement, in their order; all of them when there are no more: those whose hashes
    are the smallest (bottom-k), found in one scan.

    A row's hash is of the seed and of where the row stands (its partition and its place in it), so that equal rows have hashes of their
    own and every set of k rows is equally likely. The same files give the same sample again in a session with as many cores.

    `columns` are the columns of `data` before its last, the marker; the sample has their names, and those untyped are numbers where
    all of their texts are, but those that are known as `texts`.
    """
    from pyspark.sql import functions as F

    watch.check()
    placed = data.drop(data.columns[-1]).withColumn("place", F.monotonically_increasing_id())
    hashed = placed.withColumn("hash", F.xxhash64(F.lit(seed), "place"))
    if rows * len(columns) <= _HELD_VALUES:
        chosen = hashed.orderBy("hash").limit(rows)
    else:
        count = collect(data.groupBy().count(), watch).column(0)[0].as_py()
        share = min(1.0, (rows + _DEVIATIONS * math.sqrt(rows)) / max(count, 1))
        chosen = hashed if share == 1 else hashed.where(F.col("hash") < _LEAST_HASH + int(share * _HASHES))
    table = collect(chosen, watch)
    # A threshold lets a few more pass than were asked for.
    lowest = table.take(pc.sort_indices(table.column("hash"))[:rows])
    found = lowest.take(pc.sort_indices(lowest.column("place"))).drop_columns(["place", "hash"])
    arrays = [
        typed(values) if column.untyped and column.name not in texts else values
        for column, values in zip(columns, found.columns, strict=True)
    ]
    return pa.table(arrays, names=[column.name for column in columns])
