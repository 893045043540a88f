"""A comparison in words and bars, as markup. Every value of the data goes through `tag`, which escapes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from avh_ui.constraints.reading import percent
from avh_ui.errors import AvhError
from avh_ui.history.views import View
from avh_ui.ui.components.markup import Markup, join, loading, section, table, tag
from avh_ui.ui.state.comparison import ColumnShift, Comparison, MetricShift
from avh_ui.ui.state.drift import DriftState
from avh_ui.ui.state.reading import count
from avh_ui.ui.state.side_shapes import CategoryShift
from avh_ui.ui.state.spoken import KINDS

# More bars than this are counted, not shown.
LISTED = 14
# The share of a difference from which on the values listed tell of it.
TELLING = 0.1
# Less of a difference reads as none of it.
_SEEN = 0.0005
# What "moved" is measured by, on this page and in the cells of the map.
SCALE = (
    "16\N{MULTIPLICATION SIGN}, none in 60: moved sixteen times as far as usual, and in none of 60 other batches one of the column's "
    "metrics moved so far. In nine of ten batches they move as usual or less."
)
# A cell of sampled rows is cut after so many characters.
LONGEST = 60


def summary(drift: DriftState) -> Markup:
    """How much is on both sides, and what was missing of it."""
    made = drift.comparison
    if made is None:
        return Markup()
    sides = [_rows_of(view) for view in (made.ours, made.theirs)]
    gaps = [str(gap) for gap in (*made.ours.gaps, *made.theirs.gaps)]
    note = tag("span", f" · {count(len(gaps), 'gap')}", title="\n".join(gaps[:20])) if gaps else None
    over = count(drift.passed_over, "batch")
    why = f" · {over} between failed or {'is' if drift.passed_over == 1 else 'are'} labelled as wrong" if drift.passed_over else None
    return tag("span", " against ".join(sides), why, note, cls="quiet num")


def _rows_of(view: View) -> str:
    """How many rows a side has; of a span also of how many batches."""
    batches = len(view.batches)
    return count(view.rows, "row") + (f" of {count(batches, 'batch')}" if batches != 1 else "")


def heading(drift: DriftState, shift: ColumnShift) -> Markup:
    """The column, and whether both sides have it."""
    name = tag("h2", drift.window.called(shift.name), cls="clip", title=shift.name)
    sort = drift.comparison.sort(shift) if drift.comparison is not None else shift.kind
    title = tag("div", name, tag("span", KINDS.get(sort, sort), cls="metric"), cls="title")
    if shift.change == "same":
        note = "" if shift.rarity.words or not shift.note else f"It was {shift.note}."
        expected = drift.comparison.expected(shift.name) if drift.comparison is not None else ""
        return join(title, *(tag("p", said, cls="quiet") for said in (note, expected) if said))
    words = {
        "appeared": f"It is new: {drift.theirs} has no such column.",
        "vanished": f"It is gone: {drift.ours} has no such column.",
        "retyped": f"Its type changed {shift.note}.",
    }
    return join(title, tag("p", words[shift.change], cls="problem", style="margin-top: 4px"))


def legend(ours: str, theirs: str) -> Markup:
    """Which side is drawn how."""
    named = (("swatch ours", ours), ("swatch theirs", theirs))
    return tag("div", *(tag("span", tag("i", cls=cls, aria_hidden="true"), name) for cls, name in named), cls="sides")


def metrics(drift: DriftState, found: Sequence[MetricShift]) -> Markup:
    """All metrics, the furthest moved against their own history first."""
    if not found:
        return Markup()
    rows = [
        tag(
            "tr",
            tag("td", f"{m.words[:1].upper()}{m.words[1:]} ", tag("span", m.name, cls="mono quiet")),
            tag("td", m.ours, cls="num"),
            tag("td", f"usually {m.theirs}" if m.distance else m.theirs, cls="num quiet"),
            tag("td", tag("b", m.rarity.words) if m.rarity.marked else m.rarity.words, cls="num"),
        )
        for m in found
    ]
    together = any(not math.isnan(m.rarity.times) for m in found)
    found_table = table(("Metric", drift.ours, drift.theirs, "Moved" if together else ""), rows)
    if not together:
        return section("Metrics of each side", found_table)
    text = f"{SCALE} A distance is of both sides."
    if drift.comparison is not None and drift.comparison.spans:
        text += f" Of a span, {', '.join(m.name for m in found if m.grows)} are the median of its batches."
    note = tag("p", text, cls="legend")
    return section("Metrics by how far they moved", found_table, note)


def categories(comparison: Comparison, name: str) -> Markup:
    """The values and the shapes of a text column as pairs of bars."""
    values, shapes = comparison.categories(name), comparison.shapes(name)
    parts = []
    if values:
        told = sum(shift.contribution for shift in values[:LISTED])
        # Of times and ids a list of a dozen says nothing.
        many = len(values) > LISTED and 0 < told < TELLING
        text = f"{count(len(values), 'value')} differ; the {LISTED} that changed most make up {percent(told, 1)} of it, so none is listed."
        title = "Rows by whether they keep the rule" if comparison.rule(name) else "Values by change of their share"
        parts.append(section("Values", tag("p", text, cls="quiet")) if many else _bars(title, values))
    if any(s.contribution >= _SEEN for s in shapes) and [s.name for s in shapes] != [v.name for v in values]:
        parts.append(_bars("Ways of writing (d digits, l letters, . punctuation) by change of their share", shapes))
    return tag("div", *parts, style="display: grid; gap: 14px") if parts else Markup()


def _bars(title: str, found: Sequence[CategoryShift]) -> Markup:
    top = max(max(c.ours, c.theirs) for c in found[:LISTED]) or 1.0
    rows = [_bar(c, top) for c in found[:LISTED]]
    more = tag("p", f"and {len(found) - LISTED:,} more", cls="quiet") if len(found) > LISTED else None
    return section(title, table(("Value", "", "This", "Against", "Share of the distance"), rows, "plain pairs"), more)


def _bar(shift: CategoryShift, top: float) -> Markup:
    bars = [
        tag("i", cls=side, style=f"width: {100 * share / top:.1f}%") for side, share in (("ours", shift.ours), ("theirs", shift.theirs))
    ]
    state = " new" if not shift.theirs else " gone" if not shift.ours else None
    label = tag("td", tag("span", shift.name or "(empty)", cls="clip", title=shift.name), tag("b", state) if state else None)
    shares = [tag("td", percent(share, 2), cls="num") for share in (shift.ours, shift.theirs)]
    part = percent(shift.contribution, 1) if shift.contribution >= _SEEN else ""
    return tag("tr", label, tag("td", *bars, aria_hidden="true"), *shares, tag("td", part, cls="num quiet"))


def rows(drift: DriftState) -> Markup:
    """Rows of the batch, with the column looked at first."""
    if drift.fetching:
        return loading("Stopping …" if drift.cancelling else "Spark reads the batch …")
    found = drift.rows
    if found is None:
        return Markup()
    if isinstance(found, AvhError):
        return tag("p", "⚠ ", str(found), cls="problem", role="alert")
    names = sorted(found.column_names, key=lambda name: name != drift.column)
    columns = [found.column(name).slice(0, 20).to_pylist() for name in names]
    lines = [tag("tr", *(tag("td", _cell(value)) for value in line)) for line in zip(*columns, strict=True)]
    batch = drift.comparison.ours.batches[-1] if drift.comparison is not None else ""
    if not lines:
        return section(f"Rows of {batch}", tag("p", f"No row of {drift.part} is among those that were read.", cls="quiet"))
    return section(
        f"Rows of {batch}{f' in {drift.part}' if drift.part else ''}",
        tag("div", table(names, lines, "plain wide sampled"), style="overflow-x: auto"),
    )


def _cell(value: object) -> str:
    text = "null" if value is None else str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
