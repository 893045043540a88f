"""Groups, filters, value, skipping, bulk previews, redo, comments, assignment and suggesting anew: the state without a browser."""

from __future__ import annotations

from dataclasses import replace

import pytest

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromPerson, FromRelation
from avh_ui.errors import CancelledError, SourceError
from avh_ui.metrics.analyzers import compliance
from avh_ui.metrics.profiler import Watch
from avh_ui.review.draft import Draft, DraftItem
from avh_ui.review.suggestion import Suggestion, SuggestionRun
from avh_ui.ui.state.budget import alarms_per_year, preview
from avh_ui.ui.state.grouping import QueueGroup, QueueGrouping, named_shortly
from avh_ui.ui.state.jobs import SuggestingState
from avh_ui.ui.state.notes import NotesState
from avh_ui.ui.state.queue import PAGE_SIZE, PARTS, value_of
from avh_ui.ui.state.rows import group_row, table_row
from avh_ui.workflows.suggestions import Suggestions
from avh_ui.workspace import Workspace
from tests.fakes.demo_workspace import demo_run, demo_workspace
from tests.fakes.reviews import FakeReviews
from tests.unit.ui.conftest import Desk, sit_down


def group(desk: Desk, label: str) -> QueueGroup:
    return next(line for line in desk.queue.on_page if isinstance(line, QueueGroup) and line.label == label)


# Groups


def test_groups_hold_every_item_once_and_open_where_asked(desk: Desk) -> None:
    queue, everything = desk.queue, set(desk.queue.visible)
    for by in ("column", "metric", "evidence"):
        queue.group = by
        assert all(isinstance(line, QueueGroup) for line in queue.on_page)
        assert set(queue.visible) == everything
        assert len(queue.visible) == len(everything)
    queue.group = "metric"
    complete = group(desk, "complete_ratio")
    assert {item.current.metric for item in complete.items} == {"complete_ratio"}
    queue.toggle(complete.key)
    at = queue.lines.index(complete.key)
    assert queue.lines[at + 1 : at + 1 + len(complete.ids)] == complete.ids
    queue.go(complete.ids[0])
    queue.toggle()
    assert queue.cursor == complete.key
    assert complete.ids[0] not in queue.lines
    queue.group = ""
    assert queue.lines == queue.visible


def test_the_key_goes_round_the_groupings(desk: Desk) -> None:
    seen = []
    for _ in range(5):
        desk.queue.regroup()
        seen.append(desk.queue.group)
    assert seen == ["column", "metric", "evidence", "meaning", ""]


def test_evidence_puts_together_what_enforces_the_same(desk: Desk) -> None:
    desk.queue.group = "evidence"
    whole = group(desk, "complete_ratio = 100%")
    assert len(whole.items) >= 2
    assert whole.note == f"{len(whole.items)} columns"


def test_a_group_is_decided_and_undone_as_one(desk: Desk) -> None:
    desk.queue.group = "metric"
    complete = group(desk, "complete_ratio")
    desk.queue.go(complete.key)
    assert desk.queue.targets == complete.ids
    assert desk.evidence.item.suggestion.id == complete.ids[0]
    desk.decisions.accept()
    assert {desk.item(i).status for i in complete.ids} == {"accepted"}
    # On to the next group, which is closed as this one is.
    assert desk.queue.on_group is not None
    assert desk.queue.cursor != complete.key
    desk.decisions.undo()
    assert {desk.item(i).status for i in complete.ids} == {"pending"}
    assert desk.queue.cursor == complete.key


def test_two_people_on_one_group_lose_nothing() -> None:
    workspace = demo_workspace()
    ada, bob = sit_down(workspace), sit_down(workspace)
    for desk in (ada, bob):
        desk.queue.group = "metric"
    complete = group(ada, "complete_ratio")
    for desk in (ada, bob):
        desk.queue.go(complete.key)
    ada.decisions.reject([complete.ids[1]])
    bob.decisions.accept()
    assert bob.session.notice.tone == "warning"
    assert [ada.item(i).status for i in complete.ids[:3]] == ["pending", "rejected", "pending"]


def test_ticking_a_group_ticks_its_items(desk: Desk) -> None:
    queue = desk.queue
    queue.group = "metric"
    first, second = (line for line in queue.on_page[:2] if isinstance(line, QueueGroup))
    queue.check(first.key)
    assert set(queue.checked) == set(first.ids)
    queue.check(second.key, through=True)
    assert set(queue.checked) == {*first.ids, *second.ids}
    queue.check(first.key)
    assert set(queue.checked) == set(second.ids)
    assert queue.targets == second.ids


