"""What a history chart draws, and the part of the scale on which it is seen."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bounds = tuple[float | None, float | None]
# The texts of the batches at some places, in their order: of a long history, only those that are drawn are ever written.
Texts = Callable[[NDArray[np.int64]], list[str]]
# An open side is drawn as if its bound were this many heights away: its edge is out of sight and out of the mouse's reach.
FAR = 50.0


@dataclass(frozen=True)
class ChartData:
    """What is drawn: all arrays have shape (K,). `bounds` are the band's constant edges, or `area` its edges per batch.

    `values` and `ranges` write what was observed of some batches and their bounds. `style` names the tick formatter, `reference` are
    edges drawn as dashed lines (the live version's), constant or per batch, `beside` those of an anomaly strategy, dotted.
    `marks` are those of `ChartMarks`, `seen` the part of the axis that is shown (None = all of it). `told` says it all to who
    does not see it.
    """

    x: Floats
    y: Floats
    fired: NDArray[np.bool_]
    batches: Sequence[str]
    values: Texts
    ranges: Texts
    dates: bool
    style: str
    step: float
    bounds: Bounds = (None, None)
    area: tuple[Floats, Floats] | None = None
    window: tuple[float, float] | None = None
    reference: tuple[Floats, Floats] | None = field(default=None)
    beside: tuple[Floats, Floats] | None = None
    marks: Sequence[Any] = ()
    seen: tuple[float, float] | None = None
    told: str = ""


def extent(data: ChartData) -> tuple[float, float]:
    """The values and bounds that should be seen, with some air; a bound beyond all proportion is left out of sight."""
    inside = np.ones(len(data.x), dtype=bool) if data.seen is None else (data.x >= data.seen[0]) & (data.x <= data.seen[1])
    finite = data.y[np.isfinite(data.y) & inside]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    reach = 20 * max(high - low, 1e-9 * abs(high), 1e-300)
    edges = [bound for bound in data.bounds if bound is not None] if data.area is None else [*data.area[0][inside], *data.area[1][inside]]
    edges += [edge for side in (*(data.reference or ()), *(data.beside or ())) for edge in side[inside[: len(side)]]]
    seen = [edge for edge in edges if math.isfinite(edge) and (low == high or low - reach <= edge <= high + reach)]
    low, high = min([low, *seen]), max([high, *seen])
    if high - low <= 1e-6 * max(abs(low), abs(high)):  # a constant: any scale would do, so one that shows it in the middle
        if data.style == "percent":  # there is nothing beyond all and nothing
            return max(low - 0.05, -0.005), min(high + 0.05, 1.005)
        air = 0.05 * abs(high) or 0.5
        return low - air, high + air
    air = 0.09 * (high - low)
    return low - air, high + air


def far(sight: tuple[float, float]) -> tuple[float, float]:
    """Where open sides are drawn, below and above the values that are seen."""
    low, high = sight
    return low - FAR * (high - low), high + FAR * (high - low)
