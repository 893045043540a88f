"""Deequ's verdicts on Spark, one `avh.check` per table; and the table's columns, of which no row is read."""

from __future__ import annotations

from typing import Any

import avh_ui as avh
from avh_ui.spark.versions import frame_of
from tests.data.check_facts import TABLES, facts, table
from tests.spark.conftest import jobs_of

c, of = avh.checks, avh.analyzers


def test_verdicts_are_those_of_the_facts(spark: Any) -> None:
    expected, found = {}, {}
    for name in TABLES:
        told = facts(name)
        run = avh.check(frame_of(spark, table(name)), [check for _, check, _ in told])
        by_rule = {verdict.constraint.statement: verdict.status for verdict in run.verdicts}
        expected |= {where: status for where, _, status in told}
        found |= {where: by_rule[check.constraint().statement] for where, check, _ in told}
    assert found == expected


def test_the_columns_of_a_table_are_told_without_a_job(spark: Any) -> None:
    frame = spark.sql("select named_struct('lat', 1.0) as geo, raise_error('read') as Id")
    before = jobs_of(spark)
    states = avh.measure(frame, [of.column_count(), of.column_exists("Id"), of.column_exists("geo.lat"), of.column_exists("id")])
    assert [result.value for result in states.results.values()] == [2, 1, 1, 0]
    run = avh.check(states, [c.has_column("Id"), c.has_column("id", level="warning"), c.has_column_count(at_most=1)])
    assert [verdict.status for verdict in run.verdicts] == ["pass", "warn", "fail"]
    assert jobs_of(spark) == before
