"""One rule on all columns of which the same is said, that they are never null or never below 0, or never change, are lost or have a
mistake in the rows matched by key, or seldom, in the place of one of each.

What is chosen is chosen column by column (`inference.lean`): only then the rules that are left are told as one, so that it holds the same
columns to the same, at the same price. Of a table of places with 14 columns 9 rules said that a column never changes; of 14 tables 61 of
330 rules said that a column is never null. Of seven more tables 36 of 214 rules said that one changes or is lost in at most 0.3 to 2.2 % of
the rows, where no row ever did, or hardly any. Of New York's weekly rates by age 11 of 45 said that a column is never below 0.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import Evidence, FromHistory, Proposal, Record
from avh_ui.constraints.provenance import Provenance
from avh_ui.constraints.several import alone, each_of, without
from avh_ui.inference.source import Proposed, Refused
from avh_ui.metrics.changed_rows import CHANGED_ROWS, MOST_CHANGED, MOST_EMPTIED, MOST_UNCHANGED
from avh_ui.metrics.exchanged_rows import EXCHANGED_ROWS
from avh_ui.metrics.filled_columns import LEAST_COMPLETE, LEAST_FILLED
from avh_ui.metrics.jumped_rows import JUMPED_ROWS
from avh_ui.metrics.leapt_rows import LEAPT_ROWS
from avh_ui.metrics.lowest_columns import LOWEST
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.mistaken_rows import MISTAKEN_ROWS
from avh_ui.metrics.narrowest_columns import NARROWEST
from avh_ui.metrics.repeated_columns import MOST_REPEATED

_ISSUES = ("tried", "caught", "only_caught", "shown")
# What happens to few rows is one rule of columns whose bounds are alike: it has the widest of them, which is at most so many times the
# narrowest, and no farther than the next part of a column that coverage tries faults in, so that none of these is let go. Of a column that
# may be null that is known where a rule notices a fiftieth of its values lost: the licence of 6 % of brands was held to 2.4 %, and half of
# it null passed beside columns of 4.6 %.
_SELDOM, _ALIKE, _TRIED, _SAME, _FIFTIETH = (MOST_CHANGED, MOST_EMPTIED, MOST_UNCHANGED), 2.0, (0.01, 0.1), 1.1, "emptied:0.02"
# Bounds that follow what happens stay of each column, but where so little of them is used that they stand where they are.
_USED = 0.1
# What stays the same in half of the rows and fewer is tried as half of them.
_HALF = 0.5
_SEVERAL = (
    LEAST_COMPLETE, LEAST_FILLED, LOWEST, NARROWEST, MOST_REPEATED, CHANGED_ROWS, MISTAKEN_ROWS, LEAPT_ROWS, EXCHANGED_ROWS,
    JUMPED_ROWS, *_SELDOM,
)  # fmt: skip
# Of how many values are the same bounds are alike up to the same of these ends, each about 1.4 times the one before. Above the last most of
# the values may be one, which is no default. One of which the usual share is no larger part hardly follows it.
_SHARES = (0.005, 0.007, 0.01, 0.014, 0.02, 0.028, 0.04, 0.055, 0.08, 0.11, 0.15, 0.2, 0.28, 0.4, 0.5)
_ABOVE = 0.5
_CHOSEN_ALONE = frozenset(
    metric.name for metric in (CHANGED_ROWS, LEAST_COMPLETE, LEAST_FILLED, LOWEST, NARROWEST, MOST_REPEATED, *_SELDOM)
)


def as_one(proposals: Sequence[Proposal], refused: Refused = lambda _: False, decided: Refused = lambda _: False) -> list[Proposal]:
    """The proposals with one rule on the columns of which the same is said, where the first of theirs stood. Who has `refused` it is given
    what it was made of; what is refused of a column alone, or `decided`, is no part of it.
    """
    put = dict[int, Proposal]()
    filled = {name for one in proposals if _says(one, LEAST_COMPLETE) for name in one.constraint.measure.columns}
    for several in _SEVERAL:
        parts: dict[Hashable, list[Proposal]] = {}
        for one in proposals:
            if _says(one, several) and not refused(one.constraint) and not decided(one.constraint):
                parts.setdefault(_beside(one.constraint), []).append(one)
        if several in _SELDOM:
            parts = dict(enumerate(some for rules in parts.values() for some in _of_like_bounds(rules, filled)))
        # Of columns themselves a table has one such rule, and one of columns that are new; who is few, or of another price, is told apart.
        sizes = sorted(parts.values(), key=len)
        young = all(one.constraint.guess for one in proposals)
        kinds = ([one for one in sizes if one[0].constraint.guess is guess] for guess in (False, True) if not (guess and young))
        most = [some for kind in kinds for some in kind[-1:]]
        if several in (LOWEST, MOST_REPEATED):
            # Of each limit one: what is never below 0 and what is always above it are two.
            most = list({_limit(some[0].constraint): some for some in sizes}.values())
        for some in parts.values() if several.by_key else most:
            made = _of(some, several) if len(some) > 1 else None
            if made is not None and not refused(made.constraint):
                put |= dict.fromkeys(map(id, some), made)
    found = (put.get(id(one), one) for one in proposals)
    return list({id(one): one for one in found}.values())


def all_as_one(found: Sequence[Proposed], refused: Refused, decided: Refused) -> Proposed:
    """The same of what several found, with what these left out."""
    made = as_one([p for one in found for p in one.proposals], refused, decided)
    return Proposed(made, [out for one in found for out in one.left_out])


def but_refused(proposals: Iterable[Proposal], refused: Refused) -> Iterator[Proposal]:
    """The same without the columns of which somebody has refused what is said of each."""
    for one in proposals:
        of = each_of(one.constraint)
        out = [name for name in of if refused(alone(one.constraint, name))]
        if out and len(out) < len(of):
            yield only(one, [name for name in of if name not in out])
        elif not out:
            yield one


def one_by_one(proposals: Iterable[Proposal]) -> Iterator[Proposal]:
    """The same with the rule of each column that never or seldom changes or is lost, or is never null, as they were chosen."""
    for one in proposals:
        if one.constraint.metric in _CHOSEN_ALONE:
            yield from (only(one, [name]) for name in each_of(one.constraint))
        else:
            yield one


def only(one: Proposal, columns: Sequence[str]) -> Proposal:
    """What it says of some of its columns, with what stands behind that."""
    of = each_of(one.constraint)
    made = without(one.constraint, [name for name in of if name not in columns])
    names = {field: _of_columns(getattr(one.evidence, field, ()), columns, bare=len(columns) == 1) for field in _ISSUES}
    return Proposal(made, _with_issues(one.evidence, names))


def _says(one: Proposal, several: Metric) -> bool:
    """Whether it says of all rows that this never happens to its columns, or to few of them, as the history does."""
    rule, of = one.constraint, one.constraint.measure
    if several in _SELDOM:
        return rule.metric == several.each and rule.origin == "history" and of.where is None and _stays(rule)
    if several is MOST_REPEATED:
        return rule.metric == several.each and _is_repeated(rule)
    if several in (LOWEST, NARROWEST):
        return rule.metric == several.each and (stays_above(rule) if several is LOWEST else _differs(rule))
    if several is LEAST_FILLED:
        return rule.metric == several.each and of.where is None and (_is_loose(rule) if rule.origin == "history" else _is_guess(rule))
    if rule.origin != "history" or rule.recipe is not None or of.where is not None or bool(of.key) is not several.by_key:
        return False
    if several.by_key:
        return rule.metric in (several.name, several.each) and rule.upper == 0
    held = one.evidence.backtest is None or not one.evidence.backtest.fired
    return rule.metric == several.each and rule.lower == several.highest and rule.transform.is_identity and held and not rule.guess


def stays_above(rule: Constraint) -> bool:
    """Whether it says that no number of a column is below 0, or another limit by nature, or that all are above 0, as its history does or
    one batch of it. A bound that follows what the least number was, which varies so much that it is at this limit, does not leave it soon.
    """
    plain = rule.kind == "numeric" and rule.measure.standard and rule.transform.is_identity and not rule.guess
    alone = rule.lower is not None and rule.upper is None and rule.strategy is None and not rule.outside
    limit = rule.lower == 0 if rule.recipe is None else rule.recipe.least == rule.lower
    return plain and alone and limit and rule.origin in ("history", "snapshot")


def _limit(rule: Constraint) -> str:
    """The limit by which a rule differs from others of its table: of least values, '' of 0; of how many are the same the next of like."""
    if rule.metric == MOST_REPEATED.each:
        return f"up to {next(end for end in _SHARES if (rule.upper or 0.0) <= end):g}"
    return f"{rule.strict and 'above '}{rule.lower or 0.0:g}" if rule.lower or rule.strict else ""


def _is_repeated(rule: Constraint) -> bool:
    """Whether it says that no one value makes up more than a share of a column's numbers, which hardly follows what the share was. Of 43
    columns of a table of crimes 30 rules said so.
    """
    if rule.kind != "numeric" or not rule.measure.standard or not rule.transform.is_identity or rule.guess or rule.origin != "history":
        return False
    if rule.lower is not None or not rule.upper or rule.upper > _SHARES[-1] or rule.strategy is not None or rule.outside:
        return False
    return rule.recipe is None or (rule.learned.mu or 0.0) <= _ABOVE * rule.upper


def _differs(rule: Constraint) -> bool:
    """Whether it says that the numbers of a column are never all the same: of 16 columns of a table of players 11 rules said so."""
    plain = rule.kind == "numeric" and rule.measure.standard and rule.transform.is_identity and not rule.guess and rule.origin == "history"
    return plain and rule.lower == 0 and rule.strict == "lower" and rule.upper is None and rule.strategy is None and not rule.outside


def _is_loose(rule: Constraint) -> bool:
    """Whether it lets far more of a column be null than ever were on average, so that its bound hardly follows the history."""
    if rule.guess or not rule.lower or rule.upper is not None or not rule.transform.is_identity or rule.strategy is not None:
        return False
    return rule.learned.mu is not None and 1 - rule.learned.mu <= _USED * (1 - rule.lower)


def _is_guess(rule: Constraint) -> bool:
    """Whether it is a guess of how much may be null at most, of columns that are new: eight came with one delivery, each with its own."""
    return rule.guess and bool(rule.lower) and rule.upper is None and rule.transform.is_identity


def _stays(rule: Constraint) -> bool:
    """Whether it bounds from above how seldom something happens, by what hardly ever happened."""
    most = _HALF if rule.metric == MOST_UNCHANGED.each else _TRIED[-1]
    if rule.guess or rule.lower or rule.upper is None or rule.upper > most or not rule.transform.is_identity:
        return False
    if rule.strategy is not None or (rule.upper == 0 and rule.metric != MOST_EMPTIED.each):
        return False
    return rule.recipe is None or (rule.learned.mu or 0.0) <= _USED * rule.upper


def _of_like_bounds(rules: Iterable[Proposal], filled: Collection[str]) -> Iterator[list[Proposal]]:
    """The rules in groups of like bounds, those of a group in the order given; which columns are `filled` in all rows."""
    given, found = list(rules), list[list[Proposal]]()
    for one in sorted(given, key=_upper):
        if found and all(_is_like(other, _upper(one), filled) for other in found[-1]):
            found[-1].append(one)
        else:
            found.append([one])
    for some in found:
        yield [one for one in given if one in some]


def _upper(one: Proposal) -> float:
    return one.constraint.upper or 0.0


def _is_like(one: Proposal, wider: float, filled: Collection[str]) -> bool:
    """Whether what it notices of faults as large as coverage tries it notices with a wider bound."""
    own = _upper(one)
    if one.constraint.metric == MOST_UNCHANGED.each:
        return wider <= _ALIKE * own
    far = _ALIKE if _FIFTIETH in one.evidence.caught or one.constraint.measure.columns[0] in filled else _SAME
    return wider <= far * own and not any(own < tried <= wider for tried in _TRIED)


def _beside(rule: Constraint) -> Hashable:
    """What rules have to have in common that are told as one: the key, and what else they ask; of columns themselves the price and the
    batches.
    """
    of = rule.measure.parameters
    if rule.metric == MOST_REPEATED.each:
        return rule.level, _limit(rule)
    if rule.upper is None and rule.lower is not None:
        # Whatever it costs, who says it, and since when.
        return rule.level, rule.lower, rule.strict
    return of or (rule.lower, rule.upper, rule.fpr, rule.level, rule.learned.method, rule.learned.batches)


def _of(rules: Sequence[Proposal], several: Metric) -> Proposal | None:
    """None of more columns than one rule can be of; what a batch alone says is so of each of them."""
    lead = next((p for p in rules if p.constraint.origin == "history"), rules[0])
    first, names = lead.constraint, tuple(dict.fromkeys(name for p in rules for name in p.constraint.measure.columns))
    if len(names) > several.most:
        return None
    known = [p.constraint.learned for p in rules if p.constraint.origin == lead.constraint.origin]
    measure, learned = Measure(several.name, names, parameters=first.measure.parameters), first.learned
    limit = _limit(first) if several in (LOWEST, MOST_REPEATED) else ""
    told = Provenance(
        method=learned.method, first_batch=learned.first_batch, last_batch=learned.last_batch,
        batches=min(one.batches or 0 for one in known) or None, mu=learned.mu, sigma=0.0,
        rule=learned.rule or limit, batch=learned.batch, fpr_target=learned.fpr_target,
        kinds={} if several.by_key else {p.constraint.column: p.constraint.kind for p in rules},
    )  # fmt: skip
    (kind,) = several.kinds
    made = replace(
        first, column=measure.subject, metric=measure.name, measure=measure, kind=kind, fpr=math.fsum(p.constraint.fpr for p in rules),
        provenance=told.to_record(), upper=max((p.constraint.upper for p in rules if p.constraint.upper is not None), default=None),
        recipe=None,
    )  # fmt: skip
    return Proposal(made, _together(rules, lead.evidence))


def _together(rules: Sequence[Proposal], lead: Evidence) -> Evidence:
    """What stands behind all of them: each issue with the name of its column before it."""
    names = {field: tuple(name for p in rules for name in _named(p, getattr(p.evidence, field, ()))) for field in _ISSUES}
    also = tuple(words for p in rules for words in (p.evidence.also if len(p.constraint.measure.columns) > 1 else _and_of(p)))
    records = [p.evidence.backtest for p in rules if p.evidence.backtest is not None]
    fired = tuple(dict.fromkeys(batch for one in records for batch in one.fired))
    record = Record(min(one.judged for one in records), fired) if records else None
    return replace(_with_issues(lead, names), also=also, backtest=record)


def _named(one: Proposal, issues: Iterable[str]) -> Iterator[str]:
    alone, *others = one.constraint.measure.columns
    return iter(issues) if others else (f"{alone} {name}" for name in issues)


def _and_of(one: Proposal) -> tuple[str, ...]:
    return tuple(f"{words} of {one.constraint.measure.columns[0]}" for words in one.evidence.also)


def _of_columns(names: Iterable[str], columns: Sequence[str], *, bare: bool) -> tuple[str, ...]:
    """The issues of some columns; of one alone without its name."""
    own = (name for name in names if name.startswith(tuple(f"{column} " for column in columns)))
    return tuple(name.removeprefix(f"{columns[0]} ") for name in own) if bare else tuple(own)


def _with_issues(evidence: Evidence, issues: Mapping[str, tuple[str, ...]]) -> Evidence:
    tried, caught, only_caught, shown = (issues[field] for field in _ISSUES)
    told = replace(evidence, tried=tried, caught=caught, only_caught=only_caught)
    return replace(told, shown=shown) if isinstance(told, FromHistory) else told
