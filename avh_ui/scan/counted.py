"""What is counted of a batch beside its columns: malformed lines, rows by file and the columns without a value there, and characters that
are no text.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.characters import no_text
from avh_ui.metrics.column import Column
from avh_ui.metrics.delivery import NAMED_FILES, Delivery
from avh_ui.metrics.remembering import kept_beside

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

    @property
    def spilling(self) -> int:
        """How many of the measured lines are malformed: their texts may stand in columns of others."""
        return self.malformed - self.dropped

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
        if column.kind == "string" and not column.texts.characters.plain:
            for name, count in _strange(column).items():
                getattr(self, name)[column.name] += count

    def add(self, other: Counted) -> None:
        """The counts of other rows besides."""
        self.malformed += other.malformed
        self.dropped += other.dropped
        for name in _COUNTERS:
            if more := getattr(other, name):
                getattr(self, name).update(more)
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


# A small column with the values of the batch before is the same object.
@kept_beside
def _strange(column: Column) -> dict[str, int]:
    """How many of its values hold what is no text, by what they are counted as."""
    texts = column.texts
    return {name: int(texts.counts[there].sum()) for name, there in no_text(texts.values).items()}
