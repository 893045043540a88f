"""Which two columns of numbers are exchanged in a batch, in a sentence: by the rows matched by a key where there are any, else by what the
columns of the batch before were like.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from avh_ui.metrics.joining import join
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.quartiles import exchanged
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.sampled_rows import sample_in

# How the sentence begins that says it, behind the names of both.
EXCHANGED = "seem to be exchanged"
# Two numbers of a few rows are each other's by chance.
_LEAST = 5
# Numbers that a day changes by itself, as counts, are not the other column's of the batch before to the digit.
_NEARLY = 0.9

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
    pair = exchanged(names, ours, theirs)
    return None if pair is None else _told(*pair, "{0} is as {1} was in batch {2}, and {1} as {0} was".format(*pair, batch))


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
