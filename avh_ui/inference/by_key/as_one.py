"""One rule on all columns of which the same is said, that they never change or have no mistake in the rows matched by key, in the place of
one of each.

What is chosen is chosen column by column (`inference.lean`): only then the rules that are left are told as one, so that it holds the same
columns to the same, at the same price. Of a table of places with 14 columns 9 rules said that a column never changes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import Evidence, FromHistory, Proposal, Record
from avh_ui.constraints.provenance import Provenance
from avh_ui.constraints.several import alone, each_of, without
from avh_ui.inference.source import Refused
from avh_ui.metrics.changed_rows import CHANGED_ROWS
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.mistaken_rows import MISTAKEN_ROWS

_ISSUES = ("tried", "caught", "only_caught", "shown")


def as_one(proposals: Sequence[Proposal], refused: Refused = lambda _: False) -> list[Proposal]:
    """The proposals with one rule on the columns of which the same is said, where the first of theirs stood. Who has `refused` it is given
    what it was made of, and what is refused of a column alone is no part of it.
    """
    put = dict[int, Proposal]()
    for several in (CHANGED_ROWS, MISTAKEN_ROWS):
        parts: dict[tuple[str, ...], list[Proposal]] = {}
        for one in proposals:
            if _says(one.constraint, several) and not refused(one.constraint):
                parts.setdefault(one.constraint.measure.key, []).append(one)
        for some in parts.values():
            made = _of(some, several) if len(some) > 1 else None
            if made is not None and not refused(made.constraint):
                put |= dict.fromkeys(map(id, some), made)
    found = (put.get(id(one), one) for one in proposals)
    return list({id(one): one for one in found}.values())


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
    """The same with the rule of each column that never changes, as they were chosen."""
    for one in proposals:
        if one.constraint.metric == CHANGED_ROWS.name:
            yield from (only(one, [name]) for name in each_of(one.constraint))
        else:
            yield one


def only(one: Proposal, columns: Sequence[str]) -> Proposal:
    """What it says of some of its columns, with what stands behind that."""
    of = each_of(one.constraint)
    made = without(one.constraint, [name for name in of if name not in columns])
    names = {field: _of_columns(getattr(one.evidence, field, ()), columns, bare=len(columns) == 1) for field in _ISSUES}
    return Proposal(made, _with_issues(one.evidence, names))


def _says(rule: Constraint, several: Metric) -> bool:
    """Whether it says of all matched rows that this never happens to its columns, as the history does."""
    of, never = rule.measure, rule.upper == 0 and rule.origin == "history" and rule.recipe is None
    return never and rule.metric in (several.name, several.each) and bool(of.key) and of.where is None


def _of(rules: Sequence[Proposal], several: Metric) -> Proposal | None:
    """None of more columns than one rule can be of."""
    first, names = rules[0].constraint, tuple(dict.fromkeys(name for p in rules for name in p.constraint.measure.columns))
    if len(names) > several.most:
        return None
    measure, learned = Measure(several.name, names, parameters=first.measure.parameters), [p.constraint.learned for p in rules]
    told = Provenance(
        method=learned[0].method, first_batch=learned[0].first_batch, last_batch=learned[0].last_batch,
        batches=min(one.batches or 0 for one in learned), mu=0.0, sigma=0.0, fpr_target=learned[0].fpr_target,
    )  # fmt: skip
    made = replace(
        first, column=measure.subject, metric=measure.name, measure=measure, fpr=math.fsum(p.constraint.fpr for p in rules),
        provenance=told.to_record(),
    )  # fmt: skip
    return Proposal(made, _together(rules))


def _together(rules: Sequence[Proposal]) -> Evidence:
    """What stands behind all of them: each issue with the name of its column before it."""
    names = {field: tuple(name for p in rules for name in _named(p, getattr(p.evidence, field, ()))) for field in _ISSUES}
    also = tuple(words for p in rules for words in (p.evidence.also if each_of(p.constraint) else _and_of(p)))
    records = [p.evidence.backtest for p in rules if p.evidence.backtest is not None]
    fired = tuple(dict.fromkeys(batch for one in records for batch in one.fired))
    record = Record(min(one.judged for one in records), fired) if records else None
    return replace(_with_issues(rules[0].evidence, names), also=also, backtest=record)


def _named(one: Proposal, issues: Iterable[str]) -> Iterator[str]:
    alone = one.constraint.measure.columns[0]
    return iter(issues) if each_of(one.constraint) else (f"{alone} {name}" for name in issues)


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
