"""The matched numbers of many pairs of small batches at once: of those that one task measures most of the time went into the calls.

Nothing that is told of a column depends on the columns beside it, nor on rows without numbers on both sides: all pairs are columns of one
table, whose rows are as many as the longest pair has. Sums, which are rounded, are made of each pair by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from avh_ui.metrics.column import Floats
from avh_ui.metrics.matched_numbers import MatchedNumbers
from avh_ui.metrics.remembering import keep_beside
from avh_ui.metrics.row_mistakes import may_be_wiped, may_have_leapt
from avh_ui.metrics.seldom_exchanged import may_be_exchanged, may_be_shifted

# Tables of more numbers take as long as those of each pair.
_CELLS = 200_000
_BY_COLUMN = ("pairs", "changed_rows", "fallen_rows", "risen_rows", "emptied_rows", "filled_rows", "varies", "known", "beyond")
_BY_SIDE = ("farthest", "root_farthest")
_TABLES = ("both", "changed", "fallen", "step", "order", "alike")
_TABLES_OF_SIDES = ("logs", "ranks")
_SEEN: tuple[Callable[[MatchedNumbers], list[bool]], ...] = (may_be_exchanged, may_be_shifted, may_be_wiped, may_have_leapt)


def seen_together(pairs: Sequence[MatchedNumbers]) -> None:
    """Compute of all pairs what their measures follow from, and keep it with each."""
    for some in _small_tables([pair for pair in pairs if pair.after.size]):
        if len(some) > 1:
            _tell(some, MatchedNumbers(*(_padded([getattr(pair, side) for pair in some]) for side in ("after", "before", "new", "old"))))


def _small_tables(pairs: Sequence[MatchedNumbers]) -> Iterator[list[MatchedNumbers]]:
    """Pairs one after the other whose numbers are one table."""
    some: list[MatchedNumbers] = []
    columns = rows = 0
    for pair in pairs:
        more, most = columns + len(pair.after), max(rows, pair.old.shape[1], pair.after.shape[1])
        if some and more * most > _CELLS:
            yield some
            some, more, most = [], len(pair.after), max(pair.old.shape[1], pair.after.shape[1])
        some.append(pair)
        columns, rows = more, most
    if some:
        yield some


def _padded(tables: Sequence[Floats]) -> Floats:
    """All tables below each other, with NaN behind the rows of shorter ones."""
    found = np.full((sum(map(len, tables)), max(table.shape[1] for table in tables)), np.nan)
    at = 0
    for table in tables:
        found[at : at + len(table), : table.shape[1]] = table
        at += len(table)
    return found


def _tell(pairs: Sequence[MatchedNumbers], every: MatchedNumbers) -> None:
    """Keep with each pair its part of what all of them give."""
    columns = {name: getattr(every, name) for name in _BY_COLUMN}
    sides = {name: getattr(every, name) for name in _BY_SIDE}
    tables = {name: getattr(every, name) for name in _TABLES}
    of_sides = {name: getattr(every, name) for name in _TABLES_OF_SIDES}
    seen = [(which, which(every)) for which in _SEEN]
    start = 0
    for pair in pairs:
        end, rows = start + len(pair.after), pair.after.shape[1]
        kept = vars(pair)
        kept.update((name, found[start:end]) for name, found in columns.items())
        kept.update((name, tuple(side[start:end] for side in found)) for name, found in sides.items())
        kept.update((name, table[start:end, :rows]) for name, table in tables.items())
        # Sums of rows apart in memory are rounded in another order.
        kept.update((name, tuple(np.ascontiguousarray(side[start:end, :rows]) for side in found)) for name, found in of_sides.items())
        for which, found in seen:
            keep_beside(which, pair, found[start:end])
        start = end
