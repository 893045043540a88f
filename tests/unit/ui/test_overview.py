"""The overview: health of pipelines, columns over batches, and profiling with progress and cancel."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.config import Config
from avh_ui.errors import AvhError
from avh_ui.history.series import ColumnHistory, History
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.heatmap import heatmap, moved_metrics
from avh_ui.ui.state.jobs import ProfilingState
from avh_ui.ui.state.overview import BATCHES, COLUMNS, OverviewState
from avh_ui.ui.state.pipeline_health import PipelineStanding, pipeline_health, standing
from avh_ui.ui.state.pipeline_list import PAGE
from avh_ui.ui.state.session import SessionState
from avh_ui.ui.state.spoken import named_line
from avh_ui.ui.views.overview import OverviewView
from avh_ui.ui.views.pipeline_list import PipelineListView, pipeline_line
from tests.fakes.demo_runs import publish_and_validate
from tests.fakes.demo_workspace import demo_workspace
from tests.fakes.workspaces import DAYS, FakeWorkspace, day, orders
from tests.unit.ui.conftest import sit_down


def overview(workspace: Any, address: str = "") -> OverviewState:
    state = OverviewState(sit_down(workspace, address).session)
    state.visit(Address.parse(address))
    return state


def troubled() -> FakeWorkspace:
    """Batch 9 never came, batch 15 has other amounts, batch 17 has no country."""
    ws = FakeWorkspace()
    tables = ws.profiler.tables["orders"]
    del tables[day(9)]
    tables[day(15)] = tables[day(15)].set_column(1, "amount", pa.array([1_000.0] * 400))  # type: ignore[union-attr]
    tables[day(17)] = tables[day(17)].drop_columns(["country"])  # type: ignore[union-attr]
    return ws.profiled()


def test_lists_of_columns_leave_the_key_to_the_tip() -> None:
    assert named_line("a by shop, line", "a by shop, line", "rows") == ("a", "matched rows")
    assert named_line("sales by region", "sales by region", "numeric") == ("sales by region", "numbers"), "a column's own name"


def test_columns_over_batches_with_what_is_missing() -> None:
    found = heatmap(troubled().history("orders"), "daily")
    assert found.columns[0] == "amount"
    assert len(found.batches) == DAYS
    assert {found.code(column, day(9)) for column in found.columns} == {"-"}
    assert found.code("amount", day(15)) == "3"
    assert found.code("country", day(17)) == "x"
    assert found.code("amount", day(1)) == " "
    assert found.code("amount", day(12)) in "01"
    assert found.worst(0) == 15
    assert found.code("nowhere", day(1)) == " "


def test_alarms_are_marked() -> None:
    ws = FakeWorkspace().published()
    ws.profiler.tables["orders"][day(19)] = orders(19, rows=10)
    ws.validate("orders", batch=day(19))
    found = heatmap(ws.history("orders"), "daily", ws.runs("orders"))
    assert found.columns[0] == "amount"
    assert found.code("amount", day(19)) == "f"


def test_a_column_that_came_late_or_whose_alarm_has_a_label_is_not_the_worst() -> None:
    ws = FakeWorkspace()
    tables = ws.profiler.tables["orders"]
    for k in range(15):
        tables[day(k)] = tables[day(k)].drop_columns(["country"])  # type: ignore[union-attr]
    ws.published()
    tables[day(19)] = tables[day(19)].set_column(1, "amount", pa.array([1_000.0] * 400))  # type: ignore[union-attr]
    ws.validate("orders", batch=day(19))
    history, runs = ws.history("orders"), ws.runs("orders")
    found = heatmap(history, "daily", runs)
    assert {found.code("country", day(k)) for k in range(15)} == {"x"}
    assert found.columns[0] == "amount"
    assert found.columns[-1] == "country", "nothing happened to it but that it came"
    alarms = [(runs[-1].batch, alarm.key) for alarm in runs[-1].alarms]
    late = heatmap(history, "daily", runs, alarms[:-1])
    assert late.columns[0] == next(o.column for o in runs[-1].alarms if o.key == alarms[-1][1]), "one alarm still asks for somebody"
    assert heatmap(history, "daily", runs, alarms).code("amount", day(19)) == "f", "a label changes the order alone"


def test_what_moved_in_a_cell() -> None:
    found = moved_metrics(troubled().history("orders"), "daily", "amount", day(15))
    assert {m.metric for m in found[:6]} >= {"mean", "median", "max"}
    assert next(m for m in found if m.metric == "mean").value == "1,000"
    assert found[0].rarity.order >= found[-1].rarity.order
    assert moved_metrics(troubled().history("orders"), "daily", "amount", day(9)) == []


def test_what_a_column_never_had_is_not_told_of_its_cell() -> None:
    """Of a text column no number fell, and "undefined" stood beside it six times."""
    history = troubled().history("orders")
    amount, at = history.columns["amount"], history.batches.index(day(12))

    def told(mean: list[float]) -> dict[str, str]:
        column = replace(amount, values={**amount.values, "mean": np.array(mean)})
        changed = replace(history, columns={**history.columns, "amount": column})
        return {m.metric: m.value for m in moved_metrics(changed, "daily", "amount", day(15))}

    never = [np.nan] * len(history.batches)
    assert {"mean", "median"} & set(told(never)) == {"median"}
    found = told([5.0 if k == at else np.nan for k in range(len(never))])
    assert found["mean"] == "undefined", "what is gone is told"


def test_moving_and_looking() -> None:
    state = overview(troubled())
    state.move(1, 0)
    assert (state.column, state.batch) == ("amount", day(15))
    state.move(0, 1)
    assert state.batch == day(16)
    state.move(-5, 99)
    assert (state.column, state.batch) == ("amount", day(19))
    state.pick(1, 2)
    assert (state.column, state.batch) == (state.map.columns[1], day(2))
    state.look("amuont", day(3))
    assert "no column 'amuont'" in state.session.notice.text
    assert "1 missing" in state.summary


def test_before_a_cell_is_chosen_the_newest_batch_says_what_stands_out() -> None:
    ws = FakeWorkspace()
    view = OverviewView(state := overview(ws.published()), ProfilingState(state.session), *3 * [lambda: None])
    assert (view.judge.body.visible, view.job.start.variant) == (True, "outlined"), "what is profiled is judged by no --new any more"
    assert day(19) in view.about.object
    assert "Nothing is unusual" in view.detail.object
    tables = ws.profiler.tables["orders"]
    tables[day(20)] = orders(20, rows=10)
    tables[day(20)] = tables[day(20)].set_column(2, "country", pa.array(["XX"] * 10))  # type: ignore[union-attr]
    ws.validate("orders", batch=day(20))
    view = OverviewView(state := overview(ws), ProfilingState(state.session), *3 * [lambda: None])
    broken = {name: rules for name, rules, _ in state.unusual()}
    assert broken["amount"] == state.broken("amount", day(20)) != []
    assert all(f"Broken: {rule}" in view.detail.object for rule in broken["amount"])
    state.look("amount", day(20))
    assert "<h2" in view.about.object
    assert f"Broken: {broken['amount'][0]}" in view.detail.object


def test_what_moved_on_the_newest_batch_is_said_without_a_program() -> None:
    ws = FakeWorkspace()
    tables = ws.profiler.tables["orders"]
    tables[day(19)] = tables[day(19)].set_column(1, "amount", pa.array([1_000.0] * 400))  # type: ignore[union-attr]
    state = overview(ws.profiled())
    first = moved_metrics(state.session.history, "daily", "amount", day(19))[0]
    assert state.unusual() == [("amount", [], f"{first.words}: {first.rarity.far}")]


def test_an_address_names_a_cell() -> None:
    state = overview(troubled(), f"?pipeline=orders&tab=overview&column=amount&batch={day(15)}")
    assert (state.column, state.batch) == ("amount", day(15))


def test_health() -> None:
    ws = demo_workspace()
    publish_and_validate(ws)
    health = pipeline_health(ws.services, "orders")
    assert (health.health, health.batches, health.version, health.last) == ("bad", 365, 1, "2025-12-31")
    assert health.expected == "2026-01-01"
    assert health.open_alarms >= 2
    line = pipeline_line(health)
    assert line["tag"] == "failing"
    assert [s["name"] for s in line["sparks"]] == ["rows", "complete"]
    assert pipeline_health(ws.services, "returns").health == "unknown"
    assert pipeline_line(pipeline_health(ws.services, "returns"))["sparks"] == []


def test_a_batch_that_should_be_there_is_late() -> None:
    ws = FakeWorkspace(days=0)
    yesterday = datetime.now(UTC).date() - timedelta(days=3)
    ws.profiler.tables["orders"] = {str(yesterday - timedelta(days=k)): orders(k) for k in range(3)}
    assert pipeline_health(ws.profiled().services, "orders").late
    assert not pipeline_health(FakeWorkspace().profiled().services, "orders").late  # silent since 2024: it has ended


def test_what_cannot_be_read_is_its_pipelines_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    ws = demo_workspace()

    def broken(name: str) -> None:
        raise AvhError(f"The history of {name} is damaged.")

    monkeypatch.setattr(ws.services.programs, "live", broken)
    state = overview(ws)
    assert [h.health for h in state.list.shown] == ["bad"] * 3
    assert "damaged" in state.list.shown[0].problem


class Threads:
    """Work in real threads; what is to be done in the session is done by `settle`, in the test's thread."""

    def __init__(self) -> None:
        self.threads: list[threading.Thread] = []
        self.waiting: list[Callable[[], None]] = []

    def run(self, work: Callable[[], Any], done: Callable[[Any], None]) -> None:
        def go() -> None:
            result = work()
            self.waiting.append(lambda: done(result))

        thread = threading.Thread(target=go)
        self.threads.append(thread)
        thread.start()

    def settle(self) -> None:
        while any(t.is_alive() for t in self.threads) or self.waiting:
            for thread in self.threads:
                thread.join(10)
            while self.waiting:
                self.waiting.pop(0)()


