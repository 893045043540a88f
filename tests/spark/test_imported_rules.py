"""Rules of other tools on Spark, where a column lacks values: each holds or fails as the tool's pages say."""

from __future__ import annotations

import json
from typing import Any

import avh_ui as avh

ROWS = [(1, "a", "x1", "2024-01-01"), (2, "a", "x2", "2024-01-02"), (3, "b", "x3", "2024-01-02"), (None, None, "x4", "2024-01-02")]
# Whether a rule of Glue's holds of the rows: all of its checks do.
DQDL = {
    'ColumnValues "n" >= 1': False,
    'ColumnValues "n" >= 1 where "n is not null"': True,
    'ColumnValues "n" between 0 and 4 where "n > 0"': True,
    'ColumnValues "n" between 1 and 4 where "n > 0"': False,
    'ColumnValues "n" in [1, 2, 3]': False,
    'ColumnValues "n" in [1, 2, 3, NULL]': True,
    'ColumnValues "n" != 9': True,
    'ColumnValues "n" not in [7, 8]': True,
    'ColumnValues "n" not in [7, NULL]': False,
    'ColumnValues "n" not between 7 and 9': False,
    'ColumnValues "kind" = "a"': False,
    'ColumnValues "kind" = "a" with threshold > 0.4': True,
    'ColumnValues "full" matches "x[0-9]"': True,
    'ColumnValues "full" matches "x"': False,
    'ColumnValues "full" not matches "y.*"': True,
    'ColumnValues "kind" not matches "y.*"': False,
    'ColumnValues "day" > (now() - 40000 days)': True,
    'ColumnValues "day" < "2024-01-03"': True,
    'ColumnValues "day" > "2024-01-02"': False,
    'ColumnDataType "full" = "Integer"': False,
    'ColumnDataType "day" = "Date"': True,
    'ColumnLength "full" = 2': True,
    'ColumnLength "kind" >= 1': False,
    'ColumnLength "kind" in [0, 1]': True,
    'DataFreshness "day" > 24 hours': True,
    'DataFreshness "day" <= 24 hours': False,
    'IsPrimaryKey "full"': True,
    'IsPrimaryKey "n"': False,
    'IsUnique "n"': True,
    'DistinctValuesCount "kind" = 3': True,
    'CustomSql "select * from primary where n > 0" with threshold >= 0.75': True,
    'CustomSql "select * from primary where n > 0"': False,
}
# Of Great Expectations, where null is no value; the settings and whether it holds.
EXPECTATIONS: list[tuple[str, dict[str, Any], bool]] = [
    ("expect_column_values_to_be_in_set", {"column": "n", "value_set": [1, 2, 3]}, True),
    ("expect_column_values_to_be_in_set", {"column": "n", "value_set": [1, 2], "mostly": 0.7}, False),
    ("expect_column_values_to_be_in_set", {"column": "n", "value_set": [1, 2], "mostly": 0.6}, True),
    ("expect_column_values_to_not_be_in_set", {"column": "kind", "value_set": ["c"]}, True),
    ("expect_column_values_to_match_regex", {"column": "kind", "regex": "a", "mostly": 0.66}, True),
    ("expect_column_distinct_values_to_contain_set", {"column": "n", "value_set": [1, 9]}, False),
    ("expect_column_pair_values_to_be_equal", {"column_A": "n", "column_B": "n"}, True),
    ("expect_column_pair_values_to_be_equal", {"column_A": "n", "column_B": "n", "ignore_row_if": "never"}, False),
]

# Of dbt, which counts failing rows, and values of `unique` and `accepted_values`; one value of `kind` is there twice, one row has none.
DBT = {
    'unique: {config: {error_if: ">1"}}': True,
    'unique: {config: {error_if: ">=1"}}': False,
    'not_null: {config: {error_if: ">1", warn_if: ">1"}}': True,
    'not_null: {config: {severity: warn, warn_if: "!=0"}}': False,
    'accepted_values: {values: [c], config: {error_if: ">2", warn_if: ">2"}}': True,
    'accepted_values: {values: [c], config: {error_if: ">1"}}': False,
}


