"""Soda's contracts of both versions, what is configured for a column, and named formats, as rules."""

from __future__ import annotations

import pyarrow as pa
import pytest

import avh_ui as avh

c, of = avh.checks, avh.analyzers


def test_a_contract_of_version_3_looks_at_its_columns_whether_it_says_so_or_not() -> None:
    columns = """
columns:
- {name: id, data_type: integer, unique: true}
- {name: b, optional: true, data_type: text}
- {name: c.d, data_type: odd}
"""
    third = avh.read_rules(f"dataset: t\n{columns}checks:\n- {{type: rows_exist}}\n", "soda")
    assert third.rules == (
        c.has_column_type("id", "int"), c.has_column("id"), c.has_column("c.d"), c.has_column_names(r"^(?:id|b|c\.d)$"),
        c.has(of.size(), above=0), c.is_unique("id"),
    )  # fmt: skip
    assert [one.what for one in third.left_out] == ["the type of b", "the type of c.d"]
    fourth = avh.read_rules("dataset: s/t\ncolumns:\n- name: id\n  checks: [duplicate: {threshold: {must_be_less_than: 3}}]\n", "soda")
    assert fourth.rules == (c.custom_sql("SELECT count(`id`) - count(DISTINCT `id`) FROM batch", below=3),)
    assert "has no `schema` check" in fourth.notes[0]


def test_duplicates_of_a_contract_of_version_4_are_rows_more_than_values_that_are_valid() -> None:
    check = "- duplicate: {threshold: {metric: percent, must_be_less_than: 5}}"
    several = f"checks:\n{check.replace('threshold', 'columns: [a, b], threshold')}"
    text = f"dataset: s/t\ncolumns:\n- name: a\n  valid_values: [x]\n  checks:\n  {check}\n  - duplicate:\n{several}\n"
    assert avh.read_rules(text, "soda").rules == (
        c.custom_sql("SELECT coalesce(100D * (count(*) - count(DISTINCT `a`, `b`)) / nullif(count(*), 0), 0) FROM batch", below=5),
        c.has(of.distinctness("a", where="(`a` IS NOT NULL AND (`a` IN ('x')))"), above=0.95),
        c.is_unique("a", where="(`a` IS NOT NULL AND (`a` IN ('x')))"),
    )


def test_what_is_configured_for_a_column_holds_for_its_checks() -> None:
    text = """
configurations for t:
  valid values for a: [x]
  missing values for a: [n/a]
  samples limit for a: 5
checks for t:
- missing_count(a) = 0
- invalid_count(a) = 0
- missing_count(b) = 0
"""
    found = avh.read_rules(text, "soda")
    missing, invalid, other = found.rules
    assert str(missing.measure.where) == "`a` IS NULL OR `a` IN ('n/a')"
    assert invalid.measure.parameter("predicate") == "`a` IS NULL OR `a` IN ('n/a') OR (`a` IN ('x'))"
    assert other == c.is_complete("b")
    assert [one.what for one in found.left_out] == ["configurations for t: samples limit for a"]


def test_a_number_is_that_of_the_values_that_are_there_and_valid() -> None:
    text = "checks for t:\n- avg(a) > 1: {missing values: [-1], valid max: 9}\n- min(a) > 1: {filter: b = 1}"
    rules = avh.read_rules(text, "soda").rules
    assert rules == (
        c.has(of.mean("a", where="(NOT (`a` IS NULL OR `a` IN (-1)) AND (`a` <= 9.0))"), above=1),
        c.has(of.minimum("a", where="b = 1"), above=1),
    )
    table = pa.table({"a": [3, 5, -1, None, 1000], "b": [1, 1, 1, 1, 2]})
    assert [verdict.observed for verdict in avh.check(table, rules).verdicts] == [4, -1]


def test_expressions_and_other_tables_of_contracts() -> None:
    text = """
dataset: t
columns:
- name: a
  optional: true
  missing_regex_sql: ^n/a$
  checks:
  - type: no_invalid_values
    valid_regex_sql: ^[0-9]+$
  - type: no_invalid_values
    valid_values_column: {dataset: codes, column: id}
"""
    found = avh.read_rules(text, "soda")
    missing = "`a` IS NULL OR `a` RLIKE '^n/a$'"
    assert found.left_out == ()
    assert found.rules[-2].measure.parameter("predicate") == f"{missing} OR (`a` RLIKE '^[0-9]+$')"
    assert found.rules[-1] == c.refers_to("a", "codes", "id", nulls=True, where=f"(NOT ({missing}))")


VALID = {
    "integer": (["0", "- 12", "+1"], ["", "a", "1.5", "4,2"]),
    "negative integer": (["0", "-7"], ["7", "+0"]),
    "percentage": ([" 0 % ", ".5%", "99,9 %"], ["%", "0", "a %"]),
    "date us": (["1/1/2020", "12-31-1925"], ["13/11/1981", "1/1/2020 12:00"]),
    "date eu": (["31/12/1925", "9.5.2000"], ["12/31/1925"]),
    "date_inverse": (["2020/1/1", "1925-12-31"], ["1981-13-11"]),
    "date iso 8601": (["2020-02-08", "2020-W06-5", "2020039", "20200208T080910.123", "2020-02-08 09+07:00"], ["9999-01-01", "2000-13-01"]),
    "time 24h": (["23:59:00", "9:05"], ["24:00"]),
    "uuid": (["8a5e2a5b-7c1f-4c0e-9a66-0d0c5b1f2a3b"], ["8a5e2a5b7c1f4c0e9a660d0c5b1f2a3b"]),
    "ipv4": (["1.2.3.4"], ["256.1.1.1", "1.2.3"]),
    "ipv6 address": (["::1", "::", "2001:db8:0:0:0:0:2:1", "::ffff:1.2.3.4"], ["1::2::3", "12345::"]),
    "phone number": (["+1 555-0100", "(555) 123-4567"], ["abc", "12"]),
    "email": (["a@b.co"], ["a@b"]),
    "money": (["5.00 EUR", "-3,50 €"], ["EUR"]),
}


@pytest.mark.parametrize("name", VALID)
def test_formats_of_soda_hold_of_what_they_name(name: str) -> None:
    rules = avh.read_rules(f"checks for t:\n- invalid_count(a) = 0: {{valid format: {name}}}", "soda").rules
    for texts, status in zip(VALID[name], ("pass", "fail"), strict=True):
        for text in texts:
            run = avh.check(pa.table({"a": [text, None]}), rules)
            assert (text, run.status) == (text, status)
