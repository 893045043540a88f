"""The rows of a batch, read without Spark: all columns, as they are, and what only Spark reads is left to it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from avh_ui.constraints.checks import is_complete, satisfies
from avh_ui.constraints.constraint import Verdict
from avh_ui.constraints.row_rules import row_rules
from avh_ui.errors import SourceError, UsageError
from avh_ui.metrics.profiler import Watch
from avh_ui.validator.arrow_rows import ArrowRows
from tests.unit.local.conftest import Make, SparkStandIn

RULES = row_rules([Verdict(is_complete("x").constraint(), "fail", 0.5, 1.0, None, "")])
NESTED = pa.table({"x": pa.array([1, None, 3]), "geo": [{"lat": 1.0}, None, {"lat": 2.0}], "k": pa.array(["a", "b", "a"])})


def test_all_columns_of_a_batch_are_there(local: Make, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    pq.write_table(NESTED.slice(0, 2), tmp_path / "b" / "1.parquet")
    pq.write_table(NESTED.slice(2), tmp_path / "b" / "2.parquet")
    rows: Any = local(source={"format": "parquet", "path": "{batch}"}, columns={"exclude": ["geo"]}).rows("t", "b")
    marked = rows.marked(RULES, "failed")
    assert marked.select(NESTED.column_names).to_pylist() == NESTED.to_pylist()
    assert [len(broken) for broken in marked.column("failed").to_pylist()] == [0, 1, 0]


@pytest.mark.parametrize(("mode", "kept"), [("DROPMALFORMED", 2), ("PERMISSIVE", 3)])
def test_lines_that_are_no_rows(local: Make, tmp_path: Path, mode: str, kept: int) -> None:
    (tmp_path / "b.csv").write_text("x,y\n1,a\n,b,c,d\n2,\n")
    profiler = local(source={"format": "csv", "path": "{batch}.csv", "options": {"header": True, "mode": mode}})
    inside: Any = profiler.rows("t", "b")
    outside: Any = profiler.rows("t", "another", str(tmp_path / "b.csv"))
    assert inside.marked(RULES, "failed").num_rows == outside.marked(RULES, "failed").num_rows == kept
    assert inside.split(RULES, "failed")[0].column("x").to_pylist()[-1] == "2"


def test_what_takes_spark_is_left_to_it(local: Make, spark_stand_in: SparkStandIn, tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("x\n1\n")
    source = {"format": "csv", "path": "{batch}.csv", "options": {"header": True, "lineSep": ";"}}
    for path in (None, str(tmp_path / "b.csv")):
        assert local(source=source).rows("t", "b", path) == f"b of {path} by Spark"
        with pytest.raises(SourceError, match="It takes Spark"):
            local(source=source, only=True).rows("t", "b", path)


def test_a_condition_that_takes_spark_is_judged_by_spark(
    local: Make, spark_stand_in: SparkStandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pa.table({"x": pa.array([1, None, 3]), "y": ["a", "b", "c"]})
    pq.write_table(table, tmp_path / "b.parquet")
    asked: list[str | None] = []

    def by_spark(pipeline: str, batch: str, path: str | None = None) -> ArrowRows:
        asked.append(path)
        return ArrowRows(table, lambda _, rules: [pa.array([False, False, True]) for _ in rules])

    monkeypatch.setattr(spark_stand_in, "rows", by_spark)
    checks = (is_complete("x"), satisfies("soundex(y) > 'A'"))
    late = row_rules([Verdict(check.constraint(), "fail", 0.5, 1.0, None, "") for check in checks])
    source = {"format": "parquet", "path": "{batch}.parquet"}
    for path in (None, str(tmp_path / "b.parquet")):
        rows: Any = local(source=source).rows("t", "b", path)
        assert rows.found(RULES, Watch()).by_place[0].rows == 1
        assert asked == []
        found = rows.found(late, Watch())
        assert ([found.by_place[k].rows for k in (0, 1)], found.bad, asked) == ([1, 1], 2, [path])
        rows.write_bad(late, str(tmp_path / "bad"), {"avh_batch": "b"})
        kept = pq.read_table(tmp_path / "bad")
        assert [[one["rule"] for one in row] for row in kept.column("failed").to_pylist()] == [["x is not null"], ["soundex(y) > 'A'"]]
        assert asked == [path]
        asked.clear()
        shutil.rmtree(tmp_path / "bad")
    with pytest.raises(UsageError, match="takes Spark: it calls soundex"):
        local(source=source, only=True).rows("t", "b").found(late, Watch())


def test_a_delta_table_is_for_what_spark_alone_reads(local: Make, spark_stand_in: SparkStandIn) -> None:
    asked = {"format": "query", "query": "select * from t version as of {batch}"}
    local(source=asked).can_keep("t", "delta:bad")
    assert spark_stand_in.asked == ["delta:bad"]
    for profiler in (local(source={"format": "csv", "path": "{batch}.csv"}), local(only=True, source=asked)):
        with pytest.raises(UsageError, match="A Delta table is written by Spark, and these rows are read without it"):
            profiler.can_keep("t", "delta:bad")
    assert spark_stand_in.asked == ["delta:bad"]
