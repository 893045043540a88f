"""What a rule enforces, costs and catches, as facts in markup. Every value of the data goes through `tag`, which escapes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from avh_ui.constraints.constraint import ESTIMATED, Constraint
from avh_ui.constraints.date_parts import PARTS
from avh_ui.constraints.evidence import noticed_at
from avh_ui.metrics.metric import NOT_MEASURED
from avh_ui.metrics.wording import few_names
from avh_ui.review.draft import DraftItem
from avh_ui.review.fault_words import ONE_BELOW_ZERO, smallest
from avh_ui.review.metric_words import left_out_words
from avh_ui.review.plain import enforced, moving
from avh_ui.ui.components.markup import Markup, fact, join, tag
from avh_ui.ui.state.evidence import EvidenceState
from avh_ui.ui.state.reading import cost, count
from avh_ui.workflows.calendar import batches_per_year
from avh_ui.workflows.coverage import alarms

# One alarm in the batches learned from may be their fault; of several, ten times as many as the rate lets expect, the rate is wrong.
_SEVERAL, _TIMES = 2, 10


def worth(evidence: EvidenceState) -> Markup:
    """The smallest failure that the rule notices, and how often it is wrong, as people say both."""
    item = evidence.priced()
    if item is None:
        return Markup()
    least = _least(item) if item.catches_known else ""
    rate = item.current.fpr
    price = alarms(rate * batches_per_year(evidence.session.cadence)) if rate > 0 else ""
    price = _broken(item) or (f"about {price}" if price and item.current.origin in ESTIMATED else price)
    if price and (untold := _untold(evidence, item)):
        price += f", if {untold} {'were' if ' ' in untold else 'was'} right: label the alarm where not, and it counts no more"
    said = [f"notices {least}" if least else "", price]
    words = "; ".join(filter(None, said))
    # What stands decided is told below; this is of what is typed.
    words = f"with the bounds in the form: {words}" if words and evidence.dirty else words
    return tag("p", f"{words[:1].upper()}{words[1:]}.", cls="worth wrap") if words else Markup()


def _untold(evidence: EvidenceState, item: DraftItem) -> str:
    """The batches that a rule of a person alarms on and that nobody called wrong; '' where there is none. They may have had a fault."""
    record = item.suggestion.evidence.backtest
    if record is None or item.current.origin != "manual":
        return ""
    untold = [batch for batch in record.fired if batch not in evidence.session.excluded]
    return few_names(untold) if untold else ""


def _broken(item: DraftItem) -> str:
    """On how many of the batches that it was learned from it alarms, where these are so many that its rate is no promise; '' where not."""
    record = item.suggestion.evidence.backtest
    if record is None or item.current != item.suggestion.constraint or item.current.origin == "manual":
        return ""
    fired = len(record.fired)
    if fired < _SEVERAL or fired <= _TIMES * item.current.fpr * record.judged:
        return ""
    return f"would have alarmed on {fired:,} of the {record.judged:,} batches that it was held against"


def _least(item: DraftItem) -> str:
    """The fault in the fewest rows that it notices. Of what the batch's date says any other value is one, and not one below zero alone."""
    of, part = item.suggestion.constraint, item.current.transform.part
    places = of.measure.columns if of.of_each else ("",)
    least = smallest(tuple(name for place in places for name in noticed_at(of, item.caught, place)))
    if least != ONE_BELOW_ZERO or not part:
        return least
    words = PARTS[part].words
    return f"one value of another {'batch' if ' or ' in words or '(' in words else words}"


def facts(evidence: EvidenceState) -> Markup:
    """What it enforces, what it costs and what it gives."""
    item = evidence.priced()
    if item is None:
        return Markup()
    constraint, suggestion, reader = item.current, item.suggestion, evidence.reader
    only = f"{len(item.only_caught)} only here" if item.only_caught else None
    price, words = cost(constraint)
    made = _enforces(evidence, constraint)
    note = "if it is saved" if evidence.dirty else words.removeprefix("at most ").partition(", ")[0]
    made += [*_moving(item), fact("False alarms", price, note, title=words)]
    if constraint.origin != "manual" and item.catches_known:  # no fault is tried on what people state
        kinds = " of its kind" if item.meant < suggestion.variants else ""
        tried = f"faults{kinds} that were tried: how many it notices, how many it alone"
        made.append(fact("Catches", f"{len(item.caught)} of {item.meant}", only, title=tried))
    if (series := evidence.series) is not None and len(series):
        errors = evidence.errors()
        off = reader.error(float(errors[-1])) if errors is not None else ""
        column = evidence.column
        untold = column.untold.get(item.current.metric) if column is not None else None
        asked = constraint.worded and not np.isfinite(series[-1])
        measured = not asked and (untold is None or not untold[-1])
        latest = ("not measured then" if asked else NOT_MEASURED) if not measured else reader.value(float(series[-1]))
        made.append(fact("Latest", latest, off or None, title="of the newest batch; ± how far an estimate may be off"))
    draft = evidence.session.draft
    if draft is not None and (kind := draft.run.kinds.get(constraint.column)) is not None:
        correct = f"{kind.why}. What is wrong is put right below, or by `kinds:` in avh.yml."
        made.append(fact("Column", kind.kind, "corrected" if kind.corrected else None, title=correct))
    live, version = evidence.live_constraint(), evidence.session.live
    if version is not None:
        text = "not enforced" if live is None else enforced(live, reader)
        made.append(fact(f"Live (version {version.version})", text))
    return join(tag("dl", *made, cls="facts"), _covered(suggestion.evidence.also), _sql(constraint))


def _enforces(evidence: EvidenceState, tried: Constraint) -> list[Markup]:
    """The bounds that are saved, and beside them those that are not."""
    saved = fact("Enforces", enforced(evidence.item.current, evidence.reader))
    if not evidence.dirty:
        return [saved]
    return [saved, fact("In the form", enforced(tried, evidence.reader), "not saved", title="Enter in a field, or Save edit, saves it")]


def _covered(also: Sequence[str]) -> Markup | None:
    """The rules that are superfluous beside this one, one fold below."""
    if not also:
        return None
    rules = [tag("li", left_out_words(rule), cls="wrap") for rule in also]
    title = tag("summary", f"Makes {count(len(also), 'rule')} superfluous")
    return tag("details", title, tag("ul", *rules), cls="quiet")


def _moving(item: DraftItem) -> list[Markup]:
    """Whether the bounds follow the history, and how far; nothing where they never did."""
    if words := moving(item.current):
        text = "each batch's bounds follow from the sound ones before it; what would carry them beyond the limits asks a person first"
        what, _, limits = words.partition(", ")
        return [fact("Bounds", what, limits or None, title=text)]
    if item.suggestion.constraint.recipe is None:
        return []
    return [fact("Bounds", "stay as they are", title="since they were edited they do not follow the history")]


def _sql(constraint: Constraint) -> Markup:
    """The condition or the query of a rule that is called by words, one fold below."""
    measure = constraint.measure
    text = str(measure.parameter("predicate") or measure.parameter("statement") or "")
    if not text or text in constraint.title:
        return Markup()
    where = "" if measure.where is None else f"\nwhere {measure.where}"
    return tag("details", tag("summary", "SQL"), tag("pre", f"{text}{where}", cls="wrap"), cls="quiet")
