"""The audit log is a chain: whoever changes it past avh_ui is found out, whatever the clocks say."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from avh_ui.review.audit import AuditEntry, Chain, newest_first
from avh_ui.review.feedback import Feedback
from avh_ui.store.audit_log import START
from avh_ui.store.reviews_sql import ReviewsSql
from avh_ui.store.runs_sql import RunsSql
from tests.fakes.builders import run, suggestion
from tests.fakes.contracts import decide, note
from tests.fakes.workspaces import CONSTRAINTS, FakeWorkspace


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "reviews.db"


@pytest.fixture
def reviews(path: Path) -> Iterator[ReviewsSql]:
    """A run, four decisions, two notes and two entries of feedback, in this order; another pipeline beside it."""
    url = f"sqlite:///{path}"
    with closing(ReviewsSql(url)) as reviews, closing(RunsSql(url)) as runs:
        for pipeline in ("p", "q"):
            reviews.save_run(run(suggestion("s1", pipeline=pipeline), suggestion("s2", pipeline=pipeline), pipeline=pipeline))
            for one in (decide("s1"), decide("s2", "reject"), decide("s1", "edit", lower=0.1, upper=None), decide("s2", by="\udc80")):
                reviews.record(pipeline, [one])
            reviews.note(pipeline, [note("s1", "hm\0"), note("s1", "bob", "assign")])
            for action in ("known_error", "snooze"):
                runs.give(pipeline, Feedback("b1", "key", action, "ann", "2026-01-01"))  # type: ignore[arg-type]
        yield reviews


def past_avh(path: Path, *statements: str) -> None:
    """What somebody with a SQLite client can do: nothing is refused to them."""
    with closing(sqlite3.connect(path)) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def test_a_log_that_nobody_touched_is_whole(reviews: ReviewsSql) -> None:
    chain = reviews.chain("p")
    assert [kind for kind, _ in chain.places] == ["run", *["decision"] * 4, *["note"] * 2, *["feedback"] * 2]
    assert reviews.check_audit("p", [(1, chain.last), (0, next(iter(chain.hashes)))]) == []
    assert (reviews.check_audit("q"), reviews.check_audit("nowhere", [(1, "x")])) == ([], [])


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE decisions SET by = 'eve' WHERE seq = 2", "decision 2 of 'p' was changed"),
        ("UPDATE decisions SET at = '2020-01-01' WHERE seq = 1", "decision 1 of 'p' was changed"),
        ("UPDATE decisions SET upper = 9 WHERE seq = 3", "decision 3 of 'p' was changed"),
        ("UPDATE decisions SET pipeline = 'q' WHERE seq = 3", "decision 3 of 'p' is missing"),
        ("UPDATE notes SET text = 'fine' WHERE seq = 1", "note 1 of 'p' was changed"),
        ("UPDATE feedback SET action = 'false_alarm' WHERE seq = 1", "feedback 1 of 'p' was changed"),
        ("UPDATE suggestions SET record = replace(record, '2.0', '9.0') WHERE run_id = 1 AND position = 0", "run 1 of 'p' was changed"),
        ("UPDATE feedback SET until = '2030-01-01' WHERE seq = 2", "feedback 2 of 'p' was changed"),
        ("UPDATE runs SET record = replace(record, '0.001', '0.5') WHERE id = 1", "run 1 of 'p' was changed"),
        ("DELETE FROM suggestions WHERE run_id = 1 AND position = 1", "run 1 of 'p' was changed"),
        ("DELETE FROM decisions WHERE seq = 2", "decision 2 of 'p' is missing"),
        ("DELETE FROM decisions WHERE seq = 4", "decision 4 of 'p' is missing"),
        (
            "INSERT INTO decisions (run_id, pipeline, suggestion_id, action, by, at, why) VALUES (1, 'p', 's1', 'accept', 'ann', '', '')",
            "decision 9 of 'p' was put in past avh_ui",
        ),
        ("DELETE FROM links WHERE seq = 4", "does not follow on what stands before it"),
        ("UPDATE links SET seq = 1000 WHERE seq = 2", "does not follow on what stands before it"),
    ],
)
def test_whatever_is_changed_is_found(reviews: ReviewsSql, path: Path, statement: str, found: str) -> None:
    past_avh(path, statement)
    assert any(found in problem for problem in reviews.check_audit("p")), reviews.check_audit("p")


def test_a_decision_that_is_deleted_with_its_link_leaves_a_gap(reviews: ReviewsSql, path: Path) -> None:
    past_avh(path, "DELETE FROM decisions WHERE seq = 2", "DELETE FROM links WHERE kind = 'decision' AND entry = 2")
    assert [problem for problem in reviews.check_audit("p") if "decision 3 of 'p' does not follow" in problem]


def test_an_end_that_was_cut_shows_by_the_published_versions(reviews: ReviewsSql, path: Path) -> None:
    anchors = [(1, reviews.chain("p").last)]
    past_avh(path, "DELETE FROM feedback WHERE seq = 2", "DELETE FROM links WHERE kind = 'feedback' AND entry = 2")
    assert reviews.check_audit("p") == []
    (problem,) = reviews.check_audit("p", anchors)
    assert "Version 1 of 'p' was published when the audit log ended with" in problem


def test_no_two_links_follow_on_one(reviews: ReviewsSql, path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, pytest.raises(sqlite3.IntegrityError, match="UNIQUE"):
        connection.execute(f"INSERT INTO links (pipeline, kind, entry, previous, sha256) VALUES ('p', 'note', 99, '{START}', '')")


def test_writers_at_once_keep_one_chain(path: Path) -> None:
    url, start = f"sqlite:///{path}", threading.Barrier(4)
    stores = [(ReviewsSql(url), RunsSql(url)) for _ in range(4)]
    stores[0][0].save_run(run(suggestion("s1")))

    def write(k: int) -> None:
        reviews, runs = stores[k]
        start.wait()
        for n in range(5):
            reviews.record("p", [decide("s1", by=f"{k}")])
            reviews.note("p", [note("s1", f"{k} {n}")])
            runs.give("p", Feedback("b1", "key", "false_alarm", f"{k}", "2026-01-01"))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert stores[0][0].check_audit("p") == []
    assert len(stores[0][0].chain("p").places) == 1 + 4 * 5 * 3
    for pair in stores:
        for store in pair:
            store.close()


# The order of writing


def test_the_log_is_read_in_the_order_of_writing_whatever_the_clocks_say(path: Path) -> None:
    with closing(ReviewsSql(f"sqlite:///{path}")) as reviews:
        ws = FakeWorkspace(days=8, reviews=reviews)
        ws.drafted()
        reviews.record("orders", [replace(decide(CONSTRAINTS[0].key), at="2040-01-01T00:00:00+00:00", by="ahead")])
        reviews.record("orders", [replace(decide(CONSTRAINTS[1].key), at="1999-01-01T00:00:00+00:00", by="behind")])
        first = ws.publish("orders", by="ann", message="first")
        reviews.note("orders", [replace(note(CONSTRAINTS[0].key, "after"), at="1980-01-01T00:00:00+00:00", by="later")])
        second = ws.publish("orders", by="ann", message="second", again=True)
        assert [e.by for e in ws.audit("orders")] == ["ann", "later", "ann", "behind", "ahead", ""]
        assert (first.evidence["audit"], second.evidence["audit"]) == tuple(list(reviews.chain("orders").hashes)[-2:])
        assert ws.check_audit("orders") == []


def test_what_no_chain_knows_goes_by_its_time() -> None:
    known = [AuditEntry(f"2026-01-0{k}", "", f"d{k}", "", log="decision", number=k) for k in (1, 3)]
    program = AuditEntry("2026-01-02", "", "published", "", log="program", number=1)
    chain = Chain({("decision", 1): 1, ("decision", 3): 2})
    assert [e.did for e in newest_first([program, *known], chain)] == ["d3", "published", "d1"]
    assert [e.did for e in newest_first([program, *known])] == ["d3", "published", "d1"]


def test_thousands_are_decided_at_once(path: Path) -> None:
    many = [suggestion(f"s{k}", column=f"c{k}") for k in range(2_500)]
    with closing(ReviewsSql(f"sqlite:///{path}")) as reviews:
        reviews.save_run(run(*many))
        reviews.record("p", [decide(s.id) for s in many])
        assert (len(reviews.chain("p").places), reviews.check_audit("p")) == (2_501, [])
