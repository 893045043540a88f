"""How many letters of texts are capitals, where that varies.

Of texts in small letters and capitals readers kept no "6% to 36%": what is asked is that they are in no one case, nor most of them in the
other one than they were. Of texts of which hardly any letter is a capital, as of notes of whole sentences, half of them is far off: readers
kept such a line of 7 % ever and of 4 %, and called it too loose of 7 % and of 0.4 %.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_history.modelled import Modelled
from avh_ui.metrics.text import CAPITAL_RATIO

Floats = NDArray[np.float64]

# What people know below and above: none, hardly any, half of them.
_BELOW, _ABOVE = (0.0, 0.01, 0.5), (-1.0, -0.99, -0.5)
# Texts of which about half of the letters are capitals are made of codes: readers called it meaningless of 43 to 46 %, and of JSON of 43 %,
# and kept it of names of 10 to 43 %.
_HALF = (0.4, 0.6)
# Above texts of which so few letters ever are capitals: half of them was too loose, too, of commands of 6 to 14 %, said both readers.
_SELDOM, _NEAR = 0.2, (*_ABOVE, -0.3, -0.25, -0.2, -0.15, -0.1)


def is_cased(model: Modelled) -> bool:
    """Whether it is how many letters are capitals, where that varies: what is asked is that the texts are in no one case."""
    return model.metric is CAPITAL_RATIO and model.sigma > 0 and not model.transform.relative


def is_of_codes(model: Modelled) -> bool:
    """Whether about half of the letters are capitals in every batch, of which nobody asks how many."""
    return is_cased(model) and bool(_HALF[0] <= model.values.min() <= model.values.max() <= _HALF[1])


def in_no_case(model: Modelled, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """The bounds, shapes (Q,), moved outwards to what people know; nearer to few capitals where there may be none."""
    least = _to(lower, _BELOW)
    few = (least <= 0) & (float(model.values.max()) <= _SELDOM)
    return least, -np.where(few, _to(-upper, _NEAR), _to(-upper, _ABOVE))


def _to(ends: Floats, known: tuple[float, ...]) -> Floats:
    """Lower bounds moved to the nearest of what people know below them."""
    return np.where(np.isfinite(ends), np.array(known)[np.maximum(np.searchsorted(known, ends, side="right") - 1, 0)], ends)
