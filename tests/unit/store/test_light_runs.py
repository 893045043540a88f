"""A validation's two calls on a review database without SQLAlchemy; their contract is in `test_contracts_of_ports`."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from avh_ui.errors import NewerVersionError
from avh_ui.review.feedback import Feedback
from avh_ui.store.light_runs import LightRuns, file_of
from avh_ui.store.runs_sql import RunsSql
from avh_ui.validator.results import RuleResult
from avh_ui.validator.run import Run

SAID = Feedback("b1", "a key", "known_error", "ann", "2026-01-01", "\ud800 and a \\ and a \x00")


def run(message: str = "as it was") -> Run:
    """A run of one result."""
    return Run("p", "b1", 1, "", "2026-01-01", 1.0, 3, (RuleResult("schema", "\ud800", "pass", "error", message),), ())


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A review database that is not there yet."""
    return f"sqlite:///{tmp_path}/reviews.db"


@pytest.fixture
def light(url: str, tmp_path: Path) -> Iterator[LightRuns]:
    """The store under test."""
    with closing(LightRuns(url, tmp_path / "reviews.db")) as store:
        yield store


def test_both_ways_write_and_read_the_same(url: str, light: LightRuns) -> None:
    with closing(RunsSql(url)) as whole:
        said, first, second = whole.give("p", SAID), whole.add(run()), light.add(run())
        assert [whole.load("p", first), first + 1] == [whole.load("p", second), second]
        assert light.feedback("p") == whole.feedback("p") == [said]
        assert light.feedback("another") == []
    assert light.__dict__["_made"] is None


def test_a_database_that_is_not_there_is_made(light: LightRuns) -> None:
    assert light.feedback("p") == []
    assert light.load("p", light.add(run())) == run()


def test_one_of_a_newer_release_is_refused_as_always(url: str, light: LightRuns, tmp_path: Path) -> None:
    RunsSql(url).close()
    with closing(sqlite3.connect(tmp_path / "reviews.db")) as database, database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
    for call in (lambda: light.add(run()), lambda: light.feedback("p")):
        with pytest.raises(NewerVersionError):
            call()


def test_half_a_run_is_never_kept(url: str, light: LightRuns, tmp_path: Path) -> None:
    RunsSql(url).close()
    with closing(sqlite3.connect(tmp_path / "reviews.db")) as database:
        database.execute("CREATE TRIGGER full BEFORE INSERT ON results BEGIN SELECT RAISE(ABORT, 'no room'); END")
        with pytest.raises(Exception, match="no room"):
            light.add(run())
        assert database.execute("SELECT count(*) FROM validations").fetchone() == (0,)


def test_which_urls_are_files() -> None:
    assert file_of("sqlite:////data/reviews.db") == Path("/data/reviews.db")
    others = ("postgresql://host/name", "sqlite:///:memory:", "sqlite:///reviews.db?mode=ro", "sqlite:///file:x", "sqlite+x:///y")
    assert [file_of(url) for url in others] == [None] * 5
