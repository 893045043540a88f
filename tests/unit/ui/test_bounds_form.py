"""The form of the bounds, and evidence that is incomplete."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from avh_ui.review.plain import enforced
from avh_ui.ui.components.range_strip import RangeStrip
from avh_ui.ui.state.issues import issue_rows
from avh_ui.ui.state.new_rule import TryingState
from avh_ui.ui.state.rows import table_row
from avh_ui.ui.views.chart_data import chart_data
from avh_ui.ui.views.evidence import EvidenceView
from avh_ui.ui.views.evidence_facts import facts, worth
from avh_ui.ui.views.evidence_text import verdict
from tests.unit.ui.conftest import Desk


def test_dragging_sorts_and_rounds_but_keeps_what_was_not_moved(desk: Desk) -> None:
    lower, _ = desk.evidence.bounds
    desk.evidence.drag(lower + 1e-9, 38_123.456789)
    assert desk.evidence.bounds == (lower, 38_120.0)
    desk.evidence.drag(38_000.0, 20_000.0)
    assert desk.evidence.bounds == (20_000.0, 38_000.0)


def test_reset_and_discard(desk: Desk) -> None:
    suggested = desk.evidence.bounds
    desk.decisions.edit(desk.queue.cursor, 1.0, 50_000.0)
    desk.queue.move(-100)
    desk.evidence.drag(2.0, 50_000.0)
    desk.evidence.discard()
    assert desk.evidence.bounds == (1.0, 50_000.0)
    desk.evidence.reset()
    assert desk.evidence.bounds == suggested
    desk.evidence.save()
    assert desk.item(desk.queue.visible[0]).status == "accepted"


def test_a_field_that_was_not_changed_keeps_all_digits(desk: Desk) -> None:
    lower, _ = desk.evidence.bounds
    assert desk.evidence.type_bounds(desk.evidence.form_text(0), "50000", of=desk.queue.cursor)
    assert desk.evidence.bounds == (lower, 50_000)


def test_a_constant_reads_as_one_number(desk: Desk) -> None:
    desk.queue.query = "currency dist_val_count"
    assert (desk.evidence.form_text(0), desk.evidence.form_text(1)) == ("12", "12")


def test_issues_without_a_list_of_what_was_tried(desk: Desk) -> None:
    item = desk.queue.item
    item = replace(item, suggestion=replace(item.suggestion, evidence=replace(item.suggestion.evidence, tried=())))
    assert sum(row.caught for row in issue_rows(item)) == len(item.suggestion.caught)


def test_a_metric_that_was_never_defined_has_no_line(desk: Desk) -> None:
    history = desk.session.history
    item = desk.queue.item
    column = history.columns[item.current.column]
    before = column.values[item.current.metric]
    column.values[item.current.metric] = np.full_like(before, np.nan)
    try:
        assert table_row(item, history)["spark"] is None
        assert desk.evidence.trial().verdict.startswith("No batch of the history")
    finally:
        column.values[item.current.metric] = before


def test_what_was_typed_for_another_suggestion_is_dropped(desk: Desk) -> None:
    first = desk.queue.cursor
    desk.queue.move(1)
    before = desk.evidence.bounds
    assert not desk.evidence.type_bounds("1", "2", of=first)
    assert (desk.evidence.bounds, desk.evidence.dirty) == (before, False)
    assert "dropped" in desk.session.said


def test_bounds_that_are_not_saved_stand_beside_those_that_are(desk: Desk) -> None:
    saved = enforced(desk.queue.item.current, desk.evidence.reader)
    assert "not saved" not in facts(desk.evidence)
    desk.evidence.type_bounds("9600", "50000", of=desk.queue.cursor)
    shown = facts(desk.evidence)
    assert shown.index(saved) < shown.index("9,600") < shown.index("not saved")
    assert "With the bounds in the form" in worth(desk.evidence)
    assert "Not saved yet" in verdict(desk.evidence, desk.evidence.trial())


def test_enter_saves_and_stays_and_tab_only_tries(desk: Desk) -> None:
    view, first = EvidenceView(desk.evidence, TryingState(desk.session)), desk.queue.cursor
    view.bounds._handle_msg({"item": first, "lower": "9600", "upper": "50000"})
    assert (desk.item(first).status, desk.evidence.dirty) == ("pending", True)
    view.bounds._handle_msg({"item": first, "lower": "9600", "upper": "50000", "entered": True})
    assert (desk.item(first).status, desk.queue.cursor) == ("edited", first)
    # What it says of bounds that exclude today is not read yet where the next key is pressed at once, however quick the answer was.
    lower = desk.evidence.bounds[1] - 1
    view.bounds._handle_msg({"item": first, "lower": f"{lower}", "upper": "50000", "entered": True})
    desk.evidence.accept(first, first)
    desk.session.refresh()
    assert ("Save again" in desk.evidence.problem, desk.item(first).current.lower, desk.queue.cursor) == (True, 9_600, first)
    assert desk.session.said.startswith("Nothing was accepted. ")
    view.bounds._handle_msg({"item": first, "lower": f"{lower}", "upper": "50000", "entered": True})
    assert desk.item(first).current.lower == lower


def test_a_chart_says_what_it_shows(desk: Desk) -> None:
    said = chart_data(desk.evidence).told
    assert said.startswith("History of row_count of order_id: 365 batches from 2025-01-01 to 2025-12-31; values from ")
    assert said.endswith("; no alarm.")
    view = EvidenceView(desk.evidence, TryingState(desk.session))
    assert view.chart.figure.html_attributes == {"role": "img", "aria-label": said}
    desk.evidence.type_bounds("23000", "50000", of=desk.queue.cursor)
    now = view.chart.figure.html_attributes["aria-label"]
    assert "; alarms on 92: 2025-12-" in now
    assert now.endswith(" and 89 before.")


def test_the_handles_of_the_range_say_which_batches_they_are_at() -> None:
    seen: list[tuple[int, int]] = []
    strip = RangeStrip(seen.append)
    strip.cover(["a", "b", "c"])
    assert (strip.ends, strip.last, strip.words) == ([0, 2], 2, ["a", "c"])
    strip._handle_msg([1, 2])
    assert (strip.words, seen) == (["b", "c"], [(1, 2)])
    for wrong in ([2, 1], [0, 3], [0], "x", [None, 1]):
        strip._handle_msg(wrong)
    assert seen == [(1, 2)]
    strip.cover(["a", "b", "c"])
    assert strip.ends == [1, 2]
    strip.cover(["x"])
    assert (strip.ends, strip.words) == ([0, 1], ["x", "x"])
