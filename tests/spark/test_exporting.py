"""What exporters say in Spark SQL gives the numbers of the kernel."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.exporting.clauses import Clause, clause_of, sql
from avh_ui.constraints.exporting.dqx import aggregate_of
from avh_ui.constraints.pattern_constraint import METRIC, Pattern, PatternConstraint
from avh_ui.constraints.sql_text import backticked
from avh_ui.metrics.conformance import regexes_measured
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.regexes import portable

NUMBERS = [1.5, 2.0, 2.0, -7.25, None, 40.0, 3.0, 8.125]
TEXTS = ["a1", "", None, "it's", "b22", "a1", "line\nbreak", "ü9"]
# By DQX.
LEFT_OUT = ("range", "median", "unique_ratio", "standard_deviation")
REGEX = portable("[a-z]\\d+|it's")


def clause(metric: str, column: str, kind: str) -> Clause:
    return clause_of(Constraint(column, metric, kind, -1e6 if metric in ("min", "mean", "sum") else 0.001, 1e6))


def test_every_aggregate_is_the_metric(spark: Any) -> None:
    frame = spark.createDataFrame(list(zip(NUMBERS, TEXTS, strict=True)), "`a ``b` double, t string")
    frame.createOrReplaceTempView("batch")
    numbers, texts = ColumnProfile.from_arrow("a `b", pa.array(NUMBERS)), ColumnProfile.from_arrow("t", pa.array(TEXTS))
    wanted = [
        (name, "a `b", numbers)
        for name in ("min", "max", "mean", "median", "sum", "range", "unique_ratio", "complete_ratio", "row_count", "standard_deviation")
    ]
    wanted += [(name, "t", texts) for name in ("str_len", "dist_val_count", "unique_ratio", "complete_ratio", "min_length", "max_length")]
    clauses = [clause(metric, column, profile.kind) for metric, column, profile in wanted]
    ours = [profile.single_metrics()[metric] for metric, _, profile in wanted]
    queries = [sql(c, backticked(c.constraint.column)) for c in clauses]
    (row,) = spark.sql(f"SELECT {', '.join(queries)} FROM batch").collect()
    assert [float(v) for v in row] == pytest.approx(ours)
    said = [(aggregate_of(c), value) for c, value in zip(clauses, ours, strict=True) if c.constraint.metric not in LEFT_OUT]
    calls = [f"{'COUNT(DISTINCT ' if how == 'count_distinct' else f'{how}('}{what})" for (what, how), _ in said]
    (row,) = spark.sql(f"SELECT {', '.join(calls)} FROM batch").collect()
    assert [float(v) for v in row] == pytest.approx([value for _, value in said])


def test_the_share_that_does_not_conform(spark: Any) -> None:
    spark.createDataFrame([(text,) for text in TEXTS], "t string").createOrReplaceTempView("texts")
    found = regexes_measured(ColumnProfile.from_arrow("t", pa.array(TEXTS), regexes=(REGEX,)).states)[REGEX]
    pattern = PatternConstraint("t", METRIC, "string", None, 0.5, pattern=Pattern("x", REGEX, 10, 0))
    (row,) = spark.sql(f"SELECT {sql(clause_of(pattern), '`t`')} FROM texts").collect()
    assert math.isclose(float(row[0]), found.ratio)
    assert 0 < found.ratio < 1
