"""What a pattern constraint shows where others show a metric's series and bounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.errors import AvhError
from avh_ui.history.series import Series
from avh_ui.review.draft import DraftItem
from avh_ui.ui.state.session import SessionState


def series_of(item: DraftItem, batches: Sequence[str]) -> Series | None:
    """The share of non-conforming values over these batches, NaN where it is not known; None of what is no suggested pattern.

    Known of the rungs on the batches they were tried on; see `TypedSeries` for a regex typed by hand.
    """
    constraint, ladder = item.current, item.suggestion.evidence.ladder
    if not isinstance(constraint, PatternConstraint) or ladder is None:
        return None
    known = next((rung.failing for rung in ladder.rungs if rung.pattern.regex == constraint.pattern.regex), None)
    if known is None:
        return None
    return _over(batches, {b: bad / n for b, bad, n in zip(ladder.batches, known, ladder.totals, strict=True) if n})


class TypedSeries:
    """The series of regexes typed by hand: the history's values are tried when one is first looked at, and kept until it is read anew."""

    def __init__(self, session: SessionState) -> None:
        self._session = session
        self._shares: dict[tuple[str, str, str, int], dict[str, float]] = {}

    def of(self, item: DraftItem, batches: Sequence[str]) -> Series | None:
        """As `series_of`; None where the history does not hold the column's values whole."""
        constraint, session = item.current, self._session
        if not isinstance(constraint, PatternConstraint):
            return None
        key = session.pipeline, item.suggestion.id, constraint.pattern.regex, session.loads
        if key not in self._shares:
            try:
                self._shares[key] = session.services.suggestions.try_pattern(
                    session.pipeline, item.suggestion.id, constraint.pattern.regex
                ).shares
            except AvhError:  # nothing to draw; whoever enforces it says what is wrong
                self._shares[key] = {}
        shares = self._shares[key]
        return _over(batches, shares) if shares else None


def _over(batches: Sequence[str], shares: dict[str, float]) -> Series:
    return np.array([shares.get(b, np.nan) for b in batches], dtype=np.float64)
