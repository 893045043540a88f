"""Which two columns are exchanged in a batch, in all rows or in some, in a sentence: by the rows matched by a key where there are any, else
by what the columns of the batch before were like.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from avh_ui.metrics.column import Floats
from avh_ui.metrics.joining import join
from avh_ui.metrics.key_words import key_words, name_column
from avh_ui.metrics.matched_numbers import Mask
from avh_ui.metrics.moved import NAMED
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.quartiles import exchanged
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.sampled_rows import sample_in
from avh_ui.metrics.strayed_values import strayed_values

# How the sentence begins that says it, behind the names of both.
EXCHANGED = "seem to be exchanged"
# Two numbers of a few rows are each other's by chance.
_LEAST = 5
# Numbers that a day changes by itself, as counts, are not the other column's of the batch before to the digit.
_NEARLY = 0.9
# Numbers that grow are the other one's of the batch before within so many times, and farther from their own: as of `quartiles`.
_NEAR, _APART = 1.25, 1.5
# One row that does is a slip, or luck.
_SOME = 2
# So many of the values that came are named.
_VALUES = 3

Columns = Mapping[str, ColumnProfile]


@dataclass(frozen=True)
class Exchanged:
    """Two `columns` of which each has the other one's numbers, and that in words."""

    columns: tuple[str, str]
    words: str


def exchanged_columns(names: Sequence[str], ours: Columns, theirs: Columns, batch: str, samples: Columns) -> Exchanged | None:
    """Two of these columns that have each other's numbers of `batch`; None where none have. `samples` are those of the rows of that batch:
    rows that are matched tell of any column beside these.
    """
    mine = sample_in(ours)
    other = sample_in(samples, None, mine.by) if mine is not None else None
    found = _by_rows(names, mine, other) if mine is not None and other is not None else None
    if found is not None:
        one, two, rows, of = found
        among = f"all {of:,} matched rows" if rows == of else f"{rows:,} of {of:,} matched rows"
        return _told(one, two, f"in {among} {one} is what {two} was in batch {batch}, and {two} what {one} was")
    if mine is not None and other is not None and (some := _in_some_rows(names, mine, other)) is not None:
        return some
    if (pair := exchanged(names, ours, theirs)) is not None:
        return _told(*pair, "{0} is as {1} was in batch {2}, and {1} as {0} was".format(*pair, batch))
    return _by_values(names, ours, theirs, batch)


def _told(one: str, two: str, how: str) -> Exchanged:
    return Exchanged((one, two), f"{one} and {two} {EXCHANGED}: {how}.")


def _by_rows(names: Sequence[str], ours: RowSample, theirs: RowSample) -> tuple[str, str, int, int] | None:
    """Two columns of numbers, in how many rows each has the other's, of how many where both were there and differed; None without."""
    joined = join(ours, theirs)
    able = [name for name in ours.columns if name not in ours.by and name in theirs.columns]
    now = {name: ours.column(name).numbers[joined.ours] for name in able}
    then = {name: theirs.column(name).numbers[joined.theirs] for name in able}
    for one in (name for name in names if name in now):
        for two in (name for name in able if name != one and ours.form(name) == ours.form(one)):
            # NaN is no number, and no other one.
            differed = abs(then[one] - then[two]) > 0
            of = int(differed.sum())
            rows = int((differed & (now[one] == then[two]) & (now[two] == then[one])).sum())
            if rows >= _LEAST and rows >= _NEARLY * of:
                first, second = sorted((one, two), key=able.index)
                return first, second, rows, of
    return None


def _in_some_rows(names: Sequence[str], ours: RowSample, theirs: RowSample) -> Exchanged | None:
    """Two columns of numbers that changed places in some of the matched rows, where nearly all others stayed as they were."""
    joined = join(ours, theirs)
    now, then, far = {}, {}, {}
    for name in (name for name in ours.columns if name not in ours.by and name in theirs.columns):
        sides = ours.column(name).numbers[joined.ours], theirs.column(name).numbers[joined.theirs]
        jumped = ~_near(*sides, _APART)
        # Most columns have no such rows, and of many columns there are many pairs.
        if _SOME <= jumped.sum() < len(jumped):
            now[name], then[name], far[name] = *sides, jumped
    for one, two in ((a, b) for a in names for b in far if a in far and a != b and ours.form(a) == ours.form(b)):
        differ = ~_near(then[one], then[two], _APART)
        crossed = _near(now[one], then[two], _NEAR) & _near(now[two], then[one], _NEAR) & differ & far[one] & far[two]
        rows, stayed = int(crossed.sum()), int((differ & ~far[one] & ~far[two]).sum())
        if rows >= _SOME and rows + stayed >= _NEARLY * int(differ.sum()):
            first, second = sorted((one, two), key=list(far).index)
            column = name_column(ours)
            keys = [key_words(ours, int(at), column) for at in joined.ours[crossed][:NAMED]]
            more = f" and {rows - NAMED:,} more" if rows > NAMED else ""
            said = f"{first} and {second} {EXCHANGED} in {rows:,} of {len(joined.ours):,} matched rows: {'; '.join(keys)}{more}."
            return Exchanged((first, second), said)
    return None


def _near(one: Floats, other: Floats, times: float) -> Mask:
    """Where they are within so many times of each other; nowhere where one is no number, 0, or of another sign."""
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = one / other
    return np.asarray((ratio > 1 / times) & (ratio < times))


def _by_values(names: Sequence[str], ours: Columns, theirs: Columns, batch: str) -> Exchanged | None:
    """Two columns of texts each of which has values that only the other one had."""
    found = {one.column: one for one in strayed_values(ours, ours, theirs)}
    for name in names:
        there = found.get(name)
        back = found.get(there.of) if there is not None else None
        if there is None or back is None or back.of != name:
            continue
        values = f"{', '.join(there.values[:_VALUES])}{', …' if len(there.values) > _VALUES else ''}"
        how = f"{name} has values that {there.of} had in batch {batch} ({values}), and {there.of} those of {name} in {back.rows:,}"
        return Exchanged((name, there.of), f"{name} and {there.of} {EXCHANGED} in {there.rows:,} rows: {how}.")
    return None
