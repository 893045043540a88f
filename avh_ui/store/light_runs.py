"""What a validation asks of a review database in SQLite, without SQLAlchemy: loading that takes as long as judging a small batch does.

Two calls are done here, each in one transaction as `RunsSql` does it; all others, and these where the database is not as this release left
it (it is new, older, newer, locked, read-only or damaged), are `RunsSql`'s, which knows what to do and what to say.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from avh_ui.review.feedback import Feedback
from avh_ui.store.names import from_utf8, to_utf8
from avh_ui.store.records import result_to_text
from avh_ui.store.revision import NEWEST
from avh_ui.validator.results import Outcome
from avh_ui.validator.run import Run

if TYPE_CHECKING:
    from avh_ui.store.runs_sql import RunsSql

# Another process holds SQLite's write lock for milliseconds; whoever waits longer waits as `RunsSql` does.
_BUSY_SECONDS = 1.0
_OF_A_RUN = ("pipeline", "batch", "status", "program_version", "program_sha256", "started", "seconds", "partition", "quiet", "rows")
_OF_A_RESULT = ("validation_id", "position", "key", "column", "name", "status", "record")


def file_of(url: str) -> Path | None:
    """The file of a review database; None where it is no SQLite file named outright."""
    found = re.fullmatch(r"sqlite:///([^?]+)", url)
    return None if found is None or found[1].startswith((":memory:", "file:")) else Path(found[1])


class _NotAsLeftError(Exception):
    """The database has not this release's schema."""


class LightRuns:
    """`RunStore` and `FeedbackRepository` over the URL of a review database, which is this file; safe to call from any thread."""

    def __init__(self, url: str, file: Path) -> None:
        self._url, self._file = url, file
        self._lock = threading.Lock()
        self._made: RunsSql | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._whole(), name)

    def _whole(self) -> RunsSql:
        """What does the rest, made when it is first needed."""
        with self._lock:
            if self._made is None:
                from avh_ui.store.runs_sql import RunsSql

                self._made = RunsSql(self._url)
            return self._made

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        if self._made is not None:
            self._made.close()

    def add(self, run: Run) -> int:
        """Keep a run and return its id."""
        kept = [(Outcome.of(result), result_to_text(result)) for result in run.results]
        values = (*(_kept(getattr(run, name)) for name in _OF_A_RUN[:-1]), run.row_count)
        with contextlib.suppress(sqlite3.Error, _NotAsLeftError), self._transaction("BEGIN IMMEDIATE") as database:
            run_id = database.execute(_insert("validations", _OF_A_RUN), values).lastrowid or 0
            rows = [(run_id, k, *map(_kept, (o.key, o.column, o.name, o.status)), text) for k, (o, text) in enumerate(kept)]
            database.executemany(_insert("results", _OF_A_RESULT), rows)
            return run_id
        return self._whole().add(run)

    def feedback(self, pipeline: str) -> list[Feedback]:
        """Every entry, oldest first."""
        with contextlib.suppress(sqlite3.Error, _NotAsLeftError), self._transaction("BEGIN") as database:
            query = 'SELECT batch, "key", action, "by", at, why, until, seq FROM feedback WHERE pipeline = ? ORDER BY seq'
            return [Feedback(*map(_read, row)) for row in database.execute(query, (to_utf8(pipeline),))]
        return self._whole().feedback(pipeline)

    @contextlib.contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        # mode=rw: a file that is not there is made, with its tables, by who knows them.
        uri = f"file:{quote(str(self._file.absolute()))}?mode=rw"
        with contextlib.closing(sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)) as database:
            # As `reviews_schema` opens it; that it is in WAL mode is kept in the file.
            database.execute("PRAGMA foreign_keys = ON")
            database.execute("PRAGMA synchronous = FULL")
            database.execute(begin)
            try:
                if database.execute("SELECT version_num FROM alembic_version").fetchall() != [(NEWEST,)]:
                    raise _NotAsLeftError
                yield database
            except BaseException:
                database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")


def _insert(table: str, columns: tuple[str, ...]) -> str:
    names = ", ".join(f'"{name}"' for name in columns)
    return f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(columns))})"


def _kept(value: Any) -> Any:
    return to_utf8(value) if isinstance(value, str) else value


def _read(value: Any) -> Any:
    return from_utf8(value) if isinstance(value, str) else value
