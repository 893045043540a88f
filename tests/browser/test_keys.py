"""Keys on a slow line: what is seen at once, what the server has to say about it, and what is written into a field meanwhile."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from avh_ui.review.draft import DraftItem
from avh_ui.ui.state.following import Following
from tests.browser.conftest import App, Reviewer
from tests.fakes.demo_runs import publish_and_validate

pytestmark = pytest.mark.browser

# Presses a key, and reads the first rows before anything can have come from the server.
PRESS = """(key) => {
  const found = []
  const search = (root) => {
    for (const node of root.querySelectorAll('*')) {
      if (node.matches('tbody tr[data-id]')) { found.push(node) }
      if (node.shadowRoot) { search(node.shadowRoot) }
    }
  }
  window.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, composed: true, cancelable: true }))
  search(document)
  return found.slice(0, 3).map((row) => [row.querySelector('td.status').textContent.trim(), row.getAttribute('aria-current')])
}"""


# Clicks rows, and presses a key behind each click, in one go.
CLICK_AND_PRESS = """(deeds) => {
  const rows = (root) => [...root.querySelectorAll('*')].flatMap(
    (node) => [...(node.matches('tbody tr[data-id]') ? [node] : []), ...(node.shadowRoot ? rows(node.shadowRoot) : [])])
  for (const [at, key] of deeds) {
    if (at !== null) { rows(document)[at].click() }
    window.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, composed: true, cancelable: true }))
  }
}"""


def pending(app: App) -> list[DraftItem]:
    draft = app.workspace.draft("orders")
    assert draft is not None
    return [item for item in draft.items if item.status == "pending"]


def test_a_decision_is_seen_at_once_and_taken_back_where_it_is_refused(reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch) -> None:
    # The page looks every two seconds what others did: before the key, now and then.
    monkeypatch.setattr(Following, "look", lambda _: None)
    page, ids = reviewer.page, [reviewer.id(at) for at in range(4)]
    assert page.evaluate(PRESS, "a") == [["✔ accepted", "false"], ["○ pending", "true"], ["○ pending", "false"]]
    assert page.evaluate(PRESS, "r") == [["✔ accepted", "false"], ["✖ rejected", "false"], ["○ pending", "true"]]
    expect(page.get_by_role("status").filter(has_text="Rejected")).to_be_attached()
    draft = reviewer.workspace.draft("orders")
    assert draft is not None
    assert [draft.item(i).status for i in ids] == ["accepted", "rejected", "pending", "pending"]
    # Somebody was first: the page does not know it yet.
    reviewer.workspace.decide("orders", [ids[2]], "reject", by="bob")
    assert page.evaluate(PRESS, "a")[2][0] == "✔ accepted"
    expect(page.get_by_text(re.compile(r"Not recorded: .* Look at it again before you decide\. The list has been"))).to_be_visible()
    expect(reviewer.row(2)).to_contain_text("rejected")
    draft = reviewer.workspace.draft("orders")
    assert draft is not None
    assert draft.item(ids[2]).status == "rejected"
    # A line that is just being clicked stays the one it is when the answer comes to what was pressed before.
    reviewer.row(0).hover()
    page.mouse.down()
    page.keyboard.press("u")
    expect(reviewer.row(1)).to_contain_text("pending")
    page.mouse.up()
    reviewer.looks_at(0)
    # Digits take the place of a bound that was filled meanwhile.
    field = page.get_by_label("Lower bound")
    page.keyboard.press("e")
    expect(field).to_be_focused()
    # As when the history is read anew: the form is filled with another text while the cursor stands in it.
    filled = "[...Bokeh.documents[0]._all_models.values()].find((m) => m.data?.attributes && 'filled' in m.data.attributes).data"
    page.evaluate(f"() => {{ const form = {filled}; form.filled += 1; form.lower = '30' }}")  # set twice, it comes first
    expect(field).to_have_value("30")
    page.keyboard.type("9600")
    expect(field).to_have_value("9600")
    page.evaluate(f"() => {{ const form = {filled}; form.lower = '31'; form.filled += 1 }}")
    expect(field).to_have_value("9600")  # what is being typed stays


def test_keys_in_one_go_after_a_click_on_a_line_type_a_bound_and_save_it(reviewer: Reviewer) -> None:
    # The focus goes from a line to the field, of which the window hears nothing, and the letters are there before it is.
    reviewer.row(0).click()
    for key in ("e", *"9600", "Enter", "a"):
        reviewer.page.keyboard.press(key)
    expect(reviewer.row(0)).to_contain_text("edited")
    reviewer.looks_at(1)  # the last key goes on, and decides on nothing else
    draft = reviewer.workspace.draft("orders")
    assert draft is not None
    assert draft.item(reviewer.id(0)).current.lower == 9_600
    assert draft.item(reviewer.id(1)).status == "pending"


def test_enter_saves_what_was_typed_and_no_key_behind_it_accepts_past_what_is_wrong(reviewer: Reviewer) -> None:
    page, ids = reviewer.page, [reviewer.id(at) for at in range(2)]
    field = page.get_by_label("Lower bound")
    page.keyboard.press("e")
    expect(field).to_be_focused()
    page.keyboard.type("9600")
    expect(page.get_by_text("Not saved yet: press Enter")).to_be_visible()
    expect(page.get_by_text("not saved", exact=True)).to_be_visible()
    page.keyboard.press("Enter")
    reviewer.says("Saved the edit")
    expect(page.get_by_text("Not saved yet")).to_have_count(0)
    reviewer.looks_at(0)
    # In one go, with a bound that today's batches are outside of, and with no number: it is asked first, and nothing is accepted.
    for typed, why in (("41000", "Save again to keep them so"), ("many", "is not a number")):
        for key in ("e", *typed, "Enter", "a"):
            page.keyboard.press(key)
        expect(page.get_by_role("alert")).to_contain_text(why)
        reviewer.looks_at(0)
        if typed != "many":
            page.keyboard.press("Escape")
            expect(field).to_have_value("9600")
    draft = reviewer.workspace.draft("orders")
    assert draft is not None
    assert draft.item(ids[0]).current.lower == 9_600
    assert draft.item(ids[1]).status == "pending"


def test_keys_that_wait_for_their_field_leave_it_with_enter(reviewer: Reviewer) -> None:
    # In one go: the server is at none of them yet. What comes after its answer is a command again.
    reviewer.page.evaluate(CLICK_AND_PRESS, [[0, "e"], *((None, key) for key in (*"9600", "Enter"))])
    expect(reviewer.page.get_by_text(re.compile("Would have alarmed on|Would never have alarmed"))).to_be_visible()
    reviewer.page.keyboard.press("a")
    expect(reviewer.row(0)).to_contain_text("edited")
    reviewer.page.evaluate(CLICK_AND_PRESS, [[1, "w"], *((None, key) for key in (*"bob", "Enter"))])
    expect(reviewer.page.get_by_label("Assigned to")).to_have_value("bob")
    reviewer.says("bob")
    reviewer.page.keyboard.press("a")
    expect(reviewer.row(1)).to_contain_text("accepted")


def test_a_key_right_after_a_click_decides_what_was_clicked(reviewer: Reviewer) -> None:
    ids = [reviewer.id(at) for at in range(6)]
    # Both at once, and a click among keys: the server is at none of them yet.
    reviewer.page.evaluate(CLICK_AND_PRESS, [[3, "r"], [0, "r"], [1, "j"], [None, "a"]])
    reviewer.says("Accepted")
    expect(reviewer.row(2)).to_contain_text("accepted")
    draft = reviewer.workspace.draft("orders")
    assert draft is not None
    assert [draft.item(i).status for i in ids] == ["rejected", "pending", "accepted", "rejected", "pending", "pending"]
    reviewer.looks_at(4)
    expect(reviewer.page).to_have_url(re.compile(f"suggestion={ids[4]}"))


def test_quick_acceptances_edit_nothing(app: App, page: Page) -> None:
    ids = [item.suggestion.id for item in pending(app)]
    app.workspace.decide("orders", ids[16:], "accept")  # a key costs half a second of a processor
    reviewer = app.open(page)
    reviewer.looks_at(0)
    page.keyboard.press("e")
    expect(page.get_by_label("Lower bound")).to_be_focused()
    page.keyboard.type("23000")
    page.keyboard.press("Tab")
    expect(page.get_by_text("Would have alarmed on 92 of 365 batches")).to_be_visible()
    page.keyboard.press("Tab")  # out of the form
    page.keyboard.press("j")  # its bounds are not saved
    reviewer.looks_at(1)
    expect(page.get_by_label("Lower bound")).not_to_have_value("23000")
    # In one go, while the form shows another line: whoever accepts with the edited bounds before them saves these.
    key = "new KeyboardEvent('keydown', {key: 'a', bubbles: true, cancelable: true})"
    page.evaluate(f"() => {{ for (let sent = 0; sent < 16; sent++) {{ document.body.dispatchEvent({key}) }} }}")
    expect(page.get_by_text(re.compile("has bounds that are not saved: look at them"))).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("Pending 1"))).to_be_visible()
    assert [item.suggestion.id for item in pending(app)] == ids[:1]


def test_quick_acceptances_after_a_drag_save_what_was_dragged_alone(app: App, page: Page) -> None:
    ids = [item.suggestion.id for item in pending(app)]
    # Each key costs a processor half a second: the browser is slowed by work.
    app.workspace.decide("orders", ids[6:], "accept")
    browser = page.context.new_cdp_session(page)
    reviewer = app.open(page)
    reviewer.looks_at(0)
    dragged = reviewer.id(0)
    higher = page.get_by_label("Upper bound")
    upper = higher.input_value()
    reviewer.drag(float(upper.replace(",", "")), by=60, hold=500)
    expect(higher).not_to_have_value(upper)
    # Where the mouse has left the edge: the field goes there step by step, as the server answers each move.
    left = page.evaluate("() => [...Bokeh.documents[0]._all_models.values()].find((m) => m.type === 'BoxAnnotation' && m.editable).top")
    browser.send("Emulation.setCPUThrottlingRate", {"rate": 6})
    for _ in range(6):
        page.keyboard.press("a")
    browser.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    expect(page.get_by_role("button", name=re.compile("Pending 0"))).to_be_visible()  # the server has answered the last of them
    draft = app.workspace.draft("orders")
    assert draft is not None
    assert draft.item(dragged).current.upper == pytest.approx(left, rel=1e-2)
    assert [item.suggestion.id for item in draft.items if item.current != item.suggestion.constraint] == [dragged]


# What of the app lies beyond the window or is hidden by what is around it, without an end that says so: the text of each such element.
CUT = """() => {
  const found = []
  const look = (root) => {
    for (const one of root.querySelectorAll("*")) {
      if (one.shadowRoot) { look(one.shadowRoot) }
      const { clip, overflowX, textOverflow } = getComputedStyle(one)
      const drawn = one.checkVisibility() && clip === "auto" && one.clientWidth > 2 && !one.closest("svg, canvas, [hidden]")
      const seen = drawn && one.textContent.trim()
      const hides = overflowX !== "visible" && textOverflow !== "ellipsis" && one.scrollWidth > one.clientWidth + 1
      const out = one.getBoundingClientRect().right > innerWidth + 1
      if (seen && (out || hides)) { found.push(`${one.className}: ${one.textContent.trim().slice(0, 80)}`) }
    }
  }
  look(document)
  return found
}"""
# Whether the first card of a page begins in sight, and no box around it was scrolled.
AT_ITS_TOP = """() => {
  const scrolled = []
  const look = (root) => {
    for (const one of root.querySelectorAll("*")) {
      if (one.shadowRoot) { look(one.shadowRoot) }
      if (one.scrollTop > 0 && one.clientHeight > 0.6 * innerHeight) { scrolled.push(one.className) }
    }
  }
  look(document)
  return scrolled.length === 0
}"""


def test_a_narrow_page_begins_at_its_top_and_cuts_nothing(app: App, browser: Browser) -> None:
    publish_and_validate(app.workspace, batches=4)
    shown = {"overview": "batches of", "review": "decided", "runs": "4 batches validated", "publish": "Next version"}
    for width, height in ((390, 844), (720, 450)):  # a telephone, and 1440 pixels at a zoom of 200 %
        context = browser.new_context(viewport={"width": width, "height": height})
        app.guard(context)
        page: Page = context.new_page()
        app.open(page, "?pipeline=orders&tab=incidents")
        expect(page.get_by_role("heading", name="Incidents")).to_be_in_viewport()
        for tab, text in shown.items():
            page.get_by_role("navigation", name="Pages", exact=True).get_by_role("button", name=tab.capitalize()).click()
            expect(page.get_by_text(text).first).to_be_in_viewport()
            page.wait_for_function(AT_ITS_TOP)
            if tab != "overview":  # a map of a year of batches has its own scroll bar, and begins at the newest
                page.wait_for_function(f"() => !({CUT})().length")
        context.close()


def test_a_narrow_window_shows_rows_and_evidence_one_below_the_other(app: App, browser: Browser) -> None:
    for width, height in ((390, 844), (720, 450)):  # a telephone, and 1440 pixels at a zoom of 200 %
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme="dark")
        app.guard(context)
        page: Page = context.new_page()
        reviewer = app.open(page)
        expect(page.locator("main")).to_have_css("background-color", "rgb(24, 31, 39)")  # as the system is set
        assert not [c for c in context.cookies() if c["name"] == "avh_theme"]  # which nobody has chosen
        expect(page.get_by_role("button", name=re.compile("keyboard shortcuts"))).to_be_in_viewport(ratio=1)
        expect(reviewer.row(0)).to_be_in_viewport(ratio=1)  # before anything is scrolled
        for at in range(2):
            reviewer.row(at).scroll_into_view_if_needed()
            expect(reviewer.row(at)).to_be_in_viewport(ratio=1)
        accept = reviewer.button("Accept")
        accept.scroll_into_view_if_needed()
        accept.click()
        expect(reviewer.row(0)).to_contain_text("accepted" if width > 600 else "✔")
        reviewer.workspace.decide("orders", [reviewer.id(0)], "reset")
        context.close()
