"""The types that a column of numbers had in the batches before: one that writers give by its values is whole on some days, and has
fractions, or nulls, on others. Held to the type of the newest batch it alarmed on 22 days of 34. And whether all numbers of a source
without types were written without a decimal point.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from avh_ui.constraints.schema import NUMBER_TYPES, ColumnSchema
from avh_ui.constraints.writing import Writing
from avh_ui.errors import UNREADABLE_BATCH
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.standings import FARTHEST
from avh_ui.metrics.decimal_points import PointState
from avh_ui.metrics.metric import find
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.type_names import NUMBER

# Once may have been a fault that nobody noticed.
_TIMES = 2
# Who writes 5.0 on the days that have a null or a fraction has done so within a week.
_PLAIN_TIMES = 7


def with_types_before(history: HistoryRepository, pipeline: str, last: str, columns: Sequence[ColumnSchema]) -> tuple[ColumnSchema, ...]:
    """The columns of the batch `last`, with the other types of numbers that sound batches up to it had, and how they were written."""
    names = [column.name for column in columns if column.kind == "string" or _of_numbers(column)]
    known = history.batches(pipeline)
    latest = known[: known.index(last) + 1][-FARTHEST:] if names and last in known else []
    had: dict[str, list[ColumnProfile]] = {name: [] for name in names}
    for standing in history.standings(pipeline, latest):
        if standing.sound:
            with suppress(*UNREADABLE_BATCH):
                for column in history.load(pipeline, standing.batch, names).columns.values():
                    had.setdefault(column.name, []).append(column)
    return tuple(_with(column, had.get(column.name, ())) for column in columns)


def _of_numbers(column: ColumnSchema) -> bool:
    return column.type in (*NUMBER_TYPES, NUMBER)


def _with(column: ColumnSchema, before: Sequence[ColumnProfile]) -> ColumnSchema:
    if _of_numbers(column):
        types = Counter(one.type for one in before)
        also = tuple(t for t in NUMBER_TYPES if t != column.type and types[t] >= _TIMES) if column.type in NUMBER_TYPES else ()
        points = [find(one.states, PointState) for one in before if one.type == NUMBER]
        plain = len(points) >= _PLAIN_TIMES and all(found is not None and not found.points for found in points)
        column = replace(column, also=also, plain=plain)
    return replace(column, written=Writing.learned([one for one in before if one.kind == column.kind]))
