"""Of an ingested batch how it lies in its table; '' of what was validated."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the column: all runs so far are validations."""
    op.add_column("validations", sa.Column("partition", sa.Text, nullable=False, server_default=""))
