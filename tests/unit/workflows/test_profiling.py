"""Profiling: what is measured, what is kept when something fails, and how drift is told."""

from __future__ import annotations

import pyarrow as pa
import pytest

from avh_ui.config import Config
from avh_ui.errors import BatchNotFoundError, CancelledError, NotFoundError, SourceError
from avh_ui.metrics.profiler import Progress, Watch
from avh_ui.workflows.absent import nothing_there
from tests.fakes.workspaces import DAYS, FakeWorkspace, config, day, orders


def test_only_new_batches_are_profiled() -> None:
    ws = FakeWorkspace(days=3)
    assert ws.profile("orders").profiled == (day(0), day(1), day(2))
    ws.profiler.tables["orders"][day(3)] = orders(3)
    assert ws.profile("orders").profiled == (day(3),)
    assert ws.profile("orders").profiled == ()
    assert ws.batches("orders") == [day(k) for k in range(4)]


def test_again_profiles_a_range_anew() -> None:
    ws = FakeWorkspace(days=5).profiled()
    assert ws.profile("orders", batches=f"{day(1)}..{day(2)}").profiled == ()
    assert ws.profile("orders", batches=f"{day(1)}..{day(2)}", again=True).profiled == (day(1), day(2))
    assert ws.profile("orders", again=True).profiled == tuple(day(k) for k in range(5))


def test_an_unknown_pipeline_names_the_nearest() -> None:
    with pytest.raises(NotFoundError, match=r"'order'.*'orders'"):
        FakeWorkspace().profile("order")


def test_an_unknown_batch_names_the_nearest() -> None:
    with pytest.raises(NotFoundError, match=r"2024-01-99.*2024-01-0"):
        FakeWorkspace().profile("orders", batches="2024-01-99..")


def test_a_source_without_batches() -> None:
    with pytest.raises(BatchNotFoundError, match=r"data/\{batch\}.parquet"):
        FakeWorkspace(days=0).profile("orders")


def test_failed_batches_are_reported_and_the_rest_is_kept() -> None:
    ws = FakeWorkspace(days=5)
    ws.profiler.tables["orders"][day(1)] = None
    ws.profiler.tables["orders"][day(2)] = orders(2, rows=0)
    ws.profiler.ghosts.add(day(7))
    report = ws.profile("orders")
    assert report.profiled == (day(0), day(3), day(4))
    assert [f.batch for f in report.failed] == [day(1), day(2), day(7)]
    assert ["cut short" in f.reason or "empty" in f.reason or "not at its source" in f.reason for f in report.failed] == [True] * 3
    # A failed batch is tried again the next time.
    ws.profiler.tables["orders"][day(1)] = orders(1)
    assert ws.profile("orders").profiled == (day(1),)


def test_a_vanished_batch_keeps_its_profile() -> None:
    ws = FakeWorkspace(days=3).profiled()
    del ws.profiler.tables["orders"][day(1)]
    report = ws.profile("orders", batches=day(1), again=True)
    assert [f.batch for f in report.failed] == [day(1)]
    assert day(1) in ws.batches("orders")


def test_drift_is_told_per_batch_against_the_one_before() -> None:
    ws = FakeWorkspace(days=3)
    table = orders(3).drop_columns(["paid"]).append_column("extra", pa.array(["x"] * 400))
    ws.profiler.tables["orders"][day(3)] = table.set_column(0, "id", table.column("id").cast(pa.float64()))
    ws.profiler.tables["orders"][day(4)] = ws.profiler.tables["orders"][day(3)]
    ((batch, sentences),) = ws.profile("orders").drift
    assert batch == day(3)
    assert sentences == (
        "Column 'paid' is missing.",
        f"Column 'extra' is new; it was not there in batch {day(2)}.",
        "Column 'id' changed type from bigint to double (a wider type: the old values still fit).",
    )


def test_drift_against_a_batch_profiled_long_ago() -> None:
    ws = FakeWorkspace(days=3).profiled()
    ws.profiler.tables["orders"][day(3)] = orders(3).drop_columns(["paid"])
    assert ws.profile("orders").drift == ((day(3), ("Column 'paid' is missing.",)),)


def test_cancelling_keeps_what_was_finished() -> None:
    ws, watch = FakeWorkspace(), Watch()

    def stop(progress: Progress) -> None:
        if progress.done == 4:
            watch.cancelled.set()

    watch.on_progress = stop
    with pytest.raises(CancelledError):
        ws.profile("orders", watch=watch)
    assert 4 <= len(ws.batches("orders")) < DAYS


