"""Values that came into a column and are those of another one: what a line that lost a field, or two exchanged columns, look like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import find
from avh_ui.metrics.profile import ColumnProfile

# A slip of a person is in a row or two.
_LEAST = 5
# Of values that came new nearly all must be the other column's: "yes" and "no" are words of many.
_NEARLY = 0.9


@dataclass(frozen=True)
class Strayed:
    """In `rows` rows `column` has `values`, most frequent first, which it had not in the batch before, and which `of` had there."""

    column: str
    of: str
    values: tuple[str, ...]
    rows: int


def strayed_values(columns: Iterable[str], ours: Mapping[str, ColumnProfile], theirs: Mapping[str, ColumnProfile]) -> tuple[Strayed, ...]:
    """Of these columns those whose new values were another column's in the batch before (`theirs`), in their order. Columns of which not
    all values are counted are left out.
    """
    before = {name: state for name, column in theirs.items() if (state := find(column.states, FrequencyState)) is not None and state.exact}
    found = []
    for name in dict.fromkeys(columns):
        now = find(ours[name].states, FrequencyState) if name in ours else None
        if now is None or not now.exact or name not in before:
            continue
        new = {value: count for value, count in now.table.items() if value not in before[name].table}
        rows = sum(new.values())
        known = {of: sum(count for value, count in new.items() if value in state.table) for of, state in before.items() if of != name}
        of = max(known, key=lambda other: known[other], default="")
        if rows >= _LEAST and known and known[of] >= _NEARLY * rows:
            values = sorted((value for value in new if value in before[of].table), key=lambda value: (-new[value], value))
            found.append(Strayed(name, of, tuple(values), known[of]))
    return tuple(found)
