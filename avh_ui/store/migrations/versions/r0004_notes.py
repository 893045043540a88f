"""Comments on suggestions, and to whom they are assigned."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from avh_ui.store.migrations.versions.r0001_reviews import _only_ever_added

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "notes",
        sa.Column("seq", number, primary_key=True, autoincrement=True),
        sa.Column("pipeline", sa.Text, nullable=False),
        sa.Column("suggestion_id", sa.Text, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("notes_by_pipeline", "notes", ["pipeline", "seq"])
    _only_ever_added("notes")