def test_a_killed_run_keeps_what_was_finished() -> None:
    ws = FakeWorkspace(days=6)

    def kill(progress: Progress) -> None:
        if progress.done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ws.profile("orders", watch=Watch(kill))
    assert ws.batches("orders") == [day(0), day(1), day(2)]
    assert ws.profile("orders").profiled == (day(3), day(4), day(5))


def test_progress_is_told() -> None:
    told: list[Progress] = []
    FakeWorkspace(days=3).profile("orders", watch=Watch(told.append))
    assert (told[-1].done, told[-1].total) == (3, 3)


def test_batches_that_cannot_be_listed_are_named() -> None:
    ws = FakeWorkspace(days=2)
    ws.profiler.listable = False
    assert ws.profile("orders", batches=day(1)).profiled == (day(1),)


def test_a_batch_that_was_delivered_before_is_named() -> None:
    ws = FakeWorkspace(days=3)
    ws.profiler.tables["orders"][day(3)] = orders(1).take(list(range(orders(1).num_rows))[::-1])
    assert ws.profile("orders").repeated == ((day(3), day(1)),)
    # Profiled anew by itself it is held against those kept.
    assert ws.profile("orders", batches=day(3), again=True).repeated == ((day(3), day(1)),)
    assert ws.profile("orders", batches=day(1), again=True).repeated == ()


def test_profiled_anew_a_failed_batch_has_still_failed_unless_its_rows_are_others() -> None:
    ws = FakeWorkspace(days=12).published()
    ws.profiler.tables["orders"][day(12)] = orders(12, rows=40)
    assert ws.validate("orders", batch=day(12)).status == "fail"
    ws.profile("orders", batches=day(12), again=True)
    assert ws.profiles.standings("orders", [day(12)])[0].failed
    ws.profiler.tables["orders"][day(12)] = orders(12)
    ws.profile("orders", batches=day(12), again=True)
    assert not ws.profiles.standings("orders", [day(12)])[0].failed


@pytest.mark.parametrize(
    ("engine", "condition", "says"),
    [
        ("auto", "AMOUNT > 1 OR amount > 1", "Arrow reads it on this machine"),
        ("spark", "amount > 1", "Arrow reads its files in the tasks"),
        ("spark", "hash(id) > 1", "by its own reader: the condition 'hash(id) > 1' takes Spark (it calls hash)."),
        ("local", "hash(id) > 1", "and leaves out what needs Spark: the condition 'hash(id) > 1' takes Spark (it calls hash)."),
    ],
)
def test_who_reads_is_told_with_the_conditions_in_mind(engine: str, condition: str, says: str) -> None:
    """As far as the newest profile tells which columns there are."""
    asked = {"measures": [{"name": "completeness", "columns": ["amount"], "where": condition}]}
    ws = FakeWorkspace(days=1, settings=config(engine=engine, pipeline=asked))
    assert "takes Spark" not in ws.services.batches.reading("orders")
    assert says in ws.profiled().services.batches.reading("orders")


@pytest.mark.parametrize(
    ("kind", "options", "says"),
    [
        ("csv", {"header": "true", "comment": "#"}, "Arrow reads it on this machine"),
        ("csv", {"header": "true", "multiLine": "true"}, "Arrow reads it on this machine"),
        ("csv", {"lineSep": ";"}, "Spark measures it by its own reader: its options name lineSep."),
        ("csv", {"comment": ","}, "Spark measures it by its own reader: its options have comment: ','."),
        ("json", {"multiLine": "true"}, "Spark measures it by its own reader: its options name multiLine."),
        ("parquet", {"mergeSchema": "true"}, "Spark measures it by its own reader: its options name mergeSchema."),
    ],
)
def test_who_reads_is_told_with_the_options_in_mind(kind: str, options: dict[str, str], says: str) -> None:
    source = {"format": kind, "path": "data/{batch}", "options": options}
    assert FakeWorkspace(days=1, settings=config(pipeline={"source": source})).services.batches.reading("orders").startswith(says)


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("data/{batch}.parquet", "Put its files there, each named as its batch, such as data/2026-01-31.parquet; or let `source:` of"),
        ("data/{year}/{month}.csv", "each named as its batch, such as data/2026/01.csv; or let"),
        ("data/sales.csv", "Put its files there; or let `source:` of sales"),
    ],
)
def test_what_is_not_found_is_told_by_the_names_in_its_path(path: str, hint: str) -> None:
    source = {"path": path, "batch": "now"} if "{" not in path else {"path": path}
    pipeline = Config.model_validate({"pipelines": {"sales": {"source": source}}}).pipelines["sales"]
    assert hint in nothing_there(pipeline).hint


