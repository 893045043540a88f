"""What is told beside the batch's date: a number that is a part of it, and moments that move with it."""

from __future__ import annotations

import numpy as np

from avh_ui.constraints.date_parts import part_followed, part_moved_with
from avh_ui.constraints.transforms import IDENTITY, Transform
from avh_ui.history.series import ColumnHistory, Series
from avh_ui.inference.by_history.stationarity import is_constant
from avh_ui.metrics.dates import DAYS
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.moments import MAX, MIN

# So many batches in a row nothing rises by chance.
_RISES = 30
# The metrics of a column's first and last moment, by where they are read from.
ENDS = ((MIN.name, MAX.name), *((first.name, last.name) for first, last in DAYS))


def followed(metric: Metric, history: ColumnHistory, observed: Series) -> Transform:
    """Compared with a part of the batch's id where a number of the column's own unit is that in all batches; `observed` of shape (K,)."""
    if metric.unit != "value" or metric.total or metric.two_distribution or metric.extreme == "spread":
        return IDENTITY
    part = part_followed(observed, history.batches, history.column, moments=metric.of_moments(history.kind))
    return Transform(part=part) if part else IDENTITY


def moving(
    metric: Metric, history: ColumnHistory, observed: Series, form: tuple[Transform, Series] | None
) -> tuple[Transform, Series] | None:
    """The form of moments that move with their batch: beside its date, whatever their spread. A day that none lies after alarms once it is
    over. Those of one moment, or that move by one step throughout, say more, and keep the `form` they have, as all other metrics do.
    A largest value that rose with each batch, as of numbers that are handed out, is beside that of the batch before.
    """
    if form is None and metric.extreme == "greatest" and len(observed) > _RISES and np.all(np.diff(observed) > 0):
        form = Transform(lag=1), np.diff(observed)
    if not metric.of_moments(history.kind) or metric.extreme == "spread" or metric.two_distribution:
        return form
    if form is not None and is_constant(form[1], float(np.abs(observed).max())):
        return form
    part = part_moved_with([history.values[end] for pair in ENDS for end in pair if end in history.values], history.batches)
    return (Transform(part=part), Transform(part=part).apply(observed, history.batches)) if part else form
