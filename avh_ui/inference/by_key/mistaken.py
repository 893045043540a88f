"""Suggesting that no row of several columns is mistaken: that numbers became 0 or ten times as much, or rows took each other's values.

Of each column alone it was one of the three rules that a person reads of it, so that it gave way to levels and mixes where these noticed
more, and two rows that took each other's numbers passed. One rule says each of all columns that never had such a row, and of which its
sentence is true as it reads (`as_read`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from avh_ui.constraints.column_kind import KnownKind
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import Proposal, Record
from avh_ui.constraints.reading import declaration_of as metric_of
from avh_ui.inference.by_key.as_read import keep_order, true_of
from avh_ui.inference.by_key.laws import LEAST_BATCHES, Law, Pair, bounded, held, told
from avh_ui.inference.by_key.nearly_carried import numbered
from avh_ui.inference.by_key.row_issues import column_issues
from avh_ui.inference.by_key.still_columns import parts_of_names
from avh_ui.inference.by_key.suspects import episodes
from avh_ui.inference.by_relation.holding import LEAST_RATE, SUSPECTS
from avh_ui.inference.kinds.declarations import declaration_of, means
from avh_ui.inference.source import Budget, LeftOut, Proposed
from avh_ui.metrics.by_key import EXCHANGED, SPOILED, WIPED
from avh_ui.metrics.exchanged_rows import EXCHANGED_ROWS, IN_BOTH, swapped
from avh_ui.metrics.jumped_rows import JUMPED_ROWS
from avh_ui.metrics.leapt_rows import IN_LEAPS, LEAPT_ROWS, as_it_reads
from avh_ui.metrics.marked_rows import Marked
from avh_ui.metrics.matching import Matched, MatchedChange
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.mistaken_rows import MISTAKEN_ROWS
from avh_ui.metrics.sampled_values import SampledValues

# What a rule of several columns says of each of them.
_SAID = {
    MISTAKEN_ROWS.name: (EXCHANGED, WIPED, SPOILED),
    LEAPT_ROWS.name: (WIPED,),
    JUMPED_ROWS.name: (WIPED,),
    EXCHANGED_ROWS.name: (EXCHANGED,),
}
# Of a young table it is said of texts of which the history says so, and of those of which so many batches had none that took each other's,
# as many as a program needs, and which are in so large a part of the rows that have one another one.
_YOUNG, _DIFFERENT = 7, 0.3
# Of columns of so few texts alone, as whether a machine may burst, readers do not understand what it is to take each other's.
_FLAGS = 5
# Of two values every row that changes one way swaps with each that changes the other way: readers say so of true and false, and of a kind
# of which 324 of 701 rows had done it on one day.
_LEAST_VALUES = 3


@dataclass(frozen=True)
class Looking:
    """What is looked at: the metric, the `pairs` of batches, the `key`, the budget, by column which pairs had a mistake, which faults were
    tried and noticed, what a rule of its own spends, and the metric `alone` where one column is another one.
    """

    metric: Metric
    pairs: Sequence[Pair]
    key: Sequence[str]
    budget: Budget
    broken: Mapping[str, Sequence[bool]]
    tried: Mapping[str, Mapping[str, bool]]
    own: Mapping[str, float]
    alone: Metric | None = None

    def rule(self, names: list[str]) -> Proposal | str:
        """The rule on as many of the columns as it holds of; else why there is none, '' of fewer than it is said of."""
        made: Proposal | str = ""
        while names and (metric := self.metric if len(names) >= self.metric.least else self.alone):
            measure = Measure(metric.name, tuple(names), parameters=(("key", tuple(self.key)),))
            law = Law(metric.of_measure(measure), measure, tried_of(names, self.tried), at=0.0)
            if len(self.pairs) < LEAST_BATCHES:
                # Together they spend what all of their own would.
                return bounded(law, self.pairs, Record(len(self.pairs), ()), math.fsum(self.own[name] for name in names), upper=law.at)
            made = held(law, self.pairs, self.budget)
            if isinstance(made, Proposal):
                return made
            # What single columns may have had once or twice, all together may not: the worst one is left to rules of its own.
            names.remove(max(names, key=lambda name: sum(self.broken[name])))
        return made


def suggest(
    pairs: Sequence[Pair],
    key: Sequence[str],
    kinds: Mapping[str, KnownKind],
    rules: Sequence[Proposal],
    budget: Budget,
    seed: int,
    *,
    but: Collection[str],
    jumping: Collection[str] = (),
) -> Proposed:
    """The rules on the columns in which hardly any of the `pairs` of batches had such a row, none of those in `but`; of a young table on
    those of which the history says so, by the `rules` of each. Of columns of which it is said that no row is `jumping` by a smaller factor
    nothing is said of ten times as much. A column that came later has rules by the pairs since then.
    """
    if not pairs:
        return Proposed()
    columns, later = {*pairs[-1].ours.columns}, _later(pairs, but)
    of_later = [
        suggest(pairs[-count:], key, kinds, rules, budget, seed, but={*but, *(columns - some)}, jumping=jumping)
        for count, some in later.items()
    ]
    but = {*but}.union(*later.values())
    own, able = _never(rules, SPOILED), able_to_be(pairs, kinds, rules, but)
    names = true_of(pairs, keep_order(pairs, [n for n in able if n not in jumping]), reads_mistaken)
    broken = _broken(pairs, names, IN_LEAPS)
    tried = {name: found for name in broken if any((found := noticed(IN_LEAPS, name, pairs[-1], seed)).values())}
    of_numbers = suggested(Looking(LEAPT_ROWS, pairs, key, budget, broken, tried, own))
    swapping = able_to_swap(pairs, key, able, rules, but)
    of_both = suggested(_exchanged(pairs, key, able, swapping, _never(rules, EXCHANGED) | own, budget, seed=seed))
    made = [of_numbers, of_both, *of_later]
    return Proposed([p for one in made for p in one.proposals], [out for one in made for out in one.left_out])


def _later(pairs: Sequence[Pair], but: Collection[str]) -> dict[int, set[str]]:
    """By the number of the latest pairs that have them, enough for a rule, the columns that some earlier pair has not; none of `but`."""
    found: dict[int, set[str]] = {}
    for name in [name for name in pairs[-1].ours.columns if name not in but]:
        has = [name in pair.ours.columns and name in pair.theirs.columns for pair in pairs]
        count = len(has) if all(has) else has[::-1].index(False)
        if LEAST_BATCHES <= count < len(pairs):
            found.setdefault(count, set()).add(name)
    return found


def able_to_be(pairs: Sequence[Pair], kinds: Mapping[str, KnownKind], rules: Sequence[Proposal], but: Collection[str]) -> list[str]:
    """The columns of numbers that may be mistaken, none of those in `but`; of a young table those of which the history says so."""
    young, own = len(pairs) < LEAST_BATCHES, _never(rules, SPOILED)
    return [n for n in numbered(pairs[-1].ours) if n not in but and _may_be_spoiled(kinds.get(n)) and (n in own or not young)]


def reads_mistaken(change: MatchedChange) -> bool:
    """Whether the sentence that no large value becomes 0, many times as large or of the other sign is not true as it reads."""
    return bool(change.numeric and as_it_reads(change).any())


def suggested(looking: Looking) -> Proposed:
    """A rule for as many columns as fit into one, of all that were tried."""
    proposals, left_out = list[Proposal](), list[LeftOut]()
    for some in parts_of_names(list(looking.tried)):
        made = looking.rule(list(some))
        if isinstance(made, Proposal):
            proposals.append(made)
        elif made:
            left_out.append({"column": Measure(looking.metric.name, some).subject, "metric": looking.metric.name, "reason": made})
    return Proposed(proposals, left_out)


def _never(rules: Sequence[Proposal], metric: Metric) -> dict[str, float]:
    """Of which columns the history says that this never happens, and what a rule of each spends."""
    return {
        p.constraint.measure.columns[0]: p.constraint.fpr for p in rules if p.constraint.metric == metric.name and p.constraint.upper == 0
    }


def able_to_swap(
    pairs: Sequence[Pair], key: Sequence[str], numbers: Sequence[str], rules: Sequence[Proposal], but: Collection[str]
) -> list[str]:
    """The columns whose rows may take each other's values: texts, none of those in `but`, and `numbers`, of three values at least; of a
    young table texts of which the history says so by its `rules`, or which differ.
    """
    latest, own = pairs[-1].ours, _never(rules, SPOILED) | _never(rules, EXCHANGED)
    texts = [name for name, values in latest.columns.items() if name not in key and name not in but and not values.numeric]
    if len(pairs) < LEAST_BATCHES:
        texts = [n for n in texts if n in own or (len(pairs) >= _YOUNG and _differs(latest.column(n)))]
    return [n for n in latest.columns if (n in texts or n in numbers) and _values(latest.column(n)) >= _LEAST_VALUES]


def _exchanged(
    pairs: Sequence[Pair],
    key: Sequence[str],
    numbers: Sequence[str],
    able: Sequence[str],
    own: dict[str, float],
    budget: Budget,
    *,
    seed: int,
) -> Looking:
    """That no rows took each other's values in the columns that are `able` to, `numbers` or texts; `own` are columns of which the history
    says so.
    """
    latest, young = pairs[-1].ours, len(pairs) < LEAST_BATCHES
    broken = _broken(pairs, true_of(pairs, able, swapped), IN_BOTH)
    if young:
        broken = {name: had for name, had in broken.items() if not any(had)}
    tried = {name: found for name in broken if any((found := noticed(IN_BOTH, name, pairs[-1], seed)).values())}
    if not any(name in numbers or len(latest.column(name).used) > _FLAGS for name in tried):
        tried = {}
    return Looking(EXCHANGED_ROWS, pairs, key, budget, broken, tried, dict.fromkeys(broken, LEAST_RATE) | own, None if young else EXCHANGED)


def _values(values: SampledValues) -> int:
    """How many different ones there are."""
    return len(np.unique(values.numbers[~np.isnan(values.numbers)]) if values.numeric else values.used)


def _differs(values: SampledValues) -> bool:
    """Whether its texts are so many that rows take each other's by no chance."""
    return bool(len(values.used) >= _DIFFERENT * np.count_nonzero(values.codes >= 0))


