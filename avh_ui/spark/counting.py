"""What Spark's tasks count of a batch beside its columns' states: rows by file, malformed lines, characters that are no text."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.characters import no_text
from avh_ui.metrics.column import Column
from avh_ui.metrics.delivery import NAMED_FILES, Delivery

_COUNTERS = ("lines", "replaced", "boms", "controls")


@dataclass
class Counted:
    """The counts of some rows of one batch. `lines` by file are all lines; `replaced`, `boms` and `controls` are values by column."""

    lines: Counter[str] = field(default_factory=Counter)
    malformed: int = 0
    dropped: int = 0
    replaced: Counter[str] = field(default_factory=Counter)
    boms: Counter[str] = field(default_factory=Counter)
    controls: Counter[str] = field(default_factory=Counter)

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
            for name, there in no_text(column.texts.values).items():
                getattr(self, name)[column.name] += int(column.texts.counts[there].sum())

    def add(self, other: Counted) -> None:
        """The counts of other rows besides."""
        self.malformed += other.malformed
        self.dropped += other.dropped
        for name in _COUNTERS:
            getattr(self, name).update(getattr(other, name))

    def to_record(self) -> bytes:
        """As bytes between Spark's tasks."""
        counters = {name: dict(getattr(self, name)) for name in _COUNTERS}
        return json.dumps({**counters, "malformed": self.malformed, "dropped": self.dropped}).encode("ascii")

    @classmethod
    def from_record(cls, record: bytes) -> Counted:
        """The inverse of `to_record`."""
        found: dict[str, Any] = json.loads(record)
        counters = {name: Counter(found[name]) for name in _COUNTERS}
        return cls(**counters, malformed=found["malformed"], dropped=found["dropped"])

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
