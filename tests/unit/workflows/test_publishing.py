"""Publishing: what is approved by whom, with which evidence; rolling back."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from avh_ui.constraints.codec import program_from_json, program_to_json
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.program import Program
from avh_ui.errors import (
    ConflictError,
    DeliveryError,
    NotFoundError,
    NothingChangedError,
    NotPermittedError,
    ProgramNotFoundError,
    UsageError,
)
from avh_ui.review.decision import Decision
from avh_ui.review.draft import Draft
from avh_ui.store.reviews_sql import ReviewsSql
from tests.fakes.workspaces import CONSTRAINTS, FakeWorkspace, config, day, orders

PEOPLE = {"rae": "reviewer", "app": "approver"}


def test_a_program_with_its_evidence() -> None:
    # The mean of batch amounts is near 100: below 100 on about half the batches.
    often = Constraint("amount", "mean", "numeric", 100.0, None, fpr=0.01)
    ws = FakeWorkspace().drafted(CONSTRAINTS[0], often)
    ws.decide("orders", [CONSTRAINTS[0].key], "accept", by="bob")
    ws.decide("orders", [often.key], "edit", lower=100.0, by="cy")
    program = ws.publish("orders", by="ann", message="  first  ")
    assert (program.version, program.author, program.message, len(program.sha256)) == (1, "ann", "first", 64)
    assert [(c.name, c.type) for c in program.schema.columns][:2] == [("id", "bigint"), ("amount", "double")]
    evidence = program.evidence
    assert evidence["history"] == {"first": day(0), "last": day(19), "batches": 20}
    assert evidence["decisions"] == {"accepted": 1, "edited": 1, "rejected": 0, "pending": 0, "by": ["bob", "cy"]}
    assert evidence["expected_alarms"]["per_year"] == pytest.approx(365.25 * 0.0101)
    quiet, loud = evidence["backtest"]
    assert (quiet["judged"], quiet["fired"]) == (20, [])
    assert 3 < len(loud["fired"]) < 17
    assert program_from_json(program_to_json(program)) == program
    assert ws.live("orders") == program


def test_levels_are_those_of_avh_yml() -> None:
    ws = FakeWorkspace(days=8, settings=config(pipeline={"severities": {"schema": "off", "level": "warning"}})).published()
    live = ws.program("orders")
    assert (live.schema.level, {c.level for c in live.constraints}) == ("off", {"warning"})


def test_nothing_accepted() -> None:
    ws = FakeWorkspace(days=8).drafted()
    ws.decide("orders", [CONSTRAINTS[0].key], "reject")
    with pytest.raises(UsageError, match=r"Nothing is accepted .* 4 suggestions wait"):
        ws.publish("orders", message="x")


def test_no_message() -> None:
    with pytest.raises(UsageError, match="message"):
        FakeWorkspace(days=8).published().publish("orders", message=" ")


def test_no_draft() -> None:
    with pytest.raises(NotFoundError, match="avh suggest"):
        FakeWorkspace(days=8).profiled().publish("orders", message="x")


@pytest.mark.parametrize("person", ["rae", "eve"])
def test_only_an_approver_publishes(person: str) -> None:
    ws = FakeWorkspace(days=8, settings=config(people=PEOPLE), actor="app").published()
    with pytest.raises(NotPermittedError, match=person):
        ws.publish("orders", by=person, message="x")
    with pytest.raises(NotPermittedError, match=person):
        ws.rollback("orders", 1, by=person, message="x")
    assert [p.version for p in ws.programs("orders")] == [1]


def test_rolling_back_publishes_the_old_document_anew() -> None:
    ws = FakeWorkspace(days=8).published()
    ws.decide("orders", [CONSTRAINTS[0].key], "reject")
    ws.publish("orders", message="less")
    with pytest.raises(UsageError, match="Say why version 1"):
        ws.rollback("orders", 1, message=" ")
    third = ws.rollback("orders", 1, message="too loud")
    assert (third.version, len(third.constraints), third.message) == (3, 5, "too loud")
    assert (third.evidence["rolled_back_from"], third.evidence["rolled_back_to"]) == (2, 1)
    assert [p.version for p in ws.programs("orders")] == [3, 2, 1]
    with pytest.raises(UsageError, match="live one already"):
        ws.rollback("orders", 3, message="x")
    with pytest.raises(ProgramNotFoundError):
        ws.rollback("orders", 9, message="x")


def test_nothing_published() -> None:
    ws = FakeWorkspace(days=0)
    assert (ws.live("orders"), ws.programs("orders")) == (None, [])
    with pytest.raises(ProgramNotFoundError):
        ws.program("orders")


def test_four_eyes_ask_for_somebody_who_has_decided_nothing() -> None:
    people = {"ann": "approver", "bob": "approver", "cy": "approver", "rae": "reviewer"}
    ws = FakeWorkspace(days=8, settings=config(people=people, pipeline={"four_eyes": True}), actor="ann").drafted()
    first, second, *_ = (c.key for c in CONSTRAINTS)
    ws.decide("orders", [first], "accept", by="ann")
    ws.decide("orders", [second], "reject", by="bob")
    for person in ("ann", "bob"):
        with pytest.raises(NotPermittedError, match=f"{person}.*has decided on this draft.*four_eyes.*Ask cy"):
            ws.publish("orders", by=person, message="mine")
    # Who takes a decision back has decided too, and only another's in its place frees them.
    ws.decide("orders", [second], "accept", by="rae")
    ws.decide("orders", [first], "reset", by="ann")
    with pytest.raises(NotPermittedError):
        ws.publish("orders", by="ann", message="mine")
    ws.decide("orders", [first], "accept", by="rae")
    assert ws.publish("orders", by="ann", message="rae's").author == "ann"
    ws.decide("orders", [first], "reject", by="ann")
    ws.publish("orders", by="cy", message="less")
    # What is rolled back to was approved when it was new.
    assert ws.rollback("orders", 1, by="ann", message="in a hurry").version == 3


def test_the_audit_log_says_who_did_what() -> None:
    ws = FakeWorkspace(days=8).drafted()
    ws.decide("orders", [CONSTRAINTS[0].key], "accept", by="bob", why="fits")
    ws.publish("orders", by="ann", message="first")
    ws.give_feedback("orders", day(3), CONSTRAINTS[0].key, "known_error", by="cy", why="vendor")
    ws.decide("orders", [CONSTRAINTS[1].key], "accept", by="bob")
    ws.publish("orders", message="second")
    ws.rollback("orders", 1, message="too loud")
    log = ws.audit("orders")
    assert [e.at[:19] for e in log] == sorted((e.at[:19] for e in log), reverse=True)
    subject = "“Between 300 and 500 rows a batch”"
    found = {(e.by, e.did, e.subject.partition(", ")[0], e.why) for e in log}
    assert found >= {
        ("bob", "accepted", subject, "fits"), ("ann", "published", "version 1", "first"),
        ("cy", "labelled known error", f"{subject} on {day(3)}", "vendor"), ("ann", "rolled back to version 1", "version 3", "too loud"),
    }  # fmt: skip


def test_columns_and_severities_are_changes_too() -> None:
    ws = FakeWorkspace(days=8)
    assert ws.drafted(CONSTRAINTS[0]).other_changes("orders") == ()
    ws.published()
    assert ws.other_changes("orders") == ()
    tables = ws.profiler.tables["orders"]
    table = tables[day(7)]
    assert table is not None
    tables[day(8)] = table.drop(["paid"]).append_column("new", table.column("id"))
    ws.profiled().drafted(CONSTRAINTS[0])
    ws.configure(config(pipeline={"severities": {"level": "warning"}}))
    found = ws.other_changes("orders")
    assert [sentence.split(";")[0] for sentence in found] == [
        "Column 'paid' is missing.", "Column 'new' is new", "Learned from 9 batches up to 2024-01-09", "Severity: error becomes warning.",
    ]  # fmt: skip


def test_what_enforces_the_same_is_published_only_when_somebody_asks_for_it() -> None:
    ws = FakeWorkspace(days=8).published()
    with pytest.raises(NothingChangedError, match="live version 1 does, so no version was made"):
        ws.publish("orders", message="once more")
    assert len(ws.programs("orders")) == 1
    assert ws.publish("orders", message="signed anew", again=True).version == 2
    # Learned from one more batch it is another version: its age begins anew.
    ws.profiler.tables["orders"][day(8)] = orders(8)
    ws.profiled().drafted()
    ws.decide("orders", [c.key for c in CONSTRAINTS], "accept")
    assert "Learned from 9 batches up to 2024-01-09; the live version from 8 up to 2024-01-08." in ws.other_changes("orders")
    assert ws.publish("orders", message="next week").version == 3


# The draft that was shown is the one that goes live


def digest(ws: FakeWorkspace) -> str:
    draft = ws.draft("orders")
    assert draft is not None
    return draft.digest


def test_only_the_draft_that_was_shown_is_published() -> None:
    ws = FakeWorkspace(days=8).drafted()
    ws.decide("orders", [c.key for c in CONSTRAINTS], "accept", by="bob")
    shown = digest(ws)
    ws.decide("orders", [CONSTRAINTS[1].key], "edit", lower=1.0, upper=999.0, by="bob")
    for given in (shown, shown[:12], shown.upper()):
        with pytest.raises(ConflictError, match=r"no longer the one that was shown.*bob changed a rule to “amount is 1 to 999 on average”"):
            ws.publish("orders", by="ann", message="as seen", draft=given)
    assert ws.live("orders") is None
    live = ws.publish("orders", by="ann", message="as seen", draft=digest(ws))
    assert live.evidence["draft"] == digest(ws)


def test_a_version_that_somebody_took_meanwhile_is_no_longer_published() -> None:
    ws = FakeWorkspace(days=8).published()
    ws.decide("orders", [CONSTRAINTS[0].key], "reject")
    ws.publish("orders", message="bob was first", version=2)
    with pytest.raises(ConflictError, match="next one is 3"):
        ws.publish("orders", message="second", draft=digest(ws), version=2)


def test_no_edit_slips_in_between_check_and_write(tmp_path: Path) -> None:
    """Two connections to one database: the reviewer's edit waits until the version is written."""
    mine, theirs = (ReviewsSql(f"sqlite:///{tmp_path / 'reviews.db'}") for _ in range(2))
    ws = FakeWorkspace(days=8, reviews=mine)
    ws.drafted()
    ws.decide("orders", [c.key for c in CONSTRAINTS], "accept", by="bob")
    edited, slipped = threading.Event(), []

    def edit() -> None:
        theirs.record("orders", [Decision(CONSTRAINTS[1].key, "edit", "bob", "2026-01-01", lower=1.0, upper=999.0)])
        edited.set()

    reviewer, publish = threading.Thread(target=edit), ws.store.publish

    def write_slowly(program: Program) -> Program:
        reviewer.start()
        slipped.append(edited.wait(0.1))
        return publish(program)

    ws.store.publish = write_slowly
    live = ws.publish("orders", by="ann", message="as seen", draft=digest(ws))
    reviewer.join()
    assert slipped == [False]
    assert next(c for c in live.constraints if c.metric == "mean").upper == CONSTRAINTS[1].upper
    assert digest(ws) != live.evidence["draft"]
    for store in (mine, theirs):
        store.close()


