"""Texts that join two others: a full name is the first one, a blank and the last one. Whole numbers are joined as they are written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, permutations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.constraints.sql_text import literal, quoted
from avh_ui.inference.by_relation.cells import LARGEST, Cells, Floats, Mask, Mined
from avh_ui.inference.by_relation.relation import FormError, Relation, unless_null, written
from avh_ui.inference.by_relation.screening import FIRST
from avh_ui.metrics.sampled_values import LONGEST

# What stands between two texts has so many bytes at most: a comma and a blank, or a dash between blanks.
_BETWEEN = 3
# Of more columns the first so many are looked at, those of texts before numbers: all threes of 60 take 0.06 seconds.
_MOST, _TWO = 60, 2


def joins(mined: Mined, without: set[str]) -> Iterator[Relation]:
    """Each column of texts that joins two others in all rows, the first of these that it joins. One of the two may have one value, such as
    the number of the only shop, where something stands between them.
    """
    able = {name: cells for name, cells in mined.cells.items() if name not in without and not cells.null.all()}
    names = [name for is_one in (_whole, _counts) for name, cells in able.items() if is_one(cells)][:_MOST]
    varied = {*mined.varied}
    if len(names) <= _TWO:
        return
    sizes = np.stack([_sizes(mined.cells[name]) for name in names])
    for at, name in enumerate(names):
        if name not in varied or mined.cells[name].form != "text":
            continue
        for one, other in chain.from_iterable(permutations(pair) for pair in _pairs(sizes, at)):
            between = _between(mined, (name, names[one], names[other]))
            if between is not None and (between or {names[one], names[other]} <= varied):
                yield _relation(mined, (name, names[one], names[other]), between)
                break


def _pairs(sizes: Floats, at: int) -> list[list[int]]:
    """Which pairs of columns together are shorter than that one `at` a place, by as many bytes in each row: few are in the first rows."""
    first = sizes[:, :FIRST]
    left = np.argwhere(np.triu(_alike(first[at] - first[:, None] - first[None]), 1)).tolist()
    return [pair for pair in left if at not in pair and _alike(sizes[at] - sizes[pair[0]] - sizes[pair[1]])]


def _alike(left: Floats) -> Mask:
    least, most = (end.reduce(left, axis=-1, initial=np.nan) for end in (np.fmin, np.fmax))
    return np.asarray((least == most) & (least >= 0) & (least <= _BETWEEN))


def _whole(cells: Cells) -> bool:
    """Whether it has texts, of which none is kept as its beginning alone."""
    if cells.form != "text" or cells.values is None or cells.values.counts[0]:
        return False
    longest = pc.max(pc.binary_length(cells.values.own[1])).as_py()
    return longest is not None and longest <= LONGEST


def _counts(cells: Cells) -> bool:
    """Whether it has whole numbers alone."""
    if cells.form != "number" or cells.numbers is None:
        return False
    there = cells.numbers[~cells.null]
    return bool(len(there) and np.isfinite(there).all() and np.all(there == np.trunc(there)))


def _sizes(cells: Cells) -> Floats:
    """How many bytes each text has; NaN where there is none."""
    return np.asarray(pc.cast(pc.binary_length(_texts(cells)), pa.float64()).fill_null(np.nan).to_numpy(zero_copy_only=False))


def _between(mined: Mined, names: tuple[str, str, str]) -> str | None:
    """What stands between two texts in the one that joins them; None where it does not."""
    at = int(np.flatnonzero(mined.there(*names))[0])
    first, one, other = (_texts(mined.cells[name])[at].as_py() for name in names)
    between = first[len(one) : len(first) - len(other)].decode("utf-8", "replace")
    told = _relation(mined, names, between).told(mined.cells)
    return between if told is not None and not told[1].any() else None


def _texts(cells: Cells) -> pa.Array:
    """As texts, whole numbers as SQL writes them; `FormError` of what is neither."""
    if cells.form == "number" and cells.numbers is not None:
        whole = np.where(np.abs(cells.numbers) < LARGEST, cells.numbers, np.nan)
        numbers = pa.array(np.nan_to_num(np.trunc(whole)).astype(np.int64), mask=cells.null | np.isnan(whole))
        return pc.cast(pc.cast(numbers, pa.string()), pa.binary())
    if cells.values is None:
        raise FormError
    codes, distinct = cells.values.own
    return distinct.take(pa.array(np.where(cells.null, -1, codes), mask=cells.null | (codes < 0)))


def _written(mined: Mined, name: str) -> str:
    """A column as the text that is joined, in SQL."""
    cells = mined.cells[name]
    if cells.form == "text":
        return quoted(name)
    return f"cast({quoted(name) if cells.integral else f'cast({written(mined, name)} AS BIGINT)'} AS STRING)"


def _relation(mined: Mined, names: tuple[str, str, str], between: str) -> Relation:
    name, one, other = names

    def keeps(cells: Mapping[str, Cells]) -> Mask:
        whole, first, last = (_texts(cells[each]) for each in names)
        made = pc.binary_join_element_wise(first, last, pa.scalar(between.encode(), pa.binary()))
        return np.asarray(pc.fill_null(pc.equal(whole, made), False).to_numpy(zero_copy_only=False))

    parts = [_written(mined, one), *([literal(between)] if between else []), _written(mined, other)]
    with_what = f"with {literal(between)} between them" if between else "one after the other"
    said = f"{name} is {one} and {other}, {with_what}"
    return Relation("joined", names, said, unless_null(names, f"{quoted(name)} = concat({', '.join(parts)})"), keeps)
