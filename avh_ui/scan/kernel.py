"""What runs in Spark's Python workers: rows in, partial profiles out.

One call of `mapInArrow` measures all columns of all batches of a chunk in one scan, and what else is asked for. Each task turns its rows
into one partial profile per batch, segment and column with the same kernel that notebooks and tests use (`metrics/`); partial profiles
are then merged, which is exact by the monoid laws.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from avh_ui.metrics.column import decoded
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Name, Need, Rows
from avh_ui.metrics.segment import WHOLE
from avh_ui.metrics.state import State
from avh_ui.scan.beside import BESIDE, besides
from avh_ui.scan.counted import Counted
from avh_ui.scan.kernel_column import KernelColumn, Measuring
from avh_ui.scan.partials import NOBODYS, Measured, Records, Row, Split, encode, encode_counts, split_by_batch, together

# A batch's rows are measured so many at once, or so many bytes of them: enough that NumPy's cost per call vanishes (of 1,000 columns
# 16,000 rows), few enough that a worker's memory is bounded.
CHUNK_ROWS = 200_000
CHUNK_BYTES = 128 * 1024**2
# Batches of so few bytes together are small.
SMALL_BYTES = 4 * 1024**2
# What a worker holds of all batches before it measures the largest: rows of many batches may come in any order.
HELD_BYTES = 2 * CHUNK_BYTES
# Rows of many markers are cut apart together: up to this part of what is held, so that memory stays bounded.
_TOGETHER = 8
# So many markers have codes of two bytes, which NumPy sorts by counting: 200,000 in a tenth of the time.
_SHORT = 2**16


@dataclass(frozen=True)
class RowPiece:
    """Some rows of a batch, and the path of their file ('' = none)."""

    batch: str
    path: str
    rows: pa.RecordBatch


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
        if any(piece.schema != self.pieces[0].schema for piece in self.pieces):
            # Texts may be a dictionary in one file and not in the next.
            pieces = [pa.RecordBatch.from_arrays([decoded(c) for c in piece.columns], names=piece.schema.names) for piece in self.pieces]
            return pa.Table.from_batches(pieces)
        return pa.Table.from_batches(self.pieces)


@dataclass(frozen=True)
class Kernel:
    """Measures rows whose last column says which batch they are of: the batch id itself, or the file they came from.

    The first columns are those of `names`; those before the last are the segment columns (`segments` has their names), as texts, and with
    `flagged` one that says whether the row is a malformed line; with `drops` such rows are counted and not measured. `first` is the
    position of the first column's profile among those of the whole table. With `compares` it is noted which columns have no value in a
    file.
    """

    columns: tuple[KernelColumn, ...]
    names: tuple[Name, ...]
    files: tuple[tuple[str, str], ...] = ()
    segments: tuple[str, ...] = ()
    first: int = 0
    flagged: bool = False
    drops: bool = False
    compares: bool = False

    def __call__(self, arrow_batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The function for `mapInArrow`."""
        return self.partials(self.pieces(arrow_batches))

    def pieces(self, arrow_batches: Iterable[pa.RecordBatch]) -> Iterator[RowPiece]:
        """The rows of each batch, by their marker."""
        batch_of = batch_finder(self.files)
        return (RowPiece(*batch_of(marker), rows) for found in _together(arrow_batches) for marker, rows in split_by_last(found))

    def partials(self, pieces: Iterable[RowPiece]) -> Iterator[pa.RecordBatch]:
        """Partial profiles of rows whose batches are known, which come without the marker."""
        return together(self.measured(pieces))

    def measured(self, pieces: Iterable[RowPiece], *, beside: bool = False) -> Iterator[Row]:
        """The same row by row; with `beside` also how each batch is beside the one before it."""
        splits: dict[str, Split] = {}
        counts: dict[str, Counted] = {}
        measure = Measuring()
        for some in self._chunks(pieces, counts):
            for (batch, table), known in zip(some, self._samples(some), strict=True):
                split = splits.setdefault(batch, Split(self.segments))
                for segment, rows in split.tables(table):
                    arrays = self._arrays(rows)
                    profiles = [part for column in self.columns for part in measure(column, arrays, counts[batch], known)]
                    split.add(segment, Measured(rows.num_rows, dict(enumerate(profiles, self.first))))
        records: Records = {}
        for batch, split in splits.items():
            for segment, part in split.parts.items():
                yield from encode(batch, segment, part, records)
        if beside:
            whole = {batch: split.parts[None].profiles for batch, split in splits.items() if None in split.parts}
            yield from ((batch, WHOLE, BESIDE, 0, record) for batch, record in besides(whole))
        for batch, counted in counts.items():
            yield encode_counts(batch, counted)

    def _arrays(self, rows: pa.Table) -> dict[Name, pa.ChunkedArray]:
        return {name: rows.column(i) for i, name in enumerate(self.names)}

    def _samples(self, some: Sequence[tuple[str, pa.Table]]) -> list[dict[Need, State]]:
        """Of several batches their samples of rows, which are drawn together."""
        found: list[dict[Need, State]] = [{} for _ in some]
        if len(some) > 1 and not self.segments:
            rows = [Rows(table.num_rows, self._arrays(table)) for _, table in some]
            needs = {need for column in self.columns for _, need in column.needs if need.state is RowSample and need.where is None}
            for need in needs:
                for states, sample in zip(found, RowSample.of_each(rows, need), strict=True):
                    states[need] = sample
        return found

    def _chunks(self, pieces: Iterable[RowPiece], counts: dict[str, Counted]) -> Iterator[list[tuple[str, pa.Table]]]:
        """The rows of batches, those of small ones together."""
        waiting: dict[str, _Waiting] = {}
        held = 0
        names = [name for name in self.names if isinstance(name, str)]
        for piece in pieces:
            batch, lines = piece.batch, piece.rows
            counted = counts.setdefault(batch, Counted())
            # Of a table that is scanned by groups of columns, the first group's scan counts.
            if not self.first:
                counted.lines[piece.path] += lines.num_rows
            if self.compares:
                counted.compare(piece.path, names, lines)
            rows = counted.flagged(lines, drops=self.drops) if self.flagged else lines
            if batch == NOBODYS:
                continue
            for at in range(0, rows.num_rows, CHUNK_ROWS):
                held += waiting.setdefault(batch, _Waiting()).add(rows.slice(at, CHUNK_ROWS))
                if waiting[batch].full:
                    held -= waiting[batch].bytes
                    yield [(batch, waiting.pop(batch).table())]
            while held > HELD_BYTES:
                largest = max(waiting, key=lambda b: waiting[b].bytes)
                held -= waiting[largest].bytes
                yield [(largest, waiting.pop(largest).table())]
        some: list[tuple[str, pa.Table]] = []
        together = 0
        for batch, rest in waiting.items():
            if some and together + rest.bytes > SMALL_BYTES:
                yield some
                some, together = [], 0
            some.append((batch, rest.table()))
            together += rest.bytes
        if some:
            yield some


