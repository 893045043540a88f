"""How a review database is brought to this release's schema. Alembic is loaded for one that is not: it takes longer than all else there."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from avh_ui.errors import UPGRADE, NewerVersionError
from avh_ui.store.revision import NEWEST

if TYPE_CHECKING:
    from alembic.config import Config

# Any number will do, as long as every avh_ui takes the same: the lock under which a PostgreSQL schema is upgraded.
_UPGRADE_LOCK = 7_203_447_106
# Alembic's `op` and `context` are global to the process.
_one_upgrade = threading.Lock()


def upgrade(engine: Engine) -> None:
    """Make the tables, or bring those of an earlier release up to date, in one transaction.

    `NewerVersionError` when a later release has already changed the database; nothing is touched then.
    """
    with engine.connect() as connection:
        if current(connection):
            return
    from alembic import command

    with _one_upgrade, engine.connect().execution_options(writes=True) as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_UPGRADE_LOCK)))
        # Another process may have upgraded while this one waited for the lock.
        if not current(connection):
            config = _config()
            config.attributes["connection"] = connection
            command.upgrade(config, "head")


def current(connection: Connection) -> bool:
    """Whether the database has this release's schema, so that it can be read as it is; `NewerVersionError` for a later one."""
    found: set[str] = set()
    if sa.inspect(connection).has_table("alembic_version"):
        found = set(connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalars())
    if found == {NEWEST}:
        return True
    if unknown := found - known():
        raise NewerVersionError(
            f"The review database has schema {', '.join(sorted(unknown))}, which this avh_ui does not know.",
            hint=f"It was written by a newer avh_ui. {UPGRADE}",
        )
    return False


def known() -> set[str]:
    """The revisions that this release knows."""
    from alembic.script import ScriptDirectory

    return {revision.revision for revision in ScriptDirectory.from_config(_config()).walk_revisions()}


def _config() -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
