"""The pattern that a decision puts in the place of a suggested one, as JSON."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the column; decisions from before have none."""
    op.add_column("decisions", sa.Column("pattern", sa.Text))
