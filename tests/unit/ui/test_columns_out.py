"""A rule that says the same of several columns, in the app: columns are taken out and put back, and undone."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.ui.views.columns_out import ColumnsOutView
from avh_ui.workspace import Workspace
from tests.fakes.enforced import enforced
from tests.unit.ui.conftest import Desk, sit_down

ROWS = 40


def delivery(k: int) -> pa.Table:
    sold = np.round(np.geomspace(1_000, 90_000, ROWS) * np.random.default_rng(k).uniform(0.97, 1.03, ROWS))
    return pa.table({
        "id": [f"p{n:02}" for n in range(ROWS)], "city": [f"City {n % 13}" for n in range(ROWS)],
        "state": [f"S{n % 5}" for n in range(ROWS)], "zip": [10_000 + 7 * n for n in range(ROWS)], "sold": sold,
    })  # fmt: skip


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    days = {f"2026-{1 + k // 28:02}-{1 + k % 28:02}": delivery(k) for k in range(33)}
    return enforced(tmp_path_factory.mktemp("places"), days, key=["id"])


@pytest.fixture
def at_desk(workspace: Workspace) -> Desk:
    desk = sit_down(workspace)
    desk.decisions.reopen([rule_at(desk)])
    desk.queue.go(rule_at(desk))
    return desk


def rule_at(desk: Desk) -> str:
    draft = desk.session.draft
    assert draft is not None
    return next(i.suggestion.id for i in draft.items if i.suggestion.constraint.metric == "changed_rows")


def columns(desk: Desk) -> tuple[str, ...]:
    return desk.item(rule_at(desk)).current.measure.columns


def test_each_column_has_a_button_and_the_last_one_stays(at_desk: Desk) -> None:
    view = ColumnsOutView(at_desk.evidence)
    assert view.body.visible
    assert [one["label"] for one in view.actions.actions] == ["Take out city", "Take out state", "Take out zip"]
    for name in ("city", "zip"):
        view.actions._handle_msg(name)
        at_desk.queue.go(rule_at(at_desk))
    assert columns(at_desk) == ("state",)
    assert [(one["label"], one["disabled"]) for one in view.actions.actions] == [
        ("Put back city", False), ("Take out state", True), ("Put back zip", False),
    ]  # fmt: skip
    view.actions._handle_msg("state")
    assert columns(at_desk) == ("state",)


def test_all_put_back_it_is_accepted_as_it_was_suggested(at_desk: Desk) -> None:
    at_desk.decisions.take_out(rule_at(at_desk), "zip")
    assert at_desk.item(rule_at(at_desk)).status == "edited"
    at_desk.decisions.take_out(rule_at(at_desk), "zip")
    assert at_desk.item(rule_at(at_desk)).status == "accepted"
    assert columns(at_desk) == ("city", "state", "zip")


def test_bounds_are_edited_beside_and_undo_brings_columns_back(at_desk: Desk) -> None:
    one = rule_at(at_desk)
    at_desk.decisions.take_out(one, "zip")
    at_desk.decisions.edit(one, 0.0, 0.05)
    item = at_desk.item(one)
    assert (item.current.measure.columns, item.current.upper) == (("city", "state"), 0.05)
    at_desk.decisions.undo()
    assert (columns(at_desk), at_desk.item(one).current.upper) == (("city", "state"), 0.0)
    at_desk.decisions.undo()
    assert columns(at_desk) == ("city", "state", "zip")
    assert at_desk.item(one).status == "pending"


def test_any_other_rule_has_no_such_buttons(at_desk: Desk) -> None:
    view = ColumnsOutView(at_desk.evidence)
    draft = at_desk.session.draft
    assert draft is not None
    at_desk.queue.go(next(i.suggestion.id for i in draft.items if i.suggestion.constraint.metric == "row_count"))
    assert not view.body.visible
