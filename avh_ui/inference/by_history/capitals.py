"""How many letters of texts are capitals, where that varies.

Of texts in small letters and capitals readers kept no "6% to 36%": what is asked is that they are in no one case, nor most of them in the
other one than they were.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_history.modelled import Modelled
from avh_ui.metrics.text import CAPITAL_RATIO

Floats = NDArray[np.float64]

# What people know below and above: none, hardly any, half of them.
_BELOW, _ABOVE = (0.0, 0.01, 0.5), (-1.0, -0.99, -0.5)


def is_cased(model: Modelled) -> bool:
    """Whether it is how many letters are capitals, where that varies: what is asked is that the texts are in no one case."""
    return model.metric is CAPITAL_RATIO and model.sigma > 0 and not model.transform.relative


def in_no_case(lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """The bounds, shapes (Q,), moved outwards to what people know."""
    return _to(lower, _BELOW), -_to(-upper, _ABOVE)


def _to(ends: Floats, known: tuple[float, ...]) -> Floats:
    """Lower bounds moved to the nearest of what people know below them."""
    return np.where(np.isfinite(ends), np.array(known)[np.maximum(np.searchsorted(known, ends, side="right") - 1, 0)], ends)
