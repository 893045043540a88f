"""The rows that break rules, on Spark: Deequ's verdicts of rows, names of columns, ANSI mode, what is counted and by how many jobs."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import avh_ui as avh
from avh_ui.constraints.row_rules import RowRule, row_rules
from avh_ui.errors import DeliveryError, UsageError
from avh_ui.metrics.check_digits import marked
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.regexes import anchored
from avh_ui.metrics.row_forms import Conforms
from avh_ui.spark.failing_rows import SparkRows
from avh_ui.spark.row_answers import Answers
from avh_ui.spark.session import apart
from avh_ui.spark.versions import arrow_of, frame_of
from avh_ui.tables_in_hand import can_keep
from avh_ui.validator.arrow_rows import ArrowRows
from avh_ui.validator.kept_rows import whole
from tests.data.row_facts import TABLES, facts, table, told
from tests.spark.conftest import jobs_of, older_than

c, of = avh.checks, avh.analyzers


@pytest.mark.parametrize("name", TABLES)
def test_rows_are_those_of_the_facts(spark: Any, name: str) -> None:
    frame, found = frame_of(spark, table(name)).coalesce(1), facts(name)
    run = avh.check(frame, [check for check, _ in found.values()])
    assert [verdict.message for verdict in run.verdicts if verdict.status == "not_evaluated"] == []
    marked = arrow_of(run.rows(frame)).sort_by(table(name).column_names[0])
    assert told(marked, found) == {fact: rows for fact, (_, rows) in found.items()}
    counted = {verdict.constraint.statement: verdict.failing for verdict in run.verdicts if verdict.failing is not None}
    broken = {check.constraint().statement: len(rows) for check, rows in found.values() if rows}
    assert counted == {rule: n for rule, n in broken.items() if rule in counted}
    assert counted.keys() >= {v.constraint.statement for v in run.verdicts if v.status == "fail" and v.constraint.statement in broken}


def test_rows_are_not_sorted_for_few_repeated_values(spark: Any) -> None:
    """Spark does not know that few values occur more than once, and sorted all rows by them where it guessed more than its threshold."""
    frame = spark.sql("select id % 900 as k, id from range(1000)")
    run = avh.check(frame, [c.is_unique("k"), c.is_unique("id")])
    assert [verdict.failing for verdict in run.verdicts] == [200, None]
    usual = spark.conf.get("spark.sql.autoBroadcastJoinThreshold")
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    try:
        # Of the frame itself they are known by now.
        plan = run.rows(spark.sql("select id % 900 as k, id from range(1000)"))._jdf.queryExecution().executedPlan().toString()
    finally:
        spark.conf.set("spark.sql.autoBroadcastJoinThreshold", usual)
    assert ("SortMergeJoin" in plan, plan.count("BroadcastHashJoin")) == (False, 2)


def test_rows_that_break_something_are_found_without_judging_them_again(spark: Any, tmp_path: Path) -> None:
    spark.range(100).selectExpr("id", "id % 7 as k").coalesce(1).write.parquet(str(tmp_path / "rows"))
    frame = spark.read.parquet(str(tmp_path / "rows"))
    run = avh.check(frame, [c.satisfies("id % 90123 < 50"), c.satisfies("k < 80123", level="warning")])
    some = run.rows(frame).where("size(failed) > 0")
    plan = some._jdf.queryExecution().optimizedPlan().toString()
    (filtered,) = (line for line in plan.splitlines() if "Filter (size(" in line)
    assert "90123" not in filtered
    assert (some.count(), some.schema) == (50, run.rows(frame).schema)
    # What is asked of the table's own columns still goes down to the files.
    scan = run.rows(frame).where("k = 3")._jdf.queryExecution().executedPlan().toString()
    assert "EqualTo(k,3)" in scan


def test_good_and_bad_rows_have_the_table_s_own_columns(spark: Any, tmp_path: Path) -> None:
    frame = spark.sql("""
        select * from values (1, 'x', 1.0), (2, '7', 2.0), (3, '8', null), (3, 'y', 4.0) as t(`a.b`, `C d`, `e``f`)
    """)
    rules = [
        c.is_complete("e`f"),
        c.is_unique("a.b", level="warning"),
        # A cast that fails is null, though the session has ANSI mode on; and null breaks nothing.
        c.satisfies("cast(`C d` as int) > 7"),
        c.satisfies("nope > 1"),
    ]
    run = avh.check(frame, rules)
    assert [v.status for v in run.verdicts] == ["fail", "warn", "fail", "not_evaluated"]
    assert [(v.failing, v.samples) for v in run.verdicts[:3]] == [(1, ("a.b=3, C d=8",)), (2, ("3",)), (1, ("7",))]
    spark.conf.set("spark.sql.ansi.enabled", "true")
    before = jobs_of(spark)
    good, bad = run.split(frame)
    assert jobs_of(spark) == before, "nothing runs before it is asked for"
    assert good.schema == frame.schema
    assert good.sparkSession is bad.sparkSession is frame.sparkSession
    assert sorted(row[1] for row in good.collect()) == ["x", "y"]
    whys = {row[1]: [(one["why"], one["level"]) for one in row["failed"]] for row in bad.collect()}
    assert whys == {
        "7": [("not so: cast(`C d` as int) > 7", "error")],
        "8": [("e`f is null", "error"), ("a.b occurs more than once", "warning")],
    }
    assert spark.conf.get("spark.sql.ansi.enabled") == "true"
    # The rows are written as they are, under the settings of the session.
    run.rows(frame).write.parquet(str(tmp_path / "marked"))
    assert pq.read_table(tmp_path / "marked").column_names == ["a.b", "C d", "e`f", "failed"]


def test_good_and_bad_rows_are_written_by_one_look(spark: Any, tmp_path: Path) -> None:
    frame = spark.sql("select id, 'x' as `a.b`, nullif(id % 4, 0) as avh_rows, date'2024-01-02' as d from range(0, 40, 1, 3)")
    run = avh.check(frame, [c.is_complete("avh_rows"), c.is_in_range("id", 0, 37, level="warning")])
    before = jobs_of(spark)
    good, bad = run.split(frame, name="why", to=tmp_path / "parts")
    assert len(jobs_of(spark) - before) == 1
    assert [(f.name, f.dataType) for f in good.schema] == [(f.name, f.dataType) for f in frame.schema]
    assert bad.columns == [*frame.columns, "why"]
    assert good.sparkSession is bad.sparkSession is frame.sparkSession
    assert sorted(row[0] for row in good.collect()) == [n for n in range(40) if n % 4]
    told = [[(row["id"], one["level"]) for one in row["why"]] for row in bad.sort("id").collect()]
    assert told == [[(n, "error")] for n in range(0, 40, 4)]
    # A file for each part of each task: nothing is moved between them.
    assert len([*(tmp_path / "parts").rglob("*.parquet")]) == 6
    assert {row["why"][0]["level"] for row in spark.read.parquet(str(tmp_path / "parts")).where("id > 37").collect()} == {"warning"}
    with pytest.raises(DeliveryError, match="is there already, and nothing is written"):
        run.split(frame, to=tmp_path / "parts")
    with pytest.raises(UsageError, match="written as Parquet"):
        run.split(frame, to=f"delta:{tmp_path / 'more'}")
    boom = frame.selectExpr("*", "cast(raise_error('boom') as string) as e")
    # Spark 3.5 does not say whose fault it is.
    why = rf"could not be written: {'boom' if older_than('4.0') else r'.USER_RAISED_EXCEPTION. boom. The fault is in the rows'}"
    with pytest.raises(DeliveryError, match=why):
        run.split(boom, to=tmp_path / "more")
    with pytest.raises(DeliveryError, match=why), whole(str(tmp_path / "more")) as folder:
        SparkRows(boom).write_bad(row_rules(run.verdicts), folder, {})
    with pytest.raises(DeliveryError, match=r'x:///y could not be written: No FileSystem for scheme "x"\. Check space, permissions'):
        run.split(frame, to="x:///y")
    nothing = run.split(frame.where("id < 0"), to=tmp_path / "none")
    assert [(part.count(), part.columns[:4]) for part in nothing] == [(0, frame.columns)] * 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["none", "parts"]


def test_rows_are_not_sorted_to_be_split(spark: Any, tmp_path: Path) -> None:
    """Spark's task sorts once it has as many files open as it may: a sort of more than two rows would go to the disk here."""
    frame, context = spark.range(0, 40, 1, 1).selectExpr("nullif(id % 4, 0) as a"), spark._jsc.sc()
    run, often = avh.check(frame, [c.is_complete("a")]), "spark.shuffle.spill.numElementsForceSpillThreshold"
    context.conf().set(often, "2")
    try:
        run.split(frame, to=tmp_path / "parts")
    finally:
        context.conf().remove(often)
    stages = context.statusStore()
    (stage,) = stages.job(max(jobs_of(spark))).stageIds().mkString(",").split(",")
    assert (stages.lastStageAttempt(int(stage)).outputRecords(), stages.lastStageAttempt(int(stage)).diskBytesSpilled()) == (40, 0)


