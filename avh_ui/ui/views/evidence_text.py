"""The evidence in words, as markup. Every value of the data goes through `tag`, which escapes."""

from __future__ import annotations

from avh_ui.constraints.evidence import FromHistory, FromPerson, FromValues
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.errors import AvhError
from avh_ui.metrics.metric import NOT_MEASURED
from avh_ui.review.draft import DraftItem
from avh_ui.review.explaining import bound_name, claim, description, measured, promise
from avh_ui.review.fault_words import fault_words
from avh_ui.review.plain import plain
from avh_ui.ui.components.chart_marks import SHAPES
from avh_ui.ui.components.markup import Markup, join, section, sign, status_mark, table, tag
from avh_ui.ui.state.evidence import EvidenceState
from avh_ui.ui.state.grouping import named_shortly, place_of
from avh_ui.ui.state.issues import IssueMark, IssueRow, issue_rows
from avh_ui.ui.state.reading import count, when
from avh_ui.ui.state.strategies import TriedStrategy
from avh_ui.ui.state.tried_bounds import TriedBounds
from avh_ui.ui.state.values import ShownValues
from avh_ui.ui.views.chart_data import range_texts

# More rows of a list than this are counted, not shown.
LISTED = 12
_HAPPENED = {
    "missing": "batch missing",
    "untold": NOT_MEASURED,
    "excluded": "left out",
    "labelled": "alarm labelled",
    "published": "version published",
    "strategy": "strategy would have alarmed",
}
_MARKS = {"only": "★", "caught": "✔", "missed": "·"}
_MARKED = {"only": "only this one catches it", "caught": "caught", "missed": "not caught, or not applicable to this column"}


def head(item: DraftItem) -> Markup:
    """Which column, the rule in a sentence, what is measured, and what stands decided."""
    constraint = item.current
    name = tag("h2", named_shortly(item), cls="clip", title=place_of(item))
    decided = f"{item.decided_by}, {when(item.decided_at)}" if item.decided_by else ""
    title = tag("div", name, status_mark(item.status), cls="title")
    about = f"{measured(constraint)} ({constraint.metric})".strip()
    if isinstance(constraint, PatternConstraint):
        # The sentence above has said what they are: a list of values is read once.
        about = about.replace(f"not {constraint.pattern.words}", "not so", 1)
    parts = [about[:1].upper() + about[1:], decided, f"“{item.why}”" if item.why else ""]
    return join(title, tag("div", plain(constraint), cls="said wrap"), tag("div", " · ".join(filter(None, parts)), cls="subtitle wrap"))


def legend(evidence: EvidenceState, trial: TriedBounds, tried: TriedStrategy | None = None) -> Markup:
    """What the chart's marks mean; `tried` is the strategy that is drawn beside the bounds."""
    learned = [batch for batch, inside in zip(trial.axis.batches, trial.learned, strict=True) if inside]
    window = f"▒ learned from {learned[0]} to {learned[-1]}" if learned else ""
    live = "┄ live bounds" if evidence.live_constraint() else ""
    kinds = {mark.kind for mark in (*evidence.marks(), *(tried.marks if tried is not None else ()))}
    strategy = "┈ strategy" if tried is not None and (evidence.measured or not evidence.can_measure) else ""
    happened = [f"{glyph} {_HAPPENED[kind]}" for kind, (_, _, glyph) in SHAPES.items() if kind in kinds]
    return tag(
        "div",
        "   ".join(
            part
            for part in (
                "▭ what must not be" if trial.constraint.outside else "▭ bounds",
                "✖ would have alarmed",
                window,
                live,
                strategy,
                *happened,
            )
            if part
        ),
        cls="legend",
        style="white-space: pre-wrap",
    )


