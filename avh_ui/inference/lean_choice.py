"""Of a column's rules the few that notice most together, where it has more than a person reads of one column."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain, combinations

from avh_ui.constraints.evidence import FromHistory
from avh_ui.constraints.reading import declaration_of
from avh_ui.inference.by_history.first_noticed import PROMISED, WHOLE
from avh_ui.inference.by_key.row_issues import SEEN, STEP_BACK
from avh_ui.inference.lean_rule import PLAIN, LeanRule
from avh_ui.issues.amounts import ONE_FAR
from avh_ui.issues.catching import SHIFTED
from avh_ui.issues.dating import REORDERED
from avh_ui.issues.prose import PROSE
from avh_ui.metrics.by_key import EXCHANGED, FALLEN, SPOILED
from avh_ui.metrics.column import NUMBER_KINDS

# What a person reads of one column: a level, a fill and a form, be it of its values or of what its rows do since the batch before.
MOST = 3
# What an issue is worth that a rule of such a rank catches: a hard one has to catch twice as many.
_WEIGHTS = (1.0, 0.9, 0.7, 0.6, 0.5)
# And what a fact is worth beside its issues: less, so that none comes for that alone.
_FACT = 4.0
# What single large numbers suffer counts twice: it was seen on real tables, and what is done to a half of the rows is tried in many ways.
_SEEN = frozenset(SEEN)
# Exchanged rows are caught by how far rows move, too, in the latest batch: of two provinces that took each other's numbers such bounds let
# pass many. What is 0 in all batches lets none pass.
EXCHANGED_ROWS = "rows exchanged"
# A unit is as often a smaller one.
_TENTH = "unit_change a tenth of 100%"
# One count below 0, of which only a minimum speaks: "at most 30 % are the same" stood for it, and -12 new cases passed.
_BELOW_ZERO = "unit_change below zero"
# What alone makes a fourth rule worth its reading: what README.md promises of a column, all of it in another unit, a single number far out
# (in the place of a largest weight a share let a depot pass that weighs in grams, a sixth of the rows) or below 0, and what nothing but its
# rows tells: they took each other's values, are those of the row above, or a counter fell. What came first of all issues, or notices much,
# made one, too: of twelve tables' 124 columns half had four or five.
_PROMISED = frozenset((*PROMISED, *WHOLE, _TENTH, _BELOW_ZERO, ONE_FAR, EXCHANGED_ROWS, SHIFTED, STEP_BACK))
# A distance that half of the cells at null broke in the latest batch is not broken by that on each: of New York's cases by day a column of
# nulls passed where only the earth mover's distance stood for it.
_HALF_NULL = "increased_nulls 50% null"
# Misspelt values come first in what the history offers, and of numbers are worth no rule beyond the number: of New York's weekly rates 4 of
# 11 columns had a fourth one that alone noticed a digit lost in half of the numbers. Of texts they are: a blank behind a region's name.
MISSPELT = ("character_deletion", "padding")


def few(rules: Sequence[LeanRule], first: Collection[str], noticed: Collection[str] = ()) -> list[LeanRule]:
    """`MOST` of the rules, closed sets, that no value occurs twice, and what half of the column's nulls break among them: those that
    together notice most of what is promised, then of what comes `first`, then of all that was tried, plain ones before hard ones; all
    where there are no more. What others have `noticed` counts for none.

    There is one more where no three notice as much of what is promised, and one on how dates are written where the others read them
    however they are; misspelt numbers come with all others.
    """
    if len(rules) <= MOST:
        return list(rules)
    later = MISSPELT if any(rule.constraint.kind in NUMBER_KINDS for rule in rules) else ()
    first, noticed = {name for name in (*first, EXCHANGED_ROWS, STEP_BACK) if not name.startswith(later)} - {*noticed}, {*noticed}
    sure = [rule for rule in rules if rule.closes or rule.constraint.unique or rule in _of_nulls(rules, noticed)]
    others = [rule for rule in rules if rule not in sure]

    def worth(some: Sequence[LeanRule]) -> tuple[int, int, float, int]:
        return _worth(some, first, noticed)

    best = max(([*sure, *some] for some in _subsets(others, MOST - len(sure))), key=worth)
    more = max(([*sure, *some] for some in combinations(others, max(0, MOST + 1 - len(sure)))), key=worth, default=best)
    best = _with_form(more if worth(more)[0] > worth(best)[0] else best, sure, rules, worth)
    return [rule for rule in rules if rule in best]


def _with_form(
    best: list[LeanRule],
    sure: Sequence[LeanRule],
    rules: Sequence[LeanRule],
    worth: Callable[[Sequence[LeanRule]], tuple[int, int, float, int]],
) -> list[LeanRule]:
    """The rules with one that notices days in another order, where some can; without what that one notices beside the others."""
    forms = [rule for rule in rules if REORDERED in rule.catches]
    if not forms or any(rule in best for rule in forms):
        return best
    form = max(forms, key=lambda rule: worth([*best, rule]))
    for rule in best:
        others = [form, *(other for other in best if other is not rule)]
        if rule not in sure and _catches(rule) <= frozenset().union(*map(_catches, others)):
            return others
    return [*best, form]


def _of_nulls(rules: Sequence[LeanRule], noticed: set[str]) -> list[LeanRule]:
    """What half of a column's nulls break: how much of it is filled, else what known rows lose."""
    able = [rule for rule in rules if _HALF_NULL in rule.catches - noticed]
    return [rule for rule in able if rule.fills] or [rule for rule in able if not rule.mixes and rule.constraint.measure.key][:1]


