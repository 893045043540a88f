"""Which batches of a long history a chart is sent: those of the part that is seen, and of the rest as many as show its outline."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from avh_ui.ui.components.charted import Floats

# A chart is some 700 pixels wide: of more batches than this, several share a pixel. Two years of days are drawn whole.
MOST = 800
# Batches before and after the part that is seen: for the eye that zooms out, until the server has sent that part.
AROUND = 150

Places = NDArray[np.int64]


def thinned(x: Floats, y: Floats, fired: NDArray[np.bool_], seen: tuple[float, float] | None = None) -> Places:
    """The places of the batches to draw, ascending: all of a short history, else those in sight with some around.

    Arrays have shape (K,), `x` ascends, `seen` is the part in sight (None = all). Where batches are left out, each stretch of them keeps
    its lowest and its highest value and one that fired, so that no outlier is lost. No more than `MOST + 2 * AROUND` places.
    """
    every = np.arange(len(x))
    if len(x) <= MOST:
        return every
    first, last = (x[0], x[-1]) if seen is None else seen
    start, stop = int(np.searchsorted(x, first)), int(np.searchsorted(x, last, side="right"))
    parts = ((every[:start], AROUND), (every[start:stop], MOST), (every[stop:], AROUND))
    return np.concatenate([_outline(places, y, fired, most) for places, most in parts])


def _outline(places: Places, y: Floats, fired: NDArray[np.bool_], most: int) -> Places:
    if len(places) <= most:
        return places
    kept = {int(places[0]), int(places[-1])}
    for part in np.array_split(places, most // 3 - 1):  # each gives up to three
        values = y[part]
        kept |= {int(part[np.where(np.isnan(values), edge, values * sign).argmin()]) for sign, edge in ((1, np.inf), (-1, np.inf))}
        kept |= {int(part[at]) for at in np.flatnonzero(fired[part])[:1]}
    return np.array(sorted(kept), dtype=np.int64)