def verdict(evidence: EvidenceState, trial: TriedBounds | None) -> Markup:
    """How often the bounds in the form would have alarmed, and what they mean today; what is wrong with the form comes first."""
    if evidence.problem:
        return tag("div", "⚠ ", evidence.problem, cls="verdict problem", role="alert")
    if trial is None:
        return Markup()
    reader, transform = evidence.reader, trial.constraint.transform
    text: list[Markup | str] = [tag("b", trial.verdict)]
    if transform.lag:
        observed = trial.result.observed
        reference = float(observed[-transform.lag]) if len(observed) >= transform.lag else None
        lower, upper = (transform.inverse(bound, reference) for bound in evidence.bounds)
        text.append(f" For the next batch that is {reader.measured(lower, upper)}.")
    elif evidence.dirty:
        text.append(f" Bounds in the form: {reader.bounds(*evidence.bounds)}.")
    if evidence.dirty and not evidence.session.refusal("reviewer", "decide"):
        text.append(" Not saved yet: press Enter in a field, or Save edit.")
    if evidence.dirty and evidence.item is not None and evidence.item.current.recipe is not None:
        text.append(" Saved, they stay as they are and no longer follow the history.")
    return tag("div", *text, cls="verdict")


def why(evidence: EvidenceState) -> Markup:
    """The suggestion explained: what is compared, what it assumes, from what it was learned."""
    item = evidence.item
    if item is None:
        return Markup()
    suggested, known = item.suggestion.constraint, item.suggestion.evidence
    said = claim(suggested, known).rstrip(".")
    lines = [f"{said[:1].upper()}{said[1:]}."] if said else []
    transform = item.current.transform
    if not transform.is_identity:
        lines.append(f"Compared is {transform.describe()}{'' if transform.from_id else ', since the metric itself moves over time'}.")
    # It says how often a clean batch falls outside.
    if held := promise(suggested, known):
        lines.append(held)
    prose = [tag("p", line, cls="prose") for line in lines]
    heading = "Why the suggested bounds" if item.status == "edited" else "Why these bounds"
    return section("Why this rule" if item.current.worded else heading, *prose, _numbers(evidence))


def _numbers(evidence: EvidenceState) -> Markup:
    """What the bounds were computed from, one fold below: there the words are those of the papers."""
    item = evidence.item
    if item is None:
        return Markup()
    known, reader = item.suggestion.evidence, evidence.reader
    pairs = []
    if isinstance(known, FromHistory):
        if known.mu is not None:
            pairs.append(("average", reader.compared(known.mu)))
        if (sigma := known.sigma) is not None:
            # Of logarithms there is no unit.
            plain = item.current.transform.log or not sigma
            pairs.append(("standard deviation", f"{sigma:.4g}" if plain else reader.error(sigma).removeprefix("± ")))
        if known.k is not None:
            pairs.append(("half width", f"{known.k:.3g} standard deviations"))
    if known.batches is not None and not isinstance(known, FromPerson):
        pairs.append(("learned from", count(known.batches, "batch")))
    if name := bound_name(item.suggestion.constraint, known):
        pairs.append(("bound", name))
    if (formal := description(item.current)) != measured(item.current):
        pairs.append(("metric", formal))
    if not pairs:
        return Markup()
    listed = tag("dl", *(tag("div", tag("dt", name), tag("dd", value)) for name, value in pairs), cls="facts small")
    words = tag("p", "What each metric means is in the glossary: press G.", cls="quiet")
    return tag("details", tag("summary", "How it was reckoned"), listed, words, style="margin-top: 6px")


def arrivals(evidence: EvidenceState) -> Markup:
    """Of a set of values those that came last, each with the batch that it came with."""
    item = evidence.item
    known = item.suggestion.evidence if item is not None else None
    if not isinstance(known, FromValues) or known.settled is None:
        return Markup()
    if not known.newest:
        return section("New values", tag("p", "None: all were there in the first batch.", cls="quiet"))
    rows = [
        tag("tr", tag("td", tag("span", value, cls="chip only clip sample", title=value)), tag("td", batch))
        for value, batch in known.newest
    ]
    note = f"no other for {count(known.settled, 'batch')}" if known.settled else "the newest batch brought one"
    return section("Values that came last", table(("Value", "First in"), rows, label="Values that came last"), tag("p", note, cls="legend"))