def batch_finder(files: Sequence[tuple[str, str]]) -> Callable[[str], tuple[str, str]]:
    """What finds the batch of a marker, and its file ('' where the marker is the batch), given the batches of files and folders."""
    if not files:
        return lambda marker: (marker, "")
    known: dict[str, tuple[str, str]] = {}
    roots = {unquote(root).rstrip("/"): batch for root, batch in files}

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


def _together(arrow_batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same rows in larger batches where they are of many markers: those of each are then cut out of many rows at once."""
    waiting = _Waiting()
    for arrow_batch in arrow_batches:
        markers = arrow_batch.column(arrow_batch.num_columns - 1)
        if not len(markers) or markers[0] == markers[-1]:
            yield arrow_batch
            continue
        waiting.add(arrow_batch)
        if waiting.full or waiting.bytes >= HELD_BYTES // _TOGETHER:
            yield from waiting.table().combine_chunks().to_batches()
            waiting = _Waiting()
    if waiting.pieces:
        yield from waiting.table().combine_chunks().to_batches()


def split_by_last(arrow_batch: pa.RecordBatch) -> Iterator[tuple[str, pa.RecordBatch]]:
    """The rows of each value of the last column, in their order, without that column; those without a value are left out."""
    if not arrow_batch.num_rows:
        return
    data = arrow_batch.select(list(range(arrow_batch.num_columns - 1)))
    markers, codes = _coded(arrow_batch.column(arrow_batch.num_columns - 1))
    if (codes[1:] < codes[:-1]).any():
        order = np.argsort(codes.astype(np.uint16) if len(markers) <= _SHORT else codes, kind="stable")
        data, codes = data.take(pa.array(order)), codes[order]
    starts = np.flatnonzero(np.concatenate([[True], codes[1:] != codes[:-1]])).tolist()
    for start, stop in zip(starts, [*starts[1:], len(codes)], strict=True):
        marker = markers[codes[start]]
        if marker is not None:
            yield marker, data.slice(start, stop - start)


def _coded(markers: pa.Array) -> tuple[list[str | None], NDArray[np.int64]]:
    """The distinct markers and None, and per row which it has, shape (rows,)."""
    encoded = markers if pa.types.is_dictionary(markers.type) else markers.cast(pa.string()).dictionary_encode()
    distinct = [*encoded.dictionary.cast(pa.string()).to_pylist(), None]
    codes = encoded.indices.cast(pa.int64()).fill_null(len(distinct) - 1)
    return distinct, codes.to_numpy(zero_copy_only=False)


def scan_of(names: Sequence[Name], needs: Sequence[Need]) -> Kernel:
    """The kernel that measures the states of needs alone, of rows with these columns and one marker for all."""
    keyed = tuple((f"{need.state.key} {i}", need) for i, need in enumerate(needs))
    return Kernel((KernelColumn("", "", asked=True, needs=keyed),), tuple(names))


def scanned(kernel: Kernel, partials: pa.Table) -> dict[Need, State]:
    """The states of all tasks of `scan_of`; of no rows where none had any."""
    keyed = kernel.columns[0].needs
    splits, _, _ = split_by_batch(partials.to_batches(), ())
    for split in splits.values():
        states = split.parts[None].profiles[0].states
        return {need: states[key] for key, need in keyed}
    return Rows(0, dict.fromkeys(kernel.names, pa.nulls(0))).measure(need for _, need in keyed)
