"""Triage: a draft's suggestions in four piles, and in each the rules of one meaning together. Pure functions.

- `safe`: facts (every row, no row, one value) that never broke, are not dear, and notice faults that no other suggestion notices;
- `eyes`: the rest that holds, ranked by the false alarms that it may give and by what only it notices;
- `redundant`: what it notices is noticed by others, or somebody states as much;
- `doubtful`: it broke in the history, costs more than its column's budget, is a guess, or notices nothing.

A group is one decision: rules of one meaning, or the safe facts of one column. What stands decided changes no pile, but for redundancy:
what was rejected covers nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import noticed_at, places_of
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.reading import Reader, declaration_of, same
from avh_ui.review.decision import Action, Reason
from avh_ui.review.draft import Draft, DraftItem
from avh_ui.review.meaning import few, of_several, subject
from avh_ui.review.pile_reasons import doubt_of, often, only_noticed, only_together, risk_of, rows_are_dear
from avh_ui.review.plain import plain
from avh_ui.review.stated import stated_as_much

Pile = Literal["safe", "eyes", "redundant", "doubtful"]
PILES: tuple[Pile, ...] = get_args(Pile)
NAMES: dict[Pile, str] = {"safe": "Safe together", "eyes": "Needs your eyes", "redundant": "Redundant", "doubtful": "Doubtful"}
# What a pile is decided by as a whole; nothing where each group wants a look.
DEEDS: dict[Pile, tuple[Action, Reason | None]] = {"safe": ("accept", None), "redundant": ("reject", "duplicate")}
# A fact that held in n batches breaks in the next about once in n + 2 (rule of succession): below 30, once a month of a daily table.
LEAST_BATCHES = 30
# False alarms a year from which on people are bothered, and from which on they will remember; below, one in ten years is none.
_RISKS = (1.0, 0.1)
# A sentence is read in 5 seconds (some 15 words at 200 a minute); one that needs eyes has a chart and its figures to look at too, and
# what is doubtful has to be weighed. With these the demo's 107 suggestions take about the 10 minutes that a review may last.
_SECONDS: dict[Pile, float] = {"safe": 5.0, "eyes": 20.0, "redundant": 5.0, "doubtful": 40.0}


@dataclass(frozen=True)
class Placed:
    """A suggestion with its pile and `why` it is there, in a sentence; `alarms` are the false ones that it may give a year."""

    item: DraftItem
    pile: Pile
    why: str
    alarms: float

    @property
    def only(self) -> int:
        """How many of the faults that were tried no other suggestion notices."""
        return len(self.item.suggestion.evidence.only_caught)


@dataclass(frozen=True)
class PileGroup:
    """Suggestions of a pile that mean the same, over columns and tables, or facts of one column: one decision. `label` says all of them."""

    pile: Pile
    meant: str
    label: str
    members: tuple[Placed, ...]

    @property
    def items(self) -> tuple[DraftItem, ...]:
        """The suggestions."""
        return tuple(member.item for member in self.members)

    @property
    def open(self) -> bool:
        """Whether anything of it is pending."""
        return any(item.status == "pending" for item in self.items)

    @property
    def why(self) -> str:
        """Why it is where it is, in a sentence about all of them."""
        if len(self.members) == 1:
            return self.members[0].why
        names = few(_subject(one.item, " + ") for one in self.members)
        only = only_together(sum(one.only for one in self.members))
        # That facts held in every batch is said of their pile, once.
        if self.pile == "safe":
            said = f"{only[:1].upper()}{only[1:]}."
        elif self.pile == "eyes":
            said = f"May alarm falsely {often(sum(one.alarms for one in self.members))}; {only}."
        else:
            said = f"{self.members[0].why} And {len(self.members) - 1} more."
        return f"{names}: {said[:1].lower()}{said[1:]}" if names else said


@dataclass(frozen=True)
class Triage:
    """All piles, the groups of each in the order in which they are to be looked at."""

    groups: tuple[PileGroup, ...]

    def pile(self, name: Pile) -> tuple[PileGroup, ...]:
        """The groups of a pile."""
        return tuple(group for group in self.groups if group.pile == name)

    def items(self, name: Pile) -> list[DraftItem]:
        """The suggestions of a pile."""
        return [item for group in self.pile(name) for item in group.items]

    @cached_property
    def placed(self) -> dict[str, Placed]:
        """Where each suggestion is, by its id; of several tables ask each by itself, since ids are a table's."""
        return {member.item.suggestion.id: member for group in self.groups for member in group.members}

    @cached_property
    def _steps(self) -> tuple[tuple[PileGroup, ...], ...]:
        """What is decided at once: a pile that has a deed as a whole, else a group."""
        whole = [self.pile(name) for name in DEEDS]
        return (*filter(None, whole), *((group,) for group in self.groups if group.pile not in DEEDS))

    @property
    def decisions(self) -> int:
        """How many decisions it takes in all."""
        return len(self._steps)

    @property
    def left(self) -> int:
        """How many of them are left."""
        return sum(any(group.open for group in step) for step in self._steps)

    @property
    def decided(self) -> int:
        """How many groups are decided, one by one or with their pile: of steps of whole piles the first of many would not show."""
        return sum(not group.open for group in self.groups)

    @property
    def minutes(self) -> float:
        """About how long these take: every group is read."""
        return sum(_SECONDS[group.pile] for group in self.groups if group.open) / 60

    @property
    def progress(self) -> str:
        """How far it is, in words."""
        if not self.left:
            return "everything is decided"
        return f"{self.decided} of {len(self.groups)} groups decided · about {max(1, round(self.minutes))} min left"


