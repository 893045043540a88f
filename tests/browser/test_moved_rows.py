"""The rows that moved, in a real browser: named where a column drifted, with what they have in common, and sorted by a head."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

import avh_ui
from tests.browser.conftest import serving

pytestmark = pytest.mark.browser

CONFIG = """\
version: 1
pipelines:
  cases: {source: {format: csv, path: "data/{batch}.csv", options: {header: true}}, key: [code]}
engine: local
"""
REGIONS = ["Lazio", "Puglia", "Umbria", "Veneto"]


def lay_out(root: Path) -> None:
    """Four days of 24 provinces; on the last one those of Lazio are 0, and their names hold what must not become markup."""
    (root / "avh.yml").write_text(CONFIG, encoding="utf-8")
    (root / "data").mkdir()
    for day in range(1, 5):
        lines = ["code,province,region,cases"]
        for k in range(24):
            region = REGIONS[k // 6]
            cases = 0 if day == 4 and region == "Lazio" else 100 * (k + 1) + day
            lines.append(f"{k:03},<b>Place{chr(65 + k)}</b>,{region},{cases}")
        (root / "data" / f"2026-01-0{day}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_rows_that_moved_are_told_and_sorted(tmp_path: Path, context: BrowserContext, page: Page) -> None:
    lay_out(tmp_path)
    workspace = avh_ui.open(tmp_path)
    workspace.profile("cases")
    with serving(workspace, context) as app:
        app.open(page, "?pipeline=cases&tab=drift&batch=2026-01-04&column=cases")
        told = page.locator("section.moved")
        expect(told.get_by_text("6 of 6 rows with region Lazio went from 2,118 to 0 together.")).to_be_visible()
        expect(told.get_by_role("heading", name="cases: 24 of 24 matched rows changed")).to_be_visible()
        cells = told.locator("tbody tr").first.locator("td")
        expect(cells).to_have_text(["005 (<b>PlaceF</b>)", "603", "0", "−603"])
        told.get_by_role("button", name="Before").click()
        expect(told.locator("th").nth(1)).to_have_attribute("aria-sort", "descending")
        expect(cells).to_have_text(["023 (<b>PlaceX</b>)", "2,403", "2,404", "+1"])
        # The head keeps the focus, so that the keyboard turns the order round.
        page.keyboard.press("Enter")
        expect(told.locator("th").nth(1)).to_have_attribute("aria-sort", "ascending")
        expect(cells).to_have_text(["000 (<b>PlaceA</b>)", "103", "0", "−103"])
        told.get_by_role("button", name="code").click()
        expect(cells.first).to_have_text("000 (<b>PlaceA</b>)")
        # Of a column whose rows stayed as they were nothing is listed.
        page.get_by_role("option", name="region").or_(page.get_by_text("region", exact=True)).first.click()
        expect(told).to_be_hidden()
