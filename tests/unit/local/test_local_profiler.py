"""The engine without Spark measures what its files hold, fails a batch alone, and leaves to Spark what is Spark's."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from avh_ui.constraints import checks
from avh_ui.constraints.program import SchemaConstraint
from avh_ui.errors import BatchNotFoundError, CancelledError, EmptyBatchError, SourceError
from avh_ui.local import pool, profiler
from avh_ui.local.group import BatchGroup
from avh_ui.local.groups import FileBatches
from avh_ui.metrics.content import content_of
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profiler import KnownTypes, Progress, Watch
from avh_ui.metrics.regexes import portable
from avh_ui.metrics.segment import Segment
from avh_ui.scan.profiles import Result
from avh_ui.scan.settling import TypeMemory
from avh_ui.store.history_files import HistoryFiles
from avh_ui.validator.validate import validate
from tests.fakes import builders
from tests.fakes.history import FakeHistory
from tests.unit.local.conftest import ROWS, Make, SparkStandIn, parquet, profiled, reason, run

CSV = {"format": "csv", "path": "{batch}.csv", "options": {"header": "true"}}
PARQUET = {"path": "{batch}.parquet"}


def test_what_arrow_declines_goes_to_spark_or_is_refused(local: Make, tmp_path: Path, spark_stand_in: SparkStandIn) -> None:
    source = {**CSV, "options": {"header": "true", "mode": "FAILFAST"}}
    (tmp_path / "plain.csv").write_text('x,y\n1,"a"\n')
    (tmp_path / "odd.csv").write_text("x,y\n1,2\n1\n")
    results = run(local(source=source))
    assert profiled(results["plain"]).rows == 1
    assert (reason(results["odd"]), spark_stand_in.asked) == ("by Spark", ["odd"])
    refused = reason(run(local(source=source, only=True))["odd"])
    assert refused.startswith("It takes Spark: ")


@pytest.mark.parametrize(
    "pipeline",
    [
        {"source": {"format": "table", "table": "t", "batch_column": "b"}},
        {"source": {**PARQUET, "reader": "spark"}},
        {"source": {"path": "", "format": "query", "query": "select {batch}"}},
        {"source": PARQUET, "measures": [{"name": "mean", "columns": ["id"], "where": "hash(id) > 3"}]},
        {"source": PARQUET, "conf": {"spark.sql.parquet.binaryAsString": "true"}},
    ],
)
def test_what_is_sparks_stays_sparks(local: Make, tmp_path: Path, spark_stand_in: SparkStandIn, pipeline: dict[str, object]) -> None:
    parquet(tmp_path / "b.parquet")
    engine = local(**pipeline)
    assert [reason(r) for r in engine.profile("t", ["b"], Watch())] == ["by Spark"]
    refused = next(iter(local(only=True, **pipeline).profile("t", ["b"], Watch())))
    if "measures" in pipeline:
        assert "the condition 'hash(id) > 3' takes Spark (it calls hash)" in profiled(refused).notes[-1]
    else:
        assert "It takes Spark" in reason(refused)


def test_a_rule_that_takes_spark_is_left_out_alone_where_there_is_none(local: Make, tmp_path: Path, spark_stand_in: SparkStandIn) -> None:
    """By its form, by a value of one batch, and by being a query."""
    for name, code in (("1", "c"), ("2", "0x1p3")):
        pq.write_table(pa.table({"id": [1, 2], "code": [code, "7"]}), tmp_path / f"{name}.parquet")
    c = checks
    rules = [
        c.satisfies("id IS NOT NULL"), c.custom_sql("SELECT count(*) FROM batch", at_least=1), c.satisfies("hash(id) > 3 or id > 0"),
        c.satisfies("coalesce(cast(code as double), 1) > 0"), c.satisfies("id > 1", at_least=0.5), c.is_unique(["id", "code"]),
    ]  # fmt: skip
    known = KnownTypes(measures=tuple(rule.measure for rule in rules))
    program = replace(builders.program(constraints=tuple(rule.constraint() for rule in rules)), schema=SchemaConstraint((), level="off"))
    engine = local(source=PARQUET, only=True)
    told = {"1": {1: "SQL", 2: "it calls hash"}, "2": {1: "SQL", 2: "it calls hash", 3: "to the base of 16"}}
    found = {**run(engine, known), "outside": engine.profile_path("t", str(tmp_path / "2.parquet"), "outside", Watch(), known)}
    for name, missing in {**told, "outside": told["2"]}.items():
        verdicts = validate(program, profiled(found[name]), FakeHistory()).verdicts
        assert {k for k, v in enumerate(verdicts) if v.status == "not_evaluated"} == missing.keys(), [v.message for v in verdicts]
        assert all(v.status == "pass" for k, v in enumerate(verdicts) if k not in missing), [v.message for v in verdicts]
        for place, why in missing.items():
            assert why in verdicts[place].message
            assert "`engine: auto`" in verdicts[place].message
    assert engine.sample("t", "1", 1, 0).num_rows == 1
    assert spark_stand_in.asked == []


def test_large_files_are_sparks_unless_the_engine_is_forced(local: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profiler, "LOCAL_BYTES", 100)
    parquet(tmp_path / "b.parquet")
    assert reason(run(local(source=PARQUET))["b"]) == "by Spark"
    assert profiled(run(local(source=PARQUET, only=True))["b"]).rows == ROWS
    assert local(source=PARQUET).sample("t", "b", 5, 1) == "5 rows by Spark"


def test_segments_groups_and_exact_counts(local: Make, tmp_path: Path) -> None:
    pq.write_table(pa.table({"k": [*range(1_999), 0], "c": [f"c{k % 2}" for k in range(2_000)]}), tmp_path / "b.parquet")
    measures = [{"name": "uniqueness", "columns": ["k", "c"]}]
    engine = local(source=PARQUET, segments=["c"], measures=measures)
    profile = profiled(run(engine, KnownTypes(unique=frozenset({"k"})))["b"])
    assert profile.columns["k"].single_metrics()["unique_ratio"] == 1_999 / 2_000
    assert not profile.columns["k"].sketched
    assert {segment: part.rows for segment, part in profile.segments.items()} == {Segment((("c", f"c{k}"),)): 1_000 for k in range(2)}
    measure = Measure("uniqueness", ("k", "c"))
    # The first and the last row are (0, c0) and (0, c1).
    assert profile.columns[measure.subject].single_metrics()["uniqueness"] == 1


def test_a_whole_batch_at_once(local: Make, tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("x,y\n" + "".join(f"{k},{'ab'[k % 2]}{k % 5}\n" for k in range(300)) + "only one field\n")
    engine = local(source=CSV)
    sample = engine.sample("t", "b", 50, seed=3)
    # One text that is no number makes all of them texts.
    assert (sample.num_rows, sample.schema.types) == (50, [pa.string(), pa.string()])
    assert engine.sample("t", "b", 50, seed=3).equals(sample)
    assert not engine.sample("t", "b", 50, seed=4).equals(sample)
    assert engine.sample("t", "b", 1_000, seed=4).num_rows == 301
    assert engine.distinct("t", "b", {"x": "string", "y": "string"}) == {"x": 301, "y": 10}
    regex = portable("a[0-9]")
    found = engine.conformance("t", "b", {"y": (regex,)})["y"][regex]
    assert (found.values, found.bad) == (300, 150)
    dropping = local(source={**CSV, "options": {"header": "true", "mode": "DROPMALFORMED"}}).sample("t", "b", 1_000, seed=1)
    assert (dropping.num_rows, dropping.schema.types[0]) == (300, pa.float64())


def test_a_file_outside_the_source(local: Make, tmp_path: Path) -> None:
    parquet(tmp_path / "other.parquet")
    (tmp_path / "empty.csv").write_text("x,y\n")
    engine = local(source=PARQUET)
    profile = engine.profile_path("t", str(tmp_path / "other.parquet"), "today", Watch())
    assert (profile.batch, profile.rows) == ("today", ROWS)
    with pytest.raises(EmptyBatchError, match="has no rows"):
        local(source=CSV).profile_path("t", str(tmp_path / "empty.csv"), "today", Watch())
    with pytest.raises(BatchNotFoundError):
        engine.profile_path("t", str(tmp_path / "nothing.parquet"), "today", Watch())
    (tmp_path / "damaged.parquet").write_bytes(b"PAR1")
    with pytest.raises(SourceError, match=r"damaged\.parquet"):
        engine.profile_path("t", str(tmp_path / "damaged.parquet"), "today", Watch())


@pytest.mark.usefixtures("wherever")
def test_it_is_seen_and_cancelled(local: Make, tmp_path: Path) -> None:
    for k in range(8):
        parquet(tmp_path / f"{k}.parquet")
    told: list[Progress] = []
    run(local(source=PARQUET), watch=Watch(told.append))
    assert [(p.done, p.total) for p in (told[0], told[-1])] == [(0, 8), (8, 8)]
    assert all(a.done <= b.done for a, b in pairwise(told))
    watch = Watch()
    watch.on_progress = lambda _: watch.cancelled.set()
    with pytest.raises(CancelledError):
        run(local(source=PARQUET), watch=watch)


def test_workers_begin_with_the_next_batches_before_those_before_are_put_together(
    local: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for k in range(5):
        parquet(tmp_path / f"{k}.parquet")
    at_once = run(local(source=PARQUET))
    monkeypatch.setattr(pool, "_ALONE_BYTES", 0)
    monkeypatch.setattr(pool, "_cores", lambda: 2)
    monkeypatch.setattr(FileBatches, "chunk", 2)
    told: list[str] = []
    begun = BatchGroup.begun

    def telling(self: BatchGroup, *args: Any) -> Callable[[TypeMemory], dict[str, Result]]:
        told.append(f"begun {'+'.join(self.batches)}")
        together = begun(self, *args)

        def told_together(types: TypeMemory) -> dict[str, Result]:
            told.append(f"together {'+'.join(self.batches)}")
            return together(types)

        return told_together

    monkeypatch.setattr(BatchGroup, "begun", telling)
    ahead = run(local(source=PARQUET))
    assert told == ["begun 0+1", "begun 2+3", "together 0+1", "begun 4", "together 2+3", "together 4"]
    contents = [{batch: content_of(profiled(result)) for batch, result in results.items()} for results in (at_once, ahead)]
    assert contents[0] == contents[1]


def test_a_dead_worker_is_told(local: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_ALONE_BYTES", 0)
    monkeypatch.setattr(pool, "_cores", lambda: 2)
    monkeypatch.setattr(pool, "_WORKER", ("-c", "import sys; sys.exit(3)"))
    parquet(tmp_path / "b.parquet")
    assert "A worker of this machine died" in reason(run(local(source=PARQUET))["b"])


def test_a_cancelled_run_begins_no_portion_more(local: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its workers never answer: were the next portion begun, nobody would end its worker."""
    monkeypatch.setattr(pool, "_ALONE_BYTES", 0)
    monkeypatch.setattr(pool, "_cores", lambda: 2)
    monkeypatch.setattr(pool, "_WORKER", ("-c", "import sys; sys.stdin.read()"))
    for k in range(8):
        parquet(tmp_path / f"{k}.parquet")
    watch, third = Watch(), threading.Event()
    began: list[Any] = []

    class Worker(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            began.append(self)
            (watch.cancelled if len(began) == 2 else third if len(began) > 2 else threading.Event()).set()

        def kill(self) -> None:
            super().kill()
            # Time for the thread that heard it end to take the next portion, if there is one.
            third.wait(0.3)

    monkeypatch.setattr(subprocess, "Popen", Worker)
    with pytest.raises(CancelledError):
        run(local(source=PARQUET), watch=watch)
    assert [process.returncode is not None for process in began] == [True, True]


def test_rules_beside_the_tables_that_avh_yml_names(local: Make, tmp_path: Path, spark_stand_in: SparkStandIn) -> None:
    (tmp_path / "b1.csv").write_text("id,carrier\n1,UA\n2,XX\n3,\n4,AA\n")
    (tmp_path / "carriers.csv").write_text("code\nUA\nAA\n")
    pq.write_table(pa.table({"id": [1, 2, 3, 4, 5], "carrier": ["UA", "XX", None, "AA", "ZZ"]}), tmp_path / "all.parquet")
    references = {
        "carriers": {"format": "csv", "path": str(tmp_path / "carriers.csv"), "options": {"header": "true"}},
        "all": {"path": str(tmp_path / "all.parquet")},
        "gone": {"path": str(tmp_path / "gone.parquet")},
    }
    c = checks
    rules = [
        c.refers_to("carrier", "carriers", "code", nulls=True, at_least=0.75),
        c.matches("all", "id"),
        c.has_row_count_of("all", at_most=1),
        c.refers_to("carrier", "carrers", "code"),
        c.refers_to("id", "gone"),
    ]
    known = KnownTypes(measures=tuple(rule.measure for rule in rules))
    profile = profiled(run(local(source=CSV | {"path": "b{batch}.csv"}, references=references), known)["1"])
    program = builders.program(pipeline="t", constraints=tuple(rule.constraint() for rule in rules))
    verdicts = validate(replace(program, schema=SchemaConstraint((), level="off")), profile, FakeHistory()).verdicts
    assert [verdict.status for verdict in verdicts] == ["pass", "fail", "pass", "not_evaluated", "not_evaluated"], verdicts
    assert verdicts[0].message.endswith("it is so in 75% of the rows. Rows: 1 not there, 1 with a null. Not there is 'XX' (1 row).")
    assert verdicts[1].message.endswith("Rows: 1 only there.")
    assert "There is no table 'carrers' to compare with. Did you mean 'carriers'" in verdicts[3].message
    assert "The table 'gone' cannot be read" in verdicts[4].message
    # What is kept is read again, and a query is left to Spark.
    files = HistoryFiles(str(tmp_path / "history"))
    files.save(profile)
    assert files.load("t", "1").columns[rules[0].measure.subject].single_metrics()["refers_to"] == 0.75
    query = KnownTypes(measures=(c.custom_sql("SELECT count(*) FROM batch", at_most=9).measure,))
    assert reason(run(local(source=CSV | {"path": "b{batch}.csv"}), query)["1"]) == "by Spark"
    assert spark_stand_in.asked == ["1"]


def test_files_with_and_without_dictionaries_are_one_batch(local: Make, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    for k, encoded in enumerate((True, False)):
        pq.write_table(pa.table({"x": [f"{k}a", f"{k}b"]}), tmp_path / "b" / f"{k}.parquet", use_dictionary=encoded)
    engine = local(source={"path": "{batch}"}, only=True)
    assert engine.sample("t", "b", 9, 0).column("x").to_pylist() == ["0a", "0b", "1a", "1b"]
    assert engine.distinct("t", "b", {"x": "string"}) == {"x": 4}


def test_a_batch_of_which_no_column_is_measured_is_not_called_empty(local: Make, tmp_path: Path) -> None:
    parquet(tmp_path / "b1.parquet")
    found = run(local(source=PARQUET, columns={"include": ["cdoe"]}))
    assert reason(found["b1"]).startswith("Nothing of batch 'b1' is measured: `columns:` of avh.yml leaves out all of its columns ('id'")
