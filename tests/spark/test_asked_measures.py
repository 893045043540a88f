"""What a pipeline asks for beside the metrics of its columns is measured in the profile's own scan, and kept as columns are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.program import SchemaConstraint
from avh_ui.history.views import view
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profile import ColumnProfile, merge_columns
from avh_ui.metrics.profiler import KnownTypes, Watch
from avh_ui.spark.analysis import analyze
from avh_ui.spark.profiler import SparkProfiler, profile_frame
from avh_ui.store.history_files import HistoryFiles
from avh_ui.validator.schema_drift import schema_of
from avh_ui.validator.validate import validate
from avh_ui.workflows.frames import profile_table
from tests.fakes.builders import program
from tests.fakes.history import FakeHistory
from tests.spark.conftest import jobs_of, profiled, run

Make = Callable[..., SparkProfiler]
ASKED = [
    {"name": "completeness", "columns": ["a"], "where": "b > 0"},
    {"name": "mean", "columns": ["a"], "where": "b > 0"},
    {"name": "compliance", "parameters": {"predicate": "a < b"}},
    {"name": "compliance", "where": "s = 'x'", "parameters": {"predicate": "a < b"}},
    {"name": "size", "where": "s = 'x'"},
    {"name": "js_div", "columns": ["s"], "where": "a IS NOT NULL"},
]
PARQUET = {"source": {"path": "in/{batch}.parquet"}, "measures": ASKED}


def rows(k: int) -> dict[str, Any]:
    return {
        "a": pa.array([None if r % 5 == 0 else float(r + k) for r in range(60)]),
        "b": pa.array([r % 7 - 1 for r in range(60)], pa.int64()),
        "s": pa.array(["xyz"[r % 3] for r in range(60)]),
    }


def expected(k: int) -> dict[str, ColumnProfile]:
    """By plain Python."""
    every = list(zip(*(column.to_pylist() for column in rows(k).values()), strict=True))
    smaller = [None if a is None else a < b for a, b, _ in every]
    return {
        "a where b > 0": ColumnProfile.from_arrow("", pa.array([a for a, b, _ in every if b > 0], pa.float64())),
        "a < b": ColumnProfile.from_arrow("", pa.array(smaller, pa.bool_())),
        "a < b where s = 'x'": ColumnProfile.from_arrow("", pa.array([t for t, (_, _, s) in zip(smaller, every, strict=True) if s == "x"])),
        "rows where s = 'x'": ColumnProfile.from_arrow("", pa.array([True for *_, s in every if s == "x"])),
        "s where a IS NOT NULL": ColumnProfile.from_arrow("", pa.array([s for a, _, s in every if a is not None])),
    }


def test_they_are_measured_in_the_same_scan(profiler: Make, write: Callable[..., Any], spark: Any) -> None:
    """Whoever reads the rows, and evaluates the conditions."""
    for k in range(2):
        write(f"in/{k}.parquet", rows(k))
    for reader in ("spark", "arrow"):
        source, jobs = {**PARQUET["source"], "reader": reader}, [len(jobs_of(spark))]
        for pipeline in ({"source": source}, {"source": source, "measures": ASKED}):
            results = run(profiler(**pipeline))
            jobs.append(len(jobs_of(spark)))
        assert jobs[2] - jobs[1] == jobs[1] - jobs[0]
        for k in range(2):
            profile = profiled(results[str(k)])
            assert profile.asked == tuple(expected(k))
            assert str(profile.extra["reader"]).lower().startswith(reader)
            for name, oracle in expected(k).items():
                assert profile.columns[name].single_metrics() == pytest.approx(oracle.single_metrics(), nan_ok=True), name
            assert [c.name for c in schema_of(profile)] == ["a", "b", "s"]
    # The states of parts give those of the union.
    history = FakeHistory()
    for result in results.values():
        history.save(profiled(result))
    for name in expected(0):
        oracle = merge_columns([expected(0)[name], expected(1)[name]])
        assert view(history, "t").metrics(name) == pytest.approx(oracle.single_metrics(), nan_ok=True)


def test_of_segments_and_of_csv(profiler: Make, tmp_path: Any) -> None:
    (tmp_path / "in").mkdir()
    lines = [f"{r % 4},{'xy'[r % 2]},{r}" for r in range(40)]
    (tmp_path / "in" / "1.csv").write_text("\n".join(["n,s,m", *lines]), encoding="utf-8")
    source = {"path": "in/{batch}.csv", "format": "csv", "options": {"header": "true"}}
    found = profiled(run(profiler(source=source, segments=["s"], measures=[{"name": "mean", "columns": ["m"], "where": "n = 3"}]))["1"])
    mean = {segment.label: part.columns["m where n = 3"].single_metrics()["mean"] for segment, part in found.segments.items()}
    assert found.columns["m where n = 3"].single_metrics()["row_count"] == 10
    assert mean["s=y"] == found.columns["m where n = 3"].single_metrics()["mean"] == 21


def test_a_cast_that_fails_beside_arithmetic_is_null_and_takes_no_batch_with_it(profiler: Make, tmp_path: Path) -> None:
    """What may overflow is in ANSI mode until it was tried, and there a text that is no date raises."""
    (tmp_path / "1.csv").write_text("day,n\n22.09.2026,1\n2026-09-22,2\n", encoding="utf-8")
    source = {"path": "{batch}.csv", "format": "csv", "options": {"header": "true"}, "reader": "spark"}
    late = {"name": "compliance", "parameters": {"predicate": "to_date(day) <= date'2026-09-30' - interval 1 day"}}
    found = profiled(run(profiler(source=source, measures=[late]))["1"])
    assert found.rows == 2
    assert found.columns[found.asked[0]].single_metrics()["compliance"] == 0.5


def test_what_cannot_be_measured_is_said_and_costs_nothing_else(profiler: Make, write: Callable[..., Any]) -> None:
    write("in/1.parquet", rows(0))
    wrong = [
        {"name": "mean", "columns": ["gone"], "where": "b > 0"},
        {"name": "mean", "columns": ["a"], "where": "nonsense("},
        {"name": "compliance", "parameters": {"predicate": "missing = 1"}},
    ]
    found = profiled(run(profiler(source=PARQUET["source"], measures=[*wrong, ASKED[0]]))["1"])
    assert found.asked == ("a where b > 0",)
    notes = " ".join(found.notes)
    assert "gone where b > 0 is not measured: there is no column 'gone'" in notes
    assert "'nonsense(' is no SQL condition" in notes
    assert "There is no column 'missing'" in notes
    raising = {"name": "compliance", "parameters": {"predicate": "raise_error(s) IS NULL"}}
    found = profiled(run(profiler(source=PARQUET["source"], measures=[raising]))["1"])
    assert (found.asked, list(found.columns)) == ((), ["a", "b", "s"])
    assert "raise_error(s) IS NULL is not measured" in " ".join(found.notes)
    assert found.extra["reader"] == "Spark, because the condition 'raise_error(s) IS NULL' takes Spark (it calls raise_error)"
    # A number that may overflow is seen when it comes, and its batch is read once more.
    late = {"name": "compliance", "parameters": {"predicate": "b + 9223372036854775807 > a"}}
    found = profiled(run(profiler(source=PARQUET["source"], measures=[late, ASKED[0]]))["1"])
    assert (found.asked, "overflows" in str(found.extra["reader"])) == (("a where b > 0",), True)
    # Where Spark's reader may not be asked each of them is left out alone; what overflows, of its batch.
    write("in/2.parquet", {**rows(0), "b": pa.array([0] * 60, pa.int64())})
    for result in run(profiler(source={**PARQUET["source"], "reader": "arrow"}, measures=[raising, late, ASKED[0]])).values():
        found, overflows = profiled(result), result.batch == "1"
        assert found.asked == (("a where b > 0",) if overflows else (late["parameters"]["predicate"], "a where b > 0"))
        assert "(it calls raise_error); `engine: auto` and `reader: auto`" in " ".join(found.notes)
        assert ("overflow" in " ".join(found.notes)) == overflows


def test_a_program_asks_for_what_it_constrains(spark: Any) -> None:
    measure = Measure.of("complete_ratio", "a", "b > 0")
    constraint = Constraint(measure.subject, measure.name, "numeric", 0.9, 1.0, measure=measure)
    rules = program("t", constraints=(constraint,), schema=SchemaConstraint((), level="off"))
    frame = spark.createDataFrame(pa.table(rows(0)).to_pandas())
    profile = profile_frame(frame, "t", "1", KnownTypes(measures=rules.measures))
    told = validate(rules, profile, FakeHistory()).verdicts[0]
    assert told.observed == pytest.approx(expected(0)[measure.subject].single_metrics()["complete_ratio"])
    assert told.message.startswith("19% of a are null where b > 0, above the upper bound 10%.")
    untold = validate(rules, profile_frame(frame, "t", "1"), FakeHistory()).verdicts[0]
    assert (untold.status, "it was not measured on this batch" in untold.message) == ("not_evaluated", True)


MORE = [
    {"name": "correlation", "columns": ["a", "b"]},
    {"name": "uniqueness", "columns": ["b", "s"]},
    {"name": "uniqueness", "columns": ["s"], "where": "b > 3"},
    {"name": "entropy", "columns": ["s"]},
    {"name": "skewness", "columns": ["a"]},
    {"name": "approx_quantile", "columns": ["a"], "parameters": {"quantile": 0.9}},
    {"name": "zeros_count", "columns": ["b"], "where": "a > 100"},
    {"name": "pattern_match", "columns": ["s"], "parameters": {"pattern": "[xy]"}},
    {"name": "ratio_of_sums", "columns": ["a", "b"], "where": "s = 'x'"},
    {"name": "mutual_information", "columns": ["b", "s"]},
    {"name": "min_length", "columns": ["s"], "parameters": {"nulls": "fail"}},
    {"name": "copied_rows", "columns": ["b", "s"]},
    {"name": "copied_rows", "columns": ["a", "b"], "where": "b > 3"},
]
KEPT = [Measure.of(m["name"], m["columns"], m.get("where"), **m.get("parameters", {})) for m in MORE]


def test_every_measure_has_a_history(profiler: Make, write: Callable[..., Any], spark: Any, tmp_path: Any) -> None:
    """What a profile keeps of a measure is what measuring the batch gives, on Spark and off, and after storing."""
    for k in range(2):
        write(f"in/{k}.parquet", rows(k))
    history = HistoryFiles(str(tmp_path / "history"))
    for k, result in run(profiler(source=PARQUET["source"], measures=MORE)).items():
        profile = profiled(result)
        history.save(profile)
        stored, table = history.load("t", k), pa.table(rows(int(k)))
        expected = analyze(spark.createDataFrame(table.to_pandas().astype({"s": "object"})), KEPT).results
        memory = profile_table(table, "t", k, KnownTypes(measures=tuple(KEPT)))
        for measure in KEPT:
            value = expected[measure].value
            for found in (profile, stored, memory):
                got = found.columns[measure.subject].single_metrics()[measure.name]
                assert got == pytest.approx(value, rel=1e-9), measure
    series = history.history("t")
    assert {(m.subject, m.name) for m in KEPT} <= {(c.column, name) for c in series.columns.values() for name in c.values}
    assert not any(np.isnan(series.columns[m.subject].values[m.name]).any() for m in KEPT if m.name != "zeros_count")
    # Groups of parts do not add up, sketches do.
    both = view(history, "t")
    assert "uniqueness" not in both.metrics("b, s")
    assert both.metric("a, quantile=0.9", "approx_quantile") > 0


def test_a_program_of_measures_is_judged(profiler: Make, write: Callable[..., Any]) -> None:
    write("in/1.parquet", rows(0))
    constraints = tuple(
        Constraint(m.subject, m.name, kind, low, high, measure=m)
        for m, kind, low, high in (
            (KEPT[0], "rows", -1, 1), (KEPT[1], "rows", 0.5, 1), (KEPT[3], "string", 2, 3), (KEPT[5], "numeric", 0, 100),
            (KEPT[7], "boolean", 0.5, 1),
        )
    )  # fmt: skip
    known = KnownTypes(measures=tuple(c.measure for c in constraints))
    profile = profiled(next(iter(profiler(source=PARQUET["source"]).profile("t", ["1"], Watch(), known))))
    statuses = [v.status for v in validate(replace(program(), constraints=constraints), profile, FakeHistory()).verdicts]
    assert statuses == ["pass", "fail", "fail", "pass", "pass"]


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"name": "mode", "columns": ["a"]}, "There is no metric 'mode'"),
        ({"name": "histogram", "columns": ["a"]}, "no single number"),
        ({"name": "exact_quantile", "columns": ["a"], "parameters": {"quantile": 0.5}}, "does not follow from the states of parts"),
        ({"name": "correlation", "columns": ["a", "s"]}, "needs a column of numbers"),
        ({"name": "approx_quantile", "columns": ["a"]}, "quantile of approx_quantile must be from 0 to 1"),
        (
            {"name": "pattern_match", "columns": ["s"], "parameters": {"pattern": "("}},
            "must be a regular expression, its sets and groups closed",
        ),
    ],
    ids=str,
)
def test_a_measure_that_cannot_be_kept_says_why(profiler: Make, write: Callable[..., Any], asked: dict[str, Any], why: str) -> None:
    write("in/1.parquet", rows(0))
    found = profiled(run(profiler(source=PARQUET["source"], measures=[asked]))["1"])
    assert why in " ".join(found.notes)
    assert list(found.columns) == ["a", "b", "s"]


def test_measures_of_a_file_without_types(profiler: Make, tmp_path: Any) -> None:
    (tmp_path / "in").mkdir()
    lines = [f"{r % 4},{'xy'[r % 2]},{r}" for r in range(40)]
    (tmp_path / "in" / "1.csv").write_text("\n".join(["n,s,m", *lines]), encoding="utf-8")
    source = {"path": "in/{batch}.csv", "format": "csv", "options": {"header": "true"}}
    asked = [
        {"name": "correlation", "columns": ["n", "m"]},
        {"name": "approx_quantile", "columns": ["m"], "parameters": {"quantile": 0.5}},
        {"name": "zeros_count", "columns": ["n"]},
        {"name": "zeros_count", "columns": ["s"]},
    ]
    columns = profiled(run(profiler(source=source, measures=asked))["1"]).columns
    expected = np.corrcoef([r % 4 for r in range(40)], range(40))[0, 1]
    assert columns["n, m"].single_metrics()["correlation"] == pytest.approx(expected)
    assert columns["m, quantile=0.5"].single_metrics()["approx_quantile"] == 19
    assert columns["n"].single_metrics()["zeros_count"] == 10
    # A column of texts has none.
    assert "zeros_count" not in columns["s"].single_metrics()


@pytest.mark.parametrize(
    "source", [{"path": "in/{batch}"}, {"path": "in/{batch}/0.parquet"}, {"path": "in", "batch_column": "day"}], ids=str
)
def test_groups_are_those_of_a_whole_batch(profiler: Make, write: Callable[..., Any], source: dict[str, str]) -> None:
    """Whichever files its rows are in, and whatever other batches are measured with it."""
    files = [["a", "b", "b"], ["b", "c", "a", "a"]][: 1 if source["path"].endswith("parquet") else None]
    for batch in "12":
        for k, texts in enumerate(files):
            write(f"in/{'day=' if 'batch_column' in source else ''}{batch}/{k}.parquet", {"s": texts + ["d"] * int(batch)})
    asked = [{"name": "uniqueness", "columns": ["s"]}, {"name": "count_distinct", "columns": ["s"]}]
    results = run(profiler(source=source, measures=asked))
    for batch in "12":
        every = [s for texts in files for s in texts + ["d"] * int(batch)]
        metrics = profiled(results[batch]).columns["s"].single_metrics()
        singles = sum(every.count(s) == 1 for s in every) / len(every)
        assert (metrics["uniqueness"], metrics["count_distinct"]) == (singles, len(set(every)))


def test_texts_are_computed_with_as_numbers_where_nothing_overflows(profiler: Make, tmp_path: Path) -> None:
    """ANSI mode, in which what may overflow is tried, understands no product of two texts."""
    (tmp_path / "1.csv").write_text("price,qty,total\n1.5,2,3\n2,2,4\n2,x,4\n", encoding="utf-8")
    source = {"path": "{batch}.csv", "format": "csv", "options": {"header": "true"}}
    right = {"name": "compliance", "parameters": {"predicate": "price * qty = total"}}
    found = profiled(run(profiler(source=source, measures=[right]))["1"])
    assert found.columns[found.asked[0]].single_metrics()["compliance"] == pytest.approx(2 / 3)
