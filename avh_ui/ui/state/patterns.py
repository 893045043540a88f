"""What a pattern constraint shows where others show a metric's series and bounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.reading import Reader
from avh_ui.history.series import Series
from avh_ui.review.draft import DraftItem

# A union or a closed list can be long; the whole of it is in the ladder.
_SHOWN = 60


def enforced(constraint: Constraint, reader: Reader) -> str:
    """What it enforces, in words: the pattern with the share that may fail, else the bounds."""
    bounds = reader.bounds(constraint.lower, constraint.upper)
    if not isinstance(constraint, PatternConstraint):
        return bounds
    text = constraint.pattern.text
    return f"{text if len(text) <= _SHOWN else f'{text[:_SHOWN]}…'} · {bounds}"


def series_of(item: DraftItem, batches: Sequence[str]) -> Series | None:
    """The share of non-conforming values over these batches, NaN where it is not known; None of what is no suggested pattern.

    Known of the rungs on the batches they were tried on. A regex typed by hand has none: its counts are told instead.
    """
    constraint, explanation = item.current, item.suggestion.explanation
    if not isinstance(constraint, PatternConstraint) or "series" not in explanation:
        return None
    total = explanation["series"]
    known = next((rung["failing"] for rung in explanation["ladder"] if rung["regex"] == constraint.pattern.regex), None)
    if known is None:
        return None
    shares = {b: bad / n for b, bad, n in zip(total["batches"], known, total["values"], strict=True) if n}
    return np.array([shares.get(b, np.nan) for b in batches], dtype=np.float64)
