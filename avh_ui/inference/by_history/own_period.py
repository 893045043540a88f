"""Days that are of the batch's own week or month: each batch's lie between its date and the next one's, or the one before and its own.

Bounds as wide as deviations ask said of tweets by week that their last day is at most 70 days after the batch, and of orders by week that
their first is at most 360 before it: a file of another week passed. Of seven columns of days by week and month, learned from 30 batches,
none of 705 later batches left its own days, nor did any learned from 45, 60 and two thirds of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from avh_ui.constraints.date_parts import PARTS
from avh_ui.history.series import ColumnHistory, Series
from avh_ui.inference.by_history.bounds import LEAST_RATE
from avh_ui.inference.by_history.modelled import Modelled
from avh_ui.inference.by_history.moments import ENDS
from avh_ui.inference.by_history.tails import OF_EVERY_VALUE_RULE

B = TypeVar("B", bound=Any)
# The part that days are told beside.
_DATE = "date"
# Fewer days than this between two batches are no period that days could lie in.
_LEAST = 2
# Months have 28 to 31 days, and quarters 90 to 92. Where more than a tenth of the batches came later than that, they keep no period.
_LONGER, _REGULAR = 1.2, 0.9
# Of a period longer than a month a first day that never passed so small a part of it is no later than so many times, or weeks: "within 91
# days" was too loose of quarters whose first day was one of their first four. Of months readers kept all of eleven.
_MONTH, _SOON, _TIMES, _WEEK = 31.0, 10, 3.0, 7.0


class Dated(Modelled, Protocol):
    """A metric's model with the days of its batch."""

    @property
    def own_days(self) -> tuple[float, float] | None:
        """From which to which day beside its date a batch has its days; None where that is not known."""
        ...


def own_days_of(model: Modelled, history: ColumnHistory) -> tuple[float, float] | None:
    """From which to which day beside its date a batch of this history has its days, both ends of them; None where they keep to none."""
    ends = next((ends for ends in ENDS if model.metric.name in ends), ())
    if model.transform.part != _DATE or not ends or any(end not in history.values for end in ends):
        return None
    first, last = (model.transform.apply(history.values[end], history.batches) for end in ends)
    ids = np.array([PARTS[_DATE].number(batch) for batch in history.batches])
    found = _window(first, last, ids) if np.isfinite(np.concatenate([first, last, ids])).all() else None
    return _nearer(model, found) if found else None


def _window(first: Series, last: Series, ids: Series) -> tuple[float, float] | None:
    """The days from one batch to the next, of batches of these numbers, if all are in them, all three of shape (K,)."""
    apart = np.diff(ids)
    if not len(apart) or apart.min() < _LEAST:
        return None
    usual = apart[apart <= _LONGER * apart.min()]
    length, least, most = float(usual.max()) - 1, first.min(), last.max()
    if len(usual) < _REGULAR * len(apart):
        return None
    if least >= 0 and most <= length:
        return 0.0, length
    return (-length, 0.0) if least >= -length and most <= 0 else None


def _nearer(model: Modelled, days: tuple[float, float]) -> tuple[float, float]:
    """The days of its own, but for the first day of a quarter, which always is one of its first, three weeks or three times as many."""
    seen = float(model.values.max())
    soon = days[0] == 0 and days[1] > _MONTH and _SOON * seen <= days[1]
    return (0.0, _TIMES * max(_WEEK, seen)) if soon and model.metric.extreme == "least" else days


def with_own_days(model: Dated, found: B) -> B:
    """Candidates with the days of the batch's own before all others, where they are known and vary."""
    if model.own_days is None or model.sigma == 0:
        return found
    first: dict[str, Any] = {"fpr": max(LEAST_RATE, (len(model.values) + 2.0) ** -OF_EVERY_VALUE_RULE), "k": np.nan, "width": np.nan}
    first["lower"], first["upper"] = model.own_days
    return replace(found, **{name: np.concatenate([[value], getattr(found, name)]) for name, value in first.items()})


def belonging(models: Sequence[Dated], owner: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which candidates say that the values belong to their batch's date, shape (B,), each of the model of its `owner`: all of what never
    changed beside it, and the first of what keeps to its own days.
    """
    dated = np.array([bool(model.transform.part) and model.sigma == 0 for model in models], dtype=bool)[owner]
    kept, first = np.array([model.own_days is not None for model in models], dtype=bool), np.zeros(len(owner), dtype=bool)
    first[np.unique(owner, return_index=True)[1]] = True
    return dated | (kept[owner] & first)
