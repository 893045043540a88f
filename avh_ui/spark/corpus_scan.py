"""The offline index of Auto-Validate (section 2.4) built by Spark: one pass over a corpus of tables.

A task reads some files with Arrow, so that no value passes through the JVM, and adds up what their columns say. Rows of tables that may
have daily copies stay apart by family, since copies count once; after one exchange, by ranges of keys, other tasks average over families
and add up by pattern. Rows travel as a few binary values, one per range of keys, since Spark's own rows took it longer than making them.

A task's memory is bounded however wide a table or column: at most 64 columns of 1,000 values are read at a time,
60 columns or a million characters taken together, with at most `MOST_PATTERNS` patterns per skeleton and one skeleton per ten percent of
a column, and a million rows held before they leave.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.config import SparkSettings
from avh_ui.errors import SourceError
from avh_ui.inference.by_corpus.corpus_index import CorpusIndex, Totals, from_totals
from avh_ui.inference.by_corpus.impurities import IndexRules, PatternImpurities, counted_codes, impurities_of_counted
from avh_ui.inference.by_corpus.summing import SETTLED, KeySums, added_up, concatenated, key_sums_of, settled_sums
from avh_ui.metrics.profiler import Watch
from avh_ui.spark.corpus_files import ColumnValues, families_of, list_files, read_columns, read_parts
from avh_ui.spark.jobs import collect
from avh_ui.spark.session import get_spark
from avh_ui.version import __version__

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Tasks per core: short tasks share the work evenly, but each costs Spark some milliseconds.
_TASKS_PER_CORE = 4
# So many files give about 17 MB of rows (3.6 columns a file, 385 rows a column): a range of keys is held whole by one task.
_FILES_PER_RANGE = 256
# Patterns of fewer columns are left to chance. Merging needs what is below the m of a query, 5; but of a large corpus patterns of three and
# four columns are 62 % of all, with which the index is 2.5 % of the corpus and without which 0.9 % (benchmarks/auto_validate).
_LEAST_OF_SMALL, _LEAST_OF_LARGE, _LARGE = 3, 5, 10_000
# Rows of one range of keys.
_SCHEMA = pa.schema([pa.field("range", pa.int32()), pa.field("rows", pa.binary())])
_DDL = "range int, rows binary"
# The range of what is said of files that could not be read.
_UNREADABLE = -1
# Keys of rows that count something: columns (with their values and bytes), table families.
_SPECIAL = _COLUMN, _FAMILY = 1, 2
# Columns and characters taken together: enough that NumPy's cost per call vanishes, few enough to stay at some ten MB.
_COLUMNS_TOGETHER, _CHARACTERS_TOGETHER = 60, 1_000_000
# Rows held before they are added up and leave: 24 bytes each, and 100 more while they are added up.
_MOST_HELD = 1_000_000
_TYPES = ("<u8", "<i8", "<i8", "<f8", "<i8", "<f8")


class SparkCorpus:
    """The port of `workflows.corpus`: files read by Arrow in this process, and scanned by Spark's tasks."""

    def __init__(self, master: str) -> None:
        self._master = master

    def files(self, source: str) -> list[str]:
        """The CSV and Parquet files that a glob, folder or file names."""
        return list_files(source)

    def values(self, file: str, column: str) -> tuple[Sequence[str | None] | None, list[str]]:
        """The first values of a file's column of texts."""
        names = []
        for part in read_columns(file):
            if part.column == column:
                return part.values, []
            names.append(part.column)
        return None, names

    def index(
        self, files: Sequence[str], *, least_columns: int | None, licence: str, watch: Watch, on_unreadable: Callable[[str], None]
    ) -> CorpusIndex:
        """The index of the files; starts Spark."""
        spark = get_spark(SparkSettings(master=self._master))
        return build_index(spark, files, least_columns=least_columns, licence=licence, watch=watch, on_unreadable=on_unreadable)


