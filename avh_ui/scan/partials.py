"""Partial profiles between Spark's tasks, by batch, segment and column, and what is counted beside them: malformed lines, rows by file and
the columns without a value there, characters that are no text. They are split in the workers, and put together on the driver.

A batch may have more segments than are kept apart. Which ones are, all tasks must agree on without talking to each other: the first
`MAX_SEGMENTS` in the order of their values. A segment among the first of all rows is among the first of any of them, so every task
keeps it; what a task kept beyond those goes to the rest when the tasks are joined.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.catalogue import state_type
from avh_ui.metrics.characters import no_text
from avh_ui.metrics.column import Column, Counts
from avh_ui.metrics.delivery import NAMED_FILES, Delivery
from avh_ui.metrics.frequencies import short_key
from avh_ui.metrics.profile import ColumnProfile, merge_columns
from avh_ui.metrics.segment import MAX_SEGMENTS, REST, Segment, segment_order
from avh_ui.metrics.state import pack, unpack

PARTIAL_SCHEMA = pa.schema(
    [("batch", pa.string()), ("segment", pa.string()), ("position", pa.int32()), ("rows", pa.int64()), ("profile", pa.binary())]
)
# The same in Spark's words.
PARTIAL_DDL = "batch string, segment string, position int, rows bigint, profile binary"
# Where a batch's counts stand among the profiles of its columns.
_COUNTS = -1
# The parts of one column: of how many rows, and the record.
Parts = list[tuple[int, bytes]]
REST_NOTE = f"It has more segments than the {MAX_SEGMENTS} kept apart, which are the first in order; the others are together in {REST}."
_COUNTERS = ("lines", "replaced", "boms", "controls")


@dataclass
class Counted:
    """The counts of some rows of one batch. `lines` by file are all lines; `replaced`, `boms` and `controls` are values by column.

    `without` has by file the columns without a value in it, of the files that are compared.
    """

    lines: Counter[str] = field(default_factory=Counter)
    malformed: int = 0
    dropped: int = 0
    replaced: Counter[str] = field(default_factory=Counter)
    boms: Counter[str] = field(default_factory=Counter)
    controls: Counter[str] = field(default_factory=Counter)
    without: dict[str, set[str]] = field(default_factory=dict)

    def flagged(self, rows: pa.RecordBatch, *, drops: bool) -> pa.RecordBatch:
        """Count the rows whose last column flags them as malformed; the rows without that column, and without those if they are dropped."""
        flags = rows.column(rows.num_columns - 1)
        data = rows.select(list(range(rows.num_columns - 1)))
        bad = flags.true_count
        self.malformed += bad
        if not bad or not drops:
            return data
        self.dropped += bad
        return data.filter(pc.invert(flags))

    def compare(self, path: str, columns: Sequence[str], rows: pa.RecordBatch) -> None:
        """Note which of the columns, the first of `rows`, have no value in these rows of a file."""
        self._narrow(path, {name for name, values in zip(columns, rows.columns, strict=False) if values.null_count == rows.num_rows})

    def _narrow(self, path: str, without: set[str]) -> None:
        self.without[path] = without & self.without.get(path, without)

    def texts(self, column: Column) -> None:
        """Count the values that hold what is no text."""
        if column.kind == "string" and len(column.texts.counts):
            for name, there in no_text(column.texts.values).items():
                getattr(self, name)[column.name] += int(column.texts.counts[there].sum())

    def add(self, other: Counted) -> None:
        """The counts of other rows besides."""
        self.malformed += other.malformed
        self.dropped += other.dropped
        for name in _COUNTERS:
            getattr(self, name).update(getattr(other, name))
        for path, without in other.without.items():
            self._narrow(path, without)

    def to_record(self) -> bytes:
        """As bytes between Spark's tasks."""
        counters = {name: dict(getattr(self, name)) for name in _COUNTERS}
        without = {path: sorted(names) for path, names in self.without.items()}
        return json.dumps({**counters, "malformed": self.malformed, "dropped": self.dropped, "without": without}).encode("ascii")

    @classmethod
    def from_record(cls, record: bytes) -> Counted:
        """The inverse of `to_record`."""
        found: dict[str, Any] = json.loads(record)
        counters = {name: Counter(found[name]) for name in _COUNTERS}
        without = {path: set(names) for path, names in found["without"].items()}
        return cls(**counters, malformed=found["malformed"], dropped=found["dropped"], without=without)

    def delivery(self, before: Delivery, expected: Mapping[str, str], *, flagged: bool) -> Delivery:
        """The facts of the batch: those known before its rows were read, and these counts. `expected`: files with rows, name by path."""
        rows = {name: self.lines[path] for path, name in expected.items() if path in self.lines}
        # Where Spark spells paths in another way, nothing can be said.
        unread = sorted(name for name in expected.values() if name not in rows) if rows else []
        counts = Delivery(
            named=tuple(replace(file, rows=rows.get(file.name)) for file in before.named),
            malformed_rows=self.malformed if flagged else None,
            dropped_rows=self.dropped,
            replaced=dict(self.replaced),
            boms=dict(self.boms),
            controls=dict(self.controls),
            unread=tuple(unread[:NAMED_FILES]),
        )
        return replace(before, named=()).merge(counts)


