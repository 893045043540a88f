"""The history of metrics: per column, one series per metric over the pipeline's batches."""

from __future__ import annotations

import contextlib
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from avh_ui import plots
from avh_ui.errors import NotFoundError, UsageError
from avh_ui.history.batch_dates import year_of
from avh_ui.history.standings import Standing
from avh_ui.metrics.catalogue import counts_rows, each_alone, named, of_schema
from avh_ui.metrics.catalogue import metric as find_metric
from avh_ui.metrics.column import EXACT, Kind
from avh_ui.metrics.counts import COMPLETE_RATIO, ROW_COUNT
from avh_ui.metrics.delivery import Delivery
from avh_ui.metrics.distinct import HLL_RELATIVE_ERROR
from avh_ui.metrics.measure import Measure, canonical
from avh_ui.metrics.table_columns import ColumnsState
from avh_ui.metrics.uniqueness import UNIQUE_RATIO

Series = NDArray[np.float64]


# The moment in an id, from its year to its second, whatever stands between its parts: who delivers may change how files are named. A number
# of 6, 8, 10, 12 or 14 digits that begins with a year is one whatever its other digits are, lest numbers that are none (`202613`, the 90th
# file of a day) lose their order among those that could be one; only where numbers pass 149999 or 219999 it is another's.
_YEAR = r"(?<![0-9])(1[5-9][0-9]{2}|2[01][0-9]{2})"
_CLOCK = (
    r"(?:[T _-]?([0-9]{2})(?:[:_-]?([0-9]{2})(?:[:_-]?([0-9]{2}))?)?(?![0-9])"
    r"|[T _-]([0-9]{1,2})(?:[:_-]([0-9]{1,2})(?:[:_-]([0-9]{1,2}))?)?(?![0-9])|)"
)
_WEEKLY = "[KkCc]?[Ww](?i:k|eek|oche)?"
_MOMENTS = (
    re.compile(rf"{_YEAR}([-_/.])([0-9]{{1,2}})(?:\2([0-9]{{1,2}}){_CLOCK})?(?![0-9])"),
    re.compile(rf"{_YEAR}()([0-9]{{2}})(?:([0-9]{{2}}){_CLOCK})?(?![0-9])"),
    re.compile(rf"{_YEAR}([-_/. ]?{_WEEKLY}[-_. ]?)([0-9]{{1,2}})(?![0-9])"),
    re.compile(rf"{_YEAR}([-_/. ]?[QqHh])([1-4])(?![0-9])"),
)
# A quarter, half year (H, or S behind its number), third (T) or week before its year: `Q1-2026`, `1Q2026`, `H1-2026`, `KW05_2026`. A
# semester `S2-2026` may be a week of a French `semaine`.
_YEAR_LAST = re.compile(
    r"(?<![0-9A-Za-z])(?:([QTqt])([1-4])|([Hh])([12])|([1-4])([QTqt])|([12])([HShs])"
    r"|[KkCc]?([Ww])(?i:k|eek|oche)?[-_. ]?([0-9]{1,2}))"
    r"[-_/. ]?(1[5-9][0-9]{2}|2[01][0-9]{2})(?![0-9])"
)
# The same with the last two digits of its year, of quarters and half years alone: `1Q24`, `H1-24`.
_SHORT_YEAR_LAST = re.compile(r"(?<![0-9A-Za-z])(?:([Qq])([1-4])|(H)([12])|([1-4])([Qq])|([12])(H))[-_/. ]?([0-9]{2})(?![0-9A-Za-z])")
# The months from one to the next, 3 of a third, too, which may be a French `trimestre`: of both it keeps their order.
_MONTHS = {"Q": 3, "T": 3, "H": 6, "S": 6}
# A day before its year: `31.01.2026`, with points alone, since with others the month may come first.
_POINTS = re.compile(r"(?<![0-9A-Za-z])(0[1-9]|[12][0-9]|3[01])\.(0[1-9]|1[0-2])\.(1[5-9][0-9]{2}|2[01][0-9]{2})(?![0-9])")


def _one_way(batch: str) -> str:
    """The id with the parts of its moment between hyphens; a week is its Monday, a quarter its first month."""
    for pattern in _MOMENTS:
        if found := pattern.search(batch):
            year, between, *others = found.groups()
            period = next((letter for letter in between.upper() if letter in "QHW"), "")
            parts = _beginning(year, period, others[0]) or (year, *filter(None, others))
            return f"{batch[: found.start()]}{'-'.join(parts)}{batch[found.end() :]}"
    if found := _POINTS.search(batch):
        return f"{batch[: found.start()]}{'-'.join(found.groups()[::-1])}{batch[found.end() :]}"
    if found := _YEAR_LAST.search(batch) or _SHORT_YEAR_LAST.search(batch):
        *said, year = found.groups()
        number, letter = sorted(filter(None, said))
        parts = _beginning(year if len(year) > 2 else str(year_of(year)), letter.upper(), number)
        return f"{batch[: found.start()]}{'-'.join(parts)}{batch[found.end() :]}"
    return batch


