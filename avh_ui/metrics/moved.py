"""Which keys stand behind a measure: those whose rows changed most, before and after, and what most of them have in common."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from avh_ui.metrics.column import Floats
from avh_ui.metrics.how_far import NEWS, how_far
from avh_ui.metrics.joining import join
from avh_ui.metrics.key_words import key_words, name_column
from avh_ui.metrics.keys_matched import Keys, lost_keys, new_keys
from avh_ui.metrics.matched_numbers import Mask
from avh_ui.metrics.matching import Matched, MatchedChange, changes
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.moved_alike import alike
from avh_ui.metrics.row_groups import RowGroup, explaining
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.sampled_values import TIME

# So many keys are named: a person reads that many lines.
NAMED = 5
# How the sentence begins that names them.
FARTHEST = "Most of all"
# A page lists so many, and says how many more there are.
LISTED = 50
# Rows that moved at least half as far as the farthest moved with it.
_AS_FAR = 0.5


@dataclass(frozen=True)
class MovedRow:
    """A key with its value before and after, '' for a row that came or went; `was` and `now` are these as numbers, None for no number.
    `limit` is the value up to which a bound lets it move, '' where it was not asked for.
    """

    key: str
    before: str = ""
    after: str = ""
    was: float | None = None
    now: float | None = None
    limit: str = ""

    @property
    def by(self) -> float | None:
        """How much the number changed; None where it is none on one side."""
        return None if self.was is None or self.now is None else self.now - self.was

    def __str__(self) -> str:
        limit = f" (limit {self.limit})" if self.limit else ""
        # Blanks at the ends would not be seen.
        seen = [repr(value) if value != value.strip() else value for value in (self.before, self.after)]
        return f"{self.key}: {' → '.join(seen)}{limit}" if self.before else self.key


@dataclass(frozen=True)
class Moved:
    """The rows that moved, the farthest first: `rows` at most as many as were asked for, of which the first `far` moved about as far as the
    first; `count` how many there are among `among` matched rows (or keys), and `did` what these did. `column` is whose values they are, ''
    of keys that came or went (`what`). `group` is what tells most of those that moved far from the others, None where nothing does;
    `sampled` says that only a sample of the rows was compared, `moments` that the numbers are points in time, in seconds, `alike` how
    many of them did what is told of nearly all (`metrics.moved_alike`; 0 where nothing is), which come first, and `by` which columns the
    keys are of. A column that is `gone` is null in all of them. Of a rule on several columns that one is told which is the most important
    of those at fault, and the others `beside` it in words.
    """

    column: str = ""
    what: str = "rows"
    rows: tuple[MovedRow, ...] = ()
    far: int = 0
    count: int = 0
    among: int = 0
    group: RowGroup | None = None
    sampled: bool = False
    moments: bool = False
    did: str = "changed"
    alike: int = 0
    by: tuple[str, ...] = ()
    gone: bool = False
    beside: tuple[str, ...] = ()

    @property
    def named(self) -> tuple[str, ...]:
        """The keys that moved most, one line each."""
        return tuple(map(str, self.rows[: min(self.far, NAMED)]))

    @property
    def listed(self) -> str:
        """The keys that moved most, as a sentence; of keys that came or went also how many more there are, where all are compared."""
        named = "; ".join(self.named)
        if self.column:
            return f"{FARTHEST} {named}."
        more = 0 if self.sampled else self.count - len(self.named)
        return f"{self.what[:1].upper()}{self.what[1:]}: {named}{f' and {more:,} more' if more else ''}."

    @property
    def among_words(self) -> str:
        """`5 of 21 matched rows`; `5 of a sample of 21 matched rows` where not all were compared."""
        of = "a sample of " if self.sampled else ""
        return f"{self.alike or self.count:,} of {of}{self.among:,} {'matched rows' if self.what == 'rows' else 'keys'}"

    @property
    def counted(self) -> str:
        """`n: 5 of 21 matched rows became 0`: plainer than their share, of which a person does not know among how many."""
        if self.gone:
            return f"{self.column} is null in all {self.among:,} matched rows"
        return f"{self.column}: {self.among_words} {self.did}"

    @property
    def said(self) -> str:
        """What they have in common, as a sentence; '' where they have nothing."""
        if self.group is not None:
            return self.group.said(self.what if self.what == "rows" else "keys")
        return f"All {self.among:,} {self.what} {self.did}." if self.what == "rows" and (self.alike or self.count) == self.among > 1 else ""

    def to_record(self) -> dict[str, Any]:
        """As plain data: the rows that are named."""
        group = None if self.group is None else {k: v for k, v in vars(self.group).items() if v != "" and v is not False}
        rows = [{k: v for k, v in (("key", r.key), ("before", r.before), ("after", r.after)) if v != ""} for r in self.rows[:NAMED]]
        whole = {"what": self.what, "column": self.column, "count": self.count, "among": self.among, "sampled": self.sampled}
        return {**whole, "rows": rows, **({"group": group} if group else {})}


NOTHING = Moved()
# Of flights of a day 83 % of the keys stand in the batch before, of orders none: below a tenth they are names of events.
_COMING_AGAIN = 0.1


def moved(metric: Metric, ours: RowSample | Matched, theirs: RowSample | Matched, limit: int = NAMED, upper: float | None = None) -> Moved:
    """What is behind a metric of two samples; nothing where texts are kept as hashes. With the `upper` bound of one that says how far rows
    move, each row has its limit.
    """
    mine, other = (state.rows if isinstance(state, Matched) else state for state in (ours, theirs))
    if mine.hashed or other.hashed:
        return NOTHING
    if isinstance(ours, RowSample) or isinstance(theirs, RowSample):
        return _of_keys(metric, mine, other, limit)
    change = changes(ours, theirs)
    if change is None or metric.rows_of is None:
        return NOTHING
    rows = metric.rows_of(change)
    steps = None if metric.far_of is None else np.nan_to_num(np.abs(metric.far_of(change)), nan=0.0)
    ends = None
    if upper and (scale := metric.scale) is not None and metric.of_quantities:
        ends = partial(scale.limit, far=upper)
    found = _of_values(change, rows, ours, theirs.rows, limit, steps, ends)
    return found if found.alike else replace(found, did=metric.did if isinstance(metric.did, str) else metric.did(change, rows))


def moved_values(
    ours: RowSample,
    theirs: RowSample,
    column: str,
    within: tuple[float, float] | None = None,
    limit: int = NAMED,
    *,
    emptied: bool = False,
) -> Moved:
    """The rows whose value of a column changed, whatever was measured of it: those first whose text is new, or was one that is gone, then
    those that lost theirs, or have one now. Where single values of numbers are to lie `within` bounds, those whose new one does not, and
    with `emptied` those alone that lost theirs. None of a column of the key: matched rows have the same.
    """
    if ours.hashed or theirs.hashed or column in ours.by:
        return NOTHING
    mine, other = Matched(ours, column), Matched(theirs, column)
    change = changes(mine, other)
    if change is None:
        return NOTHING
    rows = change.emptied if emptied else change.changed
    if within is not None and change.numeric:
        rows = rows & ((change.after < within[0]) | (change.after > within[1]))
    return _of_values(change, rows, mine, theirs, limit)


def _of_values(  # noqa: PLR0917 (a change, its two sides, and what is asked of it)
    change: MatchedChange,
    rows: Mask,
    ours: Matched,
    theirs: RowSample,
    limit: int,
    steps: Floats | None = None,
    ends: Callable[[float], float] | None = None,
) -> Moved:
    which, sample = np.flatnonzero(rows), ours.rows
    same, those = alike(change, rows)
    found = Moved(
        ours.column, count=len(which), among=change.rows, sampled=not change.joined.exact, moments=change.ours.form == TIME,
        did=same or Moved.did, alike=int(np.count_nonzero(those)), by=sample.by, gone=change.gone and bool(change.emptied[rows].any()),
    )  # fmt: skip
    if not len(which):
        return found
    far = how_far(change, which, steps)
    which = which[np.lexsort((change.joined.ours[which], -far))]
    ordered = -np.sort(-far)
    as_far = which
    if change.numeric:
        with np.errstate(invalid="ignore"):
            as_far = which[ordered >= _AS_FAR * ordered[0]]
        if len(ends_at := np.unique(change.after[as_far])) == 1:
            # All to 0, or to nothing: the small ones too, though they had less to lose.
            as_far = which[np.isin(change.after[which], ends_at) | (np.isnan(change.after[which]) & np.isnan(ends_at[0]))]
    elif ordered[0] >= NEWS:
        as_far = which[ordered >= NEWS]
    names = name_column(sample)
    if same:
        # Who did something else does not stand for them, however far it moved.
        which = which[np.argsort(~np.isin(which, np.flatnonzero(rows)[those]), kind="stable")]
    lines = tuple(_row(change, sample, int(at), names, ends) for at in which[:limit])
    hit = np.zeros(change.rows, dtype=bool)
    hit[as_far] = True
    # Of a column without any value there are no rows to be told from others.
    group = None if found.gone else _group(change, hit, theirs, ours.column)
    return replace(found, rows=lines, far=len(as_far), group=group)


def _row(change: MatchedChange, sample: RowSample, at: int, names: str, ends: Callable[[float], float] | None) -> MovedRow:
    before, after = change.theirs.shown(int(change.joined.theirs[at])), change.ours.shown(int(change.joined.ours[at]))
    was, now = (float(n) if change.numeric and math.isfinite(n) else None for n in (change.before[at], change.after[at]))
    if before == after and was is not None and now is not None and change.ours.form != TIME:
        # They differ in a digit that is not shown: all of them are.
        before, after = f"{was:,}", f"{now:,}"
    # Four digits say where a bound is.
    end = change.ours.number(float(f"{ends(was):.4g}")) if ends is not None and was is not None else ""
    return MovedRow(key_words(sample, int(change.joined.ours[at]), names), before, after, was, now, end)


def _group(change: MatchedChange, hit: Mask, theirs: RowSample, column: str) -> RowGroup | None:
    """What most of the rows that moved far have in common, by what they were before: what changed with them explains nothing."""
    found = explaining(theirs, change.joined.theirs, hit, column)
    if found is None:
        return None
    group, where = found
    # Days add up to no day: three that expire in 2026 to one of 2138.
    if np.isnan(change.after[where]).all() if change.numeric else change.emptied[where & hit].all():
        return replace(group, after="null")
    if not change.numeric or change.ours.form == TIME:
        return group
    sides = [numbers[where] for numbers in (change.before, change.after)]
    # Latitudes, rates and averages add up to nothing: of what has fractions the middle is told.
    known = [some[np.isfinite(some)] for some in sides]
    middle = all(map(len, known)) and not all((some == np.round(some)).all() for some in known)
    before, after = (change.ours.number(float((np.nanmedian if middle else np.nansum)(some))) for some in sides)
    return replace(group, before=before, after=after, middle=middle)


def _of_keys(metric: Metric, ours: RowSample, theirs: RowSample, limit: int) -> Moved:
    if metric.rows_of is None:
        return NOTHING
    found = metric.rows_of(ours, theirs)
    return _keys(found, join(ours, theirs).exact, limit) if isinstance(found, Keys) else _of_columns(metric, found, ours, theirs, limit)


def _of_columns(metric: Metric, names: Sequence[str], ours: RowSample, theirs: RowSample, limit: int) -> Moved:
    """The rows of the first of several columns that changed, or lost their value, with the others in words."""
    if not names:
        return NOTHING
    first, *others = (moved_values(ours, theirs, name, limit=limit, emptied=not metric.of_any_change) for name in names)
    if not first.alike and isinstance(metric.did, str):
        first = replace(first, did=metric.did)
    return replace(first, beside=tuple(f"{one.column} ({'null in all' if one.gone else f'{one.count:,}'})" for one in others))


def moved_keys(ours: RowSample, theirs: RowSample, limit: int = NAMED) -> Moved:
    """The keys that are gone where there are fewer rows than before, else those that are new; nothing where hardly any key comes again, as
    of events: on each of their days all keys are lost.
    """
    joined = join(ours, theirs)
    if ours.hashed or theirs.hashed or joined.now - len(joined.new) < _COMING_AGAIN * min(joined.now, joined.then):
        return NOTHING
    found = lost_keys(ours, theirs) if ours.rows < theirs.rows else new_keys(ours, theirs)
    return _keys(found, joined.exact, limit)


def _keys(found: Keys, exact: bool, limit: int) -> Moved:
    sample = found.sample
    names, among = name_column(sample), np.arange(found.among)
    hit = np.isin(among, found.places)
    group = explaining(sample, among, hit) if (sample.counts[found.places] == 1).all() else None  # a key of several rows has no values
    said = [f" ({text})" for text in found.said] or [""] * len(found.places)
    rows = tuple(MovedRow(key_words(sample, int(at), names) + text) for at, text in zip(found.places[:limit], said, strict=False))
    count = len(found.places)
    return Moved("", found.what, rows, count, count, found.among, group[0] if group else None, sampled=not exact, by=sample.by)
