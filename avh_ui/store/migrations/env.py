"""Alembic's entry point: runs the migrations on the connection that `upgrading.upgrade` hands over."""

from __future__ import annotations

from alembic import context

# One transaction for all steps: an upgrade that fails, or is killed, leaves the database as it was.
context.configure(connection=context.config.attributes["connection"], transactional_ddl=True)
context.run_migrations()
