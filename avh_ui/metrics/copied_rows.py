"""Rows that are equal to another row of their batch in the columns with the most values: what a join gone wrong, or a file that was read
twice, leaves in a table that no few columns tell apart.

Of a batch with many different rows those with the smallest hashes are counted (bottom-k), so that parts of it merge, whoever measures
them, and nothing is grouped. The hash begins with that of the first column, so that only the rows that may be among the smallest are looked
at in the others: all columns of all rows took a third of the time of all other metrics, this a twentieth.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from avh_ui.metrics.column import OF_ROWS, SINGLE_KINDS, Counts, decoded, kind_of
from avh_ui.metrics.distinct import text_keys
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.row_drawing import Given
from avh_ui.metrics.row_forms import RowForm, once
from avh_ui.metrics.row_keys import Hashes, key_hashes, mixed
from avh_ui.metrics.rows import Name, Need, Rows
from avh_ui.metrics.state import pack, unpack
from avh_ui.metrics.wording import seldom

# Different rows that are counted: of so many the share that a hundredth of the rows copied makes is known to a fourth of itself.
K = 2_048
_STEP, _NULL, _LOWER = np.uint64(31), np.uint64(0x9E3779B97F4A7C15), np.uint64(2**32 - 1)
# So many times as many rows are looked at, since some are equal.
_MORE = 4


@dataclass(frozen=True, eq=False)
class CopyState:
    """The k smallest `hashes` of different rows, ascending, and how many rows have each (`counts`); `more` says that there are others.
    Rows that are null in all of the columns are left out, as in groups.
    """

    key: ClassVar[str] = "copies"
    k: int = K
    hashes: Hashes = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    counts: Counts = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    more: bool = False

    @classmethod
    def identity(cls) -> CopyState:
        """No rows."""
        return cls()

    @classmethod
    def of_rows(cls, rows: Rows, need: Need) -> CopyState:
        """Of the need's columns; its `detail` is how many different rows are counted."""
        columns: Mapping[Name, Given] = getattr(rows.columns, "raw", rows.columns)
        k = need.detail or K
        hashes, more = _smallest_hashes([columns[name] for name in need.columns], k)
        found, counts = np.unique(hashes, return_counts=True)
        return cls(k, found[:k], counts[:k].astype(np.int64), more or len(found) > k)

    def merge(self, other: CopyState) -> CopyState:
        """The smallest of both, with the rows of both."""
        k = min(self.k, other.k)
        found, codes = np.unique(np.concatenate([self.hashes, other.hashes]), return_inverse=True)
        counts = np.zeros(len(found), dtype=np.int64)
        np.add.at(counts, codes, np.concatenate([self.counts, other.counts]))
        return CopyState(k, found[:k], counts[:k], self.more or other.more or len(found) > k)

    @property
    def copied(self) -> float | None:
        """The share of the rows that are equal to another one; None without rows."""
        rows = int(self.counts.sum())
        return int(self.counts[self.counts > 1].sum()) / rows if rows else None

    def error(self, share: float) -> float:
        """One standard error of it, 0 where every row is counted."""
        return float(np.sqrt(share * (1 - share) / len(self.counts))) if self.more else 0.0

    def to_record(self) -> bytes:
        """As bytes: at most 20 KB."""
        counts = np.minimum(self.counts, np.iinfo(np.int32).max).astype(np.int32)
        return pack({"k": self.k, "more": self.more}, self.hashes.tobytes(), counts.tobytes())

    @classmethod
    def from_record(cls, record: bytes) -> CopyState:
        """From `to_record`."""
        header, (hashes, counts) = unpack(record)
        return cls(header["k"], np.frombuffer(hashes, np.uint64), np.frombuffer(counts, np.int32).astype(np.int64), header["more"])


def _smallest_hashes(columns: Sequence[Given], k: int) -> tuple[Hashes, bool]:
    """The hashes of rows with a value in one of these columns, among them all rows of the k smallest; and whether there are others.

    The upper half of a hash is that of the first column's value, the lower half that of all values: of rows that share the first two in
    four billion pairs have one hash.
    """
    first, there = _hashed(columns[0])
    among = _MORE * k
    while True:
        whole = among >= len(first)
        some = np.arange(len(first)) if whole else np.flatnonzero((first <= (np.partition(first, among)[among] | _LOWER)) | ~there)
        hashes, filled = first[some], there[some]
        for column in columns[1:]:
            own, valid = _hashed(column if whole else column.take(pa.array(some)))
            with np.errstate(over="ignore"):
                hashes, filled = mixed(hashes * _STEP + own), filled | valid
        hashes = ((first[some] & ~_LOWER) | (hashes & _LOWER))[filled]
        if whole or len(np.unique(hashes)) >= k:
            # Nulls in the first column are all looked at: with them these may be all rows.
            return hashes, len(some) < len(first)
        # Values that come again and again.
        among *= _MORE * _MORE


def _hashed(column: Given) -> tuple[Hashes, NDArray[np.bool_]]:
    """Of each value a word that looks random, null being one, and where there is a value: numbers by their bits and texts as they are, not
    by how they read as `row_keys` does, which takes four times as long.
    """
    whole = decoded(column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column)
    there = np.asarray(whole.is_valid().to_numpy(zero_copy_only=False))
    if pa.types.is_floating(whole.type):
        numbers = np.asarray(pc.fill_null(whole, 0.0).to_numpy(zero_copy_only=False), dtype=np.float64) + 0.0
        found = mixed(numbers.view(np.uint64))
    elif kind_of(whole.type) == "string" and not pa.types.is_null(whole.type):
        coded = whole.dictionary_encode()
        words = np.append(mixed(text_keys(coded.dictionary).view(np.uint64)), _NULL)
        found = words[np.asarray(coded.indices.fill_null(len(words) - 1).to_numpy(zero_copy_only=False))]
    else:
        found, there = key_hashes([whole], [False])
    return np.where(there, found, _NULL), there


def _wanted(measure: Measure) -> tuple[Need, ...]:
    return (Need(CopyState, tuple(dict.fromkeys(measure.columns)), measure.where),)


COPIED_ROWS = Metric(
    "copied_rows", OF_ROWS, (CopyState,), 1, "ratio", "share of the rows that are equal to another row in these columns",
    single=lambda state: state.copied, wants=_wanted, most=sys.maxsize, of=(SINGLE_KINDS,), asked=True, lowest=0, highest=1, grows=True,
    error=lambda state, share: state.error(share), plain="always", row_form=RowForm(once, "upper"),
    says=seldom(
        "How many of the rows are equal to another row of the batch in these columns, as a share: rows that were delivered twice. Of many "
        "different rows a sample is counted.",
        "the share of rows that are equal to another one in {columns}",
        "At most {high} of the rows are equal to another one in {columns}",
        "No two rows are equal in {columns}",
    ),
)  # fmt: skip