def test_the_page_is_there_while_the_history_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    ws, threads, goes_on, halfway = demo_workspace(hostile=False), Threads(), threading.Event(), threading.Event()
    read = ws.history

    def slow(name: str, **asked: Any) -> Any:
        if asked.get("watch") is not None:
            asked["watch"].report(3_400, 10_000, "reading")
            halfway.set()
        goes_on.wait(10)
        return read(name, **asked)

    monkeypatch.setattr(ws.services.batches, "history", slow)
    monkeypatch.setattr("avh_ui.ui.state.session.TOLD_EVERY", 0.0)
    session = SessionState(ws.services, run=threads.run, soon=threads.waiting.append)
    state = OverviewState(session)
    session.open(Address("orders", "overview"))
    view = OverviewView(state, ProfilingState(session), print, print, print)
    assert [line["label"] for line in view.pipelines.lines.lines] == ["orders", "returns"]
    assert halfway.wait(10)
    threads.waiting.pop(0)()
    assert "Reading orders … 3,400 of 10,000 batches" in view.blank.object
    goes_on.set()
    threads.settle()
    state.visit()
    threads.settle()
    assert session.progress == ""
    assert view.grid.visible
    assert [health.batches for health in state.list.shown] == [365, 0]


def test_profiling_is_seen_by_every_session_and_cancelled_by_any(monkeypatch: pytest.MonkeyPatch) -> None:
    ws, threads = FakeWorkspace(), Threads()
    going, seen = threading.Event(), threading.Event()
    profile_batch = ws.profiler._measure

    def slowly(*args: Any) -> Any:
        seen.set()
        assert going.wait(10)
        return profile_batch(*args)

    monkeypatch.setattr(ws.profiler, "_measure", slowly)
    sessions = [SessionState(ws.services, run=threads.run, soon=threads.waiting.append) for _ in range(2)]
    for session in sessions:
        session.open(Address())
    threads.settle()
    mine, other = (ProfilingState(session) for session in sessions)
    mine.start()
    assert seen.wait(10)
    while threads.waiting:  # what the start left to do in the other session
        threads.waiting.pop(0)()
    assert (mine.busy, other.busy, other.total) == (True, True, DAYS)
    mine.start()  # it runs already
    other.cancel()
    going.set()
    threads.settle()
    assert (mine.busy, other.busy) == (False, False)
    assert "cancelled" in sessions[0].notice.text
    assert 1 <= len(ws.batches("orders")) < DAYS
    assert len(sessions[0].history.batches) == len(ws.batches("orders"))


