"""How rare it is that a column moves so far: its movements held against its own before, on the scale that all pages rank by.

The furthest of a column's many metrics is beyond three deviations on many ordinary days. How often it is that, each column's past tells: a
movement is said in multiples of the one that a tenth of the batches before exceed. No rate follows from that: on three tables 0.8 to 3.8 %
of the cells moved 2.5 times as far or farther, where tails like a power of 2.5 would let one expect 1 %, and 0.1 to 0.3 % moved 40 times as
far. So no rate is said beyond what the batches before show.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from avh_ui.history.movement import FAR
from avh_ui.history.series import Series

# Movements of so many batches before are what is usual: two months of a daily table.
WINDOW = 60
# From how many times as far as usual on something is marked, and darker: by powers of 10 of the rarity, if tails fall like a power of 2.5
# (`constraints.surprise`).
STEPS = (2.5, 6.3, 16.0, 40.0)
# The movement that a tenth of the batches exceed is usual.
_SHARE = 0.1
# Who hardly ever moves is not held to less than one deviation. Fewer batches than these say nothing of a tenth: until then it is said to be
# four, so that what is marked moved ten deviations, which are seldom chance.
_LEAST_MOVE, LEAST, _YOUNG = 1.0, 10, 4.0


@dataclass(frozen=True)
class Rarity:
    """Something moved so many `times` as far as usual, NaN where that is not known; `as_far` of the `of` batches before moved that far."""

    times: float
    as_far: int = 0
    of: int = 0
    beyond: bool = False

    @classmethod
    def among(cls, moved: float, past: Series) -> Rarity:
        """A movement held against those of the batches before, shape (K,), oldest first; NaN is not known."""
        known = past[-WINDOW:][np.isfinite(past[-WINDOW:])]
        times = moved / float(_usual(known[None, :])[0])
        return cls(times, int((known >= moved).sum()), len(known), moved >= FAR)

    @property
    def marked(self) -> bool:
        """Whether it stands out."""
        return self.times >= STEPS[0]

    @property
    def order(self) -> float:
        """To sort by: what is not known comes last."""
        return -1.0 if math.isnan(self.times) else self.times

    @property
    def words(self) -> str:
        """`16\N{MULTIPLICATION SIGN}, none in 60`; `as usual` of what a tenth of the batches exceed, nothing of what is not known."""
        if math.isnan(self.times):
            return ""
        if self.times <= 1:
            return "as usual"
        often = f", {self.as_far or 'none'} in {self.of}" if self.of >= LEAST else ""
        return f"{'> ' if self.beyond else ''}{self._times}{often}"

    @property
    def far(self) -> str:
        """The same within a sentence, without how often: `more than 16\N{MULTIPLICATION SIGN} as far as usual`."""
        if not self.times > 1:
            return self.words
        return f"{'more than ' if self.beyond else ''}{self._times} as far as usual"

    @property
    def _times(self) -> str:
        return f"{self.times:.{0 if self.times >= 10 else 1}f}\N{MULTIPLICATION SIGN}"


UNKNOWN = Rarity(math.nan)


def times_usual(moved: Series) -> Series:
    """Of a column's movements (`movement.column_movements`, shape (K,)) how many times as far as usual each is; NaN as they are."""
    past = np.lib.stride_tricks.sliding_window_view(np.concatenate([np.full(WINDOW, np.nan), moved[:-1]]), WINDOW)
    found: Series = moved / _usual(past)
    return found


def _usual(past: Series) -> Series:
    """The movement that a tenth of each row exceed, shape (N,), of movements of shape (N, W), NaN where they are not known."""
    ordered, known = np.sort(past, axis=1), np.isfinite(past).sum(axis=1)  # NaN last
    if not past.shape[1]:
        return np.full(len(past), _YOUNG)
    place = np.clip(np.ceil((1 - _SHARE) * known).astype(int) - 1, 0, past.shape[1] - 1)
    found: Series = np.where(known < LEAST, _YOUNG, np.fmax(ordered[np.arange(len(past)), place], _LEAST_MOVE))
    return found
