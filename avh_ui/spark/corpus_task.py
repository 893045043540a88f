"""What Spark's tasks do for the index: add up the evidence of the columns of their files where they are, and the sums of all tasks.

Rows travel as a few binary values, one per range of keys, since Spark's own rows took it longer than making them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.errors import SourceError
from avh_ui.inference.by_corpus.impurities import Evidence, Rules, counted_codes, evidence_of_counted
from avh_ui.inference.by_corpus.summing import SETTLED, Rows, added_up, joined, rows_of, settled
from avh_ui.spark.corpus_files import ColumnValues, read_parts

# Rows of one range of keys.
SCHEMA = pa.schema([pa.field("range", pa.int32()), pa.field("rows", pa.binary())])
DDL = "range int, rows binary"
# The range of what is said of files that could not be read.
UNREADABLE = -1
# Keys of rows that count something: columns (with their values and bytes), table families.
SPECIAL = COLUMN, FAMILY = 1, 2
# Columns and characters taken together: enough that NumPy's cost per call vanishes, few enough to stay at some ten MB.
_COLUMNS_TOGETHER, _CHARACTERS_TOGETHER = 60, 1_000_000
# Rows held before they are added up and leave: 24 bytes each, and 100 more while they are added up.
_MOST_HELD = 1_000_000
_TYPES = ("<u8", "<i8", "<i8", "<f8", "<i8", "<f8")


class Gathering:
    """Collects the evidence of columns into rows of 2 ** `bits` ranges. Columns that are their whole family are settled here; those of a
    table that may have copies elsewhere leave with their family's number. `finish` comes last.
    """

    def __init__(self, rules: Rules, bits: int) -> None:
        self._rules = rules
        self._bits = bits
        self._waiting: list[tuple[ColumnValues, bool]] = []
        self._alone: list[Evidence] = []
        self._copies: list[tuple[int, Evidence]] = []
        self._characters = self._held = 0
        self._tables: dict[str, bool] = {}
        self._columns = self._values = self._bytes = 0
        self._unreadable: list[bytes] = []

    def add(self, columns: Sequence[ColumnValues], *, alone: bool) -> Iterator[pa.RecordBatch]:
        """Take some columns, and give what is added up. `alone` are those of a table without copies."""
        for column in columns:
            self._waiting.append((column, alone))
            self._characters += sum(map(len, column.texts))
            if len(self._waiting) == _COLUMNS_TOGETHER or self._characters > _CHARACTERS_TOGETHER:
                self._take()
        if self._held > _MOST_HELD:
            yield from in_ranges(self._added_up(), self._bits)

    def scan(self, url: str, *, alone: bool) -> Iterator[pa.RecordBatch]:
        """Take one file; of one that cannot be read it is said, and what was read before is kept."""
        try:
            for part in read_parts(url):
                yield from self.add(part, alone=alone)
        except SourceError as error:
            self._unreadable.append(str(error).encode("utf-8", "replace"))

    def finish(self) -> Iterator[pa.RecordBatch]:
        """What is left, and what was counted."""
        self._take()
        counted = [(COLUMN, SETTLED, self._columns, self._values, self._bytes)]
        counted += [(FAMILY, SETTLED if alone else _hash(table), 1, 0, 0) for table, alone in self._tables.items()]
        keys, families, columns, whole, within = np.array(counted, dtype=np.int64).T
        nothing = np.zeros(len(keys), dtype=np.int64)
        special = Rows(keys.view(np.uint64), families, columns, whole.astype(np.float64), nothing, within.astype(np.float64))
        yield from in_ranges(added_up([self._added_up(), special]), self._bits)
        yield from _batches([UNREADABLE] * len(self._unreadable), self._unreadable)

    def _take(self) -> None:
        parts = [counted_codes(column.texts, column.codes, self._rules) for column, _ in self._waiting]
        for (column, alone), part, found in zip(self._waiting, parts, evidence_of_counted(parts, self._rules), strict=True):
            if alone:
                self._alone.append(found)
            else:
                self._copies.append((_hash(f"{column.table_family}\x1f{column.column}"), found))
            self._tables[column.table_family] = alone
            self._columns += 1
            self._values += int(part.counts.sum())
            self._bytes += column.size
            self._held += len(found.keys)
        self._waiting, self._characters = [], 0

    def _added_up(self) -> Rows:
        """What is held: every column without copies is a family of its own."""
        parts = [settled(rows_of(self._alone, range(1, len(self._alone) + 1)))] if self._alone else []
        if self._copies:
            families, evidence = zip(*self._copies, strict=True)
            parts.append(rows_of(evidence, families))
        self._alone, self._copies, self._held = [], [], 0
        return added_up([_unpacked(b""), *parts])


def summed(batches: Iterable[pa.RecordBatch], least_columns: int, bits: int) -> Iterator[pa.RecordBatch]:
    """Rows of whole ranges added up over all tasks; patterns that fewer columns have are dropped."""
    held: list[Rows] = []
    for batch in batches:
        problems = pc.equal(batch.column("range"), UNREADABLE)
        yield from _batches([UNREADABLE] * pc.sum(problems).as_py(), batch.filter(problems).column("rows").to_pylist())
        held += [_unpacked(rows) for rows in batch.filter(pc.invert(problems)).column("rows").to_pylist()]
        if sum(len(rows.keys) for rows in held) > _MOST_HELD:
            held = [added_up(held)]
    if held:
        rows = settled(added_up(held))
        kept = np.maximum(rows.columns, rows.group_columns) >= least_columns
        yield from in_ranges(rows.at(kept | np.isin(rows.keys, SPECIAL)), bits)


def in_ranges(rows: Rows, bits: int) -> Iterator[pa.RecordBatch]:
    """The rows by the first `bits` of their keys, as a batch of `SCHEMA`."""
    place = (rows.keys >> np.uint64(64 - bits)).astype(np.int64) if bits else np.zeros(len(rows.keys), dtype=np.int64)
    order = np.argsort(place, kind="stable")
    ranges = np.unique(place)
    begin = [*np.searchsorted(place[order], ranges).tolist(), len(order)]
    yield from _batches(ranges.tolist(), [_packed(rows.at(order[a:b])) for a, b in pairwise(begin)])


def _batches(ranges: list[int], rows: list[bytes]) -> Iterator[pa.RecordBatch]:
    """One batch, or none where it would be empty, which Spark takes for the end."""
    if ranges:
        yield pa.RecordBatch.from_arrays([pa.array(ranges, pa.int32()), pa.array(rows, pa.binary())], schema=SCHEMA)


def counted(rows: Rows) -> tuple[dict[str, int], Rows]:
    """What was counted, and the rows of patterns."""
    special = np.isin(rows.keys, SPECIAL)
    of_columns, of_families = (rows.at(rows.keys == key) for key in SPECIAL)
    counts = {"columns": of_columns.columns, "families": of_families.columns, "values": of_columns.whole, "value_bytes": of_columns.within}
    return {name: int(found.sum()) for name, found in counts.items()}, rows.at(~special)


def unpacked(parts: Iterable[bytes]) -> Rows:
    """The rows of several binary values."""
    return joined([_unpacked(b""), *map(_unpacked, parts)])


def _packed(rows: Rows) -> bytes:
    return b"".join(part.astype(kind).tobytes() for part, kind in zip(rows, _TYPES, strict=True))


def _unpacked(data: bytes) -> Rows:
    count = len(data) // sum(np.dtype(kind).itemsize for kind in _TYPES)
    return Rows._make(np.frombuffer(data, kind, count, 8 * k * count) for k, kind in enumerate(_TYPES))


def _hash(text: str) -> int:
    number = int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little", signed=True)
    return number or 1
