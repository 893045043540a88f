"""The hash chain of the audit log; what is there already is chained in the order of its logs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from avh_ui.store.audit_log import add_all
from avh_ui.store.migrations.versions.r0001_reviews import NUMBER, make_table, numbered, only_ever_added, texts

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Make the table and chain every entry: from here on none can be changed unseen."""
    make_table(
        "links",
        numbered("seq"),
        *texts("pipeline", "kind"),
        sa.Column("entry", NUMBER, nullable=False),
        *texts("previous", "sha256"),
        # Two writers who both follow on one link would fork the chain: the second is refused.
        sa.UniqueConstraint("pipeline", "previous", name="links_follow_once"),
        sa.UniqueConstraint("kind", "entry", name="links_once_per_entry"),
    )
    op.create_index("links_by_pipeline", "links", ["pipeline", "seq"])
    add_all(op.get_bind())
    only_ever_added("links")
