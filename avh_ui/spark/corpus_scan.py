"""The offline index of Auto-Validate (section 2.4) built by Spark: one pass over a corpus of tables.

A task reads some files with Arrow, so that no value passes through the JVM, and adds up what their columns say. Rows of tables that may
have daily copies stay apart by family, since copies count once; after one exchange, by ranges of keys, other tasks average over families
and add up by pattern. A task's memory is bounded however wide a table or column: at most 64 columns of 1,000 values are read at a time,
60 columns or a million characters taken together, with at most `MOST_PATTERNS` patterns per skeleton and one skeleton per ten percent of
a column, and a million rows held before they leave.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from avh_ui import __version__
from avh_ui.config import SparkSettings
from avh_ui.errors import SourceError
from avh_ui.inference.by_corpus.corpus_index import CorpusIndex, Totals, from_totals
from avh_ui.inference.by_corpus.impurities import Rules
from avh_ui.metrics.profiler import Watch
from avh_ui.spark.corpus_files import COLUMNS_AT_ONCE, MOST_ROWS, ColumnValues, encoded, families_of, is_text, list_files, read_columns
from avh_ui.spark.corpus_task import DDL, SCHEMA, UNREADABLE, Gathering, counted, summed, unpacked
from avh_ui.spark.jobs import collect
from avh_ui.spark.session import get_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Tasks per core: short tasks share the work evenly, but each costs Spark some milliseconds.
_TASKS_PER_CORE = 4
# So many files give about 17 MB of rows (3.6 columns a file, 385 rows a column): a range of keys is held whole by one task.
_FILES_PER_RANGE = 256
# Patterns of fewer columns are left to chance. Merging needs what is below the m of a query, 5; but of a large corpus patterns of three and
# four columns are 62 % of all, with which the index is 2.5 % of the corpus and without which 0.9 % (benchmarks/auto_validate).
_LEAST_OF_SMALL, _LEAST_OF_LARGE, _LARGE = 3, 5, 10_000


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
    tables: Mapping[str, DataFrame] | None = None,
    *,
    rules: Rules | None = None,
    least_columns: int | None = None,
    licence: str = "",
    watch: Watch | None = None,
    on_unreadable: Callable[[str], None] = lambda _: None,
) -> CorpusIndex:
    """The index of a corpus: CSV and Parquet `files`, and `tables` by name, such as the pipelines' own.

    Patterns of at least `least_columns` columns are kept: 3 by default, and 5 of a corpus of 10,000 columns and more. `licence` is kept in
    the file. A file that cannot be read is left out, counted, and told of in words to `on_unreadable`; `SourceError` when none can be
    read, or nothing has texts.
    """
    rules, watch = rules or Rules(), watch or Watch()
    bits = max(_parallelism(spark), len(files) // _FILES_PER_RANGE).bit_length()
    scanned = _scanned(spark, files, tables or {}, rules, bits)

    def add_up(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return summed(batches, least_columns or _LEAST_OF_SMALL, bits)

    exchanged = scanned.repartition(1 << bits, "range").mapInArrow(add_up, DDL)
    table = collect(exchanged, watch, lambda share: watch.report(int(100 * share), 100, "scanning the corpus"))
    problems = table.filter(pc.equal(table.column("range"), UNREADABLE)).column("rows").to_pylist()
    for problem in sorted(problems):
        on_unreadable(problem.decode())
    found = unpacked(table.filter(pc.not_equal(table.column("range"), UNREADABLE)).column("rows").to_pylist())
    counts, patterns = counted(found)
    if not counts["columns"]:
        raise SourceError("The corpus has no text columns that can be read.", hint="Is it CSV with a header, or Parquet?")
    least = least_columns or (_LEAST_OF_LARGE if counts["columns"] >= _LARGE else _LEAST_OF_SMALL)
    about = {"rules": asdict(rules), "least_columns": least, "licence": licence, "avh_ui": __version__}
    return from_totals(Totals(patterns.keys, *patterns[2:]), {**about, **counts, "unreadable_files": len(problems)})


def _scanned(spark: SparkSession, files: Sequence[str], tables: Mapping[str, DataFrame], rules: Rules, bits: int) -> DataFrame:
    """Rows of counts and sums per pattern, several per pattern."""
    # Copies of one table stand side by side, so that most of them are added up in one task.
    urls = [(url, len(family) == 1) for family in families_of(files) for url in family]
    tasks = max(1, min(len(urls), _TASKS_PER_CORE * _parallelism(spark)))
    shares = [urls[k * len(urls) // tasks : (k + 1) * len(urls) // tasks] for k in range(tasks)]

    def scan(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        gathering = Gathering(rules, bits)
        for batch in batches:
            for task in batch.column("id").to_pylist():
                for url, alone in shares[task]:
                    yield from gathering.scan(url, alone=alone)
        yield from gathering.finish()

    rows = spark.range(0, tasks, 1, tasks).mapInArrow(scan, DDL)
    for name, table in tables.items():
        gathering = Gathering(rules, bits)
        batches = [found for part in _columns_of(name, table) for found in gathering.add(part, alone=True)]
        rows = rows.unionAll(spark.createDataFrame(pa.Table.from_batches([*batches, *gathering.finish()], SCHEMA)))
    return rows


def _parallelism(spark: SparkSession) -> int:
    return int(spark.conf.get("spark.sql.shuffle.partitions", "8") or 8) // 2


def _columns_of(name: str, table: DataFrame) -> Iterator[list[ColumnValues]]:
    """The first values of a Spark table's text columns."""
    from pyspark.sql import types as T

    fields = table.schema.fields
    texts = [k for k, field in enumerate(fields) if isinstance(field.dataType, T.StringType)]
    renamed = table.toDF(*[f"c{k}" for k in range(len(fields))])
    family = "\x1f".join([name, *sorted(field.name for field in fields)])
    for at in range(0, len(texts), COLUMNS_AT_ONCE):
        chosen = texts[at : at + COLUMNS_AT_ONCE]
        arrow = renamed.select(*[f"c{k}" for k in chosen]).limit(MOST_ROWS).toArrow()
        assert all(is_text(kind) for kind in arrow.schema.types)
        yield [encoded(family, fields[k].name, column) for k, column in zip(chosen, arrow.columns, strict=True)]
