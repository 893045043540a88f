"""Whether a run is one that nobody is told of."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the column: of the runs so far it is not known, and they count as told, as they did."""
    op.add_column("validations", sa.Column("quiet", sa.Boolean, nullable=False, server_default=sa.false()))
