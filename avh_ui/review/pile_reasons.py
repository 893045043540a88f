"""Why a suggestion is in its pile, in sentences: what speaks against it, how often it may alarm falsely, what only it notices."""

from __future__ import annotations

from avh_ui.constraints.constraint import ESTIMATED, Constraint
from avh_ui.constraints.evidence import FromHistory, FromPerson, FromRelation
from avh_ui.constraints.several import each_of
from avh_ui.review.draft import DraftItem


def doubt_of(item: DraftItem, budget: float, alarms: float) -> str:
    """Why it should rather not be taken as it is, in a sentence; '' where nothing speaks against it."""
    constraint, evidence = item.suggestion.constraint, item.suggestion.evidence
    record = evidence.backtest
    if constraint.guess:
        return f"It is a guess from {evidence.batches or 'few'} batch{'' if evidence.batches == 1 else 'es'}, and warns only."
    if record is not None and record.fired:
        last = "" if len(record.fired) == 1 else "last "
        # What a rejection would cost: of Italy's provinces the rule that alone notices a region at 0 had alarmed on two days of a year.
        alone = f"; {only_noticed(item)}" if evidence.only_caught else ""
        return f"It would have alarmed on {len(record.fired)} of {record.judged:,} batches, {last}{record.fired[-1]}{alone}."
    if isinstance(evidence, FromPerson):
        return ""
    if evidence.variants and not evidence.caught:
        return _notices_none(evidence.variants)
    # An estimate cannot be below what so few batches can tell: half an alarm in all of them.
    if constraint.origin not in ESTIMATED and _is_dear(constraint, budget) and not rows_are_dear(item, budget):
        return f"It may alarm falsely {often(alarms)}, more than the budget of a column."
    return ""


def _is_dear(constraint: Constraint, budget: float) -> bool:
    """Whether it may alarm more often than its column's budget; what is said of each of several columns has those of all of them."""
    return constraint.fpr > budget * max(1, len(each_of(constraint))) * (1 + 1e-9)


def rows_are_dear(item: DraftItem, budget: float) -> bool:
    """Whether it is a rule on rows matched by key that no batch broke, and such cost more than the budget: an estimate of less than one
    alarm in all the batches that it held in.
    """
    record, made = item.suggestion.evidence.backtest, item.suggestion.constraint
    held = bool(made.measure.key) and record is not None and not record.fired and made.fpr * (record.judged + 1) < 1
    return held and _is_dear(made, budget)


def risk_of(item: DraftItem, alarms: float) -> str:
    """What it may cost, and what only it gives, in a sentence."""
    evidence = item.suggestion.evidence
    if isinstance(evidence, FromPerson):
        return "A person states it."
    learned = isinstance(evidence, FromHistory | FromRelation)
    return f"May alarm falsely {'' if learned else 'about '}{often(alarms)}; {only_noticed(item)}."


def only_noticed(item: DraftItem) -> str:
    """What only it notices."""
    only, tried = len(item.suggestion.evidence.only_caught), item.suggestion.evidence.variants
    if not only:
        return "others notice most of what it does"
    if only == tried:
        return f"only it notices {'the one fault that was tried' if tried == 1 else f'all {tried} faults'}"
    return f"only it notices {only} of {tried} faults"


def only_together(only: int) -> str:
    """What only rules of one meaning notice, each by itself."""
    return f"only they notice {only:,} fault{'' if only == 1 else 's'}" if only else "others notice most of what they do"


def _notices_none(tried: int) -> str:
    return "It does not notice the one fault that was tried." if tried == 1 else f"It notices none of the {tried} faults that were tried."


def often(alarms: float) -> str:
    """So often a year, in words."""
    if alarms >= 1.5:
        return f"{alarms:,.0f} times a year"
    if alarms >= 2 / 3:
        return "once a year"
    return f"once in {1 / alarms:,.0f} years" if alarms > 1e-3 else "less than once in 1,000 years"
