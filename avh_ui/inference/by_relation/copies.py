"""Columns that are equal, a constant apart, or null together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from avh_ui.constraints.constraint import number
from avh_ui.constraints.sql_text import literal, quoted
from avh_ui.inference.by_relation.cells import Cells, Mask, Mined
from avh_ui.inference.by_relation.relation import Relation, numbers, reckoned, unless_null, written
from avh_ui.inference.by_relation.screening import FIRST

# How relations of columns that are null together are called among the families.
TOGETHER: Final = "nulls"
# A share of nulls below it, or as near to all rows, says little of when both are null.
_SOME_NULLS = 0.005
# Columns of which fewer different rows are null, the same in all batches, have that in common by chance, but where their names share a word
# of so many letters: `fixed_line_pattern` and `fixed_line_example` belong together, `international_prefix` beside them does not.
_ROWS, _LETTERS = 10, 3
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def equal(mined: Mined) -> list[Relation]:
    """For each class of equal columns its first one with each of the others."""
    found, taken = [], set[str]()
    cells = [mined.cells[name] for name in mined.varied]
    keys, there = np.array([one.keys[:FIRST] for one in cells]), np.array([~one.null[:FIRST] for one in cells])
    for place, name in enumerate(mined.varied):
        if name in taken:
            continue
        ours = mined.cells[name]
        for other in (mined.varied[place + 1 + k] for k in _alike(keys[place:], there[place:])):
            theirs = mined.cells[other]
            if other in taken or (ours.form, ours.written) != (theirs.form, theirs.written):
                continue
            both = ~ours.null & ~theirs.null
            if both.any() and not np.any(both & (ours.keys != theirs.keys)):
                taken.add(other)
                found.append(_equal(mined, name, other))
    return found


def _alike(keys: NDArray[np.uint64], there: Mask) -> list[int]:
    """Which of the columns after the first one are nowhere other than it in these rows, both of shape (columns, rows)."""
    other = (keys[1:] != keys[0]) & there[1:] & there[0]
    return np.flatnonzero(~other.any(axis=1)).tolist()


def _equal(mined: Mined, one: str, other: str) -> Relation:
    def keeps(cells: Mapping[str, Cells]) -> Mask:
        return np.asarray(cells[one].keys == cells[other].keys)

    condition = unless_null((one, other), f"{written(mined, one)} = {written(mined, other)}")
    return Relation("equal", (one, other), f"{one} equals {other}", condition, keeps)


def apart(mined: Mined, without: set[str]) -> Iterator[Relation]:
    """Whole numbers that are a constant apart: the first of each such class with each of the others."""
    names = [name for name in mined.numeric if name not in without and mined.places[name] == 0]
    taken = set[str]()
    first = np.stack([mined.numbers(name)[:FIRST] for name in names] or [np.empty(0)])
    for place, name in enumerate(names):
        if name in taken or place + 1 == len(names):
            continue
        some = first[place + 1 :] - first[place]
        able = np.flatnonzero(~(np.fmin.reduce(some, axis=1) < np.fmax.reduce(some, axis=1)))
        for other in (names[place + 1 + k] for k in able.tolist()):
            distance = mined.numbers(other) - mined.numbers(name)
            known = distance[~np.isnan(distance)]
            if other not in taken and len(known) and known[0] and np.all(known == known[0]):
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
    for names in classes.values():
        null = mined.cells[names[0]].null
        # One week without six rates, delivered again and again, says nothing of other weeks.
        if len(names) > 1 and mined.different(null) > 1 and not (_same_few(mined, null) and _called_apart(names)):
            yield _null_together(tuple(names))


def _same_few(mined: Mined, null: Mask) -> bool:
    """Whether the same few rows are null, or have a value, in all batches: what two columns of a list have in common there is one thing of
    its rows, as of the one number that belongs to no region.
    """
    few = min(mined.different(null), mined.different(~null)) < _ROWS
    each = np.unique(np.bincount(mined.batch, weights=null))
    return few and len(each) == 1


def _called_apart(names: Sequence[str]) -> bool:
    """Whether no word of their names is the same."""
    words = [{word.lower() for word in _WORD.findall(name) if len(word) >= _LETTERS} for name in names]
    return not set.intersection(*words)


def _null_together(names: tuple[str, ...]) -> Relation:
    def keeps(cells: Mapping[str, Cells]) -> Mask:
        nulls = np.stack([cells[name].null for name in names])
        return np.asarray(nulls.all(axis=0) | ~nulls.any(axis=0))

    missing, there = (" AND ".join(f"{quoted(name)} IS {word}" for name in names) for word in ("NULL", "NOT NULL"))
    said = f"{', '.join(names[:-1])} and {names[-1]} are null in the same rows"
    return Relation(TOGETHER, names, said, f"({missing}) OR ({there})", keeps, of_nulls=True)