@pytest.mark.parametrize("engine", ["auto", "spark", "local"])
def test_doctor_says_that_nobody_reads_what_arrow_declines_where_it_alone_is_asked_for(engine: str) -> None:
    source = {"format": "csv", "path": "data/{batch}.csv", "reader": "arrow", "options": {"lineSep": ";"}}
    services = FakeWorkspace(days=1, settings=config(engine=engine, pipeline={"source": source})).services
    with pytest.raises(SourceError, match=r"^Arrow does not read it: its options name lineSep\. Set `reader: auto`"):
        services.batches.reading("orders")


@pytest.mark.parametrize(
    ("engine", "who"),
    [("local", "on this machine, without Spark"), ("auto", "its files in the tasks"), ("spark", "its files in the tasks")],
)
def test_arrow_alone_leaves_out_a_condition_that_takes_spark(engine: str, who: str) -> None:
    asked = {"measures": [{"name": "completeness", "columns": ["amount"], "where": "hash(id) > 1"}]}
    source = {"path": "data/{batch}.parquet", "reader": "arrow"}
    ws = FakeWorkspace(days=1, settings=config(engine=engine, pipeline={**asked, "source": source})).profiled()
    said = ws.services.batches.reading("orders")
    assert f"{who}, and leaves out what needs Spark: the condition 'hash(id) > 1' takes Spark (it calls hash)." in said


@pytest.mark.parametrize(
    ("engine", "path", "says"),
    [
        ("auto", "s3://landing/{batch}.csv", "Spark measures it; Arrow reads its files in the tasks, where it reads as Spark does. Under"),
        ("local", "s3://landing/{batch}.csv", "Arrow reads it on this machine, without Spark."),
        ("auto", "file:///landing/{batch}.csv", "Arrow reads it on this machine, without Spark, where"),
    ],
)
def test_files_in_an_object_store_are_sparks_unless_the_engine_is_local(engine: str, path: str, says: str) -> None:
    source = {"format": "csv", "path": path}
    ws = FakeWorkspace(days=1, settings=config(engine=engine, pipeline={"source": source}))
    assert ws.services.batches.reading("orders").startswith(says)


def test_doctor_says_that_nobody_skips_lines_of_what_arrow_declines() -> None:
    source = {"format": "csv", "path": "data/{batch}.csv", "skip_lines": 3, "options": {"encoding": "windows-1251"}}
    with pytest.raises(SourceError, match=r"encoding: windows-1251; and Spark's reader passes over no lines"):
        FakeWorkspace(days=1, settings=config(pipeline={"source": source})).services.batches.reading("orders")


@pytest.mark.parametrize(("severity", "failed"), [("error", 7), ("warning", 0), ("off", 0)])
def test_batches_that_may_be_empty_are_told_and_do_not_fail(severity: str, failed: int) -> None:
    ws = FakeWorkspace(days=2, settings=config(pipeline={"severities": {"empty": severity}}))
    ws.profiler.tables["orders"] |= {day(k): orders(k, 0) for k in range(2, 9)} | {day(9): None}
    report = ws.profile("orders")
    assert report.profiled == (day(0), day(1))
    assert [f.batch for f in report.failed] == [*(day(k) for k in range(2, 2 + failed)), day(9)]
    named = ", ".join(day(k) for k in range(2, 7))
    told = f"Without rows, as `severities: empty` of avh.yml allows: {named} and 2 more."
    assert (told in report.notes) == (severity != "error")


def test_a_batch_cut_by_another_separator_is_told_once_and_the_next_is_as_it_should_be() -> None:
    ws = FakeWorkspace(days=3, settings=config(pipeline={"source": {"format": "csv", "path": "data/{batch}.csv"}}))
    ws.profiler.tables["orders"][day(3)] = pa.table({"id;amount;country;paid": ["1;2;DE;true"] * 400})
    ws.profiler.tables["orders"][day(4)] = orders(4)
    ((batch, (said,)),) = ws.profile("orders").drift
    assert batch == day(3)
    assert said.startswith("The batch seems to be cut by ';'")
