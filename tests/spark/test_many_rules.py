"""A thousand rules on two hundred columns: one scan, and one pass for each distinct grouping."""

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
