"""Columns of texts compared as numbers where both texts are: by a naive comparison of each pair, and what is not touched.

`tests/spark/test_compared.py` holds Spark to the same.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import avh_ui as avh
from avh_ui.metrics.compared import MARK, marked, with_calls
from avh_ui.metrics.rows import RowTest
from avh_ui.metrics.truths import truths_of
from tests.fakes.compared_texts import HARD, OPERATORS, PAIRS, naive

c = avh.checks


def told(table: pa.Table, condition: str) -> list[bool | None]:
    """What a condition says of the rows, without Spark."""
    truths = truths_of(table, [RowTest(condition)], [])
    assert not truths.untold
    return truths.arrays[RowTest(condition)].to_pylist()  # type: ignore[no-any-return]


def of_texts(pairs: list[tuple[str | None, str | None]]) -> pa.Table:
    return pa.table({name: pa.array([pair[k] for pair in pairs], pa.string()) for k, name in enumerate("ab")})


@pytest.mark.parametrize("sign", OPERATORS)
def test_hard_texts_are_compared_as_a_naive_reader_does(sign: Any) -> None:
    pairs = [(one, other) for one in (*HARD, None) for other in (*HARD, None)]
    assert told(of_texts(pairs), marked("`a`", sign, "`b`")) == [naive(one, other, sign) for one, other in pairs]


@given(st.lists(PAIRS, max_size=30), st.sampled_from(list(OPERATORS)))
def test_any_texts_are_compared_as_a_naive_reader_does(pairs: list[tuple[str | None, str | None]], sign: Any) -> None:
    table = of_texts(pairs)
    expected = [naive(one, other, sign) for one, other in pairs]
    assert told(table, marked("`a`", sign, "`b`")) == expected
    # A row is told by itself, and columns that are dictionaries, or within another condition, by the same.
    coded = pa.table({name: table[name].dictionary_encode() for name in "ab"})
    assert told(coded, f"NOT ({marked('`a`', sign, '`b`')})") == [None if v is None else not v for v in expected]


@pytest.mark.parametrize(
    ("one", "other", "holds"),
    [
        ("7", "52", True),
        ("52", "7", False),
        ("007", "7", True),
        ("9007199254740993", "9007199254740992", False),
        ("n/a", "7", False),
        ("7", "n/a", False),
        ("apple", "kiwi", True),
        ("2026-01-10", "2026-01-02", False),
        (None, "7", None),
    ],
)
def test_a_row_of_two_texts_is_at_most_as_people_mean_it(one: str | None, other: str | None, holds: bool | None) -> None:
    assert told(of_texts([(one, other)]), marked("`a`", "<=", "`b`")) == [holds]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (pa.array([7, 2**53 + 1], pa.int64()), pa.array([52, 2**53], pa.int64())),
        (pa.array([7.0, float("nan")]), pa.array([52.0, 1.0])),
        (pa.array([Decimal("7.10"), None]), pa.array([Decimal("7.1"), Decimal(1)])),
        (pa.array([date(2026, 1, 2), date(2026, 1, 10)]), pa.array([date(2026, 1, 10), date(2026, 1, 2)])),
        (pa.array(["7", "7.9"]), pa.array([52, 7], pa.int32())),
        (pa.array([True, False]), pa.array([True, True])),
        (pa.nulls(2), pa.array(["7", "8"])),
    ],
)
@pytest.mark.parametrize("sign", OPERATORS)
def test_columns_with_types_are_compared_as_before(one: pa.Array, other: pa.Array, sign: Any) -> None:
    table = pa.table({"a": one, "b": other})
    assert told(table, marked("`a`", sign, "`b`")) == told(table, f"a {sign} b")


def test_what_a_person_writes_as_sql_stays_as_it_is() -> None:
    table = of_texts([("7", "52")])
    assert told(table, "a <= b") == told(table, "`a` <= `b`") == [False]
    assert with_calls("`a` <= `b`", lambda *_: "never") == "`a` <= `b`"


def test_fields_and_odd_names_are_compared_too() -> None:
    table = pa.table({"geo": pa.array([{"a": "7"}, {"a": "9"}]), "a `b` = c": ["52", "8"]})
    assert told(table, marked("`geo`.`a`", "<=", "`a ``b`` = c`")) == [True, False]


def test_the_rows_the_share_and_the_reason_agree_without_spark() -> None:
    table = pd.DataFrame({"a": ["7", "52", "n/a", "apple"], "b": ["52", "7", "7", "kiwi"]}, dtype=object)
    run = avh.check(table, [c.is_at_most("a", "b")])
    (verdict,) = run.verdicts
    assert verdict.observed == 0.5
    good, bad = run.split(table)
    assert list(good["a"]) == ["7", "apple"]
    assert [one["why"] for row in bad["failed"] for one in row] == ["a is not at most b"] * 2


def test_a_condition_says_in_words_how_it_compares() -> None:
    assert str(c.is_at_most("a", "b").measure).endswith(f"`a` <= `b` {MARK}')")
