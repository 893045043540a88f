"""Tables as CSV that people open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from avh_ui.history.series import History
from avh_ui.review.draft import DraftItem
from avh_ui.ui.state.rows import table_row

# A spreadsheet takes a cell that begins so for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table as CSV; a text that would be a formula gets an apostrophe in front, numbers stay as they are."""
    text = io.StringIO()
    write = csv.writer(text)
    write.writerow([_cell(name) for name in header])
    write.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue().encode("utf-8", "replace").decode("utf-8")


def suggestions_csv(items: Iterable[DraftItem], history: History | None) -> str:
    """The review's table: what each suggestion enforces, costs and catches, and what stands decided of it."""
    header = ("id", "column", "metric", "bounds", "fpr", "caught", "only_caught", "variants", "status", "decided_by", "decided_at", "why")
    rows = []
    for item in items:
        row = table_row(item, history, drawn=False)
        decided = (item.decided_by, item.decided_at, item.why)
        numbers = (item.current.fpr, row["caught"], row["only"], row["variants"])
        rows.append((row["id"], row["column"], row["metric"], row["bounds"], *numbers, item.status, *decided))
    return csv_text(header, rows)


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
