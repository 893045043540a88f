"""Which schema the review database of this release has."""

from __future__ import annotations

# The last of `migrations/`, which a test compares.
NEWEST = "0007"
