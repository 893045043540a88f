"""A DataFrame beside another one, and a query of one number: by one Spark job each (a small table is broadcast by one more,
and one more names values that are missing in another).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from avh_ui.errors import UsageError, nearest
from avh_ui.metrics.conformance import SHOWN
from avh_ui.metrics.fields import MeasuredField
from avh_ui.metrics.pairs import Columns, alike, compared, one_named, other_of, same_columns
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.rows import Need
from avh_ui.metrics.together import (
    COMMONEST,
    BesideState,
    MatchState,
    NumberState,
    ReferenceState,
    RowsBesideState,
    SchemaBesideState,
)
from avh_ui.spark.columns import expression, spark_tree
from avh_ui.spark.conditions import SparkConditions
from avh_ui.spark.jobs import collect
from avh_ui.spark.refused import told_by_us
from avh_ui.spark.versions import classic, copies, frame_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# What a query calls the table.
VIEW = "batch"
Pair = tuple[MeasuredField, MeasuredField]


@dataclass(frozen=True)
class Pairs:
    """A DataFrame in a session of its own (`spark.apart`), and the `others` by name, of any session."""

    df: DataFrame
    others: Mapping[str, DataFrame]
    conditions: SparkConditions
    watch: Watch
    untyped: bool = False

    def state(self, need: Need) -> BesideState:
        """What a need is of. `UsageError` for a table or column that is not there, types that do not compare and what is no query of one
        number; `SparkError` for what Spark cannot do.
        """
        if need.state is NumberState:
            return _number(self.df, str(need.detail[0]), self.others, self.watch)
        name = str(need.detail[0])
        other = _moved(other_of(name, self.others), self.df)
        here, there = (_columns(df, words, self.untyped) for df, words in ((self.df, "this table"), (other, name)))
        if need.state is SchemaBesideState:
            return same_columns(here, there)
        if need.state is RowsBesideState:
            return self._rows(other)
        keys = [str(column) for column in need.columns]
        to = need.detail[1:] if need.state is ReferenceState else need.detail[1]
        pairs = [alike(here, mine, there, theirs) for mine, theirs in zip(keys, to, strict=True)]
        if need.state is ReferenceState:
            return self._reference(need, pairs, other)
        return self._match(pairs, [alike(here, mine, there, theirs) for mine, theirs in compared(need, here, there)], other)

    def _rows(self, other: DataFrame) -> RowsBesideState:
        from pyspark.sql import functions as F

        one = self.df.select(F.lit(1).alias("here")).unionAll(other.select(F.lit(0).alias("here")))
        (found,) = collect(one.agg(F.count(F.lit(1)).alias("n"), F.sum("here").alias("here")), self.watch).to_pylist()
        return RowsBesideState(int(found["here"] or 0), int(found["n"] - (found["here"] or 0)))

    def _reference(self, need: Need, pairs: Sequence[Pair], other: DataFrame) -> ReferenceState:
        from pyspark.sql import functions as F

        rows = self.conditions.frame(need.tests)
        rows = rows if need.where is None else rows.where("t0")
        mine = _picked(rows, self.df, pairs, 0).groupBy(*(f"k{p}" for p in range(len(pairs))))
        theirs = _picked(_numbered(other), other, pairs, 1).distinct().withColumn("found", F.lit(True))
        joined = mine.agg(F.count(F.lit(1)).alias("n")).join(theirs, _all(pairs, lambda k, o: k == o), "left")
        null = reduce(lambda a, b: a | b, (F.col(f"k{p}").isNull() for p in range(len(pairs))))
        sums = {"rows": F.lit(True), "missing": ~null & F.col("found").isNull(), "nulls": null}
        (found,) = collect(joined.agg(*(_summed(F.col("n"), which).alias(name) for name, which in sums.items())), self.watch).to_pylist()
        if not found["missing"]:
            return ReferenceState(**found)
        text = F.substring(F.concat_ws(", ", *(F.col(f"k{p}").cast("string") for p in range(len(pairs)))), 1, SHOWN)
        gone = joined.where(sums["missing"]).select(text.alias("text"), "n").orderBy(F.desc("n"), "text").limit(COMMONEST)
        return ReferenceState(**found, commonest=tuple((row["text"], row["n"]) for row in collect(gone, self.watch).to_pylist()))

    def _match(self, keys: Sequence[Pair], values: Sequence[Pair], other: DataFrame) -> MatchState:
        from pyspark.sql import functions as F

        sides = []
        for side, (frame, df) in enumerate(((_numbered(self.df), self.df), (_numbered(other), other))):
            key, value, count = ("k", "v", "n") if side == 0 else ("o", "w", "m")
            fields = [column.alias(f"{key}{p}") for p, column in enumerate(_expressions(df, keys, side))]
            fields += [column.alias(f"{value}{p}") for p, column in enumerate(_expressions(df, values, side))]
            firsts = [F.first(f"{value}{p}").alias(f"{value}{p}") for p in range(len(values))]
            grouped = frame.select(*fields).groupBy(*(f"{key}{p}" for p in range(len(keys))))
            sides.append(grouped.agg(F.count(F.lit(1)).alias(count), *firsts))
        both = sides[0].join(sides[1], _all(keys, lambda k, o: k.eqNullSafe(o)), "full")
        n, m = (F.coalesce(F.col(name), F.lit(0)) for name in ("n", "m"))
        single = (n == 1) & (m == 1)
        equal = reduce(lambda a, b: a & b, (F.col(f"v{p}").eqNullSafe(F.col(f"w{p}")) for p in range(len(values))), single)
        sums = {
            "rows": (n, F.lit(True)), "others": (m, F.lit(True)), "matched": (n, equal),
            "repeated": (n, (n > 0) & (m > 0) & ~single), "only_here": (n, m == 0),
            "unequal": (n, single & ~equal), "only_there": (m, n == 0),
        }  # fmt: skip
        (found,) = collect(both.agg(*(_summed(of, which).alias(name) for name, (of, which) in sums.items())), self.watch).to_pylist()
        return MatchState(**found)


def frames(df: DataFrame, tables: Mapping[str, Any]) -> dict[str, DataFrame]:
    """The tables as DataFrames: those of pandas and Arrow in the session of `df`, since a session in which one is made becomes the active
    one of its thread.
    """
    found: dict[str, DataFrame] = {}
    for name, table in tables.items():
        if str(type(table).__module__).split(".")[0] == "pyspark":
            found[name] = table
        else:
            rows = table if isinstance(table, pa.Table) else pa.Table.from_pandas(table, preserve_index=False)
            found[name] = frame_of(df.sparkSession, rows)
    return found


def _number(df: DataFrame, statement: str, others: Mapping[str, DataFrame], watch: Watch) -> NumberState:
    """The number of a query: of its plan alone Spark tells how many columns it has, of two rows whether it is one. Other tables are known
    there by their names.
    """
    if not copies(df):
        # Its tables would take the place of views of that name.
        raise UsageError("Over Spark Connect a query takes PySpark 4.1 or newer.", hint="State the rule by a condition: `satisfies`.")
    named, known = _tables_of(statement), [VIEW, *others]
    for name in named:
        # As the query writes it: a session that tells cases apart would not find it under another.
        if (table := one_named(name, known)) is not None:
            # The session is a copy, which nobody else sees.
            (df if table == VIEW else _moved(others[table], df)).createOrReplaceTempView(name)
    try:
        with told_by_us():
            found = df.sparkSession.sql(statement)
            columns = len(found.columns)
    except Exception as error:
        from avh_ui.spark.jobs import reason

        unknown = min((name for name in named if one_named(name, known) is None), default=None)
        hint = "" if unknown is None else nearest(unknown, known)
        raise UsageError(f"Spark does not understand the query: {reason(error)}", hint=hint) from error
    if columns != 1:
        raise UsageError(f"The query gives {columns} columns.", hint="Let it give one number, such as SELECT count(*).")
    rows = collect(found.toDF("n").limit(2), watch).column(0).to_pylist()
    if len(rows) != 1:
        raise UsageError(f"The query gives {'more than one row' if rows else 'no row'}.", hint="Let it give one number.")
    try:
        return NumberState(float("nan") if rows[0] is None else float(rows[0]))
    except (TypeError, ValueError):
        raise UsageError(
            f"The query gives a value of type {type(rows[0]).__name__}, which is no number.", hint="Let it give one number."
        ) from None


def _tables_of(statement: str) -> set[str]:
    """The tables that a query names without a schema. `UsageError` for what is not one SELECT: nothing is to be written, and no session
    changed.
    """
    import sqlglot
    from sqlglot import expressions
    from sqlglot.errors import SqlglotError

    try:
        parsed = [one for one in sqlglot.parse(statement, read="spark") if one is not None]
    except SqlglotError as error:
        raise UsageError(f"The query cannot be read: {str(error).splitlines()[0]}") from error
    if len(parsed) != 1 or not isinstance(parsed[0], expressions.Query):
        raise UsageError("The query is not one SELECT.", hint=f"Write `SELECT count(*) FROM {VIEW} WHERE ...`.")
    return {table.name for table in parsed[0].find_all(expressions.Table) if not table.db}


def _columns(df: DataFrame, words: str, untyped: bool) -> Columns:
    return Columns([(field.name, spark_tree(field.dataType)) for field in df.schema.fields], words, untyped)


def _numbered(df: DataFrame) -> DataFrame:
    return df.toDF(*(f"c{place}" for place in range(len(df.columns))))


def _expressions(df: DataFrame, pairs: Sequence[Pair], side: int) -> list[Column]:
    """The columns of one side; as texts where the other's are of another kind (CSV)."""
    columns = [(expression(df.schema.fields, pair[side]), pair[0].kind == pair[1].kind) for pair in pairs]
    return [column if same else column.cast("string") for column, same in columns]


def _picked(frame: DataFrame, df: DataFrame, pairs: Sequence[Pair], side: int) -> DataFrame:
    return frame.select(*(column.alias(f"{'ko'[side]}{place}") for place, column in enumerate(_expressions(df, pairs, side))))


def _all(pairs: Sequence[Pair], test: Callable[[Column, Column], Column]) -> Column:
    from pyspark.sql import functions as F

    return reduce(lambda a, b: a & b, (test(F.col(f"k{p}"), F.col(f"o{p}")) for p in range(len(pairs))))


def _summed(of: Column, which: Column) -> Column:
    from pyspark.sql import functions as F

    return F.coalesce(F.sum(F.when(which, of)), F.lit(0)).cast("long")


def _moved(other: DataFrame, rows: DataFrame) -> DataFrame:
    """The other frame in the session of the rows."""
    spark: Any = rows.sparkSession
    if "connect" in type(rows).__module__:
        from pyspark.sql.connect.dataframe import DataFrame as Remote

        plan: Any = other._plan
        return Remote(plan, spark)
    return classic(other, spark._jsparkSession, spark)
