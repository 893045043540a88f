"""Runs, suggestions and decisions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
# SQLite numbers rows by itself for INTEGER keys only.
NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make the tables."""
    make_table("runs", numbered("id"), *texts("pipeline", "record"))
    op.create_index("runs_by_pipeline", "runs", ["pipeline", "id"])
    op.create_table(
        "suggestions",
        sa.Column("run_id", NUMBER, sa.ForeignKey("runs.id"), primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        *texts("id"),
        sa.Column("decided_since", NUMBER, sa.ForeignKey("runs.id"), nullable=False),
        *texts("record"),
        sa.UniqueConstraint("run_id", "id", name="suggestions_once_per_run"),
    )
    op.create_index("suggestions_by_id", "suggestions", ["id", "run_id"])
    run = sa.Column("run_id", NUMBER, sa.ForeignKey("runs.id"), nullable=False)
    bounds = sa.Column("lower", sa.Double), sa.Column("upper", sa.Double)
    make_log("decisions", run, *texts("pipeline", "suggestion_id", "action", "by", "at", "why"), *bounds)


def numbered(name: str) -> sa.Column[int]:
    """A key that the database counts up."""
    return sa.Column(name, NUMBER, primary_key=True, autoincrement=True)


def texts(*names: str) -> list[sa.Column[str]]:
    """Columns that always have a text."""
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def make_table(name: str, *parts: sa.schema.SchemaItem) -> None:
    """Make a table whose numbers are never given twice."""
    op.create_table(name, *parts, sqlite_autoincrement=True)


def make_log(name: str, *parts: sa.schema.SchemaItem) -> None:
    """Make a numbered table of which the database itself refuses to change or remove rows."""
    make_table(name, numbered("seq"), *parts)
    op.create_index(f"{name}_by_pipeline", name, ["pipeline", "seq"])
    only_ever_added(name)


def only_ever_added(table: str) -> None:
    """Have the database itself refuse to change or remove rows."""
    if op.get_bind().dialect.name == "sqlite":
        for what in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{what.lower()} BEFORE {what} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} are only ever added'); END"
            )
        return
    op.execute(
        f"CREATE FUNCTION {table}_are_only_added() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{table} are only ever added'; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {table}_only_added BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_are_only_added()"
    )
