"""The scales on which numbers of all sizes move alike; both keep signs, and NaN."""

from __future__ import annotations

import numpy as np

from avh_ui.metrics.column import Floats


def logged(numbers: Floats) -> Floats:
    """Of factors: log1p of the size."""
    return np.sign(numbers) * np.log1p(np.abs(numbers))


def rooted(numbers: Floats) -> Floats:
    """Of counts: the square root of the size (Anscombe, 1948)."""
    return np.sign(numbers) * np.sqrt(np.abs(numbers))
