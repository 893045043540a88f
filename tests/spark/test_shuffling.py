"""A grouping of few rows has few tasks, whatever the session of the user says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from avh_ui.spark.session import apart
from avh_ui.spark.shuffling import PARTITIONS, partitions_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark


@pytest.fixture
def rows(spark: SparkSession) -> DataFrame:
    return spark.range(0, 1_000, 1, 5)


@pytest.mark.parametrize(("asked", "parts"), [(200, 5), (3, 3)])
def test_as_many_parts_as_are_read_and_no_more_than_asked(rows: DataFrame, asked: int, parts: int) -> None:
    with apart(rows) as copy:
        copy.sparkSession.conf.set(PARTITIONS, str(asked))
        cores = copy.sparkSession.sparkContext.defaultParallelism
        assert partitions_of(copy) == min(asked, max(parts, cores))


def test_a_frame_that_shuffles_is_not_run_to_find_out(rows: DataFrame) -> None:
    from pyspark.sql import functions as F

    with apart(rows.groupBy((F.col("id") % 7).alias("k")).count()) as copy:
        spark = copy.sparkSession
        spark.conf.set(PARTITIONS, "200")
        spark.conf.set("spark.sql.adaptive.enabled", "true")
        tracker = spark.sparkContext.statusTracker()
        before = tracker.getJobIdsForGroup()
        assert partitions_of(copy) == spark.sparkContext.defaultParallelism
        assert tracker.getJobIdsForGroup() == before
