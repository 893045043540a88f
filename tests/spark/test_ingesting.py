"""A Spark DataFrame is ingested as an Arrow table of the same rows is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import avh_ui as avh
from tests.fakes.workspaces import DAYS, FakeWorkspace, day, orders

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_spark_dataframe_is_ingested(spark: SparkSession) -> None:
    of_spark, of_arrow = FakeWorkspace().published(), FakeWorkspace().published()
    rule = avh.checks.has(avh.analyzers.size(), at_least=8_000)
    rows = orders(DAYS)
    run = of_spark.ingest("orders", rule, batch=day(DAYS), input=spark.createDataFrame(rows.to_pandas()))
    other = of_arrow.ingest("orders", rule, batch=day(DAYS), input=rows)
    assert (run.status, run.partition, run.row_count) == ("pass", "appended", 8_400)
    assert [v.observed for v in run.verdicts] == pytest.approx([v.observed for v in other.verdicts])
    # It is kept whole: the next batch is judged with it.
    assert of_spark.batch("orders", day(DAYS)).rows == 400
    assert of_spark.ingest("orders", rule, batch=day(DAYS), input=rows).partition == "replaced"
