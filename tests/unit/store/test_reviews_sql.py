"""The review database on SQLite: opening, upgrading, damage and several processes."""

from __future__ import annotations

import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from avh_ui.errors import AvhError, ConfigError, ConflictError, ConstraintError, DeliveryError, NewerVersionError
from avh_ui.store.database import remedy_of
from avh_ui.store.reviews_schema import METADATA, open_engine
from avh_ui.store.reviews_sql import ReviewsSql
from avh_ui.store.revision import NEWEST
from avh_ui.store.upgrading import known
from tests.fakes.builders import run, suggestion
from tests.fakes.contracts import decide, note

ROOT = Path(__file__).parents[3]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "reviews.db"


def opened(path: Path) -> closing[ReviewsSql]:
    return closing(ReviewsSql(f"sqlite:///{path}"))


def test_everything_is_there_after_opening_again(path: Path) -> None:
    with opened(path) as reviews:
        reviews.save_run(run(suggestion("s1")))
        made = reviews.record("p", [decide("s1")])
    with opened(path) as reviews:
        assert reviews.log("p") == made


def test_the_file_is_in_wal_mode_with_foreign_keys(path: Path) -> None:
    with opened(path):
        engine = open_engine(f"sqlite:///{path}")
        with engine.connect() as connection:
            pragmas = [connection.exec_driver_sql(f"PRAGMA {p}").scalar() for p in ("journal_mode", "foreign_keys", "busy_timeout")]
        engine.dispose()
    assert pragmas == ["wal", 1, 30_000]


def test_decisions_cannot_be_changed(path: Path) -> None:
    with opened(path) as reviews:
        reviews.save_run(run(suggestion("s1")))
        reviews.record("p", [decide("s1")])
        with closing(sqlite3.connect(path)) as connection:
            for statement in ("UPDATE decisions SET action = 'reject'", "DELETE FROM decisions"):
                with pytest.raises(sqlite3.IntegrityError, match="only ever added"):
                    connection.execute(statement)
                connection.rollback()


def test_earlier_runs_and_their_decisions_are_kept(path: Path) -> None:
    with opened(path) as reviews:
        reviews.save_run(run(suggestion("s1")))
        reviews.record("p", [decide("s1")])
        reviews.save_run(run(suggestion("s2")))
        assert reviews.log("p") == []
        with closing(sqlite3.connect(path)) as connection:
            counts = [connection.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in ("runs", "suggestions", "decisions")]
    assert counts == [2, 2, 1]


def test_two_suggestions_of_one_id_are_refused(path: Path) -> None:
    with opened(path) as reviews:
        with pytest.raises(ConstraintError, match="two suggestions with the id 's1'"):
            reviews.save_run(run(suggestion("s1"), suggestion("s1")))
        assert reviews.draft("p") is None


def test_a_conflict_says_who_decided_what(path: Path) -> None:
    with opened(path) as reviews, opened(path) as other:
        reviews.save_run(run(suggestion("s1", column="delay")))
        other.record("p", [decide("s1", "reject", by="bob", why="too tight")], {"s1": 0})
        said = r"bob has meanwhile decided on “delay is 1 to 2 on average”: it is rejected now \(too tight\)"
        with pytest.raises(ConflictError, match=said):
            reviews.record("p", [decide("s1")], {"s1": 0})


# Schema


def test_the_newest_revision_is_the_last_migration() -> None:
    assert max(known()) == NEWEST


def test_the_migrations_make_what_the_tables_say(path: Path) -> None:
    with opened(path):
        engine = open_engine(f"sqlite:///{path}")
        with engine.connect() as connection:
            found = compare_metadata(MigrationContext.configure(connection), METADATA)
        engine.dispose()
    # Indexes and the uniqueness live in the migrations alone.
    assert [d for d in found if d[0] not in ("remove_index", "remove_constraint")] == []


def test_a_database_from_before_notes_gets_them_and_keeps_what_it_has(path: Path) -> None:
    with opened(path) as reviews:
        reviews.save_run(run(suggestion("s1")))
        reviews.record("p", [decide("s1")])
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("DROP TABLE notes; DROP TABLE links; ALTER TABLE validations DROP COLUMN partition")
        connection.executescript("ALTER TABLE validations DROP COLUMN quiet")
        connection.executescript("UPDATE alembic_version SET version_num = '0003'")
    with opened(path) as reviews:
        reviews.note("p", [note("s1", "after the upgrade")])
        draft = reviews.draft("p")
    assert draft is not None
    assert (draft.item("s1").status, [n.text for n in draft.item("s1").comments]) == ("accepted", ["after the upgrade"])


def test_notes_are_only_ever_added(path: Path) -> None:
    with opened(path) as reviews:
        reviews.save_run(run(suggestion("s1")))
        reviews.note("p", [note("s1", "said")])
    with closing(sqlite3.connect(path)) as connection:
        for statement in ("UPDATE notes SET text = 'unsaid'", "DELETE FROM notes"):
            with pytest.raises(sqlite3.IntegrityError, match="only ever added"):
                connection.execute(statement)


def test_a_newer_database_is_left_alone(path: Path) -> None:
    with opened(path) as reviews:
        reviews.save_run(run(suggestion("s1")))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    with pytest.raises(NewerVersionError, match="9999"):
        ReviewsSql(f"sqlite:///{path}")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM runs").fetchone() == (1,)