def build_index(
    spark: SparkSession,
    files: Sequence[str],
    *,
    least_columns: int | None = None,
    licence: str = "",
    watch: Watch | None = None,
    on_unreadable: Callable[[str], None] = lambda _: None,
) -> CorpusIndex:
    """The index of a corpus of CSV and Parquet files.

    Patterns of at least `least_columns` columns are kept: 3 by default, and 5 of a corpus of 10,000 columns and more. `licence` is kept in
    the file. A file that cannot be read is left out, counted, and told of in words to `on_unreadable`; `SourceError` when none can be
    read, or nothing has texts.
    """
    rules, watch = IndexRules(), watch or Watch()
    cores = int(spark.conf.get("spark.sql.shuffle.partitions", "8") or 8) // 2
    bits = max(cores, len(files) // _FILES_PER_RANGE).bit_length()

    def add_up(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return _summed(batches, least_columns or _LEAST_OF_SMALL, bits)

    exchanged = _scanned(spark, files, rules, bits, _TASKS_PER_CORE * cores).repartition(1 << bits, "range").mapInArrow(add_up, _DDL)
    table = collect(exchanged, watch, lambda share: watch.report(int(100 * share), 100, "scanning the corpus"))
    problems, rows = _parted(table)
    for problem in sorted(problems):
        on_unreadable(problem.decode())
    counts, patterns = _counted(concatenated([_unpacked(b""), *map(_unpacked, rows)]))
    if not counts["columns"]:
        raise SourceError("The corpus has no text columns that can be read.", hint="Is it CSV with a header, or Parquet?")
    least = least_columns or (_LEAST_OF_LARGE if counts["columns"] >= _LARGE else _LEAST_OF_SMALL)
    about = {"rules": asdict(rules), "least_columns": least, "licence": licence, "avh_ui": __version__}
    return from_totals(Totals(patterns.keys, *patterns[2:]), {**about, **counts, "unreadable_files": len(problems)})


def _scanned(spark: SparkSession, files: Sequence[str], rules: IndexRules, bits: int, most_tasks: int) -> DataFrame:
    """Rows of counts and sums per pattern, several per pattern."""
    # Copies of one table stand side by side, so that most of them are added up in one task.
    urls = [(url, len(family) == 1) for family in families_of(files) for url in family]
    tasks = max(1, min(len(urls), most_tasks))
    shares = [urls[k * len(urls) // tasks : (k + 1) * len(urls) // tasks] for k in range(tasks)]

    def scan(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        gathering = _Gathering(rules, bits)
        for batch in batches:
            for task in batch.column("id").to_pylist():
                for url, alone in shares[task]:
                    yield from gathering.scan(url, alone=alone)
        yield from gathering.finish()

    return spark.range(0, tasks, 1, tasks).mapInArrow(scan, _DDL)


class _Gathering:
    """Collects the evidence of columns into rows of 2 ** `bits` ranges. Columns that are their whole family are settled here; those of a
    table that may have copies elsewhere leave with their family's number. `finish` comes last.
    """

    def __init__(self, rules: IndexRules, bits: int) -> None:
        self._rules = rules
        self._bits = bits
        self._waiting: list[tuple[ColumnValues, bool]] = []
        self._alone: list[PatternImpurities] = []
        self._copies: list[tuple[int, PatternImpurities]] = []
        self._characters = self._held = 0
        self._tables: dict[str, bool] = {}
        self._columns = self._values = self._bytes = 0
        self._unreadable: list[bytes] = []

    def scan(self, url: str, *, alone: bool) -> Iterator[pa.RecordBatch]:
        """Take one file, of a table without copies when `alone`, and give what is added up; of a file that cannot be read it is said, and
        what was read before is kept.
        """
        try:
            for part in read_parts(url):
                yield from self._add(part, alone=alone)
        except SourceError as error:
            self._unreadable.append(str(error).encode("utf-8", "replace"))

    def finish(self) -> Iterator[pa.RecordBatch]:
        """What is left, and what was counted."""
        self._take()
        counted = [(_COLUMN, SETTLED, self._columns, self._values, self._bytes)]
        counted += [(_FAMILY, SETTLED if alone else _hash(table), 1, 0, 0) for table, alone in self._tables.items()]
        keys, families, columns, whole, within = np.array(counted, dtype=np.int64).T
        nothing = np.zeros(len(keys), dtype=np.int64)
        special = KeySums(keys.view(np.uint64), families, columns, whole.astype(np.float64), nothing, within.astype(np.float64))
        yield from _in_ranges(added_up([self._added_up(), special]), self._bits)
        yield from _batches([_UNREADABLE] * len(self._unreadable), self._unreadable)

    def _add(self, columns: Sequence[ColumnValues], *, alone: bool) -> Iterator[pa.RecordBatch]:
        for column in columns:
            self._waiting.append((column, alone))
            self._characters += sum(map(len, column.texts))
            if len(self._waiting) == _COLUMNS_TOGETHER or self._characters > _CHARACTERS_TOGETHER:
                self._take()
        if self._held > _MOST_HELD:
            yield from _in_ranges(self._added_up(), self._bits)

    def _take(self) -> None:
        parts = [counted_codes(column.texts, column.codes, self._rules) for column, _ in self._waiting]
        for (column, alone), part, found in zip(self._waiting, parts, impurities_of_counted(parts, self._rules), strict=True):
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

    def _added_up(self) -> KeySums:
        """What is held: every column without copies is a family of its own."""
        parts = [settled_sums(key_sums_of(self._alone, range(1, len(self._alone) + 1)))] if self._alone else []
        if self._copies:
            families, evidence = zip(*self._copies, strict=True)
            parts.append(key_sums_of(evidence, families))
        self._alone, self._copies, self._held = [], [], 0
        return added_up([_unpacked(b""), *parts])


def _summed(batches: Iterable[pa.RecordBatch], least_columns: int, bits: int) -> Iterator[pa.RecordBatch]:
    """Rows of whole ranges added up over all tasks; patterns that fewer columns have are dropped."""
    held: list[KeySums] = []
    for batch in batches:
        problems, parts = _parted(batch)
        yield from _batches([_UNREADABLE] * len(problems), problems)
        held += map(_unpacked, parts)
        if sum(len(rows.keys) for rows in held) > _MOST_HELD:
            held = [added_up(held)]
    if held:
        rows = settled_sums(added_up(held))
        kept = np.maximum(rows.columns, rows.group_columns) >= least_columns
        yield from _in_ranges(rows.at(kept | np.isin(rows.keys, _SPECIAL)), bits)


def _parted(batch: pa.RecordBatch | pa.Table) -> tuple[list[bytes], list[bytes]]:
    """What is said of files that cannot be read, and the packed rows."""
    problems = pc.equal(batch.column("range"), _UNREADABLE)
    problems, rows = (batch.filter(chosen).column("rows").to_pylist() for chosen in (problems, pc.invert(problems)))
    return problems, rows


def _in_ranges(rows: KeySums, bits: int) -> Iterator[pa.RecordBatch]:
    """The rows by the first `bits` of their keys, as a batch of `_SCHEMA`."""
    place = (rows.keys >> np.uint64(64 - bits)).astype(np.int64) if bits else np.zeros(len(rows.keys), dtype=np.int64)
    order = np.argsort(place, kind="stable")
    ranges = np.unique(place)
    begin = [*np.searchsorted(place[order], ranges).tolist(), len(order)]
    yield from _batches(ranges.tolist(), [_packed(rows.at(order[a:b])) for a, b in pairwise(begin)])


def _batches(ranges: list[int], rows: list[bytes]) -> Iterator[pa.RecordBatch]:
    """One batch, or none where it would be empty, which Spark takes for the end."""
    if ranges:
        yield pa.RecordBatch.from_arrays([pa.array(ranges, pa.int32()), pa.array(rows, pa.binary())], schema=_SCHEMA)


def _counted(rows: KeySums) -> tuple[dict[str, int], KeySums]:
    """What was counted, and the rows of patterns."""
    special = np.isin(rows.keys, _SPECIAL)
    of_columns, of_families = (rows.at(rows.keys == key) for key in _SPECIAL)
    counts = {"columns": of_columns.columns, "families": of_families.columns, "values": of_columns.whole, "value_bytes": of_columns.within}
    return {name: int(found.sum()) for name, found in counts.items()}, rows.at(~special)


def _packed(rows: KeySums) -> bytes:
    return b"".join(part.astype(kind).tobytes() for part, kind in zip(rows, _TYPES, strict=True))


def _unpacked(data: bytes) -> KeySums:
    count = len(data) // sum(np.dtype(kind).itemsize for kind in _TYPES)
    return KeySums._make(np.frombuffer(data, kind, count, 8 * k * count) for k, kind in enumerate(_TYPES))


def _hash(text: str) -> int:
    number = int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little", signed=True)
    return number or 1