def test_an_address_of_an_item_in_a_closed_group_opens_it(desk: Desk) -> None:
    desk.queue.group = "metric"
    wanted = group(desk, "complete_ratio").ids[1]
    desk.queue.reveal(wanted)
    assert desk.queue.cursor == wanted


def test_a_groups_line_sums_up(desk: Desk) -> None:
    desk.queue.group = "metric"
    complete = group(desk, "complete_ratio")
    desk.decisions.accept([complete.ids[0]])
    row = group_row(group(desk, "complete_ratio"), opened=False)
    assert dict(row["statuses"]) == {"pending": len(complete.ids) - 1, "accepted": 1}
    assert row["source"] == "history"
    assert row["ids"] == list(complete.ids)


# Filters and order


def test_filters_by_source_metric_column_and_person(desk: Desk) -> None:
    queue = desk.queue
    queue.metric = "complete_ratio"
    assert {i.current.metric for i in queue.shown} == {"complete_ratio"}
    queue.column = "note"
    assert [(i.current.column, i.current.metric) for i in queue.shown] == [("note", "complete_ratio")]
    queue.source = "corpus"
    assert queue.visible == ()
    assert queue.filtered
    queue.clear()
    assert not queue.filtered
    assert queue.choices("source") == {"history": len(queue.visible)}
    assert next(iter(queue.choices("metric").values())) == max(queue.choices("metric").values())
    desk.workspace.assign("orders", queue.visible[:2], "bob")
    desk.session.refresh()
    queue.person = "bob"
    assert len(queue.visible) == 2


def test_value_is_what_only_it_catches_per_false_alarm(desk: Desk) -> None:
    desk.queue.sort_by("value")
    values = [value_of(i) for i in desk.queue.shown]
    assert values == sorted(values, reverse=True)
    assert desk.queue.descending
    desk.queue.sort_by("value")
    assert not desk.queue.descending
    desk.queue.sort_by("value")
    assert desk.queue.sort == ""


def test_another_pipeline_has_other_filters(desk: Desk) -> None:
    desk.queue.param.update(metric="complete_ratio", group="metric")
    desk.session.choose("hostile")
    assert desk.queue.metric == ""
    assert desk.queue.visible


# Skip, undo, redo


def test_what_is_skipped_comes_back_last(desk: Desk) -> None:
    first, second, third = desk.queue.visible[:3]
    desk.decisions.skip()
    assert desk.queue.cursor == second
    assert desk.item(first).status == "pending"
    desk.queue.go(third)
    desk.decisions.accept([i for i in desk.queue.visible if i not in (first, third)])
    desk.decisions.accept([third])
    assert desk.queue.cursor == first
    assert desk.workspace.decisions("orders")[0].suggestion_id != first


def test_redo_does_again_what_was_undone(desk: Desk) -> None:
    a, b = desk.queue.visible[:2]
    desk.decisions.edit(a, 1.0, 2.0)
    desk.decisions.reject([b])
    for _ in range(2):
        desk.decisions.undo()
    assert (desk.item(a).status, desk.item(b).status) == ("pending", "pending")
    assert desk.decisions.can_redo
    for _ in range(2):
        desk.decisions.redo()
    assert (desk.item(a).status, desk.item(a).current.upper, desk.item(b).status) == ("edited", 2.0, "rejected")
    assert not desk.decisions.can_redo
    desk.decisions.undo()
    desk.decisions.redo()
    desk.decisions.undo()
    assert desk.item(b).status == "pending"
    desk.decisions.redo()
    assert desk.item(b).status == "rejected"
    # Nothing was taken out of the log.
    assert len(desk.workspace.decisions("orders")) == 10


def test_a_new_decision_ends_what_could_be_done_again(desk: Desk) -> None:
    desk.decisions.accept()
    desk.decisions.undo()
    desk.decisions.reject()
    assert not desk.decisions.can_redo
    desk.decisions.redo()
    assert "Nothing to do again" in desk.session.said


def test_redo_does_not_overwrite_what_somebody_decided_meanwhile() -> None:
    workspace = demo_workspace()
    ada, bob = sit_down(workspace), sit_down(workspace)
    first = ada.queue.cursor
    ada.decisions.accept()
    ada.decisions.undo()
    bob.session.refresh()
    bob.decisions.reject([first])
    ada.decisions.redo()
    assert ada.item(first).status == "rejected"
    assert ada.session.notice.tone == "warning"


