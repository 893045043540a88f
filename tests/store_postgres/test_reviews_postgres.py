"""The review repository on a real PostgreSQL server."""

from __future__ import annotations

import itertools
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from avh_ui.errors import AvhError, ConflictError, NewerVersionError
from avh_ui.review.feedback import Feedback
from avh_ui.store.reviews_sql import ReviewsSql
from avh_ui.store.runs_sql import RunsSql
from tests.fakes.builders import run, suggestion
from tests.fakes.contracts import ReviewContract, decide, note
from tests.fakes.run_contract import RunContract

pytestmark = pytest.mark.postgres
_names = (f"reviews{k}" for k in itertools.count())


@pytest.fixture
def database(postgres_server: str) -> str:
    """The URL of a new, empty database."""
    name = next(_names)
    with psycopg.connect(f"{postgres_server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"{postgres_server}/{name}"


class TestPostgresReviews(ReviewContract):
    @pytest.fixture
    def repository(self, database: str) -> Iterator[ReviewsSql]:
        reviews = ReviewsSql(database)
        yield reviews
        reviews.close()


class TestPostgresRuns(RunContract):
    @pytest.fixture
    def store(self, database: str) -> Iterator[RunsSql]:
        runs = RunsSql(database)
        yield runs
        runs.close()


def test_many_open_a_new_database_at_once(database: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        opened = list(pool.map(lambda _: ReviewsSql(database), range(4)))
    for reviews in opened:
        assert reviews.draft("p") is None
        reviews.close()


def test_two_apps_decide_on_one_item(database: str) -> None:
    one, other = ReviewsSql(database), ReviewsSql(database)
    one.save_run(run(suggestion("s1")))
    other.record("p", [decide("s1", by="bob")], {"s1": 0})
    with pytest.raises(ConflictError, match="bob"):
        one.record("p", [decide("s1")], {"s1": 0})
    one.close()
    other.close()


def test_decisions_cannot_be_changed(database: str) -> None:
    reviews = ReviewsSql(database)
    reviews.save_run(run(suggestion("s1")))
    reviews.record("p", [decide("s1")])
    with psycopg.connect(database) as connection:
        for statement in ("UPDATE decisions SET action = 'reject'", "DELETE FROM decisions", "TRUNCATE decisions"):
            with pytest.raises(psycopg.errors.RaiseException, match="only ever added"):
                connection.execute(statement)
            connection.rollback()
    reviews.close()


def test_writers_at_once_keep_one_chain(database: str) -> None:
    stores = [ReviewsSql(database) for _ in range(4)]
    runs = RunsSql(database)
    stores[0].save_run(run(suggestion("s1")))

    def write(k: int) -> None:
        for n in range(4):
            stores[k].record("p", [decide("s1", by=f"{k}")])
            stores[k].note("p", [note("s1", f"{k} {n}")])
            runs.give("p", Feedback("b1", "key", "false_alarm", f"{k}", "2026-01-01"))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert stores[0].check_audit("p") == []
    assert len(stores[0].chain("p").places) == 1 + 4 * 4 * 3
    with psycopg.connect(database) as connection:
        with pytest.raises(psycopg.errors.RaiseException, match="only ever added"):
            connection.execute("DELETE FROM links")
        connection.rollback()
        connection.execute("ALTER TABLE decisions DISABLE TRIGGER decisions_only_added")
        connection.execute("UPDATE decisions SET why = 'asked for' WHERE seq = 3")
    assert stores[1].check_audit("p") == ["In the audit log decision 3 of 'p' was changed after it was written."]
    for store in (*stores, runs):
        store.close()


def test_a_newer_database_is_left_alone(database: str) -> None:
    ReviewsSql(database).close()
    with psycopg.connect(database) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(NewerVersionError, match="9999"):
        ReviewsSql(database)


def test_a_server_that_is_not_there() -> None:
    with pytest.raises(AvhError, match="could not be opened") as caught:
        ReviewsSql("postgresql://ann:secret@127.0.0.1:1/reviews")
    assert "secret" not in str(caught.value)


def test_a_restarted_server_is_reconnected(database: str) -> None:
    reviews = ReviewsSql(database)
    assert reviews.draft("p") is None
    with psycopg.connect(database) as connection:
        others = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        connection.execute(f"SELECT pg_terminate_backend(pid) FROM ({others}) AS others")
    assert reviews.draft("p") is None
    reviews.close()


def test_a_restored_dump_is_whole_and_still_only_added_to(database: str, postgres_server: str, tmp_path: Path) -> None:
    """As docs/operating.md, Backup, says it."""
    reviews = ReviewsSql(database)
    reviews.save_run(run(suggestion("s1")))
    reviews.record("p", [decide("s1")])
    reviews.close()
    restored = f"{postgres_server}/{next(_names)}"
    with psycopg.connect(f"{postgres_server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {restored.rpartition('/')[2]}")
    for command in (["pg_dump", "-Fc", "-f", tmp_path / "d", database], ["pg_restore", "-d", restored, tmp_path / "d"]):
        subprocess.run(command, check=True)
    again = ReviewsSql(restored)
    draft = again.draft("p")
    assert draft is not None
    assert [item.status for item in draft.items] == ["accepted"]
    again.record("p", [decide("s1", by="bob")], {"s1": draft.items[0].revision})
    with psycopg.connect(restored) as connection, pytest.raises(psycopg.errors.RaiseException, match="only ever added"):
        connection.execute("DELETE FROM decisions")
    again.close()
