"""Publishing in words, as markup: versions with their evidence, and the audit log. Every value goes through `tag`, which escapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from avh_ui.constraints.program import Program
from avh_ui.errors import AvhError
from avh_ui.issues.faults import TABLE
from avh_ui.review.audit import AuditEntry
from avh_ui.review.difference import ConstraintChange, Difference, compared
from avh_ui.review.plain import plain
from avh_ui.ui.components.markup import Markup, join, loading, section, table, tag
from avh_ui.ui.state.coverage import ROWS, words
from avh_ui.ui.state.grouping import called
from avh_ui.ui.state.reading import count, when
from avh_ui.ui.theme import OUTCOMES
from avh_ui.ui.views.difference_text import SIGNS, groups
from avh_ui.workflows.coverage import Coverage
from avh_ui.workflows.preview import Preview
from avh_ui.workflows.program_backtest import Blamed, Day
from avh_ui.workflows.promise import Promise, a_year

# More entries of the log than these are in the CSV, not on the page.
LISTED = 200
_APART, _HEAD = "margin-top: 8px", "margin-top: 8px; font-size: 13px"
_BESIDE = "{} Choose a day to see what it was. Days on which something really changed are not among those that are expected."
# Of a day's rules as many fit two lines; of days that are gone, a sentence.
_RULES, _GONE = 3, 5
# The rest is on the page of coverage.
_WORST = 4


def change_line(change: ConstraintChange) -> dict[str, Any]:
    """A change as a line of a list."""
    (before, after), constraint = change.words, change.either
    bounds = f"{before} → {after}" if before and after else ""
    return {
        "value": constraint.key,
        "label": plain(constraint),
        "glyph": SIGNS[change.kind],
        "tone": f"sign-{change.kind}",
        "tag": change.kind,
        "note": " · ".join(filter(None, (bounds, change.decided, *change.reasons))),
        "title": f"{change.kind}: {constraint.title}, {after or before}",
    }


def day_line(day: Day, *, new: bool) -> dict[str, Any]:
    """A day on which the program would have failed as a line of a list."""
    said = {"wrong": "called wrong", "right": "called right"}.get(day.said or "", "new" if new else "")
    rules = "; ".join(plain(c).rstrip(".") for c in day.failed[:_RULES])
    more = f"; and {len(day.failed) - _RULES:,} more" if len(day.failed) > _RULES else ""
    return {
        "value": day.batch,
        "label": day.batch,
        "glyph": OUTCOMES["fail"],
        "tone": "outcome-fail",
        "tag": said,
        "note": f"{rules}{more}",
        "title": f"Look at {day.batch}",
    }


def days_lines(preview: Preview) -> list[dict[str, Any]]:
    """The days on which the program would have failed as lines of a list, the newest first; those of a stretch are one."""
    new = set(preview.new_days) if preview.before.judged else set()
    found = []
    for days in preview.backtest.groups[::-1][:LISTED]:
        line = day_line(days[0], new=any(day.batch in new for day in days))
        if len(days) > 1:
            label = f"{days[0].batch} to {days[-1].batch}"
            line |= {"label": label, "note": f"{len(days):,} batches in a row. On the first: {line['note']}"}
        found.append(line)
    return found


def blamed_line(blamed: Blamed) -> dict[str, Any]:
    """A rule by which alone many days would have failed as a line of a list."""
    return {
        "value": blamed.constraint.key,
        "label": plain(blamed.constraint),
        "glyph": OUTCOMES["fail"],
        "tone": "outcome-fail",
        "tag": f"{blamed.alone:,} days",
        "note": "They fail by this rule alone: without it they pass. Choose it to edit or reject it.",
        "title": "Look at this rule in the review",
    }


def backtest_words(preview: Preview) -> Markup:
    """On how many days the program would have failed, beside what its rates let expect; and that rules follow which did most of it."""
    tried = preview.backtest
    said = [tag("p", tag("b", tried.words), cls="num")]
    said += [tag("p", words, cls="num wrap", style=_APART) for words in (preview.taught_words, tried.stretch_words) if words]
    rules = tag("h3", "Rules that alone fail many of these days", style=_HEAD) if tried.blamed else None
    return join(tag("h2", "On the whole history", style="font-size: 15px"), *said, rules)


def days_words(preview: Preview) -> Markup:
    """What is known of these days, which they are beside the live one's, and of what the history says nothing."""
    tried, gone, said = preview.backtest, preview.gone_days, []
    if tried.failed:
        said.append(tag("p", _BESIDE.format(_unlabelled(tried.failed)), cls="wrap"))
    if preview.before.judged:
        old = f"The live version would have failed on {len(preview.before.failed):,}"
        less = f"; no longer {', '.join(gone[-_GONE:])}{f' and {len(gone) - _GONE:,} more' if len(gone) > _GONE else ''}" if gone else ""
        said.append(tag("p", f"{old}{less}.", cls="quiet num wrap"))
    said += [tag("p", words, cls="quiet wrap", style=_APART) for words in tried.untold_words]
    how = "Each batch is judged by what was known before it, as the validator would have done."
    days = tag("h3", "Days that would have failed", style=_HEAD) if tried.failed else None
    return join(*said, tag("p", how, cls="quiet"), days)


