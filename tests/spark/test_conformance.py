"""Spark counts the values that do not conform to a program's patterns while it reads a batch, whatever the source and its splits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from avh_ui.metrics.conformance import Conformance, ConformanceState, regexes_measured
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.profiler import KnownTypes, Watch
from avh_ui.metrics.regexes import portable
from avh_ui.spark.profiler import SparkProfiler, profile_frame
from tests.spark.conftest import profiled

Make = Callable[..., SparkProfiler]
Write = Callable[[str, dict[str, Any]], Path]
CODE, DIGITS = portable("[A-Z]\\d+"), portable("\\d{3}")
# More distinct values than the frequencies hold.
CODES = [*(f"A{k}" for k in range(3_000)), "", None, "b7", "b7", "x\ny", "É1"]
KNOWN = KnownTypes(texts=frozenset({"n"}), regexes={"c": (CODE, DIGITS), "n": (DIGITS,), "gone": (CODE,)})


def test_conformance_is_that_of_the_kernel_in_parts_and_segments(profiler: Make, write: Write) -> None:
    for part, rows in enumerate((slice(0, 1_000), slice(1_000, None))):
        values = CODES[rows]
        write(f"in/day=1/part-{part}.parquet", {"c": pa.array(values), "s": pa.array(["eu", "us"] * (len(values) // 2))})
    engine = profiler(source={"path": "in/day={batch}"}, segments=["s"])
    (result,) = engine.profile("t", ["1"], Watch(), KNOWN)
    profile = profiled(result)
    found = regexes_measured(profile.columns["c"].states)
    expected = ColumnProfile.from_arrow("c", pa.array(CODES), regexes=(CODE, DIGITS))
    assert found == regexes_measured(expected.states)
    assert found[CODE] == Conformance(3_004, 4, ("b7", "x\ny", "É1"))
    parts = [regexes_measured(part.columns["c"].states)[CODE] for part in profile.segments.values()]
    assert (sum(p.values for p in parts), sum(p.bad for p in parts)) == (3_004, 4)
    assert ConformanceState.key not in profile.kept().columns["c"].states
    assert all(ConformanceState.key not in part.columns["c"].states for part in profile.kept().segments.values())


def test_a_text_column_of_a_csv_that_holds_numbers_today(profiler: Make, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/1.csv").write_text("c,n\nA1,007\nb,12\nC3,123\n")
    engine = profiler(source={"format": "csv", "path": "in/{batch}.csv", "options": {"header": "true"}})
    (result,) = engine.profile("t", ["1"], Watch(), KNOWN)
    columns = profiled(result).columns
    assert regexes_measured(columns["c"].states)[CODE] == Conformance(3, 1, ("b",))
    assert regexes_measured(columns["n"].states)[DIGITS] == Conformance(3, 1, ("12",))
    outside = engine.profile_path("t", str(tmp_path / "in/1.csv"), "x", Watch(), KNOWN)
    assert regexes_measured(outside.columns["c"].states)[CODE] == Conformance(3, 1, ("b",))


def test_a_frame_of_somebody_else(spark: Any) -> None:
    frame = spark.createDataFrame([("A1", 1), ("b", 2)], "c string, n int")
    profile = profile_frame(frame, "t", "1", KNOWN)
    assert regexes_measured(profile.columns["c"].states)[CODE] == Conformance(2, 1, ("b",))
    # Numbers conform to nothing.
    assert regexes_measured(profile.columns["n"].states) == {}


def test_patterns_of_a_sample_are_counted_on_a_whole_batch(profiler: Make, write: Write, tmp_path: Path) -> None:
    asked = {"c": [CODE, "(", DIGITS], "gone": [CODE]}
    for part, rows in enumerate((slice(0, 1_000), slice(1_000, None))):
        write(f"in/1/part-{part}.parquet", {"x": pa.array([1.5] * len(CODES[rows])), "c": pa.array(CODES[rows])})
    found = profiler(source={"path": "in/{batch}"}).conformance("t", "1", asked)
    assert found == {"c": regexes_measured(ColumnProfile.from_arrow("c", pa.array(CODES), regexes=(CODE, DIGITS)).states)}
    (tmp_path / "2.csv").write_text("n,c\n007,A1\n12,b\n")
    engine = profiler(source={"format": "csv", "path": "{batch}.csv", "options": {"header": "true"}})
    assert engine.conformance("t", "2", {"c": [CODE], "n": [DIGITS]}) == {
        "c": {CODE: Conformance(2, 1, ("b",))}, "n": {DIGITS: Conformance(2, 1, ("12",))},
    }  # fmt: skip
    assert engine.conformance("t", "2", {}) == {}
