"""A constraint judged on every batch of a metric's history: which would have alarmed, and the bounds in both spaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from avh_ui.constraints.constraint import SURE, Constraint
from avh_ui.constraints.evidence import LAW, MOVES, expected_rate
from avh_ui.constraints.reading import Reader
from avh_ui.history.anomalies import Strategy, along
from avh_ui.history.series import Series
from avh_ui.metrics.distinct import HLL_RELATIVE_ERROR


@dataclass(frozen=True)
class Backtest:
    """All arrays have shape (K,).

    `observed` is the metric, `transformed` what is compared with the bounds (NaN for the first `lag` batches); `lower` and `upper`
    are the bounds in the metric's unit (NaN where open or without reference). `judged` is where a verdict is possible, `fired`
    where the constraint would have been violated.
    """

    observed: Series
    transformed: Series
    lower: Series
    upper: Series
    judged: NDArray[np.bool_]
    fired: NDArray[np.bool_]

    @property
    def fires(self) -> int:
        """On how many batches it would have alarmed."""
        return int(self.fired.sum())


def backtest(constraint: Constraint, observed: Series, errors: Series | None = None, batches: Sequence[str] = ()) -> Backtest:
    """Judge every batch of a series by the same bounds. `errors` are how far its values may be off where they are estimates, shape (K,),
    `batches` their ids: of a bound that follows from these, no batch is judged without.

    A constraint that says unique counts a batch's values; of earlier batches the history may have an estimate alone. Such a batch would
    have been a violation where the estimate is surely too low, which leaves out what a sketch does not see.

    A batch whose metric is undefined (NaN) is not judged here: in a history it means that the column or its values were absent,
    which the schema and completeness rules answer for.
    """
    transform = constraint.transform
    if constraint.strategy is not None:
        return _by_strategy(constraint.strategy, observed)
    transformed = transform.apply(observed, batches)
    judged = np.isfinite(observed)
    if transform.relative:
        # As `judge` has it: no verdict without a reference; a negative value under a logarithm is a violation.
        reference = transform.references(observed, batches)
        judged &= np.isfinite(reference) & ((reference >= 0) | (not transform.log))
    # NaN never compares as inside; it is masked by `judged`.
    with np.errstate(invalid="ignore"):
        if constraint.unique:
            unknown = np.full(len(observed), np.nan) if errors is None else errors
            # Where nothing says how the value was found, it may be an estimate.
            low = 1 - SURE * np.where(np.isnan(unknown), HLL_RELATIVE_ERROR * observed, unknown)
            inside = (transformed >= low) & (transformed <= 1)
        else:
            inside = ~np.isnan(transformed) if constraint.bounds is None else constraint.bounds.held(transformed)
        fired = judged & ~inside
    return Backtest(
        observed,
        transformed,
        transform.inverse_series(constraint.lower, observed, batches),
        transform.inverse_series(constraint.upper, observed, batches),
        judged,
        fired,
    )


def rate_of(constraint: Constraint, tried: Backtest, wrong: Sequence[bool] = ()) -> float:
    """The expected share of clean batches that violate it, as `Record.rate` has it, by the batches that were judged less those that
    somebody called `wrong` (none where that is not told); 0 where all were. That values are unique is a law, and so is a share that
    never changed; another number that stood still moves sooner.
    """
    judged = tried.judged & ~np.array(wrong, dtype=bool) if len(wrong) == len(tried.judged) else tried.judged
    if tried.judged.any() and not judged.any():
        return 0.0
    values = tried.observed[judged]
    still = LAW if Reader.of(constraint).unit == "ratio" else MOVES
    law = LAW if constraint.unique else still if (values == values[:1]).all() else None
    return expected_rate(int(judged.sum()), int((tried.fired & judged).sum()), law)


def _by_strategy(strategy: Strategy, observed: Series) -> Backtest:
    """Each batch by the bounds that follow from those before it."""
    lower, upper = along(strategy, observed)
    judged = np.isfinite(observed) & ~np.isnan(lower) & ~np.isnan(upper)
    with np.errstate(invalid="ignore"):
        fired = judged & ((observed < lower) | (observed > upper))
    low, high = (np.where(np.isfinite(side), side, np.nan) for side in (lower, upper))
    return Backtest(observed, observed, low, high, judged, fired)
