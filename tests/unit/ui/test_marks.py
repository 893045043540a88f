"""What happened along a metric's history, what part of it is drawn, and what its values are."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pyarrow as pa
import pytest

from avh_ui.errors import HistoryError
from avh_ui.history.views import View
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.ui.components.chart_marks import SHAPES
from avh_ui.ui.state.axis import batch_axis
from avh_ui.ui.state.exports import cell_csv, history_csv, issues_csv, pipelines_csv
from avh_ui.ui.state.marks import missing
from avh_ui.ui.state.overview import OverviewState
from avh_ui.ui.state.values import ShownValues, ValuesState, values_of
from avh_ui.ui.views.chart_data import chart_data
from tests.fakes.workspaces import FakeWorkspace, day
from tests.unit.ui.conftest import Desk, sit_down


def test_missing_batches_have_a_place_between_dates_alone() -> None:
    axis = batch_axis(["2026-01-01", "2026-01-02", "2026-01-05"])
    found = missing(axis, "daily")
    assert [m.text for m in found] == ["2026-01-03: missing", "2026-01-04: missing"]
    assert axis.x[1] < found[0].x < found[1].x < axis.x[2]
    assert missing(batch_axis(["run 1", "run 4"]), "daily") == []
    assert missing(batch_axis(["2026-01-01", "2026-01-02"]), "daily") == []


def test_what_was_said_and_done_is_marked(desk: Desk) -> None:
    key, batches = desk.evidence.item.suggestion.id, desk.session.history.batches
    desk.decisions.accept([key])
    desk.publishing.message = "first"
    desk.publishing.approve()
    desk.workspace.give_feedback("orders", batches[40], key, "known_error", why="<vendor>")
    desk.workspace.give_feedback("orders", batches[41], "another", "false_alarm")
    desk.workspace.services.suggestions._reviews.save_run(replace(desk.session.draft.run, excluded=(batches[300],)))
    desk.session.refresh()
    desk.queue.go(key)
    found = {(mark.kind, mark.text.split(":")[0]) for mark in desk.evidence.marks()}
    last = desk.session.draft.run.last_batch
    # What alarmed on batch 40 was never validated anew, so the batch is left out of the next run too.
    assert found == {("labelled", batches[40]), ("excluded", batches[40]), ("excluded", batches[300]), ("published", last)}
    assert {kind for kind, _ in found} <= set(SHAPES)
    trial = desk.evidence.trial()
    assert not trial.learned[300]
    assert int(trial.learned.sum()) == desk.session.draft.run.batches - 1


def test_a_part_of_the_history_is_drawn(desk: Desk) -> None:
    found, trial = chart_data(desk.evidence), desk.evidence.trial()
    learned = [x for x, known in zip(trial.axis.x, trial.learned, strict=True) if known]
    assert found.window == (learned[0] - trial.axis.step / 2, learned[-1] + trial.axis.step / 2)
    assert found.seen is None
    desk.evidence.seen = (300, 364)
    x = batch_axis(desk.session.history.batches).x
    assert chart_data(desk.evidence).seen == (x[300], x[364])
    desk.evidence.seen = (360, 10_000)
    assert chart_data(desk.evidence).seen == (x[360], x[364])


def test_the_history_is_saved_as_a_table(desk: Desk) -> None:
    rows = list(csv.DictReader(io.StringIO(history_csv(desk.evidence))))
    trial = desk.evidence.trial()
    assert [row["batch"] for row in rows] == list(trial.axis.batches)
    assert sum(row["fired"] == "True" for row in rows) == trial.result.fires
    assert float(rows[-1]["value"]) == trial.result.observed[-1]


def test_sample_values_are_those_of_the_newest_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = FakeWorkspace(days=10).drafted()
    desk = sit_down(workspace)
    samples = ValuesState(desk.evidence)
    by_column = {}
    for item in desk.session.draft.items:
        desk.queue.go(item.suggestion.id)
        by_column[item.current.column] = samples.values
    countries, amounts = by_column["country"], by_column["amount"]
    assert isinstance(countries, ShownValues)
    assert (countries.batch, countries.note) == (day(9), "400 values, 4 distinct")
    assert {name for name, _ in countries.rows} == {"DE", "FR", "IT", "ES"}
    assert [name for name, _ in amounts.rows][:2] == ["least", "1%"]
    view = View("p", ("b",), (), 4, {"n": ColumnProfile.from_arrow("n", pa.array([3, 3, 3, 1000]))})
    assert values_of(view, "n") == ShownValues("b", ("Value", "Share"), (("3", "75%"), ("1,000", "25%")), "4 values")
    monkeypatch.setattr(workspace.services.batches, "view", lambda *_, **__: pytest.fail("it is known already"))
    desk.queue.go(desk.session.draft.items[0].suggestion.id)
    assert samples.values is not None


def test_values_that_cannot_be_read_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = FakeWorkspace(days=10).drafted()

    def broken(*_: object, **__: object) -> None:
        raise HistoryError("The file is cut short.")

    monkeypatch.setattr(workspace.services.batches, "view", broken)
    assert str(ValuesState(sit_down(workspace).evidence).values) == "The file is cut short."


def test_the_issues_are_saved_as_a_table(desk: Desk) -> None:
    rows = list(csv.DictReader(io.StringIO(issues_csv(desk.evidence))))
    suggestion = desk.evidence.item.suggestion
    assert sum(row["caught"] == "only" for row in rows) == len(suggestion.only_caught)
    assert sum(row["caught"] != "missed" for row in rows) == len(suggestion.caught)


def test_pipelines_and_the_cell_looked_at_are_saved_as_tables() -> None:
    overview = OverviewState(sit_down(FakeWorkspace(days=12).published()).session)
    overview.visit()
    (row,) = csv.DictReader(io.StringIO(pipelines_csv(overview.list.shown)))
    assert (row["pipeline"], row["batches"], row["last"], row["expected"], row["live"]) == ("orders", "12", day(11), day(12), "1")
    assert list(csv.DictReader(io.StringIO(cell_csv(overview)))) == []
    overview.look("amount", day(11))
    cell = list(csv.DictReader(io.StringIO(cell_csv(overview))))
    assert {r["metric"] for r in cell} >= {"mean", "js_div"}
    assert {(r["column"], r["batch"]) for r in cell} == {("amount", day(11))}
