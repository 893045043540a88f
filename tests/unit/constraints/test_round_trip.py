"""Rules that people state, written for other tools and read back: the same measures and bounds, or named as left out."""

from __future__ import annotations

import json
from datetime import date

import pytest
import yaml

import avh_ui as avh
from avh_ui.constraints.exporting.catalogue import EXPORTERS
from avh_ui.constraints.importing.catalogue import IMPORTERS
from avh_ui.errors import NotFoundError, UsageError

c, of = avh.checks, avh.analyzers
RULES = [
    c.has(of.size(), at_least=1_000),
    c.has(of.size(where="a > 'x'"), above=5, below=10),
    c.has(of.size(), other_than=6),
    c.has(of.size(), not_between=(4, 6)),
    c.has(of.size(), exactly=7),
    c.has(of.mean("x"), at_least=1, at_most=3),
    c.has(of.mean("x", where="y = 1"), below=3.5, level="warning", hint="Ask ann."),
    c.has(of.minimum("x"), at_least=0),
    c.has(of.sum_("x"), above=0),
    c.has(of.standard_deviation("x"), at_most=9),
    c.has(of.range_("x"), at_most=9),
    c.has(of.maximum("day"), below=date(2025, 1, 1)),
    c.is_complete("x"),
    c.is_complete("x", at_least=0.95),
    c.is_complete("x", "y"),
    c.is_any_complete("x", "y"),
    c.is_unique("x"),
    c.is_unique(["x", "y"], level="warning"),
    c.is_unique("x", at_least=0.9),
    c.is_contained_in("x", ["a", "b'c"]),
    c.is_contained_in("x", [1, 2], where="y > 0", at_least=0.9),
    c.is_in_range("x", 0, 10, strict="upper"),
    c.is_in_range("x", date(2024, 1, 1)),
    c.is_positive("x"),
    c.is_less_than("x", "y"),
    c.satisfies("x < y", says="in order", level="warning"),
    c.has_pattern("x", r"^\d+$"),
    c.contains_email("x"),
    c.has_data_type("x", "Integral"),
    c.has_column("x"),
    c.has_column("x", place=2),
    c.has_column_type("x", "bigint"),
    c.has_column_type("x", ["int", "bigint"]),
    c.has_column_names("^(?:[a-z]+)$"),
    c.has(of.column_exists("z"), exactly=0),
    c.has_column_count(at_most=9),
    c.refers_to(["x", "y"], "t", ["a", "b"], at_least=0.9),
    c.refers_to("x", "t", nulls=True),
    c.matches("t", "x", ["y"]),
    c.matches("t", {"x": "a"}, {"y": "b"}),
    c.has_row_count_of("t", at_least=0.5, at_most=2),
    c.has_schema_of("t"),
    c.custom_sql("SELECT max(x) - min(x) FROM batch", at_most=3),
    c.has_no_anomalies(of.size(), c.recent(0.8, of="mean", batches=5, strict="lower")),
    c.has_no_anomalies(of.mean("x", where="y = 1"), c.recent(1, 1, of="median", batches=3, plus=-0.5)),
    c.has_no_anomalies(of.maximum("x"), c.recent(None, 1.5)),
    c.has_no_anomalies(of.size(), c.recent(1, of="median", batches=9, deviations=2.5)),
    c.has_no_anomalies(of.size(), c.recent(None, 3, of="standard_deviation", batches=9)),
    c.has_no_anomalies(of.mean("x"), c.recent(None, 2, of="first", batches=7, absolute=True)),
    c.has_no_anomalies(of.size(), c.online_normal(), level="warning"),
    c.has(of.count_distinct("x"), at_most=4),
    c.has(of.distinct_with_null("x"), at_most=4),
    c.has(of.entropy("x"), above=0.5),
    c.has(of.correlation("x", "y"), above=0.5),
    c.has(of.approx_quantile("x", 0.5), below=3),
    c.has(of.approx_quantile("x", 0.5, relative_error=0.1), below=3),
    c.has(of.min_length("x"), at_least=3),
    c.has(of.min_length("x", nulls="fail"), at_least=3),
    c.has(of.mutual_information("x", "y"), above=0),
    c.has(of.uniqueness(["x", "y"]), above=0.5),
]
# Of each tool the rules that it cannot say: it names them, and why.
LEFT_OUT = {"dqdl": 19, "great-expectations": 34, "soda": 33, "deequ": 25, "dqx": 43, "odcs": 38}


