"""Partial profiles between Spark's tasks, by batch, segment and column, and what is counted beside them: malformed lines, rows by file and
the columns without a value there, characters that are no text. They are split in the workers, and put together on the driver.

A batch may have more segments than are kept apart. Which ones are, all tasks must agree on without talking to each other: the first
`MAX_SEGMENTS` in the order of their values. A segment among the first of all rows is among the first of any of them, so every task
keeps it; what a task kept beyond those goes to the rest when the tasks are joined.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from avh_ui.metrics.catalogue import state_type
from avh_ui.metrics.column import Counts
from avh_ui.metrics.frequencies import short_key
from avh_ui.metrics.profile import ColumnProfile, merge_columns
from avh_ui.metrics.profiler import FailedBatch
from avh_ui.metrics.rows import RowTest
from avh_ui.metrics.segment import MAX_SEGMENTS, REST, WHOLE, Segment, segment_key, segment_of, segment_order
from avh_ui.metrics.state import Header, InParts, State, pack, unpack
from avh_ui.scan.beside import BESIDE, with_besides
from avh_ui.scan.counted import Counted
from avh_ui.scan.texts_of_numbers import BriefTexts, complete

PARTIAL_SCHEMA = pa.schema(
    [("batch", pa.string()), ("segment", pa.string()), ("position", pa.int32()), ("rows", pa.int64()), ("profile", pa.binary())]
)
# The same in Spark's words.
PARTIAL_DDL = "batch string, segment string, position int, rows bigint, profile binary"
# The batch of rows of a table that have none, malformed lines that have lost theirs among them: they are counted.
NOBODYS = "\x00"
# Where a batch's counts stand among the profiles of its columns, and why it could not be read.
_COUNTS, _FAULT = -1, -2
# So many bytes of them are sent at once: those of many small batches, and few enough for a worker to hold beside what it measures.
_SENT_BYTES = 16 * 1024**2
# A row of `PARTIAL_SCHEMA`, and some of them: as Spark hands them over, or as they are within one machine.
Row = tuple[str, str, int, int, bytes]
Partials: TypeAlias = pa.RecordBatch | list[Row]
# The parts of one column: of how many rows, and the record.
Parts = list[tuple[int, bytes]]
# Partial profiles with their records, by the identity of the profile, which is its own as long as it is held.
Records = dict[int, tuple[ColumnProfile, bytes]]
REST_NOTE = f"It has more segments than the {MAX_SEGMENTS} kept apart, which are the first in order; the others are together in {REST}."


@dataclass(frozen=True)
class Declined:
    """A batch that Arrow does not read as Spark does, and why: `path` is the file, `test` the condition, where all else can be measured."""

    why: str
    test: RowTest | None = None
    path: str = ""

    @property
    def told(self) -> str:
        """Why, with the file."""
        return f"{self.why} ({self.path})" if self.path else self.why


Faults = dict[str, FailedBatch | Declined]


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
    merged = {position: _merge([p.profiles[position] for p in parts]) for position in parts[0].profiles}
    return Measured(sum(p.rows for p in parts), merged)


def encode_counts(batch: str, counted: Counted) -> Row:
    """What was counted of a batch beside its columns, likewise."""
    return batch, WHOLE, _COUNTS, 0, counted.to_record()


def encode(batch: str, segment: Segment | None, part: Measured, records: Records) -> Iterator[Row]:
    """Partial profiles of one batch, or of one of its segments, as rows of `PARTIAL_SCHEMA`. One that several batches share is written
    once: `records` has those that are written.
    """
    key = segment_key(segment)
    for position, profile in part.profiles.items():
        if id(profile) not in records:
            records[id(profile)] = profile, _record(profile)
        yield batch, key, position, part.rows, records[id(profile)][1]


def together(rows: Iterable[Row]) -> Iterator[pa.RecordBatch]:
    """The rows in few batches: one for each day of a small table took 0.24 ms a day more, where they were made, sent and read."""
    held: list[Row] = []
    size = 0
    for row in rows:
        held.append(row)
        size += len(row[-1])
        if size > _SENT_BYTES:
            yield _rows(*zip(*held, strict=True))
            held, size = [], 0
    if held:
        yield _rows(*zip(*held, strict=True))


def encode_fault(batch: str, fault: FailedBatch | Declined) -> Row:
    """Why a batch could not be read, likewise."""
    declined = isinstance(fault, Declined)
    said: dict[str, object] = {"declined": declined, "why": fault.why if isinstance(fault, Declined) else fault.reason}
    if isinstance(fault, Declined):
        said["path"] = fault.path
        if fault.test is not None:
            said["test"] = [fault.test.text, fault.test.column]
    return batch, WHOLE, _FAULT, 0, json.dumps(said).encode("ascii")


def _fault(batch: str, record: bytes) -> FailedBatch | Declined:
    found: dict[str, Any] = json.loads(record)
    if not found["declined"]:
        return FailedBatch(batch, found["why"])
    return Declined(found["why"], RowTest(*found["test"]) if "test" in found else None, found["path"])


def _rows(*columns: Sequence[str | int | bytes]) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array(c, f.type) for c, f in zip(columns, PARTIAL_SCHEMA, strict=True)], schema=PARTIAL_SCHEMA)


def _record(profile: ColumnProfile) -> bytes:
    """With one header for all states: most of the time of small batches goes into reading and writing JSON."""
    headers: list[tuple[str, Header, int]] = []
    buffers: list[bytes] = []
    for key, state in profile.states.items():
        header, own = state.parts() if isinstance(state, InParts) else ({}, (state.to_record(),))
        headers.append((key, header, len(own)))
        buffers += own
    return pack({"name": profile.name, "kind": profile.kind, "type": profile.type, "states": headers}, *buffers)


def decode(record: bytes) -> ColumnProfile:
    """One partial profile back from its row."""
    found, buffers = unpack(record)
    states: dict[str, State] = {}
    at = 0
    for key, header, count in found["states"]:
        known, own = BriefTexts if key == BriefTexts.key else state_type(key), buffers[at : at + count]
        if known is not None:
            states[key] = known.of_parts(header, own) if issubclass(known, InParts) else known.from_record(*own)
        at += count
    return ColumnProfile(found["name"], found["kind"], found["type"], states)


def merge_partials(arrow_batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The second stage of a large chunk: merges the partial profiles that the shuffle brought together."""
    # Beside another batch a part says nothing of the whole.
    found = {key: parts for key, parts in _gather(arrow_batches).items() if key[2] != BESIDE}
    if found:
        # A part that is alone, as most are where a batch lies in one file, is passed on as it came.
        records = [
            parts[0][1] if len(parts) == 1 or position == _FAULT else _joined(position, parts) for (_, _, position), parts in found.items()
        ]
        batches, segments, positions = zip(*found, strict=True)
        yield _rows(batches, segments, positions, [sum(rows for rows, _ in parts) for parts in found.values()], records)


