"""The offline index of Auto-Validate (section 2.4) built by Spark: one pass over a corpus of tables.

A task reads some files and emits (key, family, impurities) per column; two aggregations follow, over the columns of a family (daily
copies of a table count once) and over families. A task's memory is bounded however wide a table or column: at most 64 columns of 1,000
values at a time, at most `MOST_PATTERNS` patterns per skeleton and one per ten percent of a column, and rows leave in batches.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from avh_ui import __version__
from avh_ui.errors import SourceError
from avh_ui.inference.by_corpus.corpus_index import CorpusIndex, Totals, from_totals
from avh_ui.inference.by_corpus.evidence import Rules, evidence_of
from avh_ui.metrics.profiler import Watch
from avh_ui.spark.corpus_files import COLUMNS_AT_ONCE, MOST_ROWS, ColumnValues, is_text, read_columns
from avh_ui.spark.jobs import collect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_DDL = "key bigint, family bigint, whole double, within double"
_SCHEMA = pa.schema([("key", pa.int64()), ("family", pa.int64()), ("whole", pa.float64()), ("within", pa.float64())])
# Keys of rows that count something: columns with their values and bytes, table families, files that could not be read.
_COLUMN, _FAMILY, _UNREADABLE = 1, 2, 3
# Columns lexed together: enough that NumPy's cost per call vanishes, few enough to stay at some ten MB.
_LEXED_TOGETHER = 40
# Files per task: short tasks share the work evenly, but each costs Spark some milliseconds.
_TASKS_PER_CORE = 8
# Index patterns of this many table families; with fewer, chance decides. Merging needs what is below the m of a query.
LEAST_COLUMNS = 3


def build_index(
    spark: SparkSession,
    files: Sequence[str],
    tables: Mapping[str, DataFrame] | None = None,
    *,
    rules: Rules | None = None,
    least_columns: int = LEAST_COLUMNS,
    licence: str = "",
    watch: Watch | None = None,
) -> CorpusIndex:
    """The index of a corpus: CSV and Parquet `files`, and `tables` by name, such as the pipelines' own.

    `licence` is kept in the file. A file that cannot be read is left out and counted; `SourceError` when none can, or nothing has texts.
    """
    rules, watch = rules or Rules(), watch or Watch()
    rows = _frame(spark, files, tables or {}, rules)
    table = collect(_summed(rows, least_columns), watch, lambda share: watch.report(int(100 * share), 100, "scanning the corpus"))
    columns = {name: table.column(name).to_numpy() for name in table.column_names}
    counts = {int(key): k for k, key in enumerate(columns["key"].tolist()) if key in (_COLUMN, _FAMILY, _UNREADABLE)}
    if _COLUMN not in counts:
        raise SourceError("The corpus has no text columns that can be read.", hint="Is it CSV with a header, or Parquet?")
    patterns = np.ones(len(columns["key"]), dtype=bool)
    patterns[list(counts.values())] = False
    about = {
        "rules": asdict(rules),
        "least_columns": least_columns,
        "columns": int(columns["columns"][counts[_COLUMN]]),
        "families": int(columns["columns"][counts[_FAMILY]]),
        "values": int(columns["whole"][counts[_COLUMN]]),
        "value_bytes": int(columns["within"][counts[_COLUMN]]),
        "unreadable_files": int(columns["columns"][counts[_UNREADABLE]]) if _UNREADABLE in counts else 0,
        "licence": licence,
        "avh_ui": __version__,
    }
    totals = Totals(*(columns[name][patterns] for name in ("key", "columns", "whole", "group_columns", "within")))
    return from_totals(totals._replace(keys=totals.keys.view(np.uint64)), about)


def _frame(spark: SparkSession, files: Sequence[str], tables: Mapping[str, DataFrame], rules: Rules) -> DataFrame:
    """Rows of (key, family, whole, within), one per column and pattern."""

    def scan(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for url in batch.column(0).to_pylist():
                yield from _file(url, rules)

    tasks = max(1, min(len(files), _TASKS_PER_CORE * _parallelism(spark)))
    urls = spark.createDataFrame([(url,) for url in files], "url string").repartition(tasks)
    rows = urls.mapInArrow(scan, _DDL)
    for name, table in tables.items():
        batches = list(_rows(_columns_of(name, table), name, rules))
        rows = rows.unionAll(spark.createDataFrame(pa.Table.from_batches(batches, _SCHEMA)))
    return rows


def _parallelism(spark: SparkSession) -> int:
    return int(spark.conf.get("spark.sql.shuffle.partitions", "8") or 8) // 2


def _summed(rows: DataFrame, least_columns: int) -> DataFrame:
    """Per key: the mean per family, then counts and sums over families; rare patterns are dropped where they are."""
    from pyspark.sql import functions as F

    per_family = rows.groupBy("key", "family").agg(F.avg("whole").alias("whole"), F.avg("within").alias("within"))
    summed = per_family.groupBy("key").agg(
        F.count("whole").alias("columns"),
        F.coalesce(F.sum("whole"), F.lit(0.0)).alias("whole"),
        F.count("within").alias("group_columns"),
        F.coalesce(F.sum("within"), F.lit(0.0)).alias("within"),
    )
    enough = (F.greatest("columns", "group_columns") >= least_columns) | F.col("key").isin(_COLUMN, _FAMILY, _UNREADABLE)
    return summed.where(enough)


def _file(url: str, rules: Rules) -> Iterator[pa.RecordBatch]:
    """The rows of one file; one that cannot be read counts as such, with what was read before."""
    try:
        yield from _rows(read_columns(url), url, rules)
    except SourceError:
        yield _batch([_UNREADABLE], [_hash(url)], [1.0], [1.0])


def _columns_of(name: str, table: DataFrame) -> Iterator[ColumnValues]:
    """The first values of a Spark table's text columns."""
    from pyspark.sql import types as T

    fields = table.schema.fields
    texts = [k for k, field in enumerate(fields) if isinstance(field.dataType, T.StringType)]
    renamed = table.toDF(*[f"c{k}" for k in range(len(fields))])
    family = "\x1f".join([name, *sorted(field.name for field in fields)])
    for at in range(0, len(texts), COLUMNS_AT_ONCE):
        chosen = texts[at : at + COLUMNS_AT_ONCE]
        arrow = renamed.select(*[f"c{k}" for k in chosen]).limit(MOST_ROWS).toArrow()
        for k, column in zip(chosen, arrow.columns, strict=True):
            assert is_text(column.type)
            values = column.to_pylist()
            yield ColumnValues(family, fields[k].name, values, sum(map(len, filter(None, values))))


