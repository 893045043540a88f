"""A proposal as a person reads it: how hard it is to judge, and what it notices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from avh_ui.constraints.column_kind import KnownKind
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import CLOSED_SET, FromHistory, Proposal
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.reading import Reader, declaration_of
from avh_ui.constraints.transforms import IDENTITY
from avh_ui.inference.kinds.declarations import declaration_of as kind_of
from avh_ui.inference.kinds.declarations import in_no_unit
from avh_ui.issues.catching import of_every_row
from avh_ui.issues.losing import HALVED
from avh_ui.metrics.uniqueness import DIST_VAL_COUNT

# How hard a rule is to judge. A pattern says more than a length, a list of values is long, and nobody has distances in their head.
PLAIN, LENGTH, LIST, HARD, DISTANCE = range(5)
# That a value occurs twice, and that values are those of another day, as issues: none that is injected does either.
TWICE, OTHER_DAY = "a value twice", "another day's values"


@dataclass(frozen=True)
class LeanRule:
    """One proposal: how hard it is to judge (`rank`), and the issues of its column that it catches; `given` is one that is not chosen here,
    but stands beside the column's own, `nature` a bound that is no estimate. Of a column that others determine it is in the place of mixes,
    where these notice no more than `unmixed`. `parts` are the rules that it says together as one; what its rows
    show of texts, it `shows` in the place of hard ones alone: what such texts are, a form says.
    """

    proposal: Proposal
    rank: int
    caught: frozenset[str]
    given: bool = False
    nature: bool = False
    unmixed: frozenset[str] = frozenset()
    parts: tuple[LeanRule, ...] = ()
    shows: frozenset[str] = frozenset()
    of_texts: bool = False

    @property
    def range_of(self) -> tuple[LeanRule, ...]:
        """Both ends that it stands for, the lower one first; empty for any rule but such a range."""
        return () if any(part.fills for part in self.parts) else self.parts

    @property
    def constraint(self) -> Constraint:
        """What is proposed."""
        return self.proposal.constraint

    @property
    def catches(self) -> frozenset[str]:
        """All issues of the column that it catches, those of its numbers by its rows too."""
        return self.caught if self.of_texts else self.caught | self.shown

    @property
    def shown(self) -> frozenset[str]:
        """Issues of the column's values that a rule on its rows notices."""
        evidence = self.proposal.evidence
        return frozenset(evidence.shown) if isinstance(evidence, FromHistory) else frozenset()

    @property
    def closes(self) -> bool:
        """Whether it is a closed set: of a column of few values what its owner names first, though it grew late and lets one row pass."""
        told = self.constraint
        return isinstance(told, PatternConstraint) and told.origin == "values" and (told.upper == 0 or told.learned.rule == CLOSED_SET)

    @property
    def fixed(self) -> bool:
        """Whether it holds what its values are to one number, or to be one and the same."""
        declared = declaration_of(self.constraint.metric, self.constraint.kind)
        exact = self.constraint.lower is not None and self.constraint.lower == self.constraint.upper
        same = declared is DIST_VAL_COUNT and self.constraint.lower == 1
        return exact and declared is not None and (same or declared.unit == "value") and self.constraint.transform == IDENTITY

    @property
    def fills(self) -> bool:
        """Whether it is the share of a column that is filled."""
        if self.parts:
            return any(part.fills for part in self.parts)
        declared = declaration_of(self.constraint.metric, self.constraint.kind)
        return declared is not None and declared.always_defined and declared.unit == "ratio" and not self.constraint.measure.key

    @property
    def never_null(self) -> bool:
        """Whether it says that nothing is null, where the history had no null."""
        return self.fills and self.constraint.lower == 1 and self.constraint.origin == "history"

    @property
    def mixes(self) -> bool:
        """Whether it bounds how a column is mixed, and not what known rows do: how far from the batch before, or how many values differ."""
        declared = declaration_of(self.constraint.metric, self.constraint.kind)
        return declared is not None and not declared.by_key and (declared.two_distribution or declared is DIST_VAL_COUNT)

    @property
    def words(self) -> str:
        """What it says in a few words."""
        if isinstance(self.constraint, PatternConstraint):
            return f"{self.constraint.metric} {self.constraint.pattern.text}"
        if (self.given or self.constraint.worded) and self.constraint.learned.says:
            return self.constraint.learned.says
        return f"{self.constraint.metric} {Reader.of(self.constraint).bounds(self.constraint.lower, self.constraint.upper)}"


