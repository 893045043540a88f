"""Validation runs with each result, and what people say of alarms."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from avh_ui.store.migrations.versions.r0001_reviews import _only_ever_added

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "validations",
        sa.Column("id", number, primary_key=True, autoincrement=True),
        sa.Column("pipeline", sa.Text, nullable=False),
        sa.Column("batch", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("program_version", sa.Integer, nullable=False),
        sa.Column("program_sha256", sa.Text, nullable=False),
        sa.Column("started", sa.Text, nullable=False),
        sa.Column("seconds", sa.Double, nullable=False),
        sa.Column("rows", number),
        sqlite_autoincrement=True,
    )
    op.create_index("validations_by_pipeline", "validations", ["pipeline", "id"])
    op.create_table(
        "results",
        sa.Column("validation_id", number, sa.ForeignKey("validations.id"), primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("column", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("record", sa.Text, nullable=False),
    )
    _feedback(number)


def _feedback(number: sa.types.TypeEngine[int]) -> None:
    op.create_table(
        "feedback",
        sa.Column("seq", number, primary_key=True, autoincrement=True),
        sa.Column("pipeline", sa.Text, nullable=False),
        sa.Column("batch", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("why", sa.Text, nullable=False),
        sa.Column("until", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("feedback_by_pipeline", "feedback", ["pipeline", "seq"])
    _only_ever_added("feedback")
