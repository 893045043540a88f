"""What Arrow leaves to Spark."""

from __future__ import annotations


class DeclinedError(Exception):
    """Why something is Spark's to read or to compute; a clause without a full stop, such as `its options name multiLine`."""
