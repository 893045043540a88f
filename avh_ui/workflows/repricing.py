"""What edited bounds cost and catch, and what rules of people do: a draft keeps the bounds that a person chose, and nothing of the
suggestion is true of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from avh_ui.config import Pipeline
from avh_ui.constraints.backtest import backtest, rate_of
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import noticed_at
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.several import columns_of
from avh_ui.history.repository import HistoryRepository
from avh_ui.review.draft import Draft, DraftItem
from avh_ui.workflows.stating import history_of, weighed_again
from avh_ui.workflows.what_if import Priced

Price = Callable[[Constraint], Priced | None]


def repriced(draft: Draft, price: Price) -> Draft:
    """The draft with the rate and the catches of each edited item told anew; what `price` knows nothing of stays as it is."""
    if not any(map(_other_bounds, draft.items)):
        return draft
    return replace(draft, items=tuple(repriced_item(item, draft, price) if _other_bounds(item) else item for item in draft.items))


def labelled_since(draft: Draft, pipeline: Pipeline, history: HistoryRepository) -> Draft:
    """The draft with what past batches say of the rules of people that some of them broke: what was called wrong since they were weighed
    is no false alarm.
    """
    broken = [item for item in draft.items if (record := item.suggestion.evidence.backtest) and record.fired]
    rules = {item.suggestion.id: item.suggestion for item in broken if item.current.origin == "manual"}
    if not rules:
        return draft
    found = history_of((rule.constraint.measure for rule in rules.values()), pipeline, history)
    again = {name: weighed_again(rule, found) for name, rule in rules.items()}
    return replace(draft, items=tuple(replace(item, suggestion=again.get(item.suggestion.id, item.suggestion)) for item in draft.items))


def _other_bounds(item: DraftItem) -> bool:
    """Whether its bounds, and they alone, are a person's."""
    suggested, now = item.suggestion.constraint, item.current
    if item.limits is not None and (now.lower, now.upper) == (suggested.lower, suggested.upper):
        return False
    return item.status == "edited" and not isinstance(now, PatternConstraint) and not now.worded


def repriced_item(item: DraftItem, draft: Draft, price: Price) -> DraftItem:
    """An item with what its bounds cost and catch beside the others of its column."""
    found = price(item.current)  # None of what no batch was measured for
    if found is None:
        return item
    if found.caught is None:
        return replace(item, constraint=replace(item.current, fpr=_beside(item, found.fpr)), caught_now=((), ()), catches_known=False)
    others = _noticed_beside(item, draft)
    only = tuple(name for name in found.caught if name not in others)
    return replace(item, constraint=replace(item.current, fpr=found.fpr), caught_now=(found.caught, only))


def _noticed_beside(item: DraftItem, draft: Draft) -> set[str]:
    """The issues of its column, or columns, that other rules of these catch, by the names that it has for them."""
    found, of = set[str](), item.current
    for other in (one for one in draft.items if one.suggestion is not item.suggestion):
        constraint = other.suggestion.constraint
        places = constraint.measure.columns if constraint.of_each else (other.current.column,)
        for place in of.measure.columns if of.of_each else (of.column,):
            if place in places:
                names = noticed_at(constraint, other.caught, place)
                found.update(f"{place} {name}" if of.of_each else name for name in names)
    return found


def _beside(item: DraftItem, seen: float) -> float:
    """What the history shows, but no less than suggested for tighter bounds, and no more for wider ones."""
    suggested, (low, high) = item.suggestion.constraint, _open(item.current)
    least, most = _open(suggested)
    return suggested.fpr if low <= least and high >= most else max(suggested.fpr, seen)


def _open(constraint: Constraint) -> tuple[float, float]:
    return -math.inf if constraint.lower is None else constraint.lower, math.inf if constraint.upper is None else constraint.upper


def seen_rate(history: HistoryRepository, pipeline: str, constraint: Constraint) -> Priced | None:
    """On how many batches of the whole history a constraint would have been violated, as a rate; None of what the history has not."""
    found = history.history(pipeline, columns_of([constraint]))
    column = found.of(constraint.measure)
    series = None if column is None else column.values.get(constraint.metric)
    if column is None or series is None:
        return None
    tried = backtest(constraint, series, column.errors(constraint.metric), column.batches)
    return Priced(rate_of(constraint, tried, found.wrong), None)
