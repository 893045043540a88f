"""The glossary: every metric in plain words, one key away."""

from __future__ import annotations

from typing import Any

from avh_ui.review.glossary import Entry, glossary
from avh_ui.ui.components.markup import Markup, parted, tag
from avh_ui.ui.components.sheet import scrolling, sheet

_TITLE = "What the metrics mean"


def glossary_sheet() -> Any:
    """A dialog; open it by its `open` parameter."""
    return sheet(_TITLE, glossary_table())


def glossary_table() -> Markup:
    """Each metric with what it means and a rule on it."""
    rows = [_row(one) for one in glossary()]
    head = tag("tr", *(tag("th", name, scope="col") for name in ("Metric", "What it means, and a rule on it")))
    return scrolling(_TITLE, tag("table", head, *rows, cls="plain wide"), style="max-height: 70vh; overflow-y: auto")


def _row(one: Entry) -> Markup:
    rule = tag("div", f"“{one.rule}”", cls="quiet") if one.rule else None
    return tag("tr", tag("td", parted(one.name), cls="mono", title=one.definition), tag("td", one.means, rule, cls="wrap"))
