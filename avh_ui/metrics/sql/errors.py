"""What is wrong with a condition."""

from __future__ import annotations

import pyarrow as pa

from avh_ui.errors import ConstraintError
from avh_ui.metrics.declined import DeclinedError

# What Arrow and Python raise of values that they do not take; `pa.ArrowInvalid` is a `ValueError`.
FAULTS = (ValueError, OverflowError, pa.ArrowNotImplementedError)


class ConditionError(ConstraintError):
    """A condition that no engine evaluates: it is no SQL, no condition on rows, or names what the table does not have."""


def declined(error: Exception) -> DeclinedError:
    """One of `FAULTS` as a reason to leave a condition to Spark: by its kind alone, since its own words may hold values of the rows."""
    if isinstance(error, pa.ArrowNotImplementedError):
        return DeclinedError("Arrow has no such operation on these types")
    if isinstance(error, OverflowError):
        return DeclinedError("Arrow has no such operation on so large a number")
    return DeclinedError("Arrow has no such operation on one of the values")
