"""The faults that coverage is told of: classes that people name, each at 1, 10, 50 and 100 % of the rows.

They stand beside D(C), which suggestions are trained on: a program is not to be praised for what it was chosen by.

| class | of | ways |
|---|---|---|
| rows lost | the table | a share of the rows at random; all of them is an empty batch |
| rows doubled | the table | a share of the rows comes twice |
| stale | the table, a column | a share of the rows has the values of the batch before; all of them is its file again |
| duplicates | the table, keys | a share of the rows are one of two with the same values; of a key the value alone |
| nulls | a column | null |
| type or format | a column | numbers come as texts; texts with a blank after, in the other case, without one character |
| | a column of dates | days in another order |
| unit or range | a column of numbers | x10, a tenth, miles as km, the sign turned, a neighbour's |
| | | 0, one value: from a tenth of the rows on |
| | a column of times or dates | a year later, a day later, a day earlier |
| new or lost values | a column whose values repeat | values renamed throughout; values lost to the most frequent other one |
| | | half, or all, of the rows of the most frequent value missing |
| | a column of texts that do not | one value, from a tenth of the rows on |
| | a column of texts or truth values | a neighbour's |
| mixed-up rows | a column | values exchanged between rows (two at 1 %), or shifted by one |
| | a column of numbers | the largest row alone at 0, x10, halved: at 1 % |
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.issues import text_edits
from avh_ui.issues.dating import a_year_later, in_other_order
from avh_ui.issues.days_off import DAYS_OFF, days_off
from avh_ui.issues.misspelling import misspelt
from avh_ui.issues.mixed_up import largest_alone, mixed_up
from avh_ui.issues.one_value import of_one_value
from avh_ui.issues.renaming import renamed, repeats, values_of_share
from avh_ui.issues.sample import NULL, Codes, Sample, followed_by
from avh_ui.issues.swapping import filled, some_of, swapped
from avh_ui.issues.thinning import rows_left
from avh_ui.issues.variants import IN_MILES, MILE

FaultClass = Literal[
    "rows lost", "rows doubled", "stale", "duplicates", "nulls", "type or format", "unit or range", "new or lost values", "mixed-up rows"
]  # fmt: skip
CLASSES: tuple[FaultClass, ...] = get_args(FaultClass)
SEVERITIES = (0.01, 0.1, 0.5, 1.0)
# The column of what happens to whole rows.
TABLE = ""
# What the metrics of a sample cannot show: the schema and the rules of a delivery answer for these.
EMPTY, REPEATED, AS_TEXTS = "no row at all", "the file of the batch before again", "numbers as texts"
# What a failed join or a default leaves of an amount.
TO_ZERO = "becomes 0"
# What a stuck sensor leaves, what a wrong factor divides by, and what a file with a cell too many or too few shifts.
ONE_VALUE, TENTH, NEIGHBOUR = "one value throughout", "a tenth", "another column's values"
# The same days as another program writes them: what reads them as days tells no difference, and who reads the file next fails.
OTHER_ORDER = "days in another order"
YEAR_LATER = "a year later"
# What a partner who delivered half leaves: the share is one of these rows.
THINNED = "rows of its most frequent value missing"
# Where some rows are 0 by nature, or some of one value come and go, few more are no fault that anybody could tell: the rows of one value.
# A tenth are those of one group, as of a carrier whose system sends zeros.
_PLAIN_THINNED, _PLAIN = 0.5, 0.1
_YEAR = 365 * 86_400.0


@dataclass(frozen=True)
class Fault:
    """What happens to a share (`severity`) of the rows of a column (`TABLE`: of whole rows), and in which way."""

    column: str
    cls: FaultClass
    severity: float
    way: str


@dataclass(frozen=True)
class RowFault:
    """A fault of whole rows: those that are left, by their places in the batch, and from `before` on in the batch before it."""

    fault: Fault
    rows: Codes

    def of(self, sample: Sample, before: Sample | None) -> Sample | None:
        """The fault in one column; None where the batch before has no such column."""
        codes = sample.codes
        values = sample.values
        if self.fault.cls == "stale":
            if before is None or before.kind != sample.kind:
                return None
            shifted = np.where(before.codes == NULL, NULL, before.codes + len(values))
            codes, values = np.concatenate([codes, shifted]), followed_by(values, before.values)
        return Sample(sample.kind, values, codes[self.rows]).compact()


def row_faults(rows: int, before: int, *, seed: int = 0) -> Iterator[RowFault]:
    """Those of a batch of so many rows, the batch before having `before` (0 = there is none); what changes nothing is left out."""
    places = np.arange(rows)
    for number, severity in enumerate(SEVERITIES):
        rng = np.random.default_rng([seed, 77, number])
        lost = some_of(places, severity, rng)
        if len(lost) < rows:
            yield RowFault(Fault(TABLE, "rows lost", severity, "rows at random"), np.setdiff1d(places, lost))
        yield RowFault(Fault(TABLE, "rows doubled", severity, "rows twice"), np.concatenate([places, some_of(places, severity, rng)]))
        if before and severity < 1:
            new = places.copy()
            at = some_of(places, severity, rng)
            new[at] = rows + rng.choice(before, len(at), replace=len(at) > before)
            yield RowFault(Fault(TABLE, "stale", severity, "rows of the batch before"), new)
        if rows > 1:
            yield RowFault(Fault(TABLE, "duplicates", severity, "rows that are copies of others"), _copied(rows, severity, rng))


def thinned_rows(column: str, sample: Sample) -> Iterator[tuple[Fault, Codes]]:
    """The faults of a column's most frequent value, of whose rows a share is missing, with the places of those that are left."""
    for severity in SEVERITIES:
        if severity >= _PLAIN_THINNED and (left := rows_left(sample, severity)) is not None:
            yield Fault(column, "new or lost values", severity, THINNED), left


