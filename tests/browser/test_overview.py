"""The overview by mouse and keyboard in a real browser, on a workspace whose batches were really measured."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import App, serving
from tests.browser.test_access import AT_REST, grave
from tests.fakes.workspaces import DAYS, FakeWorkspace, day, orders

pytestmark = pytest.mark.browser


@pytest.fixture
def measured(context: BrowserContext) -> Iterator[App]:
    """The app on a workspace of which batch 15 has other amounts; batch 20 waits at the source."""
    workspace = FakeWorkspace()
    tables = workspace.profiler.tables["orders"]
    tables[day(15)] = tables[day(15)].set_column(1, "amount", pa.array([1_000.0] * 400))  # type: ignore[union-attr]
    workspace.published()
    tables[day(DAYS)] = orders(DAYS)
    with serving(workspace, context) as served:
        yield served


def test_from_a_pipeline_to_the_cell_that_moved(measured: App, page: Page) -> None:
    reviewer = measured.open(page, "?tab=overview")
    expect(page.get_by_text("20 batches of 4 columns")).to_be_visible()
    # No page is wider than its window.
    for key, text in (("5", "Metrics by how far they moved"), ("4", "was not validated yet"), ("1", "20 batches of 4 columns")):
        page.keyboard.press(key)
        expect(page.get_by_text(text)).to_be_visible()
        for width in (1024, 2560):
            reviewer.fits(width)
    reviewer.fits(1440)
    expect(page.get_by_text("last batch 2024-01-20")).to_be_visible()
    expect(page.get_by_text("New since yesterday: version 1 published")).to_be_visible()
    page.get_by_role("button", name="amount", exact=False).first.click()
    expect(page.get_by_role("heading", name="amount")).to_be_visible()
    expect(page.get_by_text("> 25×").first).to_be_visible()
    page.wait_for_url(f"**column=amount&batch={day(15)}")
    page.get_by_role("button", name="Review its suggestions").click()
    expect(page.get_by_placeholder("Search")).to_have_value("amount")


def test_cells_are_walked_and_reopened_and_lead_to_the_drift_and_back(measured: App, page: Page) -> None:
    measured.open(page, "?tab=overview")
    expect(page.get_by_text("20 batches of 4 columns")).to_be_visible()
    page.keyboard.press("j")
    page.wait_for_url(f"**column=amount&batch={day(15)}")
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(f"**column=amount&batch={day(14)}")
    page.reload()
    expect(page.get_by_text(day(14), exact=True).first).to_be_visible()
    expect(page.get_by_role("heading", name="amount")).to_be_visible()
    page.keyboard.press("ArrowRight")
    page.wait_for_url(f"**column=amount&batch={day(15)}")
    page.get_by_role("button", name="Investigate drift").click()
    page.wait_for_url(f"**tab=drift&column=amount&batch={day(15)}&against={day(14)}")
    expect(page.get_by_text("Metrics by how far they moved")).to_be_visible()
    expect(page.get_by_text("400 rows against 400 rows")).to_be_visible()
    page.get_by_role("button", name="country").click()
    expect(page.get_by_text("Values by change of their share")).to_be_visible()
    page.get_by_role("button", name="Fetch rows from the source").click()
    expect(page.get_by_text(f"Rows of {day(15)}")).to_be_visible()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Metrics CSV").click()
    assert "amount,same,mean" in saved.value.path().read_text(encoding="utf-8")
    page.go_back()
    page.wait_for_url("**column=amount**")


def test_profiling_now(measured: App, page: Page) -> None:
    measured.open(page, "?tab=overview")
    expect(page.get_by_text("20 batches of 4 columns")).to_be_visible()
    page.get_by_role("button", name="Profile now").click()
    expect(page.get_by_text("1 batch profiled").first).to_be_visible()
    expect(page.get_by_text("21 batches of 4 columns")).to_be_visible()
    assert day(DAYS) in measured.workspace.batches("orders")
    page.get_by_role("button", name="See its coverage: orders").click()
    page.wait_for_url("**tab=coverage**")
    page.get_by_role("button", name="Break a batch, see it caught").click()
    page.wait_for_url(f"**tab=trial&batch={day(DAYS)}**")
    page.get_by_role("button", name="Break it and judge").click()
    expect(page.get_by_text(f"Trial on {day(DAYS)}")).to_be_visible()
    page.evaluate(AT_REST)
    assert not grave(page)
    # On a telephone what came of it follows the form at once.
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate(AT_REST)
    button, outcome = page.get_by_role("button", name="Break it and judge").bounding_box(), page.get_by_text("Trial on").bounding_box()
    assert button is not None
    assert outcome is not None
    assert 0 < outcome["y"] - button["y"] - button["height"] < 120
    page.set_viewport_size({"width": 1440, "height": 900})
    # All four are done.
    expect(page.get_by_role("region", name="First steps")).to_be_hidden()


def test_on_a_telephone_a_few_pipelines_have_no_scroll_of_their_own(app: App, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    app.open(page, "?tab=overview")
    lines = page.get_by_role("group", name="Pipelines", exact=True)
    expect(lines.locator("button.line")).to_have_count(3)
    expect(lines.get_by_text("Reading …")).to_have_count(0)
    page.evaluate(AT_REST)
    hidden, height = lines.evaluate("(list) => [list.scrollHeight - list.getRootNode().host.clientHeight, list.scrollHeight]")
    assert height > 350  # what they have in a wider window
    assert hidden <= 0


def test_batches_and_columns_are_walked_by_keyboard(measured: App, page: Page) -> None:
    measured.open(page, f"?tab=drift&pipeline=orders&batch={day(15)}&column=amount")
    expect(page.get_by_text("Metrics by how far they moved")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(f"**batch={day(14)}&against={day(13)}")
    page.keyboard.press("j")
    page.wait_for_function("() => !location.search.includes('column=amount')")
    page.get_by_label("Against").fill("2024-02-30")
    page.get_by_label("Against").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("2024-02-30")
