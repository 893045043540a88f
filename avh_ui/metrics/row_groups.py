"""What rows that changed have in common: the value of another column that tells most of them from the rest, and that in the fewest bits.

To say which h of n rows changed takes log2 C(n, h) bits. To name a column and one of its values, and to say which rows changed within that
group and outside of it, takes fewer where the group explains them (minimum description length: Rissanen, "Modeling by shortest data
description", Automatica 1978). One row needs no explanation, all rows have none, and without a group that saves bits there is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from avh_ui.metrics.joining import Places
from avh_ui.metrics.matched_numbers import Mask
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.sampled_values import SampledValues

# A group explains rows when so many of them are in it, and so much of it has changed; of a lesser part when the bits saved say that chance
# would do it once in a thousand.
MOST, _SURE = 0.7, 10.0
# Several groups are named where each of them changed whole, but for a row or two, and where they are so few that a sentence holds them.
WHOLE, FEW = 0.95, 5
# Columns of more values than this share of the rows are names of rows and no groups of them.
_GROUPS = 0.7
# Groups whose savings differ by less say the same: the one with words for people is named.
_SAME = 1.0
# Names of things have so many letters, and longer ones are no plainer; of so many texts that is told.
_NAME, _GLANCE = 8, 200
# In a group that explains rows changed so many times as often as elsewhere: where all descriptions were lost, 79.8 % of the rows in euros
# and 78.7 % of the others had had one, and the alarm told of those in euros.
_TIMES = 2


@dataclass(frozen=True)
class RowGroup:
    """The rows with one value of a column: how many there are and how many of them changed; what their numbers added up to before and
    after, or were in the `middle` ('' for what are no numbers), `null` where none is left.
    """

    column: str
    value: str
    changed: int
    rows: int
    before: str = ""
    after: str = ""
    middle: bool = False

    def said(self, what: str = "rows") -> str:
        """It in a sentence."""
        told = f"{self.changed:,} of {self.rows:,} {what} with {self.column} {self.value}"
        if self.before:
            return f"{told} went from {self.before} to {self.after} {'in the middle' if self.middle else 'together'}."
        return f"{told} became {self.after}." if self.after else f"{told}."


def explaining(sample: RowSample, among: Places, hit: Mask, without: str = "") -> tuple[RowGroup, Mask] | None:
    """The group that explains which of the rows `among` a sample's are `hit` (shape as `among`), and where it is; None for no such group.

    The column `without` is what changed, and explains nothing.
    """
    every, total = len(among), int(hit.sum())
    if total < 2 or total == every:
        return None
    bits_of = factorials(every)

    def choices(of: NDArray[np.int64], some: NDArray[np.int64]) -> NDArray[np.float64]:
        """The bits that say which ones they are."""
        return np.asarray(bits_of[of] - bits_of[some] - bits_of[of - some])

    plain = float(choices(np.array(every), np.array(total)))
    columns = [(place, name) for place, name in enumerate(sample.columns) if name != without]
    found = []
    for place, name in columns:
        values = sample.columns[name].take(among)
        codes, count = codes_of(values)
        if count < 2 or count > max(_GROUPS * every, 2):
            continue
        sizes, inside = np.bincount(codes, minlength=count), np.bincount(codes[hit], minlength=count)
        rest, outside = every - sizes, total - inside
        bits = choices(sizes, inside) + choices(rest, outside)
        # A group is what changed, and not what did not.
        likely = (inside >= MOST * total) & (sizes > 1) & (inside * rest >= _TIMES * outside * sizes)
        saved = np.where(likely, plain - bits - np.log2(len(columns)) - np.log2(count), -np.inf)
        best = int(np.argmax(saved))
        if saved[best] > (0 if inside[best] >= MOST * sizes[best] else _SURE):
            found.append((float(saved[best]), -words_of(values), place, codes == best))
        if (several := _several(sizes, inside)) is not None:
            size, part = (np.array(side[several].sum()) for side in (sizes, inside))
            bits_left = float(choices(size, part) + choices(every - size, total - part))
            gain = plain - bits_left - np.log2(len(columns)) - float(choices(np.array(count), np.array(len(several))))
            if part >= MOST * total and gain > _SURE:
                found.append((float(gain), -words_of(values), place, np.isin(codes, several)))
    if not found:
        return None
    most = max(one[0] for one in found)
    _, _, place, where = min((one for one in found if one[0] > most - _SAME), key=lambda one: one[1:3])
    name = list(sample.columns)[place]
    return _named(name, sample.columns[name].take(among), hit, where), where


def _several(sizes: NDArray[np.int64], inside: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """The groups that changed whole, where they are a few: the stores at the end of a file that was cut off. None for others."""
    whole = np.flatnonzero((sizes > 1) & (inside >= WHOLE * sizes))
    return whole if 1 < len(whole) <= FEW else None


def _named(column: str, values: SampledValues, hit: Mask, where: Mask) -> RowGroup:
    """The group of the rows `where`: its values, the shorter ones first, so that 7 stands before 12."""
    *first, last = sorted((values.shown(int(at)) for at in _firsts(values, where)), key=lambda shown: (len(shown), shown))
    return RowGroup(column, f"{', '.join(first)} or {last}" if first else last, int(hit[where].sum()), int(where.sum()))


def _firsts(values: SampledValues, where: Mask) -> NDArray[np.int64]:
    """The first place of each value among the rows `where`."""
    codes, _ = codes_of(values)
    places = np.flatnonzero(where)
    return np.asarray(places[np.unique(codes[places], return_index=True)[1]])


def factorials(most: int) -> NDArray[np.float64]:
    """The logarithms of 0! to `most`!, to the base of 2, shape (most + 1,)."""
    return np.concatenate([[0.0], np.cumsum(np.log2(np.arange(1, most + 1)))])


def codes_of(values: SampledValues) -> tuple[NDArray[np.int64], int]:
    """For each of the n values a number from 0, the same of equal ones, null being one; and how many there are."""
    _, numbers = np.unique(np.nan_to_num(values.numbers, nan=np.inf), return_inverse=True)
    _, codes = np.unique(values.codes * (len(numbers) + 1) + numbers, return_inverse=True)
    return codes.astype(np.int64), int(codes.max()) + 1 if len(codes) else 0


def words_of(values: SampledValues) -> float:
    """How many letters a text of the column has on average, up to what a name has."""
    texts = list(_glance(values))
    letters = sum(sum(map(str.isalpha, text.decode("utf-8", "replace"))) for text in texts)
    return min(letters / max(len(texts), 1), _NAME)


def _glance(values: SampledValues) -> Iterator[bytes]:
    yield from values.names.take(pa.array(values.used[:_GLANCE])).to_pylist()
