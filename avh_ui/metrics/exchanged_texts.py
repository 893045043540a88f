"""Texts that rows exchanged since the batch before: each of two rows has the other's old one, and no chance explains that.

Of a column of few values, as sorts and states are, one row becomes `closed` where it was `open` and another the other way round, as soon as
some rows of a batch are edited. What edits give by themselves is told by how often the values are there: of two years' lists of radio
frequencies with 30 sorts three had a pair, among 8, 13 and 22 edits, where chance gives 0.1, 0.3 and 0.9.
"""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.joining import Places
from avh_ui.metrics.matched_numbers import Mask
from avh_ui.metrics.seldom_exchanged import CHANCE


def exchanged_texts(now: Places, then: Places, changed: Mask) -> Mask:
    """Which rows took each other's texts, by the codes of texts now and before, below 0 where there is none; shape (rows,)."""
    found = np.zeros(len(now), dtype=bool)
    edited = np.flatnonzero(changed & (now >= 0) & (then >= 0))
    base = int(max(now.max(initial=0), then.max(initial=0))) + 1
    # Whose new text nobody had before, or whose old one nobody has now, took nobody's: of a time of the delivery all rows.
    came, went = np.zeros((2, base), dtype=bool)
    came[now[edited]] = went[then[edited]] = True
    places = edited[went[now[edited]] & came[then[edited]]]
    if not len(places):
        return found
    # NumPy would make a table of all numbers up to the largest.
    pairs, back = (pa.array(one[places] * base + other[places]) for one, other in ((now, then), (then, now)))
    rows = places[pc.is_in(pairs, back).to_numpy(zero_copy_only=False)]
    if len(rows) and not _by_chance(_pairs(now[rows], then[rows]), len(edited), then[then >= 0]):
        found[rows] = True
    return found


def _by_chance(pairs: int, edited: int, old: Places) -> bool:
    """Whether so many pairs among edited rows say nothing. Where no other row is edited they do: the history tells whether any are."""
    # Loading it takes longer than all else here, and most batches have no pair.
    from scipy.special import gammainc

    # The chance of so many or more, of a Poisson count.
    return 2 * pairs < edited and float(gammainc(pairs, _expected(old, edited))) > CHANCE


def _pairs(now: Places, then: Places) -> int:
    """How many pairs of rows took each other's, each row in one of them."""
    up = now > then
    ways, at = np.unique(np.stack([np.minimum(now, then), np.maximum(now, then)]), axis=1, return_inverse=True)
    one_way, other = (np.bincount(at[some], minlength=ways.shape[1]) for some in (up, ~up))
    return int(np.minimum(one_way, other).sum())


def _expected(old: Places, edited: int) -> float:
    """How many pairs of so many edited rows take each other's where old and new texts are drawn as often as the values are there."""
    shares = np.unique(old, return_counts=True)[1] / len(old)
    same = float(np.square(shares).sum())
    both_ways = same**2 - float((shares**4).sum())
    return math.comb(edited, 2) * both_ways / (1 - same) ** 2 if same < 1 else 0.0
