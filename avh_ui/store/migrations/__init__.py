"""Alembic migrations of the review database; applied by `reviews_schema.upgrade` when a database is opened."""
