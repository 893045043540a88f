"""What the evidence shows beside the bounds, by mouse and keyboard in a real browser."""

from __future__ import annotations

import re
from threading import Event

import pytest
from playwright.sync_api import Page, expect

from avh_ui.metrics.scales import RowScale
from avh_ui.ui.components.history_chart import HistoryChart
from avh_ui.ui.components.scripts import BROWSER, inlined
from tests.browser.conftest import PATIENCE, Reviewer

# Where the chart's axis begins, in milliseconds since 1970.
START = """() => [...Bokeh.documents[0]._all_models.values()].find((m) => m.name === "history" && m.y_range).x_range.start"""


def test_a_part_of_the_history_is_drawn_and_saved(reviewer: Reviewer) -> None:
    page = reviewer.page
    expect(page.get_by_text("2025-01-01 – 2025-12-31")).to_be_visible()
    before = page.evaluate(START)
    first, last = page.get_by_role("slider", name="First batch drawn"), page.get_by_role("slider", name="Last batch drawn")
    expect(first).to_have_attribute("aria-valuetext", "2025-01-01")
    expect(last).to_have_attribute("aria-valuetext", "2025-12-31")
    first.focus()
    for _ in range(3):
        page.keyboard.press("PageUp")
    expect(page.get_by_text("2025-01-01 – 2025-12-31")).to_have_count(0)
    page.wait_for_function(f"(before) => ({START})() > before", arg=before)
    row = reviewer.row(1)
    row.click()
    reviewer.looks_at(1)
    # The part that is drawn stays the same from one suggestion to the next.
    expect(page.get_by_text("2025-01-01 – 2025-12-31")).to_have_count(0)
    with page.expect_download() as table:
        page.get_by_role("button", name="History CSV").click()
    assert table.value.suggested_filename == "history.csv"
    assert len(table.value.path().read_text(encoding="utf-8").splitlines()) == 366
    with page.expect_download() as picture:
        page.get_by_role("button", name="Chart PNG").click()
    assert picture.value.suggested_filename == "history.png"
    assert picture.value.path().read_bytes().startswith(b"\x89PNG")


def test_the_edge_of_a_constant_is_dragged_and_a_strategy_is_taken_as_the_rule(reviewer: Reviewer) -> None:
    page = reviewer.page
    page.get_by_placeholder("Search").fill("complete_ratio")
    lower, upper = page.get_by_label("Lower bound"), page.get_by_label("Upper bound")
    expect(lower).to_have_value("1")
    band = "[...Bokeh.documents[0]._all_models.values()].find((m) => m.type === 'BoxAnnotation' && m.editable)"
    page.wait_for_function(f"() => {band}.bottom > 0.9 && {band}.bottom < 1 && {band}.top > 1")
    edge = page.evaluate(f"() => {band}.bottom")
    reviewer.drag(edge, 40)
    expect(lower).not_to_have_value("1")
    expect(upper).to_have_value("1")
    assert 0.9 < float(lower.input_value()) < 1
    # By keyboard.
    page.get_by_placeholder("Search").fill("row_count")
    reviewer.button("Strategy").focus()
    page.keyboard.press("Enter")
    page.get_by_role("combobox", name="Strategy", exact=True).focus()
    page.keyboard.type("Onl")
    expect(page.get_by_text("Online normal, 3 standard deviations: would have alarmed on")).to_be_visible()
    page.get_by_label("Deviations").last.fill("1.5")
    expect(page.get_by_text("1.5 standard deviations: would have alarmed on")).to_be_visible()
    # Drawn on the chart: a mark for every batch that it would have alarmed on.
    marks = "[...Bokeh.documents[0]._all_models.values()].some((m) => m.data?.marker?.includes?.('triangle'))"
    page.wait_for_function(f"() => {marks}")
    old = reviewer.id(0)
    reviewer.button("Take as rule").click()
    expect(reviewer.row(1)).to_be_visible()
    draft = reviewer.workspace.draft("orders")
    assert draft is not None
    (rule,) = [item for item in draft.items if item.current.strategy is not None]
    assert (rule.status, draft.item(old).status) == ("accepted", "rejected")


def test_the_field_follows_a_drag_before_the_server_and_the_chart_says_what_it_shows(
    reviewer: Reviewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, go = reviewer.page, Event()
    dragged = HistoryChart._dragged

    def late(chart: HistoryChart) -> None:
        go.wait(PATIENCE / 1000)
        dragged(chart)

    monkeypatch.setattr(HistoryChart, "_dragged", late)
    chart = page.get_by_role("img", name="History of row_count")
    expect(chart).to_have_accessible_name(re.compile(r"365 batches from 2025-01-01 to 2025-12-31; values from .*; no alarm\."))
    expect(page.get_by_role("group", name="Bounds of row_count")).to_be_visible()
    upper = page.get_by_label("Upper bound")
    before = upper.input_value()
    reviewer.drag(float(before), by=60)
    expect(upper).not_to_have_value(before)
    shown = upper.input_value()
    assert float(shown) < float(before)
    go.set()
    expect(page.get_by_text("batches (")).to_contain_text("Would have alarmed on")
    expect(chart).to_have_accessible_name(re.compile(r"alarms on \d+: 2025-"))
    # What the server has to say of it is the same number, and the other bound is as it was.
    expect(upper).to_have_value(shown)
    first = reviewer.id(0)
    reviewer.button("Save edit").click()
    reviewer.looks_at(1)
    draft = reviewer.workspace.draft("orders")
    assert draft is not None
    edited, suggested = draft.item(first).current, draft.item(first).suggestion.constraint
    assert (edited.lower, edited.upper) == (suggested.lower, float(shown))


@pytest.mark.parametrize("style", ["count_fall", "count_rise"])
def test_an_axis_reads_how_far_counts_moved_as_the_page_does(page: Page, style: str) -> None:
    code = f"([style, far, ticks]) => {{ {inlined(BROWSER / 'ticks.js')}; return written(style, far, ticks) }}"
    scale = RowScale(up=style == "count_rise", roots=True)
    for ticks in ([0.0, 0.2, 0.4, 0.6], [0.0, 1.0, 2.0, 3.0]):  # all of one tick's number, the farthest
        written = [page.evaluate(code, [style, far, ticks]) for far in ticks]
        assert written == [scale.read(far, beside=ticks[-1]) for far in ticks]
    assert page.evaluate(code, [f"{style} 1000", 0.2, [0.0, 0.2]]) == scale.read(0.2, beside=3.0)  # of as many as the bound beside it
    assert page.evaluate(code, [style, -0.2, [-0.2, 0.0, 0.2]]) == ""  # no count moves by less than nothing
