"""Which value goes with which: the currency of each country, the region of each shop.

That a column determines another one holds within a batch, and also where a value is another one in all its rows: with Swiss francs as
euros a country still had one currency. Where the values are few and each went with the same one in all batches, these are what is held.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from avh_ui.constraints.sql_text import literal, quoted
from avh_ui.inference.by_relation.cells import Cells, Form, Mask, Mined
from avh_ui.inference.by_relation.relation import FormError, Relation, unless_null, written
from avh_ui.inference.by_relation.sides import LEAST_ROWS, Value, Valued, among, valued, words_of

# A sentence of more pairs is not read to its end.
_TOLD = 4


@dataclass(frozen=True)
class _Map:
    """By key of `by` the key of the value of `other` that goes with it, and both values as they read; columns are of these forms."""

    by: str
    other: str
    forms: tuple[Form, Form]
    keys: Mapping[int, int]
    values: Mapping[int, tuple[Value, Value]]


def mapped(mined: Mined, found: Iterable[Relation]) -> list[Relation]:
    """The dependencies, those of one column with few values on another as the pairs that they are."""
    relations = list(found)
    names = {name for relation in relations if _of_one(relation) for name in relation.columns}
    few = {one.of: one for one in valued(mined, [name for name in mined.varied if name in names]) if not one.split}
    made = []
    for relation in relations:
        by, other = (few.get(name) for name in relation.columns[:2]) if _of_one(relation) else (None, None)
        known = _map(mined, by, other) if by is not None and other is not None else None
        made.append(relation if known is None else _relation(mined, known))
    return made


def _of_one(relation: Relation) -> bool:
    return relation.family == "determined" and len(relation.columns) == 2


def _map(mined: Mined, by: Valued, other: Valued) -> _Map | None:
    """The pairs; None where a value has several in one batch and another, is too rare to tell, or is not known by name."""
    there = mined.there(by.of, other.of)
    keys: dict[int, int] = {}
    pairs, counts = np.unique(np.stack([by.keys[there], other.keys[there]]), axis=1, return_counts=True)
    for key, own, count in zip(*pairs.tolist(), counts.tolist(), strict=True):
        if key in keys or key not in by.values or own not in other.values or count < LEAST_ROWS:
            return None
        keys[key] = own
    values = {key: (by.values[key], other.values[own]) for key, own in keys.items()}
    forms = mined.cells[by.of].form, mined.cells[other.of].form
    return _Map(by.of, other.of, forms, keys, values) if keys else None


def _relation(mined: Mined, known: _Map) -> Relation:
    ours, theirs = (np.array(list(side), dtype=np.uint64) for side in (known.keys, known.keys.values()))
    order = np.argsort(ours)
    ours, theirs = ours[order], theirs[order]

    def keeps(cells: Mapping[str, Cells]) -> Mask:
        for name, form in zip((known.by, known.other), known.forms, strict=True):
            if cells[name].form != form and not cells[name].null.all():
                raise FormError(name)
        place = np.minimum(np.searchsorted(ours, cells[known.by].keys), len(ours) - 1)
        kept = (theirs[place] == cells[known.other].keys) & ~cells[known.other].null
        return np.asarray(kept | (ours[place] != cells[known.by].keys) | cells[known.by].null)

    by, other = written(mined, known.by), written(mined, known.other)
    groups = _groups(known)
    name = quoted(known.other)
    # Null is another value: beside those that go with none there is none to keep.
    condition = " AND ".join(f"(NOT ({among(by, keys)}) OR ({name} IS NOT NULL AND {other} = {literal(value)}))" for value, keys in groups)
    columns = known.by, known.other
    return Relation("mapped", columns, _says(known, groups), unless_null(columns[:1], condition), keeps, of_nulls=True)


_Groups = list[tuple[Value, tuple[Value, ...]]]


def _groups(known: _Map) -> _Groups:
    """Each value of the other column with those that it goes with, the one with most of them first."""
    ordered = sorted(known.values.values(), key=lambda pair: (str(pair[1]), isinstance(pair[0], str), pair[0]))
    found = [(value, tuple(by for by, _ in pairs)) for value, pairs in groupby(ordered, key=lambda pair: pair[1])]
    return sorted(found, key=lambda group: -len(group[1]))


def _says(known: _Map, groups: _Groups) -> str:
    """`currency is EUR where country is AT, DE or FR, CHF where it is CH`."""
    told = [f"{words_of((value,))} where {'it' if k else known.by} is {words_of(keys)}" for k, (value, keys) in enumerate(groups[:_TOLD])]
    more = len(groups) - len(told)
    return f"{known.other} is {', '.join(told)}" + (f", and {more} more such" if more else "")
