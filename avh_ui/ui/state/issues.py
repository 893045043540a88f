"""The synthetic issues as a table of type x magnitude: which one a constraint catches, and which only it catches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal

import pyarrow as pa

from avh_ui.constraints.evidence import noticed_at
from avh_ui.issues.variants import WITH_NULLS, synthetic_issues
from avh_ui.metrics.column import NUMBER_KINDS, TEXT_KINDS
from avh_ui.review.draft import DraftItem
from avh_ui.review.fault_words import fault_words

IssueMark = Literal["only", "caught", "missed"]


@dataclass(frozen=True)
class IssueRow:
    """One type of issue with its magnitudes in order of strength as declared, each with its mark."""

    type: str
    cells: tuple[tuple[str, IssueMark], ...]

    @property
    def caught(self) -> int:
        """How many of the magnitudes are caught."""
        return sum(mark != "missed" for _, mark in self.cells)


def issue_rows(item: DraftItem, siblings: Iterable[DraftItem] = ()) -> list[IssueRow]:
    """The table of one suggestion.

    What was tried is what its evidence names; without it, every issue declared for the kind of column and whatever
    the column's suggestions (`siblings`) catch: an issue that was left out since it changes nothing shows as missed then.
    """
    suggestion = item.suggestion
    if suggestion.constraint.of_each:
        return _by_column(item)
    caught, only = set(item.caught), set(item.only_caught)
    names = suggestion.evidence.tried or [*declared(suggestion.constraint.kind), *(n for s in siblings for n in s.suggestion.caught)]
    rows: dict[str, dict[str, IssueMark]] = {}
    for name in dict.fromkeys((*names, *suggestion.caught)):
        type_name, magnitude = split(name)
        mark: IssueMark = "only" if name in only else "caught" if name in caught else "missed"
        rows.setdefault(type_name, {})[magnitude] = mark
    return [IssueRow(words(name), tuple(cells.items())) for name, cells in rows.items()]


def _by_column(item: DraftItem) -> list[IssueRow]:
    """What a rule of several columns catches of each: all that was tried on every one of them nobody reads."""
    constraint, only = item.current, set(item.only_caught)
    rows = {column: noticed_at(item.suggestion.constraint, item.caught, column) for column in constraint.measure.columns}
    marks: dict[str, tuple[tuple[str, IssueMark], ...]] = {
        column: tuple((fault_words(own), "only" if name in only else "caught") for own, name in names.items())
        for column, names in rows.items()
    }
    return [IssueRow(column, cells) for column, cells in marks.items() if cells]


def split(name: str) -> tuple[str, str]:
    """A variant's name as type and magnitude: `unit_change x10 of 10%` is `unit_change` and `x10 of 10%`."""
    type_name, _, magnitude = name.partition(" ")
    return type_name, magnitude


def words(type_name: str) -> str:
    """`unit_change` as `Unit change`."""
    return type_name.replace("_", " ").capitalize()


@cache
def declared(kind: str) -> tuple[str, ...]:
    """The names of all issues for a kind of column, by making them of a column that every one of them changes."""
    if kind in NUMBER_KINDS:
        probe, neighbour = pa.array([1.25, 20.5, 300.75] * 40), pa.array([7.0, 8.0, 9.0] * 40)
    elif kind in TEXT_KINDS:
        probe, neighbour = pa.array(["Ab 12", "Cd 34", "Ef 56"] * 40), pa.array(["x", "y", "z"] * 40)
    else:
        return ()
    return tuple(issue.name for issue in synthetic_issues(probe, neighbour, magnitudes=WITH_NULLS))
