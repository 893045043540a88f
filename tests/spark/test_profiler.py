"""The Spark engine gives the states of the NumPy kernel, batch by batch, and says which batches it could not read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.errors import BatchNotFoundError, CancelledError, EmptyBatchError, SourceError
from avh_ui.metrics.content import content_of
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.profiler import FailedBatch, KnownTypes, Progress, Watch
from avh_ui.spark.profiler import SparkProfiler, profile_frame
from tests.spark.conftest import jobs_of, profiled, run

Make = Callable[..., SparkProfiler]
Write = Callable[[str, dict[str, Any]], Path]
PARQUET = {"source": {"path": "in/{batch}.parquet"}}
# What pandas writes by default.
NANOS, MICROS = pa.array([1_700_000_000_123_456_789, 1_700_000_000_123_456_001, None], pa.timestamp("ns")), pa.timestamp("us")
HOSTILE = ["a.b", "a b", "`tick`", 'q"uote', "li\nne", "Name", "name", "naïve ✓", "'; drop", "{batch}", "c0"]


def same_metrics(ours: ColumnProfile, expected: ColumnProfile) -> None:
    a, b = ours.single_metrics(), expected.single_metrics()
    assert a.keys() == b.keys()
    np.testing.assert_allclose(list(a.values()), list(b.values()), rtol=1e-12)


def test_spark_and_numpy_give_the_same_states(profiler: Make, write: Write) -> None:
    rng = np.random.default_rng(1)
    tables = {}
    for batch in ("2024-01-01", "2024-01-02", "2024-01-03"):
        tables[batch] = {
            "i": pa.array(rng.integers(-5, 500, 700)),
            "f": pa.array(rng.normal(size=700)),
            "d": pa.array(rng.integers(0, 99, 700)).cast(pa.decimal128(21, 2)),
            "s": pa.array(rng.choice(["a", "B-1", "", None, "ü"], 700).tolist(), pa.string()),
            "b": pa.array([True, None] * 350),
            "t": pa.array(rng.integers(0, 10**15, 700), pa.timestamp("us", "UTC")),
            "day": pa.array(rng.integers(0, 20_000, 700), pa.int32()).cast(pa.date32()),
        }
        write(f"in/{batch}.parquet", tables[batch])
    results = run(profiler(**PARQUET))
    assert list(results) == list(tables)
    for batch, columns in tables.items():
        profile = profiled(results[batch])
        assert profile.rows == 700
        assert {c.name: c.kind for c in profile.columns.values()} == {
            "i": "numeric", "f": "numeric", "d": "numeric", "s": "string", "b": "boolean", "t": "temporal", "day": "temporal",
        }  # fmt: skip
        for name, values in columns.items():
            same_metrics(profile.columns[name], ColumnProfile.from_arrow(name, values))


def test_a_type_that_spark_does_not_read_fails_its_batches_alone(profiler: Make, write: Write) -> None:
    write("in/1.parquet", {"x": pa.array([1])})
    write("in/2.parquet", {"t": NANOS})
    results = run(profiler(source={**PARQUET["source"], "reader": "spark"}))
    assert profiled(results["1"]).rows == 1
    assert isinstance(results["2"], FailedBatch)
    assert "Spark does not read times in nanoseconds: name the Parquet files by `path`" in results["2"].reason


def test_nanoseconds_as_pandas_writes_them_are_read_by_arrow_alone(profiler: Make, write: Write) -> None:
    columns = {"t": NANOS, "u": NANOS.cast(pa.timestamp("ns", "UTC")), "x": pa.array([1, 2, None])}
    write("in/2024-02-05.parquet", columns)
    micros = {"t": NANOS.cast(MICROS, safe=False), "u": NANOS.cast(pa.timestamp("us", "UTC"), safe=False), "x": columns["x"]}
    # The condition takes Spark, which is then given the rows that Arrow reads.
    for more in ({}, {"measures": [{"name": "mean", "columns": ["x"], "where": "date_format(t, 'yyyy') = '2023'"}]}):
        engine = profiler(**PARQUET, **more)
        profile = profiled(run(engine)["2024-02-05"])
        for name, values in micros.items():
            same_metrics(profile.columns[name], ColumnProfile.from_arrow(name, values))
    assert engine.sample("t", "2024-02-05", 9, 1).to_pydict() == pa.table(micros).to_pydict()
    cut = profiler(source={"path": "in/2024-02-05.parquet", "batch": "date(t)"})
    assert cut.batches("t") == ["2023-11-14"]
    assert profiled(run(cut)["2023-11-14"]).rows == 2
    assert cut.sample("t", "2023-11-14", 9, 1).num_rows == 2


@pytest.mark.parametrize("several", [{}, {"multiLine": "true", "escape": '"'}])
def test_lines_above_the_names_are_passed_over_where_rows_take_spark_too(several: dict[str, str], profiler: Make, tmp_path: Path) -> None:
    rows = "id,price\n" + "".join(f"{n},{n}.5\n" for n in range(20)) + "1\n"
    (tmp_path / "rows.csv").write_text(rows)
    (tmp_path / "titled.csv").write_text(f"Sales, of 'North'\n\n{rows}")
    taken = [{"name": "mean", "columns": ["price"], "where": "date_format(cast(id as timestamp), 'yyyy') is null"}]
    source = {"format": "csv", "path": "{batch}.csv", "options": {"header": "true", **several}}
    (plain,), (titled,) = (
        run(profiler(source={**source, **more}, measures=taken), [batch]).values()
        for batch, more in (("rows", {}), ("titled", {"skip_lines": 2}))
    )
    assert content_of(profiled(titled)) == content_of(profiled(plain))
    assert profiled(titled).delivery is not None
    assert profiled(titled).delivery.malformed_rows == 1
    refused = run(
        profiler(source={**source, "skip_lines": 2, "options": {"header": "true", "ignoreTrailingWhiteSpace": "true"}}), ["titled"]
    )["titled"]
    assert isinstance(refused, FailedBatch)
    assert "its options name ignoreTrailingWhiteSpace alone; and Spark's reader passes over no lines." in refused.reason


def test_a_batch_may_be_a_folder_of_part_files(profiler: Make, write: Write) -> None:
    for part in range(3):
        write(f"in/day=7/part-{part}.parquet", {"x": pa.array([part, part + 1])})
    write("in/day=8/part-0.parquet", {"x": pa.array([5])})
    results = run(profiler(source={"path": "in/day={batch}"}))
    assert {b: profiled(r).rows for b, r in results.items()} == {"7": 6, "8": 1}
    assert profiled(results["7"]).columns["x"].single_metrics()["sum"] == 9


def test_batches_in_a_column(profiler: Make, write: Write) -> None:
    write("in/all.parquet", {"day": pa.array(["b9", "b10", "b10"]), "x": pa.array([1, 2, 3])})
    engine = profiler(source={"path": "in/all.parquet", "batch_column": "day"})
    assert engine.batches("t") == ["b9", "b10"]
    results = run(engine)
    assert profiled(results["b10"]).columns["x"].single_metrics()["mean"] == 2.5


def test_hostile_column_names(profiler: Make, write: Write) -> None:
    write("in/1.parquet", {name: pa.array([i, None]) for i, name in enumerate(HOSTILE)})
    profile = profiled(run(profiler(**PARQUET))["1"])
    assert list(profile.columns) == HOSTILE
    assert [c.single_metrics()["max"] for c in profile.columns.values()] == list(range(len(HOSTILE)))


def test_a_batch_that_cannot_be_read_stops_no_other(profiler: Make, write: Write, tmp_path: Path) -> None:
    write("in/1.parquet", {"x": pa.array([1])})
    write("in/3.parquet", {"x": pa.array([], pa.int64())})
    write("in/5.parquet", {"x": pa.array([1, 2])})
    (tmp_path / "in/2.parquet").write_bytes(b"this is no parquet file")
    (tmp_path / "in/4.parquet").touch()
    results = run(profiler(**PARQUET), ["1", "2", "3", "4", "5", "6"])
    assert {b for b, r in results.items() if isinstance(r, FailedBatch)} == {"2", "3", "4", "6"}
    reasons = {b: r.reason for b, r in results.items() if isinstance(r, FailedBatch)}
    assert "2.parquet is no Parquet: it looks like plain text. Deliver it as Parquet." in reasons["2"]
    assert "has no rows" in reasons["3"]
    assert "0 bytes" in reasons["4"]
    assert "is not at" in reasons["6"]


def test_a_file_that_breaks_while_it_is_read_is_told_from_its_neighbours(profiler: Make, write: Write) -> None:
    for batch in ("1", "2", "3"):
        path = write(f"in/{batch}.parquet", {"x": pa.array(np.random.default_rng(0).normal(size=5_000))})
    whole = path.with_name("2.parquet").read_bytes()
    # The footer stays readable; the data pages are garbage.
    path.with_name("2.parquet").write_bytes(whole[:4] + b"\xff" * 30_000 + whole[30_004:])
    results = run(profiler(**PARQUET))
    assert isinstance(results["2"], FailedBatch)
    assert profiled(results["1"]).rows == profiled(results["3"]).rows == 5_000


def test_batches_with_other_columns_keep_their_own(profiler: Make, write: Write) -> None:
    write("in/1.parquet", {"x": pa.array([1]), "y": pa.array(["a"])})
    write("in/2.parquet", {"x": pa.array(["1"]), "y": pa.array(["a"])})
    write("in/3.parquet", {"x": pa.array([1]), "z": pa.array([0.5])})
    results = run(profiler(**PARQUET))
    types = {b: {c.name: c.type for c in profiled(r).columns.values()} for b, r in results.items()}
    assert types == {"1": {"x": "bigint", "y": "string"}, "2": {"x": "string", "y": "string"}, "3": {"x": "bigint", "z": "double"}}


def test_csv_types_are_found_per_batch(profiler: Make, tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("n,code,empty,mixed\n1,07,,1\n2.5,08,,2\n")
    (tmp_path / "2.csv").write_text("n,code,empty,mixed\n3,09,,x\n")
    (tmp_path / "3.csv").write_text("code,n\n10,4\n")
    results = run(profiler(source={"format": "csv", "path": "{batch}.csv", "options": {"header": True}}))
    types = {b: {c.name: c.type for c in profiled(r).columns.values()} for b, r in results.items()}
    assert types["1"] == {"n": "number", "code": "string", "empty": "null", "mixed": "number"}
    assert types["2"] == {"n": "number", "code": "string", "empty": "null", "mixed": "string"}
    assert types["3"] == {"code": "number", "n": "number"}
    assert profiled(results["1"]).columns["n"].single_metrics()["mean"] == 1.75


def test_a_column_of_free_text_does_not_become_numeric_for_a_day(profiler: Make, tmp_path: Path) -> None:
    for day, text in enumerate(["a", "b", "c", "4", "d", "6"]):
        (tmp_path / f"{day}.csv").write_text(f"note,n\n{text},{'x' if day == 2 else day}\n")
    engine = profiler(source={"format": "csv", "path": "{batch}.csv", "options": {"header": True}})
    results = run(engine)
    types = [[c.type for c in profiled(r).columns.values()] for r in results.values()]
    # Three batches of text make `note` text; the one broken batch of `n` does not.
    assert [note for note, _ in types] == ["string"] * 6
    assert [n for _, n in types] == ["number", "number", "string", "number", "number", "number"]
    (alone,) = engine.profile("t", ["3"], Watch(), KnownTypes(texts=frozenset({"n"})))
    assert [c.type for c in profiled(alone).columns.values()] == ["number", "string"]


def test_a_csv_column_is_numeric_only_if_every_part_is(profiler: Make, tmp_path: Path) -> None:
    folder = tmp_path / "b1"
    folder.mkdir()
    (folder / "part-0.csv").write_text("x\n1\n2\n")
    (folder / "part-1.csv").write_text("x\nthree\n")
    column = profiled(run(profiler(source={"format": "csv", "path": "{batch}", "options": {"header": True}}))["b1"]).columns["x"]
    assert (column.type, column.kind) == ("string", "string")
    assert column.single_metrics()["dist_val_count"] == 3


def test_a_path_outside_the_source(profiler: Make, write: Write, tmp_path: Path) -> None:
    write("in/1.parquet", {"x": pa.array([1])})
    other = write("elsewhere/odd name.parquet", {"x": pa.array([1, 2, None])})
    engine = profiler(**PARQUET)
    profile = engine.profile_path("t", str(other), "next", Watch())
    assert (profile.batch, profile.rows) == ("next", 3)
    empty = write("elsewhere/empty.parquet", {"x": pa.array([], pa.int64())})
    with pytest.raises(EmptyBatchError, match="no rows"):
        engine.profile_path("t", str(empty), "next", Watch())
    with pytest.raises(BatchNotFoundError):
        engine.profile_path("t", str(tmp_path / "nothing.parquet"), "next", Watch())
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(SourceError, match="no readable parquet"):
        engine.profile_path("t", str(tmp_path / "bad.parquet"), "next", Watch())


def test_a_sample_is_the_whole_of_a_small_batch_and_repeats_by_seed(profiler: Make, write: Write) -> None:
    write("in/1.parquet", {"x": pa.array(range(1_000)), "a.b": pa.array(["v"] * 1_000)})
    engine = profiler(**PARQUET)
    assert sorted(engine.sample("t", "1", 5_000, 0).column("x").to_pylist()) == list(range(1_000))
    small = engine.sample("t", "1", 100, 7)
    assert small.num_rows == 100
    assert small.column_names == ["x", "a.b"]
    assert small.equals(engine.sample("t", "1", 100, 7))


def test_a_dataframe_is_profiled_like_a_batch(spark: Any) -> None:
    frame = spark.createDataFrame([(1, "a"), (2, None)], "id bigint, `s.t` string")
    profile = profile_frame(frame, "t", "b")
    assert profile.rows == 2
    assert profile.columns["s.t"].single_metrics()["complete_ratio"] == 0.5


def test_progress_is_told_and_a_cancel_keeps_what_is_finished(profiler: Make, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("avh_ui.spark.profiler.CHUNK_BATCHES", 2)
    for batch in range(6):
        write(f"in/{batch}.parquet", {"x": pa.array([batch])})
    seen: list[Progress] = []
    watch = Watch(on_progress=seen.append)
    finished: list[str] = []

    def cancel_after_two() -> None:
        for result in profiler(**PARQUET).profile("t", [str(b) for b in range(6)], watch):
            finished.append(result.batch)
            if len(finished) == 2:
                watch.cancelled.set()

    with pytest.raises(CancelledError):
        cancel_after_two()
    assert finished == ["0", "1"]
    assert seen[0].total == 6
    assert [p.done for p in seen] == sorted(p.done for p in seen)


def test_one_job_measures_all_columns_of_all_batches_of_a_chunk(spark: Any, profiler: Make, write: Write) -> None:
    for batch in range(4):
        write(f"in/{batch}.parquet", {f"n{i}": pa.array([batch, i]) for i in range(10)} | {f"s{i}": pa.array(["a", "b"]) for i in range(5)})
    engine = profiler(**PARQUET)
    batches = engine.batches("t")
    before = jobs_of(spark)
    run(engine, batches)
    after = jobs_of(spark)
    # One job reads the files' footers where Spark infers a schema; one measures.
    assert 1 <= len(set(after) - set(before)) <= 2


def test_large_chunks_are_merged_on_the_cluster(profiler: Make, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("avh_ui.spark.measuring._MERGE_ON_CLUSTER_BYTES", 0)
    for part in range(4):
        write(f"in/b/part-{part}.parquet", {"x": pa.array(np.arange(900) + 900 * part), "s": pa.array(["k"] * 900)})
    profile = profiled(run(profiler(source={"path": "in/{batch}"}))["b"])
    metrics = profile.columns["x"].single_metrics()
    assert (profile.rows, metrics["min"], metrics["max"], metrics["sum"]) == (3_600, 0, 3_599, 3_600 * 3_599 / 2)
    assert profile.columns["s"].single_metrics()["dist_val_count"] == 1


def test_a_sample_is_cancelled(profiler: Make, write: Write) -> None:
    write("in/1.parquet", {"x": list(range(1_000))})
    watch = Watch()
    watch.cancelled.set()
    with pytest.raises(CancelledError):
        profiler(source={"path": "in/{batch}.parquet"}).sample("t", "1", 10, 0, watch)
