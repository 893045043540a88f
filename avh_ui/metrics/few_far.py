"""Few values far beyond all of the batch before, in a sentence: what an alarm on a distance says that they alone make."""

from __future__ import annotations

import numpy as np

from avh_ui.metrics.column import Floats
from avh_ui.metrics.mix_words import plain_number

# Of more values it is said where they lie: then the distance is theirs together.
_FEW = 0.1


def few_far(at: Floats, now: Floats, before: Floats, *, rows: int) -> str:
    """`3 values are above all of the batch before, whose largest is 2,424: up to 10,000,000.`, where so few of the `rows` make most of the
    area between both cumulative shares, of shape (G,) each; '' where they do not.
    """
    areas = np.abs(now - before)[:-1] * np.diff(at)
    top, bottom = int(np.flatnonzero(before >= before[-1])[0]), int(np.flatnonzero(before > 0)[0])
    # What makes the area beyond each end, and the share of our values there.
    above = float(areas[top:].sum()), float(1 - now[top])
    below = float(areas[:bottom].sum()), float(now[bottom - 1]) if bottom else 0.0
    (area, share), way = (above, "above") if above[0] >= below[0] else (below, "below")
    if not area > areas.sum() / 2 or share > _FEW:
        return ""
    count = max(1, round(share * rows))
    are = "1 value is" if count == 1 else f"{count:,} values are"
    end, farthest = (("largest", at[top]), at[-1]) if way == "above" else (("smallest", at[bottom]), at[0])
    to = f"{'up' if way == 'above' else 'down'} to {plain_number(float(farthest))}"
    return f"{are} {way} all of the batch before, whose {end[0]} is {plain_number(float(end[1]))}: {to}."
