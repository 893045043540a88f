"""What a column can be at all as one rule: `hour is between 0 and 23`, `delay is never null and never below 0`.

Its smallest and its largest value are two measures, each with a bound by nature, and a person who knows what the column is decides on both
at once. So do they on what every value is, where a column has more rules than a person reads of one. A condition of rows says both, and
each row that breaks it is named. Bounds that the history gave follow it, each by itself: they stay two. Beside a closed set nobody says how
many values there are at most.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from avh_ui.constraints.constraint import Constraint, number
from avh_ui.constraints.evidence import FromRelation, FromValues, Proposal, Record
from avh_ui.constraints.provenance import Provenance
from avh_ui.constraints.sql_text import quoted
from avh_ui.constraints.transforms import IDENTITY
from avh_ui.inference.lean_rule import PLAIN, LeanRule
from avh_ui.inference.source import Refused
from avh_ui.metrics import analyzers
from avh_ui.metrics.metric import Extreme
from avh_ui.metrics.moments import MAX, MIN
from avh_ui.metrics.uniqueness import DIST_VAL_COUNT

# How such a relation of one column is called among the families of relations, and how where it is filled, too.
FAMILY, FILLED = "limits", "filled limits"
# How the size of an array or a map ends, which a column's own name seldom does.
_SIZE = ".size()"
# That no value is there is no matter of limits: a condition lets null pass.
_EMPTY = " null"


def as_range(rules: Sequence[LeanRule]) -> list[LeanRule]:
    """The rules with both ends as one, in the place of the first."""
    ends = _ends(rules)
    if ends is None:
        return list(rules)
    made = _both(*ends)
    first = next(r for r in rules if r in ends)
    return [made if r is first else r for r in rules if r is first or r not in ends]


def with_other_end(rules: Sequence[LeanRule], all_rules: Sequence[LeanRule]) -> list[LeanRule]:
    """The rules, of a column of which one end is among them with the other one: both are one rule, and nobody who reads that a latitude is
    never above 90 takes -120 for one.
    """
    if (ends := _ends(all_rules)) is None or not any(r in ends for r in rules):
        return list(rules)
    return [r for r in all_rules if r in rules or r in ends]


def put_for(rules: Sequence[LeanRule]) -> dict[int, Proposal]:
    """By the ids of the proposals that one rule stands for, that one. What is never null and never below 0 is counted as one of its column,
    and told with the other columns that are.
    """
    return {id(part.proposal): rule.proposal for rule in rules if not _told_apart(rule) for part in rule.parts}


def _told_apart(rule: LeanRule) -> bool:
    filled, *limits = rule.parts or (rule,)
    return filled.never_null and len(limits) == 1 and _not_negative(limits[0]) and limits[0].constraint.lower == 0


def at_least(rules: Sequence[LeanRule]) -> Mapping[int, Proposal]:
    """By the id of a proposal that bounds how many different values a column has the same without an end above, where a closed set of no
    more values is beside it: "26 to 58" was said of 46 names.
    """
    closed = [r.proposal.evidence for r in rules if r.closes]
    sets = [one.distinct for one in closed if isinstance(one, FromValues) and one.distinct is not None]
    found = {}
    for rule in rules if sets else ():
        made, low, high = rule.constraint, rule.constraint.lower, rule.constraint.upper
        counted = made.metric == DIST_VAL_COUNT.name and made.transform == IDENTITY and made.measure.standard
        if counted and low is not None and high is not None and low < high and high >= max(sets):
            found[id(rule.proposal)] = replace(rule.proposal, constraint=replace(made, upper=None))
    return found


def without_refused(rules: Sequence[LeanRule], refused: Refused) -> tuple[list[LeanRule], Mapping[int, Proposal]]:
    """The rules without the parts of one that a person rejected, which stands in for nothing; and that one by the ids of its parts."""
    ranges = as_range(rules)
    ids = put_for([r for r in (*as_filled(ranges), *ranges) if r.parts and refused(r.constraint)])
    return [r for r in rules if id(r.proposal) not in ids], ids


def _ends(rules: Sequence[LeanRule]) -> tuple[LeanRule, LeanRule] | None:
    """The two rules that say by nature where a column's numbers begin and end; None where one of them is not there."""
    least, most = (next((r for r in rules if _is_end(r, end)), None) for end in ("least", "greatest"))
    return None if least is None or most is None or not _is_told(least) else (least, most)


def _is_told(rule: LeanRule) -> bool:
    """Whether a condition can name the column: `tags.size()` is no field."""
    return not rule.constraint.column.endswith(_SIZE)


def is_end(rule: LeanRule) -> bool:
    """Whether it says by nature where a column's numbers begin, or where they end."""
    return _is_end(rule, "least") or _is_end(rule, "greatest")


