"""How far one row can move a metric that never changed: the smallest step that its bounds tolerate."""

from __future__ import annotations

import math
from typing import Protocol

from avh_ui.constraints.transforms import Transform
from avh_ui.metrics.metric import Metric

# The step of a constant metric of which one row has no known effect, as a share of its value, or of the column's range for extremes.
STEP_SHARE = 0.01


class Still(Protocol):
    """What of a metric's model says how far a row moves it."""

    @property
    def metric(self) -> Metric:
        """What is bounded."""
        ...

    @property
    def transform(self) -> Transform:
        """From the metric to the space of its bounds."""
        ...

    @property
    def mu(self) -> float:
        """Its one value."""
        ...


def grain(model: Still, rows: int) -> float:
    """How far one row can move the metric; 0 where that depends on the row's value."""
    if model.transform.log or not rows:
        return 0.0
    if model.metric.volume:
        # Rows come and go in deliveries of some size, and a change of volume worth catching is far larger.
        return max(1.0, math.ceil(STEP_SHARE * model.mu))
    if model.metric.whole:
        return 1.0
    # One row moves a share by 1/rows and an average of characters by at least that; an L1 distance by 2/rows.
    return {"ratio": 1.0, "characters": 1.0, "distance": 2.0}.get(model.metric.unit, 0.0) / rows
