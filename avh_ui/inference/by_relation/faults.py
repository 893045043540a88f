"""D(C) for relations: faults of a column that the others of its row give away, tried on rows of the latest batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_relation.cells import Cells, SampledRows
from avh_ui.inference.by_relation.relation import Relation
from avh_ui.metrics.column import Floats

Bits = NDArray[np.bool_]
# Shares of the rows that a fault is of, beside one row.
_SHARES = (0.02, 0.1, 0.5)
# Named as the faults of rows matched by key, so that it is seen which of them a relation notices, too.
_SPOILERS: Mapping[str, Callable[[Floats], Floats]] = {
    "zero": np.zeros_like,
    "tenfold": lambda numbers: numbers * 10,
    "tenth": lambda numbers: numbers / 10,
    "turned": np.negative,
    "back": lambda numbers: numbers - np.maximum(1, np.round(np.abs(numbers) * 0.02)),
}
# How faults of rows that come twice begin.
TWICE = "twice:"
# Rows that faults are tried on: 2 % of them are 20.
TRIED = 1_000


def tried(relations: Sequence[Relation], rows: SampledRows, seed: int) -> tuple[tuple[str, ...], Bits]:
    """The names of the faults, and which relation is broken by which, shape (relations, faults)."""
    rng = np.random.default_rng(seed)
    if rows.count > TRIED:
        rows = rows.take(np.sort(rng.permutation(rows.count)[:TRIED]))
    known = [relation.told(rows.cells) for relation in relations]
    before = [0 if told is None else int(told[1].sum()) for told in known]
    names, caught = [], []
    columns = dict.fromkeys(name for relation in relations for name in relation.columns if name in rows.cells)
    for column in columns:
        others = [r for r in relations if column in r.columns]
        beside = dict.fromkeys(name for r in others for name in r.columns if name != column and name in rows.cells)
        for fault, spoiled in _faults(column, list(beside), rows, rng):
            names.append(f"{column} {fault}")
            caught.append([_touched(r, rows, spoiled) and _broken(r, spoiled) > b for r, b in zip(relations, before, strict=True)])
    if any(relation.of_twins for relation in relations):
        for share in _SHARES:
            again = rng.permutation(rows.count)[: max(1, round(share * rows.count))]
            names.append(f"{TWICE}{share:g}")
            spoiled = rows.take(np.concatenate([np.arange(rows.count), again]))
            caught.append([_broken(r, spoiled) > max(b, r.passing * spoiled.count) for r, b in zip(relations, before, strict=True)])
    return tuple(names), np.array(caught, dtype=bool).reshape(len(names), len(relations)).T


def _touched(relation: Relation, rows: SampledRows, spoiled: SampledRows) -> bool:
    """Whether any of its columns is another; most faults are of columns that a relation is not of."""
    return any(name in rows.cells and spoiled.cells[name] is not rows.cells[name] for name in relation.columns)


def _broken(relation: Relation, rows: SampledRows) -> int:
    told = relation.told(rows.cells)
    return 0 if told is None else int(told[1].sum())


def _faults(column: str, beside: Sequence[str], rows: SampledRows, rng: np.random.Generator) -> Iterator[tuple[str, SampledRows]]:
    cells = rows.cells[column]
    every, there = np.arange(rows.count), np.flatnonzero(~cells.null)
    rng.shuffle(there)
    if not len(there):
        return
    if len(there) > 1:
        yield "shifted", rows.placed(column, cells.take(np.roll(every, 1)))
    for other in beside:
        if rows.cells[other].form == cells.form:
            yield f"exchanged with {other}", rows.placed(column, rows.cells[other]).placed(other, cells)
    for name, some in _some(there):
        if len(some) > 1:
            places = every.copy()
            places[some] = np.roll(some, 1)
            yield f"exchanged:{name}", rows.placed(column, cells.take(places))
        yield f"emptied:{name}", rows.placed(column, cells.emptied(some))
        if cells.form == "number":
            for fault, to in _SPOILERS.items():
                yield f"{fault}:{name}", rows.placed(column, _spoiled(cells, some, to))


def _some(places: NDArray[np.int64]) -> Iterator[tuple[str, NDArray[np.int64]]]:
    yield "one", places[:1]
    for share in _SHARES:
        if share * len(places) >= 2:
            yield f"{share:g}", places[: round(share * len(places))]


def _spoiled(cells: Cells, places: NDArray[np.int64], to: Callable[[Floats], Floats]) -> Cells:
    assert cells.numbers is not None
    found = cells.numbers.copy()
    found[places] = to(found[places])
    return cells.with_numbers(found)
