"""What one Spark task does for the index: the evidence of the columns of its files, added up as far as it can be where it is."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from avh_ui.errors import SourceError
from avh_ui.inference.by_corpus.evidence import Evidence, Rules, counted_codes, evidence_of_counted
from avh_ui.inference.by_corpus.summing import totals_of
from avh_ui.spark.corpus_files import ColumnValues, read_parts

SCHEMA = pa.schema(
    [
        pa.field("key", pa.int64()),
        pa.field("family", pa.int64()),
        pa.field("columns", pa.int64()),
        pa.field("whole", pa.float64()),
        pa.field("group_columns", pa.int64()),
        pa.field("within", pa.float64()),
    ]
)
# Keys of rows that count something: columns (with their values and bytes), table families, files that could not be read.
SPECIAL = COLUMN, FAMILY, UNREADABLE = 1, 2, 3
# Columns and characters lexed together: enough that NumPy's cost per call vanishes, few enough to stay at some ten MB.
_LEXED_COLUMNS, _LEXED_CHARACTERS = 200, 1_000_000
# Rows held before they are added up and leave: 24 bytes each.
_MOST_HELD = 1_000_000


class Gathering:
    """Collects the evidence of columns. Columns that are their whole family are added up here, and their rows have no family; those of a
    table that may have copies elsewhere leave with their family's number. `finish` comes last.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._waiting: list[tuple[ColumnValues, bool]] = []
        self._alone: list[Evidence] = []
        self._copies: list[tuple[int, Evidence]] = []
        self._characters = self._held = 0
        self._tables: dict[str, bool] = {}
        self._columns = self._values = self._bytes = self._unreadable = 0

    def add(self, columns: Sequence[ColumnValues], *, alone: bool) -> Iterator[pa.RecordBatch]:
        """Take some columns, and give what is added up. `alone` are those of a table without copies."""
        for column in columns:
            self._waiting.append((column, alone))
            self._characters += sum(map(len, column.texts))
            if len(self._waiting) == _LEXED_COLUMNS or self._characters > _LEXED_CHARACTERS:
                self._lex()
        if self._held > _MOST_HELD:
            yield from self._added_up()

    def scan(self, url: str, *, alone: bool) -> Iterator[pa.RecordBatch]:
        """Take one file; one that cannot be read counts as such, with what was read before."""
        try:
            for part in read_parts(url):
                yield from self.add(part, alone=alone)
        except SourceError:
            self._unreadable += 1

    def finish(self) -> Iterator[pa.RecordBatch]:
        """What is left, and what was counted."""
        yield from self._added_up()
        tables = np.array([_hash(table) for table, alone in self._tables.items() if not alone], dtype=np.int64)
        if len(tables):
            yield _batch(np.full(len(tables), FAMILY), tables, *(np.ones(len(tables)) for _ in range(4)))
        files = UNREADABLE, self._unreadable, 0, 0
        counted = [(COLUMN, self._columns, self._values, self._bytes), (FAMILY, sum(self._tables.values()), 0, 0), files]
        keys, columns, whole, within = (list(part) for part in zip(*counted, strict=True))
        yield _batch(keys, [None] * len(keys), columns, whole, [0] * len(keys), within)

    def _lex(self) -> None:
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

    def _added_up(self) -> Iterator[pa.RecordBatch]:
        self._lex()
        totals = totals_of(self._alone, list(map(str, range(len(self._alone)))))
        # Spark takes an empty batch for the end.
        if len(totals.keys):
            yield _batch(totals.keys.view(np.int64), [None] * len(totals.keys), *totals[1:])
        copies = [(family, found) for family, found in self._copies if len(found.keys)]
        if copies:
            keys, whole, within = (np.concatenate([getattr(found, name) for _, found in copies]) for name in ("keys", "whole", "within"))
            families = np.repeat([family for family, _ in copies], [len(found.keys) for _, found in copies])
            known, inside = ~np.isnan(whole), ~np.isnan(within)
            sums = known, np.where(known, whole, 0.0), inside, np.where(inside, within, 0.0)
            yield _batch(keys.view(np.int64), families, *sums)
        self._alone, self._copies, self._held = [], [], 0


def _batch(*parts: Any) -> pa.RecordBatch:
    arrays = [pa.array(p, k) if isinstance(p, list) else pa.array(np.asarray(p)).cast(k) for p, k in zip(parts, SCHEMA.types, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little", signed=True)
