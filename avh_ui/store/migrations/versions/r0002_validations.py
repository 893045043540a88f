"""Validation runs with each result, and what people say of alarms."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from avh_ui.store.migrations.versions.r0001_reviews import NUMBER, make_log, make_table, numbered, texts

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the tables."""
    version = sa.Column("program_version", sa.Integer, nullable=False)
    numbers = sa.Column("seconds", sa.Double, nullable=False), sa.Column("rows", NUMBER)
    make_table("validations", numbered("id"), *texts("pipeline", "batch", "status"), version, *texts("program_sha256", "started"), *numbers)
    op.create_index("validations_by_pipeline", "validations", ["pipeline", "id"])
    op.create_table(
        "results",
        sa.Column("validation_id", NUMBER, sa.ForeignKey("validations.id"), primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        *texts("key", "column", "name", "status", "record"),
    )
    make_log("feedback", *texts("pipeline", "batch", "key", "action", "by", "at", "why", "until"))
