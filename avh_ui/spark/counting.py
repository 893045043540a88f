"""What Spark's tasks count of a batch beside its columns' states: rows by file, malformed lines, characters that are no text."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.column import Column
from avh_ui.metrics.delivery import BOM, NAMED_FILES, REPLACEMENT, DataFile, Delivery


@dataclass
class Counted:
    """The counts of some rows of one batch. `lines` by file are all lines; `replaced` and `boms` are values by column."""

    lines: Counter[str] = field(default_factory=Counter)
    malformed: int = 0
    dropped: int = 0
    replaced: Counter[str] = field(default_factory=Counter)
    boms: Counter[str] = field(default_factory=Counter)

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

    def texts(self, column: Column) -> None:
        """Count the values that hold what is no text."""
        if column.kind == "string" and len(column.texts.counts):
            for found, character in ((self.replaced, REPLACEMENT), (self.boms, BOM)):
                there = pc.match_substring(column.texts.values, character).to_numpy(zero_copy_only=False)
                if there.any():
                    found[column.name] += int(column.texts.counts[there].sum())

    def add(self, other: Counted) -> None:
        """The counts of other rows besides."""
        self.lines += other.lines
        self.malformed += other.malformed
        self.dropped += other.dropped
        self.replaced += other.replaced
        self.boms += other.boms

    def to_record(self) -> bytes:
        """As bytes between Spark's tasks."""
        counters = {name: dict(getattr(self, name)) for name in ("lines", "replaced", "boms")}
        return json.dumps({**counters, "malformed": self.malformed, "dropped": self.dropped}).encode("ascii")

    @classmethod
    def from_record(cls, record: bytes) -> Counted:
        """The inverse of `to_record`."""
        found: dict[str, Any] = json.loads(record)
        counters = {name: Counter(found[name]) for name in ("lines", "replaced", "boms")}
        return cls(**counters, malformed=found["malformed"], dropped=found["dropped"])

    def delivery(self, before: Delivery, expected: frozenset[str], *, flagged: bool) -> Delivery:
        """The facts of the batch: those known before its rows were read, and these counts."""
        read = {path: count for path, count in self.lines.items() if path in expected}
        # Where Spark spells paths in another way, nothing can be said.
        unread = sorted(expected - self.lines.keys()) if read else []
        rows = {path.rsplit("/", 1)[-1]: count for path, count in self.lines.items()}
        named = tuple(DataFile(f.name, f.bytes, rows.get(f.name, f.rows)) for f in before.named)
        counts = Delivery(
            malformed_rows=self.malformed if flagged else None,
            dropped_rows=self.dropped,
            replaced=dict(self.replaced),
            boms=dict(self.boms),
            unread=tuple(path.rsplit("/", 1)[-1] for path in unread[:NAMED_FILES]),
        )
        return replace(before, named=()).merge(replace(counts, named=named))