# Bulk


def test_a_preview_is_what_comes_of_it(desk: Desk) -> None:
    ids = desk.queue.visible[:4]
    desk.decisions.accept(ids[:2])
    found = preview(desk.session.draft, ids[1:4], "daily")
    assert (found.items, found.now.constraints, found.accepted.constraints, found.rejected.constraints) == (3, 2, 4, 1)
    desk.decisions.accept(ids[1:4])
    assert found.accepted.alarms == alarms_per_year(desk.session.draft.accepted(), "daily")
    desk.decisions.reject(ids[1:4])
    assert found.rejected.alarms == alarms_per_year(desk.session.draft.accepted(), "daily")


# Comments and assignment


def test_a_comment_is_shown_and_decides_nothing(desk: Desk) -> None:
    notes, first = NotesState(desk.session, desk.queue), desk.queue.cursor
    assert notes.comment(" <b>why</b> so tight? ")
    assert [(n.by, n.text) for n in notes.comments] == [("ada", "<b>why</b> so tight?")]
    assert desk.item(first).status == "pending"
    assert desk.queue.cursor == first
    row = table_row(desk.queue.item, None, drawn=False)  # type: ignore[arg-type]
    assert (row["comments"], row["comments_title"]) == (1, "1 comment, the last by ada")
    assert not notes.comment("  ")


def test_a_comment_is_of_all_that_is_ticked(desk: Desk) -> None:
    notes, ids = NotesState(desk.session, desk.queue), desk.queue.visible[2:5]
    desk.queue.checked = ids
    notes.comment("as discussed")
    assert [len(desk.item(i).comments) for i in ids] == [1, 1, 1]
    assert desk.queue.checked == ids


def test_the_later_of_two_assigners_is_told_and_sees_who_was_first() -> None:
    workspace = demo_workspace()
    ada, bob = sit_down(workspace), sit_down(workspace)
    hers, his = (NotesState(desk.session, desk.queue) for desk in (ada, bob))
    assert hers.assign("cy")
    assert not his.assign("di")
    assert bob.session.notice.tone == "warning"
    assert "cy" in bob.session.notice.text
    assert his.assignee == "cy"
    # A comment meanwhile takes nothing from anybody.
    assert hers.comment("mine")
    assert his.assign("di")
    ada.session.refresh()
    assert (hers.assignee, len(hers.comments)) == ("di", 1)
    assert set(hers.people) == {"ada", "di"}


def test_only_people_who_can_decide_are_offered() -> None:
    desk = sit_down(demo_workspace(people={"ada": "approver", "rae": "reviewer", "vic": "viewer"}))
    notes = NotesState(desk.session, desk.queue)
    assert notes.people == ["ada", "rae"]
    assert not notes.assign("vic")
    assert desk.session.notice.tone == "error"


# Suggesting anew


class Slow(Suggestions):
    """Suggests what it is told to."""

    def __init__(self, service: Suggestions, outcome: SuggestionRun | Exception) -> None:
        vars(self).update(vars(service))
        self.outcome = outcome

    def suggest(self, pipeline: str, *, watch: Watch | None = None, **_: object) -> Draft:  # type: ignore[override]
        assert watch is not None
        watch.report(1, 4, "programming amount")
        if isinstance(self.outcome, Exception):
            raise self.outcome
        self._reviews.save_run(self.outcome)
        draft = self.draft(pipeline)
        assert draft is not None
        return draft


def slow(outcome: SuggestionRun | Exception) -> Workspace:
    """A workspace that suggests so."""
    workspace = demo_workspace()
    workspace.services.suggestions = Slow(workspace.services.suggestions, outcome)
    return workspace


def test_suggesting_anew_keeps_what_was_decided() -> None:
    run = demo_run()
    desk = sit_down(slow(replace(run, suggestions=run.suggestions[:-3], last_batch="2025-12-31")))
    desk.decisions.accept(desk.queue.visible[:2])
    desk.decisions.reject([desk.queue.visible[-1]])
    state = SuggestingState(desk.session)
    state.start()
    assert not state.busy
    assert desk.session.draft.run.last_batch == "2025-12-31"
    assert [desk.item(i).status for i in desk.queue.visible[:3]] == ["accepted", "accepted", "pending"]
    assert "2 decisions kept, 1 to look at again" in desk.session.notice.text