def of_some_rows(issue: str) -> bool:
    """Whether what determines a column says of an issue of its values: not of null, nor of what is done to all that are alike. Other values
    beside the same ones it tells however few are left; empty texts, where there were none, every validation does. Rows that are missing
    leave those that are left as they are.
    """
    others = issue.startswith("distribution_change") or issue.endswith(" empty")
    return not issue.endswith(" null") and not issue.startswith(HALVED) and (others or not of_every_row(issue))


def rule_of(proposal: Proposal, kinds: Mapping[str, KnownKind] = MappingProxyType({})) -> LeanRule:
    """What it is beside the other rules of its column; what the columns are (`kinds`) says which bounds are no estimates."""
    by_nature = _by_nature(proposal.constraint, kinds)
    # The number of rows is the table's: that a column's mean moves with it says nothing.
    caught = frozenset(name for name in proposal.evidence.caught if not name.startswith("volume_change"))
    # What merely moves with its batch, and is bounded on one side, is on other days, too.
    belongs = bool(proposal.constraint.transform.part) and None not in (proposal.constraint.lower, proposal.constraint.upper)
    issues = ((TWICE, proposal.constraint.unique), (OTHER_DAY, belongs))
    rank = PLAIN if by_nature else _rank(proposal.constraint)
    known = kinds.get(proposal.constraint.column)
    told = proposal.constraint
    if known is not None and known.kind == "free text" and isinstance(told, PatternConstraint) and told.origin == "corpus":
        # What people write has no form that a person would name, but for what its words are written in.
        rank = rank if told.pattern.kind == "type" else HARD
    made = LeanRule(proposal, rank, caught | {name for name, does in issues if does}, nature=by_nature)
    return _as_key(made) if known is not None and known.kind == "batch key" else made


def _as_key(rule: LeanRule) -> LeanRule:
    """Of a date that is its batch's in all rows: what still names that date, with a blank behind it, is no other."""
    if not rule.constraint.transform.part:
        return rule
    return replace(rule, caught=rule.caught | {name for name in rule.proposal.evidence.tried if name.startswith("padding")})


def _by_nature(constraint: Constraint, kinds: Mapping[str, KnownKind]) -> bool:
    """Whether it bounds an extreme by what such values can be at all: the last minute of an hour, 0 for what was never negative."""
    metric, kind = declaration_of(constraint.metric, constraint.kind), kind_of(kinds.get(constraint.column))
    if metric is None or kind is None or constraint.transform.relative or constraint.measure.key:
        return False
    if in_no_unit(kind) and metric.extreme in ("least", "greatest"):
        # Numbers that name rows have an end where one more digit, or a sign, begins.
        return True
    if metric.extreme == "least":
        # That all are above 0 is told by the history.
        return not constraint.strict and (constraint.lower == kind.lowest or (constraint.lower == 0 and constraint.origin == "history"))
    return metric.extreme == "greatest" and constraint.upper == kind.highest


def _rank(constraint: Constraint) -> int:
    if isinstance(constraint, PatternConstraint):
        # A set that the history closed is what people know of a column; a list of one batch is what happened to be there.
        # So is that values are of a type: "small letters" beside "of the type boolean" says nothing more.
        return PLAIN if constraint.origin in ("corpus", "values") or constraint.pattern.kind == "type" else LIST
    declared = declaration_of(constraint.metric, constraint.kind)
    if declared is None or (declared.two_distribution and not declared.by_key):
        return DISTANCE
    if constraint.transform.lag:
        return HARD
    fixed = constraint.lower is not None and constraint.lower == constraint.upper
    if declared.plain == "always" and declared.unit != "characters":
        return PLAIN
    # That nothing is null is plainer than how many different values there are, which falls where some are.
    return LENGTH if fixed or declared.plain == "always" else HARD
