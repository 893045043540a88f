"""Runs, suggestions and decisions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    # SQLite numbers rows by itself for INTEGER keys only.
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "runs",
        sa.Column("id", number, primary_key=True, autoincrement=True),
        sa.Column("pipeline", sa.Text, nullable=False),
        sa.Column("record", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("runs_by_pipeline", "runs", ["pipeline", "id"])
    op.create_table(
        "suggestions",
        sa.Column("run_id", number, sa.ForeignKey("runs.id"), primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("decided_since", number, sa.ForeignKey("runs.id"), nullable=False),
        sa.Column("record", sa.Text, nullable=False),
        sa.UniqueConstraint("run_id", "id", name="suggestions_once_per_run"),
    )
    op.create_index("suggestions_by_id", "suggestions", ["id", "run_id"])
    op.create_table(
        "decisions",
        sa.Column("seq", number, primary_key=True, autoincrement=True),
        sa.Column("run_id", number, sa.ForeignKey("runs.id"), nullable=False),
        sa.Column("pipeline", sa.Text, nullable=False),
        sa.Column("suggestion_id", sa.Text, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("why", sa.Text, nullable=False),
        sa.Column("lower", sa.Double),
        sa.Column("upper", sa.Double),
        sqlite_autoincrement=True,
    )
    op.create_index("decisions_by_pipeline", "decisions", ["pipeline", "seq"])
    _only_ever_added("decisions")


def _only_ever_added(table: str) -> None:
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
