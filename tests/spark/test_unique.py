"""A column that a program calls unique is counted by Spark, where all others are estimated: one job more for it alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.program import Program, SchemaConstraint
from avh_ui.dataframes import profile_of
from avh_ui.metrics.profiler import KnownTypes, Watch
from avh_ui.spark.profiler import SparkProfiler
from tests.fakes import builders
from tests.spark.conftest import jobs_of, profiled

ROWS = 200_000
KINDS = {"id": "numeric", "text": "string", "share": "numeric", "at": "temporal"}
COLUMNS = ("k as id", "cast(k as string) as text", "k / 8D as share", "timestamp_micros(k) as at", "nullif(k, 5) as other")


def program(*columns: str) -> Program:
    unique = tuple(Constraint(name, "unique_ratio", KINDS[name], 1.0, 1.0) for name in columns)
    return builders.program(version=1, constraints=unique, schema=SchemaConstraint((), level="off"), sha256="a" * 64)


def jobs(spark: Any) -> int:
    return len(jobs_of(spark))


@pytest.mark.parametrize("duplicates", [12_000, 200, 1, 0])
def test_duplicates_are_counted_exactly(spark: Any, duplicates: int) -> None:
    keys = spark.range(ROWS).selectExpr(f"if(id < {duplicates}, id + {duplicates}, id) as k").selectExpr(*COLUMNS)
    called = ("id", "text", "share", "at") if duplicates == 1 else ("id",)
    profile = profile_of(keys, program(*called), "b1")
    assert [profile.columns[n].single_metrics()["unique_ratio"] for n in called] == [(ROWS - duplicates) / ROWS] * len(called)
    assert [profile.columns[n].sketched for n in ("id", "other")] == [False, True]


@pytest.mark.parametrize(("rows", "passes"), [(900, 0), (5_000, 1)])
def test_only_a_column_that_was_estimated_is_read_once_more(spark: Any, rows: int, passes: int) -> None:
    keys = spark.range(rows).selectExpr("id", "id + 1 as other")
    start = jobs(spark)
    assert profile_of(keys, program(), "b1").columns["id"].sketched == bool(passes)
    alone = jobs(spark) - start
    assert profile_of(keys, program("id"), "b1").columns["id"].single_metrics()["unique_ratio"] == 1
    # An adaptive query runs a job for each of its two stages.
    assert jobs(spark) - start - 2 * alone == 2 * passes


@pytest.mark.parametrize(("last", "ratio"), [("1999", 1.0), ("7.0", 1999 / 2000), ("0012", 1.0)])
def test_numbers_of_a_csv_file_are_one_however_they_are_written(
    profiler: Callable[..., SparkProfiler], tmp_path: Path, last: str, ratio: float
) -> None:
    """A text that is no number ("0012") makes all of them texts."""
    (tmp_path / "b1.csv").write_text("\n".join(["x", *map(str, range(1_999)), last]) + "\n")
    engine = profiler(source={"format": "csv", "path": "{batch}.csv", "options": {"header": "true"}})
    (found,) = engine.profile("t", ["b1"], Watch(), KnownTypes(unique=frozenset({"x"})))
    column = profiled(found).columns["x"]
    assert (column.sketched, column.single_metrics()["unique_ratio"]) == (False, ratio)