@dataclass(frozen=True)
class Measured:
    """Rows of a batch, or of one of its segments, with the kernel's profiles by position."""

    rows: int
    profiles: dict[int, ColumnProfile]


@dataclass
class Split:
    """A batch's partial profiles by segment; by None alone where the pipeline has no segment columns (`names`)."""

    names: tuple[str, ...]
    parts: dict[Segment | None, Measured] = field(default_factory=dict)

    def tables(self, table: pa.Table) -> Iterator[tuple[Segment | None, pa.Table]]:
        """The rows of each segment, without the segment columns, which are the last; of those not kept apart together."""
        if not self.names:
            yield None, table
            return
        segments, codes = self._codes(table.select(range(table.num_columns - len(self.names), table.num_columns)))
        data = table.select(range(table.num_columns - len(self.names)))
        kept = self._keep(segments)
        # Segments that are not kept share the last code.
        target = np.array([k if s in kept else len(segments) for k, s in enumerate(segments)], dtype=np.int64)[codes]
        order = np.argsort(target, kind="stable")
        found, starts = np.unique(target[order], return_index=True)
        sorted_rows = data.take(pa.array(order))
        for code, start, stop in zip(found.tolist(), starts.tolist(), [*starts.tolist()[1:], len(order)], strict=True):
            yield (segments[code] if code < len(segments) else REST), sorted_rows.slice(start, stop - start)

    def add(self, segment: Segment | None, part: Measured) -> None:
        """Merge a part into the segment's, or into the rest's when the segment is not kept apart."""
        if segment is not None and segment not in self._keep([segment]):
            segment = REST
        before = self.parts.get(segment)
        self.parts[segment] = part if before is None else join([before, part])

    def _keep(self, more: Sequence[Segment]) -> set[Segment]:
        """The segments to keep apart, of those there are and some more; the others' parts go to the rest."""
        known = {s for s in (*self.parts, *more) if s is not None and s != REST}
        if len(known) <= MAX_SEGMENTS:
            return known
        kept = set(sorted(known, key=segment_order)[:MAX_SEGMENTS])
        late = [self.parts.pop(s) for s in known - kept if s in self.parts]
        if late:
            self.parts[REST] = join([*late, *([self.parts[REST]] if REST in self.parts else [])])
        return kept

    def _codes(self, columns: pa.Table) -> tuple[list[Segment], Counts]:
        """The segments of some rows, and per row which it is of."""
        values: list[tuple[tuple[str, str | None], ...]] = [()]
        codes = np.zeros(columns.num_rows, dtype=np.int64)
        for name, column in zip(self.names, columns.columns, strict=True):
            encoded = pa.concat_arrays(column.chunks).cast(pa.large_binary()).dictionary_encode()
            texts = [*(short_key(v) for v in encoded.dictionary.to_pylist()), None]
            place = encoded.indices.fill_null(len(texts) - 1).to_numpy(zero_copy_only=False).astype(np.int64)
            found, codes = np.unique(codes * len(texts) + place, return_inverse=True)
            values = [(*values[k // len(texts)], (name, texts[k % len(texts)])) for k in found.tolist()]
        return [Segment(v) for v in values], codes


def join(parts: Sequence[Measured]) -> Measured:
    """The measured rows of all parts together."""
    if len(parts) == 1:
        return parts[0]
    merged = {position: merge_columns([p.profiles[position] for p in parts]) for position in parts[0].profiles}
    return Measured(sum(p.rows for p in parts), merged)


def to_key(segment: Segment | None) -> str:
    """A segment as ASCII text between Spark's tasks; '' for a whole batch."""
    return "" if segment is None else json.dumps(segment.values)


def from_key(key: str) -> Segment | None:
    """The inverse of `to_key`."""
    return Segment(tuple((name, value) for name, value in json.loads(key))) if key else None


def encode_counts(batch: str, counted: Counted) -> pa.RecordBatch:
    """What was counted of a batch beside its columns, likewise."""
    return _rows([batch], [to_key(None)], [_COUNTS], [0], [counted.to_record()])


def encode(batch: str, segment: Segment | None, part: Measured) -> pa.RecordBatch:
    """Partial profiles of one batch, or of one of its segments, as rows of `PARTIAL_SCHEMA`."""
    n = len(part.profiles)
    return _rows([batch] * n, [to_key(segment)] * n, list(part.profiles), [part.rows] * n, [_record(p) for p in part.profiles.values()])


def _rows(*columns: Sequence[str | int | bytes]) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array(c, f.type) for c, f in zip(columns, PARTIAL_SCHEMA, strict=True)], schema=PARTIAL_SCHEMA)


def _record(profile: ColumnProfile) -> bytes:
    keys = list(profile.states)
    header = {"name": profile.name, "kind": profile.kind, "type": profile.type, "keys": keys}
    return pack(header, *(profile.states[k].to_record() for k in keys))


def decode(record: bytes) -> ColumnProfile:
    """One partial profile back from its row."""
    header, buffers = unpack(record)
    found = ((key, state_type(key), buffer) for key, buffer in zip(header["keys"], buffers, strict=True))
    states = {key: known.from_record(buffer) for key, known, buffer in found if known is not None}
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