def _subsets(rules: Sequence[LeanRule], most: int) -> Iterator[tuple[LeanRule, ...]]:
    """The subsets of at most so many, small ones first: of equal worth the first is taken."""
    return chain.from_iterable(combinations(rules, size) for size in range(max(most, 0) + 1))


def _worth(rules: Sequence[LeanRule], first: set[str], noticed: set[str]) -> tuple[int, int, float, int]:
    """What counts, in this order: what is promised, the issues that come first, all issues by the plainest rule that catches them, and how
    plain they are.
    """
    worth: dict[str, float] = {}
    for rule in rules:
        for name in _catches(rule) - noticed:
            worth[name] = max(worth.get(name, 0.0), _WEIGHTS[rule.rank])
    told, facts = first & worth.keys(), _FACT * sum(_is_fact(rule) for rule in rules)
    return len(told & _PROMISED), len(told) + len(told & _SEEN), round(sum(worth.values()) + facts, 6), -sum(rule.rank for rule in rules)


def _catches(rule: LeanRule) -> frozenset[str]:
    declared = declaration_of(rule.constraint.metric, rule.constraint.kind)
    never = declared is not None and rule.constraint.upper == 0 and (declared.of_any_change or declared in (EXCHANGED, FALLEN, SPOILED))
    caught = rule.catches | {EXCHANGED_ROWS} if never else rule.catches
    # A bound that follows what the least value was is broken by -1 in the latest batch, and by none in others.
    return caught - {_BELOW_ZERO} if (rule.constraint.lower or 0) < 0 else caught


def _is_fact(rule: LeanRule) -> bool:
    """Whether it says all or nothing, or what such values can be at all: what an owner names sooner than an estimate."""
    return rule.nature or (rule.rank == PLAIN and rule.constraint.lower == rule.constraint.upper)


def may_happen(first: Collection[str], rules: Sequence[LeanRule]) -> Iterator[str]:
    """What comes first of what may happen to the column: patterns are tried on texts of people whatever it is, which dates are not."""
    known = {name for r in rules if isinstance(r.proposal.evidence, FromHistory) for name in r.proposal.evidence.tried}
    return (name for name in first if name in known or not name.startswith(PROSE))
