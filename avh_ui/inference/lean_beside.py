"""What stands beside a column's own rules and takes no place among its few: relations, and what one rule says of several columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import EACH_VALUE, FromRelation, FromValues, Proposal
from avh_ui.inference.by_key.mistaken import is_of_mistakes, says_exchanged, says_it
from avh_ui.inference.by_relation.copies import TOGETHER
from avh_ui.inference.lean_choice import EXCHANGED_ROWS, MISSPELT
from avh_ui.inference.lean_rule import PLAIN, LeanRule, of_some_rows, rule_of
from avh_ui.issues.losing import HALVED
from avh_ui.metrics.uniqueness import DIST_VAL_COUNT

# Faults of rows, as those of half of them, that reach all rows.
_HALF = frozenset({"shifted"})
# Which column each family tells from the others, by its place.
_TOLD: Mapping[str, int] = {
    "equal": 1, "difference": 0, "total": 0, "balance": 0, "product": 0, "linear": 0, "inverse": 1, "part": 0, "length": 0, "joined": 0,
}  # fmt: skip


def telling(proposals: Iterable[Proposal]) -> dict[str, Proposal]:
    """By column the relation that tells each of its values from others of its row, which may be told from others in turn. No column is told
    from itself, one of two equal ones neither: else a ring of relations would hold all of them and none. What joins two others of which a
    new value says nothing (the departments of a shop) keeps its own closed set.
    """
    proposals = list(proposals)
    found, told_from = dict[str, Proposal](), dict[str, list[str]]()
    closed = {one.constraint.column for one in proposals if isinstance(one.evidence, FromValues) and not one.constraint.upper}
    for one in proposals:
        evidence = one.evidence
        if not isinstance(evidence, FromRelation) or evidence.family not in _TOLD:
            continue
        column = evidence.of[_TOLD[evidence.family]]
        if evidence.family == "joined" and column in closed:
            continue
        others = [name for name in evidence.of if name != column]
        if column not in found and not any(_rests_on(name, column, told_from) for name in others):
            found[column] = one
            told_from[column] = others
    return found


def _rests_on(name: str, column: str, told_from: Mapping[str, Sequence[str]]) -> bool:
    """Whether a column is another, or is told from it, over any number of relations."""
    return name == column or any(_rests_on(of, column, told_from) for of in told_from.get(name, ()))


def noticing(column: str, rules: Sequence[LeanRule], relations: Iterable[Proposal], mixed: Set[str]) -> Iterator[LeanRule]:
    """The other relations of a column with what they notice of it. What determines it notices all faults of its rows, and its mix is that
    of the columns that do where theirs is bounded (`mixed`); the others, whose columns may be wrong together, stand for rules that nothing
    less than half of the rows breaks, and for misspelt values.
    """
    every = {n for r in rules for n in r.proposal.evidence.tried}
    misspelt = {n for n in every if n.startswith(MISSPELT)}
    some = frozenset(n for n in every if of_some_rows(n))
    for one in relations:
        caught = frozenset(n.removeprefix(f"{column} ") for n in one.evidence.caught if n.startswith(f"{column} "))
        evidence = one.evidence
        if not isinstance(evidence, FromRelation) or not caught:
            continue
        determines = evidence.family in ("determined", "mapped") and evidence.of[-1] == column
        if not determines:
            caught = frozenset(n for n in caught if n in _HALF or n.endswith(":0.5"))
        known = caught | misspelt if evidence.family in _TOLD else caught
        yield LeanRule(one, PLAIN, known, given=True, unmixed=some if determines and mixed >= {*evidence.of[:-1]} else frozenset())


def of_several(column: str, rules: Sequence[LeanRule], proposals: Iterable[Proposal]) -> Iterator[LeanRule]:
    """The rules that say of several columns, this one among them, what one of its `rules` says of it alone: that no row is mistaken."""
    for one in proposals:
        if is_of_mistakes(one.constraint) and column in one.constraint.measure.columns:
            own = frozenset(n.removeprefix(f"{column} ") for n in one.evidence.caught if n.startswith(f"{column} "))
            alone = (r.catches for r in rules if says_it(one.constraint, r.constraint))
            whole = {EXCHANGED_ROWS} if says_exchanged(one.constraint) else set[str]()
            yield LeanRule(one, PLAIN, own.union(*alone) | whole, given=True)


def filled_together(relations: Iterable[Proposal], kept: Sequence[Proposal]) -> Iterator[tuple[Proposal, Proposal]]:
    """What says how much of a column is filled, each with the relation by which it is null in the same rows as another one of which that
    is said: the first of them stays, and a null that the others do not have breaks the relation.
    """
    own = {p.constraint.column: p for p in kept if p.constraint.measure.standard and not p.constraint.guess and rule_of(p).fills}
    for one in relations:
        if isinstance(one.evidence, FromRelation) and one.evidence.family == TOGETHER and one.constraint.lower == 1:
            said = [own[name] for name in one.evidence.of if name in own]
            yield from ((fill, one) for fill in said[1:])


def of_each_value(proposals: Sequence[Proposal]) -> list[Proposal]:
    """The proposals, with what says how many different values a column always has told of the values of its closed set: "always has 7
    different values" beside "is one of" these seven is read as the same twice, and is that none of them is missing.
    """
    sets = {p.constraint.column: p.evidence.distinct for p in proposals if isinstance(p.evidence, FromValues) and not p.constraint.upper}
    return [_of_each(p) if _counts(p.constraint) == sets.get(p.constraint.column, 0) else p for p in proposals]


def _counts(constraint: Constraint) -> float | None:
    """How many different values it asks for; None of all other rules."""
    fixed = constraint.metric == DIST_VAL_COUNT.name and constraint.measure.standard and constraint.transform.is_identity
    return constraint.lower if fixed and constraint.lower == constraint.upper and constraint.lower != 1 else None


def _of_each(one: Proposal) -> Proposal:
    learned = replace(one.constraint.learned, rule=EACH_VALUE)
    return replace(one, constraint=replace(one.constraint, provenance=learned.to_record()))


def given(relation: Proposal, rules: Sequence[LeanRule]) -> LeanRule:
    """A relation beside the rules of the column that it tells: neither null nor missing rows break one, every other issue of the values
    does.
    """
    every = (name for rule in rules for name in rule.proposal.evidence.tried)
    broken = frozenset(name for name in every if not name.startswith(("volume_change", HALVED)) and not name.endswith(" null"))
    return LeanRule(relation, PLAIN, broken, given=True)