def _rows(columns: Iterable[ColumnValues], origin: str, rules: Rules) -> Iterator[pa.RecordBatch]:
    """The evidence of columns, some lexed together, and a row each that counts the column and its family."""
    held: list[ColumnValues] = []
    for column in columns:
        held.append(column)
        if len(held) == _LEXED_TOGETHER:
            yield from _evidence(held, origin, rules)
            held = []
    if held:
        yield from _evidence(held, origin, rules)


def _evidence(columns: list[ColumnValues], origin: str, rules: Rules) -> Iterator[pa.RecordBatch]:
    for column, found in zip(columns, evidence_of([c.values for c in columns], rules), strict=True):
        own = _hash(f"{column.table_family}\x1f{column.column}")
        values = sum(1 for value in column.values if value)
        yield _batch([_COLUMN], [_hash(f"{origin}\x1f{column.column}")], [float(values)], [float(column.size)])
        yield _batch([_FAMILY], [_hash(column.table_family)], [1.0], [1.0])
        if len(found.keys):
            yield _batch(found.keys.view(np.int64), np.full(len(found.keys), own), found.whole, found.within)


def _batch(keys: object, families: object, whole: object, within: object) -> pa.RecordBatch:
    """A batch of rows; NaN becomes null, which averages leave out."""
    arrays = [pa.array(keys, pa.int64()), pa.array(families, pa.int64())]
    shares = [pa.array(np.asarray(share, dtype=np.float64), pa.float64(), from_pandas=True) for share in (whole, within)]
    return pa.RecordBatch.from_arrays([*arrays, *shares], schema=_SCHEMA)


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little", signed=True)