def test_an_upgrade_that_fails_leaves_no_table(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise sa.exc.OperationalError("CREATE INDEX", {}, sqlite3.OperationalError("disk I/O error"))

    with monkeypatch.context() as patch:
        patch.setattr("alembic.operations.Operations.create_index", broken)
        patch.setattr("alembic.op.create_index", broken)
        with pytest.raises(AvhError, match="disk I/O error"):
            ReviewsSql(f"sqlite:///{path}")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == []
    with opened(path) as reviews:
        assert reviews.draft("p") is None


_OPEN = """
import sys
sys.path.insert(0, {root!r})
from avh_ui.store.reviews_sql import ReviewsSql
from tests.fakes.builders import run, suggestion
from tests.fakes.contracts import decide, note
sys.stdin.readline()
reviews = ReviewsSql({url!r})
name = sys.argv[1]
reviews.save_run(run(suggestion("s1", pipeline=name), pipeline=name))
for k in range(20):
    reviews.record(name, [decide("s1", why=str(k))])
reviews.close()
"""


def test_processes_that_open_a_new_file_at_once_lose_nothing(path: Path) -> None:
    code = _OPEN.format(root=str(ROOT), url=f"sqlite:///{path}")
    started = [subprocess.Popen([sys.executable, "-c", code, f"p{k}"], stdin=subprocess.PIPE) for k in range(3)]
    for process in started:
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.close()
    assert [process.wait(100) for process in started] == [0] * 3
    with opened(path) as reviews:
        assert [len(reviews.log(f"p{k}")) for k in range(3)] == [20] * 3
        assert [reviews.check_audit(f"p{k}") for k in range(3)] == [[]] * 3


# Damage


def test_what_is_no_database_is_named(path: Path) -> None:
    path.write_bytes(b"garbage" * 1_000)
    with pytest.raises(AvhError, match=r"reviews\.db could not be opened: file is not a database\. Restore it from a backup"):
        ReviewsSql(f"sqlite:///{path}")
    assert path.read_bytes() == b"garbage" * 1_000


def test_a_database_that_another_process_holds_says_so(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("avh_ui.store.reviews_schema._BUSY_SECONDS", 0)
    with opened(path) as reviews, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DeliveryError, match="could not be written: database is locked") as told:
            reviews.save_run(run(suggestion("s1")))
        assert (
            told.value.hint == "Another process writes to it and does not end: wait for it, or end it, and try again. Nothing was changed."
        )
        other.execute("ROLLBACK")
        reviews.save_run(run(suggestion("s1")))


def test_a_full_disk_changes_nothing(path: Path) -> None:
    with opened(path) as reviews:
        reviews.save_run(run(suggestion("s1")))
        engine = reviews._engine

        @sa.event.listens_for(engine, "begin")
        def _full(connection: sa.Connection) -> None:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")

        with pytest.raises(DeliveryError, match="could not be written: database or disk is full"):
            reviews.save_run(run(*(suggestion(f"s{k}", column="x" * 10_000) for k in range(100))))
        sa.event.remove(engine, "begin", _full)
        draft = reviews.draft("p")
        assert draft is not None
        assert [i.suggestion.id for i in draft.items] == ["s1"]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DeliveryError, match="could not be made"):
        ReviewsSql(f"sqlite:///{tmp_path}/file/reviews.db")


@pytest.mark.parametrize("url", ["", "nonsense", "mysql://host/name", "sqlite://", "sqlite:///:memory:"])
def test_urls_that_are_no_place_for_reviews(url: str) -> None:
    with pytest.raises(ConfigError):
        ReviewsSql(url)


def test_a_database_of_another_kind_is_told_how_an_address_is_written() -> None:
    """Hosts hand out `postgres://`, which is SQLAlchemy's `postgresql://`."""
    with pytest.raises(ConfigError, match="cannot be kept in postgres") as caught:
        open_engine("postgres://host/reviews")
    assert "postgresql://HOST/NAME" in caught.value.hint


def test_a_server_that_is_down_is_told_in_whole_sentences() -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # a port that is taken, and at which nobody listens
        url = f"postgresql://avh:secret@127.0.0.1:{nobody.getsockname()[1]}/quality"
        with pytest.raises(AvhError) as told:
            ReviewsSql(url)
    shown = url.replace("postgresql:", "postgresql+psycopg:").replace("secret", "***")
    assert str(told.value).startswith(f"The review database {shown} could not be opened: connection ")
    assert str(told.value).endswith(
        "failed: Connection refused. Is the server running on that host and accepting TCP/IP connections? Nothing was changed."
    )


@pytest.mark.parametrize(
    ("reason", "code", "remedy"),
    [
        ('connection to server at "h", port 5432 failed: fe_sendauth: no password supplied.', 0, "Give its password by PGPASSWORD"),
        ('FATAL: password authentication failed for user "avh".', 0, "Look at PGPASSWORD"),
        ("connection refused.", 0, ""),
        ("file is not a database.", 26, "Restore it from a backup"),
    ],
)
def test_what_to_do_about_a_login_is_said(reason: str, code: int, remedy: str) -> None:
    said = remedy_of(reason, code)
    assert said.startswith(remedy)
    assert bool(said) is bool(remedy)
