"""What runs in Spark's Python workers: rows in, partial profiles out.

One call of `mapInArrow` measures all columns of all batches of a chunk in one scan. Each task turns its rows into one partial
profile per batch, segment and column with the same kernel that notebooks and tests use (`metrics/`); partial profiles are then
merged, which is exact by the monoid laws.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

import numpy as np
import pyarrow as pa

from avh_ui.metrics.catalogue import STATE_TYPES
from avh_ui.metrics.column import Column
from avh_ui.metrics.profile import ColumnProfile, merge_columns
from avh_ui.metrics.state import pack, unpack
from avh_ui.metrics.written_numbers import as_numbers
from avh_ui.spark.counting import Counted
from avh_ui.spark.segments import Measured, Split, from_key, to_key

# A batch's rows are measured so many at once, or so many bytes of them: enough that NumPy's cost per call vanishes (of 1,000 columns
# 16,000 rows), few enough that a worker's memory is bounded.
CHUNK_ROWS = 200_000
CHUNK_BYTES = 128 * 1024**2
# What a worker holds of all batches before it measures the largest: rows of many batches may come in any order.
HELD_BYTES = 2 * CHUNK_BYTES
PARTIAL_SCHEMA = pa.schema(
    [("batch", pa.string()), ("segment", pa.string()), ("position", pa.int32()), ("rows", pa.int64()), ("profile", pa.binary())]
)
# The same in Spark's words.
PARTIAL_DDL = "batch string, segment string, position int, rows bigint, profile binary"


# Where a batch's counts stand among the profiles of its columns.
_COUNTS = -1

# The parts of one column: of how many rows, and the record.
Parts = list[tuple[int, bytes]]


@dataclass(frozen=True)
class KernelColumn:
    """A column to measure: its name, the name of its type, whether its type must be found from its texts (CSV), and the regexes that
    its values are counted against. Of one that is `counted` only the nulls are; one that is `vague` has no type without values (JSON). One
    that is `asked` for is no column of the table; where it is `filtered`, its rows say whether they count, and their value.
    """

    name: str
    type: str
    untyped: bool
    regexes: tuple[str, ...] = ()
    counted: bool = False
    vague: bool = False
    asked: bool = False
    filtered: bool = False

    @property
    def positions(self) -> int:
        """How many partial profiles it has: as texts and as numbers when its type must be found."""
        return 2 if self.untyped else 1


@dataclass
class _Waiting:
    """Rows of one batch that are not measured yet."""

    pieces: list[pa.RecordBatch] = field(default_factory=list)
    rows: int = 0
    bytes: int = 0

    def add(self, piece: pa.RecordBatch) -> int:
        """How many bytes that adds."""
        size = int(piece.nbytes)
        self.pieces.append(piece)
        self.rows += piece.num_rows
        self.bytes += size
        return size

    @property
    def full(self) -> bool:
        return self.rows >= CHUNK_ROWS or self.bytes >= CHUNK_BYTES

    def table(self) -> pa.Table:
        return pa.Table.from_batches(self.pieces)


@dataclass(frozen=True)
class Kernel:
    """Measures rows whose last column says which batch they are of: the batch id itself, or the file they came from.

    The columns before it, after those to measure, are the segment columns (`segments` has their names), as texts, and with `flagged` one
    that says whether the row is a malformed line; with `drops` such rows are counted and not measured. `first` is the position of the
    first column's profile among those of the whole table. With `compares` it is noted which columns have no value in a file.
    """

    columns: tuple[KernelColumn, ...]
    files: tuple[tuple[str, str], ...] = ()
    segments: tuple[str, ...] = ()
    first: int = 0
    flagged: bool = False
    drops: bool = False
    compares: bool = False

    def __call__(self, arrow_batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The function for `mapInArrow`."""
        splits: dict[str, Split] = {}
        counts: dict[str, Counted] = {}
        for batch, table in self._chunks(arrow_batches, counts):
            split = splits.setdefault(batch, Split(self.segments))
            for segment, rows in split.tables(table):
                profiles = [part for i, column in enumerate(self.columns) for part in measure(column, rows.column(i), counts[batch])]
                split.add(segment, Measured(rows.num_rows, dict(enumerate(profiles, self.first))))
        for batch, split in splits.items():
            for segment, part in split.parts.items():
                yield encode(batch, to_key(segment), part)
        for batch, counted in counts.items():
            yield _rows([batch], [to_key(None)], [_COUNTS], [0], [counted.to_record()])

    def _chunks(self, arrow_batches: Iterable[pa.RecordBatch], counts: dict[str, Counted]) -> Iterator[tuple[str, pa.Table]]:
        waiting: dict[str, _Waiting] = {}
        held = 0
        batch_of, names = self._batch_of(), [column.name for column in self.columns if not column.asked]
        for arrow_batch in arrow_batches:
            for marker, lines in split_by_last(arrow_batch):
                batch, path = batch_of(marker)
                counted = counts.setdefault(batch, Counted())
                # Of a table that is scanned by groups of columns, the first group's scan counts.
                if not self.first:
                    counted.lines[path] += lines.num_rows
                if self.compares:
                    counted.compare(path, names, lines)
                rows = counted.flagged(lines, drops=self.drops) if self.flagged else lines
                for at in range(0, rows.num_rows, CHUNK_ROWS):
                    held += waiting.setdefault(batch, _Waiting()).add(rows.slice(at, CHUNK_ROWS))
                    if waiting[batch].full:
                        held -= waiting[batch].bytes
                        yield batch, waiting.pop(batch).table()
                while held > HELD_BYTES:
                    largest = max(waiting, key=lambda b: waiting[b].bytes)
                    held -= waiting[largest].bytes
                    yield largest, waiting.pop(largest).table()
        for batch, rest in waiting.items():
            yield batch, rest.table()

    def _batch_of(self) -> Callable[[str], tuple[str, str]]:
        """What finds the batch of a marker, and its file ('' where the marker is the batch)."""
        if not self.files:
            return lambda marker: (marker, "")
        known: dict[str, tuple[str, str]] = {}
        roots = {unquote(root).rstrip("/"): batch for root, batch in self.files}

        def find(marker: str) -> tuple[str, str]:
            if marker not in known:
                path = strip_scheme(unquote(marker))
                # The file itself, or the nearest folder above it: one batch's folder may lie in another's.
                above = (path.rsplit("/", k)[0] for k in range(path.count("/") + 1))
                known[marker] = next((roots[p] for p in above if p in roots), marker), path
            return known[marker]

        return find


