"""The form of the bounds, and evidence that is incomplete."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from avh_ui.ui.state.issues import issue_rows
from avh_ui.ui.state.rows import table_row
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
