"""No two rows of a batch share the values of two or three columns: a document's number and its line, a station and an hour.

Keys of which none comes again in the next batch, as those of bookings: rows cannot be matched by them, but rows that are delivered twice
break them. Where a few rows may be alike for good reasons, as a flight that has its number twice a day, a small share of the rows is let
pass.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_relation.cells import Cells, Mask, SampledRows
from avh_ui.inference.by_relation.relation import Relation
from avh_ui.metrics.row_keys import mixed

Words = NDArray[np.uint64]
# Larger keys are seldom meant; 12 columns have 286 sets of two or three.
MOST_COLUMNS, _TRIED = 3, 12
# Batches of fewer rows have unique columns by chance.
LEAST_ROWS = 5
# With the values of any of the columns dealt out anew in their batches, so many rows would share theirs with another. Where they are fewer,
# none does by chance: a customer and a second are seldom met twice.
BROKEN_ROWS = 100
# With this share of the rows the columns are a grid, each of its places taken once. Of numbers that go on and on, none comes again in any
# other batch either. What is neither had twins in the end: of a year of flights carrier and flight number had some on 8 of 334 days.
_GRID = 0.5
# Where it is neither, this share of the rows is let pass, or so many rows where that is more, up to the last share: a tenth of the rows
# that come twice is 18 %.
NEARLY, NEARLY_ROWS, _NEARLY_MOST = 0.01, 6, 0.05
# None is let pass where so many batches had no twin: of 20 of the days of flights none has one with 62 %, of 100 with 9 %.
NEVER_SHARED = 100
# Of what is let pass the history may have had this part.
_HAD = 1 / 3
# So many rows of a batch tell most sets that are not unique from those that may be.
_SCREENED = 500


def uniques(batches: Sequence[SampledRows], names: Iterable[str], rng: np.random.Generator) -> Iterator[Relation]:
    """The smallest set of columns that tells the rows of all these batches apart, and not by chance; else that which nearly does; none
    where one column does.

    Columns of fractions, truth values and those with one value in a batch are part of none. One with nulls, which are a value of it, stands
    beside one without: cases by country and province, of countries with none. Of several sets one without nulls is taken, then the one
    with the fewest texts, then the first.
    """
    large = [batch for batch in batches if batch.count >= LEAST_ROWS]
    words = {name: made for name in names if (made := _words(large, name)) is not None}
    full = {name for name in words if not any(batch.cells[name].null.any() for batch in large)}
    if not full or any(all(len(np.unique(part)) == len(part) for part in words[name]) for name in full):
        return
    passing = _passing(min(batch.count for batch in large))
    apart: list[tuple[str, ...]] = []
    nearly: tuple[str, ...] | None = None
    for some in _sets(words, full, large[-1]):
        # What is more than enough is no key.
        if any(set(known) <= set(some) for known in apart):
            continue
        columns = [words[name] for name in some]
        worst = _worst(columns, _HAD * passing)
        if worst is None:
            continue
        apart.append(some)
        if (dealt := _dealt(columns, rng)) < BROKEN_ROWS:
            continue
        if worst == 0 and (dealt >= _GRID * sum(map(len, columns[0])) or _never_again(columns)):
            yield unlike(some, of_nulls=not full.issuperset(some))
            return
        nearly = nearly or some
    if nearly and passing <= _NEARLY_MOST:
        yield unlike(nearly, passing, of_nulls=not full.issuperset(nearly))


def _passing(rows: int) -> float:
    """The share of the rows that is let pass in batches of so many, in whole per cent."""
    return math.ceil(100 * max(NEARLY, NEARLY_ROWS / rows) - 1e-9) / 100


def _sets(words: Mapping[str, Sequence[Words]], full: set[str], latest: SampledRows) -> Iterator[tuple[str, ...]]:
    """The sets of columns, one without nulls in each, in the order in which they are tried; what has more values tells more rows apart."""
    most = sorted(words, key=lambda name: -len(np.unique(words[name][-1])))[:_TRIED]
    able = [name for name in words if name in most]
    for size in range(2, MOST_COLUMNS + 1):
        some_full = [some for some in combinations(able, size) if not full.isdisjoint(some)]
        yield from sorted(some_full, key=lambda some: (not full.issuperset(some), sum(latest.cells[n].form == "text" for n in some)))


def _words(batches: Sequence[SampledRows], name: str) -> list[Words] | None:
    """The column's values as words, by batch; None where it cannot be part of a key."""
    found = []
    for batch in batches:
        cells = batch.cells.get(name)
        if cells is None or (cells.form == "number" and not _whole(cells)) or not np.any(cells.words != cells.words[0]):
            return None
        found.append(cells.words)
    return found


def _whole(cells: Cells) -> bool:
    return cells.numbers is not None and bool(np.all((cells.numbers == np.round(cells.numbers)) | cells.null))


def together(parts: Iterable[Words]) -> Words:
    """One word for each row, equal where all parts are."""
    found: Words = np.zeros(1, dtype=np.uint64)
    with np.errstate(over="ignore"):
        for part in parts:
            found = mixed(found * np.uint64(31) + part)
    return found


def _worst(columns: Sequence[Sequence[Words]], most: float) -> float | None:
    """The largest share of the rows of a batch that have a twin; None where it is above `most`."""
    if twins([parts[-1][:_SCREENED] for parts in columns]) > most:
        return None
    worst = 0.0
    for parts in zip(*columns, strict=True):
        worst = max(worst, twins(parts))
        if worst > most:
            return None
    return worst


def twins(parts: Iterable[Words]) -> float:
    """The share of rows that have a twin."""
    found = together(parts)
    return _rows_with_twins(found) / len(found)


def _rows_with_twins(words: Words) -> int:
    ordered = np.sort(words)
    same = np.zeros(len(words) + 1, dtype=bool)
    same[1:-1] = ordered[1:] == ordered[:-1]
    return int(np.sum(same[1:] | same[:-1]))


def _dealt(columns: Sequence[Sequence[Words]], rng: np.random.Generator) -> int:
    """How many rows have a twin once a column's values are dealt out anew within each batch: of the column where they are fewest, or of the
    first where they are too few.
    """
    fewest = sum(map(len, columns[0]))
    for which in range(len(columns)):
        dealt = ([*parts[:which], rng.permutation(parts[which]), *parts[which + 1 :]] for parts in zip(*columns, strict=True))
        fewest = min(fewest, sum(_rows_with_twins(together(parts)) for parts in dealt))
        if fewest < BROKEN_ROWS:
            break
    return fewest


def _never_again(columns: Sequence[Sequence[Words]]) -> bool:
    """Whether no row has a twin in any other batch either."""
    return _rows_with_twins(together(np.concatenate(parts) for parts in columns)) == 0


def alone(words: Words) -> Mask:
    """Which rows have a word that no other row has."""
    _, places, counts = np.unique(words, return_inverse=True, return_counts=True)
    return np.asarray(counts[places] == 1)


def unlike(columns: tuple[str, ...], passing: float = 0.0, *, of_nulls: bool = False) -> Relation:
    """That no two rows of a batch share the values of these columns, but for a share of the rows that is let pass; null equals null, as
    where the groups of rows are counted (`metrics.grouping`).
    """

    def keeps(cells: Mapping[str, Cells]) -> Mask:
        return alone(together(cells[name].words for name in columns))

    named = f"{', '.join(columns[:-1])} and {columns[-1]}"
    # Its bounds say in how many of the rows.
    said = f"{named} together are unique" if passing else f"no two rows share {named}"
    return Relation("unique", columns, said, "", keeps, of_nulls, passing)
