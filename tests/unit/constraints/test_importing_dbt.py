"""Freshness of dbt's sources as rules, which holds for its tables unless they say otherwise, and the contracts of models."""

from __future__ import annotations

from datetime import timedelta

import avh_ui as avh

c, of = avh.checks, avh.analyzers

SOURCES = """
sources:
- name: raw
  loaded_at_field: at
  freshness: {error_after: {count: 2, period: day}}
  tables:
  - {name: a, config: {freshness: {warn_after: {count: 12, period: hour}, filter: "x > 1"}}}
  - {name: b, freshness: null, columns: [{name: id, tests: [unique]}]}
  - {name: d, loaded_at_field: "convert(at)"}
"""


def test_freshness_of_a_source_holds_for_its_tables() -> None:
    late = of.freshness("at", where="x > 1")
    assert avh.read_rules(SOURCES, "dbt", table="a").rules == (
        c.has(late, at_most=timedelta(days=2)),
        c.has(late, at_most=timedelta(hours=12), level="warning"),
    )
    assert avh.read_rules(SOURCES, "dbt", table="b").rules == (c.is_unique("id"),)
    (left_out,) = avh.read_rules(SOURCES, "dbt", table="d").left_out
    assert "'convert(at)' is an expression" in left_out.reason


CONTRACT = """
models:
- name: orders
  config: {contract: {enforced: %s}}
  columns:
  - {name: id, data_type: bigint, constraints: [{type: not_null}]}
  - {name: at, data_type: timestamp with time zone}
  - {name: place, data_type: geography}
"""


def test_an_enforced_contract_has_its_columns_with_their_types_and_no_others() -> None:
    found = avh.read_rules(CONTRACT % "true", "dbt")
    assert set(found.rules) == {
        *(c.has_column(name) for name in ("id", "at", "place")), c.has_column_names("^(?:id|at|place)$"),
        c.has_column_type("id", "bigint"), c.has_column_type("at", "timestamp"), c.is_complete("id"),
    }  # fmt: skip
    (left_out,) = found.left_out
    assert (left_out.what, "'geography'" in left_out.reason) == ("the type of place", True)
    assert avh.read_rules(CONTRACT % "false", "dbt").rules == (c.is_complete("id"),)
