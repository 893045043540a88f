"""Keys that are pressed, and edges that are dragged, before a slow browser has drawn the page, and a page that could not take a change."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import App, Reviewer

pytestmark = pytest.mark.browser

# Presses "j" from when there is a document until the page is drawn, and counts what the app takes of it.
IMPATIENT = """() => {
  window.taken = 0
  addEventListener("avh-key-pressed", () => { window.taken += 1 })
  const pressing = setInterval(() => {
    const document_ = window.Bokeh?.documents[0]
    if (document_?.is_idle || window.taken === 3) { clearInterval(pressing) } else if (document_) {
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true, composed: true }))
    }
  }, 8)
}"""
# Drags the upper edge of the band as soon as there is one, as the mouse does, and tells from where to where, unless the page is drawn.
HASTY = """() => {
  const dragging = setInterval(() => {
    const document_ = window.Bokeh?.documents[0]
    const band = document_ && [...document_._all_models.values()].find((m) => m.type === "BoxAnnotation" && m.editable && m.visible)
    if (document_?.is_idle) { clearInterval(dragging) } else if (band) {
      clearInterval(dragging)
      window.dragged = [band.top, band.bottom + 0.8 * (band.top - band.bottom)]
      band.top = window.dragged[1]
    }
  }, 8)
}"""
# Of this times the quick machine's work a page is drawn while keys come; unhurried, it is drawn before the first. Chromium is slowed by
# waiting busily: with looks every 30 ms it took 10 times, and a page 30 seconds of a busy machine's processor instead of 14.
SLOW = 4


def test_keys_before_the_page_stands_are_answered_once_it_does(app: App, page: Page) -> None:
    page.add_init_script(f"({IMPATIENT})()")
    browser = page.context.new_cdp_session(page)
    browser.send("Emulation.setCPUThrottlingRate", {"rate": SLOW})
    reviewer = app.open(page)
    browser.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    taken = page.evaluate("() => window.taken")
    assert taken > 0
    reviewer.looks_at(taken)
    reviewer.page.keyboard.press("a")
    reviewer.says("Accepted")
    reviewer.looks_at(taken + 1)
    page.wait_for_url(f"**suggestion={reviewer.id(taken + 1)}*")  # what changes from there on is shown, too


def test_an_edge_dragged_before_the_page_stands_is_an_edit_once_it_does(app: App, page: Page) -> None:
    expect(app.open(page).row(0)).to_be_visible()  # what this process has read, the next page comes with
    page.add_init_script(f"({HASTY})()")
    browser = page.context.new_cdp_session(page)
    browser.send("Emulation.setCPUThrottlingRate", {"rate": SLOW})
    reviewer = app.open(page)
    browser.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    drawn, dragged = page.evaluate("() => window.dragged")
    higher = page.get_by_label("Upper bound")
    expect(reviewer.button("Save edit")).to_be_enabled()
    assert float(higher.input_value().replace(",", "")) == pytest.approx(dragged, abs=0.02 * drawn)
    reviewer.button("Save edit").click()
    expect(reviewer.row(0)).to_contain_text("edited")
    reviewer.row(3).click()
    reviewer.looks_at(3)  # what changes from there on is shown, too


def test_a_page_that_cannot_take_a_change_says_so(app: App, reviewer: Reviewer) -> None:
    page = reviewer.page
    page.evaluate("() => Bokeh.documents[0]._all_models.clear()")
    page.keyboard.press("a")
    missed = page.get_by_role("alert").filter(has_text="This page missed a change")
    expect(missed).to_be_visible()
    assert {error.split(" ", 2)[2] for error in app.errors} == {"isn't known"}
    app.errors.clear()
    page.keyboard.press("a")
    expect(missed).to_contain_text("That was not taken.")
    missed.get_by_role("button", name="Read anew").click()
    expect(missed).to_have_count(0)
    expect(reviewer.row(0)).to_contain_text("accepted")
    expect(reviewer.row(1)).to_contain_text("pending")
    app.errors.clear()  # what else came meanwhile
