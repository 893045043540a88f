"""The tables of the review database, and how a database is opened."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError
from sqlalchemy.types import TypeDecorator

from avh_ui.errors import ConfigError
from avh_ui.extras import install
from avh_ui.store.names import from_utf8, to_utf8

# Another process holds SQLite's write lock for milliseconds; this long only when it hangs.
_BUSY_SECONDS = 30


class AnyText(TypeDecorator[str]):
    """Text of any characters: neither database keeps lone surrogates, and PostgreSQL no NUL."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:  # noqa: ARG002
        """To the database."""
        return None if value is None else to_utf8(value)

    def process_result_value(self, value: Any | None, dialect: sa.Dialect) -> str | None:  # noqa: ARG002
        """From the database."""
        return None if value is None else from_utf8(value)


# SQLite numbers rows by itself for INTEGER keys only.
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
METADATA = sa.MetaData()


def _never_null(kind: sa.types.TypeEngine[Any] | type[sa.types.TypeEngine[Any]], *names: str) -> list[sa.Column[Any]]:
    """Columns of a type that always have a value."""
    return [sa.Column(name, kind, nullable=False) for name in names]


def _key(name: str, of: str | None = None) -> sa.Column[int]:
    """A number that is (part of) a table's key, or that of another table."""
    return sa.Column(name, _NUMBER, *([sa.ForeignKey(of)] if of else []), primary_key=True)


RUNS = sa.Table("runs", METADATA, _key("id"), *_never_null(AnyText, "pipeline"), *_never_null(sa.Text, "record"))
# `decided_since` is the first run of the unbroken line in which the suggestion had these bounds: decisions count from there on.
SUGGESTIONS = sa.Table(
    "suggestions", METADATA, _key("run_id", "runs.id"), sa.Column("position", sa.Integer, primary_key=True), *_never_null(AnyText, "id"),
    sa.Column("decided_since", _NUMBER, sa.ForeignKey("runs.id"), nullable=False), *_never_null(sa.Text, "record"),
)  # fmt: skip
# Only ever added to: triggers refuse anything else.
DECISIONS = sa.Table(
    "decisions", METADATA, _key("seq"), sa.Column("run_id", _NUMBER, sa.ForeignKey("runs.id"), nullable=False),
    *_never_null(AnyText, "pipeline", "suggestion_id"), *_never_null(sa.Text, "action"), *_never_null(AnyText, "by", "at", "why"),
    sa.Column("lower", sa.Double), sa.Column("upper", sa.Double), sa.Column("pattern", sa.Text),
)  # fmt: skip
# Only ever added to, too. They are of a suggestion whatever its bounds, so no run is named.
NOTES = sa.Table(
    "notes", METADATA, _key("seq"), *_never_null(AnyText, "pipeline", "suggestion_id"), *_never_null(sa.Text, "action"),
    *_never_null(AnyText, "by", "at", "text"),
)  # fmt: skip
# One validation of one batch; a batch that was validated again has several, of which the newest counts. Of an
# ingested one `partition` says how it lies in the table. Nobody is told of one that is `quiet`.
VALIDATIONS = sa.Table(
    "validations", METADATA, _key("id"), *_never_null(AnyText, "pipeline", "batch"), *_never_null(sa.Text, "status"),
    *_never_null(sa.Integer, "program_version"), *_never_null(sa.Text, "program_sha256", "started"), *_never_null(sa.Double, "seconds"),
    sa.Column("rows", _NUMBER), sa.Column("partition", sa.Text, nullable=False, server_default=""),
    sa.Column("quiet", sa.Boolean, nullable=False, server_default=sa.false()),
)  # fmt: skip
# `key` is what was judged, the same over runs and versions; `record` is only read of the run that is looked at.
RESULTS = sa.Table(
    "results", METADATA, _key("validation_id", "validations.id"), sa.Column("position", sa.Integer, primary_key=True),
    *_never_null(AnyText, "key", "column", "name"), *_never_null(sa.Text, "status", "record"),
)  # fmt: skip
# Only ever added to, as decisions are.
FEEDBACK = sa.Table(
    "feedback", METADATA, _key("seq"), *_never_null(AnyText, "pipeline", "batch", "key"), *_never_null(sa.Text, "action"),
    *_never_null(AnyText, "by"), *_never_null(sa.Text, "at"), *_never_null(AnyText, "why"), *_never_null(sa.Text, "until"),
)  # fmt: skip
# The hash chain over runs, decisions, notes and feedback (`store/audit_log.py`): `entry` is the number in the log of that `kind`.
LINKS = sa.Table(
    "links", METADATA, _key("seq"), *_never_null(AnyText, "pipeline"), *_never_null(sa.Text, "kind"), *_never_null(_NUMBER, "entry"),
    *_never_null(sa.Text, "previous", "sha256"),
)  # fmt: skip


def open_engine(url: str) -> Engine:
    """An engine for a SQLite file or a PostgreSQL server; `ConfigError` for a URL that is neither."""
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise ConfigError(f"{url!r} is not a database URL.", hint="Write sqlite:///reviews.db or postgresql://HOST/NAME.") from error
    if parsed.get_backend_name() == "sqlite":
        return _open_sqlite(parsed)
    if parsed.get_backend_name() == "postgresql":
        if parsed.drivername == "postgresql":
            parsed = parsed.set(drivername="postgresql+psycopg")
        try:
            # A server that restarted leaves dead connections in the pool.
            return sa.create_engine(parsed, pool_pre_ping=True)
        except (ImportError, NoSuchModuleError) as error:
            raise ConfigError(f"PostgreSQL cannot be used: {error}.", hint=install("postgres")) from error
    raise ConfigError(
        f"Reviews cannot be kept in {parsed.get_backend_name()}.", hint="Write sqlite:///reviews.db or postgresql://HOST/NAME."
    )


def _open_sqlite(url: URL) -> Engine:
    if not url.database or url.database == ":memory:":
        raise ConfigError("Reviews in memory would be lost.", hint="Give a file: sqlite:///reviews.db.")
    Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    engine = sa.create_engine(url, connect_args={"timeout": _BUSY_SECONDS, "check_same_thread": False})

    @sa.event.listens_for(engine, "connect")
    def _connect(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # `begin` does it: sqlite3 would begin late, and not before DDL at all
        cursor = connection.cursor()
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.execute("PRAGMA journal_mode = WAL")
        # WAL with NORMAL may lose the last commits in a power cut; a decision that was confirmed must not be lost.
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.close()

    sa.event.listen(engine, "begin", begin)
    return engine


def begin(connection: Connection) -> None:
    """Begin a transaction of SQLite. A writer takes the lock at once: one that first reads and then writes would find that somebody wrote
    in between.
    """
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("writes") else "BEGIN")