def issues(evidence: EvidenceState) -> Markup:
    """Which of the faults that were tried it catches, by type and magnitude."""
    item, draft = evidence.item, evidence.session.draft
    if item is None or draft is None or not item.suggestion.variants:
        return Markup()
    siblings = draft.by_column.get(item.current.column, [])
    rows = [_issue_row(row) for row in issue_rows(item, siblings)]
    kinds = " of its kind" if item.meant < item.suggestion.variants else ""
    heading = f"Catches {len(item.caught)} of {item.meant} faults{kinds} that were tried"
    note = tag("div", "★ only this one of the column's suggestions   ✔ caught   · not caught, or not applicable", cls="legend")
    # The key comes first: who hears the page meets the signs after what they mean.
    return section(heading, note, tag("table", *rows, cls="issues", aria_label="Faults that were tried"))


def _issue_row(row: IssueRow) -> Markup:
    chips = [_issue_chip(row.type, magnitude, mark) for magnitude, mark in row.cells]
    share = sign(f"{row.caught}/{len(row.cells)}", f"{row.caught} of {len(row.cells)} caught")
    return tag("tr", tag("th", row.type, scope="row"), tag("td", *chips), tag("td", share, cls="count num"))


def _issue_chip(type_name: str, magnitude: str, mark: IssueMark) -> Markup:
    words = _MARKED[mark]
    shown = fault_words(magnitude).removeprefix("values ") or type_name
    # Behind each other they are heard in one breath, but for the stop.
    return tag(
        "span", sign(f"{_MARKS[mark]} {shown}", f"{shown}: {words}. "), cls=f"chip {mark}", title=f"{type_name} {magnitude}: {words}"
    )


def fired(evidence: EvidenceState, trial: TriedBounds | None) -> Markup:
    """The batches that would have alarmed."""
    if trial is None:
        return Markup()
    found, reader = trial.fired_places(), evidence.reader
    if not len(found):
        return section("Batches that would have alarmed", tag("p", "None.", cls="quiet"))
    listed = found[:LISTED]
    observed = trial.result.observed[listed].tolist()
    rows = [
        tag("tr", tag("td", trial.axis.batches[k]), tag("td", reader.value(value)), tag("td", bounds))
        for k, value, bounds in zip(listed, observed, range_texts(reader, trial)(listed), strict=True)
    ]
    more = tag("p", f"and {count(len(found) - LISTED, 'earlier batch')}", cls="quiet") if len(found) > LISTED else None
    return section(
        f"Batches that would have alarmed ({len(found)})",
        table(("Batch", "Observed", "Bounds"), rows, label="Batches that would have alarmed"),
        more,
    )


def values(found: ShownValues | AvhError | None) -> Markup:
    """What the column's values are on the newest batch."""
    if found is None:
        return Markup()
    if isinstance(found, AvhError):
        return section("Sample values", tag("p", "⚠ ", str(found), cls="problem"))
    rows = [
        tag("tr", tag("td", tag("span", name or "(empty)", cls="clip sample", title=name)), tag("td", of, cls="num"))
        for name, of in found.rows
    ]
    return section(
        f"Values of {found.batch}", table(found.heads, rows, label=f"Values of {found.batch}"), tag("p", found.note, cls="legend")
    )


def left_out(evidence: EvidenceState) -> Markup:
    """The metrics of the same column that nothing is suggested for, with their reasons."""
    draft, item = evidence.session.draft, evidence.item
    if draft is None or item is None:
        return Markup()
    found = [entry for entry in draft.run.left_out if entry.get("column") == item.current.column]
    if not found:
        return Markup()
    rows = [tag("tr", tag("td", entry.get("metric") or "all metrics", cls="mono"), tag("td", entry.get("reason", ""))) for entry in found]
    heading = f"{count(len(found), 'metric')} of this column left out"
    return tag("section", tag("details", tag("summary", heading), tag("table", *rows, cls="plain")), cls="section")
