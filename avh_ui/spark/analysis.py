"""Measures of a DataFrame (ICDE 2019, Algorithm 1): one job for all that need no grouping, one for each set of grouping columns.

A grouping is by columns and `where`. Two things need jobs of their own: exact quantiles (one job for all of them) and bins of equal
width (one more scan, once the extremes are known). What Spark refuses of conditions, and what raises (`spark.conditions`), fails its own
measures alone. All runs in a session of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from avh_ui.errors import SparkError, UsageError
from avh_ui.metrics.analysis import Analysis, Askable, AskedMeasures
from avh_ui.metrics.bins import BinState, EqualBins, equal_edges
from avh_ui.metrics.counts import CountState
from avh_ui.metrics.fields import choose
from avh_ui.metrics.groups import GroupState, PairState, SumState, is_grouping
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.moments import MomentsState
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.quantiles import ExactQuantiles
from avh_ui.metrics.results import failed
from avh_ui.metrics.rows import Name, Need, RowTest
from avh_ui.metrics.together import is_beside
from avh_ui.scan.columns import TRUE
from avh_ui.scan.kernel import scan_of, scanned
from avh_ui.scan.partials import PARTIAL_DDL
from avh_ui.spark.columns import expression, spark_tree
from avh_ui.spark.conditions import ADAPTIVE, SparkConditions
from avh_ui.spark.grouping import Grouping, Groups
from avh_ui.spark.jobs import collect
from avh_ui.spark.pairs import Pairs, frames
from avh_ui.spark.session import apart
from avh_ui.spark.shuffling import PARTITIONS, partitions_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

_CASE = "spark.sql.caseSensitive"
Run = Callable[[Sequence[Need]], dict[Need, Any]]


def analyze(
    df: DataFrame,
    measures: Iterable[Measure],
    watch: Watch | None = None,
    *,
    keep_states: bool = False,
    tables: Mapping[str, Any] | None = None,
) -> Analysis:
    """Measure a DataFrame. Results are in the order of the measures; repeats are measured once.

    `keep_states` keeps the groups of grouping measures and histograms too, so that they can be merged with those of other parts:
    their tables then come to the driver, as large as their distinct values. All other states are small and always kept. `tables` are
    those by name that measures compare with.
    What is wrong with one measure is its failed result; `SparkError` when the data cannot be read, `CancelledError` by `watch`.
    """
    others = frames(df, tables or {})
    with apart(df) as rows:
        run = _Run(rows, watch or Watch(), keep_states, others)
        types = {name: field.type for name, field in run.fields.items()}
        asked = AskedMeasures.of(measures, run.kinds, rows.columns, types, exact=run.exact_names)
        told = run.conditions.refusals([test for need in asked.needs for test in need.tests])
        refused = {m: [told[test] for need in needs for test in need.tests if test in told] for m, needs in asked.needs_of.items()}
        asked = asked.without({m: failed(m, "expression", why[0]) for m, why in refused.items() if why})
        return asked.analysis(run.measure(asked.needs))


class _Run:
    """One analysis of one DataFrame."""

    def __init__(self, df: DataFrame, watch: Watch, keep: bool, tables: Mapping[str, DataFrame]) -> None:
        self.tables = tables
        self.df, self.watch, self.keep = df, watch, keep
        self.spark: SparkSession = df.sparkSession
        self.data = df.schema.fields
        self.fields = {f.name: f for f in choose([(f.name, spark_tree(f.dataType)) for f in self.data]).fields}
        self.kinds: dict[str, Askable] = {name: field.kind for name, field in self.fields.items()}
        self.kinds |= {name: "twice" for name in df.columns if df.columns.count(name) > 1}
        self.exact_names, self.adaptive = (str(self.spark.conf.get(key)) == "true" for key in (_CASE, ADAPTIVE))
        if (parts := partitions_of(df)) is not None:
            self.spark.conf.set(PARTITIONS, str(parts))
        self.few = parts is not None
        self.conditions = SparkConditions(df, self._values, watch)
        self.done = self.jobs = 0

    def measure(self, needs: Sequence[Need]) -> dict[Need, Any]:
        """The state of each need, or the error that its expression raised."""
        groups = [n for n in needs if is_grouping(n)]
        exact = [n for n in needs if issubclass(n.state, ExactQuantiles)]
        equal = [n for n in needs if issubclass(n.state, EqualBins)]
        beside = [n for n in needs if is_beside(n)]
        extremes = [Need(MomentsState, n.columns, n.where) for n in equal]
        once = list(dict.fromkeys([*(n for n in needs if n not in {*groups, *exact, *equal, *beside}), *extremes]))
        sets: dict[tuple[tuple[Name, ...], str | None], list[Need]] = {}
        for need in groups:
            by = need.columns[:1] if need.state is SumState else need.columns
            sets.setdefault((by, need.where), []).append(need)
        self.jobs = bool(once) + len(sets) + bool(exact) + bool(equal) + len(beside)
        measured = self._isolated(once, self._scan)
        for members in sets.values():
            measured |= self._isolated(members, self._group)
        measured |= self._isolated(exact, self._percentiles)
        measured |= self._equal_bins(equal, measured)
        return measured | {need: self._beside(need) for need in beside}

    def _beside(self, need: Need) -> Any:
        """One that takes another table or a query, by one job; what is wrong with it is its own."""
        with self._job(f"comparing with {need.detail[0]}"[:60], shuffles=True):
            try:
                return Pairs(self.df, self.tables, self.conditions, self.watch).state(need)
            except (UsageError, SparkError) as error:
                return error

    def _isolated(self, needs: Sequence[Need], run: Run) -> dict[Need, Any]:
        """Together. If that fails each of their tests is tried alone, without measuring, and the needs of those that hold run once more."""
        tried = self.conditions.tried
        failing = {n: SparkError(why) for n in needs for t in n.tests if (why := tried.get(t))}
        needs = [n for n in needs if n not in failing]
        tests = list(dict.fromkeys(t for n in needs for t in n.tests if t not in tried))
        try:
            return {**failing, **(run(needs) if needs else {})}
        except SparkError:
            if not tests or (len(self.conditions.faults(tests)) == len(tests) and not self._readable(needs)):
                raise
        return {**failing, **self._isolated(needs, run)}

    def _readable(self, needs: Sequence[Need]) -> bool:
        """Whether the columns of the needs can be read at all, without any expression."""
        try:
            return bool(self._scan([Need(CountState), *{Need(CountState, (c,)) for n in needs for c in n.named}]))
        except SparkError:
            return False

    def _values(self, name: Name) -> Column:
        return expression(self.data, self.fields[str(name)])

    def _scan(self, needs: Sequence[Need]) -> dict[Need, Any]:
        """All needs without grouping, by one job."""
        from pyspark.sql import functions as F

        tests = list(dict.fromkeys(t for n in needs for t in n.tests))
        whole = dict.fromkeys(c for n in needs if n.state is not CountState for c in n.columns if isinstance(c, str))
        marked = dict.fromkeys(c for n in needs if n.state is CountState for c in n.columns if isinstance(c, str) and c not in whole)
        # Of a column whose nulls alone are counted, only whether it is there leaves the JVM.
        names: dict[Name, Column] = {c: self._values(c) for c in whole}
        names |= {c: F.when(self._values(c).isNotNull(), F.lit(True)) for c in marked}
        names |= {**{t: F.col(f"t{i}") for i, t in enumerate(tests)}, TRUE: F.lit(True)}
        rows = self.conditions.frame(tests).select(*(value.alias(f"m{k}") for k, value in enumerate(names.values())), F.lit("").alias("b"))
        kernel = scan_of(list(names), needs)
        with self._job("measuring columns"):
            return scanned(kernel, collect(rows.mapInArrow(kernel, PARTIAL_DDL), self.watch))

    def _group(self, needs: Sequence[Need]) -> dict[Need, Any]:
        """All needs of one grouping, by one job."""
        first = needs[0]
        by = first.columns[:1] if first.state is SumState else first.columns
        summed = [n for n in needs if n.state is SumState]
        rows = self.conditions.frame(first.tests)
        rows = rows if first.where is None else rows.where("t0")
        keep = self.keep or any(issubclass(n.state, PairState) for n in needs)
        groups = Grouping([*map(self._values, by)], [self._values(n.columns[1]) for n in summed], keep)
        with self._job(f"grouping by {', '.join(map(str, by))[:60]}", shuffles=True):
            counts, *sums = groups.whole(rows, self.watch)
        found = {n: _as(n, counts) for n in needs if n.state is not SumState}
        return found | dict(zip(summed, sums, strict=True))

    def _percentiles(self, needs: Sequence[Need]) -> dict[Need, Any]:
        """All exact quantiles, by one job."""
        from pyspark.sql import functions as F

        tests = list(dict.fromkeys(t for n in needs for t in n.tests))
        wanted = []
        for i, need in enumerate(needs):
            values = self._values(need.columns[0]).cast("double")
            if need.where is not None:
                values = F.when(F.col(f"t{tests.index(RowTest(need.where))}"), values)
            wanted.append(F.percentile(values, F.array(*map(F.lit, need.detail))).alias(f"p{i}"))
        with self._job("exact quantiles", shuffles=True):
            (row,) = collect(self.conditions.frame(tests).agg(*wanted), self.watch).to_pylist()
        return {need: ExactQuantiles(tuple(row[f"p{i}"] or ())) for i, need in enumerate(needs)}

    def _equal_bins(self, needs: Sequence[Need], measured: dict[Need, Any]) -> dict[Need, Any]:
        """Bins between the extremes, by one more scan."""
        found: dict[Need, Any] = {}
        edged: dict[Need, Need] = {}
        for need in needs:
            moments = measured[Need(MomentsState, need.columns, need.where)]
            if isinstance(moments, Exception) or not moments.n:
                found[need] = moments if isinstance(moments, Exception) else BinState.identity()
            else:
                edged[need] = Need(BinState, need.columns, need.where, equal_edges(moments.low, moments.high, int(need.detail)))
        states = self._isolated(list(edged.values()), self._scan)
        return found | {need: states[given] for need, given in edged.items()}

    @contextmanager
    def _job(self, note: str, *, shuffles: bool = False) -> Iterator[None]:
        # An adaptive query runs each stage as a job of its own, and would ask for what partial aggregation has already settled.
        self.spark.conf.set(ADAPTIVE, "true" if self.adaptive and not (shuffles and self.few) else "false")
        self.watch.report(self.done, self.jobs, note)
        yield
        self.done = min(self.done + 1, self.jobs)


def _as(need: Need, counts: Groups) -> Groups:
    """The groups as the state of a need, where it is one of those whose table is kept."""
    if isinstance(counts, GroupState) and issubclass(need.state, PairState):
        return need.state(counts.table, counts.forms)
    return counts