def triage(draft: Draft, per_year: float) -> Triage:
    """The piles of a draft; `per_year` is how many batches of the table come in a year."""
    return _grouped(_placed(draft, per_year))


def over_tables(each: Iterable[Triage]) -> Triage:
    """Those of several tables as one: what means the same in all of them is one group."""
    return _grouped(member for one in each for group in one.groups for member in group.members)


def _grouped(placed: Iterable[Placed]) -> Triage:
    groups: dict[tuple[Pile, str], list[Placed]] = {}
    for one in placed:
        groups.setdefault((one.pile, one.item.suggestion.meaning), []).append(one)
    made = [_group(pile, meant, members) for (pile, meant), members in groups.items()]
    return Triage(tuple(sorted(_by_column(made), key=lambda group: (PILES.index(group.pile), *_rank(group.members)))))


def _group(pile: Pile, meant: str, members: Iterable[Placed]) -> PileGroup:
    ranked = tuple(sorted(members, key=lambda one: _rank([one])))
    names = [column for _, column in dict.fromkeys((one.item.suggestion.pipeline, _subject(one.item)) for one in ranked)]
    label = plain(ranked[0].item.current) if len(ranked) == 1 else f"{of_several(meant, names)}."
    return PileGroup(pile, meant, label, ranked)


def _by_column(groups: Iterable[PileGroup]) -> list[PileGroup]:
    """The groups, but facts of one column that no other column shares as one: who knows the column decides on them at once."""
    found: list[PileGroup] = []
    facts: dict[tuple[str, str], list[Placed]] = {}
    for group in groups:
        if group.pile != "safe" or len(group.members) > 1:
            found.append(group)
            continue
        item = group.items[0]
        facts.setdefault((item.suggestion.pipeline, _subject(item)), []).append(group.members[0])
    for members in facts.values():
        ranked = tuple(sorted(members, key=lambda one: _rank([one])))
        meant = " ".join(one.item.suggestion.meaning for one in ranked)
        found.append(PileGroup("safe", meant, " ".join(plain(one.item.current) for one in ranked), ranked))
    return found


def _subject(item: DraftItem, joint: str = ", ") -> str:
    return subject(item.suggestion.constraint, item.suggestion.evidence, joint)


def _rank(members: Sequence[Placed]) -> tuple[int, int]:
    """First what may give the most false alarms, by its order of magnitude, then what notices the most that nothing else does."""
    alarms = max(one.alarms for one in members)
    return sum(alarms < limit for limit in _RISKS), -sum(one.only for one in members)


