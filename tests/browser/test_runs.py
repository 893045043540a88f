"""Runs and alarms by mouse and keyboard in a real browser; outcomes are read from the workspace."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, Position, expect

from tests.browser.conftest import App
from tests.fakes.demo_runs import publish_and_validate

pytestmark = pytest.mark.browser


@pytest.fixture
def runs(app: App, page: Page) -> Page:
    """The page of runs, on its newest alarm."""
    publish_and_validate(app.workspace)
    app.open(page, "?pipeline=orders&tab=runs")
    expect(page.get_by_text("40 batches validated")).to_be_visible()
    expect(page.get_by_text("occur more than once").first).to_be_visible()
    return page


def test_on_a_telephone_names_wrap_and_stand_beside_their_cells(app: App, browser: Browser) -> None:
    publish_and_validate(app.workspace, batches=4)
    context = browser.new_context(viewport={"width": 390, "height": 844})
    app.guard(context)
    page = context.new_page()
    app.open(page, "?pipeline=orders&tab=runs")
    expect(page.get_by_text("4 batches validated")).to_be_visible()
    names = page.get_by_role("region", name="Rules over runs").locator(".name")
    expect(names.first).to_be_visible()
    cut = "(all) => all.filter((e) => [e, ...e.children].some((part) => part.scrollWidth > part.clientWidth + 1 && part.clientWidth))"
    assert names.evaluate_all(f"{cut}.map((e) => e.textContent)") == []
    assert len(set(names.evaluate_all("(all) => all.map((e) => e.offsetHeight)"))) == 1, "as high as a row of cells"
    assert names.evaluate_all("(all) => all.some((e) => e.querySelector('.called').offsetHeight > 16)")
    context.close()


def actions(app: App) -> list[str]:
    return [entry.action for entry in app.workspace.feedback("orders")]


def test_the_grid_is_saved_as_a_table_and_an_alarm_is_labelled_by_mouse(app: App, runs: Page) -> None:
    # Of a list that keys go through, one line stands in the order of the tab key, and the focus follows it.
    lines = runs.get_by_role("group", name="Results of the run").locator("button.line")
    assert lines.evaluate_all("(all) => all.filter((line) => line.tabIndex === 0).map((line) => line.ariaCurrent)") == ["true"]
    first = lines.and_(runs.locator("[aria-current=true]")).inner_text()
    lines.and_(runs.locator("[aria-current=true]")).focus()
    runs.keyboard.press("j")
    expect(lines.and_(runs.locator("[aria-current=true]"))).not_to_have_text(first, use_inner_text=True)
    expect(lines.and_(runs.locator("[aria-current=true]"))).to_be_focused()
    runs.keyboard.press("k")
    expect(lines.and_(runs.locator("[aria-current=true]"))).to_have_text(first, use_inner_text=True)
    runs.evaluate("() => document.activeElement.blur()")
    with runs.expect_download() as saved:
        runs.get_by_role("button", name="CSV", exact=True).click()
    text = saved.value.path().read_text(encoding="utf-8")
    assert saved.value.suggested_filename == "rules-over-runs.csv"
    assert text.splitlines()[0].startswith('"","","2025-11-22","2025-11-23"')
    assert '"failed"' in text
    with runs.expect_download() as picture:
        runs.get_by_role("button", name="PNG", exact=True).click()
    assert picture.value.path().read_bytes().startswith(b"\x89PNG")
    runs.get_by_label("Why (optional)").fill("the vendor <b>knows</b>")
    runs.get_by_role("button", name="Known error", exact=True).click()
    expect(runs.get_by_text("the vendor <b>knows</b>")).to_be_visible()
    expect(runs.get_by_text("This batch is not learned from")).to_be_visible()
    expect(runs.get_by_text("without 2025-12-31")).to_be_visible()
    assert actions(app) == ["known_error"]
    runs.get_by_role("button", name="Take back").click()
    expect(runs.get_by_text("Not labelled")).to_be_visible()
    assert actions(app) == ["known_error", "unlabel"]
    runs.get_by_role("button", name="Snooze").click()
    runs.get_by_role("menuitem", name="for a week").click()
    expect(runs.get_by_text("Snoozed until")).to_be_visible()
    assert app.workspace.feedback("orders")[-1].until
    runs.set_viewport_size({"width": 720, "height": 450})  # 1440 pixels at a zoom of 200 %
    for line in (0, 3):
        expect(runs.locator(".names .name").nth(line)).to_be_in_viewport(ratio=0.9)
    runs.set_viewport_size({"width": 1440, "height": 900})
    # A pipeline without runs says how to get them.
    runs.get_by_role("combobox", name="Pipeline").click()
    runs.get_by_role("menuitem", name="returns").click()
    expect(runs.get_by_text("No program is published for returns yet")).to_be_visible()
    expect(runs.get_by_role("button", name="Review the suggestions")).to_be_visible()


def test_alarms_are_walked_and_labelled_by_keyboard(app: App, runs: Page) -> None:
    first = runs.evaluate("() => location.search")
    runs.keyboard.press("Shift+K")
    expect(runs.get_by_text("This batch is not learned from")).to_be_visible()
    runs.keyboard.press("j")
    runs.wait_for_function("(before) => location.search !== before", arg=first)
    runs.keyboard.press("ArrowLeft")
    runs.wait_for_url("**batch=2025-12-30**")
    expect(runs.get_by_role("heading", name="2025-12-30")).to_be_visible()
    runs.keyboard.press("2")
    runs.wait_for_url("**suggestion=**")
    runs.go_back()
    runs.wait_for_url("**batch=2025-12-30**")
    expect(runs.get_by_role("heading", name="2025-12-30")).to_be_visible()
    assert actions(app) == ["known_error"]


def test_a_cell_of_the_grid_is_opened_and_the_address_reopens_it(app: App, runs: Page) -> None:
    canvas, names = runs.locator(".plot canvas"), runs.locator(".names .name")
    expect(names).not_to_have_count(0)
    frame = canvas.bounding_box()
    assert frame is not None
    # Of the grid, wherever it is on the page by then.
    cell: Position = {"x": 5.5 * frame["width"] / 40, "y": 3.5 * frame["height"] / names.count()}
    canvas.hover(position=cell)
    expect(runs.locator(".tip")).to_contain_text("2025-11-27")
    canvas.click(position=cell)
    runs.wait_for_url("**batch=2025-11-27**")
    expect(runs.get_by_role("heading", name="2025-11-27")).to_be_visible()
    runs.reload()
    expect(runs.get_by_role("heading", name="2025-11-27")).to_be_visible()


def test_two_people_do_not_overwrite_each_others_label(app: App, runs: Page, browser: Browser) -> None:
    other_context = browser.new_context(viewport={"width": 1440, "height": 900})
    app.guard(other_context)
    other = other_context.new_page()
    app.open(other, "?pipeline=orders&tab=runs")
    expect(other.get_by_text("occur more than once").first).to_be_visible()
    runs.get_by_role("button", name="Known error", exact=True).click()
    expect(runs.get_by_text("This batch is not learned from")).to_be_visible()
    other.get_by_role("button", name="False alarm", exact=True).click()
    expect(other.get_by_text("Not recorded").first).to_be_visible()
    expect(other.get_by_text("This batch is not learned from")).to_be_visible()
    assert actions(app) == ["known_error"]
    other_context.close()