def _is_end(rule: LeanRule, end: Extreme) -> bool:
    made = rule.constraint
    if not rule.nature or rule.given or made.kind != "numeric" or made.transform != IDENTITY or not made.measure.standard:
        return False
    metric, bound, other = (MIN, made.lower, made.upper) if end == "least" else (MAX, made.upper, made.lower)
    return made.metric == metric.name and bound is not None and other is None


def as_filled(rules: Sequence[LeanRule]) -> list[LeanRule]:
    """The rules with "never null" and "never below 0", or "between 0 and 23", as one in the place of the first, where both are there: what
    every value is. The others as they are.
    """
    filled = next((r for r in rules if r.never_null and not r.given), None)
    limits = next((r for r in rules if r.range_of or _is_end(r, "least") or _not_negative(r)), None)
    if filled is None or limits is None or filled.constraint.transform != IDENTITY or not _is_told(filled):
        return list(rules)
    made = _filled(filled, limits)
    first = next(r for r in rules if r in (filled, limits))
    return [made if r is first else r for r in rules if r is first or r not in (filled, limits)]


def _not_negative(rule: LeanRule) -> bool:
    """Whether it says that nothing is below 0, or all above it, or not below 1 as what is counted, be it of one batch alone."""
    made = rule.constraint
    plain = made.metric == MIN.name and made.kind == "numeric" and made.transform == IDENTITY and made.measure.standard
    return plain and not rule.given and made.lower in (0, 1) and made.upper is None


def _both(least: LeanRule, most: LeanRule) -> LeanRule:
    low, high = least.constraint.lower, most.constraint.upper
    assert low is not None
    assert high is not None
    strict = least.constraint.strict == "lower"
    within = f"above {number(low)} and at most {number(high)}" if strict else f"between {number(low)} and {number(high)}"
    says = f"{least.constraint.column} is {within}"
    value = _as_number(least.constraint)
    test = f"({value} {'>' if strict else '>='} {float(low)!r}D AND {value} <= {float(high)!r}D)"
    return _one((least, most), f"{quoted(least.constraint.column)} IS NULL OR {test}", says, empty=False)


def _filled(filled: LeanRule, limits: LeanRule) -> LeanRule:
    """What is never null, and within its limits: an end, or both."""
    column, parts = filled.constraint.column, (filled, *(limits.range_of or (limits,)))
    name, low, high = quoted(column), parts[1].constraint.lower, parts[-1].constraint.upper
    assert low is not None
    value = _as_number(parts[1].constraint)
    strict = parts[1].constraint.strict == "lower"
    within = f"always above {number(low)}" if strict else f"never below {number(low)}"
    if high is not None:
        within = f"{within} and at most {number(high)}" if strict else f"always between {number(low)} and {number(high)}"
    above = "" if high is None else f" AND {value} <= {float(high)!r}D"
    test = f"{name} IS NOT NULL AND {value} {'>' if strict else '>='} {float(low)!r}D{above}"
    return _one(parts, test, f"{column} is never null and {within}", empty=True)


def _as_number(made: Constraint) -> str:
    return f"cast({quoted(made.column)} AS DOUBLE)"


def _one(parts: tuple[LeanRule, ...], predicate: str, says: str, *, empty: bool) -> LeanRule:
    """One condition in the place of the rules that it says together; `empty` where it notices that nothing is there."""
    rules, evidence = [part.constraint for part in parts], [part.proposal.evidence for part in parts]
    measure = analyzers.compliance(predicate)
    records = [one.backtest for one in evidence if one.backtest is not None]
    judged = min((record.judged for record in records), default=0)
    fired = tuple(sorted({batch for record in records for batch in record.fired}))
    known = next((made.learned for made in rules[::-1] if made.learned.first_batch), rules[-1].learned)
    learned = Provenance(method="relation", first_batch=known.first_batch, last_batch=known.last_batch, batches=judged or None, says=says)
    made = Constraint(
        column=measure.subject, metric=measure.name, measure=measure, kind="boolean", lower=1.0, upper=None, fpr=sum(r.fpr for r in rules),
        origin="relation", provenance=learned.to_record(),
    )  # fmt: skip
    tried = tuple(dict.fromkeys(name for one in evidence for name in one.tried))
    caught = {name for one in evidence for name in one.caught if empty or not name.endswith(_EMPTY)}
    told = FromRelation(
        method="relation", batches=judged or None, backtest=Record(judged, fired) if records else None, tried=tried,
        caught=tuple(name for name in tried if name in caught), only_caught=tuple(name for name in tried if name in caught),
        family=FILLED if empty else FAMILY, of=(rules[0].column,), broken=0, exact=True,
    )  # fmt: skip
    ways = frozenset(name for part in parts for name in part.caught if empty or not name.endswith(_EMPTY))
    return LeanRule(Proposal(made, told), PLAIN, ways, nature=True, parts=parts)
