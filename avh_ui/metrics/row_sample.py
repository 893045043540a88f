"""A sample of rows that joins with itself: the rows whose keys have the smallest hashes (bottom-k, a coordinated sample).

The same keys are drawn of every batch. Below the smaller of two samples' largest hashes both hold *all* keys, so they join exactly, and
shares among them are unbiased, with the binomial error of the rows joined (Cohen and Kaplan, "Summarizing data using bottom-k sketches",
PODC 2007). A table of up to k keys is whole, and its shares are exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from avh_ui.metrics.column import Counts
from avh_ui.metrics.row_keys import Hashes, key_hashes
from avh_ui.metrics.rows import Need, Rows
from avh_ui.metrics.sampled_values import Values
from avh_ui.metrics.state import pack, unpack

# Most dimension tables are whole then, and a share of 1 % of larger ones is known to 0.16 points.
K = 4_096
_VERSION = 1
# The fastest: hashes and numbers of measurements do not get smaller by more.
_LEVEL = 1


@dataclass(frozen=True)
class Drawing:
    """How rows are drawn: the first `keys` of a need's columns are the key; texts of the columns `untyped` may be numbers; `hashed` keeps
    hashes in the place of texts.
    """

    keys: int
    k: int = K
    untyped: frozenset[str] = frozenset()
    hashed: bool = False


@dataclass(frozen=True, eq=False)
class RowSample:
    """The rows of the k smallest keys: `hashes` of shape (m,) ascending, how many rows have each key (`counts`), and the columns' values.

    A key that several rows have keeps no values but its own: which row is meant nobody knows. `more` says that there are more keys than
    are kept; `rows` counts all rows and `nulls` those with a null in their key, which are in no sample. Merging draws from both: what is
    kept of equal batches is one, and the counts add up, since a row that came twice is what they are to tell.
    """

    key: ClassVar[str] = "row_sample"
    k: int = K
    by: tuple[str, ...] = ()
    hashes: Hashes = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    counts: Counts = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    columns: Mapping[str, Values] = field(default_factory=dict)
    more: bool = False
    rows: int = 0
    nulls: int = 0
    hashed: bool = False

    @classmethod
    def identity(cls) -> RowSample:
        """No rows."""
        return cls()

    @classmethod
    def of_rows(cls, rows: Rows, need: Need) -> RowSample:
        """Of the need's columns, the key's first, drawn as its `detail` says."""
        drawing: Drawing = need.detail
        names = [str(name) for name in need.columns]
        by = tuple(names[: drawing.keys])
        arrays = getattr(rows.columns, "raw", rows.columns)
        hashes, there = key_hashes([arrays[name] for name in by], [name in drawing.untyped for name in by])
        places = np.flatnonzero(there)
        found, first, counts, more = _smallest(hashes[places], drawing.k)
        chosen = places[first]
        single = np.where(counts == 1, np.arange(len(chosen)), -1)
        columns: dict[str, Values] = {}
        for name in names:
            taken = Values.of(_whole(arrays[name].take(pa.array(chosen))), untyped=name in drawing.untyped)
            taken = taken.hashed() if drawing.hashed else taken
            columns[name] = taken if name in by or (single >= 0).all() else taken.take(single)
        return cls(drawing.k, by, found, counts, columns, more, rows.count, rows.count - len(places), drawing.hashed)

    def merge(self, other: RowSample) -> RowSample:
        """The sample of both sets of rows. A column that only one of them has is null in the other's rows."""
        if not self.by or not other.by:
            return self if self.by else other
        k = min(self.k, other.k)
        every, first, second = _united(self.hashes, other.hashes)
        kept = every[:k]
        first, second = first[:k], second[:k]
        ours, theirs = (np.where(at >= 0, sample.counts[at], 0) if len(sample.counts) else np.zeros(len(at), np.int64)
                        for sample, at in ((self, first), (other, second)))  # fmt: skip
        counts = ours + theirs
        both = (first >= 0) & (second >= 0)
        columns = {}
        for name in dict.fromkeys((*self.columns, *other.columns)):
            one, two = (s.columns.get(name, Values.nothing(len(s.hashes))) for s in (self, other))
            whole = Values.joined([one, two])
            values = whole.take(np.where(first >= 0, first, second + len(self.hashes)))
            if both.any():
                if name in self.by:
                    values = values.filled_by(two.take(second))
                else:
                    values = values.take(np.where(counts == 1, np.arange(len(kept)), -1))
            columns[name] = values
        more = self.more or other.more or len(every) > k
        return replace(
            self, k=k, hashes=kept, counts=counts, columns=columns, more=more, rows=self.rows + other.rows, nulls=self.nulls + other.nulls,
            hashed=self.hashed or other.hashed,
        )  # fmt: skip

    @property
    def keys(self) -> int:
        """How many keys are kept."""
        return len(self.hashes)

    @property
    def upto(self) -> int:
        """Up to this hash all keys are kept."""
        return int(self.hashes[-1]) if self.more else 2**64 - 1

    @property
    def twice(self) -> float | None:
        """The share of the keys that several rows have; None without keys."""
        return float(np.mean(self.counts > 1)) if len(self.counts) else None

    @property
    def twice_error(self) -> float:
        """One standard error of `twice`, 0 where every key is kept."""
        share = self.twice
        return 0.0 if share is None or not self.more else float(np.sqrt(share * (1 - share) / len(self.counts)))

    def without_texts(self) -> RowSample:
        """With hashes in the place of texts."""
        return self if self.hashed else replace(self, columns={n: v.hashed() for n, v in self.columns.items()}, hashed=True)

    def to_record(self) -> bytes:
        """As bytes: 4,096 rows of 20 columns take 100 to 250 KB."""
        about, buffers = [], [self.hashes.tobytes(), _narrow(self.counts)]
        for name, values in self.columns.items():
            header, own = values.to_record()
            about.append([name, header])
            buffers += own
        whole = b"".join(buffers)
        header = {
            "version": _VERSION, "k": self.k, "by": self.by, "more": self.more, "rows": self.rows, "nulls": self.nulls,
            "hashed": self.hashed, "columns": about, "sizes": [len(b) for b in buffers], "keys": len(self.hashes),
        }  # fmt: skip
        return pack(header, pa.Codec("zstd", compression_level=_LEVEL).compress(whole, asbytes=True))

    @classmethod
    def from_record(cls, record: bytes) -> RowSample:
        """From `to_record`; `ValueError` for a record of a later version."""
        header, (body,) = unpack(record)
        if header["version"] > _VERSION:
            raise ValueError(f"a sample of rows has version {header['version']}, and this release reads {_VERSION}")
        whole: Any = pa.decompress(body, sum(header["sizes"]), codec="zstd", asbytes=True)
        buffers, at = [], 0
        for size in header["sizes"]:
            buffers.append(whole[at : at + size])
            at += size
        hashes, counts = np.frombuffer(buffers.pop(0), np.uint64), _widened(buffers.pop(0), header["keys"])
        columns = {name: Values.from_record(about, buffers, len(hashes)) for name, about in header["columns"]}
        return cls(
            header["k"], tuple(header["by"]), hashes, counts, columns, header["more"], header["rows"], header["nulls"], header["hashed"]
        )