def _placed(draft: Draft, per_year: float) -> list[Placed]:
    covered = _covered(draft)
    found = []
    for item in draft.items:
        constraint, evidence = item.suggestion.constraint, item.suggestion.evidence
        alarms = constraint.fpr * per_year
        doubt = doubt_of(item, draft.run.fpr, alarms)
        if doubt:
            found.append(Placed(item, "doubtful", doubt, alarms))
        elif (said := stated_as_much(draft, item)) is not None:
            found.append(Placed(item, "redundant", f"Somebody states as much: {plain(said)}", alarms))
        elif item.suggestion.id in covered:
            by = " ".join(plain(other.current) for other in covered[item.suggestion.id])
            found.append(Placed(item, "redundant", f"{_all_noticed(len(evidence.caught))} noticed by: {by}", alarms))
        elif _never_broke(item) and is_fact(constraint) and evidence.only_caught and not rows_are_dear(item, draft.run.fpr):
            held = evidence.backtest.judged if evidence.backtest else 0
            found.append(Placed(item, "safe", f"Held in all {held:,} batches; {only_noticed(item)}.", alarms))
        else:
            found.append(Placed(item, "eyes", risk_of(item, alarms), alarms))
    return found


def is_fact(constraint: Constraint) -> bool:
    """Whether a rule says all or nothing: every row, no row, one value, what the date says, what columns keep together.

    A number that merely stood still (always 149 rows) is none: it may change for a good reason.
    """
    if constraint.origin == "relation":
        return True
    if constraint.worded or isinstance(constraint, PatternConstraint):
        return False
    lower, upper = constraint.lower, constraint.upper
    if constraint.transform.part:
        return same(lower, upper)
    declared = declaration_of(constraint.metric, constraint.kind)
    if declared is None or not constraint.transform.is_identity or constraint.outside or constraint.strategy is not None:
        return False
    reader = Reader.of(constraint)
    lowest = upper is not None and upper == reader.lowest
    highest = lower is not None and lower == reader.highest
    return lowest or highest or (same(lower, upper) and lower == 1 and not declared.volume)


def _all_noticed(faults: int) -> str:
    return "The one fault that it notices is" if faults == 1 else f"All {faults} faults that it notices are"


def _never_broke(item: DraftItem) -> bool:
    record = item.suggestion.evidence.backtest
    return record is not None and record.judged >= LEAST_BATCHES and not record.fired


def _covered(draft: Draft) -> dict[str, tuple[DraftItem, ...]]:
    """By the id of each suggestion that others make superfluous, these others: of two that notice the same the later one is.

    What is rejected covers nothing, and neither does a doubtful one.
    """
    found: dict[str, tuple[DraftItem, ...]] = {}
    columns: dict[str, list[DraftItem]] = {}
    for item in draft.items:
        for place in places_of(item.suggestion.constraint, item.suggestion.evidence):
            columns.setdefault(place, []).append(item)
    for place, items in columns.items():
        kept = [i for i in items if i.status != "rejected" and not doubt_of(i, draft.run.fpr, 0.0)]
        for item in sorted(items, key=lambda i: (len(i.suggestion.caught), -items.index(i))):
            # Of several columns one that is noticed otherwise makes it superfluous of none of the others.
            if item.suggestion.only_caught or not item.suggestion.caught or item.suggestion.constraint.of_each:
                continue
            others = [other for other in kept if other is not item and not (_closes(item) and _is_mix(other))]
            by = _enough(set(item.suggestion.caught), others, place)
            if by:
                found[item.suggestion.id] = by
                kept = others
    return found


def _closes(item: DraftItem) -> bool:
    """Whether it lists the values that there are, which an owner names before how they are mixed."""
    made = item.suggestion.constraint
    return isinstance(made, PatternConstraint) and made.origin == "values" and made.upper == 0


def _is_mix(item: DraftItem) -> bool:
    """Whether it says how far a column is from the batch before."""
    made = item.suggestion.constraint
    declared = declaration_of(made.metric, made.kind)
    return declared is not None and declared.two_distribution and not declared.by_key


def _enough(wanted: set[str], others: Sequence[DraftItem], place: str) -> tuple[DraftItem, ...]:
    """The fewest of the others, found greedily, that together notice all that is wanted; nothing where they do not."""
    chosen: list[DraftItem] = []
    noticed = [(other, {*noticed_at(other.suggestion.constraint, other.suggestion.caught, place)}) for other in others]
    while wanted and noticed:
        best, caught = max(noticed, key=lambda one: len(wanted & one[1]))
        if not wanted & caught:
            return ()
        chosen.append(best)
        wanted = wanted - caught
    return tuple(chosen) if not wanted else ()