def test_nulls_count_as_in_the_tools(spark: Any) -> None:
    frame = spark.createDataFrame(ROWS, "n int, kind string, full string, day string").selectExpr("n", "kind", "full", "to_date(day) day")
    by_rule = {rule: avh.read_rules(f"Rules = [{rule}]", "dqdl") for rule in DQDL}
    for name, kwargs, _ in EXPECTATIONS:
        suite = {"expectations": [{"type": name, "kwargs": kwargs}]}
        by_rule[str((name, kwargs))] = avh.read_rules(json.dumps(suite), "great-expectations")
    for test in DBT:
        by_rule[test] = avh.read_rules(f"models: [{{name: m, columns: [{{name: kind, tests: [{{{test}}}]}}]}}]", "dbt")
    assert [rule for rule, imported in by_rule.items() if imported.left_out] == []
    checks = list(dict.fromkeys(check for imported in by_rule.values() for check in imported.rules))
    holds = {check: verdict.status == "pass" for check, verdict in zip(checks, avh.check(frame, checks).verdicts, strict=True)}
    # What dbt only warns of does not break a test whose severity is error.
    found = {
        rule: all(holds[check] for check in imported.rules if check.level == "error" or len(imported.rules) == 1)
        for rule, imported in by_rule.items()
    }
    assert found == {**DQDL, **DBT, **{str((name, kwargs)): expected for name, kwargs, expected in EXPECTATIONS}}


# What more `or` takes: numbers of columns and of groups, two bounds, a condition that leaves no row.
NUMBERS = {
    "RowCount between 3 and 5": True, "RowCount != 4": False, 'RowCount = 0 where "n > 99"': True, 'Mean "n" > 3 where "n > 99"': True,
    'Mean "n" > 3': False, 'Completeness "n" > 0.7': True, 'Completeness "n" in [0.75, 1]': True, 'IsComplete "n"': False,
    'Uniqueness "kind" > 0.3': True, 'Uniqueness "kind" > 0.34': False, 'UniqueValueRatio "kind" = 0.5': True,
    'Entropy "kind" between 0.63 and 0.64': True, 'DuplicateRowCount "kind" = 2': True, 'StandardDeviation "n" < 0.82': True,
    'Variance "n" > 0.7': False, 'Sum "n" = 6': True, 'Range "n" = 2': True, 'ZerosCount "n" = 0': True, 'Skewness "n" = 0': True,
    'Kurtosis "n" < -1.4': True, 'InterquartileRange "n" = 1': True, 'ColumnCorrelation "n" "n" > 0.9': True,
    'CustomSql "select count(*) from primary where n > 1" = 2': True,
}  # fmt: skip


def test_one_of_several_rules_holds_where_one_alone_does(spark: Any) -> None:
    frame = spark.createDataFrame(ROWS, "n int, kind string, full string, day string").selectExpr("n", "kind", "full", "to_date(day) day")
    forms = ("{0}", "({0}) or (RowCount < 0)", "((RowCount < 0) or (RowCount < 1)) or ((RowCount > 1) and ({0}))")
    texts = {form.format(text): expected for text, expected in (DQDL | NUMBERS).items() for form in forms}
    by_text = {text: avh.read_rules(f"Rules = [ {text} ]", "dqdl").rules for text in texts}
    checks = list(dict.fromkeys(check for rules in by_text.values() for check in rules))
    holds = {check: verdict.status == "pass" for check, verdict in zip(checks, avh.check(frame, checks).verdicts, strict=True)}
    assert {text: all(holds[check] for check in rules) for text, rules in by_text.items()} == texts


