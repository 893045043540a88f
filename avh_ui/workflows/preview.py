"""What publishing would do, before anybody does it: what changes and why, who may approve it, and when it would have failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromRelation
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.program import Program
from avh_ui.constraints.several import columns_of
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.series import Series
from avh_ui.history.value_tables import shares_of
from avh_ui.review.audit import Chain, link_of
from avh_ui.review.difference import Difference, difference, unseen
from avh_ui.review.draft import Draft, DraftItem
from avh_ui.workflows.expected import expected_rate, two_digits
from avh_ui.workflows.pattern_trying import window_tables
from avh_ui.workflows.program_backtest import ProgramBacktest, tried_program


@dataclass(frozen=True)
class Preview:
    """The draft of a pipeline as its next `version`, against the live one.

    `others` is what changes besides constraints, in sentences; `authors` are those whose change it is: where the pipeline asks for
    `four_eyes`, none of them may approve it. `unseen` are rules that were accepted together and that nobody looked at alone, `pending`
    those that nobody decided on. `backtest` is the program on the whole history, and `before` the live one; `taught` are the first
    and the last batch that it was learned from, and `expected` its false alarms per batch by the rates of its rules.
    """

    pipeline: str
    version: int
    draft: str
    difference: Difference
    others: tuple[str, ...]
    authors: tuple[str, ...]
    four_eyes: bool
    unseen: tuple[DraftItem, ...]
    pending: tuple[DraftItem, ...]
    backtest: ProgramBacktest
    before: ProgramBacktest
    taught: tuple[str, str]
    expected: float

    @property
    def taught_words(self) -> str:
        """What is expected and what was found of the same batches: those that the rules were learned from; '' where none was judged."""
        judged, failed = self.backtest.among(*self.taught)
        if not judged:
            return ""
        found = f"Of the {judged:,} batches that it was learned from it would have failed on {f'{failed:,}' if failed else 'none'}"
        return f"{found}; by the rates of its rules about {two_digits(self.expected * judged)} false alarms are expected there."

    @property
    def new_days(self) -> tuple[str, ...]:
        """The batches that would have failed, and would not have by the live program."""
        known = {day.batch for day in self.before.failed}
        return tuple(day.batch for day in self.backtest.failed if day.batch not in known)

    @property
    def gone_days(self) -> tuple[str, ...]:
        """The batches that would have failed by the live program, and no longer do."""
        known = {day.batch for day in self.backtest.failed}
        return tuple(day.batch for day in self.before.failed if day.batch not in known)


def authors_of(draft: Draft, live: Program | None, chain: Chain) -> tuple[str, ...]:
    """Whose change against the live program a draft is: who decided last on what differs, or on anything since that was published; who
    stated a rule that differs; who took other settings for it. Before anything is live, everybody of whom something stands in the draft.

    What another has approved since counts no more as somebody's change: else two people would block each other for ever.
    """
    if live is None:
        return draft.editors
    published = chain.hashes.get(link_of(live), 0)
    differing = {change.either.key for change in difference(draft, live).changes}
    found = {
        item.decided_by
        for item in draft.items
        if item.current.key in differing or (item.revision and chain.places.get(("decision", item.revision), published + 1) > published)
    }
    stated = {item.stated_by for item in draft.items if item.in_program and item.current.key in differing}
    chosen = {draft.run.adopted_by} if draft.run.created_at >= live.created_at else set()
    return tuple(sorted((found | stated | chosen) - {""}))


def backtested(
    history: HistoryRepository, pipeline: str, constraints: Sequence[Constraint], draft: Draft | None, year: int = 0
) -> ProgramBacktest:
    """These constraints together on every batch of the history, of which `year` are the last year's. Patterns are tried where the history
    holds a column's values whole, and relations that no batch was measured for where the draft says what broke them.
    """
    if not constraints:
        return ProgramBacktest()
    known = history.history(pipeline, columns_of(constraints))
    series = pattern_series(history, constraints, draft, known.batches)
    return replace(tried_program(constraints, known, series, _broken(constraints, draft)), year=year)


def _broken(constraints: Sequence[Constraint], draft: Draft | None) -> dict[str, tuple[str, ...]]:
    """By relation the batches whose sampled rows broke it when it was suggested; of one with other bounds they say nothing."""
    suggested = {item.suggestion.constraint.key: item.suggestion for item in (draft.items if draft is not None else ())}
    found = {}
    for constraint in constraints:
        one = suggested.get(constraint.key)
        if one is None or not isinstance(one.evidence, FromRelation) or one.evidence.backtest is None:
            continue
        if (constraint.lower, constraint.upper) == (one.constraint.lower, one.constraint.upper):
            found[constraint.key] = one.evidence.backtest.fired
    return found


def pattern_series(
    history: HistoryRepository, constraints: Sequence[Constraint], draft: Draft | None, batches: Sequence[str]
) -> list[tuple[Constraint, Series]]:
    """By pattern the share of values that do not conform, over these batches; NaN where it is not known."""
    found: list[tuple[Constraint, Series]] = []
    for constraint in constraints if draft is not None else ():
        if isinstance(constraint, PatternConstraint) and draft is not None:
            shares = shares_of(window_tables(history, draft, constraint.column), constraint.pattern.regex)
            found.append((constraint, np.array([shares.get(b, np.nan) for b in batches], dtype=np.float64)))
    return found


def preview_of(
    draft: Draft,
    live: Program | None,
    others: tuple[str, ...],
    chain: Chain,
    history: HistoryRepository,
    version: int,
    *,
    four_eyes: bool,
    year: int,
) -> Preview:
    """What publishing a draft would do; of a backtest the last `year` batches are told apart."""
    found = difference(draft, live)
    return Preview(
        draft.pipeline,
        version,
        draft.digest,
        found,
        others,
        authors_of(draft, live, chain),
        four_eyes,
        unseen(draft, found),
        tuple(item for item in draft.items if item.status == "pending"),
        backtested(history, draft.pipeline, draft.accepted(), draft, year),
        backtested(history, draft.pipeline, live.constraints, draft, year) if live is not None else ProgramBacktest(),
        (draft.run.first_batch, draft.run.last_batch),
        expected_rate(draft.accepted()),
    )
