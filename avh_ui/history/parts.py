"""What views are made of: the merged states of some batches, and which batches each column's states are of.

Merging parts is what merging profiles is, but for columns that change: states of different kinds cannot be added, so a part keeps a
column once per kind, and a view decides which kind counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from avh_ui.history.series import batch_order
from avh_ui.metrics.profile import BatchProfile, ColumnProfile, merge_columns

# Spark's name for the type of a column without any value: it agrees with whatever type the column has elsewhere.
UNTYPED = "null"


@dataclass(frozen=True)
class ColumnPart:
    """A column's merged states, of one kind, over `batches`; `type` is that of the newest of them."""

    profile: ColumnProfile
    batches: frozenset[str]

    @property
    def group(self) -> tuple[str, str, bool, frozenset[str]]:
        """What two parts have in common whose states can be added: an untyped column's kind says nothing, so it is apart."""
        return self.profile.name, self.profile.kind, self.profile.type == UNTYPED, frozenset(self.profile.states)


@dataclass(frozen=True)
class Part:
    """Merged batches, or one segment of them. `rows` holds those that are in it, in natural order, with their rows; `unsplit` those
    of which no segment is known, since they were profiled without; `unread` those that cannot be read, each with why. Columns are in
    source order, those of newer batches first.
    """

    rows: dict[str, int]
    columns: tuple[ColumnPart, ...] = ()
    unsplit: frozenset[str] = field(default=frozenset())
    unread: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, profile: BatchProfile) -> Part:
        """One batch."""
        where = frozenset([profile.batch])
        return cls({profile.batch: profile.rows}, tuple(ColumnPart(column, where) for column in profile.columns.values()))


def merge_parts(parts: Sequence[Part]) -> Part:
    """One part of all; of several segments of a batch the rows are added."""
    rows: dict[str, int] = {}
    groups: dict[tuple[str, str, bool, frozenset[str]], list[ColumnPart]] = {}
    for part in sorted(parts, key=_newest, reverse=True):
        for batch, count in part.rows.items():
            rows[batch] = rows.get(batch, 0) + count
        for column in part.columns:
            groups.setdefault(column.group, []).append(column)
    merged = tuple(
        ColumnPart(merge_columns([c.profile for c in columns]), frozenset().union(*(c.batches for c in columns)))
        for columns in groups.values()
    )
    unsplit = frozenset().union(*(part.unsplit for part in parts))
    unread = {batch: why for part in parts for batch, why in part.unread.items()}
    return Part({batch: rows[batch] for batch in sorted(rows, key=batch_order)}, merged, unsplit, unread)


def _newest(part: Part) -> tuple[tuple[int, int, str, str], ...]:
    return batch_order(next(reversed(part.rows))) if part.rows else ()
