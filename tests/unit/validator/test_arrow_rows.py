"""The rows of tables in memory that break rules: Deequ's verdicts of rows, and a naive evaluation row by row."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import avh_ui as avh
from avh_ui.constraints.row_rules import RowRule
from avh_ui.errors import UsageError
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.row_forms import Present
from avh_ui.metrics.rows import RowTest
from avh_ui.validator.arrow_rows import ArrowRows
from tests.data.row_facts import TABLES, facts, table, told

c, of = avh.checks, avh.analyzers


@pytest.mark.parametrize("name", TABLES)
def test_rows_are_those_of_the_facts(name: str) -> None:
    found = facts(name)
    run = avh.check(table(name), [check for check, _ in found.values()])
    assert [v.message for v in run.verdicts if v.status == "not_evaluated"] == []
    assert told(run.rows(table(name)), found) == {fact: rows for fact, (_, rows) in found.items()}


def test_a_condition_that_takes_spark_is_told_where_there_is_none() -> None:
    data = pa.table({"a": ["1", "x"]})
    rule = RowRule(0, "r", "w", "error", RowTest("sha1(a) > 'a'"))
    with pytest.raises(UsageError, match="takes Spark"):
        ArrowRows(data).marked([rule])
    asked = []

    def elsewhere(table: pa.Table, rules: Sequence[RowRule]) -> list[pa.Array]:
        asked.append((table, list(rules)))
        return [pa.array([True, False])]

    marked = ArrowRows(data, elsewhere).marked([rule, RowRule(1, "s", "v", "error", Present("A"))])
    assert [[one["rule"] for one in broken] for broken in marked.column("failed").to_pylist()] == [["r"], []]
    assert asked == [(data, [rule])]


def test_a_row_that_breaks_a_condition_is_named_by_the_key() -> None:
    data = pa.table({"shop": ["Oslo", "Rome"], "a": [1, 5], "b": [3, 4], "c": ["x", None]})
    rules = [
        RowRule(0, "r", "w", "error", RowTest("a <= b"), key=("shop",)),
        RowRule(1, "r", "w", "error", Present("c"), key=("shop", "gone")),
        RowRule(2, "r", "w", "error", RowTest("^y", "c"), key=("shop",)),
        RowRule(3, "r", "w", "error", RowTest("a <= b")),
        RowRule(4, "r", "w", "error", RowTest("shop <> 'Rome'"), key=("shop",)),
        # A key that is null itself is named by the other columns.
        RowRule(5, "r", "w", "error", Present("c"), key=("c",)),
    ]
    found = ArrowRows(data).found(rules, Watch()).by_place
    assert [found[k].samples for k in range(6)] == [
        ("shop=Rome, a=5, b=4",), ("Rome",), ("null", "x"), ("a=5, b=4",), ("Rome",), ("shop=Rome, a=5, b=4",),
    ]  # fmt: skip


ROWS = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(-3, 3), st.sampled_from([0.5, -0.0, math.nan, math.inf])),
        st.one_of(st.none(), st.sampled_from(["", "a", "ab", "b", "é", "ab\n"])),
    ),
    min_size=1, max_size=12,
)  # fmt: skip
LIMITS = st.sampled_from([-1, 0, 0.5, 2])


def naive(rows: list[tuple[Any, Any]], limit: float) -> dict[str, list[bool]]:
    """Which rows break each rule of `rules`, one row at a time."""
    numbers, texts = [row[0] for row in rows], [row[1] for row in rows]
    # Values are equal as groups have them: one NaN, one zero.
    keys = [(None if n is None else "nan" if n != n else n + 0.0, t) for n, t in rows]
    times, of_text = Counter(keys), Counter(texts)
    return {
        "complete": [n is None for n in numbers],
        "least": [n is not None and n < limit for n in numbers],
        "most": [n is not None and (n >= limit or math.isnan(n)) for n in numbers],
        "long": [t is not None and len(t) > 1 for t in texts],
        "short": [len(t or "") < 1 for t in texts],
        "pattern": [t is None or re.search("b$", t) is None for t in texts],
        "once": [t is not None and of_text[t] > 1 for t in texts],
        "together": [key != (None, None) and times[key] > 1 for key in keys],
    }


def rules(limit: float) -> dict[str, avh.Check]:
    return {
        "complete": c.is_complete("n"),
        "least": c.has(of.minimum("n"), at_least=limit),
        "most": c.has(of.maximum("n"), below=limit),
        "long": c.has(of.max_length("t"), at_most=1),
        "short": c.has(of.min_length("t", nulls="empty_string"), at_least=1),
        "pattern": c.has_pattern("t", "b$"),
        "once": c.is_unique("t"),
        "together": c.is_unique(("n", "t")),
    }


@given(ROWS, LIMITS)
def test_rows_are_as_a_naive_evaluation_has_them(rows: list[tuple[Any, Any]], limit: float) -> None:
    data = pa.table({"n": pa.array([row[0] for row in rows], pa.float64()), "t": pa.array([row[1] for row in rows], pa.string())})
    expected = naive(rows, limit)
    for name, check in rules(limit).items():
        run = avh.check(data, check)
        assert [bool(broken) for broken in run.rows(data).column("failed").to_pylist()] == expected[name], name
        (verdict,) = run.verdicts
        assert (verdict.failing or 0) == sum(expected[name]), name
        # Whether a row breaks it decides the verdict: there is nothing else to break.
        assert (verdict.status == "pass") == (not any(expected[name])) or verdict.observed is None or name == "least"
        good, bad = run.split(data)
        assert (good.num_rows, bad.num_rows) == (len(rows) - sum(expected[name]), sum(expected[name]))
        assert good.schema == data.schema


def test_pandas_comes_back_as_pandas() -> None:
    frame = pd.DataFrame({"a": [1, 2, None], "b": pd.Categorical(["x", "y", "x"])}, index=[7, 8, 9])
    run = avh.check(frame, [c.is_complete("a"), c.is_unique("b", level="warning")])
    good, bad = run.split(frame)
    pd.testing.assert_frame_equal(good, frame.loc[[7, 8]])
    assert list(bad.index) == [9]
    assert bad["failed"].iloc[0] == [
        {"rule": "a is not null", "why": "a is null", "level": "error"},
        {"rule": "b is unique", "why": "b occurs more than once", "level": "warning"},
    ]
    assert [len(broken) for broken in run.rows(frame)["failed"]] == [1, 0, 2]
    with pytest.raises(UsageError, match="has a column 'failed' already"):
        run.rows(run.rows(frame))


def test_states_tell_how_many_rows_break_a_rule_without_the_rows() -> None:
    checks = [
        c.is_complete("A", at_least=0.2), c.has(of.completeness("a"), at_most=0.9), c.is_unique("b"), c.has(of.minimum("a"), at_least=2),
        c.satisfies("a > 1", where="b = 'x'"),
    ]  # fmt: skip
    parts = [pa.table({"a": [1, 2, None], "b": ["x", "x", "y"]}), pa.table({"a": [None, 1], "b": ["y", "x"]})]
    measures = [check.measure for check in checks] + [of.size()]
    first, second = (avh.measure(part, measures) for part in parts)
    run = avh.check(first.states.merge(second.states), checks)
    assert [(v.status, v.failing) for v in run.verdicts] == [("pass", 2), ("pass", 3), ("fail", 5), ("fail", None), ("fail", 2)]
    whole = avh.check(pa.concat_tables(parts), checks)
    assert [v.failing for v in whole.verdicts] == [2, 3, 5, 2, 2]


def test_what_was_not_evaluated_marks_no_row() -> None:
    data = pa.table({"a": [1, None]})
    run = avh.check(data, [c.is_complete("nope"), c.is_complete("a", at_least=0.5)])
    assert [(v.status, v.failing) for v in run.verdicts] == [("not_evaluated", None), ("pass", 1)]
    assert [len(broken) for broken in run.rows(data).column("failed").to_pylist()] == [0, 1]
    with pytest.raises(UsageError, match="no column 'a', of which a rule is"):
        run.rows(pa.table({"b": [1]}))


def test_rules_of_a_field_and_of_a_list_are_counted_beside_the_others() -> None:
    data = pa.table({"geo": [{"lat": 1.0}, {"lat": None}], "tags": [["a"], None], "s": ["q", "r"]})
    run = avh.check(data, [c.is_complete("geo.lat"), c.is_complete("tags"), c.is_contained_in("s", ["q"])])
    assert [(v.status, v.failing) for v in run.verdicts] == [("fail", 1), ("fail", 1), ("fail", 1)]
    assert (run.verdicts[2].samples, run.notes) == (("r",), ())
