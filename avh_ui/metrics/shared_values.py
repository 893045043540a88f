"""What some rows of a batch have in common: values of a column that nearly all of them have, and far fewer of all rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from avh_ui.metrics.column import Kind
from avh_ui.metrics.conformance import number_text
from avh_ui.metrics.counts import CountState
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import find
from avh_ui.metrics.profile import ColumnProfile

# How many rows have each value of a column; None stands for no value.
ValueCounts = Mapping[str | None, int]

_KINDS: frozenset[Kind] = frozenset({"string", "boolean"})
# A column of more values names rows, and no groups of them (`contributions` holds it so, too).
_VALUES = 200
# More than three values in one sentence are no answer to "whose fault".
_TOGETHER = 3
# "Nearly all" allows that a tenth of the rows is wrong for another reason.
_NEARLY = 0.9
# Of a group that most rows belong to nothing follows: the rows must have the values by so much more often than all rows have.
_BEYOND = 0.3
# By chance so few batches have a value in as many of the rows, of all the values of all columns that are tried.
_CHANCE = 0.01
# Of fewer rows nobody asks whose they are: they are named.
_LEAST = 3
# Where all rows of a group are among those looked at, others may be: a mean that one clinic moved is told by a limit that a few rows of
# other clinics are beyond on any day.
_MOSTLY = 2 / 3
# Columns that say it as well as the first one, within this share: a name and the code of it.
_AS_WELL = 0.02
_TOLD = 2


@dataclass(frozen=True)
class Shared:
    """In `failing` of the rows that are looked at `column` has one of these `values` (None: no value), and in `rows` of all rows."""

    column: str
    values: tuple[str | None, ...]
    failing: int
    rows: int


def countable(columns: Mapping[str, ColumnProfile]) -> dict[str, ValueCounts]:
    """By column of texts, truths or whole numbers (codes of stores) how many rows have each value, as its profile tells it; without those
    that have one value alone, more than `_VALUES`, or that are not counted exactly.
    """
    found: dict[str, ValueCounts] = {}
    for name, column in columns.items():
        counts, values = find(column.states, CountState), _counted(column)
        if counts is not None and values is not None:
            table: dict[str | None, int] = dict(values.items())
            if counts.nulls:
                table[None] = counts.nulls
            if 1 < len(table) <= min(_VALUES, max(counts.rows // 2, 2)):
                found[name] = table
    return found


def counted_numbers(column: ColumnProfile) -> ValueCounts:
    """How many rows have each number of a column, whole or not; nothing where its profile does not count each."""
    counts, numbers = find(column.states, CountState), find(column.states, DistributionState)
    if column.kind != "numeric" or counts is None or numbers is None or not numbers.exact:
        return {}
    table: dict[str | None, int] = {number_text(float(v)): int(n) for v, n in zip(numbers.values, numbers.counts, strict=True)}
    return {**table, None: counts.nulls} if counts.nulls else table


def _counted(column: ColumnProfile) -> Mapping[str, int] | None:
    """How often each value occurs, as a text; None where that is not known, and of numbers that are not whole."""
    if column.kind in _KINDS:
        texts = find(column.states, FrequencyState)
        return texts.table if texts is not None and texts.exact else None
    numbers = find(column.states, DistributionState) if column.kind == "numeric" else None
    if numbers is None or not numbers.exact or len(numbers.values) > _VALUES:
        return None
    if not (np.isfinite(numbers.values) & (np.rint(numbers.values) == numbers.values)).all():
        return None
    return {number_text(float(value)): int(count) for value, count in zip(numbers.values, numbers.counts, strict=True)}


def shared_values(failing: int, among: Mapping[str, ValueCounts], there: Mapping[str, ValueCounts]) -> tuple[Shared, ...]:
    """What `failing` rows share: `among` counts their values by column, `there` those of all rows. The column that tells them apart best
    comes first, with another one that does as well; nothing where none does.
    """
    found: list[tuple[float, Shared]] = []
    tried = sum(len(there.get(column, ())) for column in among)
    for column, counts in among.items():
        values = _more_often(failing, counts, there.get(column, {}), _CHANCE / max(tried, 1))
        rows = sum(there.get(column, {}).values())
        if values and rows:
            told = Shared(column, values, sum(counts[v] for v in values), sum(there[column][v] for v in values))
            share, beyond = told.failing / failing, told.failing / failing - told.rows / rows
            least = _MOSTLY if told.failing == told.rows else _NEARLY
            if share >= least and beyond >= _BEYOND:
                found.append((beyond, told))
    found.sort(key=lambda one: (-one[0], len(one[1].values)))
    return tuple(told for beyond, told in found[:_TOLD] if beyond >= found[0][0] - _AS_WELL)


def _more_often(failing: int, counts: ValueCounts, there: ValueCounts, chance: float) -> tuple[str | None, ...]:
    """The values that rows drawn at random have as often with less than this chance, most frequent first; none where they are many."""
    rows = sum(there.values())

    def sure() -> Iterator[str | None]:
        for value, count in counts.items():
            if value in there and drawn_as_often(count, failing, there[value], rows) <= chance:
                yield value

    values = sorted(sure(), key=lambda value: (-counts[value], value or "")) if rows > failing >= _LEAST else []
    return tuple(values) if len(values) <= _TOGETHER else ()


def drawn_as_often(count: int, drawn: int, having: int, rows: int) -> float:
    """At most how probable it is that of `drawn` rows of all `rows`, of which so many are `having` a value, `count` or more have it.

    The first term of the hypergeometric distribution's tail, and for the others a geometric series that falls more slowly.
    """
    count = min(count, having, drawn)
    if drawn - count > rows - having:
        return 1.0
    first = math.exp(_ways(having, count) + _ways(rows - having, drawn - count) - _ways(rows, drawn))
    next_to = (having - count) * (drawn - count) / ((count + 1) * (rows - having - drawn + count + 1))
    return min(1.0, first / (1 - next_to)) if next_to < 1 else 1.0


def _ways(of: int, some: int) -> float:
    """The logarithm of how many sets there are of some of these."""
    return math.lgamma(of + 1) - math.lgamma(some + 1) - math.lgamma(of - some + 1)


def shared_words(shared: Shared, failing: int, rows: int | None, who: str = "they") -> str:
    """As a clause of the `failing` rows of a batch's `rows` (None: unknown): `in all of them payment is paypal, as in 22% of all rows`;
    of `these` rows, where the sentence before has told of others.
    """
    *first, last = ("null" if value is None else value or "(empty)" for value in shared.values)
    said = f"{shared.column} is {', '.join(first)}{' or ' if first else ''}{last}"
    if shared.failing == failing == shared.rows:
        return f"{who} are all rows in which {said}"
    of = "them" if who == "they" else "these rows"
    if shared.failing == shared.rows:
        return f"in {shared.failing:,} of {of} {said}, and in no other row"
    where = "all" if shared.failing == failing else f"{shared.failing:,}"
    beside = "" if not rows else f", as in {_percent(shared.rows / rows)} of all rows"
    return f"in {where} of {of} {said}{beside}"


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"
