"""Of what all sources say of a column the rules that a person would keep: nothing twice, the plainest first, few of a column.

Each source chooses for itself, and so a column is told three times that its texts have two letters. Here the rules of all sources stand
side by side, with the synthetic issues that each catches. A rule that the others make superfluous is not suggested: it is named under the
one that catches most of what it does. Plain rules are given up for rules as plain alone: that no value is null is worth more to a reader
than a distance that happens to move when some are.

A column that a relation tells from others (a copy, a sum, a part of a date) is held to it: what else its values would break, they break
it too, so that of such a column what is left is that it is filled. Not looked at: guesses of young columns, measures that somebody asked
for, and programs of the paper's method, which are its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from avh_ui.constraints.column_kind import KnownKind
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromHistory, FromRelation, Proposal
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.inference.by_key.row_issues import SEEN, TENFOLD
from avh_ui.inference.lean_beside import filled_together, given, noticing, of_each_value, of_several, telling
from avh_ui.inference.lean_choice import MOST, few, may_happen
from avh_ui.inference.lean_keys import of_keys
from avh_ui.inference.lean_orders import within
from avh_ui.inference.lean_rows import only_rising, said_of_rows
from avh_ui.inference.lean_rule import HARD, OTHER_DAY, TWICE, LeanRule, rule_of
from avh_ui.inference.lean_twins import bound, defaults_said, metric_of, said_by_forms, twins
from avh_ui.inference.ranges import as_filled, as_range, at_least, put_for, with_other_end, without_refused
from avh_ui.inference.source import LeftOut, Refused
from avh_ui.issues.losing import HALVED
from avh_ui.metrics.catalogue import of_whole_rows
from avh_ui.metrics.column import NUMBER_KINDS
from avh_ui.metrics.distances import NUMBER_DISTANCES, SHAPE_DISTANCES, TEXT_DISTANCES
from avh_ui.metrics.fallen_counters import FALLEN_COUNTERS

# That a text changes in more of its rows says little of what it is.
_FEW_CHANGE = 0.1
# What is filled is bounded loosely where a tenth of its values could be null besides.
_TENTH_NULL = frozenset(f"increased_nulls {share} null" for share in ("1%", "10%"))


@dataclass
class Lean:
    """What is kept, in the order given, and what is not, with its reason."""

    proposals: list[Proposal] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def lean(
    proposals: Iterable[Proposal],
    first: Collection[str] = (),
    kinds: Mapping[str, KnownKind] = MappingProxyType({}),
    refused: Refused = lambda _: False,
) -> Lean:
    """The proposals without those that others make superfluous, and at most 3 of a column, as a person counts them (`lean_choice`).

    What the columns are (`kinds`) says which bounds are no estimates, but limits by nature. Issues in `first` are to be noticed before all
    others. What a person has `refused` stands in for nothing, and stays for them to see.
    """
    proposals = list(proposals)
    weighed = [one for one in proposals if not refused(one.constraint)]
    columns = _by_column(weighed, kinds)
    tells, relations = telling(weighed), [one for one in weighed if isinstance(one.evidence, FromRelation)]
    mixed = {column for column, rules in columns.items() if any(r.mixes for r in rules)}
    given_up, put = _GivenUp(), dict[int, Proposal]()
    for column, rules in columns.items():
        methods = {r.proposal.evidence.method for r in rules if isinstance(r.proposal.evidence, FromHistory)}
        if "calibrated" not in methods:
            # Of a column of which the history says nothing a form and a list may say the same.
            said = [] if methods else said_by_forms(rules)
            for rule in said:
                given_up.add(column, rule, next(r for r in rules if r not in said), rule.words)
            continue
        beside = [given(tells[column], rules)] if column in tells else []
        known = _with_keys(_with_rows(rules))
        beside += [*noticing(column, known, relations, mixed), *of_several(column, known, weighed)]
        noticed = frozenset(name.removeprefix(f"{column} ") for one in relations for name in one.evidence.caught)
        known, rejected = without_refused(known, refused)
        best, dropped = _reduced([*known, *beside], frozenset((*may_happen(first, rules), TWICE, OTHER_DAY, *SEEN)), noticed)
        put |= {**rejected, **put_for(best), **at_least(best)}
        for rule, by in dropped:
            given_up.add(column, rule, by, f"{rule.words} of {column}" if by.given else rule.words)
    left = given_up.rest_of(weighed)
    for one, other in (*of_keys(weighed, left), *filled_together(relations, left)):
        rule, column = rule_of(one), one.constraint.column
        given_up.add(column, rule, rule_of(other), f"{rule.words} of {column}" if isinstance(other.evidence, FromRelation) else "")
    for one, other in (*within(relations, left), *said_of_rows(given_up.rest_of(weighed))):
        given_up.add(one.constraint.column, rule_of(one), rule_of(other), f"{rule_of(one).words} of {one.constraint.column}")
    put |= only_rising(given_up.rest_of(weighed))
    # Both ends of a range are the one rule, which comes once.
    kept = {id(one): one for one in (put.get(id(one), one) for one in given_up.rest_of(proposals))}
    return Lean(of_each_value([given_up.named_under(one) for one in kept.values()]), given_up.reasons)


@dataclass
class _GivenUp:
    """The proposals that others make superfluous, each with its reason, and their words by the one that they are named under."""

    reasons: list[LeftOut] = field(default_factory=list)
    ids: set[int] = field(default_factory=set)
    words: dict[int, list[str]] = field(default_factory=dict)

    def add(self, column: str, rule: LeanRule, by: LeanRule, words: str) -> None:
        """A rule on a column that another stands for, which names it with these words, if any."""
        self.ids.add(id(rule.proposal))
        self.reasons.append(_left_out(column, rule, by))
        if words:
            self.words.setdefault(id(by.proposal), []).append(words)

    def rest_of(self, proposals: Iterable[Proposal]) -> list[Proposal]:
        """Those that are not given up."""
        return [one for one in proposals if id(one) not in self.ids]

    def named_under(self, one: Proposal) -> Proposal:
        """With the rules that it makes superfluous."""
        words = tuple(self.words.get(id(one), ()))
        return replace(one, evidence=replace(one.evidence, also=words)) if words else one


def _by_column(proposals: Iterable[Proposal], kinds: Mapping[str, KnownKind]) -> dict[str, list[LeanRule]]:
    """The rules that stand beside each other, by their column."""
    columns: dict[str, list[LeanRule]] = {}
    for one in proposals:
        if (column := _column(one.constraint)) is not None:
            columns.setdefault(column, []).append(rule_of(one, kinds))
    return columns


# The distances whose sentences differ in their numbers alone.
_DISTANCES = [frozenset(m.name for m in family) for family in (NUMBER_DISTANCES, TEXT_DISTANCES, SHAPE_DISTANCES)]


def _column(constraint: Constraint) -> str | None:
    """The column whose rules it stands beside; None of what is of no single column, was asked for, or is said of a counter beside them."""
    if constraint.guess or constraint.of_table or constraint.metric == FALLEN_COUNTERS.name:
        return None
    keyed, columns = bool(constraint.measure.key), () if of_whole_rows(constraint.measure) else constraint.measure.columns
    return (columns[0] if len(columns) == 1 else None) if keyed else constraint.column if constraint.measure.standard else None


def _with_keys(rules: Sequence[LeanRule]) -> list[LeanRule]:
    """Where no value of a known row may be another, no rule says more of the rows that are there; of a closed set no length; what is filled
    says what empties.
    """
    every, by_rows = (_union(r for r in rules if bool(r.constraint.measure.key) is keyed) for keyed in (False, True))
    nulls = frozenset(name for name in every if name.endswith(" null") or name.startswith(HALVED))
    lengths = _union(r for r in rules if (declared := metric_of(r)) is not None and declared.unit == "characters")
    fills = [r for r in rules if r.fills]
    lows = [r.constraint.lower for r in fills]
    filled, texts = max((low for low in lows if low is not None), default=None), not any(r.constraint.kind in NUMBER_KINDS for r in rules)
    # Where nothing says how much is filled, rows that lose theirs say it, not a level or a distance that happens to move when half do.
    loose = filled is None or not _TENTH_NULL & _union(r for r in fills if not any(twins(r, other) for other in fills))
    found = []
    for rule in rules:
        caught = rule.caught
        if rule.constraint.measure.key:
            declared = metric_of(rule)
            fixed = declared is not None and declared.of_any_change and rule.constraint.upper == 0
            # A share that may be emptied is bounded by what has to be filled; that none may be says more. Where that notices half of the
            # nulls and no fewer, which a table gives of a dozen releases, rows that lose theirs say more, and what it notices besides.
            said = filled == 1 or (filled is not None and bool(rule.constraint.upper) and not loose)
            caught = frozenset(name for name in caught if not (said and name.startswith("emptied")))
            caught |= frozenset(name for name in rule.shown if loose and name.endswith(" null"))
            # Nor may it be taken from another row, be 0, or lost. Of rows that are new it says nothing.
            old = frozenset(name for name in by_rows if not name.endswith(":new"))
            caught |= old | (every - nulls) if fixed else frozenset()
        elif rule.closes:
            caught |= lengths
        found.append(replace(rule, caught=caught, of_texts=texts, shows=_shows(rule) if texts else frozenset()))
    return found


def _shows(rule: LeanRule) -> frozenset[str]:
    """Of texts what a rule shows by their rows that few of them change: in capitals, cut or behind a blank each is another text."""
    declared, most = metric_of(rule), rule.constraint.upper
    return rule.shown if declared is not None and declared.of_any_change and most is not None and most <= _FEW_CHANGE else frozenset()


def _with_rows(rules: Sequence[LeanRule]) -> list[LeanRule]:
    """Where ten times the least that is let pass is beyond the most, any one row times ten breaks the bound above, too: a meter of 212 to
    244 volts at 2,300. The issues of a column's values are of a hundredth of them and more.
    """
    least = max((low for r in rules if (low := bound(r, "least")) is not None), default=0.0)
    breaks = [(most := bound(r, "greatest")) is not None and most < 10 * least for r in rules]
    return [replace(r, caught=r.caught | {TENFOLD}) if broken else r for r, broken in zip(rules, breaks, strict=True)]


def _reduced(
    rules: Sequence[LeanRule], first: frozenset[str], noticed: frozenset[str]
) -> tuple[list[LeanRule], list[tuple[LeanRule, LeanRule]]]:
    """The rules that stay, and the others, each with the one that it is named under; relations have `noticed` some issues."""
    by_forms = said_by_forms(rules)
    dropped = [r for r in rules if r in by_forms or any(twins(r, other) for other in rules)]
    left = [r for r in rules if r not in dropped]
    mixes = [r for r in left if r.mixes and any(other.unmixed for other in left)]
    said = _union(r for r in left if r not in mixes) | frozenset().union(*(r.unmixed for r in left))
    mixes = [r for r in mixes if r.caught <= said]
    dropped, left = [*dropped, *mixes], [r for r in left if r not in mixes]
    whole = left
    left, more = _needed(left)
    dropped += more
    again = _said_again(left, first)
    left = with_other_end([r for r in left if r not in again], whole)
    dropped = [r for r in dropped if r not in left]
    given, own = [r for r in left if r.given], as_range([r for r in left if not r.given])
    own = as_filled(own) if len(own) > MOST else own
    best = [*given, *few(own, first, _union(given) | noticed)]
    implied = [*_implied_lengths(best), *defaults_said(best)]
    best = [r for r in best if r not in implied]
    dropped += [*again, *implied, *(part for rule in own if rule not in (*best, *implied) for part in rule.parts or (rule,))]
    return best, [(rule, max(best, key=lambda r: (len(r.caught & rule.caught), -r.rank))) for rule in dropped]


def _needed(rules: Sequence[LeanRule]) -> tuple[list[LeanRule], list[LeanRule]]:
    """The rules without those that others as plain make superfluous, and these: the hardest first, of equals what catches least. Levels
    that the latest batch's nulls broke may let the next one's pass.

    What is hard gives way to what rows show, too: who reads that a name changes in at most 2 % of the rows needs no share of capitals.
    """
    left, dropped, owed = list(rules), list[LeanRule](), dict[int, frozenset[str]]()
    for rule in sorted((r for r in rules if not (r.given or r.never_null)), key=lambda r: (-r.rank, len(r.caught))):
        others = [r for r in left if r is not rule]
        wanted = (rule.caught | owed.get(id(rule), frozenset())) - _union(r for r in others if r.rank <= rule.rank)
        shown = frozenset().union(*(r.shows for r in others)) if rule.rank >= HARD else frozenset()
        if others and wanted <= shown:
            left = others
            dropped.append(rule)
            owed |= {id(r): owed.get(id(r), frozenset()) | (wanted & r.shows) for r in others if r.shows and wanted}
    return [replace(r, caught=r.caught | owed[id(r)]) if id(r) in owed else r for r in left], dropped


def _implied_lengths(rules: Sequence[LeanRule]) -> list[LeanRule]:
    """The fixed length beside a pattern that alone notices empty texts: that some are, where none was, every validation says. Of a history
    with empty texts no length is fixed, and one more is nothing new there.
    """
    if not any(isinstance(r.constraint, PatternConstraint) for r in rules):
        return []
    fixed = [
        r for r in rules if r.constraint.lower == r.constraint.upper and (one := metric_of(r)) is not None and one.unit == "characters"
    ]
    return [r for r in fixed if all(name.endswith(" empty") for name in r.caught - _union(o for o in rules if o is not r))]


def _said_again(rules: Sequence[LeanRule], first: frozenset[str]) -> list[LeanRule]:
    """Those of several distances of one kind that say no more to a reader than the one that notices most: "the mix barely changes", twice.
    One stays that alone notices what comes `first`.
    """
    again: list[LeanRule] = []
    for names in _DISTANCES:
        same = [r for r in rules if r.constraint.metric in names and not r.given and not r.constraint.measure.key]
        best = max(same, key=lambda r: (len(r.caught & first), len(r.caught)), default=None)
        for rule in same:
            others = _union(r for r in rules if r is not rule and r not in again)
            if rule is not best and not (rule.caught & first) - others:
                again.append(rule)
    return again


def _union(rules: Iterable[LeanRule]) -> frozenset[str]:
    return frozenset().union(*(r.caught for r in rules))


def _left_out(column: str, rule: LeanRule, by: LeanRule) -> LeftOut:
    other = by.constraint.column if by.constraint.measure.standard and not by.given else column
    named = by.words if other == column else f"{by.words} of {other}"
    reason = f"{rule.words}: what it catches, {named} and the other rules of the column catch"
    if not rule.caught <= by.caught and len(rule.caught - by.caught):
        reason = f"{rule.words}: the other rules of the column, {named} among them, notice more"
    made = {"column": column, "metric": rule.constraint.metric, "reason": reason, "covered": by.constraint.key}
    return made | ({"rule": named} if (named := rule.constraint.learned.rule) else {})
