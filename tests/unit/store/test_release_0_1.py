"""What release 0.1.0 wrote is read, verified, validated with and shown. `tests/data/release_0_1/make.py` says how it was made."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import avh_ui
from avh_ui.cli.main import cli
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.metrics.segment import Segment
from avh_ui.store.program_files import ProgramFiles
from avh_ui.store.signing import KeyRing
from avh_ui.workspace import Workspace
from tests.data.release_0_1.make import BATCHES, constraints, table
from tests.fakes.ports import free_port

DATA = Path(__file__).parents[2] / "data"
WRITTEN = DATA / "release_0_1"


@pytest.fixture(params=["release_0_1", "before_measures"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy: opening a database may upgrade it. The second was made by the same steps before a constraint named its measure."""
    shutil.copytree(DATA / request.param, tmp_path / "ws")
    return tmp_path / "ws"


@pytest.fixture
def ws(root: Path) -> Workspace:
    return avh_ui.open(root)


def test_history_with_segments(ws: Workspace) -> None:
    history = ws.history("orders")
    assert history.batches == BATCHES
    kinds = {name: column.kind for name, column in history.columns.items()}
    assert {kinds[name] for name in ("id", "items", "amount", "price")} == {"numeric"}
    assert {kinds[name] for name in ("country", "code")} == {"string"}
    assert {"paid", "day", "at"} <= kinds.keys()
    assert list(history.rows) == [40, 40, 40]
    assert list(history.column("id").series("min")) == [0, 1_000, 2_000]
    assert history.column("amount").series("mean") == pytest.approx([11.4625, 11.46875, 11.475])
    assert history.column("items").series("complete_ratio") == pytest.approx([35 / 40] * 3)
    assert history.column("country").series("js_div")[1:] == pytest.approx([0, 0])
    assert [segment.label for segment in ws.segments("orders")] == ["country=DE", "country=FR", Segment((("country", None),)).label]
    assert list(ws.history("orders", segment="country=FR").rows) == [13, 13, 13]
    assert ws.view("orders", span=f"{BATCHES[0]}..{BATCHES[2]}").rows == 120


def test_programs_are_the_published_ones(ws: Workspace, root: Path) -> None:
    newest, first = ws.programs("orders")
    assert (newest.version, first.version, newest.message, first.message) == (2, 1, "with tax", "first version")
    assert not first.signature
    assert newest.public_key in KeyRing(root / "keys").trusted()
    assert [c.key for c in newest.constraints] == [c.key for c in constraints() if c.metric != "js_div"]
    assert next(c for c in newest.constraints if c.metric == "mean").upper == 14.0
    assert isinstance(next(c for c in newest.constraints if c.column == "code"), PatternConstraint)
    signed = ProgramFiles(str(root / "programs"), require_signature=True, keys=KeyRing(root / "keys"))
    assert signed.load("orders").sha256 == newest.sha256


def test_a_batch_is_judged_by_them(root: Path) -> None:
    stores = {"programs": root / "programs", "history": root / "history"}
    run = avh_ui.validate(table(3), pipeline="orders", batch="2026-01-04", **stores)
    assert (run.status, run.program_version, len(run.verdicts)) == ("pass", 2, 5)
    bad = avh_ui.validate(table(4).slice(0, 20), pipeline="orders", batch="2026-01-05", **stores, store=False)
    assert [v.constraint.metric for v in bad.verdicts if v.status == "fail"] == ["row_count"]