def test_an_edit_after_the_draft_was_read_is_not_published() -> None:
    """The version is made before the lock is taken: what is written under the lock must be what was made."""
    ws = FakeWorkspace(days=8).drafted()
    ws.decide("orders", [c.key for c in CONSTRAINTS], "accept", by="bob")
    held = ws.reviews.held

    @contextmanager
    def edited(pipeline: str) -> Iterator[Draft | None]:
        ws.decide("orders", [CONSTRAINTS[1].key], "edit", lower=1.0, upper=999.0, by="bob")
        with held(pipeline) as draft:
            yield draft

    ws.reviews.held = edited
    with pytest.raises(ConflictError, match=r"no longer the one that was shown.*bob changed a rule to “amount is 1 to 999 on average”"):
        ws.publish("orders", by="ann", message="as seen", draft=digest(ws))
    assert ws.live("orders") is None


def test_what_was_published_is_told_though_the_lock_was_lost() -> None:
    ws = FakeWorkspace(days=8).drafted()
    ws.decide("orders", [CONSTRAINTS[0].key], "accept")
    held = ws.reviews.held

    @contextmanager
    def lost(pipeline: str) -> Iterator[Draft | None]:
        with held(pipeline) as draft:
            yield draft
        raise DeliveryError("The review database could not be written: the server went away.")

    ws.reviews.held = lost
    assert ws.publish("orders", message="first").version == 1
