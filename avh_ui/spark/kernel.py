"""What runs in Spark's Python workers: rows in, partial profiles out.

One call of `mapInArrow` measures all columns of all batches of a chunk in one scan. Each task turns its rows into one partial
profile per batch and column with the same kernel that notebooks and tests use (`metrics/`); partial profiles are then merged,
which is exact by the monoid laws.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.catalogue import STATE_TYPES
from avh_ui.metrics.column import NO_TEXTS, Column
from avh_ui.metrics.profile import ColumnProfile, merge_columns
from avh_ui.metrics.state import pack, unpack

# Rows measured at once: enough that NumPy's cost per call vanishes, few enough that a worker's memory is bounded
# (4 million cells of 8 bytes are 32 MB).
CHUNK_CELLS = 4_000_000
CHUNK_ROWS = 200_000
PARTIAL_SCHEMA = pa.schema([("batch", pa.string()), ("position", pa.int32()), ("rows", pa.int64()), ("profile", pa.binary())])
# The same in Spark's words.
PARTIAL_DDL = "batch string, position int, rows bigint, profile binary"
# A number as text: no leading zeros, since those are codes ("07"), and no blanks.
_NUMBER = r"^[+-]?(0|[1-9][0-9]*|[0-9]*\.[0-9]+|(0|[1-9][0-9]*)\.[0-9]*)([eE][+-]?[0-9]+)?$"


@dataclass(frozen=True)
class KernelColumn:
    """A column to measure: its name, Spark's type name, and whether its type must be found from its texts (CSV)."""

    name: str
    type: str
    untyped: bool


@dataclass(frozen=True)
class Kernel:
    """Measures rows whose last column says which batch they are of: the batch id itself, or the file they came from."""

    columns: tuple[KernelColumn, ...]
    files: tuple[tuple[str, str], ...] = ()

    def __call__(self, arrow_batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The function for `mapInArrow`."""
        parts: dict[str, list[ColumnProfile]] = {}
        rows: dict[str, int] = {}
        batch_of = self._batch_of()
        for batch, table in self._chunks(arrow_batches, batch_of):
            rows[batch] = rows.get(batch, 0) + table.num_rows
            measured = [part for i, column in enumerate(self.columns) for part in measure(column, table.column(i))]
            before = parts.get(batch)
            parts[batch] = measured if before is None else [a.merge(b) for a, b in zip(before, measured, strict=True)]
        for batch, profiles in parts.items():
            yield encode(batch, rows[batch], profiles)

    def _chunks(self, arrow_batches: Iterable[pa.RecordBatch], batch_of: Callable[[str], str]) -> Iterator[tuple[str, pa.Table]]:
        size = max(1_000, min(CHUNK_ROWS, CHUNK_CELLS // max(len(self.columns), 1)))
        waiting: dict[str, list[pa.RecordBatch]] = {}
        held: dict[str, int] = {}
        for arrow_batch in arrow_batches:
            for marker, rows in split_by_last(arrow_batch):
                batch = batch_of(marker)
                for at in range(0, rows.num_rows, size):
                    piece = rows.slice(at, size)
                    waiting.setdefault(batch, []).append(piece)
                    held[batch] = held.get(batch, 0) + piece.num_rows
                    if held[batch] >= size:
                        held[batch] = 0
                        yield batch, pa.Table.from_batches(waiting.pop(batch))
        for batch, pieces in waiting.items():
            yield batch, pa.Table.from_batches(pieces)

    def _batch_of(self) -> Callable[[str], str]:
        if not self.files:
            return lambda marker: marker
        known: dict[str, str] = {}
        # The longest path first: one batch's folder may begin like another's.
        paths = sorted(((unquote(p), b) for p, b in self.files), key=lambda pair: -len(pair[0]))

        def find(marker: str) -> str:
            if marker not in known:
                path = strip_scheme(unquote(marker))
                known[marker] = next((b for p, b in paths if path == p or path.startswith(p.rstrip("/") + "/")), marker)
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


def measure(column: KernelColumn, values: pa.ChunkedArray) -> list[ColumnProfile]:
    """The column's partial profile; of an untyped column its profile as texts, then as numbers (an empty one if it is none)."""
    texts = Column.from_arrow(column.name, values)
    profiles = [ColumnProfile.of(texts, column.type)]
    if column.untyped:
        numbers = as_numbers(texts)
        profiles.append(ColumnProfile.of(numbers, "number" if numbers.rows == texts.rows else "not a number"))
    return profiles


def as_numbers(texts: Column) -> Column:
    """A column of texts as numbers, with no rows when some text is no number."""
    values = texts.texts.values
    if not pc.all(pc.match_substring_regex(values, _NUMBER), min_count=0).as_py():
        return Column(texts.name, "numeric", 0, 0, np.empty(0), NO_TEXTS)
    numbers = np.asarray(values.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)
    return Column(texts.name, "numeric", texts.rows, texts.nulls, np.repeat(numbers, texts.texts.counts) + 0.0, NO_TEXTS)


def encode(batch: str, rows: int, profiles: list[ColumnProfile]) -> pa.RecordBatch:
    """Partial profiles of one batch as rows of `PARTIAL_SCHEMA`."""
    records = []
    for profile in profiles:
        keys = list(profile.states)
        header = {"name": profile.name, "kind": profile.kind, "type": profile.type, "keys": keys}
        records.append(pack(header, *(profile.states[k].to_record() for k in keys)))
    columns = [[batch] * len(records), list(range(len(records))), [rows] * len(records), records]
    return pa.RecordBatch.from_arrays([pa.array(c, f.type) for c, f in zip(columns, PARTIAL_SCHEMA, strict=True)], schema=PARTIAL_SCHEMA)


def decode(record: bytes) -> ColumnProfile:
    """One partial profile back from its row."""
    header, buffers = unpack(record)
    states = {key: STATE_TYPES[key].from_record(buffer) for key, buffer in zip(header["keys"], buffers, strict=True)}
    return ColumnProfile(header["name"], header["kind"], header["type"], states)


def merge_partials(arrow_batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The second stage of a large chunk: merges the partial profiles that the shuffle brought together."""
    for batch, rows, profiles in assemble(arrow_batches):
        yield from (encode_at(batch, position, rows, profile) for position, profile in profiles.items())


def encode_at(batch: str, position: int, rows: int, profile: ColumnProfile) -> pa.RecordBatch:
    """One profile at its position."""
    row = encode(batch, rows, [profile])
    return row.set_column(1, PARTIAL_SCHEMA.field(1), pa.array([position], pa.int32()))


def assemble(arrow_batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[str, int, dict[int, ColumnProfile]]]:
    """Per batch: its rows and its merged profiles by position."""
    parts: dict[str, dict[int, list[ColumnProfile]]] = {}
    rows: dict[str, dict[int, int]] = {}
    for arrow_batch in arrow_batches:
        for row in arrow_batch.to_pylist():
            parts.setdefault(row["batch"], {}).setdefault(row["position"], []).append(decode(row["profile"]))
            counted = rows.setdefault(row["batch"], {})
            counted[row["position"]] = counted.get(row["position"], 0) + row["rows"]
    for batch, by_position in parts.items():
        merged = {position: merge_columns(profiles) for position, profiles in sorted(by_position.items())}
        yield batch, max(rows[batch].values()), merged
