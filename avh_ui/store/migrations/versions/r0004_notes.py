"""Comments on suggestions, and to whom they are assigned."""

from __future__ import annotations

from avh_ui.store.migrations.versions.r0001_reviews import make_log, texts

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the table."""
    make_log("notes", *texts("pipeline", "suggestion_id", "action", "by", "at", "text"))