def _beginning(year: str, period: str, number: str) -> tuple[str, ...]:
    """The parts of the date on which a part of a year begins; none of another period, nor of a week that no calendar has."""
    if period in _MONTHS:
        return year, str(_MONTHS[period] * (int(number) - 1) + 1)
    if period != "W":
        return ()
    with contextlib.suppress(ValueError):
        return tuple(date.fromisocalendar(int(year), int(number), 1).isoformat().split("-"))
    return year, f"W{number}"


# A long history is sorted at every step of a long run; 5 microseconds per batch add up.
@lru_cache(maxsize=1 << 16)
def batch_order(batch: str) -> tuple[tuple[int, int, str, str], ...]:
    """Sort key of batch ids: runs of digits by number, the rest by text, so `b9` comes before `b10` and dates sort as dates.

    What is between the parts of a moment does not matter: of `2026-09-03` and `20260902`, `2026-09` and `202608`, `2026-09-03T06` and
    `20260903_05` each stands where its time is; a week (`2026-W36`) where its Monday is.
    """
    parts = re.split(r"(\d+)", _one_way(batch))
    # What is written otherwise and means the same differs last; an id comes before those that it begins.
    return (*(_place(part) for part in parts if part), (-1, 0, batch, ""))


def _place(part: str) -> tuple[int, int, str, str]:
    if not part.isdecimal():
        return (0, 0, part, "")
    # By length, then by digit: Python refuses to make a number of more than 4,300 digits, and a batch id is any text.
    digits = part if part.isascii() else "".join(str(unicodedata.decimal(c)) for c in part)
    digits = digits.lstrip("0")
    return (1, len(digits), digits, part)


@dataclass(frozen=True)
class ColumnHistory:
    """One column over K batches: `values[metric]` has shape (K,), NaN where the metric is undefined or the column absent.

    `untold[metric]` says in which batches it is NaN since the release that profiled them (of a distance, or their baselines) did not
    measure it, shape (K,); not there where that is none. A two-distribution metric's value compares the batch with its baseline
    (`History.baselines`); it is NaN for a batch without. One that is `asked` is no column of the table: it is what a rule measures.
    """

    column: str
    kind: Kind
    type: str
    batches: tuple[str, ...]
    values: dict[str, Series]
    present: NDArray[np.bool_]
    untold: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    asked: bool = False

    def series(self, metric: str) -> Series:
        """The series of one metric, by any of its names; `NotFoundError` names the nearest."""
        found = self.values.get(canonical(metric))
        if found is None:
            raise NotFoundError(f"metric of column {self.column!r}", metric, self.values)
        return found

    def errors(self, metric: str) -> Series:
        """How far each batch's value may be off because it comes from a sketch, in the metric's unit, shape (K,); 0 where it is exact.

        Of distinct counts one standard error, told by the values alone: batches near `EXACT` distinct values are given one to be safe. The
        median's follows from its sketch and not from the series (NaN where there is one): `ColumnProfile.errors` of the batch has it. NaN
        too where the series that tell are not in the history.
        """
        values = self.series(metric)
        declared = find_metric(metric, self.kind)
        if not declared.sketched:
            return np.zeros(len(values))
        there, unique = self.values_there(), self.values.get(UNIQUE_RATIO.name)
        if there is None or unique is None:
            return np.full(len(values), np.nan)
        with np.errstate(invalid="ignore"):
            sketched = unique * there > EXACT * (1 - 4 * HLL_RELATIVE_ERROR)
        return np.where(sketched, declared.relative_error * values, 0.0)

    @property
    def of_one_row(self) -> bool:
        """Whether every batch has one row, as a day's totals have; False where the history does not tell, or has no batch."""
        rows = self.values.get(ROW_COUNT.name)
        return rows is not None and len(rows) > 0 and bool(np.all(rows == 1))

    def values_there(self) -> Series | None:
        """How many values of each batch are not null, shape (K,); None where the history does not tell."""
        rows, complete = (self.values.get(m.name) for m in (ROW_COUNT, COMPLETE_RATIO))
        return None if rows is None or complete is None or len(rows) != len(complete) else rows * complete

    def plot(self, metric: str) -> Any:
        """The series of one metric as a HoloViews overlay (a curve and its points); `NotFoundError` names the nearest metric."""
        return plots.series(self.batches, self.series(metric), metric, f"{metric} of {self.column}")

    def window(self, start: int, stop: int) -> ColumnHistory:
        """Batches start to stop - 1 (negative values count from the end, as in slices)."""
        cut = slice(start, stop)
        values = {name: series[cut] for name, series in self.values.items()}
        untold = {name: there[cut] for name, there in self.untold.items() if there[cut].any()}
        return replace(self, batches=self.batches[cut], values=values, present=self.present[cut], untold=untold)


