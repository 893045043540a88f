"""What axe-core finds on every page, in light and dark: names, roles, headings, contrast; and that keys suffice to get everywhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page, expect

from avh_ui.ui.access.access import Access
from avh_ui.ui.access.password_file import PasswordFile
from tests.browser.conftest import App, Reviewer, serving
from tests.fakes.demo_runs import publish_and_validate
from tests.fakes.demo_workspace import demo_workspace

pytestmark = pytest.mark.browser

# Page -> a text that is there once it is drawn.
PAGES = {
    "overview": "365 batches of 20 columns",
    "review": "Why these bounds",
    "what-if": "Nothing is kept of a suggestion run",
    "runs": "for a label",
    "drift": "Batch before",
    "publish": "Publish version",
    "incidents": "Timeline",
    "trial": "A copy of a batch gets one fault",
}
# What stands over a page or in place of a part of it: the key that opens it, the page, and a text of it.
MORE = (("Shift+G", "Overview", "What it means, and a rule on it"), ("Shift+N", "Review", "It waits in the queue, as suggestions do"))
GRAVE = ("serious", "critical")
# The rules of axe-core that colours can break and that are held by default.
OF_COLOURS = ["color-contrast", "link-in-text-block"]
# Until no colour changes any more, in any shadow root: ten frames in a row, since a theme reaches the widgets one after the other.
AT_REST = """async () => {
  const roots = (root) => [root, ...[...root.querySelectorAll('*')].filter((n) => n.shadowRoot).flatMap((n) => roots(n.shadowRoot))]
  const ends = (animation) => animation.playState === 'running' && animation.effect.getComputedTiming().endTime !== Infinity
  for (let calm = 0; calm < 10;) {
    await new Promise(requestAnimationFrame)
    calm = roots(document).some((root) => root.getAnimations().some(ends)) ? 0 : calm + 1
  }
}"""
# What axe-core finds in what can be seen: it reads each hidden page, too, and finds nothing there. These are out of the document meanwhile.
# What a rule finds has the rule's impact: those that can find nothing grave do not run, nor what one of them has fetched first. Of the
# review that took a third of the time.
RUN = """async (options) => {
  const mild = axe._audit.rules.filter((rule) => ['minor', 'moderate'].includes(rule.impact))
  options = {preload: false, rules: Object.fromEntries(mild.map((rule) => [rule.id, {enabled: false}])), ...options}
  const hidden = (root) => [...root.querySelectorAll('*')].filter((node) => node.shadowRoot).flatMap(
    (node) => getComputedStyle(node).display === 'none' ? [node] : hidden(node.shadowRoot))
  const out = hidden(document).map((node) => [node, document.createComment('hidden')])
  out.forEach(([node, place]) => node.replaceWith(place))
  try { return (await axe.run(document, options)).violations }
  finally { out.forEach(([node, place]) => place.replaceWith(node)) }
}"""


def grave(page: Page, *, colours: bool = False) -> list[str]:
    """What axe-core finds grave once the page is at rest: rule, what it says, and the first element; of `colours` alone where wanted.

    What is right stays in the browser: to fetch that, too, took six of eleven seconds of a processor.
    """
    page.evaluate(AT_REST)
    if not page.evaluate("() => 'axe' in window"):  # compiled once a page
        page.evaluate(Axe().axe_script)
    options = {"resultTypes": ["violations"], **({"runOnly": OF_COLOURS} if colours else {})}
    found: list[dict[str, Any]] = page.evaluate(RUN, options)
    return [f"{v['id']}: {node['failureSummary']}: {node['html'][:300]}" for v in found if v["impact"] in GRAVE for node in v["nodes"]]


def darken(page: Page) -> None:
    """From the light theme to the dark one, without the hint that the pointer leaves behind: half faded it has no contrast."""
    page.get_by_label("Toggle theme").click()
    expect(page.locator("main")).to_have_css("background-color", "rgb(24, 31, 39)")
    page.mouse.move(0, 400)
    expect(page.get_by_role("tooltip", include_hidden=True)).to_have_count(0)


def test_axe_finds_nothing_grave(app: App, page: Page) -> None:
    publish_and_validate(app.workspace)
    app.open(page, "?pipeline=orders&tab=overview")
    found = []
    for theme in ("light", "dark"):
        dark = theme == "dark"  # of which names, roles and headings are the same
        for tab, text in PAGES.items():
            page.get_by_role("navigation", name="Pages", exact=True).get_by_role("button", name=tab.capitalize()).click()
            expect(page.get_by_text(text).filter(visible=True).first).to_be_visible()
            found += [f"{theme} {tab}: {one}" for one in grave(page, colours=dark)]
        page.keyboard.press("?")
        expect(page.get_by_role("dialog")).to_be_visible()
        found += [f"{theme} help: {one}" for one in grave(page, colours=dark)]
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        for key, tab, text in MORE:
            page.get_by_role("navigation", name="Pages", exact=True).get_by_role("button", name=tab).click()
            page.keyboard.press(key)
            expect(page.get_by_text(text).filter(visible=True).first).to_be_visible()
            found += [f"{theme} {text}: {one}" for one in grave(page, colours=dark)]
            for _ in range(2):  # out of the field that the cursor stands in, and out of the form
                page.keyboard.press("Escape")
            expect(page.get_by_text(text).filter(visible=True)).to_have_count(0)
        if not dark:
            darken(page)
    assert not found, "\n".join(found)


# The element that has the focus, in whatever shadow root, and what it is called.
FOCUSED = """() => {
  let node = document.activeElement
  while (node?.shadowRoot?.activeElement) { node = node.shadowRoot.activeElement }
  const id = node.getAttribute('aria-labelledby')
  const by = id && node.getRootNode().getElementById(id.split(' ')[0])?.textContent
  const said = node.labels?.[0]?.textContent || node.textContent || node.title || node.placeholder || ''
  const name = node.getAttribute('aria-label') || by || said
  return node === document.body ? null : [name.trim(), node.outerHTML.slice(0, 120)]
}"""


def test_the_name_of_the_app_is_the_heading_of_all(app: App, page: Page) -> None:
    app.open(page, "?pipeline=orders&tab=review")
    for width in (1440, 390):  # on a telephone the letters are left out
        page.set_viewport_size({"width": width, "height": 800})
        expect(page.get_by_role("heading", level=1, name="avh review")).to_be_visible()


def test_the_window_is_called_by_what_it_shows_and_a_row_by_its_rule(app: App, page: Page) -> None:
    made = app.open(page, "?pipeline=orders&tab=review&pile=all")
    made.looks_at(0)
    rule, status = (made.row(0).locator(f"td.{name}").inner_text().strip() for name in ("rule .plain", "status .word"))
    expect(made.row(0)).to_have_accessible_name(re.compile(rf".+: {re.escape(rule)} {status}$"))
    expect(page).to_have_title("Review · orders · avh")
    page.get_by_role("navigation", name="Pages", exact=True).get_by_role("button", name="Incidents").click()
    expect(page).to_have_title("Incidents · orders · avh")


def test_decisions_on_several_are_said_once_and_what_undo_says_takes_their_place(reviewer: Reviewer) -> None:
    page = reviewer.page
    reviewer.row(1).get_by_role("checkbox").click()
    reviewer.row(2).get_by_role("checkbox").click()
    reviewer.button("Accept 2").click()
    reviewer.says("Accepted 2 suggestions · u undoes")
    reviewer.button("Undo").click()
    reviewer.says("Undone: 2 suggestions as before")
    # Looked at once: a message beside it would stand for some seconds.
    assert page.get_by_role("alert").count() == 0
    assert page.get_by_text("Accepted 2 suggestions").count() == 0


def test_the_faults_that_were_tried_are_words_after_their_key(reviewer: Reviewer) -> None:
    table = reviewer.page.get_by_role("table", name="Faults that were tried")
    heard = table.aria_snapshot()
    assert re.search(r"(caught|only this one catches it|not applicable to this column)\.", heard)
    assert re.search(r"\d of \d+ caught", heard)
    assert not re.search(r"[★✔·]|\d/\d", heard)
    key = reviewer.page.get_by_text("★ only this one of the column's suggestions")
    assert key.evaluate("(node) => node.nextElementSibling.getAttribute('aria-label')") == "Faults that were tried"


def test_a_notebook_folds_the_filters_that_choose_nothing(app: App, page: Page) -> None:
    page.set_viewport_size({"width": 1100, "height": 890})
    app.open(page, "?pipeline=orders")
    more = page.get_by_role("button", name="Filter and sort")
    expect(more).to_be_visible()
    page.set_viewport_size({"width": 1100, "height": 910})
    expect(more).to_be_hidden()


def test_every_stop_of_the_tab_key_has_a_name(app: App, page: Page) -> None:
    app.open(page, "?pipeline=orders&tab=review")
    expect(page.get_by_text(PAGES["review"]).filter(visible=True).first).to_be_visible()
    expect(page.locator(".bk-events").filter(visible=True).first).to_be_attached()
    page.evaluate(AT_REST)
    stops = []
    while len(stops) < 100:
        page.keyboard.press("Tab")
        stop = page.evaluate(FOCUSED)
        if stop is None and stops:
            break
        stops.append(stop)
    assert 20 < len(stops) < 100
    assert [html for name, html in filter(None, stops) if not name] == []


def test_axe_finds_nothing_grave_for_who_logs_in_while_nothing_can_be_written(context: BrowserContext, page: Page, tmp_path: Path) -> None:
    passwords = PasswordFile(tmp_path / "passwords.json")
    passwords.put("ada", "correct horse")
    workspace = demo_workspace(people={"ada": "approver"})
    vars(workspace.services.suggestions._reviews)["read_only"] = "The disk is full."
    with serving(workspace, context, Access(passwords=passwords)) as app:
        found = []
        for theme in ("dark", "light"):
            context.add_cookies([{"name": "avh_theme", "value": theme, "url": app.url}])
            page.goto(app.url)
            expect(page.get_by_label("Name")).to_be_visible()
            found += grave(page)
        page.get_by_label("Name").fill("ada")
        page.get_by_label("Password").fill("correct horse")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("alert").filter(has_text="The disk is full.")).to_be_visible()
        expect(page.get_by_role("link", name="Log out")).to_be_visible()
        page.get_by_role("navigation", name="Pages", exact=True).get_by_role("button", name="Review").click()
        page.get_by_role("group", name="Filter, group and sort").get_by_label("Group", exact=True).select_option("metric")
        expect(page.locator("tr.group").first).to_be_visible()
        page.get_by_role("columnheader").get_by_role("button", name="Catches").click()
        expect(page.locator("th[aria-sort]")).to_have_count(1)
        found += grave(page)
        darken(page)
        found += grave(page, colours=True)
    assert not found, "\n".join(found)