def _copied(rows: int, severity: float, rng: np.random.Generator) -> Codes:
    """Row places in which `severity` of the rows are one of two: half of those are copies of the other half."""
    drawn = rng.permutation(rows)
    pairs = max(1, min(round(severity * rows / 2), rows // 2))
    new = np.arange(rows)
    new[drawn[:pairs]] = drawn[pairs : 2 * pairs]
    return new


def column_faults(
    column: str, sample: Sample, before: Sample | None, neighbour: Sample | None = None, *, seed: int = 0
) -> Iterator[tuple[Fault, Sample]]:
    """Those of one column's values, `neighbour` being the column beside it of its kind (None: there is none); what changes nothing is left
    out, and so is what is no fault of such a column.
    """
    if not sample.rows or sample.kind == "skipped":
        return
    for number, severity in enumerate(SEVERITIES):
        rng = np.random.default_rng([seed, 78, number])
        for cls, way, changed in _made(sample, before, neighbour, severity, rng):
            if changed is not None:
                yield Fault(column, cls, severity, way), changed
    for fault, left in thinned_rows(column, sample):
        yield fault, Sample(sample.kind, sample.values, sample.codes[left]).compact()


_Made = Iterator[tuple[FaultClass, str, Sample | None]]


def _made(sample: Sample, before: Sample | None, neighbour: Sample | None, severity: float, rng: np.random.Generator) -> _Made:
    there = filled(sample)
    some = some_of(there, severity, rng)
    yield "nulls", "null", swapped(sample, some, sample.values, np.full(len(some), NULL))
    if before is not None and before.kind == sample.kind and before.rows:
        rows = some_of(np.arange(sample.rows), severity, rng)
        yield "stale", "values of the batch before", swapped(sample, rows, before.values, _stale(before, rows, sample.rows, rng))
    if neighbour is not None and neighbour.kind == sample.kind and neighbour.rows == sample.rows:
        cls: FaultClass = "unit or range" if sample.is_number else "new or lost values"
        yield cls, NEIGHBOUR, swapped(sample, some, neighbour.values, neighbour.codes[some])
    if sample.is_number:
        yield from _units(sample, some, severity)
    elif sample.kind == "string":
        yield from _formats(sample, some, severity, rng)
    distinct = len(np.unique(sample.codes[there]))
    if distinct == len(there) > 1 and len(there) == sample.rows:
        copied = _copied(sample.rows, severity, rng)
        yield "duplicates", "values of other rows", swapped(sample, np.arange(sample.rows), sample.values, sample.codes[copied])
    if repeats(sample):
        yield from _renamed(sample, severity, rng)
    elif sample.kind == "string" and severity >= _PLAIN:
        yield "new or lost values", ONE_VALUE, of_one_value(sample, some)
    for found in (mixed_up(sample, severity, rng), largest_alone(sample, severity)):
        yield from (("mixed-up rows", way, changed) for way, changed in found)


def _stale(before: Sample, rows: Codes, of: int, rng: np.random.Generator) -> Codes:
    """The codes of the batch before for these rows: all of it where it is as long, else drawn from it."""
    if len(rows) == of == before.rows:
        return before.codes
    return before.codes[rng.choice(before.rows, len(rows), replace=len(rows) > before.rows)]


def _units(sample: Sample, some: Codes, severity: float) -> _Made:
    numbers = np.asarray(sample.values, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        if sample.kind == "temporal":
            ways = {YEAR_LATER: numbers + _YEAR}
            yield from (("unit or range", way, days_off(sample, some, days)) for way, days in DAYS_OFF.items())
        else:
            ways = {"x10": numbers * 10, TENTH: numbers / 10, IN_MILES: numbers * MILE, "the sign turned": -numbers + 0.0}
            if numbers.all() or severity >= _PLAIN:
                ways[TO_ZERO] = np.zeros_like(numbers)
    for way, changed in ways.items():
        yield "unit or range", way, swapped(sample, some, changed, sample.codes[some])
    if sample.kind == "numeric" and severity >= _PLAIN:
        yield "unit or range", ONE_VALUE, of_one_value(sample, some)


def _formats(sample: Sample, some: Codes, severity: float, rng: np.random.Generator) -> _Made:
    blank, none = pa.scalar(" ", pa.large_string()), pa.scalar("", pa.large_string())
    padded = pc.binary_join_element_wise(sample.values, blank, none)
    yield "type or format", "a blank after", swapped(sample, some, padded, sample.codes[some])
    yield "type or format", "the other case", swapped(sample, some, pc.utf8_swapcase(sample.values), sample.codes[some])
    yield "type or format", "one character less", misspelt(sample, severity, text_edits.delete, rng)
    yield "unit or range", YEAR_LATER, a_year_later(sample, some)
    yield from (("unit or range", way, days_off(sample, some, days)) for way, days in DAYS_OFF.items())
    yield "type or format", OTHER_ORDER, in_other_order(sample, some)


def _renamed(sample: Sample, severity: float, rng: np.random.Generator) -> _Made:
    """Whole values, drawn until they hold the share of the rows; of values that are lost, one always stays."""
    rows, to = values_of_share(sample, severity, rng)
    yield "new or lost values", "renamed throughout", renamed(sample, rows)
    yield "new or lost values", "lost to another", swapped(sample, rows, sample.values, np.full(len(rows), to))
