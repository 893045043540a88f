"""One scan, and one pass for each distinct grouping: a thousand rules on two hundred columns, and the two tests of ICDE 2019."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import avh_ui as avh
from tests.spark.conftest import jobs_of

COLUMNS, ROWS = 200, 40
GROUPINGS = 3


def _rules() -> list[avh.Check]:
    """Five of each column without a grouping; of some columns, alone and together, that they are unique, and more of the same groups."""
    c, of = avh.checks, avh.analyzers
    rules: list[avh.Check] = []
    for k in range(COLUMNS - GROUPINGS):
        name, next_one = f"c{k}", f"c{k + 1}"
        rules += [c.is_complete(name), c.is_in_range(name, 0, 10_000), c.has(of.mean(name, where=f"{name} > {k % 7}"), at_least=0)]
        rules += [c.is_at_most(name, next_one), c.has(of.approx_quantile(name, 0.5), at_least=0)]
    for k in range(GROUPINGS):
        name = f"c{COLUMNS - 1 - k}"
        rules += [c.is_unique(name), c.has(of.entropy(name), at_least=0), c.has(of.distinctness(name), above=0.1)]
        rules += [c.is_complete(name), c.has(of.size(where=f"{name} >= 0"), at_least=1)]
    return rules


def test_a_thousand_rules_on_two_hundred_columns_are_one_scan_and_one_pass_for_each_grouping(spark: Any, tmp_path: Any) -> None:
    pq.write_table(pa.table({f"c{k}": [row + k for row in range(ROWS)] for k in range(COLUMNS)}), tmp_path / "rows.parquet")
    frame, rules = spark.read.parquet(str(tmp_path)), _rules()
    assert len(rules) == 1_000
    before = jobs_of(spark)
    run = avh.check(frame, rules)
    assert (run.status, len(run.verdicts)) == ("pass", 1_000)
    assert len(jobs_of(spark) - before) == 1 + GROUPINGS


def _comments(rows: int = 200) -> pa.Table:
    """Comments of a forum with the columns that the paper's tests speak of; one in a hundred has a reason for its removal."""
    numbers = {"created_utc": 1, "week_day": 7, "downs": 3, "controversiality": 2, "author": 30, "parent_id": 90}
    return pa.table({
        **{name: [str(row * 7 if values == 1 else row % values) for row in range(rows)] for name, values in numbers.items()},
        **{name: [f"{name}{row}" for row in range(rows)] for name in ("id", "name", "link_id")},
        **{name: [f"{name}{row % 20}" for row in range(rows)] for name in ("subreddit", "subreddit_id")},
        "ups": [row % 9 for row in range(rows)],
        "removal_reason": [None if row % 100 else "spam" for row in range(rows)],
    })  # fmt: skip


def test_the_basic_and_the_advanced_test_of_icde_2019_are_one_job_and_four(spark: Any, tmp_path: Any) -> None:
    """Section V: all of the first shares a scan; the second groups by two columns, and by both together."""
    c, of, groups = avh.checks, avh.analyzers, ("subreddit", "subreddit_id")
    table = _comments()
    pq.write_table(table, tmp_path / "comments.parquet")
    frame = spark.read.parquet(str(tmp_path))
    basic = [
        *(c.is_complete(name) for name in table.column_names if name != "removal_reason"),
        c.has(of.completeness("removal_reason"), below=0.05),
        *(c.has_data_type(name, "Integral") for name in ("created_utc", "week_day", "ups", "downs", "controversiality")),
        c.is_in_range("week_day", 0, 6), c.is_in_range("controversiality", 0, 1),
        *(c.has(of.approx_count_distinct(name), at_least=18, at_most=22) for name in groups),
        c.has(of.approx_quantile("ups", 0.9), below=10),
    ]  # fmt: skip
    advanced = [
        *basic,
        *(c.has(of.unique_value_ratio(name), exactly=0) for name in groups),
        *(c.has(of.count_distinct(columns), exactly=20) for columns in (*groups, groups)),
    ]  # fmt: skip
    for rules, jobs in ((basic, 1), (advanced, 1 + 3)):
        before = jobs_of(spark)
        run = avh.check(frame, rules)
        assert [verdict.message for verdict in run.verdicts if verdict.status != "pass"] == []
        assert len(jobs_of(spark) - before) == jobs