def is_of_mistakes(rule: Constraint) -> bool:
    """Whether it says of several columns that no row of theirs is mistaken."""
    return rule.measure.name in _SAID and rule.upper == 0


def says_exchanged(rule: Constraint) -> bool:
    """Whether such a rule says that no rows took each other's values."""
    return EXCHANGED in _SAID[rule.measure.name]


def says_it(one: Constraint, other: Constraint) -> bool:
    """Whether a rule of several columns says that no row of theirs is mistaken, and the other one that none of one of these is."""
    own, several = other.measure, one.measure
    never = is_of_mistakes(one) and other.upper == 0 and metric_of(other.metric, other.kind) in _SAID[one.measure.name]
    return never and own.where is None and own.key == several.key and own.columns[0] in several.columns


def _may_be_spoiled(known: KnownKind | None) -> bool:
    kind = declaration_of(known)
    return kind is None or means(kind, SPOILED)


def _broken(pairs: Sequence[Pair], names: Sequence[str], which: Marked) -> dict[str, list[bool]]:
    """By column whether each pair of batches had a mistake; of those that had hardly any."""
    return {n: had for n, had in told(pairs, names, which.some).items() if len(had) == len(pairs) and episodes(had) <= SUSPECTS * len(had)}


def tried_of(names: Sequence[str], tried: Mapping[str, Mapping[str, bool]]) -> dict[str, bool]:
    """What was tried on the columns: of several each fault with its column before it; of one without, as all rules of one column say it."""
    if len(names) == 1:
        return dict(tried[names[0]])
    return {f"{name} {issue}": hit for name in names for issue, hit in tried[name].items()}


def noticed(which: Marked, name: str, pair: Pair, seed: int, **given: float) -> dict[str, bool]:
    """The faults of a column's rows, and whether some row of theirs is marked; none of a column that is all one value."""
    ours, theirs = (Matched(side, name) for side in (pair.ours, pair.theirs))
    values = ours.rows.column(name)
    if len(np.unique(values.numbers) if values.numeric else values.used) < 2:
        return {}
    spoiled = column_issues(ours, theirs, seed, within=False)
    return {issue: bool(which.share(one.rows, theirs.rows, (name,), **given)) for issue, one in spoiled.items()}
