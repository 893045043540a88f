"""Trying a pattern on the history: of each batch whose values are known whole, how many do not conform."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from avh_ui.constraints.pattern_constraint import Pattern, PatternConstraint
from avh_ui.errors import ConstraintError
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.value_tables import Tables, pooled, shares_of, tables_of
from avh_ui.metrics.conformance import SAMPLES, conformance_of
from avh_ui.metrics.regexes import body_of, portable
from avh_ui.review.draft import Draft


@dataclass(frozen=True)
class PatternTrial:
    """A pattern with its counts over the window it was tried on, the non-conforming share by batch, and values of both kinds.

    `whole` is whether the history held all values; otherwise those kept with the suggestion were tried.
    """

    pattern: Pattern
    shares: dict[str, float]
    matching: tuple[str, ...]
    deviating: tuple[str, ...]
    whole: bool


def try_pattern(history: HistoryRepository, draft: Draft, suggestion_id: str, typed: str) -> PatternTrial:
    """Another regex, as typed, in the place of a suggested pattern; `ConstraintError` when it cannot be used."""
    item = draft.item(suggestion_id)
    constraint = item.suggestion.constraint
    if not isinstance(constraint, PatternConstraint):
        raise ConstraintError(f"{constraint.metric} of {constraint.column} has no pattern that could be edited.")
    regex = portable(typed)
    tables = window_tables(history, draft, constraint.column)
    ladder = item.suggestion.evidence.ladder
    values = pooled(tables) if tables else dict(ladder.values if ladder else ())
    found = conformance_of(values, regex)
    pattern = Pattern(body_of(regex), regex, found.values, found.bad, "regex")
    shares = shares_of(tables, regex)
    good = tuple(v for v in _frequent(values) if conformance_of({v: 1}, regex).bad == 0 and v)[:SAMPLES]
    return PatternTrial(pattern, shares, good, found.samples, bool(tables))


def window_tables(history: HistoryRepository, draft: Draft, column: str) -> Tables:
    """The frequencies of the batches that the draft was learned from, where they are whole; none where those of the latest are not."""
    batches = history.batches(draft.pipeline)
    if draft.run.first_batch not in batches or draft.run.last_batch not in batches:
        return {}
    window = batches[batches.index(draft.run.first_batch) : batches.index(draft.run.last_batch) + 1]
    tables = tables_of(lambda batch, columns: history.load(draft.pipeline, batch, columns), window, [column])[column]
    return tables if draft.run.last_batch in tables else {}


def _frequent(table: Mapping[str, int]) -> Sequence[str]:
    return sorted(table, key=lambda v: (-table[v], v))[:100]
