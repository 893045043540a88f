"""What of a constraint says how its numbers read."""

from __future__ import annotations

from typing import Protocol

from avh_ui.constraints.bounds import Strict
from avh_ui.constraints.transforms import Transform


class Bounded(Protocol):
    """What of a constraint says how its numbers read; the constraint itself writes its verdicts with a `Reader`."""

    @property
    def metric(self) -> str:
        """The metric's name."""

    @property
    def kind(self) -> str:
        """The kind of column that the metric was declared for."""

    @property
    def transform(self) -> Transform:
        """From the metric to the space of the bounds."""

    @property
    def strict(self) -> Strict:
        """Which bounds do not belong to the range."""

    @property
    def outside(self) -> bool:
        """Whether the metric must not be in the range."""

    @property
    def upper(self) -> float | None:
        """The upper bound; None where there is none."""

    @property
    def size(self) -> float | None:
        """How large the numbers are that steps of rows are told of; None where that is not known."""