def strip_scheme(url: str) -> str:
    """A local file URL as a path; other URLs without their scheme, since Spark and fsspec spell it differently (s3a, s3)."""
    return re.sub(r"^file:/+", "/", url) if url.startswith("file:") else re.sub(r"^[A-Za-z][A-Za-z0-9+.\-]*://", "", url)


def split_by_last(arrow_batch: pa.RecordBatch) -> Iterator[tuple[str, pa.RecordBatch]]:
    """The rows of each value of the last column, without that column."""
    if not arrow_batch.num_rows:
        return
    data = arrow_batch.select(list(range(arrow_batch.num_columns - 1)))
    encoded = arrow_batch.column(arrow_batch.num_columns - 1).cast(pa.string()).dictionary_encode()
    markers = encoded.dictionary.to_pylist()
    if len(markers) == 1 and not encoded.null_count:
        yield markers[0], data
        return
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    for code in np.unique(codes).tolist():
        if code >= 0:
            yield markers[code], data.take(pa.array(np.flatnonzero(codes == code)))


def measure(column: KernelColumn, values: pa.ChunkedArray, counted: Counted) -> list[ColumnProfile]:
    """The column's partial profile; of an untyped column its profile as texts, then as numbers (an empty one if it is none).

    What is no text in it is counted in `counted`.
    """
    if column.filtered:
        values = pa.chunked_array([part.field(1).filter(part.field(0)) for part in values.chunks], values.type.field(1).type)
    if column.counted:
        return [ColumnProfile.counted(column.name, len(values), values.null_count, column.type)]
    texts = Column.from_arrow(column.name, values)
    if not column.asked:
        counted.texts(texts)
    profiles = [ColumnProfile.of(texts, column.type, column.regexes)]
    if column.untyped:
        numbers = as_numbers(texts)
        profiles.append(ColumnProfile.of(numbers, "number" if numbers.rows == texts.rows else "not a number"))
    return profiles


