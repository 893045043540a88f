"""What is wrong with a condition."""

from __future__ import annotations

from avh_ui.errors import ConstraintError


class ConditionError(ConstraintError):
    """A condition that no engine evaluates: it is no SQL, no condition on rows, or names what the table does not have."""
