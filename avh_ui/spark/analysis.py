"""Analyzers on Spark (ICDE 2019, Algorithm 1): one job for all that need no grouping, one for each set of grouping columns.

A grouping is by columns and `where`. Two things need jobs of their own: exact quantiles (one job for all of them) and bins of equal
width (one more scan, once the extremes are known).

Conditions and predicates mean what they meant before Spark 4, without ANSI mode, as Deequ's users wrote them: where a cast fails or a
divisor is 0 they are null. Only a number that overflows is an error and no other number. What Spark refuses, and what raises, fails its
own analyzers alone. All runs in a session of its own (`session.apart`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from avh_ui.errors import SparkError
from avh_ui.metrics.analysis import Analysis, ColumnType, as_named, needs_of, problem
from avh_ui.metrics.analyzer import Analyzer, MetricResult, Need, failed
from avh_ui.metrics.bins import BinState
from avh_ui.metrics.measuring import RowTest, tests_of
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.tables import equal_edges
from avh_ui.spark.analysis_kernel import PARTIAL_DDL, GroupKernel, ScanKernel
from avh_ui.spark.jobs import collect, reason
from avh_ui.spark.session import apart

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import DataType

_ANSI, _ADAPTIVE, _CASE = "spark.sql.ansi.enabled", "spark.sql.adaptive.enabled", "spark.sql.caseSensitive"
# What a condition must have to overflow, texts and quoted names left out; and how Spark names what overflows.
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`")
_ARITHMETIC = re.compile(r"[-+*]|\b(abs|negative|int|integer|bigint|smallint|tinyint|long|short|byte)\b", re.IGNORECASE)
_OVERFLOW = re.compile(r"OVERFLOW|OUT_OF_RANGE")


def analyze(df: DataFrame, analyzers: Iterable[Analyzer], watch: Watch | None = None, *, keep_states: bool = False) -> Analysis:
    """Measure a DataFrame. Results are in the order of the analyzers; repeats are measured once.

    `keep_states` keeps the groups of grouping analyzers and histograms too, so that they can be merged with those of other parts:
    their tables then come to the driver, as large as their distinct values. All other states are small and always kept.
    What is wrong with one analyzer is its failed result; `SparkError` when the data cannot be read, `CancelledError` by `watch`.
    """
    with apart(df) as rows:
        run = _Run(rows, watch or Watch(), keep_states)
        asked = {a: as_named(a, run.types, exact=run.exact_names) for a in analyzers}
        refused = {a: why for a in asked.values() if (why := problem(a, run.types))}
        refused |= run.refuse(a for a in asked.values() if a not in refused)
        measured = run.measure(list(dict.fromkeys(need for a in asked.values() if a not in refused for need in needs_of(a))))
        return Analysis.of(asked, refused, measured)


class _Run:
    """One analysis of one DataFrame."""

    def __init__(self, df: DataFrame, watch: Watch, keep: bool) -> None:
        self.df, self.watch, self.keep = df, watch, keep
        self.spark: SparkSession = df.sparkSession
        fields = df.schema.fields
        self.names = [f.name for f in fields]
        self.types: dict[str, ColumnType] = {f.name: "twice" if self.names.count(f.name) > 1 else _type(f.dataType) for f in fields}
        self.exact_names, self.adaptive = (str(self.spark.conf.get(key)) == "true" for key in (_CASE, _ADAPTIVE))
        self.remote = "connect" in type(df).__module__
        # Of the tests that were tried alone, why each fails; '' for none.
        self.tried: dict[RowTest, str] = {}
        self.done = self.jobs = 0
        self._set(_ANSI, on=False)

    def refuse(self, analyzers: Iterable[Analyzer]) -> dict[Analyzer, MetricResult]:
        """Failed results of the analyzers of which Spark does not understand a condition, predicate or pattern."""
        told: dict[RowTest, str] = {}
        refused = {}
        for analyzer in analyzers:
            for test in (t for need in needs_of(analyzer) for t in tests_of(need)):
                if test not in told:
                    told[test] = self._refusal(test)
                if told[test]:
                    refused[analyzer] = failed(analyzer, "expression", f"Spark does not understand {test.text!r}: {told[test]}")
        return refused

    def _refusal(self, test: RowTest) -> str:
        from pyspark.sql import functions as F

        try:
            # Its schema is what makes Spark look at it.
            self._frame([test]).schema.fieldNames()
            if test.column is not None:
                # A pattern is read when it is used: here on a row that needs no job.
                self.spark.sql("VALUES ('')").select(F.regexp_extract("col1", test.text, 0)).collect()
        except Exception as error:  # noqa: BLE001  Spark, Py4J and the text's encoding each have their own
            return reason(error)
        return ""

    def measure(self, needs: Sequence[Need]) -> dict[Need, Any]:
        """The state of each need, or the error that its expression raised."""
        groups = [n for n in needs if n.state in ("groups", "pairs", "sums")]
        exact = [n for n in needs if n.state == "percentile"]
        equal = [n for n in needs if n.state == "bins" and isinstance(n.detail, int)]
        plain = [n for n in needs if n not in {*groups, *exact, *equal}]
        extremes = [Need("moments", n.columns, n.where) for n in equal]
        scanned = list(dict.fromkeys([*plain, *extremes]))
        sets: dict[tuple[tuple[str, ...], str | None], list[Need]] = {}
        for need in groups:
            by = need.columns[:1] if need.state == "sums" else need.columns
            sets.setdefault((by, need.where), []).append(need)
        self.jobs = bool(scanned) + len(sets) + bool(exact) + bool(equal)
        measured = self._isolated(scanned, self._scan)
        for members in sets.values():
            measured |= self._isolated(members, self._group)
        measured |= self._isolated(exact, self._percentiles)
        measured |= self._equal_bins(equal, measured)
        return measured

    def _isolated(self, needs: Sequence[Need], run: Callable[[Sequence[Need]], dict[Need, Any]]) -> dict[Need, Any]:
        """Together. If that fails each of their tests is tried alone, without measuring, and the needs of those that hold run once more."""
        failing = {n: SparkError(why) for n in needs for t in tests_of(n) if (why := self.tried.get(t))}
        needs = [n for n in needs if n not in failing]
        tests = list(dict.fromkeys(t for n in needs for t in tests_of(n) if t not in self.tried))
        try:
            return {**failing, **(run(needs) if needs else {})}
        except SparkError:
            if not tests:
                raise
            self.tried |= {test: self._fault(test) for test in tests}
            if all(self.tried[test] for test in tests) and not self._readable(needs):
                raise
        return {**failing, **self._isolated(needs, run)}

    def _fault(self, test: RowTest) -> str:
        """Why a test cannot be told of every row; '' when it can. What ANSI mode alone refuses, but for an overflow, is null without it."""
        why = ""
        for strict in (True, False) if self._may_overflow(test) else (False,):
            try:
                self._collect(self._frame([test], strict=strict).selectExpr("bool_or(t0)"), "trying a condition", shuffles=True)
                return ""
            except SparkError as error:
                why = str(error)
                if strict and _OVERFLOW.search(why):
                    return why
        return why

    def _may_overflow(self, test: RowTest) -> bool:
        """Whether a number in it may overflow. Texts that are cast are not numbers yet: those that are none are many and mean null."""
        if test.column is not None:
            return False
        found = _ARITHMETIC.findall(_QUOTED.sub("", test.text))
        texts = (name for name in self.names if self.types[name] == "string")
        return "" in found or (bool(found) and not any(re.search(rf"\b{re.escape(name)}\b", test.text, re.IGNORECASE) for name in texts))

    def _readable(self, needs: Sequence[Need]) -> bool:
        """Whether the columns of the needs can be read at all, without any expression."""
        try:
            return bool(self._scan([Need("rows"), *{Need("counts", (c,)) for n in needs for c in n.columns}]))
        except SparkError:
            return False

    def _frame(self, tests: Sequence[RowTest], *, strict: bool = True) -> DataFrame:
        """All columns as c0, c1, ... and the outcomes of tests as t0, t1, ...: by position there is nothing to quote.

        With `strict` what may overflow is in ANSI mode, until it was tried: there an overflow raises.
        """
        from pyspark.sql import functions as F

        conditions = [t for t in tests if t.column is None]
        risky = [t for t in conditions if strict and t not in self.tried and self._may_overflow(t)]
        safe = [t for t in conditions if t not in risky]
        frame = self.df
        for some in (safe, risky):
            # Classic Spark reads an expression in the mode that is set now, Spark Connect in the one that is set when it runs.
            self._set(_ANSI, on=bool(risky) if self.remote else some is risky)
            # With `true` around it an expression must be a condition, and cannot be one that makes several rows of one.
            frame = frame.select("*", *((F.expr(t.text) & F.lit(True)).alias(f"__avh_t{tests.index(t)}") for t in some)) if some else frame
        if not self.remote:
            self._set(_ANSI, on=False)
        frame = frame.toDF(*(f"c{i}" for i in range(len(self.names))), *(f"t{tests.index(t)}" for t in (*safe, *risky)))
        patterns = [self._found(t).alias(f"t{tests.index(t)}") for t in tests if t.column is not None]
        return frame.select("*", *patterns)

    def _found(self, test: RowTest) -> Column:
        from pyspark.sql import functions as F

        # An empty match is none (Deequ's PatternMatch), so `rlike` would say too much.
        return F.coalesce(F.regexp_extract(self._place(str(test.column)), test.text, 0) != "", F.lit(False))

    def _place(self, name: str) -> Column:
        from pyspark.sql import functions as F

        return F.col(f"c{self.names.index(name)}")

    def _scan(self, needs: Sequence[Need]) -> dict[Need, Any]:
        """All needs without grouping, by one job."""
        from pyspark.sql import functions as F

        tests = list(dict.fromkeys(t for n in needs for t in tests_of(n)))
        whole = {c for n in needs if n.state not in ("counts", "pattern") for c in n.columns}
        marked = {c for n in needs if n.state == "counts" for c in n.columns} - whole
        columns = [c for c in self.names if c in whole or c in marked]
        # Of a column whose nulls alone are counted, only whether it is there leaves the JVM.
        data = [self._place(c) if c in whole else F.when(self._place(c).isNotNull(), F.lit(True)) for c in columns]
        rows = self._frame(tests).select(*data, *(f"t{i}" for i in range(len(tests))), F.lit(True).alias("row"))
        kernel = ScanKernel(tuple(needs), tuple(columns), tuple(tests))
        partials = rows.mapInArrow(kernel, PARTIAL_DDL)
        return dict(kernel.merged(self._collect(partials, "measuring columns")))

    def _group(self, needs: Sequence[Need]) -> dict[Need, Any]:
        """All needs of one grouping, by one job."""
        from pyspark.sql import functions as F

        first = needs[0]
        by = first.columns[:1] if first.state == "sums" else first.columns or tuple(self.names)
        summed = [n for n in needs if n.state == "sums"]
        rows = self._frame(tests_of(first))
        rows = rows if first.where is None else rows.where("t0")
        sums = [F.sum(self._place(n.columns[1]).cast("double")) for n in summed]
        groups = rows.groupBy(*map(self._place, by)).agg(F.count(F.lit(1)), *sums)
        keep = self.keep or any(n.state == "pairs" for n in needs)
        kernel = GroupKernel(len(by), len(summed), keep)
        partials = groups.toDF(*(f"g{i}" for i in range(len(groups.columns)))).mapInArrow(kernel, PARTIAL_DDL)
        counts, *added = kernel.merged(self._collect(partials, f"grouping by {', '.join(by)[:60]}", shuffles=True))
        return {n: counts for n in needs if n.state != "sums"} | dict(zip(summed, added, strict=True))

    def _percentiles(self, needs: Sequence[Need]) -> dict[Need, Any]:
        """All exact quantiles, by one job."""
        from pyspark.sql import functions as F

        tests = list(dict.fromkeys(t for n in needs for t in tests_of(n)))
        wanted = []
        for i, need in enumerate(needs):
            values = self._place(need.columns[0]).cast("double")
            if need.where is not None:
                values = F.when(F.col(f"t{tests.index(RowTest(need.where))}"), values)
            wanted.append(F.percentile(values, F.array(*map(F.lit, need.detail))).alias(f"p{i}"))
        frame = self._frame(tests).agg(*wanted)
        (row,) = self._collect(frame, "exact quantiles", shuffles=True).to_pylist()
        return {need: tuple(row[f"p{i}"] or ()) for i, need in enumerate(needs)}

    def _equal_bins(self, needs: Sequence[Need], measured: dict[Need, Any]) -> dict[Need, Any]:
        """Bins between the extremes, by one more scan."""
        found: dict[Need, Any] = {}
        edged: dict[Need, Need] = {}
        for need in needs:
            moments = measured[Need("moments", need.columns, need.where)]
            if isinstance(moments, Exception) or not moments.n:
                found[need] = moments if isinstance(moments, Exception) else BinState.identity()
            else:
                edged[need] = Need("bins", need.columns, need.where, equal_edges(moments.low, moments.high, int(need.detail)))
        scanned = self._isolated(list(edged.values()), self._scan)
        return found | {need: scanned[given] for need, given in edged.items()}

    def _collect(self, frame: DataFrame, note: str, *, shuffles: bool = False) -> Any:
        # An adaptive query runs each stage as a job of its own, and would ask for what partial aggregation has already settled.
        self._set(_ADAPTIVE, on=self.adaptive and not shuffles)
        self.watch.report(self.done, self.jobs, note)
        table = collect(frame, self.watch)
        self.done = min(self.done + 1, self.jobs)
        return table

    def _set(self, key: str, *, on: bool) -> None:
        self.spark.conf.set(key, "true" if on else "false")


def _type(kind: DataType) -> ColumnType:
    from pyspark.sql import types as T

    if isinstance(kind, T.NumericType):
        return "numeric"
    if isinstance(kind, T.StringType | T.CharType | T.VarcharType):
        return "string"
    if isinstance(kind, T.BooleanType | T.DateType | T.TimestampType | T.TimestampNTZType | T.BinaryType | T.NullType):
        return "other"
    return "nested" if isinstance(kind, T.ArrayType | T.MapType | T.StructType) else "unreadable"
