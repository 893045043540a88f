"""Splitting batches in segments: in Spark's workers, and again on the driver, where the parts of all tasks come together.

A batch may have more segments than are kept apart. Which ones are, all tasks must agree on without talking to each other: the first
`MAX_SEGMENTS` in the order of their values. A segment among the first of all rows is among the first of any of them, so every task
keeps it; what a task kept beyond those goes to the rest when the tasks are joined.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from avh_ui.metrics.column import Counts
from avh_ui.metrics.frequencies import short_key
from avh_ui.metrics.profile import ColumnProfile, merge_columns
from avh_ui.metrics.segment import MAX_SEGMENTS, REST, Segment, segment_order

REST_NOTE = f"It has more segments than the {MAX_SEGMENTS} kept apart, which are the first in order; the others are together in {REST}."


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
