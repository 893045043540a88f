"""Other settings of the suggestions, seen before they are taken."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.ui.state.address import Address
from avh_ui.ui.state.session import SessionState
from avh_ui.ui.state.what_if import TABLE, WhatIfState
from avh_ui.ui.views.what_if import WhatIfView
from tests.fakes.demo_workspace import demo_workspace
from tests.fakes.workspaces import DAYS, FakeWorkspace, config, day, orders
from tests.unit.workflows.test_suggesting import coded


@pytest.fixture(scope="module")
def suggested() -> FakeWorkspace:
    made = FakeWorkspace(days=20).profiled()
    made.suggest("orders", sources=["history", "corpus", "snapshot"])  # with a closed set there would be no pattern
    return made


def opened(workspace: FakeWorkspace) -> WhatIfState:
    session = SessionState(workspace.services)
    session.open(Address())
    state = WhatIfState(session)
    state.visit()
    return state


def test_the_draft_s_own_settings_change_nothing(suggested: FakeWorkspace) -> None:
    state = opened(suggested)
    assert (state.fpr, state.problem, state.busy) == (0.001, "", False)
    assert state.outcome.difference.total == 0
    assert state.outcome.before == state.outcome.after
    assert not state.changed


def test_rules_on_rows_matched_by_key_are_not_programmed_and_leave_nothing() -> None:
    rng = np.random.default_rng(0)
    made = FakeWorkspace(settings=config(pipeline={"key": ["id"]}))
    made.profiler.tables["orders"] = {
        day(k): pa.table({"id": [f"c-{n:03}" for n in range(100)], "amount": 50 + rng.normal(size=100)}) for k in range(20)
    }
    draft = made.profiled().suggest("orders")
    assert any(item.current.measure.key for item in draft.items)
    state = opened(made)
    assert state.outcome.before == state.outcome.after
    assert state.outcome.difference.total == 0
    assert not any(" by " in name for name in state.columns)
    assert state.outcome.kept == len(draft.items) - state.outcome.before.clauses > 0
    state.fpr = 0.05
    state.adopt()
    now = made.draft("orders")
    assert now is not None
    assert [i.suggestion for i in now.items if i.current.measure.key] == [i.suggestion for i in draft.items if i.current.measure.key]


def test_a_rule_that_another_made_superfluous_does_not_enter() -> None:
    made = FakeWorkspace()
    made.profiler.tables["orders"] = {day(k): pa.table({"at": [f"{day(k)} 18:00:00"] * 100, "amount": np.arange(100)}) for k in range(60)}
    folded = {(out["column"], out["metric"]) for out in made.profiled().suggest("orders").run.left_out if "covered" in out}
    assert folded == {("rows by amount", "keys_twice")}, "that no amount occurs twice says more"
    assert opened(made).outcome.difference.total == 0


def test_a_larger_target_alarms_more(suggested: FakeWorkspace) -> None:
    state = opened(suggested)
    state.fpr = 0.05
    before, after = state.outcome.before, state.outcome.after
    assert after.alarms > before.alarms
    # Of a column's three rules those that notice more of what is promised may notice less in sum.
    assert 0.95 * before.caught <= after.caught <= after.tried
    assert state.changed
    state.clauses = 1
    assert state.outcome.after.clauses < after.clauses
    assert state.outcome.after.caught < after.caught


def test_one_target_for_the_table_is_shared_out(suggested: FakeWorkspace) -> None:
    state = opened(suggested)
    state.param.update(scope=TABLE, fpr=0.001)
    # 20 batches of a daily table; all columns together now have what each had.
    assert state.outcome.after.alarms <= 0.001 * 366
    assert state.outcome.after.alarms < state.outcome.before.alarms


def test_a_span_that_means_no_batches_is_told_and_the_last_outcome_stays(suggested: FakeWorkspace) -> None:
    state = opened(suggested)
    batches = suggested.batches("orders")
    state.exclude = f"{batches[3]}..{batches[5]}"
    outcome = state.outcome
    assert outcome.difference.total > 0
    state.since = "2013-99-99"
    assert "There is no batch '2013-99-99' of 'orders'" in state.problem
    assert state.outcome is outcome
    assert not state.changed
    state.since = batches[-3]
    assert (state.problem, state.outcome.after.clauses) == ("", 0)  # three batches are too few to learn from
    state.since = ""
    assert state.outcome == outcome


def with_codes() -> FakeWorkspace:
    """A workspace with a column of codes, which a pattern says more of than anything else."""
    made = FakeWorkspace(days=20)
    made.profiler.tables["orders"] = {day(k): orders(k).append_column("code", coded(k)["code"]) for k in range(20)}
    return made.profiled()


def test_adopting_makes_it_the_draft_and_keeps_what_was_decided() -> None:
    workspace = with_codes()
    draft = workspace.suggest("orders")
    patterns = {i.suggestion.id for i in draft.items if i.current.origin != "history"}
    assert patterns
    workspace.decide("orders", sorted(patterns), "accept")
    state = opened(workspace)
    state.fpr = 0.05
    expected = state.outcome.after.clauses
    state.adopt()
    now = workspace.draft("orders")
    assert now is not None
    assert now.run.fpr == 0.05
    assert len(now.items) == expected + len(patterns)
    assert {i.suggestion.id for i in now.items if i.status == "accepted"} == patterns
    assert state.session.notice.tone == "success"
    state.visit()
    assert state.outcome.difference.total == 0


def test_without_a_kept_run_it_says_so() -> None:
    session = SessionState(demo_workspace().services)
    session.open(Address())
    state = WhatIfState(session)
    state.visit()
    assert state.outcome is None
    assert "Nothing is kept of a suggestion run for 'orders'" in state.problem


def test_what_was_left_out_is_kept_with_the_draft_and_shown_again() -> None:
    workspace = FakeWorkspace(days=20).profiled()
    workspace.suggest("orders")
    batches = workspace.batches("orders")
    state = opened(workspace)
    state.param.update(exclude=f"{batches[3]}..{batches[5]}, {batches[9]}", clauses=2, since=batches[1])
    assert state.outcome.after.batches == 15
    state.adopt()
    draft = workspace.draft("orders")
    assert draft is not None
    assert draft.run.excluded == (*batches[3:6], batches[9])
    assert (draft.run.adopted_by, draft.editors) == ("ann", ("ann",))
    again = opened(workspace)
    assert (again.exclude, again.since, again.clauses) == (f"{batches[3]}..{batches[5]}, {batches[9]}", batches[1], 2)
    assert again.outcome.difference.total == 0
    assert again.outcome.after.batches == 15


def test_one_column_is_looked_at_alone(suggested: FakeWorkspace) -> None:
    state = opened(suggested)
    state.fpr = 0.05
    whole = state.outcome
    state.column = "amount"
    assert {c.either.column for c in state.outcome.difference.changes} == {"amount"}
    assert state.outcome.after.clauses < whole.after.clauses
    before = suggested.draft("orders")
    assert state.elsewhere
    state.adopt()
    assert suggested.draft("orders") == before
    state.column = ""
    assert state.outcome == whole


def test_the_table_s_budget_is_offered_in_the_words_of_avh_yml(suggested: FakeWorkspace) -> None:
    state = opened(suggested)
    assert "0.1%" in state.offered
    state.param.update(scope=TABLE)
    assert list(state.offered) == ["0.1%"] + [f"one false alarm a {time}" for time in ("year", "quarter", "month", "week")]
    month = state.offered["one false alarm a month"]
    assert month == pytest.approx(12 / 365.25)
    state.fpr = month
    assert "0.1%" not in state.offered
    view = WhatIfView(state)
    assert "In avh.yml it is `fpr: one false alarm a month`" in view.owned.object
    assert view.target.value == month


def test_expected_and_observed_stand_side_by_side() -> None:
    workspace = FakeWorkspace().published()
    workspace.suggest("orders")
    workspace.validate("orders", batch=day(DAYS - 1))
    view = WhatIfView(opened(workspace))
    assert "False alarms a year" in view.facts.object
    assert "0 of 1 failed" in view.facts.object
    assert "a year (95%)</small>" in view.facts.object
    workspace.profiler.tables["orders"][day(DAYS)] = orders(DAYS, 200)
    workspace.validate("orders", batch=day(DAYS))
    said = WhatIfView(opened(workspace)).facts.object
    assert "1 of 2 failed" in said
    assert "1 has no label: whether it was a false alarm is not known</small>" in said


def test_a_column_has_a_target_of_its_own_that_is_kept_with_the_draft() -> None:
    workspace = FakeWorkspace(days=20).profiled()
    others = [i for i in workspace.suggest("orders").items if "amount" not in i.current.column]
    state = opened(workspace)
    state.column = "amount"
    state.aim(0.05)
    assert state.target == 0.05
    assert {c.either.column for c in state.outcome.difference.changes} == {"amount"}
    alarms = state.outcome.after.alarms
    assert state.outcome.before.alarms < alarms <= 0.05 * 366
    assert not state.elsewhere
    state.adopt()
    draft = workspace.draft("orders")
    assert draft is not None
    assert draft.run.settings is not None
    assert (draft.run.fpr, draft.run.settings.own) == (0.001, {"amount": 0.05})
    assert [i for i in draft.items if "amount" not in i.current.column] == others
    again = opened(workspace)
    assert again.outcome.difference.total == 0
    again.column = "amount"
    assert (again.target, again.outcome.after.alarms) == (0.05, alarms)
    again.aim(0)
    assert again.own == {}
    assert again.outcome.after.alarms < alarms


def test_own_targets_and_patterns_are_part_of_the_table_s() -> None:
    workspace = with_codes()
    workspace.suggest("orders")
    state = opened(workspace)
    state.param.update(scope=TABLE, fpr=0.02)
    assert state.patterns > 0
    whole = state.outcome.after.alarms
    assert whole <= (0.02 - state.patterns) * 366
    state.column = "amount"
    state.aim(0.005)
    assert state.elsewhere
    assert state.outcome.after.alarms <= 0.005 * 366 + 0.005 * 366  # and the table's rows, which this column is constrained with
    state.column = ""
    assert state.outcome.after.alarms <= (0.02 - state.patterns) * 366
    state.column = "amount"
    state.aim(0.05)
    assert "own targets are 0.05 together, more than" in state.problem


def test_an_address_names_a_column_with_suggestions(suggested: FakeWorkspace) -> None:
    state = opened(suggested)
    state.visit(Address("orders", "what-if", column="amount"))
    assert state.column == "amount"
    state.visit(Address("orders", "what-if", column="nowhere"))
    assert (state.column, state.session.notice.tone) == ("", "warning")


def test_an_address_names_a_span_to_leave_out(suggested: FakeWorkspace) -> None:
    state, batches = opened(suggested), suggested.batches("orders")
    state.visit(Address("orders", "what-if", exclude=batches[4], since=batches[2]))
    assert (state.exclude, state.since, state.outcome.after.batches) == (batches[4], batches[2], 17)
