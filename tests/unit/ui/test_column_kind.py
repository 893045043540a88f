"""The kind of the column under the cursor, put right by picking another."""

from __future__ import annotations

from avh_ui.ui.state.column_kind import AS_FOUND, ColumnKindState
from tests.fakes.workspaces import FakeWorkspace, config
from tests.unit.ui.conftest import sit_down


def opened(workspace: FakeWorkspace, column: str) -> ColumnKindState:
    desk = sit_down(workspace)
    desk.queue.go(next(i.suggestion.id for i in desk.session.draft.items if i.current.column == column))
    return ColumnKindState(desk.evidence)


def test_a_kind_is_picked_and_taken_back() -> None:
    workspace = FakeWorkspace(days=12).profiled()
    workspace.suggest("orders")
    state = opened(workspace, "amount")
    assert (state.column, state.known.kind, state.fixed) == ("amount", "measure", "")
    assert AS_FOUND not in state.choices.values()
    state.pick("measure")
    assert workspace.draft("orders").run.said_kind == ""
    state.pick("count")
    assert workspace.draft("orders").run.kinds["amount"].kind == "count"
    assert (state.known.kind, state.evidence.session.notice.tone) == ("count", "success")
    assert AS_FOUND in state.choices.values()
    state.pick(AS_FOUND)
    assert not workspace.draft("orders").run.kinds["amount"].corrected


def test_where_it_cannot_be_changed_it_says_why() -> None:
    workspace = FakeWorkspace(days=12, settings=config(pipeline={"kinds": {"amount": "share"}})).profiled()
    workspace.suggest("orders")
    assert opened(workspace, "amount").fixed == "avh.yml says it: change it there."
    table = opened(workspace, "rows")
    assert (table.column, table.known) == ("", None)
    table.pick("count")
    assert workspace.draft("orders").run.said_kind == ""