@pytest.mark.parametrize("tool", EXPORTERS)
def test_every_rule_is_written_or_left_out_with_its_reason(tool: str) -> None:
    exported = avh.write_rules(RULES, tool)
    keys = [rule.constraint().key for rule in RULES]
    left_out = [key for key in keys if any(f"({key})" in one.what for one in exported.left_out)]
    assert all(one.reason for one in exported.left_out)
    assert (len(left_out), len(exported.left_out)) == (LEFT_OUT[tool], LEFT_OUT[tool])
    assert [key for key in keys if key not in left_out and key not in exported.text and tool != "deequ"] == []


@pytest.mark.parametrize("tool", sorted(set(EXPORTERS) & set(IMPORTERS)))
def test_what_is_written_is_read_as_the_same_rules(tool: str) -> None:
    exported = avh.write_rules(RULES, tool)
    imported = avh.read_rules(exported.text, tool)
    written = [rule for rule in RULES if not any(rule.constraint().key in one.what for one in exported.left_out)]
    assert imported.left_out == ()
    # DQDL has no severity.
    levels = {rule: "error" if tool == "dqdl" else rule.level for rule in written}
    assert {(r.measure, r.bounds, r.level) for r in imported.rules} == {(r.measure, r.bounds, levels[r]) for r in written}


def test_hints_and_words_come_back_where_a_tool_has_them() -> None:
    rules = [c.satisfies("x < y", says="in order", hint="Ask ann."), c.is_contained_in("x", ["a"], hint="See the list.")]
    back = avh.read_rules(avh.write_rules(rules, "deequ").text, "deequ").rules
    assert list(back) == rules


def test_a_condition_counts_in_every_tool() -> None:
    rule = c.has(of.mean("x", where="y = 1"), at_least=3)
    assert yaml.safe_load(avh.write_rules(rule, "dqx").text)[0]["filter"] == "y = 1"
    assert yaml.safe_load(avh.write_rules(rule, "soda", name="orders").text)["checks for orders"][0]["avg(x) >= 3"]["filter"] == "y = 1"
    (property_,) = yaml.safe_load(avh.write_rules(rule, "odcs").text)["schema"][0]["properties"]
    assert property_["quality"][0]["query"] == "SELECT AVG({property}) AS observed FROM {object} WHERE (y = 1)"
    assert json.loads(avh.write_rules(rule, "great-expectations").text)["expectations"][0]["kwargs"]["row_condition"] == "y = 1"


def test_what_is_no_rule_and_no_tool() -> None:
    with pytest.raises(NotFoundError, match="Did you mean 'dqdl'"):
        avh.write_rules(RULES, "dqld")
    with pytest.raises(UsageError, match="no rule to write"):
        avh.write_rules([], "dqdl")


def test_bounds_that_follow_from_a_history_are_named() -> None:
    rule = c.has_no_anomalies(of.size(), "online_normal")
    for tool in EXPORTERS:
        (left_out,) = avh.write_rules(rule, tool).left_out
        assert "its bounds follow from the history" in left_out.reason


def test_a_column_with_a_dot_has_one_pair_of_backticks() -> None:
    written = avh.write_rules([c.is_complete("`a.b`"), c.is_complete("a.b"), c.is_unique("`a.b`")], "dqdl")
    assert written.text.count('"SELECT COUNT(`a.b`) * 1E0 / COUNT(*) FROM primary"') == 2
    assert [one.reason for one in written.left_out] == ["there is no query of one number for it"]
