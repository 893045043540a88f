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
# So many standard errors more than as many rows drawn at random would have: by chance in 1 of 30,000 groups, of which a batch has hundreds.
_SURE = 4.0
# Of fewer rows any value may be all there is.
_LEAST = 5
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
    for column, counts in among.items():
        values = _more_often(failing, counts, there.get(column, {}))
        rows = sum(there.get(column, {}).values())
        if values and rows:
            told = Shared(column, values, sum(counts[v] for v in values), sum(there[column][v] for v in values))
            share, beyond = told.failing / failing, told.failing / failing - told.rows / rows
            if share >= _NEARLY and beyond >= _BEYOND:
                found.append((beyond, told))
    found.sort(key=lambda one: (-one[0], len(one[1].values)))
    return tuple(told for beyond, told in found[:_TOLD] if beyond >= found[0][0] - _AS_WELL)


def _more_often(failing: int, counts: ValueCounts, there: ValueCounts) -> tuple[str | None, ...]:
    """The values that the rows have surely more often than all rows, most frequent first; none where they are many."""
    rows = sum(there.values())

    def sure() -> Iterator[str | None]:
        for value, count in counts.items():
            share = there.get(value, 0) / rows
            drawn = math.sqrt(failing * share * (1 - share) * (rows - failing) / max(rows - 1, 1))
            if value in there and count - failing * share > _SURE * drawn:
                yield value

    values = sorted(sure(), key=lambda value: (-counts[value], value or "")) if rows > failing >= _LEAST else []
    return tuple(values) if len(values) <= _TOGETHER else ()


def shared_words(shared: Shared, failing: int, rows: int | None) -> str:
    """As a clause of the `failing` rows of a batch's `rows` (None: unknown): `in all of them payment is paypal, as in 22% of all rows`."""
    *first, last = ("null" if value is None else value or "(empty)" for value in shared.values)
    said = f"{shared.column} is {', '.join(first)}{' or ' if first else ''}{last}"
    if shared.failing == failing == shared.rows:
        return f"they are all rows in which {said}"
    where = "all" if shared.failing == failing else f"{shared.failing:,}"
    beside = "" if not rows else f", as in {_percent(shared.rows / rows)} of all rows"
    return f"in {where} of them {said}{beside}"


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"
