"""The page of incidents in a real browser: from an alarm to its incident, what people do with it, and the address that reopens it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import App
from tests.fakes.demo_runs import publish_and_validate, validate_again

pytestmark = pytest.mark.browser


def test_from_an_alarm_to_its_incident_which_is_taken_labelled_and_resolved(app: App, page: Page) -> None:
    publish_and_validate(app.workspace)
    newest = app.workspace.incidents("orders")[0]
    reviewer = app.open(page, "?pipeline=orders&tab=runs")
    expect(page.get_by_text("occur more than once").first).to_be_visible()
    reviewer.button("Open its incident").click()
    page.wait_for_url(f"**incident={newest.id}")
    expect(page.get_by_role("heading", name=newest.since, exact=True)).to_be_visible()
    expect(page.get_by_text("first seen: failed")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text="occur more than once")).to_be_visible()
    page.get_by_label("Why, or a comment").fill("looks <b>odd</b>")
    reviewer.button("Take it").click()
    expect(page.get_by_text("“looks <b>odd</b>”")).to_be_visible()
    page.get_by_role("heading", name=newest.since, exact=True).click()
    page.keyboard.press("Shift+K")
    expect(page.get_by_text("Known error (2 alarms)")).to_be_visible()
    expect(page.get_by_text("This batch is not learned from")).to_be_visible()
    reviewer.button("Resolve").click()
    expect(reviewer.button("Open again")).to_be_visible()
    said = [entry.action for entry in app.workspace.incident("orders", newest.id).said]
    assert said == ["own", "comment", *["known_error"] * len(newest.alarms), "resolve"]
    page.reload()
    expect(page.get_by_role("heading", name=newest.since, exact=True)).to_be_visible()
    expect(page.get_by_text("resolved · Known error").first).to_be_visible()
    # The batch comes anew and passes: the incident stays, with its label.
    validate_again(app.workspace)
    page.reload()
    expect(page.get_by_text("passes now · Known error").first).to_be_visible()
    expect(page.get_by_text("What alarmed here passes since the batch was validated again")).to_be_visible()
    expect(page.get_by_text("Known error (2 alarms)")).to_be_visible()


def test_the_findings_are_copied_for_who_delivers_the_table(app: App, page: Page) -> None:
    publish_and_validate(app.workspace)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    newest = app.workspace.incidents("orders")[0]
    reviewer = app.open(page, f"?pipeline=orders&tab=incidents&incident={newest.id}")
    reviewer.button("Copy the findings").click()
    expect(page.get_by_role("status").filter(has_text="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith(f"Batch {newest.since} of orders")
    assert "occur more than once" in copied
    page.get_by_text("The findings as a text for whoever delivers the table").click()
    expect(page.get_by_label("The findings", exact=True)).to_have_text(copied.rstrip("\n"))
    reviewer.button("Open its rule").click()
    page.wait_for_url("**tab=review**")


def test_a_batch_without_an_alarm_is_labelled_listed_and_its_label_taken_back(app: App, page: Page) -> None:
    publish_and_validate(app.workspace)
    other = app.workspace.batches("orders")[2]
    reviewer = app.open(page, "?pipeline=orders&tab=incidents")
    page.get_by_label("Another batch").fill(other)
    page.get_by_label("Why, or a comment").fill("half the file")
    reviewer.button("Its data are wrong").click()
    expect(page.get_by_text(f"Labelled batch {other}: nothing is learned from it").first).to_be_visible()
    line = page.get_by_text(f"{other}: Known error (")
    expect(line).to_contain_text("“half the file”); nothing is learned from it.")
    assert app.workspace.services.runs.excluded("orders") == [other]
    # What happened stands above what there is to do.
    fact, now = (page.get_by_text(text).first.bounding_box() for text in ("occur more than once", "What now"))
    assert fact is not None
    assert now is not None
    assert fact["y"] < now["y"]
    page.reload()
    expect(line).to_be_visible()
    page.get_by_label("Another batch").fill(other)
    reviewer.button("No label").click()
    expect(line).to_have_count(0)
    assert app.workspace.services.runs.excluded("orders") == []
