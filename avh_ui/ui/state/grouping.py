"""Suggestions that can be decided together: of one column, of one metric over many columns, or with the same bounds of the same source."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from avh_ui.constraints.constraint import TABLE_PLACE, Constraint
from avh_ui.constraints.evidence import FromRelation, FromSnapshot, FromValues
from avh_ui.constraints.reading import Reader
from avh_ui.errors import ConstraintError
from avh_ui.metrics.declined import DeclinedError
from avh_ui.review.draft import DraftItem
from avh_ui.review.meaning import few
from avh_ui.review.plain import enforced
from avh_ui.ui.state.reading import count

# What comes before the key of a group where a suggestion's id may stand, too: ids are hexadecimal.
PREFIX = "group:"
MEANING = "meaning"
GROUPINGS: dict[str, str] = {
    "": "No groups", "column": "By column", "metric": "By metric", "evidence": "By evidence", MEANING: "By meaning",
}  # fmt: skip
# A cell has three lines, and one of them a name or two.
_IN_A_CELL = 4


@dataclass(frozen=True)
class QueueGroup:
    """Items that have something in common, in the order of the queue; `note` says of which columns, or why."""

    key: str
    label: str
    note: str
    items: tuple[DraftItem, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of its items."""
        return tuple(item.suggestion.id for item in self.items)

    def lines(self, *, headed: bool, opened: bool) -> tuple[str, ...]:
        """What the table shows of it: a line of its own, where it is `headed`, with its items below where it is `opened`."""
        return ((self.key,) if headed else ()) + (self.ids if opened or not headed else ())


class QueueGrouping:
    """Groups items again and again as they are decided; what takes long to say of an item is said once for each of its constraints."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Constraint, str]] = {}

    def groups(self, items: Iterable[DraftItem], by: str) -> list[QueueGroup]:
        """The groups in the order of their first items."""
        found: dict[str, list[DraftItem]] = {}
        label = self._evidence if by == "evidence" else _LABELS[by]
        for item in items:
            source = item.current.origin if by == "evidence" else ""
            found.setdefault(f"{PREFIX}{by}:{source}:{label(item)}", []).append(item)
        return [QueueGroup(key, label(members[0]), _note(members, by), tuple(members)) for key, members in found.items()]

    def _evidence(self, item: DraftItem) -> str:
        known = self._known.get(item.suggestion.id)
        if known is None or known[0] is not item.current:
            known = self._known[item.suggestion.id] = (item.current, _evidence(item))
        return known[1]

    def forget(self) -> None:
        """Of another pipeline nothing is known."""
        self._known.clear()


def place_of(item: DraftItem) -> str:
    """The column; the columns that keep something together, or that a rule of a person names: its sentence stands beside them."""
    return ", ".join(_columns(item)) or item.current.place


def named_shortly(item: DraftItem) -> str:
    """The place, where it is more columns than a cell of the table has lines for the first of them and how many there are."""
    columns = _columns(item) or item.current.measure.columns
    return few(columns) if len(columns) > _IN_A_CELL else place_of(item)


def _columns(item: DraftItem) -> tuple[str, ...]:
    """The columns that a rule is of, where its place does not say it."""
    constraint, evidence = item.current, item.suggestion.evidence
    if isinstance(evidence, FromRelation):
        return evidence.of
    measure = constraint.measure
    if not constraint.worded or measure.standard or constraint.of_table:
        return ()
    one = measure.parameter("column")
    return measure.columns or ((str(one),) if one else _named(str(measure.parameter("predicate") or ""))) or (TABLE_PLACE,)


@cache
def _named(condition: str) -> tuple[str, ...]:
    """The columns that a condition names, in the order in which they stand there."""
    from avh_ui.metrics.sql.parsing import columns_of

    try:
        names = [".".join(parts) for parts in columns_of(condition)] if condition else []
    except (DeclinedError, ConstraintError):
        return ()  # only Spark reads it
    return tuple(sorted(names, key=condition.find))


def called(constraint: Constraint) -> str:
    """The column of a rule, or the table; what is of no single column is called by its rule."""
    by_rule = constraint.worded and not constraint.measure.standard and not constraint.of_table
    return constraint.title if by_rule else constraint.place


def rule_of(item: DraftItem) -> str:
    """The rule that a suggestion from a snapshot, or of values, follows; '' of other sources."""
    evidence = item.suggestion.evidence
    return evidence.rule if isinstance(evidence, FromSnapshot | FromValues) else ""


def _metric(item: DraftItem) -> str:
    rule = rule_of(item)
    return f"{item.current.metric} · {rule}" if rule else item.current.metric


def _evidence(item: DraftItem) -> str:
    """What is enforced, by the same reason: metric, bounds as people read them, and what they are compared with."""
    constraint = item.current
    lag = constraint.transform.lag
    against = f" against {lag} before" if lag else ""
    return f"{_metric(item)} {enforced(constraint, Reader.of(constraint))}{against}"


_LABELS: dict[str, Callable[[DraftItem], str]] = {"column": place_of, "metric": _metric}


def _note(members: list[DraftItem], by: str) -> str:
    if by == "column":  # how many they are is counted beside its name, by their states
        return ""
    columns = list(dict.fromkeys(place_of(item) for item in members))
    return columns[0] if len(columns) == 1 else count(len(columns), "column")
