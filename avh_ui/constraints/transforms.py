"""Time-series transforms that make a metric's history stationary (AVH, Appendix E, Algorithm 5).

A transform is remembered with its constraint: a new value is transformed by the same lag and logarithm before it is compared
with the bounds, and bounds are carried back to the metric's own unit to be drawn and explained.

What follows from the batch's id (the year of a day's rows) is compared with what the id says: a bound that moves with the calendar.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from avh_ui.constraints.calendar_steps import Step
from avh_ui.constraints.date_parts import PARTS
from avh_ui.constraints.weekdays import Weekdays
from avh_ui.history.looking_back import places_back
from avh_ui.history.series import Series
from avh_ui.typed import CLOSED, LEFT_OUT, Text, Truth, Whole


@dataclass(frozen=True)
class Transform:
    """`lag` batches of differencing (0 = none), after `log1p` when `log`; or the difference to the `part` of the calendar that the batch's
    id names (`date_parts.PARTS`; '' = none); or how far the value is from what is usual on the batch's weekday.
    """

    __pydantic_config__ = CLOSED
    lag: Whole = 0
    log: Truth = False
    part: Annotated[Text, LEFT_OUT] = ""
    weekdays: Annotated[Weekdays | None, Field(exclude_if=lambda weekdays: weekdays is None)] = None

    def __post_init__(self) -> None:
        if self.lag < 0:
            raise ValueError(f"a lag counts batches back and cannot be {self.lag}")
        if self.part and (self.lag or self.log):
            raise ValueError(f"what is compared with the {self.part} of the batch has neither lag nor logarithm")
        if self.weekdays is not None and (self.lag or self.part or not self.log):
            raise ValueError("what is compared with its weekday is so by logarithms, and with nothing else")
        if self.part and self.part not in PARTS:
            raise ValueError(f"this avh_ui knows no part {self.part!r} of a batch's id")

    @property
    def is_identity(self) -> bool:
        """Whether values are compared as they are."""
        return self == IDENTITY

    @property
    def relative(self) -> bool:
        """Whether values are compared with a reference: an earlier batch, or what the batch's id says."""
        return bool(self.lag or self.from_id)

    @property
    def from_id(self) -> str:
        """The part of the batch's id that values are compared with; '' where it is none."""
        return self.weekdays.part if self.weekdays is not None else self.part

    @property
    def record(self) -> dict[str, object]:
        """As plain data, as a document has it."""
        part: dict[str, object] = {"part": self.part} if self.part else {}
        return {"lag": self.lag, "log": self.log} | part | ({} if self.weekdays is None else {"weekdays": self.weekdays.record})

    def forward(self, observed: float, reference: float | None = None) -> float:
        """The transformed value of one observation; `reference` is the metric `lag` batches earlier, or the part of the batch's id.

        NaN when the observation is undefined, negative under a logarithm, or its reference is missing.
        """
        if self.weekdays is not None:
            return float(self.weekdays.apart(np.array(observed), np.array(math.nan if reference is None else reference)))
        value = self._own(observed)
        if not self.relative:
            return value
        if reference is None:
            return math.nan
        return value - (_log1p(reference) if self.log else reference)

    def references(self, series: Series, batches: Sequence[str] = ()) -> Series:
        """What each value of a series is compared with, shape (K,), where it is `relative`: NaN where that is not known; `batches` are
        their ids, without which no part of them is.
        """
        found = np.full(len(series), np.nan)
        if self.from_id:
            found[: len(batches)] = [self.told_by(batch, value) for batch, value in zip(batches, series.tolist(), strict=False)]
        elif self.lag:
            back = places_back(batches, self.lag) if len(batches) == len(series) else np.maximum(np.arange(len(series)) - self.lag, -1)
            found[back >= 0] = series[back[back >= 0]]
        return found

    def told_by(self, batch: str, observed: float = math.nan) -> float:
        """The number that a batch's id gives for what values are compared with, of several the nearest to what was `observed`; NaN where it
        names none.
        """
        return PARTS[self.from_id].number(batch, observed)

    def apply(self, series: Series, batches: Sequence[str] = ()) -> Series:
        """The whole series transformed: shape (K,), NaN for its first `lag` batches; `batches` are as in `references`."""
        return self.against(series, self.references(series, batches))

    def against(self, values: Series, references: Series | float) -> Series:
        """Values of any shape transformed, with what they are compared with, which has that shape or is one number."""
        if self.weekdays is not None:
            return self.weekdays.apart(*np.broadcast_arrays(values, np.asarray(references)))
        found = self._all(values)
        if not self.relative:
            return found
        return found - (np.asarray(references) if self.part else self._all(np.asarray(references, dtype=np.float64)))

    def reference_of_last(self, series: Series, batches: Sequence[str] = ()) -> float | None:
        """What the last value of a series is compared with; None where it is not `relative`."""
        return float(self.references(series, batches)[-1]) if self.relative else None

    def comparable(self, reference: float | None) -> bool:
        """Whether a value can be compared at all: always where it is not `relative`, else when the reference is finite and has the
        logarithm.
        """
        if not self.relative:
            return True
        return reference is not None and math.isfinite(reference) and (reference >= 0 or not self.log)

    def inverse(self, bound: float | None, reference: float | None = None) -> float | None:
        """A bound carried back to the metric's unit; None stays open, and so does a bound whose reference is not `comparable`."""
        if bound is None or not self.comparable(reference):
            return None
        value = bound
        if self.weekdays is not None and reference is not None:
            return self.weekdays.number(bound, reference)
        if self.relative and reference is not None:
            value += _log1p(reference) if self.log else reference
        if not self.log:
            return value if self.step is None else self.step.start(value)
        # Bounds far outside the double range are open for all practical purposes.
        return math.expm1(value) if value < 700 else math.inf

    def inverse_series(self, bound: float | None, series: Series, batches: Sequence[str] = ()) -> Series:
        """The bound in the metric's unit at each batch: shape (K,), NaN where it is open or has no reference yet; `batches` are as in
        `references`.
        """
        if not self.relative:
            value = self.inverse(bound)
            return np.full(len(series), np.nan if value is None else value)
        known = (self.inverse(bound, reference) for reference in self.references(series, batches).tolist())
        return np.array([math.nan if value is None else value for value in known], dtype=np.float64)

    def describe(self) -> str:
        """In words: what is compared with the bounds."""
        if self.weekdays is not None:
            return "how far the value is from what is usual on the weekday of the batch"
        if self.part:
            return f"the value with the {PARTS[self.part].words} that the batch's id names"
        what = "the logarithm of the value" if self.log else "the value"
        if not self.lag:
            return what
        return f"the change of {what} against {self.before}"

    @property
    def before(self) -> str:
        """What it is compared with in words, where that is a batch before."""
        return "the batch before" if self.lag == 1 else f"{self.lag} batches before"

    @property
    def step(self) -> Step | None:
        """What of the calendar moments are compared in; None where the values themselves are compared."""
        return PARTS[self.part].step if self.part else None

    def _own(self, observed: float) -> float:
        """One value before anything is taken from it."""
        if self.log:
            return _log1p(observed)
        return observed if self.step is None or not math.isfinite(observed) else float(self.step.of(np.array([observed]))[0])

    def _all(self, series: Series) -> Series:
        """The same of a series, in an array of its own."""
        if self.log:
            return np.log1p(series, out=np.full(np.shape(series), np.nan), where=series >= 0)
        return np.array(series, dtype=np.float64) if self.step is None else self.step.of(np.asarray(series, dtype=np.float64))


IDENTITY = Transform()


def _log1p(value: float) -> float:
    return math.log1p(value) if value >= 0 else math.nan