@dataclass(frozen=True)
class History:
    """Every column's history of one pipeline; `rows` is the number of rows per batch, shape (K,).

    `baselines` are the batches that each is compared with (`history.standings`), '' for none; `deliveries` how each was delivered, None
    where that was not measured; `standings` what became of each. `schemas` are the columns of those batches that were asked for them.
    `unread` are batches that are kept and left out here since their files cannot be read, each with why and how to mend it.
    """

    pipeline: str
    batches: tuple[str, ...]
    rows: Series
    columns: dict[str, ColumnHistory]
    baselines: tuple[str, ...] = ()
    deliveries: tuple[Delivery | None, ...] = ()
    unread: Mapping[str, str] = field(default_factory=dict)
    schemas: Mapping[str, ColumnsState] = field(default_factory=dict)
    standings: tuple[Standing, ...] = ()

    @property
    def wrong(self) -> tuple[bool, ...]:
        """Of each batch whether somebody called it wrong; () where that was not asked for."""
        return tuple(standing.said == "wrong" for standing in self.standings)

    def of(self, measure: Measure) -> ColumnHistory | None:
        """The history of what a measure is of, whose `values` have its metric where it was measured; None where it never was.

        Of the table's own rows that of `rows`, though a column may have that name.
        """
        if (each := each_alone(measure)) is not None:
            return self._of_several(measure, each)
        if of_schema(measure):
            return self._of_table(measure, self._told(measure)) if self.schemas else None
        return self._of_table(measure, self.rows) if counts_rows(measure) else self.columns.get(measure.subject)

    def _of_several(self, measure: Measure, each: str) -> ColumnHistory | None:
        """The least of what the columns have, or the greatest of what is bounded from above, which tells whether each keeps to its bound;
        None where one of them is not known.
        """
        columns = [column for name in measure.columns if (column := self.columns.get(name)) is not None and each in column.values]
        if len(columns) < len(measure.columns):
            return None
        untold = [column.untold[each] for column in columns if each in column.untold]
        end = np.fmax if find_metric(measure.name, "rows").extreme == "greatest" else np.fmin
        made = self._of_table(measure, end.reduce([column.values[each] for column in columns]))
        return replace(made, untold={measure.name: np.any(untold, axis=0)}) if untold else made

    def _of_table(self, measure: Measure, values: Series) -> ColumnHistory:
        present = np.ones(len(self.batches), dtype=bool)
        return ColumnHistory(measure.subject, "rows", "", self.batches, {measure.name: values}, present)

    def _told(self, measure: Measure) -> Series:
        """What the columns of each batch give of a measure; NaN where they do not tell it."""
        (metric,), values = named(measure.name), np.full(len(self.batches), np.nan)
        for place, batch in enumerate(self.batches):
            with contextlib.suppress(ValueError):
                found = metric.result(measure, [self.schemas.get(batch, ColumnsState.identity())])
                values[place] = np.nan if found is None else found
        return values

    def column(self, name: str) -> ColumnHistory:
        """One column's history; `NotFoundError` names the nearest."""
        if name not in self.columns:
            raise NotFoundError(f"column in the history of {self.pipeline!r}", name, self.columns)
        return self.columns[name]

    def plot(self, column: str | None = None, metric: str | None = None) -> Any:
        """A metric of a column over the batches as a HoloViews overlay, by default the number of rows. `UsageError` for one of the two."""
        if column is not None and metric is not None:
            return self.column(column).plot(metric)
        if column is not None or metric is not None:
            raise UsageError("A plot is of a metric of a column.", hint="Name both, or neither for the number of rows.")
        return plots.series(self.batches, self.rows, "rows", f"rows of {self.pipeline}")

    def index(self, batch: str) -> int:
        """The place of a batch; `NotFoundError` names the nearest."""
        try:
            return self.batches.index(batch)
        except ValueError:
            raise NotFoundError(f"batch in the history of {self.pipeline!r}", batch, self.batches) from None


def sort_batches(batches: Iterable[str]) -> list[str]:
    """Batch ids in their natural order, each once."""
    return sorted(set(batches), key=batch_order)
