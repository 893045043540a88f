"""One database of reviews and runs, opened by URL: its transactions, and its errors in the product's words.

A SQLite database on a disk that is full or read-only is opened to be read, since drafts, runs and the audit log stay of use there.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import cast
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.exc import DBAPIError

from avh_ui.errors import AvhError, DeliveryError, ended
from avh_ui.store.names import to_utf8
from avh_ui.store.reviews_schema import begin, open_engine
from avh_ui.store.upgrading import current, upgrade

# Python prints warnings that nobody else takes on stderr: a command says it, and the app's log does.
_LOG = logging.getLogger(__name__)
# Reviews and runs are two objects on one database: it is said once.
_SAID: set[str] = set()
# Primary result codes of SQLite that are about the disk and not about what is on it (https://sqlite.org/rescode.html).
_OF_THE_DISK = frozenset({sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN})
# What libpq and the server say of a login, and what to do.
_OF_LOGIN = {
    "no password supplied": "Give its password by PGPASSWORD or ~/.pgpass: none stands in avh.yml. ",
    "password authentication failed": "Look at PGPASSWORD or ~/.pgpass, and at the name in `reviews:` of avh.yml. ",
}
# What to do where SQLite says no in a way that a person can mend.
_REMEDIES = (
    (
        (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED),
        "Another process writes to it and does not end: wait for it, or end it, and try again. ",
    ),
    ((sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT), "Restore it from a backup, or name another file under `store: {reviews: ...}`. "),
)


class Database:
    """Safe to call from any thread; several processes may share one. Opening it makes or upgrades the tables.

    `NewerVersionError` when a later release has changed them, `ConfigError` for a URL that is no database. A SQLite file on a disk that
    is full or read-only is opened to be read, until the disk can be written again: see `read_only`.
    """

    def __init__(self, url: str) -> None:
        self._url, self._why, self._opening = url, "", threading.Lock()
        try:
            self._engine = open_engine(url)
        except OSError as error:
            raise DeliveryError(f"The folder of {url} could not be made: {error.strerror}.") from error
        try:
            with self._errors("opened"):
                self._upgraded()
        except BaseException:
            # Nobody gets this object, so nobody could close what it has opened.
            self._engine.dispose()
            raise

    def _upgraded(self) -> None:
        try:
            upgrade(self._engine)
        except DBAPIError as error:
            readable = open_to_read(self._url, error)
            if readable is None:
                raise
            self._engine.dispose()
            self._engine, self._why = readable
            if self._url not in _SAID:
                _SAID.add(self._url)
                _LOG.warning(self._why)

    @property
    def read_only(self) -> str:
        """Why it can only be read, in a sentence; '' where it can be written. A database that could not be written is tried again."""
        with self._opening:
            if self._why:
                self._recover()
            return self._why

    def _recover(self) -> None:
        """Open it to be written where the disk lets us by now; what reads at that time ends on the connection that it has."""
        try:
            engine = open_engine(self._url)
        except OSError:
            return
        try:
            upgrade(engine)
        except DBAPIError:
            engine.dispose()
            return
        self._engine.dispose()
        self._engine, self._why = engine, ""
        _SAID.discard(self._url)
        _LOG.warning("The review database %s can be written again.", engine.url.render_as_string(hide_password=True))

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        self._engine.dispose()

    @contextlib.contextmanager
    def _reading(self) -> Iterator[Connection]:
        with self._errors("read"), self._engine.connect() as connection:
            # A draft is several queries that must all see one state; SQLite gives that to every transaction.
            options = {"isolation_level": "REPEATABLE READ"} if connection.dialect.name == "postgresql" else {}
            reading = connection.execution_options(**options)
            with reading.begin():
                yield reading

    @contextlib.contextmanager
    def _writing(self, pipeline: str) -> Iterator[Connection]:
        if why := self.read_only:
            raise DeliveryError(why, hint="Free space or give this user the right to write, then try again.")
        with self._errors("written"), self._engine.connect() as connection:
            # Whoever waited for the lock below must see what its last holder wrote, whatever the database's default is.
            options = {"isolation_level": "READ COMMITTED"} if connection.dialect.name == "postgresql" else {}
            writing = connection.execution_options(writes=True, **options)
            with writing.begin():
                if writing.dialect.name == "postgresql":
                    # One writer per pipeline at a time, as SQLite has one per database: what was checked still holds when written.
                    writing.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(to_utf8(f"avh {pipeline}"), 0))))
                yield writing

    @contextlib.contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            kind = DeliveryError if what == "written" else AvhError
            # libpq puts its question whether the server runs on a line of its own.
            reason = " ".join(ended(line.strip()) for line in str(error.orig).splitlines() if line.strip())
            shown = self._engine.url.render_as_string(hide_password=True)
            # The lower byte is the error, the others say more of it.
            code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF
            remedy = remedy_of(reason, code)
            raise kind(f"The review database {shown} could not be {what}: {reason}", hint=f"{remedy}Nothing was changed.") from error


def remedy_of(reason: str, code: int) -> str:
    """What to do about an error, by SQLite's code of it or by what a server said, as sentences; '' where nobody knows."""
    of_login = next((text for said, text in _OF_LOGIN.items() if said in reason), "")
    return of_login or next((text for codes, text in _REMEDIES if code in codes), "")