def test_profiling_tells_what_came_of_it() -> None:
    ws = FakeWorkspace()
    ws.profiler.tables["orders"][day(3)] = None
    state = ProfilingState(sit_down(ws).session)
    state.start()
    assert "19 batches profiled, 1 batch failed: Batch '2024-01-04' cannot be read" in state.session.notice.text
    del ws.profiler.tables["orders"][day(3)]
    state.start()
    assert "every batch has a profile already" in state.session.notice.text


def test_the_view_draws_it() -> None:
    state = overview(troubled())
    view = OverviewView(state, ProfilingState(state.session), *3 * [lambda: None])
    assert len(view.grid.cells) == 4 * DAYS
    state.pick(0, -1)
    assert "1,000" in view.detail.object
    assert view.grid.cursor == [0, 15]
    view.profiling.param.update(busy=True, done=5, total=20, note="profiling <b>")
    assert (view.job.bar.value, view.job.cancel.visible, view.job.start.visible) == (25, True, False)
    assert "5 of 20 batches" in view.job.note.object
    assert "<b>" not in view.job.note.object


def test_a_thousand_pipelines_are_read_and_sent_by_the_page() -> None:
    source = {"source": {"path": "data/{batch}.parquet"}}
    names = ["orders", *(f"table_{k:04}" for k in range(999))]
    ws = FakeWorkspace(settings=Config.model_validate({"pipelines": dict.fromkeys(names, source)})).profiled()
    asked: list[str] = []
    history = ws.history
    ws.services.batches.history = lambda name, **options: (asked.append(name), history(name, **options))[1]  # type: ignore[method-assign]
    state = overview(ws)
    listed, view = state.list, PipelineListView(state.list)
    assert (len(listed.shown), listed.window.total, listed.window.pages, view.finder.body.visible) == (PAGE, 1_000, 50, True)
    assert set(asked) == set(names[:PAGE])
    assert "1 – 20 of 1,000 pipelines" in view.finder.about.object
    assert len(json.dumps(view.lines.lines)) < 100_000
    view.finder.search.value_input = "TABLE_09"
    assert [h.name for h in listed.shown] == names[901:921]
    listed.window.turn(99)
    assert (listed.window.page, len(listed.shown)) == (4, 19)
    view.finder.search.value_input = "no such"
    assert (listed.shown, listed.window.pages, view.lines.lines) == ((), 1, [])
    assert len(set(asked)) == 3 * PAGE - 1
    state.session.choose("table_0500")
    view.finder.search.value_input = ""
    state.visit()
    assert "table_0500" in [h.name for h in listed.shown]


