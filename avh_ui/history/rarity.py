"""How rare it is that a column moves so far: its movements held against its own before, on the scale that alarms are ranked by.

The furthest of a column's many metrics is beyond three deviations on many ordinary days. How often it is that, each column's past tells.
"""

from __future__ import annotations

import numpy as np

from avh_ui.history.series import Series

# Movements of so many batches before are what is usual: two months of a daily table.
_WINDOW = 60
# The movement that a tenth of the batches exceed; beyond it they get rarer like a power of 2.5 (as in `constraints.surprise`).
_SHARE, _INDEX = 0.1, 2.5
# Who hardly ever moves is not held to less than one deviation. Fewer batches than these say nothing of a tenth: until then it is said to be
# four, so that the mark of 1 in 100 stands at ten deviations, which are seldom chance.
_LEAST_MOVE, _LEAST, _YOUNG = 1.0, 10, 4.0


def rarity(moved: Series) -> Series:
    """Of a column's movements (`movement.column_movements`, shape (K,)) the share of batches in which it moves that far or farther.

    A tenth is as rare as it gets within what is usual: above it all is 1. NaN where the movement is.
    """
    past = np.lib.stride_tricks.sliding_window_view(np.concatenate([np.full(_WINDOW, np.nan), moved[:-1]]), _WINDOW)
    ordered, known = np.sort(past, axis=1), np.isfinite(past).sum(axis=1)  # NaN last
    place = np.clip(np.ceil((1 - _SHARE) * known).astype(int) - 1, 0, _WINDOW - 1)
    usual = np.where(known < _LEAST, _YOUNG, np.fmax(ordered[np.arange(len(moved)), place], _LEAST_MOVE))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(moved > usual, _SHARE * (moved / usual) ** -_INDEX, 1.0)
    found: Series = np.where(np.isnan(moved), np.nan, share)
    return found
