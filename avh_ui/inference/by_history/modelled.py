"""What the rules of bounds are told of a metric's model: how small a step counts, how they are written, whether they stay above 0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from avh_ui.constraints.transforms import Transform
from avh_ui.history.series import Series
from avh_ui.inference.by_history.usual_size import UsualShares
from avh_ui.metrics.metric import Metric


class Modelled(Protocol):
    """A metric's history and its moments, as they are bounded."""

    @property
    def metric(self) -> Metric:
        """What is bounded."""
        ...

    @property
    def observed(self) -> Series:
        """Its history, before the transform, shape (K,)."""
        ...

    @property
    def transform(self) -> Transform:
        """From what was observed to what is compared."""
        ...

    @property
    def values(self) -> Series:
        """What is compared with the bounds, shape (n,)."""
        ...

    @property
    def mu(self) -> float:
        """The mean of what is compared, or its one value."""
        ...

    @property
    def sigma(self) -> float:
        """Its standard deviation; 0 where it never changed."""
        ...

    @property
    def volume(self) -> bool:
        """Whether it is a number of rows, or varies as one."""
        ...

    @property
    def alone(self) -> bool:
        """Whether it is of the one value of a table of one row a batch."""
        ...

    @property
    def limits(self) -> tuple[float, float]:
        """Between which the column's values lie by nature."""
        ...

    @property
    def spread(self) -> float:
        """The usual deviation of the column's values; NaN where it is not known."""
        ...

    @property
    def level(self) -> float:
        """How far a batch's average usually is from 0; NaN where that is not known."""
        ...

    @property
    def signed(self) -> bool:
        """Whether values may be negative that never were so far."""
        ...

    @property
    def reach(self) -> float:
        """How far from the mean its bounds are at least."""
        ...

    @property
    def one_value(self) -> bool:
        """Whether all rows of a batch have one value."""
        ...

    @property
    def frequent(self) -> tuple[float, float]:
        """The rows and the share of a batch's values that its most frequent one has; infinite where that is not known."""
        ...

    @property
    def ever(self) -> tuple[float, float]:
        """Between which all values of the column lay; NaN where that is not known."""
        ...

    @property
    def temporal(self) -> bool:
        """Whether it is of a column of times."""
        ...

    @property
    def drifting(self) -> bool:
        """Whether it is as it is though its level drifts: nothing near is bounded."""
        ...

    @property
    def usual(self) -> Mapping[str, UsualShares]:
        """What shares of the column were in batches of the usual size, by the names of their metrics."""
        ...

    @property
    def stays(self) -> int:
        """How many rows the table has, where they come again and again with the values that they had; else 0."""
        ...
