"""Take the pictures of the pages and of a visual check: `python -m tests.browser.screenshots URL FOLDER [--all]`.

URL is a running app whose first pipeline has suggestions (and runs, for their page). Without `--all` it takes every page in light and
dark at 1440 pixels; with it, every state at 1440 and 1024 pixels.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from tests.conftest import CHROMIUM, CHROMIUM_ARGS

HEIGHTS = {1440: 900, 1024: 768}
# Milliseconds in which a page has read its data, also on a busy machine.
READ = 30_000


def settle(page: Page) -> None:
    """Wait until rows and chart are drawn and nothing moves any more."""
    page.wait_for_function("() => window.Bokeh && Bokeh.documents.length && Bokeh.documents[0].is_idle")
    expect(page.locator("tbody tr[data-id]").first).to_be_attached()
    page.wait_for_load_state("networkidle")
    page.evaluate("() => new Promise((done) => setTimeout(done, 600))")  # transitions of the theme and of buttons


def shoot(page: Page, folder: Path, name: str) -> None:
    """One picture."""
    page.evaluate("() => document.activeElement?.blur()")
    page.mouse.move(0, 0)  # off what it has clicked
    settle(page)
    page.screenshot(path=folder / f"{name}.png")


def review(page: Page, folder: Path, suffix: str) -> None:
    """The review, on the first suggestion that would have alarmed: it shows most."""
    fired = page.locator("tbody tr[data-id]").filter(has=page.get_by_role("img", name=re.compile("would have alarmed")))
    (fired.first if fired.count() else page.locator("tbody tr[data-id]").first).click()
    page.mouse.move(5, 500)
    page.evaluate("() => document.activeElement?.blur()")
    shoot(page, folder, f"review-{suffix}")


def publish(page: Page, folder: Path, suffix: str) -> None:
    """The publish page."""
    turn(page, "Publish")
    expect(page.get_by_role("textbox", name="Message")).to_be_visible(timeout=READ)
    expect(page.get_by_text("Trying the program on the whole history")).to_be_hidden(timeout=READ)
    shoot(page, folder, f"publish-{suffix}")
    turn(page, "Review")


def turn(page: Page, name: str) -> None:
    """To another page of the app."""
    page.get_by_role("navigation", name="Pages", exact=True).get_by_role("button", name=name).click()


def overview(page: Page, folder: Path, suffix: str) -> None:
    """The overview, on the worst cell."""
    turn(page, "Overview")
    expect(page.get_by_text(re.compile("batch(es)? of [0-9]+ column"))).to_be_visible(timeout=READ)
    page.keyboard.press("j")
    expect(page.get_by_text("Usual is the median")).to_be_visible(timeout=READ)
    shoot(page, folder, f"overview-{suffix}")


def drift(page: Page, folder: Path, suffix: str) -> None:
    """The drift of what the overview looks at."""
    page.get_by_role("button", name="Investigate drift").click()
    expect(page.get_by_text("Metrics by how far they moved")).to_be_visible(timeout=READ)
    shoot(page, folder, f"drift-{suffix}")


def runs(page: Page, folder: Path, suffix: str) -> None:
    """The runs, on the newest alarm; what to do where there are none."""
    turn(page, "Runs")
    told = page.get_by_text(re.compile("for a label|is published for|was not validated yet"))
    expect(told.first).to_be_visible(timeout=READ)
    shoot(page, folder, f"runs-{suffix}")
    turn(page, "Review")


def what_if(page: Page, folder: Path, suffix: str) -> None:
    """What a larger target would change."""
    turn(page, "What-if")
    expect(page.get_by_text("Nothing would change")).to_be_visible(timeout=READ)
    page.get_by_role("slider").first.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_text("Move (")).to_be_visible(timeout=READ)
    shoot(page, folder, f"what-if-{suffix}")
    turn(page, "Review")


def coverage(page: Page, folder: Path, suffix: str) -> None:
    """The coverage of the draft, on its worst hole."""
    turn(page, "Coverage")
    expect(page.get_by_text("Who notices it, or what would")).to_be_visible(timeout=READ)
    shoot(page, folder, f"coverage-{suffix}")
    turn(page, "Review")


def states(page: Page, folder: Path, suffix: str) -> None:
    """What is seen less often: several ticked, no match, the help sheet."""
    for at in (1, 2, 3):
        page.locator("tbody tr[data-id]").nth(at).get_by_role("checkbox").click()
    shoot(page, folder, f"ticked-{suffix}")
    page.keyboard.press("Escape")
    page.get_by_placeholder("Search").fill("no such column")
    expect(page.get_by_role("button", name="Show all")).to_be_visible()
    page.screenshot(path=folder / f"no-match-{suffix}.png")
    page.get_by_role("button", name="Show all").click()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible(timeout=READ)
    shoot(page, folder, f"help-{suffix}")


def main() -> None:
    """Read the arguments and take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--all", action="store_true", help="every state, at 1440 and 1024 pixels")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=CHROMIUM_ARGS)
        for width in HEIGHTS if options.all else (1440,):
            for theme in ("light", "dark"):
                page = browser.new_page(viewport={"width": width, "height": HEIGHTS[width]})
                page.goto(f"{options.url}?tab=review")
                settle(page)
                if theme == "dark":
                    page.get_by_label("Toggle theme").click()
                suffix = theme if width == 1440 else f"{theme}-{width}"
                review(page, options.folder, suffix)
                what_if(page, options.folder, suffix)
                publish(page, options.folder, suffix)
                overview(page, options.folder, suffix)
                drift(page, options.folder, suffix)
                runs(page, options.folder, suffix)
                coverage(page, options.folder, suffix)
                if options.all:
                    states(page, options.folder, suffix)
                page.close()
        browser.close()


if __name__ == "__main__":
    main()
