"""Who carries a change between two batches, as a table. `tag` escapes all of it."""

from __future__ import annotations

from collections.abc import Sequence

from avh_ui.constraints.readable import readable_number
from avh_ui.constraints.reading import percent
from avh_ui.metrics.contributions import Contribution
from avh_ui.ui.components.markup import Markup, section, table, tag


def averages(found: Sequence[Contribution], column: str) -> Markup:
    """Whose average of a column changed by more than their share of the rows."""
    if not found:
        return tag("p", f"No value of another column carries it: the averages of {column} changed alike, or not at all.", cls="wrap")
    return contributions(found, f"Who carries the change of the average {column}", "Of the rows")


def contributions(found: Sequence[Contribution], title: str = "Who carries the change", size: str = "Of all before") -> Markup:
    """Whose share of the change is larger than its size, the largest first."""
    if not found:
        return Markup()
    rows = [
        tag(
            "tr",
            tag("td", c.column, cls="mono"),
            tag("td", tag("span", c.value or "(empty)", cls="clip", title=c.value)),
            tag("td", readable_number(c.before), cls="num"),
            tag("td", readable_number(c.after), cls="num"),
            tag("td", tag("b", percent(c.share, 1)), cls="num"),
            tag("td", percent(c.size, 1), cls="num quiet"),
        )
        for c in found
    ]
    made = table(("Column", "Value", "Before", "After", "Of the change", size), rows, "plain wide")
    return section(title, tag("div", made, style="overflow-x: auto"))
