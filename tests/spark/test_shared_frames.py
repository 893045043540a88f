"""What the good and the bad rows both need is computed once, and let go once neither is used."""

from __future__ import annotations

import gc
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import avh_ui as avh
from avh_ui.spark.shared_frames import share
from avh_ui.spark.versions import frame_of

c = avh.checks


def kept(spark: Any) -> int:
    """How many frames Spark keeps the rows of."""
    return int(spark.sparkContext._jsc.getPersistentRDDs().size())


@pytest.fixture
def nothing_kept(spark: Any) -> Any:
    """What earlier tests left is let go before, and what this one left after."""
    gc.collect()
    share([])
    yield
    gc.collect()
    share([])


def once(rows: list[dict[str, Any]], columns: list[str]) -> list[bool]:
    """Of each row whether its values occur once or are all null; null equals null."""
    values = [tuple(row[name] for name in columns) for row in rows]
    often = Counter(values)
    return [often[one] == 1 or all(value is None for value in one) for one in values]


@pytest.mark.usefixtures("nothing_kept")
def test_both_parts_are_those_of_a_naive_count(spark: Any) -> None:
    draw = random.Random(0)
    some, few = [None, -0.0, 0.0, float("inf"), 1.5], [None, "a", "A", ""]
    rows = [{"n": n, "id": draw.choice([None, n]), "x": draw.choice(some), "t": draw.choice(few)} for n in range(60)]
    rows += [{**rows[k], "n": 60 + k} for k in range(5)]
    frame = frame_of(spark, pa.Table.from_pylist(rows))
    where = [row["n"] % 2 == 0 for row in rows]
    run = avh.check(frame, [c.is_unique("id"), c.is_unique(["x", "t", "id"], where="n % 2 = 0", level="warning")])
    good, bad = run.split(frame)
    one = once(rows, ["id"])
    even = once([row for row in rows if row["n"] % 2 == 0], ["x", "t", "id"])
    combined = [True if not there else even.pop(0) for there in where]
    assert sorted(row["n"] for row in good.collect()) == [row["n"] for row, fine in zip(rows, one, strict=True) if fine]
    told = {row["n"]: len(row["failed"]) for row in bad.collect()}
    assert told == {row["n"]: 2 - also for row, fine, also in zip(rows, one, combined, strict=True) if not fine}


@pytest.mark.usefixtures("nothing_kept")
def test_values_that_occur_twice_are_looked_for_once_and_let_go(spark: Any, tmp_path: Path) -> None:
    """The second part reads the table once, the first once more for its values."""
    pq.write_table(pa.table({"id": [*range(50), 7]}), tmp_path / "rows.parquet")
    frame = spark.read.parquet(str(tmp_path / "rows.parquet"))
    run = avh.check(frame, [c.is_unique("id")])
    # Of the DataFrame that was checked they are known.
    frame = spark.read.parquet(str(tmp_path / "rows.parquet"))
    good, bad = run.split(frame)
    assert kept(spark) == 0, "nothing runs before a part is used"
    assert good.count() == 49
    assert kept(spark) == 1
    assert [row["id"] for row in bad.collect()] == [7, 7]
    assert all("InMemoryTableScan" in part._jdf.queryExecution().executedPlan().toString() for part in (good, bad))
    # Another split lets nothing go that is in use.
    other = run.split(frame)
    assert (kept(spark), other[1].count(), kept(spark)) == (1, 2, 1)
    del good, bad, other
    gc.collect()
    share([])
    assert kept(spark) == 0


@pytest.mark.parametrize("ids", [[*range(50), 7], [*range(51)]], ids=["twice", "once"])
def test_a_table_that_was_checked_is_not_looked_at_again_for_values_that_occur_twice(spark: Any, tmp_path: Path, ids: list[int]) -> None:
    pq.write_table(pa.table({"id": ids, "n": [*range(51)]}), tmp_path / "rows.parquet")
    frame, same = (spark.read.parquet(str(tmp_path / "rows.parquet")) for _ in range(2))
    run = avh.check(frame, [c.is_unique("id"), c.is_in_range("n", 0, 40)])
    wanted = [n for n, fine in enumerate(once([{"id": one} for one in ids], ["id"])) if not fine or n > 40]
    for rows, scans in ((frame, 1), (same, 2)):
        # Before anything runs that is kept and stands in its place.
        assert run.rows(rows)._jdf.queryExecution().optimizedPlan().toString().count("] parquet") == scans
        good, bad = run.split(rows)
        assert [row["n"] for row in bad.sort("n").collect()] == wanted
        assert [row["n"] for row in good.sort("n").collect()] == [n for n in range(51) if n not in wanted]


def test_a_table_that_is_checked_again_is_looked_at_anew(spark: Any, tmp_path: Path) -> None:
    """Its file has changed meanwhile, in length not."""
    (tmp_path / "rows.txt").write_text("1\n2\n2\n3\n")
    frame = spark.read.text(str(tmp_path / "rows.txt"))
    rules = [c.is_unique("value")]
    for there, twice in (("1\n2\n2\n3\n", ["2", "2"]), ("1\n2\n3\n3\n", ["3", "3"]), ("1\n2\n4\n3\n", []), ("1\n1\n4\n3\n", ["1", "1"])):
        (tmp_path / "rows.txt").write_text(there)
        run = avh.check(frame, rules)
        assert run.verdicts[0].failing == (len(twice) or None)
        assert [row["value"] for row in run.split(frame)[1].collect()] == twice


def test_values_of_every_type_that_were_found_are_those_of_the_table(spark: Any) -> None:
    """Zeros are one number, as are NaN; texts with a collation are compared by it."""
    frame = spark.sql(
        "SELECT * FROM VALUES (1, 0D, 'NaN', 'a', 'ä', DATE'2020-01-01', TIMESTAMP'1500-01-01 00:00:00.000001Z', 1.50BD, X'00', array(1)), "
        "(2, -0D, 'NaN', 'A', 'ä', DATE'2020-01-01', TIMESTAMP'1500-01-01 00:00:00.000001Z', 1.5BD, X'00', array(1)), "
        "(3, 1D, '1', 'b', 'a', DATE'2020-01-02', TIMESTAMP'1500-01-01 00:00:00.000002Z', 1.51BD, X'01', array(2)) "
        "AS t(n, zero, nan, ci, text, day, at, decimal, bytes, list)"
    ).selectExpr("n", "zero", "cast(nan as float) as nan", "text", "day", "at", "decimal", "bytes", "ci collate UNICODE_CI as ci")
    names = [name for name in frame.columns if name != "n"]
    run = avh.check(frame, [c.is_unique(name) for name in names])
    marked = {row["n"]: {one["rule"] for one in row["failed"]} for row in run.rows(frame).collect()}
    every = {v.constraint.statement for v in run.verdicts if v.failing == 2}
    assert marked == {1: every, 2: every, 3: set()}
    assert len(every) >= len(names) - 1