def _joined(position: int, parts: Parts) -> bytes:
    return _added(parts).to_record() if position == _COUNTS else _record(_merged(parts))


def _merged(parts: Parts, known: dict[bytes, ColumnProfile] | None = None) -> ColumnProfile:
    """The parts together; records that are `known` are not decoded again, so that equal ones give one profile."""
    known = {} if known is None else known
    for _, record in parts:
        if record not in known:
            known[record] = decode(record)
    return _merge([known[record] for _, record in parts])


def _merge(profiles: Sequence[ColumnProfile]) -> ColumnProfile:
    """Brief profiles merge once they are complete: all values of several parts may be more than a table holds."""
    return profiles[0] if len(profiles) == 1 else merge_columns([complete(profile) for profile in profiles])


def _added(parts: Parts) -> Counted:
    whole, *others = (Counted.from_record(record) for _, record in parts)
    for other in others:
        whole.add(other)
    return whole


def _gather(partials: Iterable[Partials]) -> dict[tuple[str, str, int], Parts]:
    """Per batch, segment and position its parts."""
    found: dict[tuple[str, str, int], Parts] = {}
    for part in partials:
        rows = part if isinstance(part, list) else zip(*(c.to_pylist() for c in part.columns), strict=True)
        for batch, segment, position, count, record in rows:
            found.setdefault((batch, segment, position), []).append((count, record))
    return found


def assemble(partials: Iterable[Partials], counts: dict[str, Counted], faults: Faults) -> Iterator[tuple[str, str, Measured]]:
    """Per batch and segment: its rows and its merged profiles; the batches' counts go to `counts`, and why one was not read to `faults`."""
    whole: dict[tuple[str, str], tuple[int, dict[int, ColumnProfile]]] = {}
    known: dict[bytes, ColumnProfile] = {}
    # Batches that one task measured, and what it told of each beside another.
    alone, beside = set[str](), dict[str, bytes]()
    for (batch, segment, position), parts in sorted(_gather(partials).items(), key=lambda pair: pair[0][2]):
        if position == BESIDE:
            beside[batch] = parts[0][1]
            continue
        if position == _COUNTS:
            alone |= {batch} if len(parts) == 1 else set()
            counts[batch] = _added(parts)
            continue
        if position == _FAULT:
            # Whatever else is wrong with it, one that only Spark can read is read by Spark.
            found = [_fault(batch, record) for _, record in parts]
            faults[batch] = next((f for f in found if isinstance(f, Declined)), found[0])
            continue
        most, profiles = whole.get((batch, segment), (0, {}))
        profiles[position] = _merged(parts, known)
        whole[batch, segment] = max(most, sum(rows for rows, _ in parts)), profiles
    others = {batch: profiles for (batch, segment), (_, profiles) in whole.items() if segment == WHOLE and batch in alone}
    for batch in beside.keys() & others.keys():
        with_besides(beside[batch], others[batch], others)
    for (batch, segment), (rows, profiles) in whole.items():
        yield batch, segment, Measured(rows, profiles)


def split_by_batch(partials: Iterable[Partials], segments: tuple[str, ...]) -> tuple[dict[str, Split], dict[str, Counted], Faults]:
    """The measured batches that have rows, each by its segments; the counts of all that have lines; and which could not be read."""
    found: dict[str, Split] = {}
    counts: dict[str, Counted] = {}
    faults: Faults = {}
    for batch, segment, part in assemble(partials, counts, faults):
        found.setdefault(batch, Split(segments)).add(segment_of(segment), part)
    return found, counts, faults
