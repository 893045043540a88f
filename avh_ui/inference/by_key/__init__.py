"""Suggestions from rows matched by key with those of the batch before (design, section 15)."""
