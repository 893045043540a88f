"""The page around the review: themes, address, pipelines, help, publishing, and what is shown when there is nothing."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import App, Reviewer

pytestmark = pytest.mark.browser

# Counts from here on what Bokeh lays out, and of that what stands in a page that is hidden.
COUNT_UNSEEN = """() => {
  const view = Bokeh.require("models/layouts/layout_dom").LayoutDOMView.prototype
  const { after_layout } = view
  Object.assign(window, { seen: 0, unseen: 0 })
  view.after_layout = function () {
    const hidden = this.parent?.el.offsetParent === null && this.parent.parent
    window[hidden ? "unseen" : "seen"] += 1
    after_layout.call(this)
  }
}"""


def test_the_dark_theme_reaches_table_and_chart_and_stays_as_do_decisions(reviewer: Reviewer) -> None:
    page = reviewer.page
    expect(page.locator("main")).to_have_css("background-color", "rgb(255, 255, 255)")
    expect(page.get_by_role("heading", name=re.compile(r"^\s*$"))).to_have_count(0)  # read to nobody who cannot see
    expect(reviewer.row(3)).to_have_css("color", "rgb(23, 33, 43)")
    page.get_by_label("Toggle theme").click()
    expect(page.locator("main")).to_have_css("background-color", "rgb(24, 31, 39)")
    expect(reviewer.row(3)).to_have_css("color", "rgb(228, 234, 240)")
    chart = "[...Bokeh.documents[0]._all_models.values()].find((m) => m.name === 'history')"
    page.wait_for_function(f"() => {chart}.background_fill_color.toLowerCase() === '#181f27'")
    page.wait_for_function("() => document.cookie.includes('avh_theme=dark')")
    page.keyboard.press("a")
    reviewer.says("Accepted")
    reviewer.row(5).click()
    page.wait_for_url("**suggestion=" + reviewer.id(5))
    page.reload()
    expect(reviewer.row(3)).to_have_css("color", "rgb(228, 234, 240)")
    expect(page.locator("main")).to_have_css("background-color", "rgb(24, 31, 39)")
    expect(reviewer.row(0)).to_contain_text("accepted")
    reviewer.looks_at(5)
    not_overlapping(reviewer)


def not_overlapping(reviewer: Reviewer) -> None:
    """In windows of three widths nothing stands over another thing or beyond the page."""
    buttons = [reviewer.button(name).first for name in ("Accept", "Reject", "Save edit", "Reset")]
    for width in (1024, 1440, 2560):
        reviewer.fits(width)
        table = reviewer.row(0).bounding_box()
        assert table is not None
        for button in buttons:
            expect(button).to_be_visible()
            box = button.bounding_box()
            assert box is not None
            assert box["x"] >= table["x"] + table["width"]
            assert box["x"] + box["width"] <= width


def test_the_help_sheet_the_address_and_another_pipeline(reviewer: Reviewer) -> None:
    page = reviewer.page
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("next line")
    page.keyboard.press("a")  # keys do nothing while it is open
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(reviewer.row(0)).to_contain_text("pending")
    reviewer.row(3).click()
    wanted = reviewer.id(3)
    page.wait_for_url(f"**suggestion={wanted}")
    page.get_by_role("navigation", name="Pages").get_by_role("button", name="Publish").click()
    page.wait_for_url("**tab=publish")
    expect(reviewer.button("Publish version 1")).to_be_disabled()
    expect(page.get_by_text("Nothing is accepted yet")).to_be_visible()
    page.evaluate(COUNT_UNSEEN)
    reviewer.fits(1200)
    page.go_back()
    page.wait_for_url(f"**suggestion={wanted}")
    reviewer.looks_at(3)
    reviewer.fits(1200)  # what was hidden meanwhile, too
    assert page.evaluate("() => [unseen, seen > 0]") == [0, True]
    page.get_by_role("combobox", name="Pipeline").click()
    page.get_by_role("menuitem", name="returns").click()
    expect(page.get_by_text("returns has no data yet")).to_be_visible()
    expect(page.get_by_text("No batch of 'returns' was found at")).to_be_visible()
    expect(page.get_by_text("Then four steps lead to a table that is watched")).to_be_visible()
    expect(reviewer.button("Check again")).to_be_visible()
    expect(reviewer.button("Profile and suggest")).to_be_hidden()
    page.wait_for_url("**pipeline=returns**")


def test_what_draws_is_fetched_ahead_and_once_and_a_selection_is_one_message(app: App, page: Page) -> None:
    asked: list[str] = []
    changes: list[str] = []

    def heard(frame: object) -> None:
        if isinstance(frame, str) and '"msgtype":"PATCH-DOC"' in frame.replace(" ", ""):
            changes.append(frame)

    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: socket.on("framereceived", heard))
    reviewer = app.open(page, "?pipeline=ordrs&pile=all")
    expect(page.get_by_text("Did you mean 'orders'?").first).to_be_visible()
    reviewer.looks_at(0)
    ahead = page.evaluate("() => [...document.querySelectorAll('link[rel=modulepreload]')].map((link) => link.href)")
    drawn = page.evaluate("() => [...Bokeh.documents[0]._all_models.values()].map((m) => m.esm).filter(Boolean)")
    assert {f"{app.url}{esm.removeprefix('./')}" for esm in drawn} <= set(ahead)
    assert all(asked.count(url) == 1 for url in ahead)
    for at in (1, 2):
        changes.clear()
        page.keyboard.press("j")
        reviewer.looks_at(at)
        page.wait_for_url(f"**suggestion={reviewer.id(at)}")
        metric = reviewer.row(at).locator("td.rule").get_attribute("data-metric")
        expect(page.locator(".title + .said + .subtitle")).to_contain_text(f"({metric})")
    assert len(changes) == 1


def test_publishing(reviewer: Reviewer) -> None:
    page = reviewer.page
    tab = page.get_by_role("navigation", name="Pages").get_by_role("button", name="Publish")
    for at in range(2):
        page.keyboard.press("a")
        expect(reviewer.row(at)).to_contain_text("accepted")
    tab.hover()
    page.mouse.down()
    page.keyboard.press("a")
    expect(tab).to_contain_text("3")  # the server's answer, which comes in the middle of the click, draws the tabs anew
    page.mouse.up()
    expect(page.get_by_text("3 added").first).to_be_visible()
    # One stop of the tab key, whose lines j and k go through: the message does not stand behind all of them.
    expect(page.get_by_role("group", name="Changes").locator("button[tabindex='0']")).to_have_count(1)
    reviewer.button("Publish version 1").click()
    expect(page.get_by_role("alert")).to_contain_text("Say what changes")
    page.get_by_label("Message").fill("The first <b>program</b>")
    reviewer.button("Publish version 1").click()
    expect(page.get_by_text("Version 1 of orders is published").first).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("Version 1 live"))).to_contain_text("The first <b>program</b>")
    expect(page.get_by_text("Nothing to publish")).to_be_visible()
    expect(reviewer.button("Go on to the review")).to_be_visible()
    live = reviewer.workspace.live("orders")
    assert live is not None
    assert len(live.constraints) == 3
