"""Checks whose bounds follow from the history (VLDB 2018, Table 1: `hasNoAnomalies`), and the strategies by which they do.

The bounds of a batch follow from the values of the measure in the batches before it that are sound: that did not fail, and that nobody
called wrong. Where they are too few, or none is kept, the check is not evaluated; Deequ fails it where there is no history, and passes it
on too short a one.
"""

from __future__ import annotations

from typing import Any

from avh_ui.constraints.bounds import Bounds, Strict
from avh_ui.constraints.check import Check, stated
from avh_ui.constraints.constraint import Level
from avh_ui.constraints.strategy_field import strategy_of
from avh_ui.errors import UsageError
from avh_ui.history.anomalies import AbsoluteChange, RelativeRateOfChange, Strategy, Threshold
from avh_ui.history.deviations import BatchNormal, OnlineNormal
from avh_ui.history.recent import Recent
from avh_ui.history.seasonal import FACTOR, HoltWinters
from avh_ui.metrics.measure import Measure


@stated
def has_no_anomalies(measure: Measure, strategy: Strategy | str, *, level: Level = "error", hint: str = "") -> Check:
    """The measure is what its history lets expect, by a strategy of this module (Deequ: addAnomalyCheck)."""
    if not isinstance(measure, Measure):
        raise UsageError(f"{measure!r} is no measure.", hint="Take one of avh.analyzers: has_no_anomalies(of.size(), online_normal(3)).")
    return Check(measure, Bounds(strategy=strategy_of(strategy)), level, hint)


def threshold(lower: float | None = None, upper: float | None = None) -> Threshold:
    """Fixed bounds, which belong to what is allowed."""
    return Threshold(lower, upper)


def absolute_change(lower: float | None = None, upper: float | None = None, *, order: int = 1) -> AbsoluteChange:
    """Bounds on the difference to the batch before; a fall is negative. `order` 2 is the change of the change."""
    return AbsoluteChange(lower, upper, order)


def relative_rate_of_change(lower: float | None = None, upper: float | None = None, *, order: int = 1) -> RelativeRateOfChange:
    """Bounds on the ratio to the value `order` batches before: 0.5 to 2 is from half to double."""
    return RelativeRateOfChange(lower, upper, order)


def recent(
    lower: float | None = None,
    upper: float | None = None,
    *,
    of: str = "mean",
    batches: int = 1,
    plus: float = 0.0,
    strict: Strict = "",
    deviations: float = 0.0,
    absolute: bool = False,
) -> Recent:
    """`lower` and `upper` times a number of the last batches, `plus` an amount: `recent(0.8, of="mean", batches=5)` is at least 0.8 times
    the mean of the last five. `of` is mean, median, min, max, sum, standard_deviation or first (the oldest of them), `absolute` without its
    sign; `deviations` widens the bounds by so many standard deviations of these batches. Ends that are `strict` are not reached.
    """
    return Recent(lower, upper, of, batches, plus, strict, deviations, absolute)


def online_normal(factor: float | None = 3.0, *, ignore_start: float = 0.1, ignore_anomalies: bool = True, **sides: Any) -> OnlineNormal:
    """`factor` standard deviations of all values up to this one, itself among them; or `lower` and `upper` of their own, where a side that
    is not given is open.
    """
    return OnlineNormal(*_sides(factor, sides), ignore_start, ignore_anomalies)


def batch_normal(factor: float | None = 3.0, **sides: Any) -> BatchNormal:
    """`factor` standard deviations of the values before this one; or `lower` and `upper` of their own, as in `online_normal`."""
    return BatchNormal(*_sides(factor, sides))


def holt_winters(period: int | None = None, *, factor: float = FACTOR) -> HoltWinters:
    """`factor` deviations around the forecast of a model with trend and season; `period` in batches, found in the series unless given."""
    return HoltWinters(period, factor)


def _sides(factor: float | None, sides: dict[str, Any]) -> tuple[float | None, float | None]:
    if strange := sides.keys() - {"lower", "upper"}:
        raise UsageError(f"There is no parameter {min(strange)!r}.", hint="Give a factor, or lower and upper.")
    return (sides.get("lower"), sides.get("upper")) if sides else (factor, factor)
