"""Publishing, rolling back and the audit log by mouse and keyboard in a real browser; outcomes are read from the workspace."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import App, serving
from tests.fakes.demo_workspace import demo_workspace

pytestmark = pytest.mark.browser


@pytest.fixture
def published(context: BrowserContext) -> Iterator[App]:
    """Two versions, and a draft that would change the second."""
    workspace = demo_workspace()
    draft = workspace.draft("orders")
    assert draft is not None
    ids = [item.suggestion.id for item in draft.items]
    workspace.decide("orders", ids[:3], "accept")
    workspace.publish("orders", message="first")
    workspace.decide("orders", ids[3:5], "accept")
    workspace.publish("orders", message="second <b>")
    workspace.decide("orders", [ids[1]], "edit", lower=0.99, upper=1.0)
    workspace.decide("orders", [ids[2]], "reject")
    with serving(workspace, context) as served:
        yield served


def test_changes_are_published_and_an_older_version_is_rolled_back_to(published: App, page: Page) -> None:
    published.open(page, "?pipeline=orders&tab=publish")
    expect(page.get_by_text("1 changed, 1 removed").first).to_be_visible()
    expect(page.get_by_text("bounds of version 2")).to_be_visible()
    page.keyboard.press("j")
    expect(page.get_by_text("Removed:")).to_be_visible()
    page.wait_for_url("**suggestion=**")
    page.reload()
    expect(page.get_by_text("Removed:")).to_be_visible()
    page.get_by_label("Message").fill("wider, one less")
    page.get_by_role("button", name="Publish version 3").click()
    expect(page.get_by_text("Nothing to publish")).to_be_visible()
    live = published.workspace.live("orders")
    assert live is not None
    assert (live.version, len(live.constraints), live.message) == (3, 4, "wider, one less")
    # The same once more, where somebody asks for it.
    expect(page.get_by_text("Nothing changed: the draft enforces what the live version 3 does.")).to_be_visible()
    page.get_by_role("button", name="Publish the same again").click()
    page.get_by_label("Message").fill("signed anew")
    page.get_by_role("button", name="Publish version 4").click()
    expect(page.get_by_role("button", name="Version 4")).to_be_visible()
    expect(page.get_by_text("Nothing to publish")).to_be_visible()
    # Back to the first.
    page.get_by_role("button", name="Version 1").click()
    page.wait_for_url("**version=1**")
    expect(page.get_by_text("Enforcing it again would change the live version 4")).to_be_visible()
    back = page.get_by_role("button", name="Roll back to version 1")
    back.click()
    expect(page.get_by_role("alert")).to_contain_text("Say why version 1")
    expect(page.get_by_role("alert")).to_be_in_viewport()  # the form is far above
    page.get_by_label("Why roll back").fill("too loud")
    back.click()
    expect(page.get_by_text("Version 5 (version 1 again)")).to_be_visible()
    page.get_by_role("button", name="Audit log").click()
    expect(page.get_by_text("rolled back to version 1")).to_be_visible()
    expect(page.get_by_text("“second <b>”")).to_be_visible()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Audit CSV").click()
    assert "rolled back to version 1" in saved.value.path().read_text(encoding="utf-8")
    live = published.workspace.live("orders")
    assert live is not None
    assert (live.version, live.message) == (5, "too loud")