def test_code_of_judged_rows_is_compiled_once(spark: Any, tmp_path: Path) -> None:
    """A second look by the same rules (a stream's next batch, the other part of a split) costs half of the first for it."""
    frame = spark.range(100)
    run = avh.check(frame, [c.is_in_range("id", 0, 37)])
    run.rows(frame).write.parquet(str(tmp_path / "first"))
    compiled = spark._jvm.org.apache.spark.metrics.source.CodegenMetrics.METRIC_COMPILATION_TIME()
    before = compiled.getCount()
    run.rows(frame).write.parquet(str(tmp_path / "again"))
    assert compiled.getCount() == before


def test_java_compiles_the_code_of_many_rules(spark: Any) -> None:
    """All rules in one method were beyond 8,000 bytes, which Java never compiles: each row took eight times as long."""
    # The rows are joined with ids that occur twice, which are known of the frame that is checked.
    frame, same = (spark.range(100).selectExpr("id", *(f"nullif(cast(id as int), {k}) as a{k}" for k in range(15))) for _ in range(2))
    ranges = [c.is_in_range(f"a{k}", 0, high) for k in range(15) for high in (37, 60, 99)]
    many = [*ranges, c.is_contained_in("a1", [1, 2], where="a2 > 3"), c.is_less_than("a1", "a2", where="a2 > 3"), c.is_unique("id")]
    plan = avh.check(frame, many).rows(same)._jdf.queryExecution().executedPlan()
    plan.execute().count()
    code = spark._jvm.org.apache.spark.sql.execution.debug
    stages = getattr(getattr(code, "package$"), "MODULE$").codegenStringSeq(plan.executedPlan())
    largest = max(stages.apply(k)._3().maxMethodCodeSize() for k in range(stages.size()))
    assert 1_000 < largest < 8_000


