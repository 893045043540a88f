"""Batches split in segments: one job, every value its own segment, and the whole batch is the merge of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avh_ui.metrics import segment as segments
from avh_ui.metrics.profile import BatchProfile, ColumnProfile, merge_columns
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.segment import REST, Segment
from avh_ui.scan.partials import Measured, Split
from avh_ui.spark.profiler import SparkProfiler
from tests.fakes.builders import HOSTILE
from tests.spark.conftest import jobs_of, profiled, run

Make = Callable[..., SparkProfiler]
Write = Callable[[str, dict[str, Any]], Path]
PARQUET = {"source": {"path": "in/{batch}.parquet"}}


def seg(**values: str | None) -> Segment:
    return Segment(tuple(values.items()))


def metrics(profile: BatchProfile) -> dict[str, dict[str, float]]:
    return {name: column.single_metrics() for name, column in profile.columns.items()}


def same(a: dict[str, dict[str, float]], b: dict[str, dict[str, float]]) -> None:
    assert a.keys() == b.keys()
    for name, values in a.items():
        assert values == pytest.approx(b[name], rel=1e-12, nan_ok=True), name


def test_each_segment_is_measured_as_its_rows_and_the_batch_is_their_merge(profiler: Make, write: Write) -> None:
    rng = np.random.default_rng(1)
    tables = {}
    for batch in ("1", "2"):
        origin = rng.choice(np.array(["EWR", "JFK", "LGA", None], dtype=object), 900)
        columns = {"origin": pa.array(origin.tolist()), "x": pa.array(rng.integers(0, 90, 900)), "s": pa.array(rng.choice(["a", "b"], 900))}
        tables[batch] = pa.table(columns)
        write(f"in/{batch}.parquet", columns)
    results = run(profiler(**PARQUET, segments=["origin"]))
    for batch, table in tables.items():
        profile = profiled(results[batch])
        assert {s.label for s in profile.segments} == {"origin=EWR", "origin=JFK", "origin=LGA", "origin=null"}
        for segment, part in profile.segments.items():
            value = segment.values[0][1]
            rows = table.filter(pa.array([v == value for v in table.column("origin").to_pylist()]))
            assert (part.rows, part.batch) == (rows.num_rows, batch)
            same(metrics(part), {n: ColumnProfile.from_arrow(n, rows.column(n)).single_metrics() for n in rows.column_names})
        assert profile.rows == 900
        same(metrics(profile), {n: ColumnProfile.from_arrow(n, table.column(n)).single_metrics() for n in table.column_names})
        merged = {n: merge_columns([p.columns[n] for p in profile.segments.values()]) for n in profile.columns}
        same(metrics(profile), {n: c.single_metrics() for n, c in merged.items()})


def test_a_segment_column_need_not_be_measured_and_may_be_of_any_type(profiler: Make, write: Write) -> None:
    write(
        "in/1.parquet",
        {"day": pa.array([0, 0, 1], pa.int32()).cast(pa.date32()), "on": pa.array([True, None, True]), "x": pa.array([1, 2, 3])},
    )
    engine = profiler(**PARQUET, segments=["day", "on", "day"], columns={"include": ["x"]})
    profile = profiled(run(engine)["1"])
    assert list(profile.columns) == ["x"]
    assert sorted(s.label for s in profile.segments) == ["day=1970-01-01/on=null", "day=1970-01-01/on=true", "day=1970-01-02/on=true"]
    assert profile.segments[seg(day="1970-01-01", on=None)].columns["x"].single_metrics()["max"] == 2


def test_hostile_values_and_names(profiler: Make, write: Write) -> None:
    values = [v.replace("\udc80", "?") for v in HOSTILE]
    write("in/1.parquet", {"a.b `c`": pa.array(values), "x": pa.array(range(len(values)))})
    profile = profiled(run(profiler(**PARQUET, segments=["a.b `c`"]))["1"])
    assert len(profile.segments) == len(values)
    for at, value in enumerate(values[:-1]):
        assert profile.segments[Segment((("a.b `c`", value),))].columns["x"].single_metrics()["max"] == at
    # A value of 1 MB is told by its beginning and a digest.
    (long,) = (s for s in profile.segments if len(s.label) > 200)
    assert len(long.label) < 300
    assert all(Segment.parse(s.label) == s for s in profile.segments)


def test_a_batch_without_the_segment_column_is_measured_whole(profiler: Make, write: Write) -> None:
    write("in/1.parquet", {"x": pa.array([1, 2]), "r": pa.array(["a", "b"])})
    write("in/2.parquet", {"x": pa.array([1, 2])})
    results = run(profiler(**PARQUET, segments=["r"]))
    assert len(profiled(results["1"]).segments) == 2
    assert (profiled(results["2"]).rows, profiled(results["2"]).segments) == (2, {})
    assert profiled(results["2"]).notes == ("It is not split in segments: it has no column 'r'.",)


def measured(values: list[int]) -> Measured:
    return Measured(len(values), {0: ColumnProfile.from_arrow("x", pa.array(values, pa.int64()))})


@settings(max_examples=60)
@given(tasks=st.lists(st.lists(st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=6), max_size=4), min_size=1, max_size=4))
def test_which_segments_are_kept_does_not_depend_on_who_saw_what(tasks: list[list[list[str]]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("avh_ui.scan.partials.MAX_SEGMENTS", 3)
        whole = Split(("k",))
        for chunks in tasks:
            split = Split(("k",))
            for chunk in chunks:
                for segment, rows in split.tables(pa.table({"x": pa.array([ord(k) for k in chunk]), "k": pa.array(chunk)})):
                    split.add(segment, measured(rows.column("x").to_pylist()))
            for segment, part in split.parts.items():
                whole.add(segment, part)
    counts = Counter(k for chunks in tasks for chunk in chunks for k in chunk)
    kept = sorted(counts)[:3]
    expected = {seg(k=name): counts[name] for name in kept} | {REST: sum(counts[n] for n in counts if n not in kept)}
    assert {s: p.rows for s, p in whole.parts.items()} == {s: n for s, n in expected.items() if n}
    for segment, part in whole.parts.items():
        values = [ord(k) for k in counts.elements() if (seg(k=k) == segment if segment != REST else k not in kept)]
        assert part.profiles[0].single_metrics() == pytest.approx(measured(values).profiles[0].single_metrics())


@pytest.mark.parametrize("on_cluster", [False, True])
def test_beyond_the_limit_the_last_are_the_rest_whichever_task_sees_them(
    profiler: Make, write: Write, monkeypatch: pytest.MonkeyPatch, on_cluster: bool
) -> None:
    if on_cluster:
        monkeypatch.setattr("avh_ui.spark.measuring._MERGE_ON_CLUSTER_BYTES", 0)
    limit = segments.MAX_SEGMENTS
    names = [f"s{k:04d}" for k in range(limit + 60)]
    # Each task sees other segments, none of them all.
    for part in range(4):
        mine = names[part::2]
        write(f"in/b/part-{part}.parquet", {"k": pa.array(mine[::-1]), "x": pa.array([1] * len(mine))})
    profile = profiled(run(profiler(source={"path": "in/{batch}"}, segments=["k"]))["b"])
    assert {s.label for s in profile.segments} == {f"k={name}" for name in names[:limit]} | {"(rest)"}
    rows = {name: sum(name in names[part::2] for part in range(4)) for name in names}
    assert all(profile.segments[seg(k=name)].rows == rows[name] for name in names[:limit])
    assert profile.segments[REST].rows == sum(rows[name] for name in names[limit:])
    assert profile.rows == sum(rows.values())
    assert str(limit) in profile.notes[0]


def test_a_text_files_types_are_those_of_the_whole_batch(profiler: Make, tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("r,n,mixed,some\na,1,1,\na,2,2,\nb,3,x,5\n")
    engine = profiler(source={"format": "csv", "path": "{batch}.csv", "options": {"header": True}}, segments=["r"])
    profile = profiled(run(engine)["1"])
    types = {"r": "string", "n": "number", "mixed": "string", "some": "number"}
    for part in (profile, *profile.segments.values()):
        assert {c.name: c.type for c in part.columns.values()} == types
    empty = profile.segments[seg(r="a")].columns["some"].single_metrics()
    assert (empty["row_count"], empty["complete_ratio"]) == (2, 0)
    assert math.isnan(empty["max"])


def test_segments_are_measured_in_the_same_job(spark: Any, profiler: Make, write: Write) -> None:
    for batch in range(4):
        write(f"in/{batch}.parquet", {"r": pa.array(["a", "b", "c"]), **{f"n{i}": pa.array([batch, i, 1]) for i in range(10)}})
    engine = profiler(**PARQUET, segments=["r"])
    batches = engine.batches("t")
    before = jobs_of(spark)
    results = run(engine, batches)
    after = jobs_of(spark)
    assert all(len(profiled(r).segments) == 3 for r in results.values())
    # One job reads the files' footers where Spark infers a schema; one measures.
    assert 1 <= len(set(after) - set(before)) <= 2


def test_a_path_outside_the_source_is_split_too(profiler: Make, write: Write) -> None:
    write("in/1.parquet", {"r": pa.array(["a"]), "x": pa.array([1])})
    other = write("elsewhere/x.parquet", {"r": pa.array(["a", "b"]), "x": pa.array([1, 2])})
    profile = profiler(**PARQUET, segments=["r"]).profile_path("t", str(other), "next", Watch())
    assert {(s.label, p.batch, p.rows) for s, p in profile.segments.items()} == {("r=a", "next", 1), ("r=b", "next", 1)}