def open_words(found: Coverage) -> Markup:
    """How much of what may happen to the table the draft would leave unnoticed."""
    half, cells = found.share(0.5)
    said = f"A fault in half of the rows would be noticed in {half:,} of {cells:,} places, of a column and a kind of fault."
    more = f" In {len(found.holes):,} something stays unnoticed, at one share of the rows or another. The worst:" if found.holes else ""
    return join(tag("h2", "What stays open", style="font-size: 15px"), tag("p", said, more, cls="num wrap"))


def open_lines(found: Coverage) -> list[dict[str, Any]]:
    """The worst of these places as lines of a list, with the rule that would close each and its price."""
    lines = []
    for cell in found.holes[:_WORST]:
        what = words(cell)
        closing = f". To notice it: {cell.closings[0].sentence}" if cell.closings else ""
        lines.append(
            {
                "value": f"{cell.cls}/{cell.column}",
                "label": f"{ROWS if cell.column == TABLE else cell.column}: {cell.cls}",
                "glyph": "□",
                "tone": "outcome-fail",
                "note": f"{what[:1].upper()}{what[1:]}{closing}",
                "title": "Look at it in Coverage",
            }
        )
    return lines


def _unlabelled(days: Sequence[Day]) -> str:
    """How many of the days that would have failed nobody has labelled: whether they would have been right to fail is not known."""
    untold = sum(day.said is None for day in days)
    if not untold:
        return "People said of all of these days what they were."
    none = (
        "None of these days has a label" if untold == len(days) else f"{untold:,} of these days {'has' if untold == 1 else 'have'} no label"
    )
    return f"{none}, so whether {'it was' if untold == 1 else 'they were'} a real fault or a false alarm is not known."


def unseen_list(preview: Preview) -> Markup:
    """The rules that nobody has looked at alone, and those that nobody decided on, folded."""
    found = []
    for items, one, many in (
        (preview.unseen, "rule was accepted with others, not looked at alone", "rules were accepted together, not looked at one by one"),
        (preview.pending, "suggestion is not decided and will not be enforced", "suggestions are not decided and will not be enforced"),
    ):
        if items:
            title = tag("summary", f"{len(items):,} {one if len(items) == 1 else many}")
            rules = [tag("li", plain(item.current), cls="wrap") for item in items[:LISTED]]
            rest = tag("li", f"and {len(items) - LISTED:,} more", cls="quiet") if len(items) > LISTED else None
            found.append(tag("details", title, tag("ul", *rules, rest, style="max-height: 180px; overflow: auto")))
    return join(*found)


def change_title(change: ConstraintChange, live: Program | None) -> Markup:
    """Which constraint, what becomes of it, and how the chart shows it."""
    place = called(change.either)
    name = tag("h2", place, cls="clip", title=place)
    before, after = change.words
    marks = [
        "▒ bounds of the draft" if after else "",
        f"┄ bounds of version {live.version}" if before and live else "",
        "✖ would have alarmed",
    ]
    words = f"{change.kind.capitalize()}: {change.sentence}"
    legend = "   ".join(mark for mark in marks[: 3 if after else 2] if mark)
    said = [tag("p", text, cls="wrap") for text in change.reasons]
    decided = tag("p", f"{change.decided[:1].upper()}{change.decided[1:]}.", cls="quiet") if change.decided else None
    return join(
        tag("div", name, cls="title"),
        tag("p", tag("b", words), cls="num wrap"),
        decided,
        *said,
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
        "note": f"{program.author} · {when(program.created_at)} · {count(len(program.constraints), 'rule')} · {program.message}",
        "title": f"SHA-256 {program.sha256}",
    }


def promised(live: Program, promise: Promise) -> Markup:
    """What the live version promises of the table, beside what came of it."""
    words = promise.promised_words
    rules = tag("span", f" ({promise.expected_words} by the rates of its rules)", cls="quiet")
    said = tag("p", tag("b", f"{words[:1].upper()}{words[1:]}"), rules, ".", cls="wrap")
    seen = f"Observed: {promise.observed_words}. {promise.kept_words}"
    return section(f"What version {live.version} promises", said, tag("p", seen, cls="num wrap"))


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
        ("Expected", "" if known.alarms_per_year is None else a_year(known.alarms_per_year)),
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