def _smallest(hashes: Hashes, k: int) -> tuple[Hashes, NDArray[np.int64], Counts, bool]:
    """The k smallest different hashes, ascending, the first place of each, how often it occurs, and whether there are more."""
    candidates, among = np.arange(len(hashes)), 2 * k
    while among < len(hashes):
        # A hundredth of all rows is sorted and not all of them, but where keys repeat.
        limit = np.partition(hashes, among)[among]
        candidates = np.flatnonzero(hashes <= limit)
        if len(np.unique(hashes[candidates])) > k:
            break
        among *= 8
    else:
        candidates = np.arange(len(hashes))
    found, first, counts = np.unique(hashes[candidates], return_index=True, return_counts=True)
    return found[:k], candidates[first[:k]], counts[:k].astype(np.int64), len(found) > k


def _united(ours: Hashes, theirs: Hashes) -> tuple[Hashes, NDArray[np.int64], NDArray[np.int64]]:
    """All hashes, ascending, and the place of each in both, -1 where it is not there."""
    every = np.union1d(ours, theirs)
    found = []
    for own in (ours, theirs):
        at = np.full(len(every), -1, dtype=np.int64)
        at[np.searchsorted(every, own)] = np.arange(len(own))
        found.append(at)
    return every, found[0], found[1]


def _whole(array: pa.Array | pa.ChunkedArray) -> pa.Array:
    found = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    return found.chunk(0) if isinstance(found, pa.ChunkedArray) else found


def _narrow(counts: Counts) -> bytes:
    """Nearly all are 1: a byte each, unless one is larger."""
    return counts.astype(np.uint8).tobytes() if not len(counts) or int(counts.max()) < 256 else counts.tobytes()


def _widened(raw: bytes, keys: int) -> Counts:
    return np.frombuffer(raw, np.uint8 if len(raw) == keys else np.int64).astype(np.int64)
