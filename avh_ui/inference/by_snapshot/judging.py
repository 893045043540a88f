"""A rule sees one batch; here what it suggests is held against all the others, and against what is suggested of the column already."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from avh_ui.constraints.backtest import backtest
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import MOVES, Record, expected_rate
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.history.series import Series
from avh_ui.history.value_tables import Tables
from avh_ui.metrics.counts import COMPLETE_RATIO

# Bounds of a constant metric carry the noise of its sums.
_NOISE = 1e-9
# Of a history the first third says which values there are (as `by_values.closedness`).
_LEARNED = 3


def too_soon(judged: int, fpr: float) -> bool:
    """Whether a statistic that was the same in so many batches would move in more than a share `fpr` of the next ones."""
    return expected_rate(judged, 0, MOVES) > fpr


def bounds_nulls(constraint: Constraint) -> bool:
    """Whether it says how much may be null of what is null in part."""
    return constraint.metric == COMPLETE_RATIO.name and 0 < (constraint.lower or 0) < 1


def record_of(constraint: Constraint, batches: Sequence[str], series: Series, errors: Series | None = None) -> Record:
    """The constraint on these batches, `series` of shape (K,) being its metric; where that is undefined there is no verdict."""
    found = backtest(constraint, series, errors, batches)
    return Record(int(found.judged.sum()), tuple(b for b, fired in zip(batches, found.fired, strict=True) if fired))


def grown(tables: Tables) -> tuple[str, ...]:
    """The batches, but for the first third, with a value that none before them had: on these the list of the values until then would have
    fired. That the latest batch's list holds the batches before says nothing, since their values stayed: of 21 releases of a list of prices
    8 of the last 14 brought a provider, and the list of 56 was suggested, "fired on none of 18".
    """
    learned, seen, found = max(1, len(tables) // _LEARNED), set[str](), []
    for k, (batch, table) in enumerate(tables.items()):
        new = {value for value, count in table.items() if value and count} - seen
        seen |= new
        if new and k >= learned:
            found.append(batch)
    return tuple(found)


def implies(known: Constraint, new: Constraint) -> bool:
    """Whether a batch that `known` lets pass cannot violate `new`, which no batch of the history has violated.

    Where the history has said how values come, a list of the latest batch's says no more. A closed list implies the type that its values
    have, and the same list: both were held against the same batches.
    """
    if known.column != new.column or known.metric != new.metric:
        return False
    if isinstance(known, PatternConstraint) and isinstance(new, PatternConstraint):
        if known.origin == "values" and new.pattern.kind == "dictionary":
            return True
        whole = new.upper == 0 and known.upper == 0 and new.pattern.kind in ("type", "dictionary")
        return (known.pattern.kind == "dictionary" and known.pattern.bad == 0 and whole) or known.pattern.regex == new.pattern.regex
    transform = known.transform
    # Under a logarithm a negative value is a violation, whatever the bounds.
    floor = 0.0 if transform.log else None
    lower, upper = (None, None) if transform.relative else (transform.inverse(known.lower), transform.inverse(known.upper))
    lower = floor if lower is None else lower
    return _reaches(lower, new.lower, 1) and _reaches(upper, new.upper, -1)


def _reaches(known: float | None, new: float | None, side: int) -> bool:
    if new is None:
        return True
    return known is not None and np.isfinite(known) and side * (known - new) >= -_NOISE * max(1.0, abs(new))