def inserted(result: sa.CursorResult[tuple[int, ...]]) -> int:
    """The key of the row that was inserted."""
    key = result.inserted_primary_key
    if key is None:
        raise AssertionError("an insert gives its key")
    return cast(int, key[0])


def open_to_read(url: str, error: DBAPIError) -> tuple[Engine, str] | None:
    """An engine that only reads, with a sentence that says so; None where the error is another one or the file cannot even be read."""
    parsed = make_url(url)
    code = getattr(error.orig, "sqlite_errorcode", None)
    if parsed.get_backend_name() != "sqlite" or code is None or code & 0xFF not in _OF_THE_DISK or not parsed.database:
        return None
    path = Path(parsed.database).absolute()
    # Reading a WAL database makes files beside it too. `immutable` needs none, and sees nothing of a -wal file.
    for options in ("mode=ro", "mode=ro&immutable=1"):
        uri = f"file:{quote(str(path))}?{options}"
        engine = _engine(parsed, uri)
        try:
            with engine.connect() as connection:
                usable = current(connection)
            if not usable:
                engine.dispose()
                engine = _upgraded_copy(parsed, uri)
        except (DBAPIError, sqlite3.Error):
            engine.dispose()
            continue
        return engine, _sentence(path, str(error.orig), "immutable" in options)
    return None


def _upgraded_copy(url: URL, uri: str) -> Engine:
    """What an earlier release wrote, copied into memory and upgraded there."""
    home = f"file:avh-{uuid.uuid4().hex}?mode=memory&cache=shared"
    engine = _engine(url, home)
    with contextlib.closing(sqlite3.connect(uri, uri=True)) as source, contextlib.closing(sqlite3.connect(home, uri=True)) as copy:
        source.backup(copy)
        upgrade(engine)
        # The memory lives as long as one connection to it; the pool keeps this one.
        engine.connect().close()
    return engine


def _engine(url: URL, uri: str) -> Engine:
    def connect() -> sqlite3.Connection:
        # None: transactions begin below, as in a database that is written.
        return sqlite3.connect(uri, uri=True, check_same_thread=False, isolation_level=None)

    engine = sa.create_engine(url, creator=connect, poolclass=sa.pool.QueuePool)

    sa.event.listen(engine, "begin", begin)
    return engine


def _sentence(path: Path, why: str, immutable: bool) -> str:
    wal = path.with_name(f"{path.name}-wal")
    unseen = f", without what is in {wal.name} alone" if immutable and wal.exists() and wal.stat().st_size else ""
    return f"The review database {path} cannot be written ({why}): it is only read here{unseen}, and nothing can be decided or recorded."
