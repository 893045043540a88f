"""Which issues of a column a pattern catches, and for how long the issues are kept."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.pattern_constraint import METRIC, Pattern, PatternConstraint, judge_pattern
from avh_ui.history.series import ColumnHistory
from avh_ui.issues.catching import MOST_ROWS, breaking
from avh_ui.issues.column_issues import ColumnIssues, Issues, LatestBatch
from avh_ui.metrics.conformance import conformance
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.regexes import listed

CODES = ["JFK", "LGA", "EWR", None, ""]


def history(name: str, kind: str = "string") -> ColumnHistory:
    return ColumnHistory(name, kind, kind, ("a",), {}, np.ones(1, dtype=bool), {})  # type: ignore[arg-type]


@pytest.mark.parametrize("upper", [0.0, 0.2])
def test_texts_of_all_issues_are_matched_as_those_of_each(upper: float) -> None:
    issues = ColumnIssues(history("origin"), LatestBatch(pa.array(CODES * 40), 200))
    pattern = Pattern("airport", listed(["JFK", "LGA", "EWR"]), 120, 0, "type")
    rule = PatternConstraint(column="origin", metric=METRIC, kind="string", lower=None, upper=upper, pattern=pattern)
    one_by_one = []
    for variant in issues.variants:
        sample = variant.sample
        counts = np.bincount(sample.codes[sample.codes >= 0], minlength=len(sample.values)) * variant.copies
        found = conformance(pa.array(sample.values), counts, pattern.regex)
        one_by_one.append(judge_pattern(rule, found).status == "fail")
    assert breaking(rule, issues.variants) == one_by_one
    assert 0 < sum(one_by_one) < len(one_by_one)


@pytest.mark.parametrize(("rows", "kept"), [(10, True), (MOST_ROWS // 2 + 1, False)])
def test_issues_of_several_small_columns_are_kept(rows: int, kept: bool) -> None:
    table = pa.table({name: np.arange(rows) % 7 for name in "ab"})
    issues = Issues({name: history(name, "numeric") for name in "ab"}, table, rows, BatchProfile("p", "a", rows, {}))
    first = issues.of("a").variants
    assert issues.of("b").names == tuple(one.name for one in issues.of("b").variants)
    assert (issues.of("a").variants is first) == kept
