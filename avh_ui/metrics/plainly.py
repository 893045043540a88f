"""What happened to a column since another batch, in one plain sentence: what an alarm begins with, before any average and its bound.

Told from the states alone, so that it is there whether or not rows are matched by a key.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from avh_ui.metrics.beyond import beyond
from avh_ui.metrics.column import NUMERIC
from avh_ui.metrics.counts import CountState
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import States, find
from avh_ui.metrics.mix_words import percent, plain_number, short_text
from avh_ui.metrics.multiples import multiple_words
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.quartiles import level_words
from avh_ui.metrics.rows import RowsTold, RowTest
from avh_ui.metrics.turned_text import no_numbers

# The least number above 0.
_TINY = math.ulp(0.0)
_T = TypeVar("_T", str, float)
# A text with one of these is no plain literal of SQL.
_QUOTES = "'\\"
# Of a table day by day a few points more of nulls or zeros are the day's own; where there were none, some rows are enough (`beyond` asks
# for as many).
_MORE, _FEW, _SHARE = 0.05, 5, 0.01
# Of small tables the day's own is more than that: so many standard errors of the difference of two shares chance brings 1 time in 700.
# At 2 an alarm on 9,999 as an angle began with `Gap is null in 31 of 137 rows; in batch b6 in 18 of 131`.
_BEYOND_CHANCE = 3
# A value that half of the rows have, and a quarter more of them than before, is what a stuck sensor or a wrong default leaves.
_HALF, _RISEN = 0.5, 0.25
# Rows that vary by less from batch to batch are told by their bound.
_ROWS = 0.1
# Where so few of the rows repeat a value nearly all are different; elsewhere fewer rows have fewer different values by themselves.
_DIFFER = 0.1
# A part that people name, where it is as near as they take it for one.
_PARTS, _NEAR = ((0.5, "half"), (2.0, "twice"), (0.1, "a tenth"), (10.0, "ten times")), 0.06


@dataclass(frozen=True)
class Change:
    """What happened to a column in `words` ('' for nothing plain), and the `rows` for which that is so, where it speaks of some."""

    words: str = ""
    rows: RowsTold | None = None


@dataclass(frozen=True)
class _Sides:
    """A column of a batch beside itself in `batch`, with the rows of both; `among` others that the same rule is of."""

    name: str
    ours: States
    theirs: States
    rows: int
    then: int
    batch: str
    among: bool

    def told(self, what: str, now: int, before: int, *, about: bool = False) -> str:
        """`zip is null in 510 of 1,021 rows; in batch b6 in none.`"""
        count = self.of_all(now) if now == self.rows or not about else f"about {self.of_all(now)}"
        was = ("hardly any" if about else "none") if not before else f"all {self.then:,}" if before == self.then else f"{before:,}"
        of = f" of {self.then:,}" if 0 < before < self.then else ""
        return f"{self.name} {what} in {count}; in batch {self.batch} in {was}{of}."

    def rows_which(self, condition: str, count: int) -> RowsTold:
        """The rows for which an SQL condition on the column is true."""
        name = self.name.replace("`", "``")
        return RowsTold(RowTest(f"`{name}` {condition}"), count)

    def of_all(self, rows: int) -> str:
        """`all 1,021 rows`, `510 of 1,021 rows`."""
        return f"all {self.rows:,} rows" if rows == self.rows else f"{rows:,} of {self.rows:,} rows"

    def risen(self, now: int, before: int) -> bool:
        """Whether so many rows more have something as no ordinary day brings."""
        share, was = now / self.rows, before / self.then
        more = share - was >= (_RISEN if self.among else _MORE)
        return (more and not self.by_chance(now, before)) or (not before and now >= _FEW and share >= _SHARE)

    def by_chance(self, now: int, before: int) -> bool:
        """Whether two draws of so many rows differ as much; where none had it, the first to have it are no chance."""
        both = (now + before) / (self.rows + self.then)
        error = math.sqrt(both * (1 - both) * (1 / self.rows + 1 / self.then))
        return bool(before) and now / self.rows - before / self.then < _BEYOND_CHANCE * error


def plain_change(name: str, ours: ColumnProfile, theirs: ColumnProfile, batch: str, *, nulls: bool = False, among: bool = False) -> Change:
    """What happened to a column since `batch`; without words where it is nothing so plain. With `nulls` any more of these are told; of a
    column `among` several that a rule is of only what is plain by itself.

    The first of these that is so: numbers that became texts, more nulls, more zeros or negative numbers, one value in most rows, all of it
    so many times as large, numbers beyond all of that batch, texts that differ in case or blanks alone, values that repeat.
    """
    counts = [find(side.states, CountState) for side in (ours, theirs)]
    if counts[0] is None or counts[1] is None or not counts[0].rows or not counts[1].rows:
        return Change()
    if ours.kind != theirs.kind:
        texts = ours.kind == "string" and theirs.kind in NUMERIC and counts[0].nulls < counts[0].rows
        told = no_numbers(ours) if texts else ""
        return Change(f"{name} is text now{f': {told}' if told else ''}; in batch {batch} it was of numbers." if texts else "")
    now, then = counts[0], counts[1]
    sides = _Sides(name, ours.states, theirs.states, now.rows, then.rows, batch, among)
    if sides.risen(now.nulls, then.nulls) or (nulls and now.nulls / now.rows > then.nulls / then.rows):
        return Change(sides.told("is null", now.nulls, then.nulls), sides.rows_which("IS NULL", now.nulls))
    found = _of_numbers(sides) if ours.kind in NUMERIC else _of_texts(sides)
    return found if found.words else Change(_of_repeats(sides))


def plain_rows(now: int, then: int, batch: str) -> str:
    """`There are about half as many rows as in batch b6: 511, and 979 there.`; '' of a change that any day may bring."""
    if not now or not then or abs(now - then) < _ROWS * then:
        return ""
    ratio = now / then
    part = next((words for of, words in _PARTS if abs(ratio / of - 1) < _NEAR), "")
    told = f"about {part} as many" if part else f"{percent(abs(ratio - 1))} {'fewer' if ratio < 1 else 'more'}"
    return f"There are {told} rows {'as' if part else 'than'} in {batch}: {now:,}, and {then:,} there."


def _of_numbers(sides: _Sides) -> Change:
    now, then = (find(states, DistributionState) for states in (sides.ours, sides.theirs))
    if now is None or then is None or not now.n or not then.n:
        return Change()
    about = not (now.exact and then.exact)
    for what, low, high in (("is 0", 0.0, 0.0), ("is below 0", -math.inf, -_TINY)):
        counts = [_between(state, low, high) for state in (now, then)]
        if sides.risen(*counts):
            # Where all are above it there were none, whatever a sketch tells.
            said = sides.told(what, *counts, about=about and not (then.n and then.quantile(0.0) > high))
            return Change(said, sides.rows_which("= 0" if high == 0 else "< 0", counts[0]))
    if most := _most(sides, _counted(now), _counted(then)):
        value, count, before = most
        return Change(sides.told(f"is {plain_number(value)}", count, before, about=about), sides.rows_which(f"= {value!r}", count))
    if level := level_words(sides.ours, sides.theirs):
        return Change(f"{sides.name} is {level} as in batch {sides.batch}.")
    if multiple := multiple_words(sides.ours, sides.theirs, sides.batch):
        return Change(f"{sides.name} may be in another unit: {multiple}.")
    out = None if sides.among else beyond(sides.ours, sides.theirs)
    # Of a number that goes on from batch to batch all are above: without a factor that is no news.
    if out is None or out.count < _MORE * out.n or (out.above and out.factor is None):
        return Change()
    beside = f"{'>' if out.above else '<'} {out.limit!r}"
    return Change(out.words(sides.name, f"batch {sides.batch}"), sides.rows_which(beside, out.count))


def _counted(state: DistributionState) -> dict[float, float]:
    values, shares = state.support()
    return dict(zip(values.tolist(), (shares * state.n).tolist(), strict=True))


def _between(state: DistributionState, low: float, high: float) -> int:
    values, shares = state.support()
    return round(float(shares[(values >= low) & (values <= high)].sum()) * state.n)


def _most(sides: _Sides, now: Mapping[_T, float], then: Mapping[_T, float]) -> tuple[_T, int, int] | None:
    """The value that most rows have and far fewer had, with its rows then and now; None where none has risen so."""
    value = max(now, key=lambda one: now[one])
    count, before = round(now[value]), round(then.get(value, 0))
    # What is one value in each batch, as the day of a delivery is, changes by itself.
    usual = max(then.values(), default=0) / sides.then
    risen = count >= _HALF * sides.rows and count / sides.rows - max(before / sides.then, usual) >= _RISEN
    return (value, count, before) if risen else None


def _of_texts(sides: _Sides) -> Change:
    now, then = (find(states, FrequencyState) for states in (sides.ours, sides.theirs))
    if now is None or then is None or not now.table or not then.table:
        return Change()
    if most := _most(sides, now.table, then.table):
        value, count, before = most
        said = sides.told(f"is {short_text(value)}", count, before, about=bool(now.undercount or then.undercount))
        return Change(said, None if {*_QUOTES} & {*value} else sides.rows_which(f"= '{value}'", count))
    if not (now.exact and then.exact):
        return Change()
    known = {_plain(value): value for value in then.table}
    new = {value: count for value, count in now.table.items() if value not in then.table}
    other = {value: known[_plain(value)] for value in new if _plain(value) in known}
    rows = sum(new[value] for value in other)
    if rows < _FEW or rows < _HALF * sum(new.values()):
        return Change()
    first = max(other, key=lambda value: (new[value], value))
    ways = {_way(value, was) for value, was in other.items()}
    way = ways.pop() if len(ways) == 1 else "case or blanks"
    return Change(
        f"{sides.name} is written otherwise ({way}) in {sides.of_all(rows)}: {short_text(first)}, which in batch {sides.batch} "
        f"is {short_text(other[first])}."
    )


def _of_repeats(sides: _Sides) -> str:
    """Of a column whose values were different, or far more of them than are now."""
    now, then = (find(states, DistributionState) or find(states, FrequencyState) for states in (sides.ours, sides.theirs))
    if now is None or then is None or not now.n or not then.n:
        return ""
    different = now.distinct(), then.distinct()
    repeats, before = now.n - round(different[0]), then.n - round(different[1])
    about = not (now.counted and then.counted)
    fallen = different[0] / now.n <= (1 - _RISEN) * different[1] / then.n
    if before / then.n <= _DIFFER:
        # Of an estimate a few in a hundred are its error.
        risen = fallen if about else sides.risen(repeats, before)
    else:
        risen = fallen and different[0] <= (1 - _RISEN) * different[1] and not sides.by_chance(repeats, before)
    return sides.told("repeats the value of another row", repeats, before, about=about) if risen else ""


def _plain(value: str) -> str:
    return value.strip().casefold()


def _way(value: str, was: str) -> str:
    return "blanks" if value.strip() == was.strip() else "upper and lower case" if value.casefold() == was.casefold() else "case or blanks"
