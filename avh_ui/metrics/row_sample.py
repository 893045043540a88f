"""A sample of rows that joins with itself: the rows whose keys have the smallest hashes (bottom-k, a coordinated sample).

The same keys are drawn of every batch. Below the smaller of two samples' largest hashes both hold *all* keys, so they join exactly, and
shares among them are unbiased, with the binomial error of the rows joined (Cohen and Kaplan, "Summarizing data using bottom-k sketches",
PODC 2007). A table of up to k keys is whole, and its shares are exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from avh_ui.metrics.column import Counts
from avh_ui.metrics.remembering import remembered
from avh_ui.metrics.row_drawing import K, draw_each
from avh_ui.metrics.row_keys import Hashes
from avh_ui.metrics.rows import Need, Rows
from avh_ui.metrics.sampled_values import SampledValues, form_of_all, names_of, stored_names
from avh_ui.metrics.state import pack, unpack
from avh_ui.metrics.stored_columns import StoredColumns

# Since version 2 all texts share one table of names.
_VERSION = 2
# The fastest: hashes and numbers of measurements do not get smaller by more.
_LEVEL = 1

# So many columns are kept of each row, the key's and the first of the others: at 12 KB a column at most 1 MB a batch.
MOST_COLUMNS = 80


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
    columns: Mapping[str, SampledValues] = field(default_factory=dict)
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
        return cls.of_each([rows], need)[0]

    @classmethod
    def of_each(cls, some: Sequence[Rows], need: Need) -> list[RowSample]:
        """The same of several sets of rows."""
        tables, drawing = [getattr(rows.columns, "raw", rows.columns) for rows in some], need.detail
        return [
            cls(
                drawing.k, drawn.by, drawn.keys.hashes, drawn.keys.counts, drawn.values, drawn.keys.more, rows.count,
                rows.count - drawn.keys.keyed, drawing.hashed,
            )
            for rows, drawn in zip(some, draw_each(tables, [str(name) for name in need.columns], drawing), strict=True)
        ]  # fmt: skip

    def merge(self, other: RowSample) -> RowSample:
        """The sample of both sets of rows. A column that only one of them has is null in the other's rows."""
        return self.merge_many([self, other])

    @classmethod
    def merge_many(cls, samples: Sequence[RowSample]) -> RowSample:
        """The sample of the rows of all (at least one), which is that of merging in pairs."""
        parts = [sample for sample in samples if sample.by]
        if len(parts) < 2:
            return parts[0] if parts else samples[0]
        k = min(part.k for part in parts)
        every, first, codes = np.unique(np.concatenate([p.hashes for p in parts]), return_index=True, return_inverse=True)
        counts = np.zeros(len(every), dtype=np.int64)
        np.add.at(counts, codes, np.concatenate([p.counts for p in parts]))
        kept, first, counts = every[:k], first[:k], counts[:k]
        single = np.where(counts == 1, first, -1)
        columns, places = {}, [places_in(part, kept) for part in parts]
        for name in dict.fromkeys(name for part in parts for name in part.columns):
            if name in parts[0].by:
                # Each key has its values, whichever of the parts it is in.
                columns[name] = SampledValues.filled([part.column(name).take(at) for part, at in zip(parts, places, strict=True)])
            elif (single >= 0).any():
                columns[name] = SampledValues.joined([part.column(name) for part in parts]).take(single)
            else:
                # Of a key that came twice no values are kept, so none are read.
                columns[name] = SampledValues.nothing(len(kept), form_of_all(part.form(name) for part in parts))
        return replace(
            parts[0], k=k, hashes=kept, counts=counts, columns=columns, more=any(p.more for p in parts) or len(every) > k,
            rows=sum(p.rows for p in parts), nulls=sum(p.nulls for p in parts), hashed=any(p.hashed for p in parts),
        )  # fmt: skip

    def column(self, name: str) -> SampledValues:
        """A column's values; nulls where the sample has no such column."""
        return self.columns[name] if name in self.columns else SampledValues.nothing(len(self.hashes))

    def form(self, name: str) -> str:
        """How a column's numbers are shown, which takes no reading of them."""
        columns = self.columns
        return columns.form(name) if isinstance(columns, StoredColumns) and name in columns else self.column(name).form

    def unchanged(self, before: RowSample) -> list[str]:
        """The columns with the values that they had for the same keys; none where the keys differ. Of two samples that are stored they are
        found by what is stored, of two that were drawn one after the other those that are the same object.
        """
        ours, theirs = self.columns, before.columns
        if (self.by, self.more) != (before.by, before.more):
            return []
        if not np.array_equal(self.hashes, before.hashes) or not np.array_equal(self.counts, before.counts):
            return []
        if isinstance(ours, StoredColumns) and isinstance(theirs, StoredColumns):
            return list(_unchanged(ours, theirs))
        if isinstance(ours, StoredColumns) or isinstance(theirs, StoredColumns):
            return []
        return [name for name, values in ours.items() if theirs.get(name) is values]

    @cached_property
    def made(self) -> dict[str, Any]:
        """By condition what was made of it, kept as long as the sample is."""
        return {}

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
        """As bytes: 4,096 rows of 20 columns take 100 to 250 KB. Made once: a batch's sample is written twice, and hashed."""
        return self._record

    @cached_property
    def _record(self) -> bytes:
        values = list(self.columns.values())
        places, names = stored_names(values)
        about, buffers = [], [self.hashes.tobytes(), _narrow(self.counts), *names]
        for name, column, place in zip(self.columns, values, places, strict=True):
            header, own = column.to_record(place)
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
        names = None if header["version"] == 1 else names_of(buffers.pop(0), buffers.pop(0))
        columns = StoredColumns(header["columns"], buffers, len(hashes), names)
        found = cls(
            header["k"], tuple(header["by"]), hashes, counts, columns, header["more"], header["rows"], header["nulls"], header["hashed"]
        )
        # As it was written, by whatever release.
        found.__dict__["_record"] = record
        return found


@remembered
def _unchanged(ours: StoredColumns, theirs: StoredColumns) -> tuple[str, ...]:
    return tuple(ours.unchanged(theirs))


def places_in(sample: RowSample, keys: Hashes) -> NDArray[np.int64]:
    """Where each key stands in a sample, -1 where it does not."""
    at = np.searchsorted(sample.hashes, keys)
    found = np.append(sample.hashes, np.uint64(0))[at] == keys
    return np.where(found & (at < len(sample.hashes)), at, -1)


def _narrow(counts: Counts) -> bytes:
    """Nearly all are 1: a byte each, unless one is larger."""
    return counts.astype(np.uint8).tobytes() if not len(counts) or int(counts.max()) < 256 else counts.tobytes()


def _widened(raw: bytes, keys: int) -> Counts:
    return np.frombuffer(raw, np.uint8 if len(raw) == keys else np.int64).astype(np.int64)
