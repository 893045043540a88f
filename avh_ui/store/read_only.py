"""A SQLite database on a disk that is full or read-only: opened to be read, since drafts, runs and the audit log stay of use there."""

from __future__ import annotations

import contextlib
import sqlite3
import uuid
from pathlib import Path
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.exc import DBAPIError

from avh_ui.store.reviews_schema import current, upgrade

# Primary result codes of SQLite that are about the disk and not about what is on it (https://sqlite.org/rescode.html).
_OF_THE_DISK = frozenset({sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN})


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

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("writes") else "BEGIN")

    return engine


def _sentence(path: Path, why: str, immutable: bool) -> str:
    wal = path.with_name(f"{path.name}-wal")
    unseen = f", without what is in {wal.name} alone" if immutable and wal.exists() and wal.stat().st_size else ""
    return f"The review database {path} cannot be written ({why}): it is only read here{unseen}, and nothing can be decided or recorded."