def test_reviews_runs_and_feedback_are_shown(ws: Workspace) -> None:
    draft = ws.draft("orders")
    assert draft is not None
    assert [item.status for item in draft.items] == ["accepted", "edited", "accepted", "rejected", "accepted", "accepted"]
    assert draft.items[1].current.upper == 14.0
    assert [note.text for note in draft.items[1].comments] == ["is this with tax?"]
    assert draft.items[3].assignee == "ann"
    assert draft.run.settings is not None
    assert draft.run.settings.own == {"amount": 0.002}
    good, bad = ws.runs("orders")
    assert (good.batch, good.status, bad.batch, bad.status) == ("2026-01-03", "pass", "2026-01-04", "fail")
    assert "20" in next(v.message for v in ws.run("orders", bad.id).verdicts if v.status == "fail")
    assert [entry.action for entry in ws.feedback("orders")] == ["real_issue", "snooze"]
    assert ws.excluded("orders") == ["2026-01-04"]
    said = [(entry.by, entry.did) for entry in ws.audit("orders")]
    assert len(said) == 14
    assert {("cleo", "took other settings"), ("bob", "edited"), ("bob", "snoozed"), ("ann", "published")} <= set(said)


def test_everything_can_be_added_to(ws: Workspace) -> None:
    draft = ws.draft("orders")
    assert draft is not None
    ws.decide("orders", [draft.items[3].suggestion.id], "accept", by="ann", why="they stay after all")
    assert ws.publish("orders", by="ann", message="third").version == 3
    assert [program.version for program in ws.programs("orders")] == [3, 2, 1]


def test_the_commands_show_them(root: Path) -> None:
    for command in (["programs", "verify"], ["programs", "show", "orders", "1"], ["history", "orders"]):
        answer = CliRunner().invoke(cli, [*command, "-w", str(root)])
        assert answer.exit_code == 0, answer.output


def test_the_audit_log_is_chained_from_here_on(root: Path, ws: Workspace) -> None:
    assert ws.check_audit("orders") == []
    with closing(sqlite3.connect(root / "reviews.db")) as connection:
        links = connection.execute("SELECT kind, count(*) FROM links GROUP BY kind ORDER BY kind").fetchall()
        assert links == [("decision", 7), ("feedback", 2), ("note", 2), ("run", 1)]
        connection.executescript("DROP TRIGGER decisions_no_update; UPDATE decisions SET by = 'ann' WHERE by = 'bob'")
    assert [problem.split(" of ")[0] for problem in ws.check_audit("orders")] == [
        "In the audit log decision 6", "In the audit log decision 7"
    ]  # fmt: skip
    for command in (["programs", "verify"], ["programs", "verify", "--json"], ["doctor", "--port", str(free_port())]):
        answer = CliRunner().invoke(cli, [*command, "-w", str(root)])
        assert answer.exit_code == (1 if command[0] == "doctor" else 3), answer.output
        assert "decision 6 of 'orders' was changed after it was written" in answer.output


def test_a_version_that_was_deleted_is_missed(root: Path, ws: Workspace) -> None:
    def avh(*words: str) -> Result:
        return CliRunner().invoke(cli, [*words, "-w", str(root)])

    ws.rollback("orders", 1, by="ann", message="too loud")
    (root / "programs" / "orders" / "v000003.json").unlink()
    told = avh("validate", "orders", "--batch", BATCHES[2], "--format", "json")
    assert (told.exit_code, "Version 3 of 'orders' was published and is missing" in told.stderr) == (3, True)
    assert avh("programs", "list", "orders").exit_code == 3
    answer = avh("programs", "verify", "orders", "--json")
    assert answer.exit_code == 3
    assert [(v["version"], v["valid"]) for v in json.loads(answer.stdout)] == [(1, True), (2, True), (3, False)]
    text = avh("programs", "verify")
    assert (text.exit_code, "BAD Version 3 of 'orders' is missing" in text.stdout) == (3, True)
    (root / "programs" / "orders" / "head.json").unlink()
    assert avh("programs", "verify").exit_code == 0


def test_the_fixture_is_that_releases() -> None:
    """Nobody has opened the database of the fixture itself, which would have upgraded it."""
    with sqlite3.connect(f"file:{WRITTEN / 'reviews.db'}?mode=ro&immutable=1", uri=True) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchall() == [("0004",)]
    connection.close()