def test_pages_that_are_turned_while_one_is_read_are_read_too() -> None:
    source = {"source": {"path": "data/{batch}.parquet"}}
    names = ["orders", *(f"table_{k:02}" for k in range(60))]
    ws = FakeWorkspace(settings=Config.model_validate({"pipelines": dict.fromkeys(names, source)})).profiled()
    state = OverviewState(sit_down(ws).session)
    waiting: list[Callable[[], None]] = []
    state.session.run = lambda work, done: waiting.append(lambda: done(work()))
    state.visit()
    waiting.pop(0)()  # the map
    state.list.window.turn(1)
    while waiting:
        waiting.pop(0)()
    assert not state.list.reading
    assert [h.health for h in state.list.shown] == ["unknown"] * PAGE
    assert "orders" not in [h.name for h in state.list.shown]


def wide(columns: int, batches: int) -> History:
    """Many constant columns, of which the last moves on the newest batch."""
    ids = tuple(f"{k:05}" for k in range(batches))
    values = np.zeros((columns, batches))
    values[-1, -1] = 5
    found = {
        f"c_{k:04}": ColumnHistory(f"c_{k:04}", "numeric", "double", ids, {"mean": line}, np.ones(batches, dtype=bool))
        for k, line in enumerate(values)
    }
    return History("orders", ids, np.full(batches, 9.0), found)


