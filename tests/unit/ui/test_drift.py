"""Drift investigation: two sides compared from their states, and what is looked at of them."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.errors import CancelledError, SourceError
from avh_ui.history.views import View
from avh_ui.metrics.binning import BINS
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.comparison import ColumnShift, Comparison
from avh_ui.ui.state.drift import BEFORE, LISTED, MONTH, SEASON, DriftState
from avh_ui.ui.state.exports import RARITY
from avh_ui.ui.state.session import SessionState
from avh_ui.ui.views.drift import DriftView
from avh_ui.ui.views.drift_text import categories, summary
from avh_ui.workflows.frames import profile_table
from tests.fakes.workspaces import DAYS, FakeWorkspace, config, day
from tests.unit.ui.conftest import sit_down


def side(batch: str, **columns: list[object]) -> View:
    measured = {name: ColumnProfile.from_arrow(name, pa.array(values)) for name, values in columns.items()}
    return View("p", (batch,), (), 4, measured)


def drifted() -> FakeWorkspace:
    """Batch 15 has other amounts, a country less, one of a hostile name more, and `paid` as text."""
    ws = FakeWorkspace()
    tables = ws.profiler.tables["orders"]
    table = tables[day(15)]
    assert table is not None
    countries = ["<b>XX</b>" if c == "DE" else c for c in table.column("country").to_pylist()]
    table = table.set_column(1, "amount", pa.array(np.asarray(table.column("amount")) * 100))
    table = table.set_column(2, "country", pa.array(countries)).set_column(3, "paid", pa.array(["yes"] * 400))
    tables[day(15)] = table.append_column("=new", pa.array([1] * 400))
    return ws.profiled()


def opened(ws: FakeWorkspace, **address: str) -> DriftState:
    state = DriftState(sit_down(ws).session)
    state.visit(Address("orders", "drift", **address) if address else None)
    return state


def test_columns_that_changed_come_first() -> None:
    state = opened(drifted(), batch=day(15))
    assert state.against == day(14)
    changes = [(c.name, c.change) for c in state.columns]
    assert set(changes[:2]) == {("paid", "retyped"), ("=new", "appeared")}
    assert {name for name, _ in changes[2:4]} == {"amount", "country"}
    state.compare(day(14), day(15))
    assert ("=new", "vanished") in {(c.name, c.change) for c in state.columns}


def test_metrics_by_how_far_they_moved() -> None:
    state = opened(drifted(), batch=day(15), column="amount")
    found = state.comparison.metrics("amount")
    assert [m.rarity.order for m in found] == sorted((m.rarity.order for m in found), reverse=True)
    by_name = {m.name: m for m in found}
    assert by_name["mean"].rarity.times > 5
    assert by_name["complete_ratio"].rarity.times == 0
    assert by_name["js_div"].distance
    assert all(not all(map(math.isnan, m.numbers)) for m in found), "what neither side has says nothing"


def test_what_was_always_the_same_has_moved_far_when_it_changes() -> None:
    ws = FakeWorkspace()
    tables = ws.profiler.tables["orders"]
    for k, table in enumerate(tables.values()):
        assert table is not None
        tables[day(k)] = table.append_column("fixed", pa.array([1.0 if k == 15 else 5.0] * table.num_rows))
    found = opened(ws.profiled(), batch=day(15), column="fixed").comparison.metrics("fixed")
    # A part of its own habit, it was the root of the number of batches away, however far that is.
    assert {m.name: m.rarity.words for m in found}["max"] == "> 99×, none in 14"


def test_a_column_of_one_side_or_of_another_kind_shows_what_there_is() -> None:
    made = opened(drifted(), batch=day(15)).comparison
    new = {m.name: (m.ours, m.theirs) for m in made.metrics("=new")}
    assert new["mean"] == ("1", "–")
    retyped = {m.name: (m.ours, m.theirs) for m in made.metrics("paid")}
    assert retyped["complete_ratio"] == ("100%", "100%")
    assert retyped["str_len"] == ("3", "–")
    assert all(math.isnan(m.rarity.times) for m in made.metrics("paid"))


def test_a_distance_below_the_usual_is_no_drift() -> None:
    state = opened(drifted(), batch=day(10), against=day(10))
    assert {m.rarity.times for m in state.comparison.metrics("amount") if m.name != "row_count"} == {0.0}


def test_contributions_add_up_to_the_distance() -> None:
    found = Comparison(side("b", c=["x", "x", "y", "z"]), side("a", c=["x", "y", "y", "w"]), None).categories("c")
    assert sum(c.contribution for c in found) == pytest.approx(1)
    assert {(c.name, c.ours, c.theirs) for c in found} == {("x", 0.5, 0.25), ("y", 0.25, 0.5), ("z", 0.25, 0.0), ("w", 0.0, 0.25)}
    js = {"x": (0.5, 0.25), "y": (0.25, 0.5), "z": (0.25, 0.0), "w": (0.0, 0.25)}
    terms = {n: sum(s * math.log(s / ((p + q) / 2)) / 2 for s in (p, q) if s) for n, (p, q) in js.items()}
    assert {c.name: c.contribution for c in found} == pytest.approx({n: t / sum(terms.values()) for n, t in terms.items()})


def test_values_that_all_differ_are_counted_and_not_listed() -> None:
    times = [[f"2026-01-0{day} {k // 60:02}:{k % 60:02}" for k in range(400)] for day in (1, 2)]
    both = Comparison(side("b", c=times[0]), side("a", c=times[1]), None)
    text = str(categories(both, "c"))
    assert "800 values differ; the 14 that changed most make up 1.7% of it" in text
    assert "2026-01-01 00:00" not in text
    few = str(categories(Comparison(side("b", c=["x", "x", "y"]), side("a", c=["x", "y", "y"]), None), "c"))
    assert "Values by change of their share" in few
    # Of equal sides nothing differs.
    assert "differ" not in str(categories(Comparison(side("b", c=times[0]), side("a", c=times[0]), None), "c"))


def test_nested_columns_are_not_new_against_a_batch_of_release_0_1() -> None:
    columns: dict[str, list[object]] = {"x": [1, 2], "geo": [{"lat": 1.5}, None], "tags": [["a"], []]}
    now = View("p", ("b",), (), 2, profile_table(pa.table(columns), "p", "b").columns)
    before = View("p", ("a",), (), 2, {"x": now.columns["x"]})
    changes = {c.name: c.change for c in Comparison(now, before, None).columns()}
    assert changes == dict.fromkeys(("x", "geo", "geo.lat", "tags", "tags.size()"), "same")
    half = View("p", ("a",), (), 2, {name: c for name, c in now.columns.items() if not name.startswith("tags")})
    assert {c.name for c in Comparison(now, half, None).columns() if c.change == "appeared"} == {"tags", "tags.size()"}


def test_equal_sides_have_no_contribution() -> None:
    same = side("a", c=["x", "y"])
    assert [c.contribution for c in Comparison(same, same, None).categories("c")] == [0, 0]


@pytest.mark.parametrize(
    ("ours", "theirs", "bins"),
    [
        ([1.0, 2.0, 2.0], [2.0, 5.0], 3),
        ([3.0], [3.0], 1),
        (list(range(1000)), list(range(500, 1500)), BINS),
        ([0.0, math.inf], [0.0, 1.0], 2),
    ],
)
def test_histograms_hold_every_share(ours: list[float], theirs: list[float], bins: int) -> None:
    found = Comparison(side("b", c=ours), side("a", c=theirs), None).numbers("c")
    assert found is not None
    assert len(found.edges) == bins + 1
    assert (np.diff(found.edges) > 0).all()
    finite = sum(math.isfinite(v) for v in ours) / len(ours)
    assert finite - 0.02 <= found.ours.sum() <= finite + 1e-9
    assert 0.98 <= found.theirs.sum() <= 1 + 1e-9
    for _, shares in (found.ours_curve, found.theirs_curve):
        assert (np.diff(shares) >= 0).all()
    assert [len(q) for q in found.quantiles] == [99, 99]


def test_quantiles_are_observed_ones() -> None:
    found = Comparison(side("b", c=list(range(1, 101))), side("a", c=[7.0] * 5), None).numbers("c")
    assert found is not None
    np.testing.assert_array_equal(found.quantiles[0], np.arange(1, 100))
    assert set(found.quantiles[1]) == {7.0}


def test_without_values_there_is_nothing_to_draw() -> None:
    nothing = Comparison(side("b", n=pa.array([None], pa.float64()), t=[""]), side("a", n=[1.0], t=pa.array([None], pa.string())), None)
    assert nothing.numbers("n") is None
    assert nothing.categories("t") == []
    assert nothing.numbers("t") is None
    assert nothing.categories("n") == []


def test_spans_are_compared_per_batch() -> None:
    state = opened(FakeWorkspace().profiled(), batch=day(19), against=f"{day(0)}..{day(18)}")
    by_name = {m.name: m for m in state.comparison.metrics("amount")}
    assert (by_name["row_count"].ours, by_name["row_count"].theirs) == ("400", "400")
    assert not by_name["sum"].rarity.marked
    assert len(state.comparison.theirs.batches) == 19


def test_what_a_batch_is_compared_with() -> None:
    state = opened(FakeWorkspace().profiled())
    assert (state.batch, state.against) == (day(19), day(18))
    assert state.preset(BEFORE) == day(18)
    assert state.preset(SEASON) == day(12)
    assert state.preset(MONTH) == f"{day(0)}..{day(18)}"
    assert state.preset(BEFORE, f"{day(5)}..{day(9)}") == day(4)
    assert state.preset(BEFORE, day(0)) == ""
    state.turn(-3)
    assert (state.batch, state.against) == (day(16), day(15))
    first = state.column
    state.move(1)
    assert state.column != first
    state.move(-9)
    assert state.column == state.columns[0].name


def test_the_batch_before_is_the_one_that_the_validator_compares_with() -> None:
    ws = FakeWorkspace().profiled()
    kept = ws.profiles.profiles["orders"]
    kept[day(18)] = replace(kept[day(18)], extra={"validation": "fail"})
    state = opened(ws)
    assert (state.batch, state.against, state.preset(BEFORE), state.passed_over) == (day(19), day(17), day(17), 1)
    assert "1 batch between failed or is labelled as wrong" in str(summary(state))
    state.compare(day(18), day(17))
    assert (state.preset(BEFORE), state.passed_over) == (day(17), 0)
    assert "failed" not in str(summary(state))


def test_one_batch_alone_waits_for_the_next() -> None:
    assert opened(FakeWorkspace(days=1).profiled()).problem.startswith("There is one batch so far")


def test_what_cannot_be_compared_is_told_and_mended() -> None:
    state = opened(FakeWorkspace().profiled())
    state.compare("2024-13-01", day(3))
    assert "2024-13-01" in state.problem
    assert state.comparison is None
    state.compare("", day(3))
    assert "Name a batch" in state.problem
    state.compare(day(4), day(3))
    assert (state.problem, state.comparison.ours.batches) == ("", (day(4),))


def test_an_address_names_both_sides_and_the_column() -> None:
    state = opened(drifted(), batch=day(9), against=f"{day(2)}..{day(4)}", column="country")
    assert (state.column, len(state.comparison.theirs.batches)) == ("country", 3)


def test_rows_are_fetched_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    ws = drifted()
    state = opened(ws, batch=f"{day(14)}..{day(15)}", against=day(3))
    assert state.rows is None
    state.fetch()
    assert state.rows.column_names[-1] == "=new"  # of the last batch of the span
    del ws.profiler.tables["orders"][day(15)]
    state.fetch()
    assert isinstance(state.rows, SourceError)


def test_the_table_is_saved_and_no_cell_is_a_formula() -> None:
    state = opened(drifted(), batch=day(15))
    lines = list(csv.reader(io.StringIO(state.table())))
    assert lines[0] == ["column", "change", "metric", day(15), day(14), "usual", *RARITY]
    assert {line[0] for line in lines[1:]} == {"id", "amount", "country", "paid", "'=new"}
    (mean,) = [line for line in lines if line[0] == "amount" and line[2] == "mean"]
    assert float(mean[3]) == pytest.approx(state.comparison.ours.metric("amount", "mean"))
    assert all(float(cell) >= 0 for line in lines[1:] for cell in line[3:] if cell)


def test_fetched_rows_are_saved_as_text() -> None:
    state = opened(drifted(), batch=day(15))
    state.rows = pa.table({"=a": ["+1", " =2", "\n@x", None], "n": [-1.5, 2.0, None, 0.0]})
    assert list(csv.reader(io.StringIO(state.rows_table()))) == [
        ["'=a", "n"], ["'+1", "-1.5"], ["' =2", "2.0"], ["'\n@x", ""], ["", "0.0"],
    ]  # fmt: skip


def test_of_a_rule_it_is_told_how_many_rows_keep_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Comparison, "rule", lambda _self, name: name == "kept")
    found = Comparison(side(day(2), kept=[True, True, False]), side(day(1), kept=[True, True, True]), None)
    assert {(c.name, round(c.ours, 2), c.theirs) for c in found.categories("kept")} == {("kept", 0.67, 1.0), ("broken", 0.33, 0.0)}
    assert "Rows by whether they keep the rule" in categories(found, "kept")
    other = Comparison(side(day(2), paid=[True, False]), side(day(1), paid=[True, True]), None)
    assert {c.name for c in other.categories("paid")} == {"true", "false"}


def test_the_view_draws_it_and_values_stay_text() -> None:
    state = opened(drifted(), batch=day(15), column="country")
    view = DriftView(state)
    assert "&lt;b&gt;XX&lt;/b&gt;" in view.bars.object
    assert "<b>XX" not in view.bars.object
    assert " new" in view.bars.object
    assert " gone" in view.bars.object
    state.look("amount")
    assert view.charts.body.visible
    assert len(view.charts.bars.data["ours"]) == BINS
    state.look("paid")
    assert "Its type changed from boolean to string" in view.heading.object
    assert not view.charts.body.visible
    view.batch.value = "nowhere"
    assert view.blank.visible
    assert "cannot be compared" in view.note.object


def test_without_history_it_says_so() -> None:
    view = DriftView(opened(FakeWorkspace(days=0)))
    assert "Nothing to compare yet" in view.note.object
    assert replace(side("a"), rows=0).columns == {}


def test_the_newest_is_compared_when_more_came() -> None:
    ws = FakeWorkspace(days=DAYS).profiled()
    state = opened(ws)
    state.session.refresh()
    state.visit()
    assert state.comparison is not None


def test_segments_are_compared_with_their_own_past() -> None:
    ws = FakeWorkspace(days=12, settings=config(pipeline={"segments": ["country"]})).profiled()
    state = opened(ws, batch=day(11))
    assert state.segments == ("country=DE", "country=ES", "country=FR", "country=IT")
    whole = state.comparison.ours.rows
    state.take("country=DE", "country=FR")
    assert (state.ours, state.theirs) == (f"{day(11)} · country=DE", f"{day(10)} · country=FR")
    assert state.comparison.ours.rows < whole
    assert state.comparison.history.rows[-1] == state.comparison.ours.rows
    assert {c.name for c in state.comparison.categories("country")} == {"DE", "FR"}
    state.fetch()
    assert set(state.rows.column("country").to_pylist()) == {"DE"}
    assert state.rows.num_rows <= 20
    reopened = opened(ws, batch=day(11), part="country=DE", against_part="country=FR")
    assert reopened.comparison.ours.rows == state.comparison.ours.rows
    state.take("country=XX", "")
    assert "country=XX" in state.problem


def test_fetching_rows_is_cancelled() -> None:
    ws = FakeWorkspace(days=9).profiled()
    session = SessionState(ws.services)
    waiting: list[tuple[Any, Any]] = []
    state = DriftState(session)
    session.open(Address())
    state.visit()
    session.run = lambda work, done: waiting.append((work, done))
    state.fetch()
    assert state.fetching
    state.cancel()
    assert state.cancelling
    work, done = waiting.pop()
    found = work()
    assert isinstance(found, CancelledError)
    done(found)
    assert (state.fetching, state.cancelling, state.rows) == (False, False, None)


def test_a_column_s_distributions_are_saved_as_a_table() -> None:
    state = opened(drifted(), batch=day(15), column="amount")
    bins = list(csv.DictReader(io.StringIO(state.distribution_table())))
    assert math.isclose(sum(float(row[day(14)]) for row in bins), 1, abs_tol=0.05)
    assert all(float(row["from"]) < float(row["to"]) for row in bins)
    state.look("country")
    values = [row for row in csv.DictReader(io.StringIO(state.distribution_table())) if row["what"] == "value"]
    assert {row["value"] for row in values} == {"DE", "FR", "IT", "ES", "<b>XX</b>"}
    assert math.isclose(sum(float(row["share of the distance"]) for row in values), 1)


def test_the_list_of_thousands_of_columns_is_sent_by_the_page() -> None:
    state = opened(FakeWorkspace().profiled())
    view = DriftView(state)
    state.columns = tuple(ColumnShift(f"c_{k:04}", "numeric", "same", "") for k in range(5_000))
    assert [line["value"] for line in view.columns.lines] == [f"c_{k:04}" for k in range(LISTED)]
    state.window.query = "c_1"
    assert view.columns.lines[0]["value"] == "c_1000"
    state.move(1)
    assert state.column == "c_1000"
    state.move(LISTED)
    assert (state.column, view.columns.lines[0]["value"]) == ("c_1100", "c_1100")
    state.look("c_4999")
    assert (state.window.query, view.columns.lines[-1]["value"]) == ("", "c_4999")