def test_conditions_that_cannot_be_told_again_are_refused(spark: Any) -> None:
    rules = [c.satisfies(text) for text in ("rand() < 0.5", "uuid() > '8'", "1 = 1")]
    run = avh.check(spark.range(3), rules)
    assert [verdict.status for verdict in run.verdicts] == ["not_evaluated"] * 3


def test_what_passes_costs_no_job_and_a_wrong_table_is_told(spark: Any) -> None:
    frame = spark.range(5).selectExpr("id", "'x' as FAILED")
    before = jobs_of(spark)
    run = avh.check(frame, [c.is_complete("id"), c.is_in_range("id", 0, 9), c.has(of.minimum("id"), at_least=0)])
    assert (run.status, len(jobs_of(spark) - before)) == ("pass", 1)
    with pytest.raises(UsageError, match="has a column 'failed' already"):
        run.rows(frame)
    assert run.rows(frame, name="why").columns == ["id", "FAILED", "why"]
    with pytest.raises(UsageError, match=r"with name `id` cannot be resolved.* Give the table that was checked"):
        run.rows(spark.range(5).toDF("idx"))


def test_samples_are_the_first_of_all_tasks(spark: Any) -> None:
    frame = spark.range(0, 1_000, 1, 4).selectExpr("cast(id as string) as x")
    run = avh.check(frame, [c.has_pattern("x", "^[0-9]{1,2}$")])
    assert (run.verdicts[0].failing, run.verdicts[0].samples) == (900, ("100", "101", "102", "103", "104"))
    assert avh.check(frame, [c.has_pattern("x", "^[0-9]{1,2}$")], samples=False).verdicts[0].samples == ()