@pytest.mark.parametrize(("error", "tone"), [(CancelledError("stopped"), "info"), (SourceError("it is gone"), "error")])
def test_what_fails_or_is_cancelled_leaves_the_draft(error: Exception, tone: str) -> None:
    desk = sit_down(slow(error))
    SuggestingState(desk.session).start()
    assert desk.session.notice.tone == tone
    assert len(desk.session.draft.items) == len(demo_run().suggestions)


def test_everybody_sees_the_progress_and_may_cancel() -> None:
    workspace = slow(demo_run())
    ada, bob = sit_down(workspace), sit_down(workspace)
    hers, his = SuggestingState(ada.session), SuggestingState(bob.session)
    later: list[object] = []
    ada.session.run = lambda work, done: later.append((work, done))  # type: ignore[assignment]
    hers.toggle()
    assert hers.busy
    assert his.busy
    his.start()  # nothing is begun twice
    assert len(later) == 1
    his.toggle()
    assert his.cancelling
    work, done = later[0]  # type: ignore[misc]
    done(work())
    assert not hers.busy
    assert not his.busy


# Size


def test_three_thousand_suggestions_are_paged_and_grouped() -> None:
    reviews, run = FakeReviews(), demo_run()
    many = [
        replace(s, id=f"{k:06x}{at:06x}", constraint=replace(s.constraint, column=f"{s.constraint.column}_{k}"))
        for k in range(60)
        for at, s in enumerate(run.suggestions)
    ]
    reviews.save_run(replace(run, suggestions=tuple(many)))
    desk = sit_down(demo_workspace(reviews=reviews, hostile=False))
    assert len(desk.queue.visible) == 60 * len(run.suggestions)
    assert len(desk.queue.on_page) == PAGE_SIZE
    desk.queue.group = "evidence"
    assert len(desk.queue.lines) == len({line.key for line in desk.queue._groups.values()})
    assert len(desk.queue.on_page) <= PAGE_SIZE
    biggest = max(desk.queue._groups.values(), key=lambda g: len(g.ids))
    desk.queue.go(biggest.key)
    desk.decisions.accept()
    draft = desk.session.draft
    assert draft is not None
    assert draft.count("accepted") == len(biggest.ids) >= 60


def test_what_columns_keep_together_is_called_by_them_in_groups_and_filters(desk: Desk) -> None:
    item = desk.session.draft.items[0]
    asked = compliance("`a` IS NULL OR `b` IS NULL OR (`a` <= `b`)")
    rule = Constraint(asked.subject, asked.name, "boolean", 1.0, None, measure=asked, origin="relation")
    evidence = FromRelation(method="relation", family="order", of=("a", "b"))
    related = replace(item, suggestion=replace(item.suggestion, constraint=rule, evidence=evidence))
    (found,) = QueueGrouping().groups([related], "column")
    assert (found.label, found.note) == ("a, b", "")
    (found,) = QueueGrouping().groups([related], "metric")
    assert found.note == "a, b"
    assert PARTS["column"](related) == "a, b"


def test_a_rule_on_many_columns_names_some_of_them_and_how_many_there_are() -> None:
    names = [f"column_{k}" for k in range(9)]
    constraint = Constraint(", ".join(names), "compliance", "numeric", 1.0, 1.0, origin="relation")
    said = {
        n: named_shortly(DraftItem(Suggestion("s", "p", constraint, FromRelation(family="nulls", of=tuple(names[:n])))))
        for n in (1, 4, 5, 9)
    }
    assert said[1] == "column_0"
    assert said[4] == "column_0, column_1, column_2, column_3"
    assert said[5] == "column_0, column_1, column_2 and 2 more"
    assert said[9] == "column_0, column_1, column_2 and 6 more"


@pytest.mark.parametrize(
    ("rule", "named"),
    [
        (c.is_in_range("amount", 1, 50), "amount"),
        (c.satisfies("quantity > 0 AND price < 90", where="country = 'DE'"), "quantity, price"),
        (c.is_less_than("a", "b"), "a, b"),
        (c.is_complete("a", where="b > 1"), "a"),
        (c.satisfies(" + ".join(f"c{k}" for k in range(6)) + " > 0"), "c0, c1, c2 and 3 more"),
        (c.refers_to("sku", "skus"), "sku"),
        (c.has_column("vat"), "vat"),
        (c.custom_sql("SELECT count(*) FROM batch", above=1), "(table)"),
    ],
)
def test_a_rule_of_a_person_is_listed_by_its_columns_and_not_by_its_sentence(rule: Check, named: str) -> None:
    assert named_shortly(DraftItem(Suggestion("s", "p", rule.constraint(), FromPerson(by="ann")))) == named
