"""Rules that people state: added, weighed, measured, kept over new suggestions, published, enforced, removed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.codec import program_from_record, program_to_record
from avh_ui.constraints.evidence import FromPerson, Record
from avh_ui.errors import AvhError, ConfigError, ConstraintError, NotEnoughHistoryError, NotFoundError, UsageError
from avh_ui.metrics import analyzers as of
from avh_ui.review.draft import Draft
from avh_ui.workflows.stating import check_files
from tests.fakes.workspaces import CONSTRAINTS, FakeWorkspace, config, day, orders

SIZE = c.has(of.size(), at_least=300, hint="call the shop")
MEAN = c.has(of.mean("amount"), above=100, level="warning")
KEY = c.is_unique(["id", "country"])


def titles(draft: Draft | None) -> list[str]:
    assert draft is not None
    return [item.current.title for item in draft.items if item.current.origin == "manual"]


def few(**settings: Any) -> FakeWorkspace:
    """Three batches: too few to suggest anything."""
    return FakeWorkspace(days=3, settings=config(**settings)).profiled()


def test_a_draft_may_be_of_rules_alone_and_becomes_a_program_that_judges() -> None:
    ws = few()
    draft = ws.add("orders", [SIZE, MEAN, c.is_complete("COUNTRY")])
    assert titles(draft) == ["row_count is at least 300", "mean of amount is above 100", "COUNTRY is not null"]
    assert [item.current.column for item in draft.items] == ["rows", "amount", "country"]
    backtests = [item.suggestion.evidence.backtest for item in draft.items]
    means = [float(np.mean(orders(k)["amount"])) for k in range(3)]
    assert [(b.judged, b.fired) for b in backtests if b] == [(3, ()), (3, tuple(day(k) for k in range(3) if means[k] <= 100)), (3, ())]
    # A number that stood still, a mean that is never above 100, and a share that stood still.
    assert [item.current.fpr for item in draft.items] == pytest.approx([5**-1.5, 3.5 / 4, 5**-2])
    ws.decide("orders", [item.suggestion.id for item in draft.items], "accept")
    program = ws.publish("orders", message="rules")
    assert [constraint.level for constraint in program.constraints] == ["error", "warning", "error"]
    ws.profiler.tables["orders"][day(3)] = orders(3, 200)
    run = ws.validate("orders", batch=day(3))
    half = "There are about half as many rows as in batch 2024-01-03: 200, and 400 there."
    failed = {v.message for v in run.verdicts if v.status == "fail"}
    assert failed == {f"{half} The number of rows is at least 300: it is 200. call the shop"}
    assert run.notes == ()


def test_a_batch_that_is_called_wrong_is_no_false_alarm_of_a_rule() -> None:
    ws = few()
    ws.profiler.tables["orders"][day(1)] = orders(1, 20)
    ws.profile("orders", again=True)
    (seen,) = ws.weigh("orders", SIZE)
    ws.give_feedback("orders", day(1), "", "known_error", why="cut short")
    (told,) = ws.weigh("orders", SIZE)
    assert seen.evidence.backtest == told.evidence.backtest == Record(3, (day(1),))
    assert (seen.constraint.fpr, told.constraint.fpr) == pytest.approx((1.5 / 4, 4**-1.5))


def test_a_draft_tells_of_its_rules_what_was_labelled_since() -> None:
    ws = few()
    ws.profiler.tables["orders"][day(1)] = orders(1, 20)
    ws.profile("orders", again=True)
    (item,) = ws.add("orders", SIZE).items
    assert item.current.fpr == pytest.approx(1.5 / 4)
    ws.give_feedback("orders", day(1), "", "real_issue", why="cut short")
    (told,) = ws.draft("orders").items
    assert told.current.fpr == pytest.approx(4**-1.5)
    # Of what was wrong alone nothing is expected.
    for k in (0, 2):
        ws.give_feedback("orders", day(k), "", "known_error", why="too")
    assert ws.draft("orders").items[0].current.fpr == 0


def test_rules_of_the_tables_columns_are_kept_tried_and_enforced() -> None:
    ws = few(pipeline={"rules": [{"has_column": "Amount"}, {"has_column_count": {"exactly": 4}}]})
    ws.profiler.tables["orders"][day(1)] = orders(1).drop_columns(["paid"])
    ws.profile("orders", again=True)
    rules = [
        c.has_column("paid"), c.has_column("id", place=1), c.has_column_type("amount", "double"),
        c.has_column_names("^[a-z]+$", level="warning", hint="ask"), c.has_column("nope", level="warning"),
    ]  # fmt: skip
    draft = ws.add("orders", rules)
    assert len(orders(0).column_names) == 4
    told = {item.current.title: item.suggestion.evidence.backtest for item in draft.items}
    assert {title: (len(b.fired), b.judged) for title, b in told.items() if b} == {
        "there is a column Amount": (0, 3), "column_count is exactly 4": (1, 3), "there is a column paid": (1, 3), "column 1 is id": (0, 3),
        "amount is of type double": (0, 3), "the name of each column has a match of ^[a-z]+$": (0, 3), "there is a column nope": (3, 3),
    }  # fmt: skip
    ws.decide("orders", [item.suggestion.id for item in draft.items], "accept")
    program = ws.publish("orders", message="rules")
    assert program.measures == ()
    assert program_from_record(program_to_record(program)) == program
    assert {v.status for v in ws.validate("orders", batch=day(2)).verdicts if "nope" not in v.constraint.title} == {"pass"}
    table = orders(3)
    names = ["ID", *(name for name in table.column_names if name not in ("id", "paid", "amount")), "Amount"]
    ws.profiler.tables["orders"][day(3)] = table.rename_columns(
        [{"id": "ID", "amount": "Amount"}.get(name, name) for name in table.column_names]
    ).select(names).set_column(len(names) - 1, "Amount", pa.array(["x"] * len(table)))  # fmt: skip
    run = ws.validate("orders", batch=day(3))
    assert {v.message for v in run.verdicts if v.status not in ("pass", "not_evaluated")} == {
        "Column count is exactly 4: it is 3.", "there is a column paid: it is not so.", "there is a column nope: it is not so.",
        "amount is of type double: it is not so. It is string.",
        "the name of each column has a match of ^[a-z]+$: it is not so. ask No match in ID, Amount.",
    }  # fmt: skip
    assert all(v.status != "not_evaluated" for v in run.verdicts)


def test_a_table_to_compare_with_is_named_in_avh_yml(tmp_path: Path) -> None:
    ws = few(
        pipeline={"references": {"customers": {"path": "/on/the/cluster/customers.parquet"}, "shops": {"path": f"{tmp_path}/shops.csv"}}}
    )
    with pytest.raises(UsageError, match=r"The table 'shops' is not there: there is no .*shops.csv. Put it there"):
        ws.add("orders", c.refers_to("id", "shops"))
    with pytest.raises(NotFoundError, match=r"no reference 'custmers'. Did you mean 'customers'.*Name the table under `references:`"):
        ws.add("orders", c.refers_to("id", "custmers"))
    assert titles(ws.add("orders", c.refers_to("id", "customers"))) == ["id refers to id of customers"]
    with pytest.raises(ConfigError, match=r"rules\[0\].*no reference 'customers'"):
        check_files(config(pipeline={"rules": [{"has_row_count_of": "customers"}]}))


def test_a_rule_refers_to_columns_that_the_other_table_has(tmp_path: Path) -> None:
    (tmp_path / "shops.csv").write_text("Shop,a.b\n1,2\n")
    named = few(pipeline={"references": {"shops": {"path": f"{tmp_path}/shops.csv", "format": "csv", "options": {"header": True}}}})
    with pytest.raises(NotFoundError, match=r"no column 'shpo' of the table 'shops'\. There is 'Shop'"):
        named.add("orders", c.refers_to("id", "shops", "shpo"))
    with pytest.raises(NotFoundError, match="no column 'id' of the table 'shops'"):
        named.add("orders", c.refers_to("id", "shops"))
    for there in ("shop", "`a.b`", "a.b"):
        named.add("orders", c.refers_to("id", "shops", there))
    pq.write_table(pa.table({"s": [{"x": 1}]}), tmp_path / "nested.parquet")
    nested = few(pipeline={"references": {"n": {"path": f"{tmp_path}/nested.parquet"}}})
    nested.add("orders", c.refers_to("id", "n", "s.x"))
    with pytest.raises(NotFoundError, match=r"no column 't\.x' of the table 'n'"):
        nested.add("orders", c.refers_to("id", "n", "t.x"))
    # Without a header, of another format than said and elsewhere nobody knows what its columns are called.
    for unknown in ({"path": f"{tmp_path}/shops.csv", "format": "csv"}, {"path": f"{tmp_path}/shops.csv"}, {"path": "s3://shops"}):
        assert len(few(pipeline={"references": {"shops": unknown}}).add("orders", c.refers_to("id", "shops")).items) == 1


def test_bounds_of_the_columns_do_not_follow_from_a_history() -> None:
    with pytest.raises(UsageError, match="none is kept of the table's columns"):
        few().add("orders", c.has_no_anomalies(of.column_count(), "online_normal"))


def test_a_table_may_have_a_column_called_rows() -> None:
    ws = few()
    ws.profiler.tables["orders"] = {day(k): pa.table({"rows": pa.array([1.0, None, 3.0 + k])}) for k in range(3)}
    ws.profile("orders", again=True)
    draft = ws.add("orders", [c.has(of.size(), exactly=3), c.is_complete("rows", at_least=0.5), c.has(of.mean("rows"), below=2.5)])
    assert [len(item.suggestion.evidence.backtest.fired) for item in draft.items if item.suggestion.evidence.backtest] == [0, 0, 2]
    ws.decide("orders", [item.suggestion.id for item in draft.items], "accept")
    ws.publish("orders", message="rules")
    assert [v.status for v in ws.validate("orders", batch=day(2)).verdicts] == ["pass", "pass", "fail"]


@pytest.mark.parametrize(
    ("rules", "error", "said"),
    [
        (c.is_complete("county"), NotFoundError, "no column 'county'. Did you mean 'country'"),
        (c.is_complete("id where country = 'DE'"), UsageError, r"such as `is_complete: \{columns: id, where: \"country = 'DE'\"\}`"),
        (c.is_unique("id where amount > 1"), UsageError, "is a column and a condition in one"),
        (c.satisfies("amont > 1"), NotFoundError, "no column 'amont'. Did you mean 'amount'"),
        (c.is_complete("id", where="contry = 'DE'"), NotFoundError, "no column 'contry'"),
        (c.satisfies("amount >"), ConstraintError, "'amount >' is no"),
        (c.satisfies("sum(amount) > 1"), ConstraintError, "sum"),
        (c.is_complete("id", where="amount > > 1"), ConstraintError, "cannot be read at '> >'"),
        (c.custom_sql("DROP TABLE batch", above=1), UsageError, "The query is not one SELECT"),
        (c.custom_sql("SELECT min(id), max(id) FROM batch", above=1), UsageError, "The query gives 2 columns"),
        (c.has(of.mean("country"), above=1), UsageError, "mean needs a column of numbers or times; 'country' is one of texts"),
        (c.satisfies("paid"), UsageError, "has the name of a column"),
        (c.is_complete("id", at_least=0), ConstraintError, "With these bounds the rule never alarms: complete_ratio is always at least 0%"),
        (c.has(of.completeness("amount"), at_most=1), ConstraintError, "never alarms: complete_ratio is always at least 0% and at most"),
        ([KEY, c.has(of.size(), below=0)], UsageError, "No table keeps"),
        ([KEY, KEY], UsageError, "is there twice"),
        ("id is unique", UsageError, "no rule"),
        ((), UsageError, "There is no rule to add"),
        (SIZE, UsageError, r"is in the draft already \("),
        ([KEY, c.has(of.size(), below=300)], UsageError, "`row_count is below 300` and `row_count is at least 300` contradict"),
    ],
)
def test_a_wrong_rule_is_told_and_none_is_kept(rules: Any, error: type[AvhError], said: str) -> None:
    ws = few()
    ws.add("orders", SIZE)
    before, runs = ws.draft("orders"), len(ws.reviews.runs["orders"])
    with pytest.raises(error, match=said):
        ws.add("orders", rules)
    assert (ws.draft("orders"), len(ws.reviews.runs["orders"])) == (before, runs)


def test_a_rule_that_cannot_fail_is_refused_where_it_is_tried_and_where_a_suite_comes() -> None:
    ws, idle = few(), c.has(of.size(), at_least=0)
    for attempt in (ws.weigh, ws.try_rule):
        with pytest.raises(ConstraintError, match="With these bounds the rule never alarms: row_count is always at least 0"):
            attempt("orders", idle)
    found = ws.services.suggestions.add_fitting("orders", [idle, SIZE])
    assert (found.rules, [why.split(":")[0] for _, why in found.refused]) == ((SIZE,), ["With these bounds the rule never alarms"])


def test_before_the_first_profile_nobody_knows_the_columns() -> None:
    with pytest.raises(NotEnoughHistoryError, match="avh profile orders"):
        FakeWorkspace(days=1).add("orders", SIZE)


def test_rules_stay_with_their_decisions_when_the_suggestions_are_made_anew() -> None:
    ws = FakeWorkspace(days=8).profiled()
    draft = ws.add("orders", [SIZE, MEAN])
    size, mean = (item.suggestion.id for item in draft.items)
    ws.decide("orders", [size], "accept", why="known")
    ws.decide("orders", [mean], "edit", lower=90, upper=None)
    again = ws.suggest("orders", sources=["snapshot"])
    assert len(again.items) > 2
    assert [(again.item(one).status, again.item(one).current.lower) for one in (size, mean)] == [("accepted", 300), ("edited", 90)]
    assert again.item(mean).current.strict == "lower"
    kept = again.item(size).suggestion.evidence
    assert isinstance(kept, FromPerson)
    assert (kept.by, kept.file, kept.check) == ("ann", "", {"has": {"measure": "row_count", "at_least": 300, "hint": "call the shop"}})


def test_what_no_profile_has_is_measured_with_the_next_and_of_the_latest_when_asked() -> None:
    ws = few()
    (found,) = ws.weigh("orders", KEY)
    assert (found.measured, found.batches, found.evidence.backtest, found.constraint.fpr) == (0, 3, None, 0)
    ws.add("orders", KEY)
    ws.profiler.tables["orders"][day(3)] = orders(3)
    ws.profile("orders")
    assert np.isfinite(ws.history("orders").columns["id, country"].values["uniqueness"]).tolist() == [False, False, False, True]
    ws.profiler.tables["orders"][day(2)] = orders(9)  # other rows than were profiled
    del ws.profiler.tables["orders"][day(0)]
    before = ws.batch("orders", day(2))
    tried = ws.try_rule("orders", KEY)
    assert tried.measured == (day(1), day(3))
    assert dict(tried.skipped) == {
        day(0): "it is no longer at its source",
        day(2): "its rows at the source are no longer those that were profiled",
    }
    assert ws.batch("orders", day(2)) == before
    assert (tried.rules[0].measured, tried.rules[0].latest, tried.untold) == (2, 1.0, {})
    tried = ws.try_rule("orders", c.satisfies("amount + nope(id) > 0"))
    assert (tried.rules[0].measured, list(tried.untold)) == (0, ["amount + nope(id) > 0"])
    assert "nope" in tried.untold["amount + nope(id) > 0"]
    ws.suggest("orders")
    draft = ws.draft("orders")
    assert draft is not None
    (item,) = (item for item in draft.items if item.current.origin == "manual")
    assert item.suggestion.evidence.backtest is not None
    assert item.suggestion.evidence.backtest.judged == 2


def test_what_is_measured_for_one_rule_is_kept_when_another_is_tried() -> None:
    ws, above = few(), c.satisfies("amount > 0")
    tenth = c.has(of.approx_quantile("amount", 0.1), above=0)
    for rule in (tenth, KEY, above, c.has(of.approx_quantile("amount", 0.2), above=0)):
        assert ws.try_rule("orders", rule).rules[0].measured == 3
    draft = ws.add("orders", [tenth, KEY, above])
    assert [item.suggestion.evidence.backtest.judged for item in draft.items if item.suggestion.evidence.backtest] == [3, 3, 3]


def test_removing_takes_decisions_along_and_only_rules_go() -> None:
    ws = FakeWorkspace(days=8).drafted()
    draft = ws.add("orders", [SIZE, MEAN])
    size = next(item.suggestion.id for item in draft.items if item.current.column == "rows")
    ws.decide("orders", [size], "accept")
    with pytest.raises(UsageError, match="was suggested"):
        ws.remove("orders", [CONSTRAINTS[0].key])
    with pytest.raises(UsageError, match=r"no rule 'row_count is at least 30'.*Did you mean"):
        ws.remove("orders", ["row_count is at least 30"])
    assert titles(ws.remove("orders", ["row_count is at least 300"])) == ["mean of amount is above 100"]
    did = [(entry.did, entry.subject) for entry in ws.audit("orders")]
    assert ("changed the rules", "removed row_count is at least 300") in did
    added = ws.add("orders", SIZE)
    assert added.item(size).status == "pending"


def test_rules_of_the_file_come_stay_and_go_with_it() -> None:
    written = [{"has": {"measure": "size", "at_least": 300}}, {"is_complete": {"columns": "id", "level": "warning"}}]
    ws = few(pipeline={"rules": written})
    draft = ws.suggest("orders")
    assert titles(draft) == ["row_count is at least 300", "id is not null"]
    rules = [item.suggestion.id for item in draft.items if item.current.origin == "manual"]
    ws.decide("orders", rules, "accept")
    with pytest.raises(UsageError, match=r"stands in avh.yml"):
        ws.remove("orders", rules[:1])
    runs = len(ws.reviews.runs["orders"])
    assert ws.add("orders") == ws.draft("orders")
    assert len(ws.reviews.runs["orders"]) == runs
    ws.configure(config(pipeline={"rules": [{"is_complete": {"columns": "id", "hint": "ask"}}]}))
    after = ws.add("orders", MEAN)
    assert titles(after) == ["id is not null", "mean of amount is above 100"]
    kept = after.item(rules[1])
    assert (kept.status, kept.current.level, kept.current.learned.hint) == ("accepted", "error", "ask")
    assert after.run.removed == ("row_count is at least 300",)


def test_a_rule_of_the_file_is_not_added_once_more() -> None:
    ws = few(pipeline={"rules": [{"is_complete": "id"}]})
    with pytest.raises(UsageError, match=r"The rule `id is not null` stands in avh\.yml already"):
        ws.add("orders", [MEAN, c.is_complete("id")])
    assert ws.draft("orders") is None


def test_a_rule_of_the_file_that_no_longer_fits_keeps_nothing_else_back() -> None:
    ws = few(pipeline={"rules": [{"is_complete": "idd"}, {"is_complete": "id"}]})
    with pytest.raises(ConstraintError, match=r"rules of avh.yml do not fit 'orders': There is no column 'idd'.*'id'"):
        ws.add("orders", MEAN)
    draft = ws.suggest("orders")
    assert titles(draft) == ["id is not null"]
    assert any("no column 'idd'" in out["reason"] for out in draft.run.left_out)


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ([{"is_complet": "id"}], r"pipelines.orders.rules\[0\] .*no rule 'is_complet'. Did you mean 'is_complete'"),
        ([{"is_complete": "id"}, {"satisfies": "a >"}], r"rules\[1\].*'a >' is no"),
        ([{"has": {"measure": "size", "at_least": 3, "at_leas": 3}}], r"rules\[0\].*at_leas"),
        ([{"has": {"measure": "mean", "column": "a", "above": 3}}, {"has": {"measure": "mean", "column": "a", "below": 2}}], "contradict"),
        ([{"is_complete": "id"}, {"is_complete": "id"}], r"rules\[1\].*twice"),
        ([{"has_column_type": ["id", "integr"]}], r"rules\[0\].*no type 'integr'"),
        ([{"has_column_names": "(a)\\1"}], r"rules\[0\].*pattern of column_names must be a regular expression without look-around"),
    ],
)
def test_a_wrong_rule_of_the_file_is_named_with_its_place(rules: list[Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        check_files(config(pipeline={"rules": rules}))


def test_who_added_a_rule_has_a_hand_in_the_draft() -> None:
    ws = FakeWorkspace(days=3, settings=config(pipeline={"four_eyes": True}), actor="ann").profiled()
    draft = ws.add("orders", SIZE, by="bob")
    ws.decide("orders", [draft.items[0].suggestion.id], "accept", by="ann")
    assert (ws.draft("orders") or draft).editors == ("ann", "bob")


def test_among_no_rows_a_rule_holds_and_of_no_values_it_does_not() -> None:
    ws = few()
    nobody: list[Check] = [c.has(of.mean("amount"), above=1), c.is_complete("id")]
    draft = ws.add("orders", nobody)
    ws.decide("orders", [item.suggestion.id for item in draft.items], "accept")
    ws.publish("orders", message="rules")
    ws.profiler.tables["orders"][day(3)] = orders(3).set_column(1, "amount", pa.nulls(400, pa.float64()))
    mean, complete = ws.validate("orders", batch=day(3)).verdicts
    empty = "amount is null in all 400 rows; in batch 2024-01-03 in none."
    assert (mean.status, mean.observed) == ("fail", None)
    assert mean.message == f"{empty} The average amount is above 1: there is nothing to measure."
    assert complete.status == "pass"