VALUES: dict[str, tuple[pa.DataType, list[Any]]] = {
    "yes": (pa.bool_(), [True, False, None]),
    "price": (pa.decimal128(20, 8), [Decimal("0.00000001"), Decimal("1.5"), None]),
    "at": (pa.timestamp("us", "Europe/Paris"), [datetime(2024, 1, 2, 3, 4, 5, 600_000, UTC), datetime(2024, 1, 2, tzinfo=UTC), None]),
    "written": (pa.timestamp("us"), [datetime(2024, 1, 2, 3, 4, 5, 600_000), datetime(2024, 1, 2, 10, 20), None]),  # noqa: DTZ001
    "day": (pa.date32(), [date(1, 1, 1), date(2024, 1, 2), None]),
    "double": (pa.float64(), [math.nan, -math.inf, None]),
    "large": (pa.float64(), [1e20, 12345678.9, -0.0]),
    "small": (pa.float32(), [0.1, 16_777_216.0, 1e-7]),
    "raw": (pa.binary(), [b"a\xff", b"", None]),
    "text": (pa.string(), ["é" * 300, "null", "a\n"]),
}


def test_samples_read_the_same_of_every_engine(spark: Any) -> None:
    table = pa.table({"k": pa.array([-1] * 3)} | {name: pa.array(values, kind) for name, (kind, values) in VALUES.items()})
    rules = [c.satisfies(f"k > 0 or {name} is null and k > 0") for name in VALUES] + [c.satisfies("day is null and k > 0")]
    rules += [c.is_contained_in("double", [1.5]), c.is_contained_in("text", ["x"])]
    frame = frame_of(spark, table)
    local, there = avh.check(table, rules), avh.check(frame, rules)
    told = [(verdict.failing, verdict.samples) for verdict in local.verdicts]
    assert [(verdict.failing, verdict.samples) for verdict in there.verdicts] == told
    shown = {name: [sample.removeprefix(f"k=-1, {name}=") for sample in samples] for name, (_, samples) in zip(VALUES, told, strict=False)}
    assert shown == {
        "yes": ["false", "null", "true"],
        "price": ["0.00000001", "1.50000000", "null"],
        "at": ["2024-01-02 00:00:00", "2024-01-02 03:04:05.6", "null"],
        "written": ["2024-01-02 03:04:05.6", "2024-01-02 10:20:00", "null"],
        "day": ["0001-01-01", "2024-01-02", "null"],
        "double": ["-Infinity", "NaN", "null"],
        "large": ["0", "100000000000000000000", "12345678.9"],
        "small": ["0.1", "16777216", "1e-07"],
        "raw": ["b''", "b'a\\xff'", "null"],
        "text": ["a\n", "null", "é" * (200 - len("k=-1, text="))],
    }


def test_samples_of_texts_that_are_no_utf_8(spark: Any) -> None:
    frame = spark.sql("select cast(unhex('61FF') as string) as x")
    (verdict,) = avh.check(frame, [c.is_contained_in("x", ["a"])]).verdicts
    assert (verdict.failing, verdict.samples) == (1, ("a\ufffd",))


