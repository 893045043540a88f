"""What a column can be at all as one rule: `hour is between 0 and 23`.

Its smallest and its largest value are two measures, each with a bound by nature, and a person who knows what the column is decides on both
at once. A condition of rows says both, and each row that breaks it is named. Bounds that the history gave follow it, each by itself: they
stay two. Beside a closed set nobody says how many values there are at most.
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

# How such a relation of one column is called among the families of relations.
FAMILY = "limits"
# That no value is there is no matter of limits: a condition lets null pass.
_EMPTY = " null"


def as_range(rules: Sequence[LeanRule]) -> tuple[list[LeanRule], Mapping[int, Proposal]]:
    """The rules with both ends as one, in the place of the first; and that one by the ids of the proposals that it stands for."""
    ends = _ends(rules)
    if ends is None:
        return list(rules), {}
    made = _both(*ends)
    first = next(r for r in rules if r in ends)
    return [made if r is first else r for r in rules if r is first or r not in ends], {id(r.proposal): made.proposal for r in ends}


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
    """The rules without the ends of a range that a person rejected, which stands in for nothing; and that one by the ids of its ends."""
    _, put = as_range(rules)
    ids = put if any(refused(one.constraint) for one in put.values()) else {}
    return [r for r in rules if id(r.proposal) not in ids], ids


def _ends(rules: Sequence[LeanRule]) -> tuple[LeanRule, LeanRule] | None:
    """The two rules that say by nature where a column's numbers begin and end; None where one of them is not there."""
    least, most = (next((r for r in rules if _is_end(r, end)), None) for end in ("least", "greatest"))
    return None if least is None or most is None else (least, most)


def is_end(rule: LeanRule) -> bool:
    """Whether it says by nature where a column's numbers begin, or where they end."""
    return _is_end(rule, "least") or _is_end(rule, "greatest")


def _is_end(rule: LeanRule, end: Extreme) -> bool:
    made = rule.constraint
    if not rule.nature or rule.given or made.kind != "numeric" or made.transform != IDENTITY or not made.measure.standard:
        return False
    metric, bound, other = (MIN, made.lower, made.upper) if end == "least" else (MAX, made.upper, made.lower)
    return made.metric == metric.name and bound is not None and other is None


def _both(least: LeanRule, most: LeanRule) -> LeanRule:
    low, high = least.constraint, most.constraint
    assert low.lower is not None
    assert high.upper is not None
    column, name = low.column, quoted(low.column)
    says = f"{column} is between {number(low.lower)} and {number(high.upper)}"
    value = f"cast({name} AS DOUBLE)"
    measure = analyzers.compliance(f"{name} IS NULL OR ({value} >= {float(low.lower)!r}D AND {value} <= {float(high.upper)!r}D)")
    evidence = least.proposal.evidence, most.proposal.evidence
    records = [one.backtest for one in evidence if one.backtest is not None]
    judged = min((record.judged for record in records), default=0)
    fired = tuple(sorted({batch for record in records for batch in record.fired}))
    known = next((made.learned for made in (high, low) if made.learned.first_batch), high.learned)
    learned = Provenance(method="relation", first_batch=known.first_batch, last_batch=known.last_batch, batches=judged or None, says=says)
    made = Constraint(
        column=measure.subject, metric=measure.name, measure=measure, kind="boolean", lower=1.0, upper=None, fpr=low.fpr + high.fpr,
        origin="relation", provenance=learned.to_record(),
    )  # fmt: skip
    tried = tuple(dict.fromkeys(name for one in evidence for name in one.tried))
    caught = {name for one in evidence for name in one.caught if not name.endswith(_EMPTY)}
    told = FromRelation(
        method="relation", batches=judged or None, backtest=Record(judged, fired) if records else None, tried=tried,
        caught=tuple(name for name in tried if name in caught), only_caught=tuple(name for name in tried if name in caught),
        family=FAMILY, of=(column,), broken=0, exact=True,
    )  # fmt: skip
    ways = frozenset(name for name in least.caught | most.caught if not name.endswith(_EMPTY))
    return LeanRule(Proposal(made, told), PLAIN, ways, nature=True)
