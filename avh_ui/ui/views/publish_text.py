"""Publishing in words, as markup: versions with their evidence, and the audit log. Every value goes through `tag`, which escapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from avh_ui.constraints.program import Program
from avh_ui.errors import AvhError
from avh_ui.review.audit import AuditEntry
from avh_ui.review.plain import plain
from avh_ui.ui.components.markup import Markup, join, loading, table, tag
from avh_ui.ui.state.difference import Change, Difference, compared
from avh_ui.ui.state.reading import count, when
from avh_ui.ui.views.difference_text import SIGNS, groups
from avh_ui.workflows.promise import Promise

# More entries of the log than these are in the CSV, not on the page.
LISTED = 200


def change_line(change: Change) -> dict[str, Any]:
    """A change as a line of a list."""
    (before, after), constraint = change.words, change.either
    return {
        "value": constraint.key,
        "label": constraint.place,
        "glyph": SIGNS[change.kind],
        "tone": f"sign-{change.kind}",
        "tag": constraint.metric,
        "note": f"{before} → {after}" if before and after else after or f"no longer {before}",
        "title": f"{change.kind}: {constraint.title}",
    }


def change_title(change: Change, live: Program | None) -> Markup:
    """Which constraint, what becomes of it, and how the chart shows it."""
    name = tag("h2", change.either.column, cls="clip", title=change.either.column)
    before, after = change.words
    marks = [
        "▒ bounds of the draft" if after else "",
        f"┄ bounds of version {live.version}" if before and live else "",
        "✖ would have fired",
    ]
    said = plain(change.either)
    words = {"added": f"Added: {said}", "removed": f"Removed: {said}", "changed": f"Changed: {said} ({before} → {after})"}[change.kind]
    legend = "   ".join(mark for mark in marks[: 3 if after else 2] if mark)
    return join(
        tag("div", name, tag("span", change.either.metric, cls="metric"), cls="title"),
        tag("p", tag("b", words), cls="num wrap"),
        tag("div", legend, cls="legend", style="white-space: pre-wrap"),
    )


def version_line(program: Program, *, live: bool) -> dict[str, Any]:
    """A version as a line of a list."""
    back = program.approval.rolled_back_to
    return {
        "value": str(program.version),
        "label": f"Version {program.version}" + (f" (version {back} again)" if back else ""),
        "glyph": "●" if live else "○",
        "tone": "sign-added" if live else "",
        "tag": "live" if live else "signed" if program.signature else "",
        "note": f"{program.author} · {when(program.created_at)} · {count(len(program.constraints), 'constraint')} · {program.message}",
        "title": f"SHA-256 {program.sha256}",
    }


def version_detail(program: Program, live: Program | None, promise: Promise | None = None) -> Markup:
    """A version with the evidence it was approved on, what came of it so far, and what enforcing it again would change."""
    known = program.approval
    span = f"{known.first_batch} to {known.last_batch}, {count(known.batches, 'batch')}" if known.last_batch else ""
    pairs = [
        ("Message", program.message),
        ("Published", f"{when(program.created_at)} by {program.author}"),
        ("Learned from", span),
        ("Left out", ", ".join(known.excluded)),
        ("False-alarm target", f"{program.fpr_target:g} per column and batch"),
        ("Expected", "" if known.alarms_per_year is None else f"about {known.alarms_per_year:.2g} false alarms a year"),
        ("Observed", promise.observed_words if promise else ""),
        ("Age", promise.age_words if promise else ""),
        ("Backtest", "" if known.fired is None else f"{count(known.fired, 'alarm')} over its history"),
        ("Decided by", ", ".join(known.decided_by)),
        ("SHA-256", program.sha256),
        ("Signature", f"by key {program.public_key[:16]}…" if program.signature else "none"),
    ]
    rows = [tag("tr", tag("th", name, scope="row"), tag("td", value, cls="wrap")) for name, value in pairs if value]
    told = tag("table", *rows, cls="plain", style="margin-top: 4px; width: 100%; overflow-wrap: anywhere")
    heading = tag("h2", f"Version {program.version}", style="font-size: 15px")
    if live is None or live.version == program.version:
        return join(heading, told)
    return join(heading, told, _again(compared(live.constraints, program.constraints), live.version))


def _again(found: Difference, live: int) -> Markup:
    if not found.total:
        return tag("p", f"It enforces what the live version {live} does.", cls="quiet", style="margin-top: 10px")
    words = tag("h3", f"Enforcing it again would change the live version {live}: {found.summary}", style="margin-top: 12px")
    return join(words, *groups(found))


def audit_table(trail: Any) -> Markup:
    """Who did what, newest first."""
    if trail is None:
        return loading("Reading the log …")
    if isinstance(trail, AvhError):
        return tag("p", "⚠ ", str(trail), cls="problem", role="alert")
    if not trail:
        return tag("p", "Nothing was done yet.", cls="quiet")
    return join(
        _entries(trail[:LISTED]), tag("p", f"and {len(trail) - LISTED:,} earlier, in the CSV", cls="quiet") if len(trail) > LISTED else None
    )


def _entries(entries: Sequence[AuditEntry]) -> Markup:
    rows = [
        tag(
            "tr",
            tag("td", when(e.at), cls="num", style="white-space: nowrap"),
            tag("td", e.by or "–"),
            tag("td", tag("b", e.did), " ", e.subject, tag("span", f" · “{e.why}”", cls="quiet") if e.why else None, cls="wrap"),
        )
        for e in entries
    ]
    return table(("When", "Who", "What"), rows, "plain wide")
