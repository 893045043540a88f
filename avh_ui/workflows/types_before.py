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
from avh_ui.errors import UNREADABLE_BATCH
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.standings import FARTHEST
from avh_ui.metrics.decimal_points import PointState
from avh_ui.metrics.metric import find
from avh_ui.metrics.type_names import NUMBER

# Once may have been a fault that nobody noticed.
_TIMES = 2
# Who writes 5.0 on the days that have a null or a fraction has done so within a week.
_PLAIN_TIMES = 7


def with_types_before(history: HistoryRepository, pipeline: str, last: str, columns: Sequence[ColumnSchema]) -> tuple[ColumnSchema, ...]:
    """The columns of the batch `last`, with the other types of numbers that sound batches up to it had, and how they were written."""
    names = [column.name for column in columns if column.type in (*NUMBER_TYPES, NUMBER)]
    known = history.batches(pipeline)
    latest = known[: known.index(last) + 1][-FARTHEST:] if names and last in known else []
    had: Counter[tuple[str, str]] = Counter()
    plain: dict[str, list[bool]] = {}
    for standing in history.standings(pipeline, latest):
        if standing.sound:
            with suppress(*UNREADABLE_BATCH):
                profile = history.load(pipeline, standing.batch, names)
                had.update((column.name, column.type) for column in profile.columns.values())
                for column in profile.columns.values():
                    if column.type == NUMBER:
                        points = find(column.states, PointState)
                        plain.setdefault(column.name, []).append(points is not None and not points.points)
    also = {c.name: tuple(t for t in NUMBER_TYPES if t != c.type and had[c.name, t] >= _TIMES) for c in columns if c.type in NUMBER_TYPES}
    return tuple(replace(c, also=also.get(c.name, ()), plain=_all_plain(plain.get(c.name, ()))) for c in columns)


def _all_plain(batches: Sequence[bool]) -> bool:
    return len(batches) >= _PLAIN_TIMES and all(batches)
