"""The offline index of Auto-Validate (section 2.4) built by Spark: one pass over a corpus of tables.

A task reads some files and emits a row per pattern, added up over its columns; rows of tables that may have daily copies stay apart by
family, since copies count once. Spark averages over families and adds up by pattern, in one exchange. A task's memory is bounded however
wide a table or column: at most 64 columns of 1,000 values are held at a time, at most `MOST_PATTERNS` patterns per skeleton and one
skeleton per ten percent of a column, and a million rows before they leave.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from avh_ui import __version__
from avh_ui.errors import SourceError
from avh_ui.inference.by_corpus.corpus_index import CorpusIndex, Totals, from_totals
from avh_ui.inference.by_corpus.evidence import Rules
from avh_ui.metrics.profiler import Watch
from avh_ui.spark.corpus_files import COLUMNS_AT_ONCE, MOST_ROWS, ColumnValues, encoded, families_of, is_text
from avh_ui.spark.corpus_task import COLUMN, FAMILY, SCHEMA, SPECIAL, UNREADABLE, Gathering
from avh_ui.spark.jobs import collect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_DDL = "key bigint, family bigint, columns bigint, whole double, group_columns bigint, within double"
# Tasks per core: short tasks share the work evenly, but each costs Spark some milliseconds.
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
    counts = {int(columns["key"][k]): int(k) for k in np.flatnonzero(np.isin(columns["key"], SPECIAL))}
    if not counts or not columns["columns"][counts[COLUMN]]:
        raise SourceError("The corpus has no text columns that can be read.", hint="Is it CSV with a header, or Parquet?")
    patterns = np.ones(len(columns["key"]), dtype=bool)
    patterns[list(counts.values())] = False
    about = {
        "rules": asdict(rules),
        "least_columns": least_columns,
        "columns": int(columns["columns"][counts[COLUMN]]),
        "families": int(columns["columns"][counts[FAMILY]]),
        "values": int(columns["whole"][counts[COLUMN]]),
        "value_bytes": int(columns["within"][counts[COLUMN]]),
        "unreadable_files": int(columns["columns"][counts[UNREADABLE]]),
        "licence": licence,
        "avh_ui": __version__,
    }
    totals = Totals(*(columns[name][patterns] for name in ("key", "columns", "whole", "group_columns", "within")))
    return from_totals(totals._replace(keys=totals.keys.view(np.uint64)), about)


def _frame(spark: SparkSession, files: Sequence[str], tables: Mapping[str, DataFrame], rules: Rules) -> DataFrame:
    """Rows of counts and sums per pattern, several per pattern."""

    def scan(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        gathering = Gathering(rules)
        for batch in batches:
            for row in batch.to_pylist():
                yield from gathering.scan(row["url"], alone=row["alone"])
        yield from gathering.finish()

    rows_of_files = [(url, len(family) == 1) for family in families_of(files) for url in family]
    tasks = max(1, min(len(files), _TASKS_PER_CORE * _parallelism(spark)))
    urls = spark.createDataFrame(rows_of_files, "url string, alone boolean").repartition(tasks)
    rows = urls.mapInArrow(scan, _DDL)
    for name, table in tables.items():
        gathering = Gathering(rules)
        batches = [found for part in _columns_of(name, table) for found in gathering.add(part, alone=True)]
        rows = rows.unionAll(spark.createDataFrame(pa.Table.from_batches([*batches, *gathering.finish()], SCHEMA)))
    return rows


def _parallelism(spark: SparkSession) -> int:
    return int(spark.conf.get("spark.sql.shuffle.partitions", "8") or 8) // 2


def _summed(rows: DataFrame, least_columns: int) -> DataFrame:
    """Per key the sums, a family of copies counting once; rare patterns are dropped where they are."""
    from pyspark.sql import functions as F

    # By key alone, so that both steps need no other exchange.
    parted = rows.repartition("key").groupBy("key", "family").agg(*[F.sum(name).alias(name) for name in SCHEMA.names[2:]])
    alone, once = F.col("family").isNull(), []
    for count, share in (("columns", "whole"), ("group_columns", "within")):
        once.append(F.when(alone, F.col(count)).otherwise(F.least(F.col(count), F.lit(1))).alias(count))
        once.append(F.when(alone, F.col(share)).otherwise(F.col(share) / F.greatest(F.col(count), F.lit(1))).alias(share))
    summed = parted.select("key", *once).groupBy("key").agg(*[F.sum(name).alias(name) for name in SCHEMA.names[2:]])
    return summed.where((F.greatest("columns", "group_columns") >= least_columns) | F.col("key").isin(*SPECIAL))


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
