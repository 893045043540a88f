"""Finding a table's key: the fewest columns that tell its rows apart and come again in the next batch."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from avh_ui.metrics.column import kind_of
from avh_ui.metrics.keys_matched import NEARLY_A_KEY
from avh_ui.metrics.row_keys import key_hashes

Mask = NDArray[np.bool_]
# Larger keys are seldom meant, and 12 columns have 220 sets of three.
MOST_COLUMNS, _TRIED = 3, 12
# The rows of events and logs are new every day; of what is matched by key most come again.
OVERLAP = 0.5
# The songs of a chart come and go, and its places stay: by these a block that is lost is seen, and what is usual of the tenth place.
_STAY = 0.98
# In a week without a match every team is where it was.
_RANK = re.compile(r"(?i)(?:^|[_\W])(?:rank|ranking|pos|position|place)(?:$|[_\W])")
# A list that is numbered, and renumbered where a row leaves it, keeps most of its numbers on most days.
MOVED = 0.1
# A table of fewer rows has unique columns by chance: there a key is what tells them apart, by the same values, in each of so many batches.
# Of two rows with either of two values 1 column in 16,000 does that by chance, of three with three fewer.
LEAST_ROWS, FEW_ALIKE = 5, 14
# So many keys of a table whose keys all come again must be expected in both samples: half of them is then 3 deviations off.
_SURE = 36
# So many rows may have no key, as the one of a table by aeroplane that stands for flights of which no aeroplane is known.
_NULLS = 0.01
# Texts are nearly a key where nothing tells all of so many rows apart: of fewer one would be more than the few that may share theirs. Of
# numbers it would be chance.
_NEARLY_ROWS = 100
# Five rows are told apart by the mass of an aeroplane and how many engines it has, and of 200 of an earlier month next to none.
_HALF = 0.5
# How pandas writes an index without a name.
_POSITION = re.compile(r"__index_level_\d+__|Unnamed: 0")


@dataclass(frozen=True)
class FoundKey:
    """The columns of a key, none where there is none, and the share of its keys that the batch before has, None where samples cannot tell
    it of any; `exact` when all rows of the latest batch were looked at, and `estimated` when the share is told from samples; `apart` is the
    share of the rows that have a key of their own, less than all of what is nearly a key. Where there is no key, `unique` is a set that
    tells the rows apart, of whose keys a share comes `again` that is too small, and `few` says that rows are too few to tell by two
    batches.
    """

    columns: tuple[str, ...] = ()
    overlap: float | None = 0.0
    exact: bool = True
    estimated: bool = False
    apart: float = 1.0
    unique: tuple[str, ...] = ()
    again: float = 0.0
    few: bool = False

    @property
    def words(self) -> str:
        """What was found, in a sentence or two."""
        if self.overlap is None:
            said = "Samples of batches so large cannot tell whether a key comes again: rows are not matched"
            return f"{said}. Name the columns of the key where there is one."
        if self.columns and self.few:
            return f"{', '.join(self.columns)} tells the few rows apart, by the same values in the newest {FEW_ALIKE} batches."
        if self.columns:
            named, where = ", ".join(self.columns), "the latest batch" if self.exact else "a sample of the latest batch"
            again = f"{'about ' if self.estimated else ''}{100 * self.overlap:.0f}% of its keys are in the batch before"
            unique = "unique" if self.apart == 1 else f"{percent_below(self.apart)} unique"
            return f"{named} is {unique} in {where}, and {again}."
        if self.few:
            said = f"Fewer than {LEAST_ROWS} rows are told apart by chance, and none by the same values in {FEW_ALIKE} batches"
            return f"{said}: rows are not matched. Name the columns of the key where there is one."
        if self.unique:
            told = f"{', '.join(self.unique)} tells the rows apart, but {100 * self.again:.0f}% of its keys come again"
            return f"{told}: these look like events, of which none is in the next batch. Rows are not matched."
        return f"No set of up to {MOST_COLUMNS} columns tells the rows apart and comes again in the next batch: rows are not matched."


def find_key(
    latest: pa.Table, before: pa.Table, *, whole: bool, rows_before: int | None = None, earlier: Sequence[pa.Table] = ()
) -> FoundKey:
    """The key of two batches with these rows: the smallest set, of these the one whose keys come again most, then the first; where there is
    none, texts that tell `NEARLY_A_KEY` rows apart. Of sets of one size those come first that told the rows of `earlier` batches apart, and
    none is one that told less than half of those of one.

    The place in a league table, of which teams are on another one each week, gives way to the team.

    `whole` when `latest` has all rows of its batch; `rows_before` is how many the batch of `before` has (None: these). Where that is a
    sample, so is the share of keys that it can have: what is found is divided by it. A column that is constant in the batch, has more
    nulls than a few or measures something (fractions) is part of no key; nor is pandas' index without a name, which counts the rows of a
    delivery.
    """
    part = min(1.0, before.num_rows / rows_before) if rows_before else 1.0
    none = FoundKey(exact=whole, estimated=part < 1)
    if latest.num_rows < LEAST_ROWS:
        return replace(none, few=True)
    if part < 1 and latest.num_rows * part < _SURE:
        return replace(none, overlap=None)
    shared = [name for name in latest.column_names if name in before.column_names and not _POSITION.fullmatch(name)]
    ways = {name: hashes for name in shared if (hashes := _hashes(latest, name, nulls=_NULLS)) is not None}
    null = {name: latest.column(name).is_null().to_numpy() for name in ways}
    # What has more values tells more rows apart.
    most = sorted(ways, key=lambda name: -len(np.unique(ways[name])))[:_TRIED]
    names = [name for name in latest.column_names if name in most]
    for size in range(1, MOST_COLUMNS + 1):
        found = [(_overlap(latest, before, some), some) for some in _unique_sets(names, ways, null, size)]
        found = [one for one in found if all(_told(table, one[1]) for table in earlier)] or [
            one for one in found if _tells(earlier, one[1])
        ]
        overlap, columns = max(found, key=lambda one: one[0], default=(0.0, ()))
        if columns and overlap / part >= OVERLAP:
            others = [one for one in found if one[1] != columns and one[0] / part >= _STAY]
            if others and _is_place(latest, before, columns, [some for _, some in others]):
                overlap, columns = max(others, key=lambda one: one[0])
            return replace(none, columns=tuple(columns), overlap=min(1.0, overlap / part))
        if columns and not none.unique:
            none = replace(none, unique=tuple(columns), again=min(1.0, overlap / part))
    return none if none.unique else _nearly(latest, before, names, null, part, none)


def _nearly(latest: pa.Table, before: pa.Table, names: Sequence[str], null: Mapping[str, Mask], part: float, none: FoundKey) -> FoundKey:
    """The fewest texts that tell nearly all rows of both batches apart, and come again; else `none`."""
    if latest.num_rows < _NEARLY_ROWS:
        return none
    texts = [name for name in names if kind_of(latest.schema.field(name).type) == "string" and not null[name].any()]
    for size in range(1, MOST_COLUMNS + 1):
        found = []
        for some in combinations(texts, size):
            apart = min(_apart(table, some) for table in (latest, before))
            if apart >= NEARLY_A_KEY and (overlap := _overlap(latest, before, some) / part) >= OVERLAP:
                found.append((overlap, apart, some))
        if found:
            overlap, apart, columns = max(found, key=lambda one: one[:2])
            return replace(none, columns=columns, overlap=min(1.0, overlap), apart=apart)
    return none


def _apart(table: pa.Table, columns: Sequence[str]) -> float:
    """The share of the rows that have a key of their own."""
    _, counts = np.unique(_ways(table, columns), return_counts=True)
    return float(np.count_nonzero(counts == 1) / max(table.num_rows, 1))


def _told(table: pa.Table, columns: Sequence[str]) -> bool:
    """Whether no two rows of a batch have the same values there; of one without these columns nothing is known."""
    return not set(columns) <= {*table.column_names} or _apart(table, columns) == 1


def _tells(earlier: Sequence[pa.Table], columns: Sequence[str]) -> bool:
    """Whether in each batch with rows that has these columns half of the rows or more have a key of their own."""
    return all(_apart(table, columns) >= _HALF for table in earlier if table.num_rows and set(columns) <= {*table.column_names})


def percent_below(share: float) -> str:
    """A share that is not all, never rounded up to it: `99.6%`."""
    return f"{math.floor(1000 * share) / 10:g}%"


def key_of_few(batches: Sequence[pa.Table]) -> FoundKey:
    """The key of a table of few rows, by all rows of its newest batches, the latest last: the smallest set of columns whose values are the
    same in all of them, and once in each; of these one of texts, as numbers may stand still.
    """
    none = FoundKey(few=True)
    alike, latest = batches[-FEW_ALIKE:], batches[-1]
    if len(alike) < FEW_ALIKE or not 1 < latest.num_rows < LEAST_ROWS or any(one.num_rows != latest.num_rows for one in alike):
        return none
    shared = [name for name in latest.column_names if all(_hashes(one, name) is not None for one in alike if name in one.column_names)]
    names = [name for name in shared if all(name in one.column_names for one in alike) and not _POSITION.fullmatch(name)]
    for size in range(1, MOST_COLUMNS + 1):
        found = [some for some in combinations(names[:_TRIED], size) if _same_in_all(alike, some)]
        if found:
            texts = [some for some in found if all(kind_of(latest.schema.field(name).type) == "string" for name in some)]
            return replace(none, columns=(texts or found)[0], overlap=1.0)
    return none


def _same_in_all(batches: Sequence[pa.Table], columns: Sequence[str]) -> bool:
    found = [np.sort(_ways(one, columns)) for one in batches]
    return len(np.unique(found[0])) == len(found[0]) and all(np.array_equal(one, found[0]) for one in found)


def _is_place(latest: pa.Table, before: pa.Table, columns: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
    """Whether a key numbers the rows from 1 on, and is called a place, or what else names the rows moves from one number to another."""
    type_ = latest.schema.field(columns[0]).type
    # Numbers of a CSV file are fractions, whole as they are.
    if len(columns) > 1 or not (pa.types.is_integer(type_) or pa.types.is_floating(type_)):
        return False
    numbers = np.sort(latest.column(columns[0]).to_numpy())
    if numbers[0] not in (0, 1) or not np.array_equal(numbers, np.arange(numbers[0], numbers[0] + len(numbers))):
        return False
    if _RANK.search(columns[0]):
        return True
    places = [_ways(table, columns) for table in (latest, before)]
    return any(_moved(places, [_ways(table, some) for table in (latest, before)]) > MOVED for some in others)


def _moved(places: Sequence[NDArray[np.uint64]], names: Sequence[NDArray[np.uint64]]) -> float:
    """Of the names that both batches have the share that has another place."""
    _, ours, theirs = np.intersect1d(names[0], names[1], return_indices=True)
    return float(np.mean(places[0][ours] != places[1][theirs])) if len(ours) else 0.0


def _unique_sets(
    names: Sequence[str], ways: Mapping[str, NDArray[np.uint64]], null: Mapping[str, Mask], size: int
) -> Iterator[tuple[str, ...]]:
    """The sets of so many columns that tell the rows apart in which none is null, which are nearly all."""
    for some in combinations(names, size):
        there = ~np.any([null[name] for name in some], axis=0)
        together = np.zeros(len(there), dtype=np.uint64)
        with np.errstate(over="ignore"):
            for name in some:
                together = together * np.uint64(0x9E3779B97F4A7C15) + ways[name]
        if len(np.unique(together[there])) == np.count_nonzero(there) >= (1 - _NULLS) * len(there):
            yield some


def _hashes(table: pa.Table, name: str, *, nulls: float = 0.0) -> NDArray[np.uint64] | None:
    """By row what tells its value; None of a column that can be part of no key, as one of which more than such a share is null."""
    column = table.column(name)
    if kind_of(column.type) == "skipped" or pa.types.is_boolean(column.type) or column.null_count > nulls * len(column):
        return None
    if pa.types.is_floating(column.type):
        values = column.drop_null().to_numpy()
        if np.any(values != np.round(values)):
            return None
    hashes, _ = key_hashes([column], [True])
    return hashes if len(np.unique(hashes)) > 1 else None


def _overlap(latest: pa.Table, before: pa.Table, columns: Sequence[str]) -> float:
    ours, theirs = (np.unique(_ways(table, columns)) for table in (latest, before))
    return float(np.isin(ours, theirs).mean()) if len(ours) else 0.0


def _ways(table: pa.Table, columns: Sequence[str]) -> NDArray[np.uint64]:
    return key_hashes([table.column(c) for c in columns], [True] * len(columns))[0]
