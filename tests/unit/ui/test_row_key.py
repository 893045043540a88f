"""The key of the table above the suggestions: accepted, changed, or said to be none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from avh_ui.constraints.known_key import KnownKey
from avh_ui.ui.state.row_key import KeyState
from avh_ui.ui.views.row_key import KeyView
from tests.fakes.workspaces import FakeWorkspace, config
from tests.unit.ui.conftest import sit_down

FOUND = KnownKey(("id",), "Unique in 12 of 12 batches.")


def opened(key: KnownKey | None, **pipeline: object) -> tuple[FakeWorkspace, KeyState]:
    workspace = FakeWorkspace(days=12, settings=config(pipeline=pipeline)).profiled()
    workspace.suggest("orders")
    workspace.reviews.amend("orders", lambda draft: replace(draft.run, row_key=key))
    return workspace, KeyState(sit_down(workspace).session)


def buttons(view: KeyView) -> dict[str, bool]:
    return {one["name"]: not one.get("disabled") for one in view.actions.actions}


def test_a_key_that_was_found_is_accepted() -> None:
    workspace, state = opened(FOUND)
    view = KeyView(state)
    assert "Unique in 12 of 12 batches" in view.text.object
    assert "waiting for a decision" in view.text.object
    assert buttons(view) == {"accept": True, "other": True, "none": True}
    view._act("accept")
    assert workspace.draft("orders").run.row_key == replace(FOUND, by="ann")
    assert buttons(view) == {"other": True, "none": True}
    assert state.session.notice.text == "Rows are matched by id."


def test_other_columns_or_none_are_chosen() -> None:
    workspace, state = opened(FOUND)
    view = KeyView(state)
    view._act("other")
    assert view.choice.visible
    assert {"id", "amount"} <= set(view.picker.options)
    assert not any(" by " in name or name == "rows" for name in view.picker.options)
    view.picker.value = ["id", "amount"]
    view._act("use")
    assert workspace.draft("orders").run.row_key.columns == ("id", "amount")  # type: ignore[union-attr]
    assert not view.choice.visible
    view._act("none")
    assert workspace.draft("orders").run.row_key.title == "no key"  # type: ignore[union-attr]
    assert "no key" in view.text.object


@pytest.mark.parametrize("key", [None, KnownKey(("id",), "", filed=True), KnownKey((), "These look like events.")])
def test_where_there_is_nothing_to_decide(key: KnownKey | None) -> None:
    _, state = opened(key)
    view = KeyView(state)
    assert view.body.visible is (key is not None)
    if key is not None:
        assert buttons(view) == ({"other": False, "none": False} if key.filed else {"other": True})
