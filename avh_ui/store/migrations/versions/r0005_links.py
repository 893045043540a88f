"""The hash chain of the audit log; what is there already is chained in the order of its logs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from avh_ui.store.audit_chain import add_all
from avh_ui.store.migrations.versions.r0001_reviews import _only_ever_added

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table and chain every entry: from here on none can be changed unseen."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "links",
        sa.Column("seq", number, primary_key=True, autoincrement=True),
        sa.Column("pipeline", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("entry", number, nullable=False),
        sa.Column("previous", sa.Text, nullable=False),
        sa.Column("sha256", sa.Text, nullable=False),
        # Two writers who both follow on one link would fork the chain: the second is refused.
        sa.UniqueConstraint("pipeline", "previous", name="links_follow_once"),
        sa.UniqueConstraint("kind", "entry", name="links_once_per_entry"),
        sqlite_autoincrement=True,
    )
    op.create_index("links_by_pipeline", "links", ["pipeline", "seq"])
    add_all(op.get_bind())
    _only_ever_added("links")