def encode(batch: str, segment: str, part: Measured) -> pa.RecordBatch:
    """Partial profiles of one batch, or of one of its segments, as rows of `PARTIAL_SCHEMA`."""
    n = len(part.profiles)
    return _rows([batch] * n, [segment] * n, list(part.profiles), [part.rows] * n, [_record(p) for p in part.profiles.values()])


def _rows(*columns: Sequence[str | int | bytes]) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array(c, f.type) for c, f in zip(columns, PARTIAL_SCHEMA, strict=True)], schema=PARTIAL_SCHEMA)


def _record(profile: ColumnProfile) -> bytes:
    keys = list(profile.states)
    header = {"name": profile.name, "kind": profile.kind, "type": profile.type, "keys": keys}
    return pack(header, *(profile.states[k].to_record() for k in keys))


def decode(record: bytes) -> ColumnProfile:
    """One partial profile back from its row."""
    header, buffers = unpack(record)
    states = {key: STATE_TYPES[key].from_record(buffer) for key, buffer in zip(header["keys"], buffers, strict=True)}
    return ColumnProfile(header["name"], header["kind"], header["type"], states)


def merge_partials(arrow_batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The second stage of a large chunk: merges the partial profiles that the shuffle brought together."""
    found = _gather(arrow_batches)
    if found:
        # A part that is alone, as most are where a batch lies in one file, is passed on as it came.
        records = [
            parts[0][1] if len(parts) == 1 else _added(parts).to_record() if position == _COUNTS else _record(_merged(parts))
            for (_, _, position), parts in found.items()
        ]
        batches, segments, positions = zip(*found, strict=True)
        yield _rows(batches, segments, positions, [sum(rows for rows, _ in parts) for parts in found.values()], records)


def _merged(parts: Parts) -> ColumnProfile:
    return merge_columns([decode(record) for _, record in parts])


def _added(parts: Parts) -> Counted:
    whole = Counted()
    for _, record in parts:
        whole.add(Counted.from_record(record))
    return whole


def _gather(arrow_batches: Iterable[pa.RecordBatch]) -> dict[tuple[str, str, int], Parts]:
    """Per batch, segment and position its parts."""
    found: dict[tuple[str, str, int], Parts] = {}
    for arrow_batch in arrow_batches:
        for batch, segment, position, rows, record in zip(*(c.to_pylist() for c in arrow_batch.columns), strict=True):
            found.setdefault((batch, segment, position), []).append((rows, record))
    return found


def assemble(arrow_batches: Iterable[pa.RecordBatch], counts: dict[str, Counted]) -> Iterator[tuple[str, str, Measured]]:
    """Per batch and segment: its rows and its merged profiles; the batches' counts go to `counts`."""
    whole: dict[tuple[str, str], tuple[int, dict[int, ColumnProfile]]] = {}
    for (batch, segment, position), parts in sorted(_gather(arrow_batches).items(), key=lambda pair: pair[0][2]):
        if position == _COUNTS:
            counts[batch] = _added(parts)
            continue
        most, profiles = whole.get((batch, segment), (0, {}))
        profiles[position] = _merged(parts)
        whole[batch, segment] = max(most, sum(rows for rows, _ in parts)), profiles
    for (batch, segment), (rows, profiles) in whole.items():
        yield batch, segment, Measured(rows, profiles)


def split_by_batch(arrow_batches: Iterable[pa.RecordBatch], segments: tuple[str, ...]) -> tuple[dict[str, Split], dict[str, Counted]]:
    """The measured batches that have rows, each by its segments; and the counts of all that have lines."""
    found: dict[str, Split] = {}
    counts: dict[str, Counted] = {}
    for batch, segment, part in assemble(arrow_batches, counts):
        found.setdefault(batch, Split(segments)).add(from_key(segment), part)
    return found, counts
