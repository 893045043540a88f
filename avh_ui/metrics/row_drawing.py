"""The rows of the smallest keys, and their values. What came with the rows that were drawn before is not looked at again: nine of ten
columns of a dimension table, which comes whole every day.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from avh_ui.metrics.column import Counts
from avh_ui.metrics.row_keys import Hashes, key_hashes
from avh_ui.metrics.rows import Name
from avh_ui.metrics.sampled_values import SampledValues
from avh_ui.metrics.values_of_rows import values_of_tables

# Most dimension tables are whole then, and a share of 1 % of larger ones is known to 0.16 points.
K = 4_096
# Of a table of few columns more keys are kept, as many as take the bytes of `K` keys with 20 columns.
CELLS = 20 * K
# Of larger batches the calls cost less than the values, and one more would be held.
_SMALL_BYTES = 4 * 1024**2

Given: TypeAlias = pa.Array | pa.ChunkedArray


@dataclass(frozen=True)
class Drawing:
    """How rows are drawn: the first `keys` of a need's columns are the key; texts of the columns `untyped` may be numbers; `hashed` keeps
    hashes in the place of texts.
    """

    keys: int
    k: int = K
    untyped: frozenset[str] = frozenset()
    hashed: bool = False


@dataclass(frozen=True)
class Keys:
    """The smallest keys: `hashes` of shape (m,) ascending, the place of a row that has each, how many have it (`counts`), whether there are
    `more`, and how many rows have a key at all.
    """

    hashes: Hashes
    places: NDArray[np.int64]
    counts: Counts
    more: bool
    keyed: int


@dataclass(frozen=True)
class Drawn:
    """What was drawn, and of which columns as they came."""

    drawing: Drawing
    by: tuple[str, ...]
    given: Mapping[str, Given]
    keys: Keys
    values: Mapping[str, SampledValues]


_latest: list[Drawn] = []


def draw_each(tables: Sequence[Mapping[Name, Given]], names: Sequence[str], drawing: Drawing) -> list[Drawn]:
    """The rows of each of several tables, whose keys and values are looked at together: of the columns `names`, the key's first. A key that
    several rows have keeps no values but its own.
    """
    by = tuple(names[: drawing.keys])
    given = [{name: arrays[name] for name in names} for arrays in tables]
    latest = next((d for d in _latest if (d.drawing, d.by) == (drawing, by)), None)
    before = [None if latest is None else latest.given, *given[:-1]]
    same = [set() if known is None else {n for n in names if _same(own, known, n)} for own, known in zip(given, before, strict=True)]
    # Of other keys nothing stays where it was.
    same = [stays if stays.issuperset(by) else set() for stays in same]
    keys: list[Keys] = []
    fresh = iter(_keys([[own[name] for name in by] for own, stays in zip(given, same, strict=True) if not stays], by, drawing))
    for stays in same:
        keys.append((keys[-1] if keys else _known(latest).keys) if stays else next(fresh))
    some = [
        ({name: _whole(array) for name, array in own.items() if name not in stays}, its)
        for own, stays, its in zip(given, same, keys, strict=True)
    ]
    found: list[Drawn] = []
    for own, stays, its, values in zip(given, same, keys, _values(some, by, drawing), strict=True):
        known = (found[-1] if found else _known(latest)).values if stays else {}
        found.append(Drawn(drawing, by, own, its, {name: known[name] if name in stays else values[name] for name in names}))
    # Slices hold all that they were cut from.
    small = sum(array.get_total_buffer_size() for array in given[-1].values()) <= _SMALL_BYTES
    _latest[:] = [found[-1]] if small else []
    return found


def _known(latest: Drawn | None) -> Drawn:
    assert latest is not None
    return latest


def _same(ours: Mapping[str, Given], theirs: Mapping[str, Given], name: str) -> bool:
    """Whether a column has the values that it had. To Arrow 0 is -0, as to a sample, and NaN is not even itself."""
    return name in theirs and type(ours[name]) is type(theirs[name]) and bool(ours[name].equals(theirs[name]))


def _keys(tables: Sequence[Sequence[Given]], by: Sequence[str], drawing: Drawing) -> list[Keys]:
    """Of each table the keys in these columns."""
    untyped = [name in drawing.untyped for name in by]
    together = [list(columns) for columns in zip(*tables, strict=True)]
    if len(tables) > 1 and all(len({column.type for column in columns}) == 1 for columns in together):
        hashes, there = key_hashes([pa.concat_arrays([_whole(column) for column in columns]) for columns in together], untyped)
        ends = np.cumsum([len(columns[0]) for columns in tables])[:-1]
        each = list(zip(np.split(hashes, ends), np.split(there, ends), strict=True))
    else:
        each = [key_hashes(columns, untyped) for columns in tables]
    found = []
    for own, valid in each:
        places = np.flatnonzero(valid)
        smallest, first, counts, more = _smallest(own[places], drawing.k)
        found.append(Keys(smallest, places[first], counts, more, len(places)))
    return found


def _values(tables: Sequence[tuple[Mapping[str, pa.Array], Keys]], by: tuple[str, ...], drawing: Drawing) -> list[dict[str, SampledValues]]:
    """The values of the rows that were drawn."""
    every = values_of_tables([(columns, keys.places) for columns, keys in tables], drawing.untyped)
    return [_of_single(found, by, keys, drawing) for found, (_, keys) in zip(every, tables, strict=True)]


def _of_single(found: dict[str, SampledValues], by: tuple[str, ...], keys: Keys, drawing: Drawing) -> dict[str, SampledValues]:
    if drawing.hashed:
        found = {name: values.hashed() for name, values in found.items()}
    if (keys.counts == 1).all():
        return found
    single = np.where(keys.counts == 1, np.arange(len(keys.places)), -1)
    return {name: values if name in by else values.take(single) for name, values in found.items()}


def _smallest(hashes: Hashes, k: int) -> tuple[Hashes, NDArray[np.int64], Counts, bool]:
    """The k smallest different hashes, ascending, the first place of each, how often it occurs, and whether there are more."""
    among = 2 * k
    while among < len(hashes):
        # A hundredth of all rows is sorted and not all of them, but where keys repeat.
        candidates = np.flatnonzero(hashes <= np.partition(hashes, among)[among])
        found, first, counts = np.unique(hashes[candidates], return_index=True, return_counts=True)
        if len(found) > k:
            return found[:k], candidates[first[:k]], counts[:k].astype(np.int64), True
        among *= 8
    found, first, counts = np.unique(hashes, return_index=True, return_counts=True)
    return found[:k], first[:k], counts[:k].astype(np.int64), len(found) > k


def _whole(array: Given) -> pa.Array:
    found = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    return found.chunk(0) if isinstance(found, pa.ChunkedArray) else found
