"""Spark compares columns of texts as numbers as the engine without it does; columns with types as it always did."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import avh_ui as avh
from avh_ui.metrics.compared import marked
from avh_ui.spark.text_numbers import spelled_out
from tests.fakes.compared_texts import HARD, OPERATORS, PAIRS, naive

c = avh.checks
CONDITIONS = [marked("`a`", sign, "`b`") for sign in OPERATORS]  # type: ignore[arg-type]


def asked(spark: Any, pairs: list[tuple[Any, Any]], schema: str, *, ansi: bool) -> list[tuple[Any, ...]]:
    session = spark.newSession()
    session.conf.set("spark.sql.ansi.enabled", str(ansi).lower())
    frame = session.createDataFrame(pairs, schema).coalesce(1)
    return [tuple(row) for row in frame.selectExpr(*map(spelled_out, CONDITIONS)).collect()]


@pytest.mark.parametrize("ansi", [False, True])
def test_spark_compares_hard_texts_as_a_naive_reader_does(spark: Any, ansi: bool) -> None:
    pairs = [(one, other) for one in (*HARD, None) for other in (*HARD, None)]
    expected = [tuple(naive(one, other, sign) for sign in OPERATORS) for one, other in pairs]
    found = asked(spark, pairs, "a string, b string", ansi=ansi)
    assert [(pair, *rows) for pair, *rows in zip(pairs, found, expected, strict=True) if rows[0] != rows[1]] == []


# Each example is a job.
@settings(max_examples=5, deadline=None)
@given(st.lists(PAIRS, min_size=100, max_size=300))
def test_spark_compares_any_texts_as_a_naive_reader_does(spark: Any, pairs: list[tuple[str | None, str | None]]) -> None:
    assert asked(spark, pairs, "a string, b string", ansi=False) == [
        tuple(naive(one, other, sign) for sign in OPERATORS) for one, other in pairs
    ]


@pytest.mark.parametrize(
    ("schema", "pairs"),
    [
        ("a bigint, b bigint", [(2**53 + 1, 2**53), (7, 52), (None, 1)]),
        ("a double, b double", [(float("nan"), 1.0), (7.0, 52.0)]),
        ("a string, b int", [("7", 52), ("x", 1)]),
        ("a binary, b binary", [(b"7", b"52"), (b"\xff", b"7")]),
        ("a array<int>, b array<int>", [([7], [52]), ([7], [7])]),
        ("a struct<x: string>, b struct<x: string>", [(("7",), ("52",)), (("7",), ("7",))]),
        ("a boolean, b boolean", [(True, False), (True, True)]),
    ],
)
def test_spark_compares_columns_with_types_as_before(spark: Any, schema: str, pairs: list[tuple[Any, Any]]) -> None:
    session = spark.newSession()
    session.conf.set("spark.sql.ansi.enabled", "false")
    plain = session.createDataFrame(pairs, schema).coalesce(1).selectExpr(*(f"a {sign} b" for sign in OPERATORS)).collect()
    assert asked(spark, pairs, schema, ansi=False) == [tuple(row) for row in plain]


def test_shares_rows_and_split_are_those_of_a_table_in_memory(spark: Any) -> None:
    table = pa.table({"a": ["7", "52", "n/a", "apple", None], "b": ["52", "7", "7", "kiwi", "1"]})
    frame, rule = spark.createDataFrame(table.to_pylist(), "a string, b string"), [c.is_at_most("a", "b"), c.is_equal_to("a", "b")]
    here, there = avh.check(table, rule), avh.check(frame, rule)
    assert [v.observed for v in there.verdicts] == [v.observed for v in here.verdicts] == [0.4, 0.0]
    told = [[one["why"] for one in row] for row in here.rows(table)["failed"].to_pylist()]
    assert [[one["why"] for one in row["failed"]] for row in there.rows(frame).collect()] == told
    assert [len(one) for one in told] == [1, 2, 2, 1, 0]
    assert there.split(frame)[1].count() == 4
