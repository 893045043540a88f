"""Of a column's rules the few that notice most together, where it has more than a person reads of one column."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import chain, combinations

from avh_ui.constraints.reading import declaration_of
from avh_ui.constraints.transforms import IDENTITY
from avh_ui.inference.lean_rule import PLAIN, LeanRule
from avh_ui.metrics.by_key import EXCHANGED, FALLEN, SPOILED
from avh_ui.metrics.column import NUMBER_KINDS
from avh_ui.metrics.moments import MIN

# What a person reads of one column: a level, a fill and a form, be it of its values or of what its rows do since the batch before.
MOST = 3
# What an issue is worth that a rule of such a rank catches: a hard one has to catch twice as many.
_WEIGHTS = (1.0, 0.9, 0.7, 0.6, 0.5)
# What a rule beyond that number has to add. With 2 nearly every column of few values had a fourth rule (how many there are); with 7, and
# what rows lose as rules of their own, 50 of 111 columns of seven tables had 4 or 5; with 12, 15 have 4 and none more. On 330 batches of
# Italy's provinces 13 of 27 documented faults are caught with either.
_LEAST_WORTH = 12.0
# That nothing is below 0 takes nobody any time to read, so that beside it a rule more has to add this much less: in the place of a largest
# weight it let a depot pass that weighs in grams: a sixth of the rows, which the column's distance did not notice.
_OF_FLOOR = 8.0
# And what a fact is worth beside its issues: less, so that none comes for that alone.
_FACT = 4.0
# Exchanged rows are caught by how far rows move, too, in the latest batch: of two provinces that took each other's numbers such bounds let
# pass many. What is 0 in all batches lets none pass.
_EXCHANGED = "rows exchanged"
# A distance that half of the cells at null broke in the latest batch is not broken by that on each: of New York's cases by day a column of
# nulls passed where only the earth mover's distance stood for it.
_HALF_NULL = "increased_nulls 50% null"
# Misspelt values come first in what the history offers, and of numbers are worth no rule beyond the number: of New York's weekly rates 4 of
# 11 columns had a fourth one that alone noticed a digit lost in half of the numbers. Of texts they are: a blank behind a region's name.
MISSPELT = ("character_deletion", "padding")


def few(rules: Sequence[LeanRule], first: Collection[str], noticed: Collection[str] = ()) -> list[LeanRule]:
    """`MOST` of the rules, closed sets and what half of the column's nulls break among them: those that together notice most of what comes
    `first`, then of all that was tried, plain ones before hard ones; all where there are no more. What others have `noticed` counts for
    none.

    Beyond the number there is only what alone notices something that comes first, or much; misspelt numbers come with all others.
    """
    if len(rules) <= MOST:
        return list(rules)
    later = MISSPELT if any(rule.constraint.kind in NUMBER_KINDS for rule in rules) else ()
    first, noticed = {name for name in (*first, _EXCHANGED) if not name.startswith(later)} - {*noticed}, {*noticed}
    sure = [rule for rule in rules if rule.closes or rule in _of_nulls(rules, noticed)]
    able = ([*sure, *some] for some in _subsets([rule for rule in rules if rule not in sure], MOST - len(sure)))
    best = max(able, key=lambda some: _worth(some, first, noticed))
    return [rule for rule in rules if rule in best]


def _of_nulls(rules: Sequence[LeanRule], noticed: set[str]) -> list[LeanRule]:
    """What half of a column's nulls break: how much of it is filled, else what known rows lose."""
    able = [rule for rule in rules if _HALF_NULL in rule.catches - noticed]
    return [rule for rule in able if rule.fills] or [rule for rule in able if not rule.mixes and rule.constraint.measure.key][:1]


def _subsets(rules: Sequence[LeanRule], least: int) -> Iterator[tuple[LeanRule, ...]]:
    """The subsets of at least so many, small ones first: of equal worth the first is taken."""
    return chain.from_iterable(combinations(rules, size) for size in range(max(least, 0), len(rules) + 1))


def _worth(rules: Sequence[LeanRule], first: set[str], noticed: set[str]) -> tuple[int, float, int]:
    """What counts, in this order: the issues that come first, all issues by the plainest rule that catches them, and how plain they are."""
    worth: dict[str, float] = {}
    for rule in rules:
        for name in _catches(rule) - noticed:
            worth[name] = max(worth.get(name, 0.0), _WEIGHTS[rule.rank])
    beyond = max(0, len(rules) - MOST)
    plain = _FACT * sum(_is_fact(rule) for rule in rules) - _LEAST_WORTH * beyond
    plain += _OF_FLOOR if beyond and any(_floor(rule) for rule in rules) else 0
    return len(first & worth.keys()), round(sum(worth.values()) + plain, 6), -sum(rule.rank for rule in rules)


def _floor(rule: LeanRule) -> bool:
    """Whether it says that nothing is below 0."""
    made = rule.constraint
    return made.metric == MIN.name and made.lower == 0 and made.upper is None and made.transform == IDENTITY


def _catches(rule: LeanRule) -> frozenset[str]:
    declared = declaration_of(rule.constraint.metric, rule.constraint.kind)
    never = declared is not None and rule.constraint.upper == 0 and (declared.of_any_change or declared in (EXCHANGED, FALLEN, SPOILED))
    return rule.catches | {_EXCHANGED} if never else rule.catches


def _is_fact(rule: LeanRule) -> bool:
    """Whether it says all or nothing, or what such values can be at all: what an owner names sooner than an estimate."""
    return rule.nature or (rule.rank == PLAIN and rule.constraint.lower == rule.constraint.upper)
