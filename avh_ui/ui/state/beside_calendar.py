"""Columns without what the batch's date says of them: that the day falls from 31 to 1 is the calendar's doing and no drift."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from avh_ui.constraints.date_parts import DatePart, part_of_most
from avh_ui.history.series import ColumnHistory, Series
from avh_ui.metrics.catalogue import EVERY, of_any_kind
from avh_ui.metrics.distribution import MEDIAN
from avh_ui.metrics.moments import MAX, MEAN, MIN
from avh_ui.metrics.type_names import MATCHED

# What is held against the date's number. Where rows have another number these move: no other metric of the values says more.
LEVELS = frozenset(metric.name for metric in (MIN, MAX, MEAN, MEDIAN))
# Nulls and rows are counted as of any column.
_COUNTED = frozenset(metric.name for metric in EVERY if of_any_kind(metric))
# A mean of equal numbers is off by rounding.
_ROUNDING = 1e-9
# As many batches in a hundred have one number alone in a column that is worth comparing with dates.
_SINGLE = 0.9


def calendar_parts(columns: Mapping[str, ColumnHistory]) -> dict[str, DatePart]:
    """Of each column that is a part of the batch's date which; of what matched rows do with such a column, too."""
    found = {name: part for name, column in columns.items() if (part := _part(column)) is not None}
    matched = [name for name, column in columns.items() if column.type == MATCHED] if found else []
    return found | {name: part for name in matched for base, part in found.items() if name.startswith(f"{base} by ")}


def beside_calendar(columns: Mapping[str, ColumnHistory], parts: Mapping[str, DatePart] | None = None) -> dict[str, ColumnHistory]:
    """The columns, each part of the date as how far it is off that; the other metrics of its values stand still."""
    known = calendar_parts(columns) if parts is None else parts
    return {name: _beside(column, known[name]) if name in known else column for name, column in columns.items()}


def off(values: Series, numbers: Series) -> Series:
    """How far values are off the numbers that the batches' ids say, shape (K,) all."""
    found: Series = np.where(np.abs(values - numbers) <= _ROUNDING * np.abs(numbers), 0.0, values - numbers)
    return found


def _part(column: ColumnHistory) -> DatePart | None:
    lowest, highest = column.values.get(MIN.name), column.values.get(MAX.name)
    if column.kind != "numeric" or lowest is None or highest is None:
        return None
    if (lowest == highest).sum() < _SINGLE * np.isfinite(lowest).sum():
        return None
    return part_of_most(lowest, column.batches, column.column)


def _beside(column: ColumnHistory, part: DatePart) -> ColumnHistory:
    numbers = np.array([part.number(batch) for batch in column.batches])
    still = {name: np.where(np.isnan(series), np.nan, 0.0) for name, series in column.values.items() if name not in _COUNTED}
    levels = {name: off(column.values[name], numbers) for name in LEVELS & column.values.keys() if column.type != MATCHED}
    return replace(column, values={**column.values, **still, **levels})
