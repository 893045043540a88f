"""Freshness of dbt's sources as rules: what a source says holds for its tables, unless they say otherwise."""

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