# Of dbt's packages, beside a table `o` of n = 1, 2, 3 and kind = a, a, c; and whether each holds. With {} it is of the table, else of `n`.
BESIDE = {
    "{} dbt_utils.equality: {compare_model: ref('o'), compare_columns: [n], config: {where: n > 0}}": True,
    "{} dbt_utils.equality: {compare_model: ref('o'), compare_columns: [n]}": False,
    "{} dbt_utils.equality: {compare_model: ref('o'), compare_columns: [kind]}": False,
    "dbt_utils.cardinality_equality: {to: ref('o'), field: n, config: {where: n > 0}}": True,
    "dbt_utils.cardinality_equality: {to: ref('o'), field: n}": False,
    "dbt_utils.relationships_where: {to: ref('o'), field: n, to_condition: n > 0}": True,
    "dbt_utils.relationships_where: {to: ref('o'), field: n, to_condition: kind = 'a'}": False,
    "dbt_utils.relationships_where: {to: ref('o'), field: n, from_condition: n < 3, to_condition: kind = 'a'}": True,
    "dbt_utils.sequential_values: {config: {where: n > 0}}": True,
    "dbt_utils.sequential_values: {interval: 2, config: {where: n > 0}}": False,
    "{} dbt_utils.mutually_exclusive_ranges: {lower_bound_column: n, upper_bound_column: m, config: {where: n > 0}}": True,
    "{} dbt_utils.mutually_exclusive_ranges: {lower_bound_column: n, upper_bound_column: m, gaps: not_allowed, where: n > 0}": True,
    "{} dbt_utils.mutually_exclusive_ranges: {lower_bound_column: n, upper_bound_column: m, gaps: required, where: n > 0}": False,
    "{} dbt_utils.mutually_exclusive_ranges: {lower_bound_column: m, upper_bound_column: n}": False,
    "dbt_expectations.expect_column_values_to_be_increasing: {sort_column: m, row_condition: n > 0}": True,
    "dbt_expectations.expect_column_values_to_be_decreasing: {sort_column: m, row_condition: n > 0}": False,
    "dbt_expectations.expect_column_distinct_count_to_equal_other_table: {compare_model: ref('o'), compare_column_name: n}": True,
    "dbt_expectations.expect_column_distinct_count_to_equal_other_table: {compare_model: ref('o'), compare_column_name: kind}": False,
    "{} dbt_expectations.expect_table_aggregation_to_equal_other_table: {expression: sum(n), compare_model: ref('o')}": True,
    "{} dbt_expectations.expect_table_aggregation_to_equal_other_table: {expression: count(*), compare_model: ref('o')}": False,
    'dbt_expectations.expect_column_values_to_match_regex: {regex: "[0-9]", flags: i, row_condition: n > 0}': True,
}
# Of Great Expectations, numbers of a sample and of the most common value: 1, 2, 3 have the mean 2 and the sample deviation 1.
SAMPLED: list[tuple[str, dict[str, Any], bool]] = [
    ("expect_column_stdev_to_be_between", {"column": "n", "min_value": 1, "max_value": 1}, True),
    ("expect_column_value_z_scores_to_be_less_than", {"column": "n", "threshold": 1.1, "double_sided": True}, True),
    ("expect_column_value_z_scores_to_be_less_than", {"column": "n", "threshold": 1, "double_sided": True}, False),
    ("expect_column_value_z_scores_to_be_less_than", {"column": "n", "threshold": 1, "double_sided": False, "mostly": 0.6}, True),
    ("expect_column_most_common_value_to_be_in_set", {"column": "kind", "value_set": ["a"]}, True),
    ("expect_column_most_common_value_to_be_in_set", {"column": "kind", "value_set": ["b", "c"]}, False),
    ("expect_column_most_common_value_to_be_in_set", {"column": "n", "value_set": [1, 9]}, False),
    ("expect_column_most_common_value_to_be_in_set", {"column": "n", "value_set": [1, 9], "ties_okay": True}, True),
]


def test_queries_that_rules_of_other_tools_become_give_their_verdicts(spark: Any) -> None:
    frame = spark.createDataFrame(ROWS, "n int, kind string, full string, day string").selectExpr("n", "n + 1 AS m", "kind")
    other = spark.createDataFrame([(1, "a"), (2, "a"), (3, "c")], "n int, kind string")
    by_rule: dict[str, avh.Imported] = {}
    for test in BESIDE:
        of_table, said = test.startswith("{} "), test.removeprefix("{} ")
        at = f"tests: [{{{said}}}]"
        by_rule[test] = avh.read_rules(f"models: [{{name: t, {at if of_table else f'columns: [{{name: n, {at}}}]'}}}]", "dbt")
    for name, kwargs, _ in SAMPLED:
        suite = {"expectations": [{"type": name, "kwargs": kwargs}]}
        by_rule[str((name, kwargs))] = avh.read_rules(json.dumps(suite), "great-expectations")
    assert [str(one) for imported in by_rule.values() for one in imported.left_out] == []
    checks = list(dict.fromkeys(check for imported in by_rule.values() for check in imported.rules))
    run = avh.check(frame, checks, tables={"o": other})
    assert [v.message for v in run.verdicts if v.status == "not_evaluated"] == []
    holds = {check: verdict.status == "pass" for check, verdict in zip(checks, run.verdicts, strict=True)}
    found = {rule: all(holds[check] for check in imported.rules) for rule, imported in by_rule.items()}
    assert found == {**BESIDE, **{str((name, kwargs)): expected for name, kwargs, expected in SAMPLED}}
