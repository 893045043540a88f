"""A rule made in the app: picked and typed, tried on the history meanwhile, saved, found in the queue, undone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from avh_ui.metrics.column import Kind
from avh_ui.review.draft import DraftItem
from avh_ui.ui.state.new_rule import NewRuleState, TryingState
from avh_ui.ui.state.rule_form import BY_NAME, CHOICES, UnfinishedError, record_of, split_values
from avh_ui.ui.views.chart_data import rule_chart
from avh_ui.ui.views.new_rule import NewRuleView
from tests.fakes.workspaces import CONSTRAINTS, FakeWorkspace, config, day, orders
from tests.unit.ui.conftest import Desk, sit_down

KINDS: dict[str, Kind] = {"a": "numeric", "b": "string", "c": "boolean", "t": "temporal"}


def form(desk: Desk) -> NewRuleState:
    return NewRuleState(desk.session, desk.queue, desk.decisions)


def drafted() -> Desk:
    return sit_down(FakeWorkspace().drafted(*CONSTRAINTS), "?pipeline=orders")


def rules(desk: Desk) -> list[DraftItem]:
    draft = desk.workspace.draft("orders")
    assert draft is not None
    return [item for item in draft.items if item.current.origin == "manual"]


@pytest.mark.parametrize(
    ("choice", "columns", "typed", "record"),
    [
        ("is_complete", ["a", "b"], {"share": "95%"}, {"columns": ["a", "b"], "at_least": 0.95}),
        ("is_unique", ["a"], {"where": " b = 'x' ", "hint": "ask"}, {"columns": ["a"], "where": "b = 'x'", "hint": "ask"}),
        ("is_contained_in", ["a"], {"values": "1, 2.5,3"}, {"column": "a", "values": [1, 2.5, 3]}),
        ("is_contained_in", ["b"], {"values": '01, "a, b", it\'s'}, {"column": "b", "values": ["01", "a, b", "it's"]}),
        ("is_contained_in", ["c"], {"values": "true"}, {"column": "c", "values": [True]}),
        ("is_in_range", ["t"], {"lower": "2024-01-01", "upper": ""}, {"column": "t", "lower": "2024-01-01"}),
        ("is_less_than", ["a"], {"other": "b"}, {"column": "a", "other": "b"}),
        ("has_pattern", ["b"], {"pattern": "^x+$"}, {"column": "b", "pattern": "^x+$"}),
        (
            "has",
            ["a"],
            {"metric": "mean", "lower": "> 1,000", "upper": "2e3"},
            {"measure": "mean", "columns": ["a"], "above": 1000, "at_most": 2000},
        ),
        ("has", [], {"metric": "row_count", "lower": "3", "upper": "3"}, {"measure": "row_count", "columns": [], "exactly": 3}),
        ("has", ["a"], {"metric": "mean", "lower": "≠ 5"}, {"measure": "mean", "columns": ["a"], "other_than": 5}),
        ("satisfies", [], {"condition": "a < 3"}, {"condition": "a < 3"}),
        ("refers_to", ["a"], {"table": "shops", "to": "code"}, {"columns": ["a"], "other": "shops", "to": ["code"]}),
        ("refers_to", ["a", "b"], {"table": "shops", "share": "99%"}, {"columns": ["a", "b"], "other": "shops", "at_least": 0.99}),
    ],
)  # fmt: skip
def test_what_is_typed_is_a_rule(choice: str, columns: list[str], typed: dict[str, str], record: dict[str, Any]) -> None:
    assert record_of(BY_NAME[choice], columns, KINDS, typed, "error") == {choice: record}
    assert record_of(BY_NAME[choice], columns, KINDS, typed, "warning")[choice]["level"] == "warning"


@pytest.mark.parametrize(
    ("choice", "columns", "typed", "error"),
    [
        ("is_contained_in", ["a"], {"values": "1, x"}, "'x' is not a number"),
        ("is_contained_in", ["c"], {"values": "maybe"}, "neither true nor false"),
        ("is_complete", ["a"], {"share": "many"}, "'many' is not a number"),
        ("has", ["a"], {"metric": "mean", "lower": "> x"}, "not a number"),
        ("has", ["a"], {"metric": "mean", "lower": "≠ 3", "upper": "4"}, "`≠` stands alone: leave 'To' empty"),
        ("has", ["a"], {"metric": "mean", "lower": "4", "upper": "≠ 3"}, "`≠` stands alone: leave 'From' empty"),
    ],
)
def test_what_is_typed_wrongly_is_said(choice: str, columns: list[str], typed: dict[str, str], error: str) -> None:
    with pytest.raises(ValueError, match=error):
        record_of(BY_NAME[choice], columns, KINDS, typed, "error")


@pytest.mark.parametrize("choice", [c for c in CHOICES if set(c.fields) & {"values", "pattern", "condition", "other", "metric", "lower"}])
def test_what_is_not_typed_yet_is_no_fault(choice: Any) -> None:
    with pytest.raises(UnfinishedError):
        record_of(choice, ["a", "b"][: choice.least], KINDS, {}, "error")


def test_values_are_between_commas() -> None:
    assert split_values(' a ,, "b, c" ,\nd') == ["a", "b, c", "d"]


def test_a_rule_is_tried_while_it_is_typed_and_saved_when_it_is_one() -> None:
    desk = drafted()
    desk.queue.reveal(CONSTRAINTS[1].key)
    rule = form(desk)
    rule.open()
    assert (rule.opened, rule.columns, rule.choice) == (True, ("amount",), "is_complete")
    assert rule.found.constraint.title == "amount is not null"
    rule.say("has")
    rule.type("metric", "mean")
    assert (rule.found, rule.problem) == (None, "")
    assert "bound" in rule.missing
    assert not rule.ready
    rule.type("lower", "> 10x")
    assert rule.problem.startswith("'10x' is not a number")
    rule.type("lower", "> 100")
    means = [orders(k)["amount"].to_numpy().mean() for k in range(20)]
    fired = [day(k) for k in range(20) if means[k] <= 100]
    assert list(rule.found.evidence.backtest.fired) == fired
    assert rule.found.latest == pytest.approx(means[-1])
    data = rule_chart(rule.found, desk.session.history)
    assert data is not None
    assert [batch for batch, bad in zip(data.batches, data.fired, strict=True) if bad] == fired
    rule.type("where", "amont > 0")
    assert "no column 'amont'" in rule.problem
    rule.save()
    assert not rules(desk)
    rule.type("where", "")
    rule.set_level("warning")
    rule.save()
    assert not rule.opened
    (item,) = rules(desk)
    assert (item.current.title, item.current.level, item.status) == ("mean of amount is above 100", "warning", "pending")
    assert desk.queue.cursor == item.suggestion.id
    desk.decisions.undo()
    assert not rules(desk)
    desk.decisions.redo()
    assert [again.suggestion.id for again in rules(desk)] == [item.suggestion.id]
    desk.decisions.accept([item.suggestion.id])
    desk.decisions.remove(item.suggestion.id)
    assert not rules(desk)
    desk.decisions.undo()
    assert [(again.suggestion.id, again.status) for again in rules(desk)] == [(item.suggestion.id, "pending")]


def test_a_contradiction_is_told_when_it_is_saved_and_the_form_stays() -> None:
    desk = drafted()
    rule = form(desk)
    for lower, upper in (("300", ""), ("", "200")):
        rule.open()
        rule.pick(())
        rule.say("has")
        rule.type("lower", lower)
        rule.type("upper", upper)
        rule.save()
    assert rule.opened
    assert "contradict each other" in rule.problem
    assert len(rules(desk)) == 1


def test_only_the_newest_question_is_answered_and_one_is_asked_at_a_time() -> None:
    waiting: list[tuple[Callable[[], Any], Callable[[Any], None]]] = []
    desk = drafted()
    rule = form(desk)
    rule.open()
    rule.pick(("amount",))
    rule.say("has")
    rule.type("metric", "mean")
    desk.session.run = lambda work, done: waiting.append((work, done))
    for text in ("1", "10", "101"):
        rule.type("lower", text)
    assert len(waiting) == 1
    work, done = waiting.pop()
    done(work())
    assert rule.found is None
    assert len(waiting) == 1
    work, done = waiting.pop()
    done(work())
    assert rule.found.constraint.lower == 101
    assert not waiting


def test_what_no_profile_has_is_measured_on_request() -> None:
    desk = drafted()
    rule, trying = form(desk), TryingState(desk.session)
    rule.open()
    rule.pick(("id", "country"))
    rule.say("is_unique")
    assert (rule.found.measured, rule.found.evidence.backtest) == (0, None)
    assert rule_chart(rule.found, desk.session.history) is None
    assert rule.check is not None
    trying.begin(rule.check)
    assert rule.found.measured == 20
    assert rule.found.latest == 1


def test_a_viewer_may_look_and_not_save() -> None:
    from tests.fakes.workspaces import config

    settings = config(people={"ann": "approver", "vic": "viewer"})
    desk = sit_down(FakeWorkspace(settings=settings).drafted(*CONSTRAINTS), "?pipeline=orders")
    desk.session.actor = "vic"
    rule = form(desk)
    rule.open()
    rule.pick(("id",))
    rule.say("is_complete")
    assert rule.refusal
    rule.save()
    assert "may not add rules" in rule.problem
    assert not rules(desk)


def test_hostile_names_and_values_stay_texts() -> None:
    desk = drafted()
    rule = form(desk)
    rule.open()
    rule.pick(("country",))
    rule.say("is_contained_in")
    rule.type("values", "<script>alert(1)</script>, O'Hara\\")
    assert rule.problem == ""
    assert (
        rule.found.constraint.measure.parameter("predicate")
        == "`country` IS NULL OR `country` IN ('<script>alert(1)</script>', 'O\\'Hara\\\\')"
    )


def test_a_rule_refers_to_another_table_of_avh_yml(tmp_path: Path) -> None:
    (tmp_path / "shops.csv").write_text("code,name\n1,x\n")
    shops = {"path": f"{tmp_path}/shops.csv", "format": "csv", "options": {"header": True}}
    desk = sit_down(FakeWorkspace(settings=config(pipeline={"references": {"shops": shops}})).drafted(*CONSTRAINTS), "?pipeline=orders")
    rule = form(desk)
    view = NewRuleView(rule, TryingState(desk.session))
    rule.open()
    rule.pick(("id",))
    rule.say("refers_to")
    assert (view.table.visible, list(view.table.options), view.fields["to"].visible) == (True, ["", "shops"], True)
    assert rule.missing == "The other table is missing."
    rule.type("table", "shops")
    assert "no column 'id' of the table 'shops'" in rule.problem
    rule.type("to", "code")
    assert (rule.problem, rule.ready) == ("", True)
    rule.save()
    assert [item.current.title for item in rules(desk)] == ["id refers to code of shops"]
    bare = form(drafted())
    bare.open()
    bare.pick(("id",))
    bare.say("refers_to")
    assert bare.missing == "No other table is known: name one in avh.yml, under `references:` of 'orders'."
