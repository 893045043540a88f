"""What an incident's page begins with where more is known than its first rule says: a slipped column, a new one, rows of another rule."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from avh_ui.constraints.schema import EXTRA
from avh_ui.metrics.exchanged_columns import EXCHANGED
from avh_ui.metrics.moved import Moved, MovedRow
from avh_ui.metrics.strayed_values import Strayed
from avh_ui.ui.state.incident_steps import steps_of
from avh_ui.ui.state.incidents import IncidentsState
from avh_ui.ui.views.incident_text import about, lines, told
from avh_ui.ui.views.incidents import IncidentsView
from avh_ui.validator.results import RuleResult
from tests.fakes.run_contract import failed, validation
from tests.fakes.workspaces import FakeWorkspace, day, orders
from tests.unit.ui.conftest import sit_down

RNG = np.random.default_rng(2)


def looked_at(made: FakeWorkspace, *results: object, rules: tuple[RuleResult, ...] = ()) -> IncidentsState:
    made.drafted()
    made.record(replace(validation(day(3), *results, pipeline="orders"), rules=rules))  # type: ignore[arg-type]
    state = IncidentsState(sit_down(made).session)
    state.visit()
    return state


def test_a_column_that_slipped_by_a_row_is_said_before_what_its_rule_tells() -> None:
    made = FakeWorkspace(days=5)
    for at, slip in ((2, 0), (3, 1)):
        rows = orders(at)
        fee = RNG.lognormal(size=rows.num_rows)
        table = rows.append_column("fee", pa.array(fee)).append_column("levy", pa.array(np.roll(fee * 0.2, slip)))
        made.profiler.tables["orders"][day(at)] = table
    state = looked_at(made, failed("levy is null where fee is not.", column="levy"))
    page = told(state.story)
    assert "<b>levy seems to have slipped down by a row: it goes with fee a row above (correlation 1.00)" in page
    assert "levy is null where fee is not." in page
    view = IncidentsView(state, *[lambda: None] * 3)
    assert "levy seems to have slipped" in view.now.findings.text
    # The list says the same, and not what its rule tells; also of one that nobody has looked at.
    made.record(replace(validation(day(4), failed("amount moved.", column="amount"), pipeline="orders")))
    newest = IncidentsState(sit_down(made).session)
    newest.visit()
    assert newest.incident.since == day(4)
    notes = [line["note"] for line in lines(newest)]
    assert [note.startswith("levy seems to have slipped down by a row") for note in notes] == [False, True]


def test_of_a_new_column_it_says_what_is_in_it_and_what_is_to_be_done() -> None:
    made = FakeWorkspace(days=5)
    rows = orders(3)
    made.profiler.tables["orders"][day(3)] = rows.append_column("gate", pa.array(["A1"] * rows.num_rows))
    state = looked_at(made, rules=(RuleResult(EXTRA, "gate", "fail", "error", "Column 'gate' is new."),))
    assert "gate is &#x27;A1&#x27; in all rows that have a value." in told(state.story)
    steps = steps_of(state.incident, state.story, None, untold=False, asked="")
    assert [step.when for step in steps] == ["If the data are wrong", "If it stays so", "If it has to wait"]
    assert "suggest anew and publish" in steps[1].do
    # There is nothing before to be drawn beside it.
    assert not IncidentsView(state, *[lambda: None] * 3).shapes.visible


def test_what_is_exchanged_is_said_once() -> None:
    state = looked_at(FakeWorkspace(days=5), failed(f"a and b {EXCHANGED} in 7 rows: k.", column="a"))
    strayed = (Strayed("a", "b", ("x",), 7), Strayed("b", "a", ("y",), 7))
    assert told(replace(state.story, strayed=strayed)).count(EXCHANGED) == 1


def test_of_several_batches_it_is_said_whose_rows_are_counted() -> None:
    made = FakeWorkspace(days=5).drafted()
    for at in (2, 3):
        made.record(validation(day(at), failed(column="amount"), pipeline="orders"))
    state = IncidentsState(sit_down(made).session)
    state.visit()
    assert f"on {day(2)}; " in about(state.incident, state.story)
    one = looked_at(FakeWorkspace(days=5), failed(column="amount"))
    assert f"on {day(3)}; " not in about(one.incident, one.story)


def test_that_all_rows_changed_as_each_day_is_no_table_of_another_rule() -> None:
    state = looked_at(FakeWorkspace(days=5), failed(column="country"))
    (first,) = state.story.clusters
    every = Moved("amount", rows=(MovedRow("k1", "1", "2"),), count=9, among=9)
    state.story = replace(state.story, clusters=(first, replace(first, moved=every)))
    assert state.moved == {}
    state.story = replace(state.story, clusters=(replace(first, moved=every),))
    assert state.moved["title"] == "amount: 9 of 9 matched rows changed", "the first rule is on these rows"
    state.story = replace(state.story, clusters=(first, replace(first, moved=replace(every, count=3))))
    assert state.moved["title"] == "amount: 3 of 9 matched rows changed"
