"""Row conditions that pandas evaluates in Great Expectations, as SQL: pandas says which rows they are of."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import avh_ui as avh
from avh_ui import analyzers as of
from avh_ui import checks as c
from avh_ui.constraints.importing.great_expectations_pandas import sql_of
from avh_ui.constraints.importing.imported import UnreadError

ROWS = pd.DataFrame(
    {
        "a": [1, 2, None, 4, 5.5], "b": [2, 2, 3, None, 1], "s": ["x", None, "y & z", "it's", "x"], "n n": [1, 2, 3, 4, 5],
        "f": [True, False, True, True, False],
    }
)  # fmt: skip


@pytest.mark.parametrize(
    "condition",
    ["a == 1", "a != 1", "a > b", "b < 3", "not a > b", "~(a > b)", "a < 3 & b >= 2", 'a < 3 | s == "x"', 's in ["x", "it\'s"]',
     's not in ("x", "w")', "s.isnull()", "s.notna()", 'a.notnull() and s != "x"', "`n n` > 2", "1 < a <= 5", "f == True", 's == "y & z"',
     "a >= -1", "a != b"],
)  # fmt: skip
def test_a_condition_is_of_the_rows_that_pandas_says(condition: str) -> None:
    rows = of.size(where=sql_of(condition))
    assert avh.measure(ROWS, [rows]).results[rows].value == len(ROWS.query(condition, engine="python"))


@pytest.mark.parametrize(
    "condition",
    ["a + 1 > 2", "__import__('os')", "a > @x", "a", "s.str.len() > 2", "a ==", "`x", "a is b", "s in b", "s in []", "a > None", "(" * 500],
)
def test_other_conditions_are_named(condition: str) -> None:
    with pytest.raises(UnreadError, match="is more than comparisons of columns: state it as Spark SQL"):
        sql_of(condition)


def test_a_suite_with_such_a_condition_is_read() -> None:
    kwargs = {"column": "zip", "row_condition": 'country == "US"', "condition_parser": "pandas"}
    suite = {"expectations": [{"expectation_type": "expect_column_values_to_not_be_null", "kwargs": kwargs}]}
    rules = avh.read_rules(json.dumps(suite), "great-expectations").rules
    assert rules == (c.is_complete("zip", where="coalesce(`country` = 'US', false)"),)


def test_a_list_of_types_of_several_backends_is_of_those_that_spark_has() -> None:
    kwargs = {"column": "n", "type_list": ["NUMBER_TYPE", "int64", "IntegerType"]}
    suite = {"expectations": [{"expectation_type": "expect_column_values_to_be_in_type_list", "kwargs": kwargs}]}
    assert avh.read_rules(json.dumps(suite), "great-expectations").rules == (c.has_column_type("n", ["bigint", "int"]),)


@pytest.mark.parametrize(
    ("test", "statement"),
    [
        ("unique: {column_name: \"lower(a)\", where: b > 1}", "WHERE (b > 1) AND ((lower(a)) IS NOT NULL) GROUP BY (lower(a))"),
        ('dbt_utils.unique_combination_of_columns: {combination_of_columns: [b, "lower(a)"]}', "GROUP BY (b), (lower(a))"),
    ],
)  # fmt: skip
def test_what_dbt_asks_of_an_expression_is_a_query(test: str, statement: str) -> None:
    (rule,) = avh.read_rules(f"models:\n- name: t\n  tests:\n  - {test}\n", "dbt").rules
    assert rule.measure.parameter("statement") == f"SELECT count(*) FROM (SELECT 1 FROM batch {statement} HAVING count(*) > 1)"
