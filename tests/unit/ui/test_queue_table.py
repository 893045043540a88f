"""What the review table sends is always the page that it shows, and little of it."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from avh_ui.ui.components.queue_table import QueueTable

Page = list[dict[str, object]]
PAGES = st.lists(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 2)), max_size=12, unique_by=lambda row: row[0]), max_size=8)


def received(table: QueueTable) -> Page:
    """The rows as the browser has them."""
    changes = json.loads(table.changes)
    return [changes.get(str(at), row) for at, row in enumerate(json.loads(table.rows))]


@given(PAGES)
def test_the_browser_has_the_rows_that_are_shown(pages: list[list[tuple[int, int]]]) -> None:
    table = QueueTable()
    for page in pages:
        rows: Page = [{"id": str(name), "status": status} for name, status in page]
        table.show(rows)
        assert received(table) == rows


def test_a_decision_sends_a_row_and_not_the_page() -> None:
    table, rows = QueueTable(), [{"id": str(k), "status": "pending", "plain": "x" * 1_000} for k in range(50)]
    table.show(rows)
    sent = 0
    for k in range(50):
        before = (table.rows, table.changes)
        rows = [*rows[:k], {**rows[k], "status": "accepted"}, *rows[k + 1 :]]
        table.show(rows)
        assert received(table) == rows
        sent += sum(len(now) for now, old in zip((table.rows, table.changes), before, strict=True) if now != old)
    assert sent < 0.25 * 50 * len(table.rows)
