"""Columns that are equal, a constant apart, or null together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from avh_ui.constraints.constraint import number
from avh_ui.constraints.sql_text import literal, quoted
from avh_ui.inference.by_relation.cells import Cells, Mask, Mined
from avh_ui.inference.by_relation.relation import Relation, numbers, reckoned, unless_null, written

# A share of nulls below it, or as near to all rows, says little of when both are null.
_SOME_NULLS = 0.005


def equal(mined: Mined) -> list[Relation]:
    """For each class of equal columns its first one with each of the others."""
    found, taken = [], set[str]()
    for place, name in enumerate(mined.varied):
        if name in taken:
            continue
        ours = mined.cells[name]
        for other in mined.varied[place + 1 :]:
            theirs = mined.cells[other]
            if other in taken or (ours.form, ours.written) != (theirs.form, theirs.written):
                continue
            both = ~ours.null & ~theirs.null
            if both.any() and not np.any(both & (ours.keys != theirs.keys)):
                taken.add(other)
                found.append(_equal(mined, name, other))
    return found


def _equal(mined: Mined, one: str, other: str) -> Relation:
    def keeps(cells: Mapping[str, Cells]) -> Mask:
        return np.asarray(cells[one].keys == cells[other].keys)

    condition = unless_null((one, other), f"{written(mined, one)} = {written(mined, other)}")
    return Relation("equal", (one, other), f"{one} equals {other}", condition, keeps)


def apart(mined: Mined, without: set[str]) -> Iterator[Relation]:
    """Whole numbers that are a constant apart: the first of each such class with each of the others."""
    names = [name for name in mined.numeric if name not in without and mined.places[name] == 0]
    taken = set[str]()
    for place, name in enumerate(names):
        if name in taken or place + 1 == len(names):
            continue
        others = [other for other in names[place + 1 :] if other not in taken]
        distances = np.stack([mined.numbers(other) for other in others] or [np.empty(mined.rows)]) - mined.numbers(name)
        for other, distance in zip(others, distances, strict=False):
            known = distance[~np.isnan(distance)]
            if len(known) and known[0] and np.all(known == known[0]):
                taken.add(other)
                yield _apart(mined, other, name, float(known[0]))


def _apart(mined: Mined, one: str, other: str, distance: float) -> Relation:
    def keeps(cells: Mapping[str, Cells]) -> Mask:
        return np.asarray(numbers(cells, one) - numbers(cells, other) == distance)

    said = f"{one} is {other} {'plus' if distance > 0 else 'minus'} {number(abs(distance))}"
    condition = f"{reckoned(mined, one)} - {reckoned(mined, other)} = {literal(int(distance))}"
    return Relation("difference", (one, other), said, unless_null((one, other), condition), keeps)


def null_together(mined: Mined) -> Iterator[Relation]:
    """Each class of columns that are null in the same rows."""
    classes: dict[bytes, list[str]] = {}
    for name, cells in mined.cells.items():
        share = float(cells.null.mean()) if mined.rows else 0.0
        if _SOME_NULLS < share < 1 - _SOME_NULLS:
            classes.setdefault(cells.null.tobytes(), []).append(name)
    yield from (_null_together(tuple(names)) for names in classes.values() if len(names) > 1)


def _null_together(names: tuple[str, ...]) -> Relation:
    def keeps(cells: Mapping[str, Cells]) -> Mask:
        nulls = np.stack([cells[name].null for name in names])
        return np.asarray(nulls.all(axis=0) | ~nulls.any(axis=0))

    missing, there = (" AND ".join(f"{quoted(name)} IS {word}" for name in names) for word in ("NULL", "NOT NULL"))
    said = f"{', '.join(names[:-1])} and {names[-1]} are null in the same rows"
    return Relation("nulls", names, said, f"({missing}) OR ({there})", keeps, of_nulls=True)
