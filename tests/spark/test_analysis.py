"""Analyzers on Spark: the facts, as few jobs as promised, and nothing that is wrong with one spoils another."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from avh_ui.errors import CancelledError, SparkError
from avh_ui.metrics import analyzers as of
from avh_ui.metrics.analysis import AnalysisStates
from avh_ui.metrics.distinct import HLL_RELATIVE_ERROR
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.results import Histogram
from avh_ui.metrics.tables import analyze_table
from avh_ui.spark.analysis import analyze
from tests.data import facts
from tests.spark.conftest import jobs_of

ANSI, ADAPTIVE = "spark.sql.ansi.enabled", "spark.sql.adaptive.enabled"
HOSTILE = ["a.b", "a b", "`tick`", 'q"uote', "li\nne", "Name", "name", "naïve ✓", "'; drop", "c1", "t0"]
Frame = Callable[..., Any]


@pytest.fixture
def frame(spark: Any, tmp_path: Path) -> Frame:
    """Makes a DataFrame of an Arrow table, by way of a file of several row groups so that several tasks measure it."""

    def make(table: pa.Table | None = None, **columns: Any) -> Any:
        table = pa.table(columns) if table is None else table
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}"
        path.mkdir()
        half = table.num_rows // 2
        for i, part in enumerate((table.slice(0, half), table.slice(half))):
            pq.write_table(part, path / f"{i}.parquet")
        return spark.read.parquet(str(path))

    return make


def same(analyzer: Measure, ours: Any, expected: Any) -> None:
    if isinstance(expected, float):
        # A sketch of parts may differ from one of the whole, within the error of both.
        rel = 4 * HLL_RELATIVE_ERROR if analyzer.name == "approx_count_distinct" else 1e-9
        assert ours == pytest.approx(expected, rel=rel, nan_ok=True), analyzer
    else:
        assert ours == expected, analyzer


@pytest.mark.parametrize("name", facts.TABLES)
def test_facts(frame: Frame, name: str) -> None:
    told = [f for f in facts.FACTS if f["table"] == name]
    results = analyze(frame(facts.table(name)), map(facts.analyzer, told)).results
    for fact in told:
        facts.check(fact, results[facts.analyzer(fact)])


def jobs(spark: Any) -> int:
    return len(jobs_of(spark))


def test_one_job_for_all_without_grouping_and_one_per_set_of_grouping_columns(spark: Any, frame: Frame) -> None:
    df = frame(a=[1, 2, 2, None], b=["x", "y", "y", "x"], c=[1.0, 2.0, 3.0, 4.0])
    scanned = [
        of.size(), of.size(where="a > 1"), of.completeness("a"), of.compliance("a < c"), of.pattern_match("b", "x"), of.mean("a"),
        of.standard_deviation("c", where="b = 'x'"), of.correlation("a", "c"), of.approx_quantile("a", 0.5), of.data_type("b"),
        of.approx_count_distinct("b"), of.ratio_of_sums("a", "c"), of.max_length("b"), of.zeros_count("c"),
    ]  # fmt: skip
    grouped = [
        of.uniqueness(("a", "b")), of.distinctness(("b", "a")), of.mutual_information("a", "b"),
        of.entropy("b"), of.count_distinct("b"), of.histogram("b"), of.histogram("b", sum_of="c"),
    ]  # fmt: skip
    before = jobs(spark)
    results = analyze(df, [*scanned, *grouped]).results
    assert all(r.failure is None for r in results.values())
    assert jobs(spark) - before == 1 + 2
    before = jobs(spark)
    analyze(df, [of.exact_quantile("a", 0.5), of.interquartile_range("c", where="a > 1"), of.histogram("b", where="a > 1")])
    # Exact quantiles, the grouping, and the scan for the histogram's denominator.
    assert jobs(spark) - before == 3


def test_spark_and_tables_in_memory_agree(frame: Frame) -> None:
    rng = np.random.default_rng(2)
    table = pa.table({
        "i": pa.array(rng.integers(-5, 50, 700)),
        "f": pa.array(np.where(rng.random(700) < 0.1, 0.0, rng.normal(size=700) * 1e8)),
        "s": pa.array(rng.choice(["a", "B-1", "", None, "ü", "12"], 700).tolist(), pa.string()),
        "d": pa.array(rng.integers(0, 99, 700)).cast(pa.decimal128(21, 2)),
        "b": pa.array([True, None] * 350),
        "t": pa.array(rng.integers(0, 10**15, 700), pa.timestamp("us", "UTC")),
        "day": pa.array(rng.integers(0, 20_000, 700), pa.int32()).cast(pa.date32()),
    })  # fmt: skip
    every = [
        make(c) for make in (of.completeness, of.approx_count_distinct, of.histogram, of.entropy, of.data_type) for c in table.schema.names
    ]
    numeric = [of.mean, of.kurtosis, of.zeros_count, of.interquartile_range, of.histogram_binned, of.range_]
    asked = [*every, *(make(c) for make in numeric for c in "ifd"), of.correlation("i", "f"), of.duplicate_row_count(("i", "b"))]
    ours, theirs = analyze(frame(table), asked), analyze_table(table, asked)
    for analyzer, expected in theirs.results.items():
        result = ours.results[analyzer]
        assert result.failure is None, result
        same(analyzer, result.value, expected.value)


def test_hostile_column_names(frame: Frame) -> None:
    df = frame(pa.table({name: pa.array([i, None, i]) for i, name in enumerate(HOSTILE)}))
    asked = [
        *(make(c) for c in HOSTILE for make in (of.maximum, of.uniqueness)),
        of.uniqueness(HOSTILE),
        of.mean("Name", where="`a.b` >= 0"),
    ]
    results = analyze(df, asked).results
    assert [results[of.maximum(c)].value for c in HOSTILE] == list(range(len(HOSTILE)))
    assert [results[of.uniqueness(c)].value for c in HOSTILE] == [0] * len(HOSTILE)
    assert results[of.mean("Name", where="`a.b` >= 0")].value == HOSTILE.index("Name")


def test_an_expression_that_raises_or_is_none_fails_alone(spark: Any, frame: Frame) -> None:
    df = frame(a=[1, 2, 3], s=["a", "b", "3"])
    good = [
        of.mean("a"),
        of.compliance("a > 1"),
        of.compliance("s >= 1.0"),
        of.compliance("1 / (a - 1) > 0"),
        of.uniqueness("a", where="a > 1"),
    ]
    bad = [
        of.compliance("a >"), of.mean("a", where="missing > 1"), of.compliance("s"), of.compliance("explode(array(true, false))"),
        of.compliance("max(a) > 1"), of.compliance("raise_error('no') is null"), of.uniqueness("a", where="raise_error(s) is null"),
        of.exact_quantile("a", 0.5, where="raise_error('x') is null"), of.compliance("a > 1 \ud800"),
        of.compliance("row_number() OVER (order by a) > 1"),
    ]  # fmt: skip
    results = analyze(df, [*good, *bad]).results
    assert [results[a].value for a in good] == [2, pytest.approx(2 / 3), pytest.approx(1 / 3), pytest.approx(2 / 3), 1]
    assert {str(a): results[a].cause for a in bad} == {str(a): "expression" for a in bad}
    assert "missing" in str(results[bad[1]].failure)
    assert "looks at other rows" in str(results[bad[-1]].failure)
    assert analyze(df, [of.compliance("s <> 'over (' and a > 0")]).results[of.compliance("s <> 'over (' and a > 0")].value == 1


def test_a_pattern_that_cannot_be_read_costs_no_job(spark: Any, frame: Frame) -> None:
    df = frame(a=[1, 2, 3], s=["a", "b", "3"])
    before = jobs(spark)
    results = analyze(df, [of.pattern_match("s", "("), of.pattern_match("s", "[a-")]).results
    assert {r.cause for r in results.values()} == {"parameter"}
    assert jobs(spark) == before
    results = analyze(df, [of.mean("a"), of.pattern_match("s", "("), of.pattern_match("s", "[ab]")]).results
    assert results[of.pattern_match("s", "[ab]")].value == pytest.approx(2 / 3)
    assert jobs(spark) - before == 1


def test_an_overflow_is_not_evaluated_and_what_is_null_without_ansi_mode_is(spark: Any, frame: Frame) -> None:
    df = frame(i=pa.array([1, 2**31 - 1, 3], pa.int32()), s=["1", "x", "2"], d=pa.array([1, 2**40, 5]))
    good = {
        of.compliance("i + 0L + 1 > 0"): 1, of.compliance("cast(s as int) is null"): pytest.approx(1 / 3),
        of.mean("i", where="i - 1 < 9"): 2,
        of.compliance("10 / (i - 1) > 0"): pytest.approx(2 / 3), of.compliance("cast(s as int) + 1 > 0"): pytest.approx(2 / 3),
        of.uniqueness("s", where="i * 1 > 1"): 1,
    }  # fmt: skip
    bad = [
        of.compliance("i + 1 > 0"), of.mean("i", where="-(i * 2) < 0"), of.uniqueness("s", where="i * 2 > 0"),
        of.compliance("cast(d as int) > 0"),
    ]  # fmt: skip
    results = analyze(df, [*good, *bad, of.mean("d")]).results
    assert {str(a): results[a].value for a in good} == {str(a): v for a, v in good.items()}
    assert {str(a): (results[a].value, results[a].cause) for a in bad} == {str(a): (None, "expression") for a in bad}
    assert all("overflow" in str(results[a].failure).lower() for a in bad)


def test_one_that_raises_is_found_among_many_by_few_jobs(spark: Any, frame: Frame) -> None:
    df = frame(a=[1, 2, 3], s=["a", "b", "3"])
    good = [of.mean("a"), *(of.mean("a", where=f"a > {i}") for i in range(31))]
    before = jobs(spark)
    results = analyze(df, [*good, of.compliance("raise_error('no') is null")]).results
    assert [results[a].value for a in good] == [2, 2, 2.5, 3, *[None] * 28]
    assert results[of.compliance("raise_error('no') is null")].cause == "expression"
    # All together, both halves of the 32 conditions unmeasured and so on down to single ones, and once more all but the one that raises.
    assert jobs(spark) - before == 1 + 2 * 5 + 1


def test_the_settings_of_the_session_are_never_touched(spark: Any, frame: Frame) -> None:
    """Not even meanwhile: whatever sets one while an analysis runs, of two threads or after an exception, fails here."""
    df = frame(a=[1, 2])
    active = type(spark).getActiveSession()

    def settings() -> dict[str, str]:
        # Python can ask since 4.0.
        return dict(getattr(spark.conf, "getAll", None) or {"all": spark._jsparkSession.conf().getAll().toString()})

    failed = spark.sql("select raise_error('broken') as a from range(3)")
    seen: list[dict[str, str]] = []
    for ansi, zone in (("true", "UTC"), ("false", "Asia/Tokyo")):
        spark.conf.set(ANSI, ansi)
        spark.conf.set("spark.sql.session.timeZone", zone)
        before = settings()
        asked = [of.compliance("a >"), of.compliance("raise_error('x') is null"), of.entropy("a"), of.compliance("a + 1 > 0")]
        watch = Watch(lambda _: seen.append(settings()))
        threads = [threading.Thread(target=analyze, args=(df, asked, watch)) for _ in range(2)]
        for thread in threads:
            thread.start()
        with pytest.raises(SparkError, match="broken"):
            analyze(failed.select(failed["a"].cast("int").alias("a")), [of.mean("a")])
        for thread in threads:
            thread.join()
        assert seen
        assert all(one == before for one in seen)
        assert settings() == before
        seen.clear()
    spark.conf.set(ANSI, "true")
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    assert type(spark).getActiveSession() is active


def test_a_condition_means_what_it_does_in_the_session(spark: Any, frame: Frame) -> None:
    """Its functions, views and time zone are those of the session that the DataFrame is of."""
    frame(v=[1]).createOrReplaceTempView("ones")
    spark.udf.register("plus_one", lambda value: value + 1, "int")
    df = spark.sql("select cast(id as int) as a, timestamp'2024-01-01 00:30:00' as t from range(3)")
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    try:
        asked = [of.compliance("plus_one(a) = 2"), of.compliance("a in (select v from ones)"), of.compliance("hour(t) = 9")]
        assert [r.value for r in analyze(df, asked).results.values()] == [pytest.approx(1 / 3), pytest.approx(1 / 3), 1]
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
        spark.catalog.dropTempView("ones")


@pytest.mark.parametrize(("sensitive", "found"), [("false", 1.0), ("true", None)])
def test_the_case_of_a_name_is_the_sessions_rule(spark: Any, sensitive: str, found: float | None) -> None:
    df = spark.sql("select 1 as Price")
    spark.conf.set("spark.sql.caseSensitive", sensitive)
    try:
        assert analyze(df, [of.mean("PRICE")]).results[of.mean("PRICE")].value == found
    finally:
        spark.conf.set("spark.sql.caseSensitive", "true")


def test_wrong_columns_and_types_fail_alone(spark: Any) -> None:
    df = spark.sql("select 1 as a, array(1) as l, map(1, 2) as m, interval 1 day as i, 's' as s, 2 as twice, 3 as twice")
    asked = [of.mean("a"), of.mean("b"), of.mean("s"), of.completeness("l"), of.uniqueness("m"), of.completeness("i"), of.mean("twice")]
    results = analyze(df, [*asked, of.duplicate_row_count()]).results
    assert [r.cause for r in results.values()] == [None, "column", "type", None, "type", None, "column", "type"]
    assert results[of.mean("a")].value == 1


def test_merged_states_of_parts_give_the_results_of_the_whole(frame: Frame) -> None:
    table = pa.table(
        {"s": ["a", None, "a", "bc", "d", "a", None], "x": [1, 2, 1, None, 0, 3, None], "y": [2.0, 2.0, 1.0, 5.0, None, 4.0, 1.0]}
    )
    asked = [
        of.size(where="x > 0"), of.completeness("s"), of.compliance("x > 100 / y"), of.skewness("x", where="y < 4.5"),
        of.correlation("x", "y"),
        of.uniqueness(("s", "x")), of.entropy("s", where="x > 0"), of.mutual_information("s", "x"), of.duplicate_row_count(),
        of.histogram("s", where="x > 0"), of.histogram("s", sum_of="y"), of.approx_count_distinct("s"), of.data_type("s"),
    ]  # fmt: skip
    whole = analyze(frame(table), asked).results
    parts = [analyze(frame(part), asked, keep_states=True).states for part in (table.slice(0, 3), table.slice(3, 1), table.slice(4))]
    stored = [AnalysisStates.from_records(part.to_records()) for part in parts]
    merged = stored[0].merge(*stored[1:]).results(asked)
    for analyzer in asked:
        assert whole[analyzer].failure is None
        same(analyzer, merged[analyzer].value, whole[analyzer].value)


def test_groups_are_kept_on_request_only(frame: Frame) -> None:
    df = frame(a=[1, 1, 2])
    lean = analyze(df, [of.uniqueness("a"), of.mean("a")]).states
    assert lean.results([of.mean("a")])[of.mean("a")].value == pytest.approx(4 / 3)
    assert "keep_states" in str(lean.results([of.uniqueness("a")])[of.uniqueness("a")].failure)


def test_the_top_of_a_histogram_of_many_values(spark: Any) -> None:
    df = spark.sql("select cast(least(id, 4999) as string) as v from range(5050)")
    found = analyze(df, [of.histogram("v", 3), of.uniqueness("v")]).results
    histogram = found[of.histogram("v", 3)].value
    assert isinstance(histogram, Histogram)
    assert (dict(histogram.absolute), histogram.number_of_bins, histogram.tail) == ({"4999": 51, "0": 1, "1": 1}, 5_000, 4_997)
    assert found[of.uniqueness("v")].value == 4_999 / 5_050


def test_data_that_cannot_be_read_is_the_runs_error(spark: Any) -> None:
    df = spark.sql("select raise_error('broken file') as a from range(3)")
    for asked in ([of.mean("a", where="1 = 1")], [of.size(), of.count_distinct("a")]):
        with pytest.raises(SparkError, match="broken file"):
            analyze(df.select(df["a"].cast("int").alias("a")), asked)


def test_progress_and_cancelling(frame: Frame) -> None:
    df = frame(a=[1, 2])
    seen: list[tuple[int, int]] = []
    analyze(df, [of.size(), of.entropy("a")], Watch(lambda p: seen.append((p.done, p.total))))
    assert seen == [(0, 2), (1, 2)]
    cancelled = threading.Event()
    cancelled.set()
    with pytest.raises(CancelledError):
        analyze(df, [of.size()], Watch(cancelled=cancelled))


def test_nothing_asked_is_nothing_done(spark: Any, frame: Frame) -> None:
    df, before = frame(a=[1]), jobs(spark)
    assert analyze(df, []).results == {}
    assert analyze(df, [of.mean("b")]).results[of.mean("b")].cause == "column"
    assert jobs(spark) == before
