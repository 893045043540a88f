"""Every page of the app by itself, as in a notebook."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import panel as pn
import pytest

from avh_ui.errors import NotFoundError
from avh_ui.workspace import Workspace
from tests.fakes.demo_runs import publish_and_validate
from tests.fakes.demo_workspace import demo_workspace

PAGES: dict[str, Callable[[Workspace], Any]] = {
    "overview": lambda ws: ws.overview("orders"),
    "what-if": lambda ws: ws.what_if("orders"),
    "runs": lambda ws: ws.alarms("orders", batch="2025-12-30"),
    "drift": lambda ws: ws.drift("orders", batch="2025-12-30", against="2025-12-01..2025-12-05", column="tax_rate"),
    "publish": lambda ws: ws.publishing(),
}


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    """Published and validated, which takes a second; pages change nothing of it."""
    made = demo_workspace()
    publish_and_validate(made)
    return made


@pytest.mark.parametrize("page", PAGES)
def test_a_page_works_by_itself_and_shows_the_way_back(page: str, workspace: Workspace) -> None:
    view = PAGES[page](workspace)
    assert len(list(pn.panel(view).get_root().references())) > 5
    shell = view.shell
    assert (shell.session.tab, shell.session.pipeline) == (page, "orders")
    assert [name for name, body in shell.places.items() if body.visible] == [page]
    assert not view.header.visible
    shell.session.tab = "review"
    assert view.header.visible


def test_what_is_named_is_looked_at(workspace: Workspace) -> None:
    assert workspace.alarms("orders", batch="2025-12-30").shell.pages["runs"].state.batch == "2025-12-30"
    drift = workspace.drift("orders", batch="2025-12-30", column="tax_rate").shell.pages["drift"].state
    assert (drift.batch, drift.against) == ("2025-12-30", "2025-12-29")
    with pytest.raises(NotFoundError, match="oders"):
        workspace.overview("oders")


def test_the_whole_app_has_its_header() -> None:
    assert demo_workspace().review("orders").header.visible
