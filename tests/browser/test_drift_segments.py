"""Segments side by side in a real browser, with rows of one of them, and what is saved of a comparison."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PIL import Image
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import App, serving
from tests.fakes.workspaces import FakeWorkspace, config, day

pytestmark = pytest.mark.browser


@pytest.fixture
def split(context: BrowserContext) -> Iterator[App]:
    """The app on a pipeline that is split by country."""
    with serving(FakeWorkspace(days=12, settings=config(pipeline={"segments": ["country"]})).profiled(), context) as served:
        yield served


BELOW = """() => {
  const box = (found) => found?.getBoundingClientRect()
  const all = (root) => [...root.querySelectorAll("*")].flatMap((e) => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])])
  const sides = box(all(document).find((e) => e.className === "sides"))
  const saves = box(all(document).find((e) => e.tagName === "BUTTON" && e.textContent.includes("Metrics CSV")))
  return sides && saves && sides.bottom <= saves.top
}"""


def test_a_segment_is_compared_with_another_and_pictures_have_the_ground_of_the_theme(split: App, page: Page) -> None:
    split.open(page, f"?pipeline=orders&tab=drift&column=amount&batch={day(11)}")
    expect(page.get_by_text("Metrics by how far they moved")).to_be_visible()
    page.get_by_label("Segment", exact=True).click()
    page.get_by_role("menuitem", name="country=DE").click()
    page.get_by_label("Its segment").click()
    page.get_by_role("menuitem", name="country=FR").click()
    page.wait_for_url("**part=country%3DDE&against_part=country%3DFR")
    expect(page.get_by_text(f"{day(11)} · country=DE").first).to_be_visible()
    page.get_by_role("button", name="Fetch rows from the source").click()
    expect(page.get_by_text(f"Rows of {day(11)} in country=DE")).to_be_visible()
    expect(page.locator("table.sampled td", has_text="FR")).to_have_count(0)
    page.context.add_cookies([{"name": "avh_theme", "value": "dark", "url": split.url}])
    page.reload()
    expect(page.get_by_text(f"{day(11)} · country=DE").first).to_be_visible()
    for column in ("amount", "country"):
        if column == "country":
            page.get_by_role("button", name=column).click()
            expect(page.get_by_text("Values by change of their share")).to_be_visible()
        with page.expect_download() as saved:
            page.get_by_role("button", name="Chart PNG").click()
        with Image.open(saved.value.path()) as picture:
            assert picture.convert("RGB").getpixel((1, 1)) == (24, 31, 39)
            assert len(picture.convert("RGB").getcolors(1 << 20) or ()) > 5
    # On a telephone what is drawn how stands above the buttons that save it, not below them.
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function(BELOW)
    page.get_by_role("button", name="Fetch rows from the source").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Rows CSV").click()
    assert saved.value.path().read_text(encoding="utf-8").startswith("id,amount,country,paid")