def test_points_in_time_are_held_against_bounds_as_they_are_measured(spark: Any) -> None:
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    try:
        frame = spark.sql("""
            select date'2024-01-02' as d, timestamp'2024-01-02 00:00:00Z' as t, timestamp_ntz'2024-01-02 00:00:00' as n
            union all select date'2024-01-01', timestamp'2024-01-01 23:59:59Z', timestamp_ntz'2024-01-01 23:59:59'
        """)
        run = avh.check(frame, [c.has(of.minimum(name), at_least=1_704_153_600) for name in "dtn"])
        assert [v.failing for v in run.verdicts] == [1, 1, 1]
        same = avh.check(arrow_of(frame), [c.has(of.minimum(name), at_least=1_704_153_600) for name in "dtn"])
        assert [v.failing for v in same.verdicts] == [1, 1, 1]
    finally:
        spark.conf.unset("spark.sql.session.timeZone")


def test_conditions_of_tables_in_memory_that_take_spark(spark: Any) -> None:
    frame = pd.DataFrame({"A": ["x", "y", None], "n": [1, 2, 3]}, index=[5, 6, 7])
    run = avh.check(frame, [c.satisfies("sha1(a) = sha1('x')"), c.is_in_range("n", 2, 9)])
    assert [(v.status, v.failing, v.samples) for v in run.verdicts] == [("fail", 1, ("y",)), ("fail", 1, ("1",))]
    good, bad = run.split(frame)
    assert (list(good.index), list(bad.index)) == ([7], [5, 6])


def test_a_session_without_delta_says_so_before_anything_is_written(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="The Spark session has no Delta"):
        can_keep(spark.range(1), f"delta:{tmp_path / 'bad'}")
    with pytest.raises(UsageError, match="has no Delta"):
        SparkRows(spark.range(1)).write_bad((), f"delta:{tmp_path / 'bad'}", {})
    assert list(tmp_path.iterdir()) == []
    can_keep(spark.range(1), str(tmp_path))


def test_check_digits_are_told_row_by_row(spark: Any) -> None:
    rule = RowRule(0, "issn", "c is no ISSN", "error", Conforms("c", anchored(marked("issn"))))
    frame = spark.createDataFrame([("0317-8471",), ("0317-8472",), ("x",), (None,), ("",)], "c string").coalesce(1)
    ansi = spark.conf.get("spark.sql.ansi.enabled")
    with apart(frame) as rows:  # whose session is a copy: answers set what it is judged by
        answers = Answers.of(rows, [rule], Watch())
        assert [row[0] for row in answers.frame.select(answers.fails(rule)).collect()] == [False, True, True, False, False]
    assert spark.conf.get("spark.sql.ansi.enabled") == ansi


def test_values_of_failing_rows_are_counted_as_without_spark(spark: Any) -> None:
    rows = pa.table({
        "v": pa.array([None if k % 3 == 0 else k for k in range(60)], pa.int64()),
        "pay": pa.array([[None, "card", "é", ""][k % 4] for k in range(60)]),
        "gift": pa.array([[True, None, False][k % 3] for k in range(60)]),
    })  # fmt: skip
    rows = rows.append_column("code", pa.array([k % 2 for k in range(60)])).append_column("long", pa.array(range(60)))
    run = avh.check(rows, [c.is_complete("v"), c.satisfies("v > 20 or gift"), c.satisfies("code > long")])
    rules, among = row_rules(run.verdicts), ("pay", "gift", "gone")
    there = SparkRows(frame_of(spark, rows).repartition(3)).found(rules, Watch(), among)
    here = ArrowRows(rows).found(rules, Watch(), among)
    assert {place: (one.rows, dict(one.values), dict(one.own)) for place, one in there.by_place.items()} == {
        place: (one.rows, one.values, one.own) for place, one in here.by_place.items()
    }
    # What the rule itself names tells nothing of its rows.
    assert [sorted(here.by_place[place].values) for place in (0, 1)] == [["gift", "pay"], ["pay"]]
    # Of the columns that it compares those of few values are counted, whatever a task has seen of them.
    assert [sorted(here.by_place[place].own) for place in (0, 1, 2)] == [[], ["gift", "v"], ["code", "long"]]
    assert here.by_place[0].values["gift"] == {"true": 20}