def test_thousands_of_columns_are_sent_by_the_window() -> None:
    state = overview(FakeWorkspace())
    view = OverviewView(state, ProfilingState(state.session), *3 * [lambda: None])
    state.map = heatmap(wide(5_000, 8), "daily")
    assert (len(view.grid.rows), len(view.grid.cells)) == (COLUMNS, COLUMNS * 8)
    assert view.grid.rows[0]["label"] == "c_4999"  # what moved is on the first page
    state.columns.query = "C_00"
    assert [row["label"] for row in view.grid.rows] == [f"c_{k:04}" for k in range(100)]
    state.pick(3, 2)
    assert (state.column, state.batch, view.grid.cursor) == ("c_0003", "00002", [3, 2])
    state.move(1, 0)
    assert state.column == "c_0004"
    state.columns.query = "no such"
    assert (view.grid.rows, view.grid.cells, view.finders.visible) == ([], "", True)
    state.look("c_3000", "")
    assert "c_3000" in state.part.columns
    assert (state.columns.query, state.columns.page) == ("", 15)


def test_thousands_of_batches_are_sent_from_the_newest_on() -> None:
    state = overview(FakeWorkspace())
    view = OverviewView(state, ProfilingState(state.session), *3 * [lambda: None])
    state.map = heatmap(wide(2, 2_500), "daily")
    assert (view.grid.columns[0], view.grid.columns[-1]) == ("01500", "02499")
    assert view.grid.cells[BATCHES - 1] == "4"
    state.spans.turn(9)
    assert (view.grid.columns[0], view.grid.columns[-1]) == ("00000", "00499")
    assert len(view.grid.cells) == 2 * 500
    state.pick(0, 4)
    assert (state.batch, view.grid.cursor) == ("00004", [0, 4])
    state.pick(0, -1)
    assert (state.batch, view.grid.cursor) == ("02499", [0, BATCHES - 1])
    state.move(0, -BATCHES)
    assert view.grid.columns[-1] == "01499"


def test_pipelines_are_sorted_by_what_they_ask_of_people(monkeypatch: pytest.MonkeyPatch) -> None:
    stands = {
        "t41": PipelineStanding("t41", open_alarms=2, ran="2026-01-01"),
        "t52": PipelineStanding("t52", pending=9),
        "t07": PipelineStanding("t07", ran="2026-02-01"),
        "t13": PipelineStanding("t13", problem="The history is damaged."),
    }
    asked: list[str] = []

    def read(_services: Any, name: str) -> PipelineStanding:
        asked.append(name)
        return stands.get(name, PipelineStanding(name))

    monkeypatch.setattr("avh_ui.ui.state.pipeline_list.standing", read)
    ws = demo_workspace()
    names = [f"t{k:02}" for k in reversed(range(60))]
    ws.services.config = ws.config.model_copy(update={"pipelines": dict.fromkeys(names, ws.config.pipelines["returns"])})
    state = overview(ws)
    view = PipelineListView(state.list)
    first = lambda count: [line["value"] for line in view.lines.lines[:count]]  # noqa: E731
    # Worst first, before anybody asks.
    assert (first(4), len(asked)) == (["t13", "t41", "t52", "t59"], 60)
    state.list.window.turn(1)
    view.orders._handle_msg("alarms")
    assert (first(3), len(asked)) == (["t13", "t41", "t59"], 120)
    assert state.list.window.page == 0
    view.orders._handle_msg("run")
    assert first(3) == ["t07", "t41", "t59"]
    view.orders._handle_msg("pending")
    assert first(2) == ["t52", "t59"]
    view.orders._handle_msg("name")
    assert first(2) == ["t00", "t01"]
    state.list.window.query = "5"
    assert first(3) == ["t05", "t15", "t25"]
    assert len(view.lines.lines) <= PAGE
    view.orders._handle_msg("")
    assert first(2) == ["t59", "t58"]
    assert view.tools.visible
    assert not PipelineListView(overview(demo_workspace()).list).tools.visible


def test_how_a_pipeline_stands_is_read_without_its_history(monkeypatch: pytest.MonkeyPatch) -> None:
    ws = demo_workspace()
    publish_and_validate(ws)
    monkeypatch.setattr(ws.services.batches, "history", None)
    found = standing(ws.services, "orders")
    assert (found.open_alarms >= 2, found.pending, found.ran) == (True, 0, "2025-12-31T06:00:00.000+00:00")
    assert standing(ws.services, "returns") == PipelineStanding("returns")
    assert "nowhere" in standing(ws.services, "nowhere").problem
