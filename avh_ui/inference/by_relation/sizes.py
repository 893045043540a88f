"""How long a text is where another column says so: the postcodes of each country, the numbers of each kind of document.

A column of several lengths has a pattern that takes any of them: postcodes cut to four characters kept it where some countries have four.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from avh_ui.constraints.sql_text import quoted
from avh_ui.inference.by_relation.cells import MOST_NAMES, Cells, Mask, Mined
from avh_ui.inference.by_relation.relation import FormError, Relation, unless_null, written
from avh_ui.inference.by_relation.sides import ASIDE, LEAST_ROWS, Value, Valued, among, valued, words_of

# So many lengths are told of in a sentence, and of more nobody says that they are the form of a text.
_LENGTHS = 5


def sized(mined: Mined) -> Iterator[Relation]:
    """For each column of many texts and several lengths the column of few values that says which, the one with the fewest of them."""
    many = [name for name in mined.varied if len(np.unique(mined.cells[name].keys)) > MOST_NAMES and _of_few_lengths(mined.cells[name])]
    few = sorted((one for one in valued(mined, mined.varied) if not one.split), key=lambda one: len(one.values)) if many else []
    for name in many:
        told = (_lengths(mined, one, name) for one in few if one.of != name)
        found = next((lengths for lengths in told if lengths), None)
        if found is not None:
            yield _relation(mined, *found, name)


def _of_few_lengths(cells: Cells) -> bool:
    return cells.sizes is not None and 1 < len(np.unique(cells.sizes[cells.sizes >= 0])) <= _LENGTHS


def _lengths(mined: Mined, by: Valued, other: str) -> tuple[Valued, dict[int, int]] | None:
    """By key of `by` the one length that the texts beside it have; None where some have several, or all have one. Rare values are left
    aside, where they are few.
    """
    cells, there = mined.cells[other], mined.there(by.of, other)
    assert cells.sizes is not None
    pairs, counts = np.unique(np.stack([by.keys[there], cells.sizes[there].astype(np.uint64)]), axis=1, return_counts=True)
    lengths: dict[int, int] = {}
    left = 0
    for key, size, count in zip(*pairs.tolist(), counts.tolist(), strict=True):
        if key in lengths:
            return None
        if count < LEAST_ROWS or key not in by.values:
            left += count
            continue
        lengths[key] = size
    if left > ASIDE * there.sum() or len({*lengths.values()}) < 2:
        return None
    return by, lengths


def _relation(mined: Mined, by: Valued, lengths: Mapping[int, int], other: str) -> Relation:
    keys = np.array(sorted(lengths), dtype=np.uint64)
    sizes = np.array([lengths[key] for key in keys.tolist()], dtype=np.int64)
    form = mined.cells[by.of].form

    def keeps(cells: Mapping[str, Cells]) -> Mask:
        its, own = cells[by.of], cells[other].sizes
        if own is None or (its.form != form and not its.null.all()):
            raise FormError(other)
        place = np.minimum(np.searchsorted(keys, its.keys), len(keys) - 1)
        return np.asarray((keys[place] != its.keys) | (sizes[place] == own))

    groups: dict[int, tuple[Value, ...]] = {}
    for size in sorted({*lengths.values()}, key=lambda size: (-sum(own == size for own in lengths.values()), size)):
        values = [by.values[key] for key, own in lengths.items() if own == size]
        groups[size] = tuple(sorted(values, key=lambda value: (isinstance(value, str), value)))
    named = written(mined, by.of)
    condition = " AND ".join(f"(NOT ({among(named, values)}) OR length({quoted(other)}) = {size})" for size, values in groups.items())
    where = [f"where {'it' if k else by.of} is {words_of(values)}" for k, values in enumerate(groups.values())]
    first, *more = groups
    says = ", ".join((f"{other} has {first} characters {where[0]}", *(f"{size} {one}" for size, one in zip(more, where[1:], strict=True))))
    return Relation("sized", (by.of, other), says, unless_null((by.of, other), condition), keeps)
